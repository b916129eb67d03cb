"""Planning a matcher: in which order a pattern's parts are compared with a subject.

What has one way to match comes first; then choices, those with the fewest free variables first;
multisets of variables come last, when other parts have bound what they can (Eker 1995 solves these
after the bipartite matching of the operands, too).  The plan is made when the pattern is compiled:
which variables are bound where is known then, and nothing needs undoing when a choice fails.

References
----------
S. Eker, "Associative-commutative matching via bipartite graph matching", Computer Journal 1995.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd

from unification import var

from kanrewrite.ac.interned import APPLY, VARIABLE, Interned, Symbol
from kanrewrite.ac.joins import enumerate_join, settle_join
from kanrewrite.ac.leftovers import enumerate_bag, settle
from kanrewrite.ac.pending import Bag, Row
from kanrewrite.ac.program import Program, sharing, through
from kanrewrite.ac.rows import row_end, segment
from kanrewrite.ac.shape import are_rivals, heads, keeps_apart
from kanrewrite.ac.sorts import Sorts
from kanrewrite.ac.terms import Store

#: Up to how many candidates are tried rather than looked up.
_FEW = 8
#: How many comparisons are kept in order.
_MANY = 64


class Plan:
    """The steps that match one pattern, written to a program.

    Parameters
    ----------
    store
        Where the pattern is interned.
    program
        Receives the source.
    interned
        Whether answers hold interned terms, instead of plain ones.
    sorts
        What some variables may be.
    """

    def __init__(self, store: Store, program: Program, interned: bool, sorts: Sorts):
        self.store = store
        self.program = program
        self.interned = interned
        self.sorts = sorts
        #: Names of interned terms and of plain ones that variables are bound to.
        self.bound: dict[Interned, str] = {}
        self.plain: dict[Interned, str] = {}
        #: Variables that may be nothing, and are answered as what is left around the pattern.
        self.open: set[Interned] = set()
        self.tasks: list[tuple[Interned, str]] = []
        self.bags: list[Bag] = []
        #: The same of idempotent operators, whose operands parts and variables may share.
        self.joins: list[Bag] = []
        self.rows: list[Row] = []
        self._views: dict[Interned, Interned] = {}

    def run(self) -> None:
        """Write every step, until nothing is left to compare."""
        while True:
            if self.tasks:
                self._compare(*self.tasks.pop())
            elif not (settle(self) or (self.joins and settle_join(self)) or row_end(self)):
                choice = self._easiest()
                if choice is not None:
                    self._pick(*choice)
                elif self.rows:
                    segment(self, self.rows[0])
                elif self.bags:
                    enumerate_bag(self)
                elif self.joins:
                    enumerate_join(self)
                else:
                    return

    def bind(self, variable: Interned, name: str) -> None:
        """Note the interned term that a variable is, and compare what waited for it."""
        self.bound[variable] = name
        if variable in self.sorts.variables:
            self.program.spend(sharing(f"{name}.args"))
            self.program.fail_if(f"refuse({self.program.constant(variable)}, {name})")
        view = self._views.pop(variable, None)
        if view is not None:
            self.tasks.append((view, name))

    def waiting(self) -> set[Interned]:
        """The variables that something still to be compared needs as interned terms."""
        found: set[Interned] = set(self._views)
        patterns: list[Interned] = [task[0] for task in self.tasks]
        patterns.extend(self._views.values())
        for bag in self.bags + self.joins:
            patterns.extend(bag.parts)
            found.update(bag.variables)
        for row in self.rows:
            patterns.extend(row.parts)
        return found.union(*(pattern.variables for pattern in patterns))

    def is_viewed(self, variable: Interned) -> bool:
        """Whether a variable stands for an operand that is compared once its value is known.

        Parameters
        ----------
        variable
            A variable.
        """
        return variable in self._views

    def free(self, pattern: Interned) -> int:
        """How many variables of a pattern are not bound yet."""
        return sum(variable not in self.bound for variable in pattern.variables)

    # -- one pattern against one term ------------------------------------------------------------

    def _compare(self, pattern: Interned, name: str) -> None:
        program, symbol = self.program, pattern.symbol
        if not pattern.variables:
            program.unless(f"{name} is {program.constant(pattern)}")
        elif symbol is VARIABLE:
            known = self.bound.get(pattern)
            if known is None:
                self.bind(pattern, name)
            elif known != name:
                program.unless(f"{name} is {known}")
        elif symbol.associative:
            self._open(pattern, symbol, name)
        elif symbol.group is not None and heads(pattern) is None:
            self._open(pattern, symbol.group, name)
        elif symbol.commutative:
            wanted = "".join(f"{self._wanted(arg)}, " for arg in pattern.args)
            ways = f"arrangements({program.constant(symbol)}, {name}, ({wanted}))"
            if symbol.unit is None:
                program.unless(f"{name}.symbol is {program.constant(symbol)}")
            steps = through(f"{name}.args") if len(pattern.args) > 2 else ""
            program.loop(self._operands(pattern.args), ways, steps)
        elif symbol is APPLY:
            args = program.let("a", f"applied({name}, {len(pattern.args)})")
            program.fail_if(f"{args} is None")
            program.line(f"{self._operands(pattern.args)} = {args}")
        else:
            program.unless(f"{name}.symbol is {program.constant(symbol)}")
            program.line(f"{self._operands(pattern.args)} = {name}.args")

    def _wanted(self, pattern: Interned) -> str:
        """The source of what an operand must be, or of the heads that it can have."""
        if not pattern.variables:
            return self.program.constant(pattern)
        possible = heads(pattern)
        known = self.bound.get(pattern)
        return known or ("None" if possible is None else self.program.constant(possible))

    def _operands(self, patterns: Iterable[Interned]) -> str:
        """New names for a term's operands, which become tasks."""
        names = []
        for pattern in patterns:
            names.append(self.program.new("n"))
            self.tasks.append((pattern, names[-1]))
        # Cheap comparisons before those that open multisets; of many tasks the new ones only.
        new = len(names) if len(self.tasks) > _MANY else len(self.tasks)
        self.tasks[len(self.tasks) - new :] = sorted(
            self.tasks[len(self.tasks) - new :],
            key=lambda task: (bool(task[0].variables), self.free(task[0])),
            reverse=True,
        )
        return "".join(f"{name}, " for name in names).strip()

    def _open(self, pattern: Interned, symbol: Symbol, name: str) -> None:
        """Begin to compare an associative application's operands, or an inverse of a product."""
        if symbol.commutative:
            args = pattern.args if pattern.symbol is symbol else (pattern,)
            self.open_bag(symbol, name, args)
            return
        self.open_row(symbol, name, pattern.args)

    def open_row(self, symbol: Symbol, name: str, args: Iterable[Interned]) -> None:
        """Begin to compare the operands of an associative application.

        Parameters
        ----------
        symbol
            The operator.
        name
            The name of the subject.
        args
            The pattern's operands.
        """
        program, operator = self.program, self.program.constant(symbol)
        if symbol.unit is None:
            program.unless(f"{name}.symbol is {operator}")
        row = program.let("b", f"operands({operator}, {name})")
        parts = [part if keeps_apart(part, symbol) else self._view(part) for part in args]
        self.rows.append(Row(symbol, row, "0", program.let("e", f"len({row})"), parts))

    def open_bag(self, symbol: Symbol, name: str, args: Iterable[Interned]) -> None:
        """Begin to compare the operands of a commutative application.

        Parameters
        ----------
        symbol
            The operator.
        name
            The name of the subject.
        args
            The pattern's operands.
        """
        program = self.program
        parts: dict[Interned, int] = {}
        variables: dict[Interned, int] = {}
        for part, times in Counter(args).items():
            negative = part.symbol is symbol.inverse
            if part.symbol is VARIABLE:
                variables[part] = times
            elif keeps_apart(part, symbol):
                parts[part] = times
            else:
                variables[self._view(part.args[0] if negative else part)] = (
                    -times if negative else times
                )
        if not symbol.collapses:
            program.unless(f"{name}.symbol is {program.constant(symbol)}")
            inside, by_head = program.let("b", f"{name}.args"), program.let("h", f"{name}.heads")
        else:
            inside, by_head = program.new("b"), program.new("h")
            program.line(f"{inside}, {by_head} = opened({program.constant(symbol)}, {name})")
        bag = Bag(symbol, name, inside, by_head, parts, variables)
        rivals = any(times > 1 for times in parts.values()) or are_rivals(parts)
        if rivals and not symbol.idempotent:
            bag.count = program.let("m", f"multiplicities({inside})")
        least = 0 if symbol.idempotent else sum(parts.values())
        self._take_known(bag)
        self._refuse(bag, least)
        (self.joins if symbol.idempotent else self.bags).append(bag)

    def _take_known(self, bag: Bag) -> None:
        """Write that ground parts are there, all of them in one step where they are many."""
        known = Counter({part: times for part, times in bag.parts.items() if not part.variables})
        if len(known) < _MANY:
            return
        every = self.program.constant(tuple(known.elements()))
        self.program.fail_if(f"minus({bag.args}, {every}) is None")
        for part in known:
            del bag.parts[part]
        bag.known = every, self.program.constant(known)

    def _refuse(self, bag: Bag, least: int) -> None:
        """Write the tests that fail before anything is tried: operands too few, heads absent."""
        often = gcd(*bag.variables.values())
        if least and often > 1:
            self.program.fail_if(f"uneven({bag.args}, {often}) > {least}")
        if not bag.symbol.collapses:
            least += sum(abs(k) for v, k in bag.variables.items() if v not in self.open)
        if least:
            compare = "<" if bag.variables else "!="
            self.program.fail_if(f"len({bag.args}) {compare} {least}")
        for part in bag.parts:
            possible = heads(part)
            assert possible is not None
            if not part.variables:
                self.program.unless(f"{self.program.constant(part)} in {bag.args}")
            elif len(possible) == 1:
                (head,) = possible
                self.program.unless(f"{self.program.constant(head)} in {bag.heads}")

    def _view(self, part: Interned) -> Interned:
        """A variable that stands for an operand which can be any part of the product."""
        if part.symbol is VARIABLE:
            return part
        hidden = self.store.leaf(var())
        self._views[hidden] = part
        return hidden

    # -- operands with a head of their own -------------------------------------------------------

    def _easiest(self) -> tuple[Bag, Interned] | None:
        """The part with the fewest free variables; of equals, the largest."""
        choices = [(bag, part) for bag in self.bags + self.joins for part in bag.parts]
        return min(choices, key=self._cost, default=None)

    def _cost(self, choice: tuple[Bag, Interned]) -> tuple[int, int, int]:
        part = choice[1]
        free = self.free(part)
        return free, free - len(part.variables), -bin(part.below).count("1")

    def _pick(self, bag: Bag, part: Interned) -> None:
        """Write the choice of an operand for a part."""
        program, times = self.program, bag.parts.pop(part)
        possible = heads(part)
        assert possible is not None
        if not part.variables:
            name = program.constant(part)
        else:
            name = program.new("c")
            program.loop(name, self._candidates(bag, part, possible, name))
        rivals = [(other, often) for other, often, theirs in bag.picks if theirs & possible]
        if bag.count and (times > 1 or rivals or bag.known):
            taken = "".join(f" + ({name} is {other}) * {often}" for other, often in rivals)
            taken += f" + {bag.known[1]}[{name}]" if bag.known else ""
            program.fail_if(f"{bag.count}({name}) < {times}{taken}")
        bag.picks.append((name, times, possible))
        if part.variables:
            self._compare(part, name)

    def _candidates(self, bag: Bag, part: Interned, possible: frozenset[Symbol], name: str) -> str:
        """The source of the operands that a part may match."""
        program = self.program
        if len(possible) > 1:
            return f"of_heads({bag.heads}, {program.constants(possible)})"
        head = program.constant(part.symbol)
        every = f"{bag.heads}[{head}]"
        symbol = part.symbol
        if symbol.associative and symbol.commutative and not bag.symbol.collapses:
            for other, (table, mate) in bag.mates.items():
                if self._share(part, other):
                    return f"{table}[{mate}]"
            if symbol.unit is None and any(self._share(part, other) for other in bag.parts):
                table = program.let("t", f"partners({bag.term}, {head})")
                bag.mates[part] = table, name
                return table
        elif not symbol.commutative and not symbol.associative and symbol.group is None:
            for at, arg in enumerate(part.args):
                known = self.bound.get(arg) if arg.variables else program.constant(arg)
                if known is not None:
                    few = f"{every} if len({every}) < {_FEW} else "
                    return f"{few}holders({bag.term}, {head}, {at}).get({known}, ())"
        return every

    def _share(self, part: Interned, other: Interned) -> bool:
        """Whether two products have a variable in common that is not bound yet."""
        return part.symbol is other.symbol and any(
            arg.symbol is VARIABLE and arg not in self.bound and arg in other.args
            for arg in part.args
        )
