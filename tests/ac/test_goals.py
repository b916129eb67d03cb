"""Equations modulo a theory as goals: kanren's own examples, constraints, composition."""

from typing import Any

import pytest
from etuples import etuple
from kanren import conde, lall, run
from kanren import eq as syntactic
from kanren.constraints import isinstanceo, neq
from unification import Var, var

from kanrewrite.ac import Eq, default_theory, eq, set_default_theory, term
from kanrewrite.ac.goals import Written
from kanrewrite.errors import CyclicSubstitution
from kanrewrite.theory import Theory
from tests.ac.oracle import normal
from tests.ac.test_sizes import lines_run

AC = Theory("kanren").ac("add").ac("mul")
C = Theory("commutative").c("com")
A = Theory("associative").a("cat")
X, Y, Z = var("x"), var("y"), var("z")


@pytest.mark.parametrize(
    ("left", "right", "answers"),
    [
        (1, 1, [()]),
        (("com", 1, 2, 3), ("com", 1, 2, 3), [()]),
        (("com", 3, 2, 1), ("com", 1, 2, 3), [()]),
        (("op", 3, 2, 1), ("op", 1, 2, 3), []),
        ((3, "com", 2, 1), ("com", 1, 2, 3), []),
        (("com", 1, 2, 1), ("com", 1, 2, 3), []),
        (("op", 1, 2, 3), ("com", 1, 2, 3), []),
    ],
)
def test_commutative_terms_without_variables(left: Any, right: Any, answers: list[Any]) -> None:
    assert list(run(0, (), eq(left, right, C))) == answers


@pytest.mark.parametrize(
    ("left", "right", "answers"),
    [
        (("com", 3, Y, 1), ("com", 1, 2, 3), {(X, 2)}),
        (("com", X, Y, 1), ("com", 1, 2, 3), {(2, 3), (3, 2)}),
        (("com", 2, 3, 1), ("com", 1, X, Y), {(2, 3), (3, 2)}),
        (("com", ("com", 1, X), Y), ("com", 2, ("com", 3, 1)), {(3, 2)}),
        ((2, ("com", 3, 1)), (Y, ("com", 1, X)), {(3, 2)}),
        ((("com", 3, Y),), (("com", 1, X),), {(3, 1)}),
    ],
)
def test_commutative_unification(left: Any, right: Any, answers: set[Any]) -> None:
    assert set(run(0, (X, Y), eq(left, right, C))) == answers


def test_commutativity_passes_through_free_operators_only_where_declared() -> None:
    goal = eq(("div", 1, ("com", 1, 2, 3)), ("div", 1, ("com", 2, X, 1)), C)
    assert run(0, X, goal) == (3,)
    assert run(0, X, eq(("div", 1, ("div", 1, 2, 3)), ("div", 1, ("div", 2, X, 1)), C)) == ()


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        (("cat", 3, 2, 1), ("cat", 1, 2, 3), False),
        (("cat", ("cat", 1, 2), 3), ("cat", 1, 2, 3), True),
        (("op", 1, 2, 3), ("op", ("op", 1, 2), 3), False),
    ],
)
def test_associativity(left: Any, right: Any, holds: bool) -> None:
    assert run(0, True, eq(left, right, A)) == ((True,) if holds else ())


def test_associative_variables_take_segments() -> None:
    left = ("cat", 1, 2, ("cat", X, 5, 6))
    assert run(0, X, eq(left, ("cat", ("cat", 1, 2), 3, 4, 5, 6), A)) == (("cat", 3, 4),)
    assert run(0, X, eq(("cat", 1, X, 4), ("cat", 1, 2, 3, 4), A)) == (("cat", 2, 3),)


@pytest.mark.parametrize(
    ("left", "right", "answers"),
    [
        (("add", 1, ("add", 3, 2)), ("add", ("add", 1, 2), 3), {(X, Y)}),
        (("add", ("add", 1, X), Y), ("add", 2, ("add", 3, 1)), {(2, 3), (3, 2)}),
        (("add", 1, 1), ("other", 1, 1), set()),
        (("add", 3, ("add", 1, 2)), ("add", 1, X, 3), {(2, Y)}),
        (("mul", ("add", 1, X), Y), ("mul", 2, ("add", 3, 1)), {(3, 2)}),
        (("add", 1, 2, 3), ("add", 1, X), {(("add", 2, 3), Y)}),
    ],
)
def test_kanren_examples_of_both(left: Any, right: Any, answers: set[Any]) -> None:
    found = {(normal(x), normal(y)) for x, y in run(0, (X, Y), eq(left, right, AC))}
    assert found == answers


def test_a_bound_side_is_the_other_term() -> None:
    (found,) = run(0, X, eq(("add", 1, ("add", 2, 3)), X, AC))
    assert normal(found) == normal(("add", 1, 2, 3))
    assert run(0, True, eq(X, (1,), AC)) == (True,)


def test_etuples_mix_with_tuples() -> None:
    (found,) = run(0, X, eq(etuple("add", 1, X), ("add", 3, 1, 2), AC))
    assert normal(found) == normal(("add", 2, 3))


