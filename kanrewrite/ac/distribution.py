"""The values of variables that share several multisets between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kanrewrite.ac.bags import Args, by_serial

#: After how many choices that lead to nothing the reader is told.
_FAILED = 256


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
    often = tuple(times for _, times in rows)
    counts = [Counter(args) for args, _ in rows]
    elements = sorted(dict.fromkeys(arg for args, _ in rows for arg in args), key=by_serial)
    ways = [_ways(tuple(count[one] for count in counts), often) for one in elements]
    if not all(ways):
        return
    size = len(often[0])
    for chosen in _all_needed(ways, frozenset(needed)):
        if chosen is None:
            yield None
            continue
        yield tuple(
            tuple(
                one
                for one, numbers in zip(elements, chosen, strict=True)
                for _ in range(numbers[v])
            )
            for v in range(size)
        )


def _all_needed(
    ways: Sequence[Sequence[tuple[int, ...]]], needed: frozenset[int]
) -> Iterator[list[tuple[int, ...]] | None]:
    """One way for each operand, so that every variable that must not be empty takes something.

    None after many that do not.
    """
    # What the operands from some place on can still give, and to how many at once: a choice that
    # misses some, or too many, ends at once.
    reach: list[frozenset[int]] = [frozenset()]
    most = [0]
    for way in reversed(ways):
        given = [{v for v in needed if numbers[v]} for numbers in way]
        here = frozenset().union(*given)
        reach.append(reach[-1] if here <= reach[-1] else reach[-1] | here)
        most.append(most[-1] + max(map(len, given)))
    reach.reverse()
    most.reverse()
    failed = 0
    chosen: list[tuple[int, ...]] = []
    missing = [needed]
    open_ones = [iter(ways[0])] if ways else []
    if not ways and not needed:
        yield []
    while open_ones:
        numbers = next(open_ones[-1], None)
        if numbers is None:
            open_ones.pop()
            missing.pop()
            if chosen:
                chosen.pop()
            continue
        left = missing[-1]
        if left:
            left = left - {v for v in left if numbers[v]}
            if len(left) > most[len(chosen) + 1] or not left <= reach[len(chosen) + 1]:
                failed += 1
                if failed % _FAILED == 0:
                    yield None
                continue
        chosen.append(numbers)
        if len(chosen) == len(ways):
            yield chosen
            chosen.pop()
        else:
            missing.append(left)
            open_ones.append(iter(ways[len(chosen)]))


@lru_cache(maxsize=4096)
def _ways(
    counts: tuple[int, ...], often: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    """How many of one operand each variable may take, given how many each multiset has."""
    if not often[0]:
        return ((),) if not any(counts) else ()
    first = tuple(times[0] for times in often)
    rest = tuple(times[1:] for times in often)
    found: list[tuple[int, ...]] = []
    taken = 0
    while all(count >= taken * times for count, times in zip(counts, first, strict=True)):
        left = tuple(c - taken * times for c, times in zip(counts, first, strict=True))
        found.extend((taken, *others) for others in _ways(left, rest))
        taken += 1
    return tuple(found)
