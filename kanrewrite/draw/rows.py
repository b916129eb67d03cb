"""Which row a box stands in, and in which order: layered drawing of a width that is given.

Rows are filled from the outputs up until one is as wide as it may be, after Coffman and Graham.
What a row cannot hold is first in the next one, since its lines take room while it waits, and of
what is ready at once the longest chains come first.  Lines across rows run in lanes, one for each
box they come from.  Within rows, boxes are ordered by the mean place of their
neighbours, as often as that lessens crossings.

References
----------
E. G. Coffman, R. L. Graham, "Optimal scheduling for two-processor systems", Acta Informatica 1
(1972); K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system
structures", IEEE Trans. SMC 11 (1981).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

#: Between two boxes of a row, and for a line that crosses a row.
COLUMN, LANE = 18.0, 14.0
_SWEEPS = 12

Pair = tuple[int, int]


class Spot(NamedTuple):
    """A place in a row: a box, or the lane of a box in a row below it.

    Attributes
    ----------
    key : int
        The box.
    row : int
        Counted from the outputs.
    """

    key: int
    row: int


def rows_of(widths: Mapping[int, float], pairs: Iterable[Pair], widest: float) -> dict[int, int]:
    """The row of each box, 0 for those that nothing reads.

    Parameters
    ----------
    widths : Mapping
        How wide each box is.
    pairs : iterable of (int, int)
        Lines from a box to one that reads it; no cycle.
    widest : float
        How wide a row may be; a single box may be wider.

    Returns
    -------
    dict of int to int
    """
    read, readers = defaultdict(set), defaultdict(set)
    for source, target in pairs:
        read[target].add(source)
        readers[source].add(target)
    chain = _chains(widths, read, readers)
    waiting = {key: len(readers[key]) for key in widths}
    ready = [(0, -chain[key], key) for key in widths if not waiting[key]]
    heapify(ready)
    row: dict[int, int] = {}
    #: Read in a row below and not placed yet: each has a lane through the row that is filled.
    crossing: set[int] = set()
    level = 0
    while ready:
        chosen = _fill(ready, widths, widest, crossing)
        row.update(dict.fromkeys(chosen, level))
        crossing.difference_update(chosen)
        for key in chosen:
            crossing |= read[key]
            for source in read[key]:
                waiting[source] -= 1
                if not waiting[source]:
                    heappush(ready, (level + 1, -chain[source], source))
        level += 1
    return row


def _fill(
    ready: list[tuple[int, int, int]],
    widths: Mapping[int, float],
    widest: float,
    crossing: set[int],
) -> list[int]:
    """Take from what is ready as many boxes as fit into a row beside the lanes of the others."""
    chosen: list[int] = []
    room = widest - LANE * len(crossing)
    while ready:
        key = ready[0][-1]
        room -= widths[key] + COLUMN - (LANE if key in crossing else 0)
        if chosen and room < 0:
            break
        heappop(ready)
        chosen.append(key)
    return chosen


def _chains(
    widths: Mapping[int, float], read: Mapping[int, set[int]], readers: Mapping[int, set[int]]
) -> dict[int, int]:
    """How long the longest chain is that ends at each box."""
    chain = dict.fromkeys(widths, 0)
    missing = {key: len(read[key]) for key in widths}
    todo = [key for key in widths if not missing[key]]
    for key in todo:
        for target in readers[key]:
            chain[target] = max(chain[target], chain[key] + 1)
            missing[target] -= 1
            if not missing[target]:
                todo.append(target)
    return chain


class Grid:
    """Boxes and lanes in rows, in order.

    Parameters
    ----------
    row : Mapping
        The row of each box.
    pairs : sequence of (int, int)
        Lines from a box to one that reads it.

    Attributes
    ----------
    rows : list of list of Spot
        From the outputs up.
    below, above : dict of Spot to list of Spot
        What a place is joined to in the next row down and up.
    """

    def __init__(self, row: Mapping[int, int], pairs: Sequence[Pair]):
        self.rows: list[list[Spot]] = [[] for _ in range(1 + max(row.values(), default=-1))]
        self.below: defaultdict[Spot, list[Spot]] = defaultdict(list)
        self.above: defaultdict[Spot, list[Spot]] = defaultdict(list)
        self._row = row
        lowest = dict(row)
        for source, target in pairs:
            lowest[source] = min(lowest[source], row[target] + 1)
        for key in self._walk(pairs):
            for level in range(lowest[key], row[key] + 1):
                self.rows[level].append(Spot(key, level))
                if level < row[key]:
                    self._join(Spot(key, level + 1), Spot(key, level))
        for source, target in dict.fromkeys(pairs):
            self._join(Spot(source, row[target] + 1), Spot(target, row[target]))
        self._sort()

    def _join(self, upper: Spot, lower: Spot) -> None:
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def _walk(self, pairs: Sequence[Pair]) -> list[int]:
        """Every box, depth first from the outputs: neighbours stand near each other."""
        read = defaultdict(list)
        for source, target in pairs:
            read[target].append(source)
        todo = sorted(self._row, key=lambda key: -self._row[key])
        seen: dict[int, None] = {}
        while todo:
            key = todo.pop()
            if key not in seen:
                seen[key] = None
                todo += reversed(read[key])
        return list(seen)

    def is_lane(self, spot: Spot) -> bool:
        """Whether a place is a line's and not a box's."""
        return spot.row != self._row[spot.key]

    def route(self, source: int, target: int) -> list[Spot]:
        """The lanes that a line runs through on its way down."""
        return [
            Spot(source, level) for level in range(self._row[source] - 1, self._row[target], -1)
        ]

    def _sort(self) -> None:
        best = [list(row) for row in self.rows]
        least = self._crossings()
        for sweep in range(_SWEEPS):
            if not least:
                break
            downwards = sweep % 2
            order = range(len(self.rows) - 2, -1, -1) if downwards else range(1, len(self.rows))
            for level in order:
                self._sort_row(level, self.above if downwards else self.below, downwards * 2 - 1)
            count = self._crossings()
            if count < least:
                least, best = count, [list(row) for row in self.rows]
        self.rows = best

    def _sort_row(self, level: int, joined: Mapping[Spot, list[Spot]], step: int) -> None:
        place = {spot: n for n, spot in enumerate(self.rows[level + step])}
        mean = {
            spot: sum(place[x] for x in joined[spot]) / len(joined[spot])
            if joined.get(spot)
            else float(n)
            for n, spot in enumerate(self.rows[level])
        }
        self.rows[level].sort(key=lambda spot: mean[spot])

    def _crossings(self) -> int:
        count = 0
        for lower, upper in pairwise(self.rows):
            place = {spot: n for n, spot in enumerate(lower)}
            seen: list[int] = []
            for spot in upper:
                ends = sorted(place[x] for x in self.below.get(spot, ()))
                count += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
                for end in ends:
                    insort(seen, end)
        return count
