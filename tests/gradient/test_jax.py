"""Gradients under JAX: expanded, or left to jax.vjp; the values are those of aesara.grad."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.mode import get_mode
from aesara.gradient import disconnected_grad

import kanrewrite
from kanrewrite.gradient import NATIVE
from tests.gradient.common import Rop, at, compiled, eager_grad, implicit_nodes, softmax, values

pytest.importorskip("jax")

# JAX and Aesara's linker for it warn about each other's age.
pytestmark = pytest.mark.filterwarnings("ignore")

MODES = pytest.mark.parametrize("native", [False, True])


def mode(native: bool) -> Any:
    return get_mode("JAX").including(NATIVE) if native else get_mode("JAX")


def check(
    inputs: list[Any], implicit: list[Any], eager: list[Any], vals: list[Any], native: bool
) -> Any:
    expected = compiled(inputs, eager, None)(*vals)
    function = aesara.function(inputs, implicit, mode=mode(native))
    for a, b in zip(function(*vals), expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, 1e-6, 1e-9)
    return function


@MODES
def test_gradients(native: bool) -> None:
    x, w = at.matrix("x"), at.vector("w")
    cost = (softmax(at.tanh(x) * w) ** 2).sum()
    implicit, eager = ([cost, *grad(cost, [x, w])] for grad in (kanrewrite.grad, eager_grad))
    function = check([x, w], implicit, eager, values((3, 4), (4,)), native)
    assert len(implicit_nodes(function)) == native


@MODES
def test_second_derivatives(native: bool) -> None:
    x, w = at.matrix("x"), at.vector("w")
    cost = (softmax(at.tanh(x) * w) ** 2).sum()

    def second(grad: Any) -> list[Any]:
        return list(grad((grad(cost, x) ** 2).sum(), [x, w]))

    check([x, w], second(kanrewrite.grad), second(eager_grad), values((3, 4), (4,)), native)


@MODES
def test_what_jax_would_differentiate_otherwise_is_expanded(native: bool) -> None:
    """disconnected_grad is an identity to JAX, and an intermediate variable has no name there."""
    x = at.matrix("x")
    h = at.exp(x)
    cost = (disconnected_grad(h) * h * x).sum()
    implicit, eager = (list(grad(cost, [x, h])) for grad in (kanrewrite.grad, eager_grad))
    check([x], implicit, eager, values((3, 3)), native)


@MODES
def test_jacobians_without_loops(native: bool) -> None:
    x = at.TensorType("float64", (3,))("x")
    outputs = [
        kanrewrite.jacobian(softmax(x), x, unroll=True),
        kanrewrite.hessian((softmax(x) ** 2).sum(), x, unroll=True),
    ]
    found = aesara.function([x], outputs, mode=mode(native))(np.arange(3.0))
    for a, b in zip(found, compiled([x], outputs)(np.arange(3.0)), strict=True):
        np.testing.assert_allclose(a, b, 1e-6)


@MODES
def test_forward_mode_is_expanded(native: bool) -> None:
    x, v = at.matrices("x", "v")
    implicit = kanrewrite.jvp(softmax(x), x, v)
    eager = Rop(softmax(x), x, v)
    function = check([x, v], [implicit], [eager], values((3, 4), (3, 4)), native)
    assert implicit_nodes(function) == []


def test_a_stabilized_graph_is_what_jax_differentiates() -> None:
    x = at.matrix("x")
    cost = at.log(softmax(x))[:, 0].sum()
    found = aesara.function([x], kanrewrite.grad(cost, x), mode=mode(True))(np.full((1, 2), 1e3))
    np.testing.assert_allclose(np.asarray(found), [[0.5, -0.5]])
