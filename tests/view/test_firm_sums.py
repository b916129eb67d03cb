"""Sums of a number and what is in range have no level: they are added up as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.view.moves import Shuffle
from tests.view.common import PLAIN, at, function, grad, ops, share, stock, truth

LOGITS, VALUES = at.dmatrix("logits"), at.dmatrix("values")
VOTES = at.dtensor3("votes")
RNG = np.random.default_rng(5)


def _mixed() -> Any:
    return at.dot(share(LOGITS), VALUES)


def _squashed(s: Any) -> Any:
    """A vector as long as ``n**2/(1 + n**2)``, as capsules are, along the last axis."""
    size = (s**2).sum(axis=-1, keepdims=True)
    return size / (1 + size) * s / at.sqrt(size)


def _capsules(rounds: int) -> Any:
    b, v = LOGITS, None
    for _ in range(rounds):
        v = _squashed((share(b).dimshuffle(0, 1, "x") * VOTES).sum(axis=0))
        b = b + (VOTES * v.dimshuffle("x", 0, 1)).sum(axis=2)
    return v


GRAPHS: dict[str, Callable[[], Any]] = {
    "squashed": lambda: _squashed(_mixed()),
    "root over": lambda: at.sqrt((_mixed() ** 2).sum(axis=1)) / (2 + (_mixed() ** 2).sum(axis=1)),
    "capsules": lambda: _capsules(1),
    "capsules, twice": lambda: _capsules(2),
}


def _values(scale: float) -> list[Any]:
    return [
        scale * RNG.standard_normal((5, 3)),
        RNG.standard_normal((3, 4)),
        RNG.standard_normal((5, 3, 4)),
    ]


@pytest.mark.parametrize("name", GRAPHS)
def test_they_are_no_larger_than_written(name: str) -> None:
    inputs, graph = [LOGITS, VALUES, VOTES], GRAPHS[name]()
    mine = function(inputs, graph, PLAIN).maker.fgraph.apply_nodes
    assert len(mine) <= len(stock(inputs, graph, PLAIN).maker.fgraph.apply_nodes) + 12


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e3])
@pytest.mark.parametrize("name", GRAPHS)
def test_they_are_right(name: str, scale: float) -> None:
    inputs, graph, values = [LOGITS, VALUES, VOTES], GRAPHS[name](), _values(scale)
    outputs = [graph, grad(graph.sum(), LOGITS)]
    results = function(inputs, outputs)(*values)
    for found, right in zip(results, truth(outputs, inputs, values), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-11)


def test_the_slope_of_capsules_is_no_larger_than_stocks() -> None:
    """Lengths in two places are one, wherever the dimension that was summed has gone."""
    loss = (_capsules(1) ** 2).sum()
    slopes = grad(loss, [LOGITS, VOTES])
    inputs = [LOGITS, VOTES]
    mine = function(inputs, [loss, *slopes], PLAIN)
    assert sum(ops(mine).values()) <= sum(ops(stock(inputs, [loss, *slopes], PLAIN)).values())


@pytest.mark.parametrize(
    ("order", "settled"),
    [
        (("x", 0, "x"), ("x", 0, 1)),
        ((0, "x", "x"), (0, 1, "x")),
        (("x", "x", 0), (1, "x", 0)),
        (("x", 0), (1, 0)),
        ((0,), (0,)),
    ],
)
def test_what_was_summed_stays_behind_what_was_before_it(order: Any, settled: Any) -> None:
    assert Shuffle(order, (False, True)).restricted((False, True)).order == settled  # type: ignore[attr-defined]
