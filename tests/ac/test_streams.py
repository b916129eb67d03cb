"""Streams of unifiers: the first comes soon, later ones cost no more, nothing piles up."""

import ast
import gc
import inspect
import tracemalloc
from collections import deque
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from unification import Var, var

from kanrewrite.ac import budget, is_complete, term, unify
from kanrewrite.ac.matching import Matcher
from kanrewrite.ac.terms import store
from kanrewrite.errors import Incomplete, IncompleteMatch
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.problems import in_time, key
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
    held = []
    for _ in range(4):
        for _ in islice(stream, 900):
            pass
        gc.collect()  # what nobody holds is there until somebody looks
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # The table of all terms that there are grows once, by as much as it is large.
    assert sorted(after - before for before, after in pairwise(held))[1] < 1_000_000


@pytest.mark.parametrize("theory", TWO, ids=str)
def test_two_operators_over_the_same_variables_leave_permutations(theory: Theory) -> None:
    for count in (2, 3, 4, 5):
        first = next(unify(twice(count), theory))
        for left, right in twice(count):
            assert term(replaced(left, first), theory) is term(replaced(right, first), theory)
    variables = [*names("x", 4), *names("y", 4)]
    every = list(unify(twice(4), theory))
    assert len({key(one, variables) for one in every}) == len(every) == 24


OTHERS = {
    "joins": Theory("joins").aci("add").aci("mul"),
    "join with a unit": Theory("join with a unit").aci("add", unit="0").aci("mul"),
    "join and sum": Theory("join and sum").aci("add").ac("mul"),
    "group": Theory("group").ac("add", unit="0").inverse("add", "neg").ac("mul"),
    "groups": Theory("groups").ac("add", unit="0").inverse("add", "neg").ac("mul", unit="1")
    .inverse("mul", "inv"),
}  # fmt: skip


@pytest.mark.spared
@pytest.mark.parametrize("count", [1, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OTHERS)
def test_two_operators_of_any_kind_over_the_same_variables(name: str, count: int) -> None:
    theory = OTHERS[name]
    variables = [*names("x", 3), *names("y", 3)]
    found: list[dict[Var, Any]] = []
    with in_time(name), suppress(Incomplete):  # which says what there may be more
        found.extend(islice(unify(twice(3), theory), count))
    assert found
    for one in found:
        for left, right in twice(3):
            assert term(replaced(left, one), theory) is term(replaced(right, one), theory)
    assert len({key(one, variables) for one in found}) == len(found)


@pytest.mark.spared(2)
@pytest.mark.parametrize("unit", [None, "0"])
def test_two_joins_over_the_same_variables_stream_and_begin_with_equal_ones(unit: Any) -> None:
    theory = Theory(f"joins {unit}").aci("add", **({"unit": unit} if unit else {})).aci("mul")
    variables = [*names("x", 3), *names("y", 3)]
    found: list[dict[Var, Any]] = []
    with in_time(unit):
        found.extend(islice(unify(twice(3), theory), 40))
    assert len({key(one, variables) for one in found}) == 40
    for one in found:
        for left, right in twice(3):
            assert term(replaced(left, one), theory) is term(replaced(right, one), theory)
    # The x are a permutation of the y, in six ways.
    equal = [one for one in found if len({one.get(v, v) for v in variables}) == 3]
    assert len(equal) >= 6


@pytest.mark.slow
def test_two_joins_over_the_same_variables_end() -> None:
    stream, variables = unify(twice(3), OTHERS["joins"]), [*names("x", 3), *names("y", 3)]
    found = list(stream)
    assert len({key(one, variables) for one in found}) == len(found) > 1_000
    assert is_complete(OTHERS["joins"], twice(3))


def test_what_is_assumed_to_differ_is_not_found_equal() -> None:
    theory = Theory("joins").aci("add").aci("mul")
    every = list(unify(twice(2), theory))
    variables = [*names("x", 2), *names("y", 2)]
    # The x are the y, in two ways: other solutions are instances.
    assert len({key(one, variables) for one in every}) == len(every) == 2


@pytest.mark.parametrize("name", OTHERS)
def test_two_operators_of_any_kind_that_clash_end(name: str) -> None:
    x, y = var("x"), var("y")
    equations = [(("add", x, "a"), ("f", y)), (("mul", x, "b"), ("f", y)), (y, "c")]
    with in_time(name):
        assert list(unify(equations, OTHERS[name])) == []


def test_a_comparison_is_bounded_by_steps_and_not_by_time() -> None:
    # A way round that no graph with two sides has: five edges, one after the other.
    terms = store(Theory("order").aci("max"))
    vs = names("v", 5)
    pattern = terms.intern(("max", "a", *(("g", vs[k - 1], vs[k]) for k in range(5))))
    edges = [(f"l{i}", f"r{j}") for i in range(8) for j in range(8)]
    edges += [(right, left) for left, right in edges]
    subject = terms.intern(("max", "a", *(("g", *edge) for edge in edges)))
    with pytest.raises(IncompleteMatch, match="steps brought no other"):
        next(Matcher(pattern, steps=1_500).match(subject))
    assert list(Matcher(pattern).match(subject)) == []


def test_a_search_that_is_given_up_says_so_after_its_answers() -> None:
    equations = [*twice(3), (("add", *names("x", 3), "a"), ("add", *names("z", 4)))]
    theory = Theory("group").ac("add", unit="0").inverse("add", "neg").ac("mul")
    stream = unify(equations, theory, steps=300)
    assert next(stream)
    with pytest.raises(Incomplete, match="were found"):
        deque(stream)


def test_nothing_is_measured_in_time() -> None:
    # What is given up must not depend on the machine, or on what else it does.
    package = Path(inspect.getfile(budget)).parent
    assert not [file.name for file in package.glob("*.py") if "time" in _imports(file)]


def _imports(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    names |= {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    return {"time" if name == "kanrewrite.clock" else name for name in names}
