"""Writing the Python source of a matcher, one nested loop for each choice.

A pattern is compiled once and matched often: as source its variables are Python's own locals, its
choices Python's own loops, and failing is ``continue``.  Nothing in the source comes from outside:
every operator, term and constant is reached through a name made here.

Python nests few blocks and few generators, patterns are of any size: a long matcher is written as
several functions, each of which yields what the next one needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kanrewrite.ac import bags, distribution, semilattice, splitting, tables

#: Python allows twenty nested blocks in one function; beyond this many another function begins.
_BLOCKS = 16
#: The longest function: what compiles one is not linear in its length.
_LINES = 400
#: From how many nested loops on their steps are counted, and how many are counted at once.
_DEEP, _STEPS = 3, 512
#: How many operands are gone through in the time of a step, and how many are copied.
_TOGETHER, _COPIED = 16, 512
#: The steps in which a multiset of no operands is split, and how many of them take one more.
_SPLIT, _SHARED = 2, 4
#: The names that `Program.new` makes, and the subject's.
_NAMES = re.compile(r"\b(?:[a-z]+\d+|t)\b")

#: What the lines of every program may use by name.
_HELPERS = {
    name: getattr(room, name)
    for room, names in (
        (bags, ("applied", "arrangements", "divided", "leftover", "minus", "multiplicities")),
        (bags, ("of_heads", "opened", "operands", "product", "runs", "shared", "uneven")),
        (distribution, ("distributed",)),
        (semilattice, ("beyond", "joined", "subsets", "within", "without")),
        (splitting, ("meeting", "pairs", "singles_first", "splits")),
        (tables, ("holders", "partners", "shares")),
    )
    for name in names
}

#: The steps since the last answer: those that are not counted yet, and those that are.
_START = "steps = spent = 0"

Part = Callable[..., Iterator[Any]]


def through(name: str) -> str:
    """The source of how many steps it takes to go through the operands of this name."""
    return f"1 + len({name}) // {_TOGETHER}"


def removing(name: str) -> str:
    """The same of a copy of them without one."""
    return f"1 + len({name}) // {_COPIED}"


def sharing(name: str) -> str:
    """The same of splitting a multiset of them, or of a question about their product."""
    return f"{_SPLIT} + len({name}) // {_SHARED}"


class Program:
    """The lines of a generator function, and the constants they refer to.

    Parameters
    ----------
    **names
        What else the lines may use by name.
    """

    def __init__(self, **names: Any):
        self.names: dict[str, Any] = {**_HELPERS, **names}
        self._constants: dict[int, str] = {}
        #: The finished functions, and the lines of the last one.
        self._parts: list[list[str]] = []
        self._lines: list[str] = []
        self._blocks = 0
        self._made = 0
        #: Whether steps of the last function are counted.
        self._counted = False

    def constant(self, value: Any) -> str:
        """The name of an object in the source."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = f"K{len(self._constants)}"
            self.names[name] = value
        return name

    def constants(self, values: Any) -> str:
        """The source of a tuple of objects."""
        return _tuple([self.constant(value) for value in values])

    def new(self, prefix: str) -> str:
        """A name that is not used yet."""
        self._made += 1
        return f"{prefix}{self._made}"

    def line(self, text: str) -> None:
        """Write one statement."""
        if len(self._lines) >= _LINES:
            self._cut()
        self._write(text)

    def let(self, prefix: str, expression: str) -> str:
        """Write an assignment to a new name, which is returned."""
        name = self.new(prefix)
        self.line(f"{name} = {expression}")
        return name

    def unless(self, condition: str) -> None:
        """Write that the present choice fails unless a condition holds."""
        self.fail_if(f"not ({condition})")

    def fail_if(self, condition: str) -> None:
        """Write that the present choice fails if a condition holds."""
        if len(self._lines) >= _LINES:
            self._cut()
        self.line(f"if {condition}: {'continue' if self._blocks else 'return'}")

    def loop(self, targets: str, values: str, steps: str = "", idle: int = 0) -> None:
        """Write a loop; what follows is inside it.

        How many steps each turn takes may be given: those of inner loops are counted anyway. Where
        values may be None, a turn without one takes so many idle steps.
        """
        if self._blocks == _BLOCKS:
            self._cut()
        self.line(f"for {targets} in {values}:")
        self._blocks += 1
        if steps or self._blocks >= _DEEP:
            self.spend(f"{f'{idle} if {targets} is None else ' if idle else ''}{steps or '1'}")
            if idle:
                self._write(f"if {targets} is None: continue")

    def spend(self, steps: str) -> None:
        """Write that what comes now takes so many steps."""
        # In the present function, whatever its length: a loop may begin here.
        self._write(f"steps += {steps}")
        self._write(f"if steps > {_STEPS}: steps, spent = 0, late(t, spent + steps)")
        self._counted = True

    def answer(self, values: str) -> None:
        """Write that an answer is given: the search for the next is another."""
        self.line(f"yield {values}")
        if self._counted:
            self.line(_START)

    def _write(self, text: str) -> None:
        self._lines.append("    " * (self._blocks + 1) + text)

    def _cut(self) -> None:
        """Begin another function."""
        self._lines.append("    " * (self._blocks + 1))  # its yield is written at the end
        self._parts.append(self._lines)
        self._lines = []
        self._blocks = 0
        self._counted = False

    def sources(self) -> list[str]:
        """The texts of the functions ``solve``: each yields the arguments of the next."""
        parts = [*self._parts, self._lines]
        named = [set(_NAMES.findall("\n".join(lines))) for lines in parts]
        first = {"t": -1}
        for k, names in enumerate(named):
            for name in names:
                first.setdefault(name, k)
        arguments: list[str] = []
        found: list[str] = []
        for k in range(len(parts) - 1, -1, -1):
            lines, names = parts[k], named[k]
            if found:
                given = "".join(f"{name}, " for name in arguments)
                lines = [*lines[:-1], f"{lines[-1]}yield ({given})"]
            arguments = _ordered({name for name in names.union(arguments) if first[name] < k})
            start = [f"    {_START}"] if any("steps += " in line for line in lines) else []
            found.append("\n".join([f"def solve({', '.join(arguments)}):", *start, *lines]))
        return found[::-1]

    def source(self) -> str:
        """The text of all of them."""
        return "\n\n".join(self.sources())

    def solver(self) -> Part:
        """The one generator function of them all."""
        parts = [self.function(source, "solve") for source in self.sources()]
        return parts[0] if len(parts) == 1 else _chained(parts, self.names["late"])

    def function(self, source: str, name: str) -> Callable[..., Any]:
        """A function of a source, with the constants of this program."""
        exec(compile(source, "<matcher>", "exec"), self.names)
        function: Callable[..., Any] = self.names[name]
        return function


def _chained(parts: Sequence[Part], late: Callable[[Any, int], int]) -> Part:
    """The functions one inside the other, without nesting generators in generators."""

    def solve(term: Any) -> Iterator[Any]:
        streams = [parts[0](term)]
        steps = 0
        while streams:
            values = next(streams[-1], None)
            steps = late(term, steps + 1)
            if values is None:
                streams.pop()
            elif len(streams) == len(parts):
                yield values
                steps = 0
            else:
                streams.append(parts[len(streams)](*values))

    return solve


def _ordered(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (len(name), name))


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
