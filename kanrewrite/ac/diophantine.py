"""Linear equations over the natural numbers and over the integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kanrewrite.ac.integers import Sparse, Vector, solutions, sparse
from kanrewrite.ac.lifting import least_vectors
from kanrewrite.ac.rays import rays


def basis(
    columns: Sequence[Vector],
    bounds: Sequence[int | None],
    allowed: Callable[[Mapping[int, int]], bool] = lambda _: True,
    tick: Callable[[int], object] = int,
    needed: Iterable[int] = (),
) -> list[Sparse]:
    """The minimal non-negative solutions of a homogeneous linear system, but for the zero one.

    Every solution is a sum of these.

    Parameters
    ----------
    columns
        The system's matrix, a column for each unknown.
    bounds
        The largest useful value of each unknown, None where there is none.
    allowed
        Whether a vector, given by its components that are not zero, can be part of a useful
        solution; what is not allowed stays so when it grows.
    tick
        Called for each vector that is looked at; it may raise.
    needed
        Unknowns without which the solutions are of no use: where one is zero in all of them, none
        is looked for.

    Returns
    -------
    list of tuple
        Of each vector the components that are not zero, with their positions.

    Examples
    --------
    >>> basis([(2,), (-1,), (-1,)], [None] * 3)  # 2x = y + z
    [((0, 1), (1, 2)), ((0, 1), (1, 1), (2, 1)), ((0, 1), (2, 2))]
    """
    # Unknowns with equal columns are one, of which each solution is spread over them afterwards.
    alike: dict[Vector, list[int]] = {}
    for k, column in enumerate(columns):
        alike.setdefault(column, []).append(k)
    groups = list(alike.values())
    alone = [(at, group[0]) for at, group in enumerate(groups) if len(group) == 1]

    def may_be(sums: Vector) -> bool:
        if any(limit is not None and n > limit for n, limit in zip(sums, limits, strict=True)):
            return False
        return allowed({k: sums[at] for at, k in alone if sums[at]})

    limits = [_total([bounds[k] for k in group]) for group in groups]
    matrix = list(zip(*alike, strict=True))
    # What is zero in all solutions is known before any is: one equation does not hide it.
    zero = set(range(len(groups))) if len(matrix) > 1 else set()
    if zero:
        zero.difference_update(*([k for k, n in enumerate(ray) if n] for ray in rays(matrix, tick)))
    if not {k for at in zero for k in groups[at]}.isdisjoint(needed):
        return []
    solved = solutions(matrix, [0] * len(matrix), zero)
    assert solved is not None
    found = least_vectors(solved[1], may_be, tick)
    if len(groups) == len(columns):
        return list(map(sparse, found))
    return [one for sums in found for one in _spread(sums, groups, bounds, allowed, tick)]


def _total(bounds: Sequence[int | None]) -> int | None:
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None


def _spread(
    sums: Vector,
    groups: Sequence[Sequence[int]],
    bounds: Sequence[int | None],
    allowed: Callable[[Mapping[int, int]], bool],
    tick: Callable[[int], object],
) -> list[Sparse]:
    """The vectors whose components have certain sums in each group."""
    found: list[dict[int, int]] = [{}]
    for total, group in zip(sums, groups, strict=True):
        level = [(vector, 0) for vector in found]
        for _ in range(total):
            larger = []
            for vector, start in level:
                for n in range(start, len(group)):
                    tick(1)
                    k = group[n]
                    bound, times = bounds[k], vector.get(k, 0)
                    if bound is not None and times >= bound:
                        continue
                    one = {**vector, k: times + 1}
                    if allowed(one):
                        larger.append((one, n))
            level = larger
        found = [vector for vector, _ in level]
    return [tuple(sorted(vector.items())) for vector in found]


def covers(
    vectors: Sequence[Sparse],
    size: int,
    exact: frozenset[int],
    optional: bool = False,
    tick: Callable[[int], object] = int,
) -> Iterator[list[int]]:
    """The sets of vectors whose sum is positive everywhere, and one in some components.

    Parameters
    ----------
    vectors
        Candidates, their components that are not zero.
    size
        How many components a vector has.
    exact
        Components whose sum must be exactly one.
    optional
        Whether the other components may be zero; then each set holds every vector that is zero in
        all of `exact`, since leaving one out makes a special case of another set.
    tick
        Called for each choice of a vector; it may raise.

    Yields
    ------
    list of int
        The positions of the chosen vectors, lazily, no set twice.

    Examples
    --------
    >>> vectors = [((0, 1),), ((1, 1),), ((0, 1), (1, 1))]
    >>> [sorted(chosen) for chosen in covers(vectors, 2, frozenset())]
    [[0, 1, 2], [0, 1], [0, 2], [1, 2], [2]]
    """
    needed = exact if optional else frozenset(range(size))
    if not needed.issubset(n for vector in vectors for n, _ in vector):
        return
    lost = _lost(vectors, needed)
    once = [[n for n, _ in vector if n in exact] for vector in vectors]
    often = [0] * size
    taken: list[bool] = []
    while True:
        tick(1)
        k = len(taken)
        if k == len(vectors):
            yield [n for n, is_taken in enumerate(taken) if is_taken]
        elif not any(often[n] for n in once[k]):
            taken.append(True)
            for n, _ in vectors[k]:
                often[n] += 1
            continue
        elif all(often[n] for n in lost[k]):
            taken.append(False)
            continue
        # Back to the last that is taken and may be left out.
        while taken:
            was_taken = taken.pop()
            k = len(taken)
            for n, _ in vectors[k] if was_taken else ():
                often[n] -= 1
            if was_taken and (once[k] or not optional) and all(often[n] for n in lost[k]):
                taken.append(False)
                break
        else:
            return


def _lost(vectors: Sequence[Sparse], needed: frozenset[int]) -> list[list[int]]:
    """The components that each vector is the last to have: without it they have to be covered."""
    last = {n: k for k, vector in enumerate(vectors) for n, _ in vector}
    return [
        [n for n, _ in vector if last[n] == k and n in needed] for k, vector in enumerate(vectors)
    ]
