"""Derivatives inside loops and Ops made from graphs, and derivatives of these."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph

import kanrewrite
from tests.gradient.common import assert_same, at, compiled, eager_grad, values
from tests.sparing import sparing

GRADS = (kanrewrite.grad, eager_grad)
DIRECTION = np.array([[1.0, -2.0], [4.0, 3.0], [-0.5, 1.0]])


def in_loop(grad: Any) -> tuple[list[Any], Any]:
    x, w = at.matrix("x"), at.vector("w")
    rows, _ = aesara.scan(
        lambda a, b: grad((at.tanh(a * b) ** 2).sum(), b), sequences=[x], non_sequences=[w]
    )
    return [x, w], rows


def descent(grad: Any) -> tuple[list[Any], Any]:
    """Three steps of gradient descent."""
    v, w = at.vector("v"), at.vector("w")
    steps, _ = aesara.scan(
        lambda b: b - 0.1 * grad((at.square(b - w) ** 2).sum() + at.exp(b).sum(), b),
        outputs_info=[v],
        n_steps=3,
    )
    return [v, w], steps[-1]


@pytest.mark.spared(2)
@pytest.mark.parametrize("case", [in_loop, descent])
def test_expanded_before_computations_leave_the_loop(case: Any) -> None:
    both = [compiled(*case(grad)) for grad in GRADS]
    vals = values(*[(3, 4) if v.ndim == 2 else (4,) for v in case(eager_grad)[0]])
    np.testing.assert_allclose(*(f(*vals)[0] for f in both))
    sizes = [len(f.maker.fgraph.apply_nodes) for f in both]
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize("optimizer", sparing(["fast_compile", "fast_run", None]))
@pytest.mark.parametrize("case", sparing([descent, in_loop]))
@pytest.mark.parametrize(
    "outer", [kanrewrite.grad, pytest.param(eager_grad, marks=pytest.mark.slow)]
)
def test_through_a_loop_that_holds_a_derivative(outer: Any, case: Any, optimizer: Any) -> None:
    """With respect to a non-sequence too."""
    inputs, value = case(kanrewrite.grad)
    found = compiled(inputs, outer((value**2).sum(), inputs), optimizer)
    inputs, value = case(eager_grad)
    expected = compiled(inputs, eager_grad((value**2).sum(), inputs), None)
    vals = values(*[(3, 4) if v.ndim == 2 else (4,) for v in inputs])
    for a, b in zip(found(*vals), expected(*vals), strict=True):
        np.testing.assert_allclose(a, b)


@pytest.mark.slow
def test_second_derivatives_of_a_loop_that_holds_a_derivative() -> None:
    found = []
    for grad in GRADS:
        (v, w), value = descent(grad)
        found.append(compiled([v, w], grad(grad(value.sum(), w).sum(), v)))
    vals = values((4,), (4,))
    np.testing.assert_allclose(*(f(*vals)[0] for f in found))


@pytest.mark.slow
def test_of_a_loop() -> None:
    x, w = at.matrix("x"), at.vector("w")
    states, _ = aesara.scan(
        lambda a, h: at.tanh(a + h * w), sequences=[x], outputs_info=[at.zeros(3)]
    )
    cost = states[-1].sum()

    def orders(grad: Any) -> list[Any]:
        first = grad(cost, w)
        return [first, grad(first.sum(), x)]

    both = orders(kanrewrite.grad), orders(eager_grad)
    assert_same([x, w], *both, values((3, 3), (3,)), ["fast_run"])


def test_loops_within_loops() -> None:
    v, w = at.vectors("v", "w")

    def table(grad: Any) -> Any:
        def row(a: Any) -> Any:
            return aesara.scan(lambda b: grad(at.sin(a * b), b), sequences=[w])[0]

        return aesara.scan(row, sequences=[v])[0]

    assert_same([v, w], table(kanrewrite.grad), table(eager_grad), values((4,), (4,)))


@pytest.mark.spared(2)
@pytest.mark.parametrize("optimizer", sparing(["fast_run", "fast_compile", None]))
@pytest.mark.parametrize("inline", [True, False])
def test_ops_made_from_a_graph(inline: bool, optimizer: Any) -> None:
    v, w = at.vectors("v", "w")

    def made(grad: Any) -> Any:
        a, b = at.vectors("a", "b")
        op = OpFromGraph([a, b], [grad((at.sin(a) * b**2).sum(), b)], inline=inline)
        return op(v, w)

    eager = made(eager_grad)
    expected = [eager, *eager_grad((eager**2).sum(), [v, w])]
    for outer in GRADS:
        implicit = made(kanrewrite.grad)
        found = [implicit, *outer((implicit**2).sum(), [v, w])]
        assert_same([v, w], found, expected, values((4,), (4,)), [optimizer])


@pytest.mark.parametrize("inline", [True, False])
def test_a_gradient_that_an_op_made_from_a_graph_was_given(inline: bool) -> None:
    """Inlining it first would lose the gradient."""
    v, a = at.vectors("v", "a")
    made: Any = OpFromGraph
    op = made(
        [a], [at.exp(a)], inline=inline, grad_overrides=lambda _, gradients: [7.0 * gradients[0]]
    )
    cost = (op(v) * v).sum()
    assert_same([v], kanrewrite.grad(cost, v), eager_grad(cost, v), values((4,)))


# -- derivatives of derivatives of loops, which Aesara counts twice


def sums(x: Any) -> Any:
    """Sums of the rows so far, each made of the one before."""
    return aesara.scan(lambda row, s: row + s, sequences=[x], outputs_info=[at.zeros(2)])[0]


def sums_of_two(x: Any) -> Any:
    """Sums of a row and of the two states before it."""
    info = {"initial": at.zeros((2, 2)), "taps": [-2, -1]}
    return aesara.scan(lambda row, a, b: row + a + b, sequences=[x], outputs_info=[info])[0]


def sums_within_sums(x: Any) -> Any:
    """Sums of the sums so far, by a loop in a loop."""
    return aesara.scan(lambda n: sums(x[: n + 1]).sum(0), [at.arange(x.shape[0])])[0]


LINEAR = {
    "one back": (sums, [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    "two back": (sums_of_two, [[1, 0, 0], [1, 1, 0], [2, 1, 1]]),
    "nested": (sums_within_sums, [[1, 0, 0], [2, 1, 0], [3, 2, 1]]),
}


QUICK_FIRST = [n if n == "one back" else pytest.param(n, marks=pytest.mark.slow) for n in LINEAR]


def at_ones(value: Any, x: Any, v: Any) -> Any:
    return compiled([x, v], [value], None)(np.ones((3, 2)), DIRECTION)[0]


@pytest.mark.parametrize("name", QUICK_FIRST)
def test_directions_enter_every_step_once(name: str) -> None:
    loop, matrix = LINEAR[name]
    x, v = at.matrices("xv")
    moved = at_ones(kanrewrite.jvp(loop(x), x, v), x, v)
    np.testing.assert_allclose(moved, matrix @ DIRECTION)


@pytest.mark.parametrize("name", QUICK_FIRST)
def test_each_step_has_its_own_curvature(name: str) -> None:
    loop, matrix = LINEAR[name]
    x, v = at.matrices("xv")
    cost = at.square(loop(x)).sum()
    found = at_ones(kanrewrite.hvp(cost, x, v), x, v)
    np.testing.assert_allclose(found, 2 * np.transpose(matrix) @ (matrix @ DIRECTION))


def test_aesara_derives_what_the_library_has_derived() -> None:
    x, v = at.matrices("xv")
    gradient = kanrewrite.grad(at.square(sums(x)).sum(), x)
    written: Any = aesara.grad((gradient * v).sum(), x)
    matrix = np.array(LINEAR["one back"][1])
    found = at_ones(written, x, v)
    np.testing.assert_allclose(found, 2 * matrix.T @ (matrix @ DIRECTION))
