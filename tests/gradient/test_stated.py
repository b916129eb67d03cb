"""Derivatives that relations state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.scalar as aes
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.tensor.special import SoftmaxGrad

import kanrewrite
from kanrewrite import Axis, Eq, Float, T, eq, grad, hvp, jvp, one_axis_or_all, relation
from kanrewrite.errors import (
    DuplicateRelation,
    RelationError,
    RelationLosesDerivative,
    RuleTermMismatch,
    StatesNoDerivative,
    UnknownRelation,
)
from kanrewrite.gradient import register_gradient, registered_gradient, unregister_gradient
from kanrewrite.registry import enabled, relations
from tests.gradient.common import EACH_OPTIMIZER, at, compiled, eager_grad, softmax, values


@relation
def softmax_by_hand(x: Float, g: Float, axis: Axis) -> Iterator[Eq]:
    """The gradient of a softmax is an Op of its own, however the softmax is written."""
    e = T.exp(x)
    soft = T.softmax_grad(g, T.softmax(x, axis), axis)
    quotient = e / T.sum(e, axis, keepdims=True)
    yield eq(T.gradient(quotient, x, g), soft).when(one_axis_or_all(axis, x))


@relation
def two_exponentials(a: Float, b: Float, g: Float) -> Iterator[Eq]:
    """The gradients of log(exp(a) + exp(b)) are sigmoids."""
    both = T.log(T.exp(a) + T.exp(b))
    yield eq(T.gradient(both, a, g), g * T.sigmoid(a - b))
    yield eq(T.gradient(both, b, g), g * T.sigmoid(b - a))


@relation
def first_exponential(a: Float, b: Float, g: Float) -> Iterator[Eq]:
    """As above, without the second one."""
    yield eq(T.gradient(T.log(T.exp(a) + T.exp(b)), a, g), g * T.sigmoid(a - b))


@relation
def sevenfold(x: Float, g: Float) -> Iterator[Eq]:
    """An exponential whose gradient is seven: easy to tell."""
    yield eq(T.gradient(T.exp(x), x, g), 7 * g)


@relation
def signs_pass(x: Float, upstream: Float) -> Iterator[Eq]:
    """A sign is differentiated as if it were what it is the sign of."""
    yield eq(T.gradient(T.sgn(x), x, upstream), upstream)


@relation
def flat(x: Float, g: Float) -> Iterator[Eq]:
    """No gradient passes a sine."""
    yield eq(T.gradient(T.sin(x), x, g), 0)


@pytest.fixture
def registered() -> Iterator[Callable[[Any], None]]:
    """Registers relations for one test."""
    known: list[Any] = []

    def register(relation: Any) -> None:
        known.append(relation)
        kanrewrite.register(relation)

    yield register
    for stated in known:
        unregister_gradient(stated)


def names_of(function: Any) -> list[str]:
    return [type(node.op).__name__ for node in function.maker.fgraph.toposort()]


SPELLINGS: dict[str, Callable[[Any, Any], Any]] = {
    "quotient": lambda x, y: softmax(x),
    "reciprocal": lambda x, y: at.exp(x) * (1 / at.exp(x).sum(axis=1, keepdims=True)),
    "power": lambda x, y: at.exp(x).sum(axis=1, keepdims=True) ** -1 * at.exp(x),
    "shifted": lambda x, y: softmax(x - 3),
    "scaled": lambda x, y: 2 * at.exp(x) / (2 * at.exp(x)).sum(axis=1, keepdims=True),
    "transposed": lambda x, y: (at.exp(x).T / at.exp(x).sum(axis=1)).T,
    "weights first": lambda x, y: y * at.exp(x) / at.exp(x).sum(axis=1, keepdims=True),
    "two factors": lambda x, y: (
        at.exp(x) * at.exp(y) / (at.exp(y) * at.exp(x)).sum(axis=1, keepdims=True)
    ),
    "subtracted logs": lambda x, y: at.exp(x - at.log(at.exp(x).sum(axis=1, keepdims=True))),
    "all": lambda x, y: at.exp(x) / at.exp(x).sum(),
}

NON_EXAMPLES: dict[str, Callable[[Any, Any], Any]] = {
    "another axis": lambda x, y: at.exp(x) / at.exp(x).sum(axis=0)[:, None],
    "another sum": lambda x, y: at.exp(x) / at.exp(y).sum(axis=1, keepdims=True),
    "one more": lambda x, y: at.exp(x) / (1 + at.exp(x).sum(axis=1, keepdims=True)),
    "twice": lambda x, y: at.exp(x) / at.exp(2 * x).sum(axis=1, keepdims=True),
}


@pytest.fixture
def no_explicit_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets nobody write out the gradient of an exponential or of a quotient."""

    def fail(*_: Any) -> Any:
        raise AssertionError("an explicit gradient is built")

    for op in (aes.Exp, aes.TrueDivide, aes.Reciprocal, aes.Pow, aes.Log):
        monkeypatch.setattr(op, "L_op", fail)


