"""Random graphs of exponentials keep their values where neither side overflows."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite import config
from tests.sparing import sparing
from tests.view.common import at, function, grad, stock

SHAPES = [(2, 3, 4), (3, 4), (4,), (1, 4), (2, 1, 4), (6,), (4, 4)]
#: A step makes a graph of another one; numpy tells the shape of the result.
Step = Callable[[Any], Any]


def steps(r: random.Random, ndim: int, shape: tuple[int, ...]) -> list[Step]:
    """What can be done to a tensor of a shape."""
    axis = r.randrange(ndim)
    order = r.sample(range(ndim), ndim)
    cut = (slice(None),) * axis + (r.choice([slice(1, None), slice(None, None, -1)]),)
    picked = np.array([r.randrange(shape[0]) for _ in range(3)])
    flat = (int(np.prod(shape)),)
    weights = np.random.default_rng(r.randrange(999)).uniform(0.5, 2, size=shape)
    found: list[Step] = [
        lambda e: e.transpose(order),
        lambda e: e.reshape(flat),
        lambda e: e[picked],
        lambda e: e / e.sum(axis=axis, keepdims=True),
        lambda e: e * weights,
        lambda e: e.repeat(2, axis=axis),
        lambda e: e.cumsum(axis=axis),
        lambda e: e[None],
    ]
    if shape[axis] > 1:
        found.append(lambda e: e[cut])
    if ndim > 1:
        found.append(lambda e: e.sum(axis=axis))
    return found


def graph(seed: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Inputs, outputs with gradients, and values of a random graph."""
    r, rng = random.Random(seed), np.random.default_rng(seed)
    shape = r.choice(SHAPES)
    static = shape if r.random() < 0.3 else tuple(1 if d == 1 else None for d in shape)
    x = at.TensorType("float64", shape=static)("x")
    value = rng.normal(size=shape)
    e, there = at.exp(x), np.exp(value)
    for _ in range(r.randrange(1, 5)):
        step = r.choice(steps(r, there.ndim, there.shape))
        e, there = step(e), step(there)
    y = at.TensorType("float64", shape=(None,) * there.ndim)("y")
    other = rng.normal(size=there.shape)
    joins: list[tuple[Any, Any]] = [
        (e, there),
        (e + at.exp(y), there),
        (e / (e + at.exp(y)), there),
        (at.concatenate([e, at.exp(y)], axis=0), np.concatenate([there, there])),
        (at.dot(e, at.exp(y.flatten()[: there.shape[-1]])), there.sum(axis=-1)),
    ]
    e, there = r.choice(joins)
    out = r.choice([at.log(e), e, e / e.sum()])
    cost = (out * rng.normal(size=np.shape(there))).sum()
    gradients = grad(cost, [x, y], disconnected_inputs="ignore")
    return [x, y], [out, *gradients], [value, other]


@pytest.mark.spared
@pytest.mark.parametrize("seed", [*sparing(range(40), 6), 1193, 2023, 2200])
def test_a_random_graph_keeps_its_values(seed: int) -> None:
    inputs, outputs, values = graph(seed)
    with warnings.catch_warnings(), config.change(check_steps=seed % 8 == 0):
        warnings.simplefilter("error")
        found = function(inputs, outputs)(*values)
    for mine, theirs in zip(found, stock(inputs, outputs)(*values), strict=True):
        assert mine.dtype == theirs.dtype
        size = float(np.abs(theirs).max(initial=1.0))
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-10 * size)
