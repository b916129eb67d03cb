"""Linear equations over the natural numbers and over the integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kanrewrite.ac.integers import Vector, solutions
from kanrewrite.ac.lifting import least_vectors
from kanrewrite.ac.rays import rays


def basis(
    columns: Sequence[Vector],
    bounds: Sequence[int | None],
    allowed: Callable[[Vector], bool] = lambda _: True,
    tick: Callable[[], object] = int,
    needed: Iterable[int] = (),
) -> list[Vector]:
    """The minimal non-negative solutions of a homogeneous linear system, but for the zero one.

    Every solution is a sum of these.

    Parameters
    ----------
    columns
        The system's matrix, a column for each unknown.
    bounds
        The largest useful value of each unknown, None where there is none.
    allowed
        Whether a vector can be part of a useful solution; what is not allowed stays so when it
        grows.
    tick
        Called for each vector that is looked at; it may raise.
    needed
        Unknowns without which the solutions are of no use: where one is zero in all of them, none
        is looked for.

    Returns
    -------
    list of tuple of int

    Examples
    --------
    >>> basis([(2,), (-1,), (-1,)], [None] * 3)  # 2x = y + z
    [(1, 2, 0), (1, 1, 1), (1, 0, 2)]
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
        vector = [0] * len(columns)
        for at, k in alone:
            vector[k] = sums[at]
        return allowed(tuple(vector))

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
        return found
    return [one for sums in found for one in _spread(sums, groups, bounds, allowed, tick)]


def _total(bounds: Sequence[int | None]) -> int | None:
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None


def _spread(
    sums: Vector,
    groups: Sequence[Sequence[int]],
    bounds: Sequence[int | None],
    allowed: Callable[[Vector], bool],
    tick: Callable[[], object],
) -> list[Vector]:
    """The vectors whose components have certain sums in each group."""
    found = [(0,) * sum(map(len, groups))]
    for total, group in zip(sums, groups, strict=True):
        level = [(vector, 0) for vector in found]
        for _ in range(total):
            larger = []
            for vector, start in level:
                for n in range(start, len(group)):
                    tick()
                    k = group[n]
                    bound = bounds[k]
                    if bound is not None and vector[k] >= bound:
                        continue
                    one = (*vector[:k], vector[k] + 1, *vector[k + 1 :])
                    if allowed(one):
                        larger.append((one, n))
            level = larger
        found = [vector for vector, _ in level]
    return found


def covers(
    vectors: Sequence[Vector],
    size: int,
    exact: frozenset[int],
    optional: bool = False,
    tick: Callable[[], object] = int,
) -> Iterator[list[int]]:
    """The sets of vectors whose sum is positive everywhere, and one in some components.

    Parameters
    ----------
    vectors
        Candidates.
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
    >>> [sorted(chosen) for chosen in covers([(1, 0), (0, 1), (1, 1)], 2, frozenset())]
    [[0, 1, 2], [0, 1], [0, 2], [1, 2], [2]]
    """
    once = sum(1 << k for k in exact)
    masks = [sum(1 << k for k, a in enumerate(vector) if a) for vector in vectors]
    everything = once if optional else (1 << size) - 1
    # What later vectors can still reach: a branch that misses some component ends at once.
    reach = [0] * (len(vectors) + 1)
    for k in range(len(vectors) - 1, -1, -1):
        reach[k] = reach[k + 1] | masks[k]
    stack: list[tuple[int, int, list[int]]] = [(0, 0, [])]
    while stack:
        k, covered, chosen = stack.pop()
        while (covered | reach[k]) & everything == everything:
            tick()
            if k == len(vectors):
                yield chosen
                break
            if not covered & masks[k] & once:
                if masks[k] & once or not optional:
                    stack.append((k + 1, covered, list(chosen)))
                chosen.append(k)
                covered |= masks[k]
            k += 1
