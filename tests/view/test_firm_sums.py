"""Sums of a number and what is in range have no level: they are added up as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.view.moves import Shuffle
from tests.benchmarks.unrolled import capsules
from tests.view.common import PLAIN, at, function, grad, ops, share, stock, truth

LOGITS, VALUES = at.dmatrix("logits"), at.dmatrix("values")
#: Inputs with their shapes, the first of which are logits, and a graph of them.
Case = tuple[list[tuple[Any, tuple[int, ...]]], Any]


def _mixed(of: Callable[[Any], Any]) -> Case:
    averages = at.dot(share(LOGITS), VALUES)
    return [(LOGITS, (5, 3)), (VALUES, (3, 4))], of(averages)


def _squashed(s: Any) -> Any:
    """A vector as long as ``n**2/(1 + n**2)``, as capsules are."""
    size = (s**2).sum(axis=1, keepdims=True)
    return size / (1 + size) * s / at.sqrt(size)


def _root_over(s: Any) -> Any:
    size = (s**2).sum(axis=1)
    return at.sqrt(size) / (2 + size)


def _capsules(rounds: int) -> Case:
    (votes, prior), loss = capsules(rounds)
    return [prior, votes], loss


CASES: dict[str, Callable[[], Case]] = {
    "squashed": lambda: _mixed(_squashed),
    "root over": lambda: _mixed(_root_over),
    "capsules": lambda: _capsules(1),
    "capsules, twice": lambda: _capsules(2),
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_no_larger_than_written(name: str) -> None:
    shaped, graph = CASES[name]()
    inputs = [v for v, _ in shaped]
    mine = function(inputs, graph, PLAIN).maker.fgraph.apply_nodes
    assert len(mine) <= len(stock(inputs, graph, PLAIN).maker.fgraph.apply_nodes) + 12


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e3])
@pytest.mark.parametrize("name", CASES)
def test_they_are_right(name: str, scale: float) -> None:
    shaped, graph = CASES[name]()
    inputs, rng = [v for v, _ in shaped], np.random.default_rng(5)
    logits, *others = (rng.standard_normal(shape) for _, shape in shaped)
    values = [scale * logits, *others]
    outputs = [graph, grad(graph.sum(), inputs[0])]
    results = function(inputs, outputs)(*values)
    for found, right in zip(results, truth(outputs, inputs, values), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-11)


def test_the_slope_of_capsules_is_no_larger_than_stocks() -> None:
    """Lengths in two places are one, wherever the dimension that was summed has gone."""
    shaped, loss = _capsules(1)
    inputs = [v for v, _ in shaped]
    outputs = [loss, *grad(loss, inputs)]
    mine = function(inputs, outputs, PLAIN)
    assert sum(ops(mine).values()) <= sum(ops(stock(inputs, outputs, PLAIN)).values())


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
    shape = (False, True)
    assert str(Shuffle(order, shape).restricted(shape)) == str(list(settled))
