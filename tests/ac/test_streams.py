"""Streams of unifiers: the first comes soon, later ones cost no more, nothing piles up."""

import tracemalloc
from collections import deque
from itertools import islice
from time import thread_time
from typing import Any

import pytest
from unification import Var, var

from kanrewrite.ac import term, unify
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.problems import key
from tests.ac.test_sizes import lines_run

SUMS = Theory("sums").ac("add").ac("mul")
TWO = [
    SUMS,
    Theory("units").ac("add", unit="0").ac("mul", unit="1"),
    Theory("one unit").ac("add", unit="0").ac("mul"),
]


def names(prefix: str, count: int) -> list[Var]:
    return [var(f"{prefix}{k}") for k in range(count)]


def with_operand(count: int) -> tuple[Any, Any]:
    xs, ys = names("x", count), names("y", count)
    return ("add", ("f", xs[0]), *xs[1:]), ("add", ("f", ys[0]), *ys[1:])


def twice(count: int) -> list[tuple[Any, Any]]:
    xs, ys = names("x", count), names("y", count)
    return [(("add", *xs), ("add", *ys)), (("mul", *xs), ("mul", *ys))]


def test_a_large_set_begins_before_it_is_searched() -> None:
    left, right = with_operand(5)
    lines = lines_run(lambda: next(unify([(left, right)], SUMS)))
    assert lines < 600_000
    some = list(islice(unify([(left, right)], SUMS), 400))
    for unifier in some:
        assert term(replaced(left, unifier), SUMS) is term(replaced(right, unifier), SUMS)
    variables = [*names("x", 5), *names("y", 5)]
    assert len({key(unifier, variables) for unifier in some[:60]}) == 60


def test_a_set_that_is_not_large_is_minimal() -> None:
    assert len(list(unify([with_operand(3)], SUMS))) == 47


def test_memory_stays_flat() -> None:
    stream = unify([with_operand(5)], SUMS)
    tracemalloc.start()
    for _ in islice(stream, 900):
        pass
    before = tracemalloc.get_traced_memory()[0]
    for _ in islice(stream, 900):
        pass
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 1_000_000


@pytest.mark.parametrize("theory", TWO, ids=str)
def test_two_operators_over_the_same_variables_leave_permutations(theory: Theory) -> None:
    for count in (2, 3, 4, 5):
        first = next(unify(twice(count), theory))
        for left, right in twice(count):
            assert term(replaced(left, first), theory) is term(replaced(right, first), theory)
    variables = [*names("x", 4), *names("y", 4)]
    every = list(unify(twice(4), theory))
    assert len({key(one, variables) for one in every}) == len(every) == 24


def test_a_search_that_is_given_up_says_so_after_its_answers() -> None:
    equations = [*twice(3), (("add", *names("x", 3), "a"), ("add", *names("z", 4)))]
    theory = Theory("group").ac("add", unit="0").inverse("add", "neg").ac("mul")
    stream = unify(equations, theory, steps=300)
    assert next(stream)
    with pytest.raises(Incomplete, match="were found"):
        deque(stream)


def test_time_between_answers_is_not_the_searchs() -> None:
    stream = unify([with_operand(5)], SUMS)
    next(stream)
    begun = thread_time()
    while thread_time() - begun < 2.2:
        pass
    assert len(list(islice(stream, 40))) == 40
