"""Searches with the whole library, at the budgets that are given by default."""

from functools import partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

from kanrewrite.cost import node_count, numerical_error
from kanrewrite.reference import evaluate
from kanrewrite.search import explore

X, W, Y = (at.dmatrix(name) for name in "XWY")


def cross_entropy(logits: Any) -> Any:
    p = at.exp(logits) / at.exp(logits).sum(axis=1, keepdims=True)
    return -(Y * at.log(p)).sum(axis=1).mean()


def test_the_gradient_of_the_classifier_is_found_stable() -> None:
    gradient: Any = aesara.grad(cross_entropy(at.dot(X, W)), W)
    rng = np.random.default_rng(0)
    inputs = {X: 300 * rng.normal(size=(3, 4)), W: rng.normal(size=(4, 5)), Y: np.eye(5)[:3]}
    error = partial(numerical_error, inputs=inputs, truth=evaluate([gradient], inputs))
    assert error(gradient) == np.inf
    found = explore(gradient)
    stable = found.best(error)
    assert error(stable.outputs) < 1e4
    assert found.stopped.startswith("complete")
    assert stable.derivation[-1].target is stable


def test_every_graph_of_that_search_is_right_where_nothing_overflows() -> None:
    gradient: Any = aesara.grad(cross_entropy(at.dot(X, W)), W)
    rng = np.random.default_rng(1)
    inputs = {X: rng.normal(size=(3, 4)), W: rng.normal(size=(4, 5)), Y: np.full((3, 5), 0.2)}
    mode = aesara.compile.mode.Mode("py", "merge")
    wanted = aesara.function([X, W, Y], gradient, mode=mode)(*inputs.values())
    for found in explore(gradient).graphs:
        value = aesara.function([X, W, Y], found.graph, mode=mode)(*inputs.values())
        np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_graph_of_200_operators_is_answered_with_a_reason() -> None:
    h: Any = X
    weights = [at.dmatrix(f"w{i}") for i in range(10)]
    for w in weights:
        h = at.dot(h, w)
        h = h / (1 + at.exp(-h))
    graph = aesara.grad(cross_entropy(h), weights)
    assert node_count(graph) > 180
    found = explore(graph)
    assert found.stopped.split(":")[0] in ("seconds", "limit", "complete")
    assert found.best().cost <= node_count(graph)
