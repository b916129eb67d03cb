"""Systems of many equations: least solutions of linear systems, and first unifiers at once."""

import random
from collections import deque
from itertools import islice, permutations, product
from math import inf
from typing import Any

import pytest
from unification import var

from kanrewrite.ac import budget, match, term, unify
from kanrewrite.ac.diophantine import basis
from kanrewrite.ac.integers import Sparse, Vector
from kanrewrite.ac.rays import pairs, rays
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced, variables
from tests.ac.test_sizes import lines_run
from tests.sparing import sparing

SUMS = Theory("sums").ac("add").ac("addu", unit="0")


def solves(columns: list[Vector], vector: Vector) -> bool:
    rows = zip(*columns, strict=True)
    return all(sum(a * n for a, n in zip(row, vector, strict=True)) == 0 for row in rows)


def whole(vectors: list[Sparse], size: int) -> list[Vector]:
    """Vectors with the components that are zero."""
    return [tuple(dict(vector).get(k, 0) for k in range(size)) for vector in vectors]


def _support(vectors: list[Vector]) -> set[int]:
    return {k for vector in vectors for k, n in enumerate(vector) if n}


@pytest.mark.parametrize("seed", range(40))
def test_least_solutions_are_those_of_brute_force(seed: int) -> None:
    chosen = random.Random(seed)
    size, equations = chosen.choice([3, 4, 5]), chosen.choice([1, 1, 2, 3])
    columns = [tuple(chosen.randint(-3, 3) for _ in range(equations)) for _ in range(size)]
    bounds = [chosen.choice([None, None, 1]) for _ in columns]
    got = whole(basis(columns, bounds), size)
    assert len(set(got)) == len(got)
    small = [v for v in product(range(5), repeat=size) if any(v) and solves(columns, v)]
    within = [v for v in small if all(n <= (b or inf) for n, b in zip(v, bounds, strict=True))]
    least = {
        v
        for v in within
        if not any(w != v and all(a <= b for a, b in zip(w, v, strict=True)) for w in small)
    }
    assert {v for v in got if max(v) < 5} == least
    assert all(solves(columns, v) for v in got)
    found = {k for v in small for k, n in enumerate(v) if n}
    extreme = rays([*zip(*columns, strict=True)])
    assert found <= _support(extreme)
    if equations == 1:
        (row,) = zip(*columns, strict=True)
        two = pairs(row, chosen.sample(range(size), 2))
        assert {k for vector in two for k, _ in vector} == found
        assert set(two) <= set(basis(columns, [None] * size))
    # None of them is a sum of others.
    assert set(extreme) <= set(whole(basis(columns, [None] * size), size))


def test_what_must_be_zero_is_known_from_all_equations_together() -> None:
    # Their sum says that nothing but zeros is left of the first two unknowns.
    assert rays([(1, 2, -1, 0), (1, 0, 1, 0)]) == [(0, 0, 0, 1)]
    assert basis([(1, 1), (2, 0), (-1, 1), (0, 0)], [None] * 4) == [((3, 1),)]
    assert basis([(1, 1), (2, 0), (-1, 1), (0, 0)], [None] * 4, needed=[0]) == []


def soluble(seed: int, op: str, count: int, size: int) -> list[tuple[Any, Any]]:
    """Random equations that have a solution."""
    chosen = random.Random(seed)
    names = [var(f"x{k}") for k in range(size)]
    values = {
        v: (op, *["a"] * chosen.choice([1, 1, 2, 3]), "0" if op == "addu" else "a") for v in names
    }
    equations: list[tuple[Any, Any]] = []
    while len(equations) < count:
        left, right = ((op, *chosen.choices(names, k=chosen.choice([2, 3, 4]))) for _ in range(2))
        if term(replaced(left, values), SUMS) is term(replaced(right, values), SUMS):
            equations.append((left, right))
    return equations


def solve(equations: list[tuple[Any, Any]], unifier: dict[Any, Any]) -> bool:
    return all(
        term(replaced(left, unifier), SUMS) is term(replaced(right, unifier), SUMS)
        for left, right in equations
    )


@pytest.mark.spared
@pytest.mark.parametrize("op", ["add", "addu"])
@pytest.mark.parametrize("seed", sparing(range(12), 4))
def test_ten_equations_of_twelve_variables_are_solved_at_once(seed: int, op: str) -> None:
    equations = soluble(seed, op, 10, 12)
    assert lines_run(lambda: next(unify(equations, SUMS))) < 400_000
    assert all(solve(equations, one) for one in islice(unify(equations, SUMS), 3))


@pytest.mark.spared
@pytest.mark.parametrize("seed", sparing(range(16), 4))
def test_eight_equations_of_twenty_variables_are_solved_before_all_is_known(seed: int) -> None:
    equations = soluble(seed, "add", 8, 20)
    found: list[Any] = []
    assert lines_run(lambda: found.append(next(unify(equations, SUMS)))) < 100_000
    assert solve(equations, found[0])


@pytest.mark.parametrize("op", ["add", "addu"])
def test_what_is_too_much_to_know_is_said_after_some_answers(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST", 12_000)
    equations = soluble(7, op, 8, 20)
    found: list[Any] = []
    with pytest.raises(Incomplete, match=r"[1-9][0-9]* were found"):
        deque(map(found.append, islice(unify(equations, SUMS), 1_000)))
    assert found
    assert all(solve(equations, one) for one in found)


def test_nothing_may_be_all_that_is_left() -> None:
    x, y = var("x"), var("y")
    assert list(unify([(("addu", x, x, y), y)], SUMS)) == [{x: "0"}]


def test_extreme_solutions_come_first_and_once() -> None:
    x, y, z, u = map(var, "xyzu")
    equations = [(("add", x, x, y), ("add", z, u)), (("add", x, z), ("add", y, y, u))]
    every = list(unify(equations, SUMS))
    patterns = [("t", *(replaced(v, one) for v in (x, y, z, u))) for one in every]
    for general, special in permutations(patterns, 2):
        ground = replaced(special, {v: ("constant", str(v)) for v in variables(special)})
        assert next(match(general, ground, SUMS), None) is None
