"""Keeping of a stream of unifiers only the most general ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import LEAF, VARIABLE, Interned, Symbol
from kanrewrite.ac.matching import Matcher
from kanrewrite.ac.search import Search
from kanrewrite.ac.shape import operands_first
from kanrewrite.errors import Incomplete

Values = tuple[Interned, ...]
Column = tuple[int, ...]
#: How many unifiers, and steps of the search, are waited for before the first is given away; of a
#: set that is known to be large, and of one that may have no end, fewer.
_WAIT, _WAIT_LARGE = 256, 16
_STEPS = 2_000
#: And how much work, where some have been found: of the search, and of comparisons.  Steps of a
#: search that may have no end are long ones.
_WORK, _WORK_FAIR = 120_000, 5_000
#: How long a comparison is that goes through operands, and to make a matcher for them.
_COMPARED, _COMPILED = 5, 200
#: How many times longer both are with joins, of which parts and variables may share operands.
_SHARED = 6
#: How many steps a comparison of two may take: what took more is compared with no other any more.
_LONG = 3_000
#: And how many operands with variables it may have, of which a matcher is made.
_OPEN = 200
#: How many outlines of unifiers are remembered, to leave out those that come again.
_REMEMBERED = 512
#: How many unifiers of each.
_ALIKE = 15


def minimal(search: Search, large: bool) -> Iterator[Values]:
    """The solutions of a search that are no instances of others, modulo the theory.

    Parameters
    ----------
    search
        A search that has not begun.
    large
        Whether there are many: then fewer are waited for and compared with.

    Yields
    ------
    tuple
        The values of the search's variables: all minimal solutions, if there are few in all. Of
        many, those found first are made minimal among themselves; a later one is left out if it is
        an instance of one of these, or equal to one that came shortly before.
    """
    kept: list[_Unifier] = []
    stream = search.solutions()
    given_up: Incomplete | None = None
    try:
        _wait(search, stream, kept, _WAIT_LARGE if large or search.fair else _WAIT)
    except Incomplete as reason:  # raised after what was found
        given_up = reason
    search.budget.waited = False
    for one in kept:
        yield one.values
    if given_up is not None:
        raise given_up
    if not search.ended:
        yield from _rest(search, stream, kept)


def _wait(
    search: Search, stream: Iterator[Values | None], kept: list[_Unifier], enough: int
) -> None:
    """Keep the most general of the first solutions."""
    most = _WORK_FAIR if search.fair else _WORK
    for steps, values in enumerate(stream):
        if values is not None and _insert(kept, _Unifier(search, values)):
            search.budget.found()
            search.budget.waited = True
        late = bool(kept) and search.budget.spent > most
        if late or len(kept) >= enough or steps >= _STEPS:
            return


def _rest(
    search: Search, stream: Iterator[Values | None], kept: list[_Unifier]
) -> Iterator[Values]:
    """As many more as are asked for: what each is compared with must not grow with them."""
    alike: dict[Hashable, list[_Unifier]] = {}
    for one in kept:
        alike.setdefault(_outline(one.term), []).append(one)
    for values in stream:
        if values is None:
            continue
        one = _Unifier(search, values)
        same = alike.setdefault(_outline(one.term), [])
        if not any(other.covers(one) for other in (*same, *kept)):
            same[:] = [*same[-_ALIKE:], one]
            search.budget.found()
            if len(alike) > _REMEMBERED:
                del alike[next(iter(alike))]
            yield values


def _insert(kept: list[_Unifier], one: _Unifier) -> bool:
    """Add a unifier unless another is more general; it displaces its instances."""
    if any(other.covers(one) for other in kept):
        return False
    kept[:] = [other for other in kept if not one.covers(other)]
    kept.append(one)
    return True


def _outline(term: Interned) -> Hashable:
    """What is left of a term when all variables look the same: equal for renamed terms."""
    # A number for each outline: nested tuples as deep as terms cannot be hashed.
    numbers: dict[Interned, Hashable] = {}
    for one in operands_first(term):
        if one.symbol is VARIABLE:
            numbers[one] = 0
        elif not one.variables:
            numbers[one] = one.serial
        else:
            parts = tuple(numbers[arg] for arg in one.args)
            if one.symbol.commutative:
                numbers[one] = hash((one.symbol, frozenset(Counter(parts).items())))
            else:
                numbers[one] = hash((one.symbol, parts))
    return numbers[term]


class _Unifier:
    """The values of a unifier as one term, to be matched with another's."""

    __slots__ = ("_columns", "_is_hard", "_matcher", "_sizes", "_tick", "_times", "term", "values")

    def __init__(self, search: Search, values: Values):
        terms = search.terms
        self.values = values
        self._tick = search.budget.tick
        self._times = _SHARED if search.has_joins else 1
        self.term = terms.make(terms.symbol("unifier", len(values)), values)
        # Without a unit, an instance of a sum has no fewer operands: that tells most pairs apart.
        self._sizes = [
            len(v.args) if v.symbol.associative and not v.symbol.collapses else 1 for v in values
        ]
        self._matcher: Matcher | None = None
        open_ones = sum(bool(arg.variables) for v in values for arg in v.args)
        self._is_hard = open_ones > _OPEN
        self._columns: dict[Symbol, set[Column]] = {}

    def covers(self, other: _Unifier) -> bool:
        """Whether another unifier is an instance of this one."""
        self._tick(1)
        if any(a > b for a, b in zip(self._sizes, other._sizes, strict=True)):
            return False
        self._tick(_COMPARED * self._times)
        if not self._may_cover(other):
            return False
        if self._is_hard:
            return False
        if self._matcher is None:
            self._tick(_COMPILED * self._times)
            self._matcher = Matcher(self.term, steps=_LONG, tick=self._tick)
        try:
            return next(self._matcher.match(other.term), None) is not None
        except Incomplete:
            self._is_hard = True
            return False

    def _may_cover(self, other: _Unifier) -> bool:
        """What heads and multiplicities tell: true where only matching can."""
        sums: set[Symbol] = set()
        for mine, theirs in zip(self.values, other.values, strict=True):
            symbol = mine.symbol
            if symbol is VARIABLE or symbol.collapses or symbol.group is not None:
                continue
            if symbol is not theirs.symbol or (symbol is LEAF and mine is not theirs):
                return False
            if symbol.associative and symbol.commutative:
                sums.add(symbol)
        return all(_dominated(self.columns(op), other.columns(op)) for op in sums)

    def columns(self, operator: Symbol) -> set[Column]:
        """How often each operand occurs in the values, all read as products of an operator.

        Parameters
        ----------
        operator
            An associative-commutative operator without unit.
        """
        known = self._columns.get(operator)
        if known is None:
            counts: dict[Interned, list[int]] = {}
            for n, value in enumerate(self.values):
                for part in operands(operator, value):
                    counts.setdefault(part, [0] * len(self.values))[n] += 1
            known = self._columns[operator] = {tuple(column) for column in counts.values()}
        return known


def _dominated(general: set[Column], special: set[Column]) -> bool:
    """Whether each operand can be a part of one that is more general, and these have such parts.

    An operand of an instance occurs at least as often, everywhere, as what it is a part of; without
    unit that has a part.
    """
    less = all(column in general or _above_any(column, general) for column in special)
    return less and all(
        column in special or any(_above(other, column) for other in special) for column in general
    )


def _above_any(column: Column, others: set[Column]) -> bool:
    return any(_above(column, other) for other in others)


def _above(column: Column, other: Column) -> bool:
    return all(a >= b for a, b in zip(column, other, strict=True))
