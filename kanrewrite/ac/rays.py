"""Which unknowns of a linear system can be positive, where none may be negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Row = list[int]


def positive(matrix: Sequence[Sequence[int]], tick: Callable[[], object] = int) -> frozenset[int]:
    """The unknowns that are positive in some non-negative solution of a homogeneous system.

    Solutions can be added: some solution is positive in all of them. The simplex algorithm goes
    through bases of the columns until it finds a solution with an unknown more, or sees that there
    is none (Bland's rule: it never returns to a basis).

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
    >>> sorted(positive([(1, -1, 0), (0, 0, 1)]))
    [0, 1]
    """
    size = len(matrix[0]) if matrix else 0
    table = _Table(matrix, size)
    found: set[int] = set()
    while True:
        tick()
        news = [row for row, held in zip(table.rows, table.basis, strict=True) if held not in found]
        # How many more unknowns there are, and how much of them, when one grows from nothing.
        growing = (
            k
            for k in range(size)
            if (0 if k in found else table.one) > sum([row[k] for row in news])
        )
        entering = next(growing, None)
        if entering is None:
            return frozenset(found)
        holds = [*zip(table.basis, table.rows, strict=True)]
        blocking = [held for held, row in holds if row[entering] > 0]
        if blocking:
            table.enter(table.basis.index(min(blocking)), entering)
        else:
            found.add(entering)
            found.update(held for held, row in holds if row[entering] < 0)


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
