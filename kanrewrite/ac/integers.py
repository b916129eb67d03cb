"""Systems of linear equations over the integers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Vector = tuple[int, ...]
#: A vector as its components that are not zero, with their positions, in order.
Sparse = tuple[tuple[int, int], ...]
Column = tuple[list[int], list[int]]


def sparse(vector: Sequence[int]) -> Sparse:
    """The components of a vector that are not zero.

    Parameters
    ----------
    vector
        All its components.

    Examples
    --------
    >>> sparse([0, 3, 0, 1])
    ((1, 3), (3, 1))
    """
    return tuple([(k, n) for k, n in enumerate(vector) if n])


def solutions(
    matrix: Sequence[Sequence[int]], right: Sequence[int], zero: Collection[int] = ()
) -> tuple[list[int], list[list[int]]] | None:
    """The solutions of a linear system in integers.

    Parameters
    ----------
    matrix
        Its rows.
    right
        What each row gives.
    zero
        The positions of unknowns that are zero.

    Returns
    -------
    tuple or None
        One solution, and a basis of the solutions of the homogeneous system; None if there is none.

    References
    ----------
    D. Knuth, The Art of Computer Programming 2, section 4.5.2; the columns are brought to Hermite's
    normal form.

    Examples
    --------
    >>> (x, y), _ = solutions([[2, 3]], [1])
    >>> 2 * x + 3 * y
    1
    >>> solutions([[2, 4]], [1]) is None
    True
    """
    size = len(matrix[0]) if matrix else 0
    open_ones: list[Column] = [
        ([row[k] for row in matrix], [int(j == k) for j in range(size)])
        for k in range(size)
        if k not in zero
    ]
    left, found = list(right), [0] * size
    for r in range(len(matrix)):
        pivot = _pivot(open_ones, r)
        if pivot is None:
            if left[r]:
                return None
            continue
        times, remainder = divmod(left[r], pivot[0][r])
        if remainder:
            return None
        left = [a - times * b for a, b in zip(left, pivot[0], strict=True)]
        found = [a + times * b for a, b in zip(found, pivot[1], strict=True)]
    every = [combination for _, combination in open_ones]
    _shorten(every, every)
    _shorten([found], every)
    return found, every


def _shorten(vectors: Sequence[list[int]], by: Sequence[list[int]]) -> None:
    """Make vectors shorter by multiples of others, as long as one does it.

    Hermite's normal form has large entries, each of which is so many operands of a product.
    """
    lengths = {id(other): sum(n * n for n in other) for other in by}
    shorter = True
    while shorter:
        shorter = False
        for vector in vectors:
            for other in by:
                length = lengths[id(other)]
                if other is vector or not length:
                    continue
                inner = sum(a * b for a, b in zip(vector, other, strict=True))
                times = (2 * inner + length) // (2 * length)
                if times and 2 * abs(inner) > length:
                    vector[:] = [a - times * b for a, b in zip(vector, other, strict=True)]
                    lengths[id(vector)] = sum(n * n for n in vector)
                    shorter = True


def echelon(lattice: Sequence[Sequence[int]]) -> list[tuple[int, list[int]]]:
    """A basis of a lattice in which each vector has a coordinate that later ones have not.

    Parameters
    ----------
    lattice
        Vectors that span it.

    Returns
    -------
    list of tuple
        Such a coordinate, and the vector, which is positive there; those before it are not
        negative there, and less.

    Examples
    --------
    >>> echelon([(4, 1), (6, 1)])
    [(0, [2, 0]), (1, [0, 1])]
    """
    left: list[Column] = [(list(vector), []) for vector in lattice]
    found: list[tuple[int, list[int]]] = []
    for k in range(len(lattice[0]) if lattice else 0):
        pivot = _pivot(left, k)
        if pivot is None:
            continue
        vector = pivot[0] if pivot[0][k] > 0 else [-n for n in pivot[0]]
        for _, other in found:
            times = other[k] // vector[k]
            other[:] = [a - times * b for a, b in zip(other, vector, strict=True)]
        found.append((k, vector))
    return found


def _pivot(columns: list[Column], row: int) -> Column | None:
    """Take out the one column that is not zero in a row, when the others have been made so."""
    while True:
        present = [column for column in columns if column[0][row]]
        if len(present) < 2:
            break
        least = min(present, key=lambda column: abs(column[0][row]))
        for column in present:
            if column is not least:
                times = column[0][row] // least[0][row]
                for mine, theirs in zip(column, least, strict=True):
                    mine[:] = [a - times * b for a, b in zip(mine, theirs, strict=True)]
    if not present:
        return None
    columns[:] = [column for column in columns if column is not present[0]]
    return present[0]
