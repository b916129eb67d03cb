"""Keeping of a stream of unifiers only the most general ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

from kanrewrite.ac.interned import VARIABLE, Interned
from kanrewrite.ac.matching import Matcher
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.terms import Store

Values = tuple[Interned, ...]
#: How many unifiers, and steps of the search, are waited for before the first is given away.
_WAIT, _WAIT_FAIR = 256, 32
_STEPS = 2_000


def minimal(
    terms: Store, solutions: Iterable[Values | None], ended: Callable[[], bool], fair: bool
) -> Iterator[Values]:
    """The solutions that are no instances of others, modulo the theory.

    Parameters
    ----------
    terms
        Where the solutions are interned.
    solutions
        The values of the same variables in each solution; None for a step that found none.
    ended
        Whether `solutions` has come to its end.
    fair
        Whether there may be no end: then fewer are waited for and compared with.

    Yields
    ------
    tuple
        All minimal ones, if there are few in all. Of many, those found first are made minimal among
        themselves; a later one is left out if it is an instance of one of these (but for a fair
        search), or equal to any before it.
    """
    kept: list[_Unifier] = []
    stream = iter(solutions)
    for steps, values in enumerate(stream):
        if values is not None:
            _insert(kept, _Unifier(terms, values))
        if len(kept) >= (_WAIT_FAIR if fair else _WAIT) or steps >= _STEPS:
            break
    for one in kept:
        yield one.values
    if ended():
        return
    # From here on as many as are asked for: what each is compared with must not grow with them.
    first = [] if fair else list(kept)
    alike: dict[Hashable, list[_Unifier]] = {}
    for one in kept:
        alike.setdefault(_outline(one.term), []).append(one)
    for values in stream:
        if values is None:
            continue
        one = _Unifier(terms, values)
        same = alike.setdefault(_outline(one.term), [])
        if not any(other.covers(one) for other in (*same, *first)):
            same.append(one)
            yield values


def _insert(kept: list[_Unifier], one: _Unifier) -> None:
    """Add a unifier unless another is more general; it displaces its instances."""
    if not any(other.covers(one) for other in kept):
        kept[:] = [other for other in kept if not one.covers(other)]
        kept.append(one)


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

    __slots__ = ("_matcher", "_sizes", "term", "values")

    def __init__(self, terms: Store, values: Values):
        self.values = values
        self.term = terms.make(terms.symbol("unifier", len(values)), values)
        # Without a unit, an instance of a sum has no fewer operands: that tells most pairs apart.
        self._sizes = [
            len(v.args) if v.symbol.associative and v.symbol.unit is None else 1 for v in values
        ]
        self._matcher: Matcher | None = None

    def covers(self, other: _Unifier) -> bool:
        """Whether another unifier is an instance of this one."""
        if any(a > b for a, b in zip(self._sizes, other._sizes, strict=True)):
            return False
        if self._matcher is None:
            self._matcher = Matcher(self.term)
        return next(self._matcher.match(other.term), None) is not None
