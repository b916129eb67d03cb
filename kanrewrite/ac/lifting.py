"""The least non-negative vectors of a lattice, one coordinate after the other.

What is known of a lattice are some coordinates of its vectors, and vectors of which those that are
non-negative there are sums. One more coordinate is put back by adding vectors in which it has
different signs, until each such sum is one of vectors in which it has the same; then those in which
it is negative are left out.

References
----------
L. Pottier, "Minimal solutions of linear diophantine systems: bounds and algorithms", RTA 1991.
R. Hemmecke, "On the computation of Hilbert bases of cones", Mathematical Software, 2002.
W. Bruns, B. Ichim, "Normaliz: algorithms for affine monoids and rational cones", J. Algebra 324,
2010 (which sums are needed).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from operator import add

from kanrewrite.ac.integers import Vector, echelon

#: A vector to look at: the sum of what is known of it, the size of the new coordinate, the vector,
#: and the largest size of those of the other sign that have to be added to it, if that is limited.
_Open = tuple[int, int, Vector, int | None]
#: How many comparisons with those that are kept are as long as the rest of a look at a vector.
_COMPARED = 16
#: One that is kept: its size, a bit for each known coordinate that it has, the vector, the limit.
_Kept = tuple[int, int, Vector, int | None]


def least_vectors(
    lattice: Sequence[Sequence[int]],
    allowed: Callable[[Vector], bool],
    tick: Callable[[int], object] = int,
) -> list[Vector]:
    """The non-negative vectors of a lattice that are no sums of others.

    Parameters
    ----------
    lattice
        Vectors that span it.
    allowed
        Whether a vector can be part of what is wanted; what is not allowed stays so when it grows.
        It is asked about vectors of which not all coordinates are known, the others being zero.
    tick
        Called with the work for each vector that is looked at; it may raise.

    Examples
    --------
    >>> least_vectors([(1, 2, 0), (0, 1, -1)], lambda vector: True)
    [(1, 2, 0), (1, 1, 1), (1, 0, 2)]
    """
    found: list[Vector] = []
    known: list[int] = []
    for at, pivot in echelon(lattice):
        # What is known so far does not tell a vector from its sums with the pivot's: of these one
        # is looked at that holds no pivot.
        found = [_less(vector, vector[at] // pivot[at], pivot) for vector in found]
        found += [_less(pivot, 0, pivot), _less(pivot, 2, pivot)]
        found = _Lift(found, known, at, allowed, tick).vectors()
        known.append(at)
    left = set(range(len(found[0]) if found else 0)).difference(known)
    while left:
        at = min(left, key=lambda k: (_pairs(found, k), k))
        found = _Lift(found, known, at, allowed, tick).vectors()
        known.append(at)
        left.remove(at)
    return found


def _less(vector: Sequence[int], times: int, other: Sequence[int]) -> Vector:
    return tuple([n - times * m for n, m in zip(vector, other, strict=True)])


def _pairs(vectors: Iterable[Vector], at: int) -> int:
    """How many pairs of vectors have different signs in a coordinate."""
    column = [vector[at] for vector in vectors]
    return sum(n > 0 for n in column) * sum(n < 0 for n in column)


class _Lift:
    """Putting back of one coordinate."""

    def __init__(
        self,
        vectors: Iterable[Vector],
        known: Sequence[int],
        at: int,
        allowed: Callable[[Vector], bool],
        tick: Callable[[int], object],
    ):
        self._known = known
        self._at = at
        self._allowed = allowed
        self._tick = tick
        start = set(vectors)
        self._zero: list[_Kept] = []
        self._signed: tuple[list[_Kept], list[_Kept]] = ([], [])
        self._open: list[_Open] = [
            (self._sum(vector), abs(vector[at]), vector, None) for vector in start
        ]
        heapify(self._open)
        self._seen = {*start, *((0,) * len(vector) for vector in start)}

    def vectors(self) -> list[Vector]:
        """The vectors of which those are sums that are not negative in the coordinate either."""
        while self._open:
            self._look(*heappop(self._open))
        inside = {*self._known, self._at}
        kept = [vector for _, _, vector, _ in (*self._zero, *self._signed[0])]
        return [one for one in kept if self._allowed(_within(one, inside))]

    def _look(self, total: int, size: int, vector: Vector, limit: int | None) -> None:
        """Keep a vector that is no sum of others, with those that it makes more of."""
        mask = sum(1 << k for k, at in enumerate(self._known) if vector[at])
        negative = vector[self._at] < 0
        mine, others = self._signed[negative], self._signed[not negative]
        self._tick(1 + (len(self._zero) + len(mine)) // _COMPARED)
        if self._holds_another(self._zero, size, mask, vector) or (
            size and self._holds_another(mine, size, mask, vector)
        ):
            return
        if not size:
            self._zero.append((size, mask, vector, limit))
            return
        insort(mine, (size, mask, vector, limit))
        for other_size, _, other, other_limit in others:
            if limit is not None and other_size > limit:
                break
            if other_limit is None or size <= other_limit:
                self._add(total, vector, size, other, other_size)

    def _holds_another(self, kept: list[_Kept], size: int, mask: int, vector: Vector) -> bool:
        for small, bits, other, _ in kept:
            if small > size:
                return False
            if not bits & ~mask and all(other[k] <= vector[k] for k in self._known):
                return True
        return False

    def _add(self, total: int, vector: Vector, size: int, other: Vector, other_size: int) -> None:
        """Note the sum of two vectors with different signs.

        If it is x + y with the sign of x, and z has the sign of y, then x + z and y will do in the
        place of x + y and z where z is larger than y: their coordinates are smaller together. That
        x + z is known already is sure where what is known of y is not nothing.
        """
        one = tuple(map(add, vector, other))
        if one in self._seen:
            return
        self._seen.add(one)
        if self._allowed(_within(one, self._known)):
            with_other = self._sum(other)
            lost = min(size, other_size) if total and with_other else None
            heappush(self._open, (total + with_other, abs(size - other_size), one, lost))

    def _sum(self, vector: Vector) -> int:
        return sum([vector[k] for k in self._known])


def _within(vector: Vector, known: Iterable[int]) -> Vector:
    """A vector with zeros where it is not known."""
    inside = set(known)
    return tuple([n if k in inside else 0 for k, n in enumerate(vector)])
