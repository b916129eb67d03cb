"""Writing the Python source of a matcher, one nested loop for each choice.

A pattern is compiled once and matched often: as source its variables are Python's own locals, its
choices Python's own loops, and failing is ``continue``.  Nothing in the source comes from outside:
every operator, term and constant is reached through a name made here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Python allows twenty nested blocks in one function; beyond this many a nested function begins.
_BLOCKS = 16


class Program:
    """The lines of a generator function, and the constants they refer to.

    Parameters
    ----------
    **names
        What the lines may use by name.
    """

    def __init__(self, **names: Any):
        self.names = names
        self._constants: dict[int, str] = {}
        self._lines: list[str] = []
        self._ends: list[str] = []
        self._depth = 1
        self._blocks = 0
        self._made = 0

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
        self._lines.append("    " * self._depth + text)

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
        self.line(f"if {condition}: {'continue' if self._blocks else 'return'}")

    def loop(self, targets: str, values: str) -> None:
        """Write a loop; what follows is inside it."""
        if self._blocks == _BLOCKS:
            name = self.new("deeper")
            self._ends.append("    " * self._depth + f"yield from {name}()")
            self.line(f"def {name}():")
            self._depth += 1
            self._blocks = 0
        self.line(f"for {targets} in {values}:")
        self._depth += 1
        self._blocks += 1

    def source(self) -> str:
        """The text of the function ``solve``."""
        return "\n".join(["def solve(t):", *self._lines, *reversed(self._ends)])

    def function(self, source: str, name: str) -> Callable[..., Any]:
        """A function of a source, with the constants of this program."""
        exec(compile(source, "<matcher>", "exec"), self.names)
        function: Callable[..., Any] = self.names[name]
        return function


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
