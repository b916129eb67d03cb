"""Systems of many equations: least solutions of linear systems, and first unifiers at once."""

import random
from itertools import islice, product
from math import inf
from typing import Any

import pytest
from unification import var

from kanrewrite.ac import term, unify
from kanrewrite.ac.diophantine import basis
from kanrewrite.ac.integers import Vector
from kanrewrite.ac.rays import positive
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.test_sizes import lines_run

SUMS = Theory("sums").ac("add").ac("addu", unit="0")


def solves(columns: list[Vector], vector: Vector) -> bool:
    rows = zip(*columns, strict=True)
    return all(sum(a * n for a, n in zip(row, vector, strict=True)) == 0 for row in rows)


@pytest.mark.parametrize("seed", range(40))
def test_least_solutions_are_those_of_brute_force(seed: int) -> None:
    chosen = random.Random(seed)
    size, equations = chosen.choice([3, 4, 5]), chosen.choice([1, 1, 2, 3])
    columns = [tuple(chosen.randint(-3, 3) for _ in range(equations)) for _ in range(size)]
    bounds = [chosen.choice([None, None, 1]) for _ in columns]
    got = basis(columns, bounds)
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
    assert found <= positive([*zip(*columns, strict=True)])


def test_what_must_be_zero_is_known_from_all_equations_together() -> None:
    # Their sum says that nothing but zeros is left of the first two unknowns.
    assert positive([(1, 2, -1, 0), (1, 0, 1, 0)]) == {3}
    assert basis([(1, 1), (2, 0), (-1, 1), (0, 0)], [None] * 4) == [(0, 0, 0, 1)]
    assert basis([(1, 1), (2, 0), (-1, 1), (0, 0)], [None] * 4, needed=[0]) == []


@pytest.mark.parametrize("op", ["add", "addu"])
@pytest.mark.parametrize("seed", range(12))
def test_ten_equations_of_twelve_variables_are_solved_at_once(seed: int, op: str) -> None:
    chosen = random.Random(seed)
    names = [var(f"x{k}") for k in range(12)]
    values = {
        v: (op, *["a"] * chosen.choice([1, 1, 2, 3]), "0" if op == "addu" else "a") for v in names
    }
    equations: list[tuple[Any, Any]] = []
    while len(equations) < 10:
        left, right = ((op, *chosen.choices(names, k=chosen.choice([2, 3, 4]))) for _ in range(2))
        if term(replaced(left, values), SUMS) is term(replaced(right, values), SUMS):
            equations.append((left, right))
    assert lines_run(lambda: next(unify(equations, SUMS))) < 400_000
    for one in islice(unify(equations, SUMS), 3):
        for left, right in equations:
            assert term(replaced(left, one), SUMS) is term(replaced(right, one), SUMS)