def test_composition_and_order_of_goals() -> None:
    goal = eq(("add", X, Y), ("add", 1, 2), AC)
    assert set(run(0, (X, Y), lall(goal, syntactic(X, 1)))) == {(1, 2)}
    assert set(run(0, (X, Y), lall(syntactic(X, 1), goal))) == {(1, 2)}
    either: Any = conde([goal], [syntactic(X, 5)])
    assert set(run(0, X, either)) == {1, 2, 5}


def test_constraints_hold_whichever_comes_first() -> None:
    goal = eq(("add", X, Y), ("add", 1, "a"), AC)
    for goals in ((neq(X, 1), goal), (goal, neq(X, 1))):
        assert run(0, (X, Y), *goals) == (("a", 1),)
    for goals in ((isinstanceo(X, int), goal), (goal, isinstanceo(X, int))):
        assert run(0, (X, Y), *goals) == ((1, "a"),)


def test_guards_run_after_the_equation() -> None:
    equation = eq(("add", X, Y), ("add", 1, 2), AC)
    guarded = equation.when(neq(X, 1)).when(isinstanceo(Y, int))
    assert isinstance(guarded, Eq)
    assert len(guarded.guards) == 2
    assert equation.guards == ()
    assert run(0, X, guarded) == (2,)


def test_both_sides_unbound_are_unified() -> None:
    (answer,) = run(0, (X, Y), eq(X, Y, AC))
    assert answer[0] == answer[1]
    assert len(list(run(0, (X, Y), eq(("add", X, 1), ("add", Y, 2), AC)))) == 2


def test_what_may_be_anything_is_not_bound_to_itself() -> None:
    group = Theory("group").ac("add", unit="0").inverse("add", "neg")
    goal = eq(("add", X, "a", Z), ("add", "b", ("neg", "a")), group)
    (state,) = goal({})
    assert all(v != value for v, value in state.items())
    ((first, last),) = run(0, (X, Z), goal)
    assert isinstance(first, Var) or isinstance(last, Var)


def test_the_occurs_check_is_on() -> None:
    assert run(0, X, eq(X, ("f", X), AC)) == ()
    with pytest.raises(CyclicSubstitution, match="contains ~x again"):
        list(eq(X, 1, AC)({X: ("f", Y), Y: ("g", X)}))


def test_the_default_theory_is_read_when_the_goal_runs() -> None:
    before = default_theory()
    goal = eq(("add", 1, 2), ("add", 2, 1))
    assert run(0, True, goal) == ()
    set_default_theory(AC)
    try:
        assert run(0, True, goal) == (True,)
    finally:
        set_default_theory(before)


def test_equations_are_values() -> None:
    assert eq(X, 1) == eq(X, 1)
    assert eq(X, 1) != eq(X, 2)
    assert hash(eq(X, 1)) == hash(eq(X, 1))
    assert eq(X, 1) != (X, 1)
    assert repr(eq(X, 1)) == "eq(~x, 1)"
    assert ".when(" in repr(eq(X, 1).when(neq(X, 1)))


def test_goals_of_which_few_answers_are_accepted_are_solved_together() -> None:
    parts = [f"c{k}" for k in range(12)]
    x, y, z = var("x"), var("y"), var("z")
    many = eq(("add", x, y, z), ("add", *parts), AC)
    last = ("add", *parts[6:])
    lines = lines_run(lambda: run(1, (x, y), many, eq(x, last, AC), eq(y, "c0", AC)))
    assert lines < 200_000  # of some half a million answers to the first
    ((one, other),) = run(1, (x, y), many, eq(x, last, AC), eq(y, "c0", AC))
    assert term(one, AC) is term(last, AC)
    assert other == "c0"
    either: Any = conde([eq(x, "q", AC)], [eq(x, last, AC)])
    assert len(set(run(3, y, many, either))) == 3
    different = neq(y, "c0")
    (other,) = run(1, y, different, many, eq(x, ("add", *parts[2:]), AC))
    assert other == "c1"


def test_goals_together_have_the_answers_that_they_have_in_turn() -> None:
    x, y, z = var("x"), var("y"), var("z")
    many = eq(("add", x, y, z), ("add", *"abcdefg"), AC)
    other = eq(("add", y, "q"), ("add", "q", "g", "f"), AC)
    found = run(0, (x, y, z), many, other)
    different = [tuple(term(one, AC) for one in answer) for answer in found]
    assert len(different) == len(set(different)) == 30
    assert run(0, x, many, eq(x, "q", AC)) == ()


def test_what_is_written_is_solved_with_no_other_goal() -> None:
    group = Theory("group").ac("sum", unit="0").inverse("sum", "neg").ac("add")
    many = Written(("add", X, Y), ("add", *(f"c{k}" for k in range(8))), group)
    # Nothing that is written is taken from a: as a unifier, x + z is a for any x.
    assert run(0, X, many, Written(("sum", X, Z), "a", group)) == ()
    assert len(set(run(3, X, many, eq(("sum", X, Z), "a", group)))) == 3
