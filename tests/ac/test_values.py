"""Values that users of kanren unify: lists, dicts, pairs, objects, operators as variables."""

from typing import Any

import pytest
from cons import cons
from kanren import conde, lall, run
from kanren import eq as syntactic
from kanren.constraints import neq as written
from unification import unifiable, var

import kanrewrite
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import eq, match, neq, term, unify
from kanrewrite.theory import Theory

AC = Theory("kanren").ac("add").ac("mul").c("com")
WORDS = Theory("words").a("cat")
W, X, Y = var("w"), var("x"), var("y")


@unifiable
class Pair:
    def __init__(self, one: Any, other: Any):
        self.one = one
        self.other = other


@unifiable
class Slotted:
    __slots__ = ("one", "other")

    def __init__(self, one: Any, other: Any):
        self.one = one
        self.other = other


@pytest.mark.parametrize(
    ("left", "right", "answers"),
    [
        (["a", X], ["a", Y, "b"], ()),
        (["a", X], ("a", "b"), ()),
        (["a", ("add", X, "b")], ["a", ("add", "b", "c")], (("c", Y),)),
        ({"k": X, "l": 1}, {"l": 1, "k": 2}, ((2, Y),)),
        ({"k": ("add", X, 1)}, {"k": ("add", 1, 2)}, ((2, Y),)),
        ({"k": X}, {"l": 1}, ()),
        (cons(X, Y), ("f", "a", "b"), (("f", ("a", "b")),)),
        (cons("f", Y), ("f",), (("~x", ()),)),
        (cons(X, Y), ["a", "b"], (("a", ["b"]),)),
        (cons(X, Y), (), ()),
        (cons(X, Y), ("add", "a", "b"), (("add", ("a", "b")), ("add", ("b", "a")))),
        (Pair(1, X), Pair(1, 2), ((2, Y),)),
        (Pair(1, X), Pair(2, 2), ()),
        (Pair(("add", X, 1), Y), Pair(("add", 1, 2), 3), ((2, 3),)),
        (Slotted(1, X), Slotted(1, 2), ((2, Y),)),
        (Slotted(1, X), Pair(1, 2), ()),
        ((X, Y, "b"), ("add", "a", "b"), (("add", "a"),)),
        ((X, Y, "b"), ("com", "b", "a"), (("com", "a"),)),
        ((X, Y, "b"), ("f", "a", "b"), (("f", "a"),)),
        ((X, Y, "b"), ("add", "a", "c"), ()),
    ],
)
def test_values_are_terms(left: Any, right: Any, answers: Any) -> None:
    for goal in (eq(left, right, AC), eq(right, left, AC)):
        found = list(run(0, (X, Y), goal))
        assert len(found) == len(answers)
        for got in found:
            assert any(
                all(
                    isinstance(w, type(X)) or w == "~x" or g == w
                    for g, w in zip(got, want, strict=True)
                )
                for want in answers
            )


def test_a_variable_operator_takes_what_the_operator_obeys() -> None:
    (found,) = run(0, (W, X), eq((W, X, "b"), ("add", "a", "b", "c"), AC))
    assert found[0] == "add"
    assert term(found[1], AC) is term(("add", "a", "c"), AC)
    later = lall(eq(Y, (W, X, "b"), AC), eq(W, "add", AC), eq(Y, ("add", "b", "a"), AC))
    assert run(0, X, later) == ("a",)
    assert list(match((W, X), ("f", "a"), AC)) == [{W: "f", X: "a"}]
    matcher = compile_pattern(("g", (W, X, Y)), AC)
    assert len(list(matcher.match(term(("g", ("add", "a", "b")), AC)))) == 2


def test_the_rest_of_a_pair_is_known_later() -> None:
    assert run(0, X, lall(eq(X, cons("f", Y), AC), eq(Y, ["a"], AC))) == (["f", "a"],)


@pytest.mark.parametrize("equal", [lambda u, v: eq(u, v, AC), syntactic])
def test_disequality_is_modulo_the_theory(equal: Any) -> None:
    different = neq(X, ("add", "q", "r"), AC)
    for goals in (
        (different, equal(X, ("add", "r", "q"))),
        (equal(X, ("add", "r", "q")), different),
    ):
        assert run(0, X, *goals) == ()
    assert run(0, X, different, equal(X, ("add", "q", "s"))) == (("add", "q", "s"),)
    assert kanrewrite.neq is neq


def test_disequality_of_open_terms_waits() -> None:
    goals = (neq(("add", X, Y), ("add", "a", "b"), AC), eq(X, "a", AC))
    assert run(0, Y, *goals, eq(Y, "b", AC)) == ()
    assert run(0, Y, *goals, eq(Y, "c", AC)) == ("c",)
    assert run(0, X, neq(X, X, AC)) == ()
    assert run(0, X, neq("a", "a", AC)) == ()
    assert run(0, X, neq(("f", X), ("g", Y), AC), written(X, 1), eq(X, 2, AC)) == (2,)
    values: Any = conde([eq(X, 1, AC)], [eq(X, 2, AC)], [eq(X, 3, AC)])
    assert run(0, X, neq(X, 1, AC), neq(X, 2, AC), values) == (3,)


def test_lists_and_objects_are_unified_modulo_the_theory() -> None:
    left, right = [Pair(X, ("add", Y, "a"))], [Pair("b", ("add", "a", "c"))]
    assert list(unify([(left, right)], AC)) == [{X: "b", Y: "c"}]
    assert term([1, {"k": 2}], AC) is term([1, {"k": 2}], AC)
    assert term([1], AC).plain == [1]


def test_an_insoluble_word_equation_lets_others_have_their_turn() -> None:
    goals: Any = conde([eq(("cat", X, "a"), ("cat", "b", X), WORDS)], [eq(X, 5)])
    assert run(1, X, goals) == (5,)
