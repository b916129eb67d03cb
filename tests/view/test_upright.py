"""What need not be transposed is reduced as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.elemwise import DimShuffle

from tests.benchmarks.unrolled import capsules, regimes
from tests.modes import WHOLE
from tests.view.common import PLAIN, assert_right, at, function, grad, share

X, Y = at.dmatrix("x"), at.dmatrix("y")
V, W = at.dvector("v"), at.dvector("w")


def _row(x: Any) -> Any:
    return x.dimshuffle("x", 0)


def _mixed(v: Any, x: Any) -> Any:
    """What a step of a filter does: weights of weights."""
    return at.dot(at.exp(v) / at.exp(v).sum(), share(x))


#: Graphs of x (four rows of three), v (four) and w (three).
GRAPHS: dict[str, Callable[[], Any]] = {
    "log of weights of weights": lambda: at.log(_mixed(V, X)),
    "slope of weights of weights": lambda: grad(at.log((_mixed(V, X) * at.exp(W)).sum()), X),
    "transposed weights": lambda: at.log((share(X.T, axis=0) * _row(at.exp(V))).sum(axis=1)),
}


def moves(compiled: Any) -> list[tuple[int, ...]]:
    """The orders of what a compiled function transposes."""
    ops: list[Any] = [node.op for node in compiled.maker.fgraph.apply_nodes]
    shuffles = [op for op in ops if isinstance(op, DimShuffle)]
    orders = (tuple(o for o in op.new_order if o != "x") for op in shuffles)
    return [order for order in orders if list(order) != sorted(order)]


@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_is_transposed(name: str) -> None:
    assert moves(function([X, V, W], GRAPHS[name](), PLAIN)) == []


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
@pytest.mark.parametrize("name", GRAPHS)
def test_it_is_right(name: str, scale: float) -> None:
    rng, graph = np.random.default_rng(3), GRAPHS[name]()
    outputs = [graph, *grad(graph.sum(), [X, V, W], disconnected_inputs="ignore")]
    values = [scale * rng.standard_normal(shape) for shape in ((4, 3), (4,), (3,))]
    assert_right([X, V, W], outputs, values, rtol=1e-9, atol=1e-11)


def _crossed() -> Any:
    """Exponents in which the same matrix is summed along both of its dimensions."""
    z = at.exp(X.T) * share(Y, axis=1) + at.tanh(Y.T)
    top = at.stack([z.sum(axis=0), z.sum(axis=1)], axis=1).max(axis=1)
    return at.log(at.exp(top).sum()) * V.sum()


def _mixture() -> Any:
    """An exponent that is a product with a matrix of shares along the other dimension."""
    z = share(Y.T, axis=1).T * share(X.T, axis=1).T + at.exp(X)
    return at.log(at.exp(at.dot(V, z)).sum()) * V.sum()


@pytest.mark.parametrize("graph", [_crossed, _mixture])
def test_what_is_turned_is_not_turned_back(graph: Callable[[], Any]) -> None:
    loss = graph()
    outputs = [loss, *grad(loss, [X, Y, V])]
    rng = np.random.default_rng(5)
    values = [rng.standard_normal(shape) for shape in ((3, 3), (3, 3), (3,))]
    assert_right([X, Y, V], outputs, values, rtol=1e-10, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "steps", "most"),
    [(capsules, 2, 230), (capsules, 3, 500), (regimes, 1, 120), (regimes, 2, 205)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_models_have_fewer_nodes(model: Any, steps: int, most: int) -> None:
    shaped, loss = model(steps)
    inputs = [v for v, _ in shaped]
    compiled = function(inputs, [loss, *grad(loss, inputs)], WHOLE)
    assert len(compiled.maker.fgraph.apply_nodes) <= most  # they were 427, 894, 128, 219
