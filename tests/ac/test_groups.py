"""Abelian groups beside other operators: sound, ending, and no planted solution is missed."""

from itertools import islice
from typing import Any

import pytest
from kanren import lall, run
from unification import Var, var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import eq, is_complete, match, term, unify
from kanrewrite.ac.cycles import cycle
from kanrewrite.ac.integers import solutions
from kanrewrite.index import Index
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.planted import THEORY as MIXED
from tests.ac.planted import Planted, compare_planted

ADD = Theory("add").ac("add", unit="0").inverse("add", "neg", "sub")
OTHERS = {
    "free": ADD,
    "c": ADD.c("mul"),
    "ac": ADD.ac("mul"),
    "acu": ADD.ac("mul", unit="1"),
    "aci": ADD.aci("mul"),
    "aciu": ADD.aci("mul", unit="1"),
    "two groups": ADD.ac("mul", unit="1").inverse("mul", "inv", "div"),
}
SUMS = OTHERS["ac"]
U, V, X, Y, Z = (var(name) for name in "uvxyz")


def _unifies(unifier: dict[Var, Any], equations: list[tuple[Any, Any]], theory: Theory) -> bool:
    return all(
        term(replaced(s, unifier), theory) is term(replaced(t, unifier), theory)
        for s, t in equations
    )


@pytest.mark.parametrize(
    ("equations", "count"),
    [
        ([(("add", ("mul", X, Y), ("neg", ("mul", "a", "b"))), "0")], 2),
        ([(X, ("f", ("sub", X, Z)))], 1),
        ([(("add", X, ("neg", ("f", ("sub", X, Z)))), "0")], 1),
        ([(("add", X, ("f", X)), "0")], 0),
        ([(("add", X, X, ("f", X)), "0"), (Y, Z)], 0),
        ([(("add", ("f", X), Y, Y), ("add", ("f", ("add", Y, Z)), ("f", Z)))], 0),
        ([(("add", ("f", X), ("f", Y)), ("add", ("f", "a"), ("f", "b")))], 2),
        ([(("mul", X, ("f", ("sub", X, Y))), ("mul", "a", ("f", "0")))], 1),
        ([(("mul", X, X, ("sub", X, Y)), ("mul", "a", "a", "b"))], 1),
    ],
)
def test_a_group_beside_sums_ends_with_the_most_general_unifiers(
    equations: list[tuple[Any, Any]], count: int
) -> None:
    unifiers = list(unify(equations, SUMS))
    assert len(unifiers) == count
    assert all(_unifies(unifier, equations, SUMS) for unifier in unifiers)


@pytest.mark.parametrize("name", OTHERS)
def test_planted_unifiers_are_instances_of_some(name: str) -> None:
    problems, theory = Planted(2), OTHERS[name]
    for _ in range(40):
        left = problems.term(2, [X, Y, Z, "a", "b"])
        values = {v: problems.term(1, ["a", "b", "c"]) for v in (X, Y, Z)}
        right = replaced(left, values)
        found = next(unify([(left, right)], theory), None)
        assert found is not None, (left, right)
        assert _unifies(found, [(left, right)], theory)


@pytest.mark.parametrize("name", OTHERS)
def test_every_planted_unifier_is_an_instance_of_one(name: str) -> None:
    problems, theory, seen = Planted(5), OTHERS[name], 0
    assert is_complete(theory)
    for _ in range(40):
        left = problems.term(2, [X, Y, Z, "a", "b"])
        values = {v: problems.term(1, ["a", "b", "c"]) for v in (X, Y, Z)}
        right = replaced(left, {v: values[v] for v in problems.random.sample([X, Y, Z], 2)})
        found = list(islice(unify([(left, right)], theory), 50))
        assert all(_unifies(one, [(left, right)], theory) for one in found)
        if len(found) < 50:
            planted = ("t", *values.values())
            patterns = [("t", *(replaced(v, one) for v in values)) for one in found]
            assert any(next(match(p, planted, theory), None) is not None for p in patterns)
            seen += 1
    assert seen > 30


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        # What is taken for a constant of one group is a product of the other, and collapses there.
        (("add", ("mul", X, Y), ("neg", ("mul", "a", Y))), "0", 1),
        (("mul", ("add", X, Y), ("inv", ("add", X, "a"))), "1", 1),
        (("f", ("mul", X, ("add", X, "b"))), ("f", ("add", Y, "b")), 1),
        (("mul", X, ("add", X, "a")), ("add", X, "a"), 1),
    ],
)
def test_two_groups_end(left: Any, right: Any, size: int) -> None:
    found = list(unify([(left, right)], OTHERS["two groups"]))
    assert len(found) == size
    assert all(_unifies(one, [(left, right)], OTHERS["two groups"]) for one in found)


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        # To take f(y) and f(-y) as equal solves y = -y once, and the search ends.
        (("add", ("f", X), ("f", ("neg", X))), ("add", ("f", "a"), ("f", ("neg", "a"))), 2),
        # A sum of a variable taken twice may be the inverse of an operand.
        (("mul", ("add", "b", X, X), "a"), ("mul", ("neg", "b"), "a"), 1),
        # A variable named for what is left of one sum may be all that is left of another.
        (("mul", ("sub", X, Y), X, Y), ("mul", "0", "a", "a"), 2),
        # The inverse of a variable is a sum where the variable is one.
        (
            ("mul", X, ("neg", X), ("f", Z)),
            ("mul", ("add", "a", "b"), ("add", ("neg", "a"), ("neg", "b")), ("f", "c")),
            2,
        ),
    ],
)
def test_what_a_product_can_become(left: Any, right: Any, size: int) -> None:
    found = list(unify([(left, right)], MIXED))
    assert len(found) == size
    for unifier in found:
        assert _unifies(unifier, [(left, right)], MIXED)


