"""Relations: how they are written, what they know of themselves, and running them as goals."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import aesara.tensor as at
import pytest
from kanren import eq as plain_eq
from kanren import run
from unification import var

from kanrewrite import ac
from kanrewrite.errors import RelationError
from kanrewrite.guards import (
    Axis,
    Condition,
    ConstantAlong,
    Float,
    Int,
    Ndim,
    constant_along,
    is_float,
    positive,
)
from kanrewrite.laws import Laws
from kanrewrite.relation import REAL, Eq, Relation, eq, relation, substitute
from kanrewrite.relation.roles import definition_in
from kanrewrite.terms import Param, T, Term
from kanrewrite.theory import Theory
from kanrewrite.unify import as_graph, as_term


@relation
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    """Softmax, exp(x) / Σ exp(x)."""
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation
def log_exp(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


@relation(direction="both", family="trigonometry")
def half_angles(x: Param) -> Iterator[Eq]:
    yield eq(T.sin(2 * x), 2 * T.sin(x) * T.cos(x))
    yield eq(T.cos(2 * x), 1 - 2 * T.sqr(T.sin(x)))


def place(function: Callable[..., Any]) -> str:
    return f"{__file__}:{inspect.getsourcelines(function)[1]}"


def test_a_relation_knows_itself() -> None:
    assert softmax_quotient.name == softmax_quotient.__name__ == "softmax_quotient"  # type: ignore[attr-defined]
    assert softmax_quotient.family == "test_relation"
    assert softmax_quotient.doc == softmax_quotient.__doc__ == "Softmax, exp(x) / Σ exp(x)."
    assert softmax_quotient.source == place(softmax_quotient.function)
    assert half_angles.family == "trigonometry"
    assert [str(p) for p in softmax_quotient.parameters] == ["x", "axis"]
    assert [g.name for g in softmax_quotient.parameters[Param("softmax_quotient:x")]] == ["Float"]


def test_a_relation_has_a_text() -> None:
    assert str(softmax_quotient) == (
        "softmax_quotient(x: Float, axis: Axis): "
        "exp(x) / sum(exp(x), axis=axis, keepdims=True) == softmax(x, axis=axis)"
    )
    assert half_angles.text.splitlines() == [
        "sin(2 * x) == 2 * sin(x) * cos(x)",
        "cos(2 * x) == 1 - 2 * sqr(sin(x))",
    ]


def test_equality_is_of_what_is_stated() -> None:
    def twin() -> Relation:
        @relation
        def log_exp(x: Float) -> Iterator[Eq]:
            yield eq(T.log(T.exp(x)), x)

        return log_exp

    assert twin() == log_exp
    assert hash(twin()) == hash(log_exp)
    assert softmax_quotient != log_exp
    assert log_exp != "log_exp"


def test_annotations_become_conditions_of_the_equations() -> None:
    (equation,) = softmax_quotient.equations
    assert [str(c) for c in equation.guards] == ["x: Float", "axis: Axis"]


def test_an_equation_is_asked_only_about_its_own_parameters() -> None:
    @relation
    def two(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), x)
        yield eq(T.exp(y) * x, y + x).when(positive(x))

    first, second = two.equations
    assert [str(c) for c in first.guards] == ["x: Float"]
    assert [str(c) for c in second.guards] == ["x: Float", "y: Float", "x: positive"]
    assert two.text.splitlines()[1] == "exp(y) * x == y + x when x: positive"


def test_guards_name_other_parameters_and_add_up() -> None:
    @relation
    def lift(
        a: Annotated[Float, Ndim[1:], ConstantAlong["axis"]], b: Float, axis: Axis
    ) -> Iterator[Eq]:
        yield eq(T.sum(a * b, axis, True), a * T.sum(b, axis, True))

    (equation,) = lift.equations
    assert [str(c) for c in equation.guards] == [
        "a: Float", "a: Ndim[1:]", "a: ConstantAlong['axis']", "b: Float", "axis: Axis",
    ]  # fmt: skip
    along = equation.guards[2]
    assert isinstance(along, Condition)
    assert along.arguments == (Param("lift:a"), Param("lift:axis"))
    assert constant_along(*along.arguments).holds(
        dict(zip(along.arguments, (at.col(), 1), strict=True))
    )


def test_string_annotations_are_resolved_where_the_relation_is_written() -> None:
    here = Float

    @relation
    def local(x: "here") -> Iterator[Eq]:  # type: ignore[valid-type]
        yield eq(T.log(x), x)

    assert list(local.parameters.values()) == [(is_float,)]


def test_rules_have_the_chosen_direction() -> None:
    (rule,) = softmax_quotient.rules()
    assert str(rule).startswith("exp(x) / sum(exp(x), axis=axis, keepdims=True) -> softmax(x, axis")
    (back,) = softmax_quotient.rules("backward")
    assert back.pattern == rule.replacement
    assert len(half_angles.rules()) == 4

    @relation(direction=None)
    def unused(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(x - x, y - y)

    assert unused.rules() == ()


def test_a_theory_of_the_relation_is_that_of_its_equations() -> None:
    sums, products = Theory("sums").ac(T.add), Theory("products").ac(T.mul)

    @relation(theory=sums)
    def both(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), x + 1)
        yield eq(T.exp(x), x * 2, products)

    assert [e.theory for e in both.equations] == [sums, products]


def test_examples_are_kept_beside_the_relation() -> None:
    @relation
    def r(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x)), x)

    @r.example
    def of_a_vector() -> tuple[Any, Any]:
        x = at.vector("x")
        return at.log(at.exp(x)), x

    @r.non_example
    def of_exp2() -> Any:
        return at.log(at.exp2(at.vector("x")))

    assert r.examples == [of_a_vector]
    assert r.non_examples == [of_exp2]


def test_substitution_keeps_terms_terms() -> None:
    x, y = Param("s:x"), Param("s:y")
    replaced = substitute(T.exp(x * 2), {x: y + 1})
    assert replaced == T.exp((y + 1) * 2)
    assert isinstance(replaced, Term)
    assert isinstance(replaced[1], Term)


# -- as goals -----------------------------------------------------------------------------------


def test_a_relation_runs_in_both_directions() -> None:
    a, q = at.vector("a"), var()
    assert run(0, q, log_exp(T.log(T.exp(a)), q)) == (a,)
    assert run(0, q, log_exp(q, a)) == (T.log(T.exp(a)),)


def test_a_goal_checks_the_guards_in_both_directions() -> None:
    n, q = at.ivector("n"), var()
    assert run(0, q, log_exp(T.log(T.exp(n)), q)) == ()
    assert run(0, q, log_exp(q, n)) == ()


def test_each_equation_is_an_alternative() -> None:
    a, q = at.vector("a"), var()
    (sine,) = run(0, q, half_angles(T.sin(T.mul(2, a)), q))
    assert ac.term(sine, REAL) is ac.term(T.mul(2, T.sin(a)) * T.cos(a), REAL)
    (cosine,) = run(0, q, half_angles(T.cos(T.mul(2, a)), q))
    assert ac.term(cosine, REAL) is ac.term(as_term(1 - 2 * T.sqr(T.sin(a))), REAL)
    assert run(0, q, half_angles(T.tan(T.mul(2, a)), q)) == ()


def test_a_graph_is_read_as_the_term_that_it_is() -> None:
    x, q = at.matrix("x"), var()
    expected = T.softmax(x, (1,))
    for graph in (
        at.exp(x) / at.exp(x).sum(axis=1, keepdims=True),
        at.exp(x) * at.reciprocal(at.exp(x).sum(axis=-1, keepdims=True)),
        at.exp(x) / at.exp(x).sum(axis=(1,)).dimshuffle(0, "x"),
    ):
        assert run(0, q, softmax_quotient(graph, q)) == (expected,)
    wrong = at.exp(x) / at.exp(x).sum(axis=1)
    assert run(0, q, softmax_quotient(wrong, q)) == ()


def test_each_use_has_variables_of_its_own() -> None:
    a, p, q = at.vector("a"), var(), var()
    goals = log_exp(T.log(T.exp(a)), p), log_exp(T.log(T.exp(T.sin(a))), q)
    assert run(0, (p, q), *goals) == ((a, T.sin(a)),)


def test_goals_compose_with_those_of_kanren() -> None:
    a, q = at.vector("a"), var()
    inner = var()
    assert run(0, q, plain_eq(inner, T.log(T.exp(a))), log_exp(inner, q)) == (a,)
    assert run(0, q, log_exp(inner, q), plain_eq(inner, T.log(T.exp(a)))) == (a,)


def test_a_goal_constructor_is_a_relation_too() -> None:
    @relation(heads=[at.log])
    def logs_to_exps(in_lv, out_lv):  # type: ignore[no-untyped-def]
        return plain_eq((in_lv, out_lv), ("log", "exp"))

    q = var()
    assert run(0, q, logs_to_exps("log", q)) == ("exp",)
    assert run(0, q, logs_to_exps(q, "exp")) == ("log",)
    assert logs_to_exps.is_goal
    assert logs_to_exps.equations == logs_to_exps.rules() == ()
    assert logs_to_exps.heads == (at.log,)
    assert str(logs_to_exps) == "logs_to_exps: logs_to_exps(in_lv, out_lv)"


# -- what is refused ----------------------------------------------------------------------------


def unbound_side(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.log(x), y)


def unbound_condition(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.log(x), x).when(positive(y))


def plain_goal(x: Float) -> Iterator[Eq]:
    yield eq(T.log(x), x).when(plain_eq(x, 1))


def unknown_name(x: Float) -> Iterator[Eq]:
    yield eq(T.softmx(x), x)


def raises(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(x), x)
    raise ZeroDivisionError("of all things")


def says_nothing(x: Float) -> Iterator[Eq]:
    yield from ()


def yields_a_term(x: Float) -> Iterator[Any]:
    yield T.exp(x)


def signed_twice(x: Float) -> Iterator[Eq]:
    yield eq(T.neg(-x), T.tanh(x))


def matches_all(x: Float) -> Iterator[Eq]:
    yield eq(x, T.log(T.exp(x)))


def returns_an_equation(x: Float) -> Eq:
    return eq(T.log(T.exp(x)), x)


def two_guarded(x: Float, n: Int) -> Eq:
    return eq(T.log(T.exp(x)), x + n)


def wrong_annotation(x: int) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


def unreadable(x: "Flaot") -> Iterator[Eq]:  # type: ignore[name-defined]  # noqa: F821
    yield eq(T.log(T.exp(x)), x)


def strange_other(x: Annotated[Float, ConstantAlong["axes"]], axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(x, axis), x)


def variadic(*x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x)), x)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (unbound_side, "`y` in the side `y` would not be bound by a match of `log(x)`"),
        (unbound_condition, "`y` in the condition `y: positive` would not be bound"),
        (plain_goal, "is a goal that cannot be asked without running it"),
        (unknown_name, "T.softmx is not an operator.* Did you mean T.softmax"),
        (raises, "stating its equations raised ZeroDivisionError: of all things"),
        (says_nothing, "it yields no equation"),
        (yields_a_term, "it yields exp(x), which is not an equation. Write `yield eq("),
        (matches_all, "the matched side `x` has no operator"),
        (signed_twice, "the matched side `-(-x)` has no operator"),
        (returns_an_equation, "neither a generator of equations nor a goal constructor"),
        (two_guarded, "neither a generator of equations nor a goal constructor"),
        (wrong_annotation, "the annotation of `x` is <class 'int'>, which is not a guard"),
        (unreadable, "the annotation 'Flaot' of `x` cannot be evaluated (NameError"),
        (strange_other, "the guard of `x` names `axes`, which is not a parameter"),
        (variadic, "`x` takes any number of arguments"),
    ],
)
def test_each_mistake_has_its_message(function: Callable[..., Any], says: str) -> None:
    pattern = ".*".join(map(re.escape, says.split(".*")))
    with pytest.raises(RelationError, match=pattern) as caught:
        relation(function)
    message = str(caught.value)
    assert message.startswith(f"relation {function.__name__} ({place(function)}): ")
    assert caught.value.name == function.__name__


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(RelationError, match=r"direction='up' is not one of 'forward'"):
        relation(direction="up")(returns_an_equation)  # type: ignore[call-overload]


def test_the_other_direction_may_be_the_right_one() -> None:
    @relation(direction="backward")
    def turned(x: Float) -> Iterator[Eq]:
        yield eq(x, T.log(T.exp(x)))

    (rule,) = turned.rules()
    assert rule.replacement is Param("turned:x")


# -- roles -------------------------------------------------------------------------------------


def test_a_relation_rewrites_unless_it_says_something_else() -> None:
    assert softmax_quotient.roles == ("rewrite",)

    @relation(role="define")
    def halved(x: Float) -> Iterator[Eq]:
        yield eq(T.cosh(x), (T.exp(x) + T.exp(-x)) / 2)

    assert halved.roles == ("define",)
    assert halved.direction is None
    assert halved.rules() == ()


def test_only_what_says_so_defines_an_operator() -> None:
    (equation,) = softmax_quotient.equations
    term, meaning = definition_in(equation, ("rewrite", "define")) or (None, None)
    assert term == equation.rhs
    assert meaning is equation.lhs
    assert definition_in(equation, ("define",)) is None
    assert not Laws([softmax_quotient]).definitions


@pytest.mark.parametrize(
    ("role", "left", "right", "says"),
    [
        ("define", lambda x, y: T.exp(x + y), lambda x, y: T.exp(x) * T.exp(y), "means. Write the"),
        ("define", lambda x, y: T.floor(x), lambda x, y: T.floor(T.floor(x)), "means. Write the"),
        ("lift", lambda x, y: T.log(x), lambda x, y: T.log(x), "no operand on its left side"),
        ("lift", lambda x, y: T.log(x * 2), lambda x, y: T.log(x) + y, "nothing .* binds `y`"),
        ("sink", lambda x, y: T.sum(x), lambda x, y: T.sum(x), "holds no exponential"),
        ("sink", lambda x, y: T.sum(T.exp(x)), lambda x, y: T.sum(x), "no product of an exp"),
        ("cancel", lambda x, y: T.exp(x), lambda x, y: x, "no sum, difference, product"),
    ],
)
def test_what_cannot_be_followed_in_its_role_is_refused(
    role: Any, left: Callable[..., Any], right: Callable[..., Any], says: str
) -> None:
    def stated(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(left(x, y), right(x, y))

    with pytest.raises(RelationError, match=says) as caught:
        relation(role=role)(stated)
    assert f"({place(stated)})" in str(caught.value)
    assert "rite" in str(caught.value).split(says[:4])[-1]  # what to write instead


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(RelationError, match=r"role='simplify' is not one of 'rewrite'"):
        relation(role="simplify")(returns_an_equation)  # type: ignore[arg-type]


def test_only_a_rewrite_has_a_direction() -> None:
    def turned(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x) * x), x + T.log(x))

    with pytest.raises(RelationError, match=r"direction='backward' is that of a rewrite"):
        relation(role="lift", direction="backward")(turned)


def test_a_goal_constructor_only_rewrites() -> None:
    def undone(in_lv: Any, out_lv: Any) -> Any:
        return eq(T.log(T.exp(out_lv)), in_lv)

    with pytest.raises(RelationError, match="goal constructor has no equation"):
        relation(role="lift")(undone)


def test_a_goal_names_axes_as_graphs_spell_them() -> None:
    @relation(direction=None)
    def last(x: Float) -> Any:
        yield eq(T.sum(T.exp(x), -1), T.max(T.tanh(T.dimshuffle(x, (0, 1, "x"))), -1))

    x: Any = at.dmatrix("x")
    meant = at.tanh(x.dimshuffle(0, 1, "x")).max(axis=2)
    assert run(1, True, last(at.exp(x).sum(axis=1), meant)) == (True,)
    assert run(1, True, last(at.exp(x).sum(axis=0), meant)) == ()
    answer = var()
    (found,) = run(1, answer, last(at.exp(x).sum(axis=1), answer))
    assert as_term(as_graph(found)) == as_term(meant)
