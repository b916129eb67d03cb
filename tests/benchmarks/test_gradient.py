"""What an implicit gradient costs against an eager one: to compile, and to run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kanrewrite
from tests.gradient.common import at, compiled, eager_grad, softmax

#: Inputs, cost, parameters, values.
Model = tuple[list[Any], Any, list[Any], list[Any]]


def classifier() -> Model:
    """Two layers and a hand-written cross-entropy."""
    rng = np.random.default_rng(0)
    x, y = at.matrices("x", "y")
    w1, b1, w2, b2 = at.matrix("w1"), at.vector("b1"), at.matrix("w2"), at.vector("b2")
    hidden = at.tanh(at.dot(x, w1) + b1)
    p = softmax(at.dot(hidden, w2) + b2)
    loss = -at.log((p * y).sum(axis=1)).mean() + 1e-3 * ((w1**2).sum() + (w2**2).sum())
    values = [
        rng.normal(size=(64, 20)),
        np.eye(10)[rng.integers(0, 10, 64)],
        rng.normal(size=(20, 50)) * 0.1,
        np.zeros(50),
        rng.normal(size=(50, 10)) * 0.1,
        np.zeros(10),
    ]
    return [x, y, w1, b1, w2, b2], loss, [w1, b1, w2, b2], values


def normalized(z: Any, gain: Any) -> Any:
    centred = z - z.mean(axis=-1, keepdims=True)
    return gain * centred / at.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def attention() -> Model:
    """A transformer block: attention and a layer of softplus, normed and with shortcuts."""
    rng = np.random.default_rng(0)
    x, *weights = at.matrices("x", "q", "k", "v", "o", "w1", "w2")
    gains = list(at.vectors("g1", "g2"))
    q, k, v, o, w1, w2 = weights
    z = normalized(x, gains[0])
    scores = softmax(at.dot(at.dot(z, q), at.dot(z, k).T) / 4.0)
    h = x + at.dot(at.dot(scores, at.dot(z, v)), o)
    h = h + at.dot(at.log(1 + at.exp(at.dot(normalized(h, gains[1]), w1))), w2)
    values = [rng.normal(size=(32, 16))]
    values += [rng.normal(size=(16, 16)) * 0.2 for _ in weights]
    values += [np.ones(16) for _ in gains]
    return [x, *weights, *gains], (h**2).mean(), [*weights, *gains], values


MODELS = pytest.mark.parametrize("model", [classifier, attention])
GRADS = pytest.mark.parametrize("grad", [kanrewrite.grad, eager_grad], ids=["implicit", "eager"])


def function(grad: Any, model: Any) -> Any:
    inputs, loss, parameters, _ = model()
    return compiled(inputs, [loss, *grad(loss, parameters)])


@pytest.mark.spared
@MODELS
@GRADS
def test_compile(benchmark: Any, grad: Any, model: Any) -> None:
    benchmark.extra_info["nodes"] = len(benchmark(function, grad, model).maker.fgraph.apply_nodes)


@pytest.mark.slow
@MODELS
@GRADS
def test_run(benchmark: Any, grad: Any, model: Any) -> None:
    results = benchmark(function(grad, model), *model()[3])
    expected = function(eager_grad, model)(*model()[3])
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-7, 1e-10)
