"""Extreme solutions of a linear system in which no unknown may be negative."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import gcd

from kanrewrite.ac.integers import Sparse, Vector

Row = list[int]
#: How many entries of a table are looked at in the time of a step.
_ENTRIES = 16


def rays(matrix: Sequence[Sequence[int]], tick: Callable[[int], object] = int) -> list[Vector]:
    """Solutions of a homogeneous system, each unknown positive in one of them if it can be.

    Each is an extreme ray of the cone of solutions, and has no common divisor: it is no sum of
    others. The simplex algorithm goes through bases of the columns until it finds a solution with
    an unknown more, or sees that there is none (Bland's rule: it never returns to a basis).

    Parameters
    ----------
    matrix
        Its rows.
    tick
        Called for each basis; it may raise.

    References
    ----------
    R. Bland, "New finite pivoting rules for the simplex method", Math. of OR 2, 1977.
    E. Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian elimination",
    Math. of Computation 22, 1968.

    Examples
    --------
    >>> rays([(2, -1, -1, 0), (0, 0, 0, 1)])
    [(1, 2, 0, 0), (1, 0, 2, 0)]
    """
    size = len(matrix[0]) if matrix else 0
    table = _Table(matrix, size)
    found: list[Vector] = []
    held: set[int] = set()
    while True:
        tick(1 + len(table.rows) * size // _ENTRIES)
        holds = [*zip(table.basis, table.rows, strict=True)]
        news = [row for k, row in holds if k not in held]
        # How many more unknowns there are, and how much of them, when one grows from nothing.
        growing = (
            k
            for k in range(size)
            if (0 if k in held else table.one) > sum([row[k] for row in news])
        )
        entering = next(growing, None)
        if entering is None:
            return found
        blocking = [k for k, row in holds if row[entering] > 0]
        if blocking:
            table.enter(table.basis.index(min(blocking)), entering)
        else:
            ray = [0] * size
            ray[entering] = table.one
            for k, row in holds:
                ray[k] = -row[entering]
            divisor = gcd(*ray)
            found.append(tuple([n // divisor for n in ray]))
            held.update(k for k, n in enumerate(ray) if n)


def pairs(
    row: Sequence[int], preferred: Collection[int], tick: Callable[[int], object] = int
) -> list[Sparse]:
    """The same of one equation, in work linear in its length: each solution has two unknowns.

    Parameters
    ----------
    row
        The equation.
    preferred
        The positions of unknowns that others should stand beside. Where a side has none, each of
        the other side stands beside another.
    tick
        Called for each unknown; it may raise.

    Examples
    --------
    >>> pairs([2, -1, -1, 0], [0])
    [((0, 1), (1, 2)), ((0, 1), (2, 2)), ((3, 1),)]
    """
    sides = [k for k, n in enumerate(row) if n > 0], [k for k, n in enumerate(row) if n < 0]
    least = [
        min(filter(preferred.__contains__, s), key=lambda k: abs(row[k]), default=None)
        for s in sides
    ]
    beside = [side if k is None else [k] for k, side in zip(least, sides, strict=True)]
    found: dict[Sparse, None] = {}
    seen = [0, 0]
    for k, n in enumerate(row):
        tick(1)
        others = beside[n > 0]
        if not n:
            found[((k, 1),)] = None
        elif others:
            other = others[seen[n > 0] % len(others)]
            seen[n > 0] += 1
            divisor = gcd(n, row[other])
            two = (k, abs(row[other]) // divisor), (other, abs(n) // divisor)
            found[tuple(sorted(two))] = None
    return list(found)


class _Table:
    """Independent rows, each with a column in which it is one, and all others zero.

    All entries are multiplied by `one`, which makes them integers.
    """

    def __init__(self, matrix: Sequence[Sequence[int]], size: int):
        self.rows: list[Row] = [list(row) for row in matrix]
        self.basis: list[int] = []
        self.one = 1
        for k in range(size):
            done = len(self.basis)
            at = next((r for r in range(done, len(self.rows)) if self.rows[r][k]), None)
            if at is not None:
                self.rows[done], self.rows[at] = self.rows[at], self.rows[done]
                self.basis.append(k)
                self.enter(done, k)
        del self.rows[len(self.basis) :]

    def enter(self, at: int, column: int) -> None:
        """Make a column the one of a row."""
        self.basis[at] = column
        pivot = self.rows[at]
        if pivot[column] < 0:
            pivot = self.rows[at] = [-n for n in pivot]
        one, self.one = self.one, pivot[column]
        for r, row in enumerate(self.rows):
            if r != at:
                times = row[column]
                self.rows[r] = [
                    (n * self.one - times * m) // one for n, m in zip(row, pivot, strict=True)
                ]