@pytest.mark.usefixtures("no_explicit_gradient")
@pytest.mark.parametrize("library", [False, True])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_softmax_by_hand_has_the_gradient_of_the_op(spelling: str, library: bool) -> None:
    if spelling == "scaled" and not library:
        pytest.xfail("without the library a coefficient inside of an exponential is not read")
    x, y, u = at.matrices("x", "y", "u")
    gradient = kanrewrite.vjp(SPELLINGS[spelling](x, y), x, u)
    with registered_gradient(softmax_by_hand):
        if library:
            kanrewrite.enable()
        try:
            function = compiled([x, y, u], gradient)
        finally:
            kanrewrite.disable()
    assert "SoftmaxGrad" in names_of(function)
    x_, y_, u_ = values((3, 3), (3, 3), (3, 3))
    z = x_ + y_ if spelling == "two factors" else x_
    p = np.exp(z) / np.exp(z).sum(axis=None if spelling == "all" else 1, keepdims=True)
    u_ = u_ * y_ if spelling == "weights first" else u_
    mean = (u_ * p).sum(axis=None if spelling == "all" else 1, keepdims=True)
    u_ = values((3, 3), (3, 3), (3, 3))[2]
    np.testing.assert_allclose(
        function(x_, y_, u_)[0], p * ((u_ * y_ if "weights" in spelling else u_) - mean)
    )


@pytest.mark.spared
@pytest.mark.parametrize("spelling", NON_EXAMPLES)
def test_what_is_no_softmax_keeps_its_gradient(spelling: str) -> None:
    x, y = at.matrices("x", "y")
    cost = (NON_EXAMPLES[spelling](x, y) * y).sum()
    vals = values((3, 3), (3, 3))
    with registered_gradient(softmax_by_hand), kanrewrite.trace() as steps:
        function = compiled([x, y], grad(cost, x))
    assert not steps.fired_events
    np.testing.assert_allclose(function(*vals), compiled([x, y], eager_grad(cost, x))(*vals))


@pytest.mark.spared(2)
@pytest.mark.parametrize("optimizer", EACH_OPTIMIZER)
def test_second_derivatives_and_forward_mode(optimizer: Any) -> None:
    x, y, v = at.matrices("x", "y", "v")
    s = softmax(x * y)
    cost = (s**2 * x).sum()
    outputs = [hvp(cost, x, v), jvp(s, x, v), grad((grad(cost, x) * v).sum(), y)]
    first = eager_grad(cost, x)
    eager = [
        eager_grad((first * v).sum(), x),
        kanrewrite.jvp(s, x, v),
        eager_grad((first * v).sum(), y),
    ]
    vals = values((2, 3), (2, 3), (2, 3))
    expected = compiled([x, y, v], eager, None)(*vals)
    with registered_gradient(softmax_by_hand):
        found = compiled([x, y, v], outputs, optimizer)(*vals)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-10, 1e-12)


@pytest.mark.parametrize("optimizer", EACH_OPTIMIZER)
def test_several_variables_with_sums_over_repeated_axes(optimizer: Any) -> None:
    a, b = at.col("a"), at.matrix("b")
    cost = (b * at.log(at.exp(a) + at.exp(b))).sum()
    vals = values((3, 1), (3, 2))
    expected = compiled([a, b], eager_grad(cost, [a, b]), None)(*vals)
    with registered_gradient(two_exponentials), kanrewrite.trace() as steps:
        found = compiled([a, b], grad(cost, [a, b]), optimizer)(*vals)
    assert [event.name for event in steps.fired_events] == ["two_exponentials"]
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y)


def test_a_relation_that_loses_a_part_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    a, b = at.vectors("a", "b")
    cost = at.log(at.exp(a) + at.exp(b)).sum()
    with registered_gradient(first_exponential):
        assert len(compiled([a, b], grad(cost, a))([0.0], [0.0])) == 1
        with (
            pytest.raises(RelationLosesDerivative, match=r"first.*`b`, which is [ab],"),
            aesara.config.change_flags(on_opt_error="warn"),
        ):
            aesara.function([a, b], grad(cost, [a, b]), mode=Mode("py", "fast_run"))
        assert not caplog.records  # Aesara logs the errors after which it goes on
        with kanrewrite.disabled("first_exponential"):
            assert compiled([a, b], grad(cost, b))([0.0], [0.0])[0] == [0.5]


