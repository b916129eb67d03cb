"""kanrewrite.grad takes and refuses what eager_grad takes and refuses."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.gradient import (
    DisconnectedInputError,
    DisconnectedType,
    NullTypeGradError,
    disconnected_grad,
    grad_clip,
    grad_scale,
    undefined_grad,
    zero_grad,
)
from aesara.graph.null_type import NullType

import kanrewrite
from kanrewrite.gradient import Gradient
from tests.gradient.common import assert_same, at, eager_grad, values

BOTH = pytest.mark.parametrize("grad", [kanrewrite.grad, eager_grad])


def test_the_gradient_is_one_node() -> None:
    x, y = at.matrices("x", "y")
    gx, gy = kanrewrite.grad((at.exp(x) * y).sum(), [x, y])
    assert isinstance(gx.owner.op, Gradient)
    assert gx.owner is gy.owner


@BOTH
def test_the_form_of_the_result_is_that_of_wrt(grad: Any) -> None:
    x, y = at.scalars("x", "y")
    assert isinstance(grad(x * y, [x, y]), list)
    assert isinstance(grad(x * y, (x, y)), tuple)
    assert grad(x * y, x).ndim == 0
    assert grad(x * y, []) == []


@BOTH
def test_refusals(grad: Any) -> None:
    x, y, i = at.vector("x"), at.vector("y"), at.iscalar("i")
    with pytest.raises(TypeError):
        grad(x, x)
    with pytest.raises(ValueError, match="cost"):
        grad(None, x)
    with pytest.raises(DisconnectedInputError):
        grad(x.sum(), y)
    with pytest.raises(DisconnectedInputError):
        grad(disconnected_grad(x).sum(), x)
    with pytest.raises(DisconnectedInputError):
        grad(grad((3 * x).sum(), x).sum(), x)
    with pytest.raises(ValueError, match="disconnected_inputs"):
        grad(x.sum(), y, disconnected_inputs="never")
    with pytest.raises(TypeError):
        grad(x.sum(), x, consider_constant=3)
    with pytest.raises(TypeError):
        grad(x.sum(), x, consider_constant=[3])
    with pytest.raises(TypeError):
        grad(None, x, known_grads={x: i})
    with pytest.raises(NullTypeGradError):
        grad(undefined_grad(x).sum(), x)


@BOTH
def test_disconnected_inputs(grad: Any) -> None:
    x, y = at.vectors("x", "y")
    with pytest.warns(UserWarning, match="gradient with respect to"):
        zeros = grad(x.sum(), [x, y], disconnected_inputs="warn")[1]
    np.testing.assert_array_equal(zeros.eval({y: [1.0, 2.0]}), [0.0, 0.0])

    def ask(what: str) -> Any:
        return grad(x.sum(), [x, y], disconnected_inputs="ignore", return_disconnected=what)[1]

    assert ask("none") is None
    assert ask("None") is None
    assert isinstance(ask("disconnected").type, DisconnectedType)
    assert isinstance(ask("Disconnected").type, DisconnectedType)


@BOTH
def test_null_gradients(grad: Any) -> None:
    x, y = at.vectors("x", "y")
    cost = (undefined_grad(x) * y).sum()
    null, fine = grad(cost, [x, y], null_gradients="return")
    assert isinstance(null.type, NullType)
    np.testing.assert_array_equal(fine.eval({x: [1.0, 2.0], y: [3.0, 4.0]}), [1.0, 2.0])


@BOTH
def test_names(grad: Any) -> None:
    x = at.vector("x")
    cost = x.sum()
    cost.name = "cost"
    assert grad(cost, x).name == "(dcost/dx)"
    assert grad(cost, x, add_names=False).name is None


def test_a_float32_variable_under_a_float64_cost() -> None:
    x, w = at.fmatrix("x"), at.dvector("w")
    for cost in [(x * w).sum(), (x + w).sum(), at.exp(x).sum() * w.sum()]:
        eager, implicit = eager_grad(cost, [x, w]), kanrewrite.grad(cost, [x, w])
        assert [g.dtype for g in implicit] == [g.dtype for g in eager]
        a, b = values((3, 4), (4,))
        assert_same([x, w], implicit, eager, [a.astype("float32"), b], ["fast_run", None])


def test_integers() -> None:
    x, i = at.dmatrix("x"), at.imatrix("i")
    vals = [values((2, 2))[0], np.array([[1, 2], [3, 4]], "int32")]
    cost = (x * i + at.exp(i)).sum()
    both = kanrewrite.grad(cost, [x, i]), eager_grad(cost, [x, i])
    assert_same([x, i], *both, vals)
    whole = (i**2).sum()
    assert_same([i], kanrewrite.grad(whole, i), eager_grad(whole, i), vals[1:])


def test_consider_constant() -> None:
    x = at.matrix("x")
    z = x * 2
    cost = (z * x).sum()
    for wrt in (x, [x, z], z):
        implicit = kanrewrite.grad(cost, wrt, consider_constant=[z])
        assert_same([x], implicit, eager_grad(cost, wrt, consider_constant=[z]), values((3, 3)))


def test_consider_constant_within_another_derivative() -> None:
    x = at.matrix("x")
    h = at.sin(x)

    def second(grad: Any) -> Any:
        inner = grad((h**3 * x).sum(), x)
        return grad((inner * h).sum(), x, consider_constant=[h])

    assert_same([x], second(kanrewrite.grad), second(eager_grad), values((3, 3)))


def test_known_gradients() -> None:
    x, g = at.matrices("x", "g")
    y = at.exp(x)
    z = y * x

    def all_of(grad: Any) -> list[Any]:
        return [
            grad(None, x, known_grads={z: g}),
            grad(None, x, known_grads={z: g, y: 2 * g}),
            *grad(z.sum(), [x, y], known_grads={y: 2 * g}),
            grad(z.sum(), x, known_grads={z.sum(): at.constant(2.0)}),
        ]

    assert_same([x, g], all_of(kanrewrite.grad), all_of(eager_grad), values((3, 3), (3, 3)))


# Aesara's zero_grad passes a variable where a dtype is expected.
@pytest.mark.filterwarnings("ignore:in the future the `.dtype` attribute:DeprecationWarning")
def test_ops_with_a_gradient_of_their_own() -> None:
    """Aesara removes them from a graph in its first pass."""
    x = at.matrix("x")
    cost = (
        disconnected_grad(x) * x
        + zero_grad(at.square(x)) * x
        + grad_scale(x**2, 3.0)
        + grad_clip(x**3, -0.1, 0.1)
        + grad_clip(x**3, -0.2, 0.2)
        + (x + disconnected_grad(at.round(x) - x)) ** 2
    ).sum()

    def orders(grad: Any) -> list[Any]:
        first = grad(cost, x)
        return [first, grad((first * x).sum(), x)]

    assert_same([x], orders(kanrewrite.grad), orders(eager_grad), values((3, 3)))


def test_with_respect_to_intermediate_variables() -> None:
    x = at.matrix("x")
    h = at.exp(x) * 2
    cost = (h * x * h).sum()

    def all_of(grad: Any) -> list[Any]:
        first, inner = grad(cost, [x, h])
        return [
            first,
            inner,
            grad((inner * x).sum(), h),
            grad((inner * x).sum(), x),
            grad((first * h).sum(), h),
        ]

    assert_same([x], all_of(kanrewrite.grad), all_of(eager_grad), values((3, 3)))


def test_equal_variables_are_told_apart() -> None:
    x = at.matrix("x")
    a, b = x * 2, x * 2
    c, d = at.constant(np.ones((3, 3))), at.constant(np.ones((3, 3)))
    cost = (a * b**2 * c**3 * d**4).sum()
    both = kanrewrite.grad(cost, [a, b, c, d]), eager_grad(cost, [a, b, c, d])
    assert_same([x], *both, values((3, 3)))


def test_value_and_grad() -> None:
    x, y = at.scalars("x", "y")
    cost, (gx, gy) = kanrewrite.value_and_grad(x**2 * y, [x, y])
    found = aesara.function([x, y], [cost, gx, gy])(3.0, 2.0)
    np.testing.assert_array_equal(found, [18.0, 12.0, 9.0])


def test_shapes_do_not_need_the_derivative() -> None:
    x = at.matrix("x")
    shape = kanrewrite.grad((at.exp(x) ** 2).sum(), x).shape
    function = aesara.function([x], shape)
    names = {type(n.op).__name__ for n in function.maker.fgraph.apply_nodes}
    assert names <= {"Shape_i", "MakeVector"}
    np.testing.assert_array_equal(function(np.ones((2, 3))), [2, 3])