def test_deep_planted_solutions_are_instances_of_unifiers() -> None:
    assert compare_planted(7, 60) > 50


@pytest.mark.slow
def test_thousands_of_planted_solutions() -> None:
    for seed in (8, 9):
        assert compare_planted(seed, 2_000) > 1_800


@pytest.mark.spared
@pytest.mark.parametrize("name", OTHERS)
def test_planted_instances_are_matched(name: str) -> None:
    problems, theory = Planted(3), OTHERS[name]
    for _ in range(60):
        pattern = problems.term(3, [X, Y, Z, "a", "b"])
        values = {v: problems.term(1, ["a", "b", U]) for v in (X, Y, Z)}
        subject = replaced(pattern, values)
        found = next(match(pattern, subject, theory), None)
        assert found is not None, (pattern, subject)
        assert term(replaced(pattern, found), theory) is term(subject, theory)


@pytest.mark.parametrize(
    ("pattern", "subject", "answers"),
    [
        (("sub", "a", X), "0", [{X: "a"}]),
        (("add", "a", X), "b", [{X: ("add", "b", ("neg", "a"))}]),
        (("g", X, ("sub", X, "a")), ("g", "a", "0"), [{X: "a"}]),
        (("add", X, "a"), V, [{X: ("add", ("neg", "a"), V)}]),
        (("sub", ("f", X), ("f", Y)), "0", []),
    ],
)
def test_instances_whose_operands_cancelled(pattern: Any, subject: Any, answers: Any) -> None:
    found = list(match(pattern, subject, ADD))
    if answers:
        values = [{v: term(value, ADD) for v, value in one.items()} for one in answers]
        assert [{v: term(value, ADD) for v, value in one.items()} for one in found] == values
    else:
        # f(x) - f(y) is 0 for any x that is y: the general answer, as there is no other.
        ((x, y),) = (one.values() for one in found)
        assert x == y
    index: Index[str] = Index(ADD)
    index.add("one", pattern)
    assert list(index.match(term(subject, ADD))) == [("one", one) for one in found]
    matcher = compile_pattern(pattern, ADD)
    solved = list(matcher.solve(term(subject, ADD)))
    assert [{v: value.plain for v, value in one.items()} for one in solved] == found


def test_goals_find_the_same_in_either_order() -> None:
    first, second = eq(("add", "a", X), Y, ADD), eq(Y, "b", ADD)
    for goals in ((first, second), (second, first)):
        ((x, y),) = run(0, (X, Y), lall(*goals))
        assert term(x, ADD) is term(("sub", "b", "a"), ADD)
        assert term(y, ADD) is term("b", ADD)
    first, second = eq(("add", X, Y), "b", ADD), eq(Y, "a", ADD)
    for goals in ((first, second), (second, first)):
        found = {term(x, ADD) for x, _ in run(0, (X, Y), lall(*goals))}
        assert found == {term(("sub", "b", "a"), ADD)}


def test_a_system_with_large_exponents_in_between_ends() -> None:
    system = [
        (("add", Z, Z), ("add", X, Y, Y, Y, "c", "c", ("neg", "a"), ("neg", "a"), ("neg", "a"))),
        (("add", Y, Y, Z, Z, Z), ("add", X, X, X, X, "b", "c")),
        (("sub", Z, X), "b"),
    ]
    for found in unify(system, ADD):
        assert _unifies(found, system, ADD)


def test_a_general_answer_comes_last() -> None:
    found = list(islice(match(("sub", X, Y), ("sub", "a", "b"), ADD), 10))
    assert len(found) == 4
    assert {X: "a", Y: "b"} in found


def test_systems_of_integers() -> None:
    assert solutions([[2, 4]], [3]) is None
    assert solutions([[0, 0]], [1]) is None
    found = solutions([[6, 10, 15], [1, 1, 1]], [1, 0])
    assert found is not None
    one, kernel = found
    assert 6 * one[0] + 10 * one[1] + 15 * one[2] == 1
    assert sum(one) == 0
    assert len(kernel) == 1
    assert sum(kernel[0]) == 0
    assert solutions([[2, 3]], [1], zero={0}) is None


def test_a_cycle_is_named_by_its_edges() -> None:
    assert cycle({1: [("a", 2)], 2: [("b", 3), ("c", 1)], 3: []}) == ["a", "c"]
    assert cycle({1: [("a", 2)], 2: [("b", 3)], 3: []}) == []


def test_an_inverse_of_another_group_has_an_end() -> None:
    x, y = var("x"), var("y")
    theory = Theory("two").ac("add", unit="0").inverse("add", "neg")
    theory = theory.ac("mul", unit="1").inverse("mul", "inv")
    assert list(unify([(("neg", ("mul", x, x)), "a")], theory)) == []
    assert list(unify([(("neg", ("mul", x, x)), ("add", "a", "b"))], theory)) == []
    (found,) = unify([(("neg", ("mul", x, y)), "a")], theory)
    assert term(replaced(("mul", x, y), found), theory) is term(("neg", "a"), theory)