def test_what_is_not_differentiated_through_is_not_lost() -> None:
    a, b = at.vectors("a", "b")
    c = 2 * b
    cost = at.log(at.exp(a * b) + at.exp(c)).sum()
    with registered_gradient(first_exponential):
        function = compiled([a, b], grad(cost, b, consider_constant=[c]))
    expected = compiled([a, b], eager_grad(cost, b, consider_constant=[c]))
    np.testing.assert_allclose(function([0.3], [0.2]), expected([0.3], [0.2]))


def test_switching_it_off(registered: Any) -> None:
    registered(signs_pass)
    x = at.vector("x")
    gradient = grad(at.sgn(x).sum(), x)

    def found(mode: Any = "fast_run") -> Any:
        return compiled([x], gradient, mode)([0.5])[0].tolist()

    assert found() == [1.0]
    assert found(None) == [1.0]
    for name in ("signs_pass", "test_stated"):
        with kanrewrite.disabled(name):
            assert found() == [0.0]
        assert found(Mode("py", "fast_run").excluding(name)) == [0.0]
    assert found(Mode("py", "fast_run").excluding("kanrewrite")) == [0.0]
    assert found() == [1.0]


def test_registering_as_a_gradient_is_registering() -> None:
    assert register_gradient(signs_pass) is signs_pass
    assert signs_pass in relations()
    assert signs_pass in enabled()
    unregister_gradient(signs_pass)
    assert signs_pass not in relations()
    with pytest.raises(UnknownRelation, match="signs_pass"):
        unregister_gradient(signs_pass)


def test_another_of_the_same_name_is_refused(registered: Any) -> None:
    registered(signs_pass)

    def twin() -> Any:
        @relation
        def signs_pass(x: Float, g: Float) -> Iterator[Eq]:
            yield eq(T.gradient(T.sgn(x), x, g), 2 * g)

        return signs_pass

    with pytest.raises(DuplicateRelation, match="signs_pass"):
        register_gradient(twin())


def test_the_graph_itself_is_left_alone(registered: Any) -> None:
    registered(softmax_by_hand)
    x = at.matrix("x")
    function = compiled([x], at.exp(x) / (1 + at.exp(x).sum(axis=1)))
    assert not {"Softmax", "SoftmaxGrad"} & set(names_of(function))


def test_a_number_stands_for_all_elements() -> None:
    x = at.vector("x")
    with registered_gradient(flat):
        function = compiled([x], grad((at.sin(x) + x).sum(), x))
    np.testing.assert_array_equal(function([1.0, 2.0])[0], [1.0, 1.0])


def test_the_largest_expression_decides_and_what_is_used_elsewhere_is_asked_too() -> None:
    x = at.matrix("x")
    e = at.exp(x)
    cost = (e / e.sum(axis=1, keepdims=True)).sum() + e.sum()
    for stated in (softmax_by_hand, sevenfold):
        register_gradient(stated)
    try:
        function = compiled([x], grad(cost, x))
    finally:
        for stated in (softmax_by_hand, sevenfold):
            unregister_gradient(stated)
    np.testing.assert_allclose(function(np.zeros((2, 3)))[0], np.full((2, 3), 7.0), atol=1e-12)


@pytest.mark.parametrize("optimizer", EACH_OPTIMIZER)
def test_equal_variables_are_not_taken_for_one_another(optimizer: Any) -> None:
    a, b = at.vectors("a", "b")
    w, c = a + b, b + a
    cost = (c * at.exp(w) + at.exp(c)).sum()
    gradients = [
        *(grad(cost, v) for v in (w, c)),
        *grad(cost, [a, w]),
        grad(cost, a, consider_constant=[c]),
    ]
    with registered_gradient(sevenfold):
        found = compiled([a, b], gradients, optimizer)([0.1], [0.2])
    of_w, of_c = 7 * 0.3, np.exp(0.3) + 7
    np.testing.assert_allclose(np.ravel(found), [of_w, of_c, of_w + of_c, of_w, of_w])


def test_what_is_read_above_does_not_make_a_cycle() -> None:
    a, b = at.vectors("a", "b")
    e = at.exp(a) * at.exp(b)
    s = e.sum(keepdims=True)
    above = at.log(e / s * s)  # reads as a + b, which nothing below is
    cost = (above * e / s).sum()
    vals = values((3,), (3,))
    expected = compiled([a, b], eager_grad(cost, [a, b]), None)(*vals)
    with registered_gradient(softmax_by_hand):
        found = compiled([a, b], grad(cost, [a, b]))(*vals)
    np.testing.assert_allclose(found, expected)


