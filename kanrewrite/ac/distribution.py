"""The values of variables that share several multisets between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from kanrewrite.ac.bags import Args, by_serial

if TYPE_CHECKING:
    from kanrewrite.ac.interned import Interned

#: How many of one operand some variables take.
_Way = tuple[tuple[int, int], ...]

#: After how many choices that lead to nothing, or steps, the reader is told by a None.
FAILED = 256
#: How many variables are looked at in the time of a step.
_TOGETHER = 32


def distributed(
    rows: Sequence[tuple[Args, tuple[int, ...]]], needed: Sequence[int]
) -> Iterator[tuple[Args, ...] | None]:
    """Every way to give variables that share several multisets their values.

    An operand is distributed independently of the others, so that one which cannot be ends the
    search at once (Hullot 1980 solves these systems constant by constant, too).

    Parameters
    ----------
    rows
        Multisets, and how often each variable is taken from them.
    needed
        The positions of variables that must not be empty.

    Yields
    ------
    tuple, optional
        A value for each variable; None now and then where many choices led to nothing, for its
        reader to look at the clock.

    References
    ----------
    J.-M. Hullot, "Compilation de formes canoniques dans des théories équationnelles", 1980.
    """
    counts = [Counter(args) for args, _ in rows]
    elements = sorted(dict.fromkeys(arg for args, _ in rows for arg in args), key=by_serial)
    often = tuple(zip(*(times for _, times in rows), strict=True))
    must = frozenset(needed)
    known: dict[tuple[int, ...], _Ways] = {}
    ways: list[_Ways] = []
    for one in elements:
        numbers = tuple(count[one] for count in counts)
        if numbers not in known:
            few = _ways_of_few(numbers, often, must)
            found: list[_Way] = []
            for way in _all_ways(numbers, often) if few is None else ():
                if way is None:
                    yield None
                else:
                    found.append(way)
            known[numbers] = _Ways(found, must) if few is None else few
            if not known[numbers].each:
                return
        ways.append(known[numbers])
    for chosen in _all_needed(ways, must):
        if chosen is None:
            yield None
            continue
        values: list[list[Interned]] = [[] for _ in often]
        for one, way in zip(elements, chosen, strict=True):
            for v, times in way:
                values[v] += [one] * times
        yield tuple(map(tuple, values))


class _Ways:
    """The ways to distribute one operand.

    Attributes
    ----------
    each
        The ways, and of the variables that must not be empty those that take something.
    given
        All of these variables.
    most
        The largest number of them in one way.
    """

    def __init__(self, ways: Sequence[_Way], needed: Collection[int]):
        must = frozenset(needed)
        self.each = [(way, must.intersection(v for v, _ in way)) for way in ways]
        self.given = frozenset[int]().union(*(given for _, given in self.each))
        self.most = max((len(given) for _, given in self.each), default=0)


@lru_cache(maxsize=4096)
def _ways_of_few(
    counts: tuple[int, ...], often: tuple[tuple[int, ...], ...], needed: frozenset[int]
) -> _Ways | None:
    """The ways to distribute one operand, kept for the next problem; None where they are many."""
    found: list[_Way] = []
    for way in _all_ways(counts, often):
        if way is None:
            return None
        found.append(way)
    return _Ways(found, needed)


def _all_needed(ways: Sequence[_Ways], needed: frozenset[int]) -> Iterator[list[_Way] | None]:
    """One way for each operand, so that every variable that must not be empty takes something.

    None after many that do not.
    """
    # What the operands from some place on can still give, and to how many at once: a choice that
    # misses some, or too many, ends at once.
    reach: list[frozenset[int]] = [frozenset()]
    most = [0]
    for here in reversed(ways):
        reach.append(reach[-1] if here.given <= reach[-1] else reach[-1] | here.given)
        most.append(most[-1] + here.most)
    reach.reverse()
    most.reverse()
    failed = 0
    chosen: list[_Way] = []
    missing = [needed]
    open_ones = [iter(ways[0].each)] if ways else []
    if not ways and not needed:
        yield []
    while open_ones:
        way, given = next(open_ones[-1], (None, needed))
        if way is None:
            open_ones.pop()
            missing.pop()
            if chosen:
                chosen.pop()
            continue
        left = missing[-1]
        if left:
            left = left - given
            if len(left) > most[len(chosen) + 1] or not left <= reach[len(chosen) + 1]:
                failed += 1 + len(left) // _TOGETHER
                if failed >= FAILED:
                    failed = 0
                    yield None
                continue
        chosen.append(way)
        if len(chosen) == len(ways):
            yield chosen
            chosen.pop()
        else:
            missing.append(left)
            open_ones.append(iter(ways[len(chosen)].each))


def _all_ways(counts: tuple[int, ...], often: Sequence[tuple[int, ...]]) -> Iterator[_Way | None]:
    """The ways to share an operand, given how often each multiset has it, and takes each variable.

    None after many steps.
    """
    last = [
        max((v for v, times in enumerate(often) if times[r]), default=-1)
        for r in range(len(counts))
    ]
    if not any(counts):
        yield ()
        return
    steps = 0
    way: list[tuple[int, int]] = []
    open_ones = [_next_takers(0, counts, often, last)]
    while open_ones:
        steps += 1
        if steps % FAILED == 0:
            yield None
        v, number, left = next(open_ones[-1], (-1, 0, counts))
        if v < 0:
            open_ones.pop()
            if way:
                way.pop()
        elif any(left):
            way.append((v, number))
            open_ones.append(_next_takers(v + 1, left, often, last))
        else:
            yield (*way, (v, number))


def _next_takers(
    start: int, counts: tuple[int, ...], often: Sequence[tuple[int, ...]], last: Sequence[int]
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """The next variable that takes something, how many, and what is left then.

    It is none behind the last that can take from some multiset.
    """
    for v in range(start, min(last[r] for r, count in enumerate(counts) if count) + 1):
        left, number = counts, 0
        while True:
            left = tuple([count - times for count, times in zip(left, often[v], strict=True)])
            if min(left) < 0:
                break
            number += 1
            yield v, number, left
