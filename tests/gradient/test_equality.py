"""Derivatives are those of eager_grad, Lop and Rop, in every mode and to every order."""

from __future__ import annotations

from typing import Any

import aesara.sparse
import numpy as np
import pytest
import scipy.sparse
from aesara.gradient import NullTypeGradError
from aesara.ifelse import ifelse

import kanrewrite
from tests.gradient.common import EXPRESSIONS, Lop, Rop, assert_same, at, eager_grad, values
from tests.sparing import sparing

sparse: Any = aesara.sparse


def graph(name: str) -> tuple[Any, Any, Any]:
    x, w = at.matrix("x"), at.vector("w")
    return x, w, EXPRESSIONS[name](x, w)


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(EXPRESSIONS))
def test_grad(name: str) -> None:
    x, w, y = graph(name)
    cost = (at.sin(y) * y).sum()
    implicit, eager = kanrewrite.grad(cost, [x, w]), eager_grad(cost, [x, w])
    assert [g.type for g in implicit] == [g.type for g in eager]
    assert_same([x, w], implicit, eager, values((3, 4), (4,)))


#: Aesara has no second derivative of a product of many.
TWICE = sorted(EXPRESSIONS.keys() - {"outer"})


@pytest.mark.spared(2)
@pytest.mark.parametrize("optimizer", ["fast_run", pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sparing(TWICE, 5))
def test_second_and_mixed_derivatives(name: str, optimizer: str | None) -> None:
    x, w, y = graph(name)
    cost = at.sin(y).sum()

    def second(grad: Any) -> list[Any]:
        gx, gw = grad(cost, [x, w])
        mixed = grad((gx**2).sum() + gw.sum(), [x, w])
        return [*mixed, grad((gw**3).sum(), x, disconnected_inputs="ignore")]

    both = second(kanrewrite.grad), second(eager_grad)
    assert_same([x, w], *both, values((3, 4), (4,)), [optimizer])


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(TWICE))
def test_vjp_and_jvp(name: str) -> None:
    x, w, y = graph(name)
    u, dx, dw = y.type("u"), at.matrix("dx"), at.vector("dw")
    shape = EXPRESSIONS[name](*map(at.as_tensor, values((3, 4), (4,)))).eval().shape
    vals = values((3, 4), (4,), shape, (3, 4), (4,))
    implicit = [*kanrewrite.vjp(y, [x, w], u), kanrewrite.jvp(y, [x, w], [dx, dw])]
    pulled = Lop(y, [x, w], u)
    # Not Lop of Lop: where one of `pulled` is made of the other, it forgets contributions.
    along = (pulled[0] * dx).sum() + (pulled[1] * dw).sum()
    eager = [*pulled, eager_grad(along, u)]
    assert_same([x, w, u, dx, dw], implicit, eager, vals, ["fast_run"])


@pytest.mark.spared
@pytest.mark.parametrize("name", ["softmax", "sigmoid", "attention", "indexed", "max_shift"])
def test_jvp_is_rop(name: str) -> None:
    x, w, y = graph(name)
    dx, dw = at.matrix("dx"), at.vector("dw")
    both = kanrewrite.jvp(y, [x, w], [dx, dw]), Rop(y, [x, w], [dx, dw])
    assert_same([x, w, dx, dw], *both, values((3, 4), (4,), (3, 4), (4,)), ["fast_run", None])


def test_a_derivative_that_aesara_does_not_have() -> None:
    x = at.matrix("x")
    with pytest.raises(NotImplementedError):
        kanrewrite.jvp(x.prod(axis=1), x, x)
    with pytest.raises((NotImplementedError, NullTypeGradError)):
        kanrewrite.hvp(x.prod(axis=1).sum(), x, x)


@pytest.mark.slow
def test_third_derivatives() -> None:
    x, w = at.matrix("x"), at.vector("w")
    y = (at.sin(x) * x**3 * w).sum()

    def third(grad: Any, *order: Any) -> Any:
        cost = y
        for v in order:
            cost = grad(cost, v).sum()
        return cost

    orders = [(x, x, x), (x, w, x), (w, x, x)]
    assert_same(
        [x, w],
        [third(kanrewrite.grad, *o) for o in orders],
        [third(eager_grad, *o) for o in orders],
        values((3, 4), (4,)),
        ["fast_run", "fast_compile"],
    )


def test_derivatives_of_derivatives_by_aesara() -> None:
    x, w = at.matrix("x"), at.vector("w")
    cost = (at.exp(x) * w).sum()

    def nested(grad: Any) -> list[Any]:
        first = grad(cost, x)
        return [*eager_grad((first * x).sum(), [x, w]), Rop(first, w, 2 * w)]

    both = nested(kanrewrite.grad), nested(eager_grad)
    assert_same([x, w], *both, values((3, 4), (4,)))


def test_hvp_jacobian_and_hessian() -> None:
    x, v = at.vectors("x", "v")
    cost = at.log(at.exp(x * x).sum())
    implicit = [
        kanrewrite.hvp(cost, x, v),
        kanrewrite.jacobian(softmax_of(x), x),
        kanrewrite.hessian(cost, x),
        kanrewrite.jacobian(cost, x),
    ]
    eager = [
        Lop(eager_grad(cost, x), x, v),
        at.jacobian(softmax_of(x), x),
        at.hessian(cost, x),
        at.jacobian(cost, x),
    ]
    assert_same([x, v], implicit, eager, values((4,), (4,)))


def test_matrices_of_any_number_of_dimensions() -> None:
    x, y = at.matrices("x", "y")
    implicit = [
        kanrewrite.jacobian(at.exp(x) * y, x).sum(axis=(0, 1)),
        kanrewrite.hessian((x**3).sum(), x).sum(axis=(0, 1)),
        *kanrewrite.jacobian(x.sum(axis=0) * y[0], (x, y)),
    ]
    eager = [at.exp(x) * y, 6 * x, *at.jacobian(x.sum(axis=0) * y[0], [x, y])]
    assert_same([x, y], implicit, eager, values((3, 3), (3, 3)), ["fast_run"])


def test_lazy_branches() -> None:
    p, x = at.scalar("p"), at.matrix("x")
    branch: Any = ifelse(p > 0, at.exp(x), x**2)
    cost = branch.sum()
    both = kanrewrite.grad(cost, x), eager_grad(cost, x)
    for number in (-1.0, 1.0):
        assert_same([p, x], *both, [number, *values((3, 3))], ["fast_run", None])


def test_sparse_matrices() -> None:
    s, x = sparse.csr_matrix("s"), at.matrix("x")
    cost = (sparse.dot(s, x) ** 2).sum()
    both = kanrewrite.grad(cost, x), eager_grad(cost, x)
    assert_same([s, x], *both, [scipy.sparse.csr_matrix(np.eye(3)), *values((3, 3))])


def softmax_of(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum()