def test_inside_a_loop_and_in_single_precision() -> None:
    x = at.fmatrix("x")
    sums, _ = aesara.scan(lambda row: grad((softmax(row) * row).sum(), row), sequences=[x])
    reference, _ = aesara.scan(
        lambda row: eager_grad((softmax(row) * row).sum(), row), sequences=[x]
    )
    vals = np.asarray(values((3, 4))[0], "float32")
    with registered_gradient(softmax_by_hand):
        function = compiled([x], sums)
    inner = [n.op for n in function.maker.fgraph.apply_nodes if hasattr(n.op, "inner_outputs")]
    ops = [type(n.op) for op in inner for n in op.fgraph.apply_nodes]
    assert SoftmaxGrad in ops
    assert function(vals)[0].dtype == "float32"
    np.testing.assert_allclose(function(vals)[0], compiled([x], reference)(vals)[0], 1e-5, 1e-6)


@pytest.mark.slow
def test_verify() -> None:
    for stated in (softmax_by_hand, two_exponentials, first_exponential):
        assert kanrewrite.verify(stated).ok
    assert not kanrewrite.verify(sevenfold).ok


def test_a_derivative_of_the_wrong_shape_is_refused() -> None:
    @relation
    def total(x: Float, g: Float) -> Iterator[Eq]:
        yield eq(T.gradient(T.exp(x), x, g), T.sum(g))

    x = at.matrix("x")
    with registered_gradient(total), pytest.raises(RuleTermMismatch, match="total"):
        compiled([x], grad(at.exp(x).sum(), x))


def test_a_relation_of_another_kind_is_no_gradient() -> None:
    @relation
    def log_exp(x: Float) -> Iterator[Eq]:
        yield eq(T.log(T.exp(x)), x)

    with pytest.raises(StatesNoDerivative, match="log_exp"):
        register_gradient(log_exp)


def _elsewhere(x: Any, g: Any) -> Any:
    return eq(T.exp(T.gradient(T.log(x), x, g)), g)


def _on_the_right(x: Any, g: Any) -> Any:
    return eq(T.exp(x) * g, T.gradient(T.exp(x), x, g))


def _nested(x: Any, g: Any) -> Any:
    return eq(T.gradient(T.gradient(T.exp(x), x, g), x, g), g)


def _of_everything(x: Any, g: Any) -> Any:
    return eq(T.gradient(x, x, g), g)


def _in_a_term(x: Any, g: Any) -> Any:
    return eq(T.gradient(T.exp(2 * x), 2 * x, g), g)


def _in_another(x: Any, g: Any) -> Any:
    return eq(T.gradient(T.exp(x), g, x), g)


def _no_upstream(x: Any, g: Any) -> Any:
    return eq(T.gradient(T.exp(x * g), x, g), g)


def _two_operands(x: Any, g: Any) -> Any:
    return eq(T.gradient(T.exp(x), g), g)


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        (_elsewhere, "not the left side alone"),
        (_on_the_right, "not the left side alone"),
        (_nested, "not the left side alone"),
        (_of_everything, "would match everything"),
        (_in_a_term, "`2 \\* x` is no tensor parameter"),
        (_in_another, "`g` is no tensor parameter"),
        (_no_upstream, "`g` is no parameter of its own"),
        (_two_operands, "has 2 operands"),
    ],
)
def test_what_could_not_be_matched_is_refused(equation: Any, message: str) -> None:
    with pytest.raises(RelationError, match=message):

        @relation
        def stated(x: Float, g: Float) -> Iterator[Eq]:
            yield equation(x, g)


def test_one_derivative_twice_and_other_directions_are_refused() -> None:
    def twice(x: Float, g: Float) -> Iterator[Eq]:
        yield eq(T.gradient(T.exp(x), x, g), g)
        yield eq(T.gradient(T.exp(x), x, g), 2 * g)

    with pytest.raises(RelationError, match="twice"):
        relation(twice)

    def turned(x: Float, g: Float) -> Iterator[Eq]:
        yield eq(T.gradient(T.exp(x), x, g), T.exp(x) * g)

    with pytest.raises(RelationError, match="direction='both'"):
        relation(direction="both")(turned)


def test_a_guard_that_raises_leaves_the_relation_out(registered: Any) -> None:
    from kanrewrite.guards import Guard

    def fail(_: Any) -> bool:
        raise ArithmeticError("no")

    @relation
    def guarded(x: Float, g: Float) -> Iterator[Eq]:
        yield eq(T.gradient(T.exp(x), x, g), 7 * g).when(Guard("Failing", fail)(x))

    registered(guarded)
    x = at.vector("x")
    with pytest.warns(kanrewrite.errors.RelationWarning, match="guarded.*ArithmeticError"):
        function = compiled([x], grad(at.exp(x).sum(), x))
    assert function([0.0])[0] == [1.0]
