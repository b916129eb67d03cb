"""Losses of what each share or gate is, and of what it is not, at any logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import assert_right, at, function, grad, share

X, W = at.dmatrix("x"), at.dmatrix("w")
LABELS = at.TensorType("int8", shape=(None, None))("labels")


def _chosen(p: Any) -> Any:
    return at.switch(LABELS, at.log(p), at.log(1 - p))


#: Of shares; labels are 0 and 1, weights are the same numbers.
LOSSES: dict[str, Callable[[Any], Any]] = {
    "chosen": _chosen,
    "chosen, the other way": lambda p: at.switch(at.eq(LABELS, 0), at.log(1 - p), at.log(p)),
    "labels": lambda p: LABELS * at.log(p) + (1 - LABELS) * at.log(1 - p),
    "weights": lambda p: W * at.log(p) + (1 - W) * at.log(1 - p),
    "a weight for each column": lambda p: W[0] * at.log(p) + (1 - W[0]) * at.log(1 - p),
    "powers": lambda p: at.log(p**W * (1 - p) ** (1 - W)),
    "odds": lambda p: at.switch(LABELS, at.log(p / (1 - p)), at.log(1 - p)),
    "focal": lambda p: at.switch(LABELS, (1 - p) ** 2 * at.log(p), p**2 * at.log(1 - p)),
}
ROWS = [[0, 1, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1], [1, 0, 0]]


@pytest.mark.spared
@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("scale", [3.0, 40.0, 800.0])
@pytest.mark.parametrize("name", LOSSES)
def test_slopes_are_right(name: str, scale: float, axis: int) -> None:
    logits, labels = np.zeros((5, 3)), np.array(ROWS, dtype="int8")
    logits[:, 0] = scale
    if axis == 0:
        logits, labels = logits.T, labels.T
    slope = grad(LOSSES[name](share(X, axis)).sum(), X)
    compiled = function([X, LABELS, W], [slope])
    values = [logits, labels, labels.astype(float)]
    assert_right([X, LABELS, W], [slope], values, 1e-12, 1e-15, compiled)


@pytest.mark.spared
@pytest.mark.parametrize("scale", [3.0, 40.0, 800.0])
@pytest.mark.parametrize("name", LOSSES)
def test_slopes_of_gates_are_right(name: str, scale: float) -> None:
    gate = at.exp(X) / (1 + at.exp(X))
    logits, labels = scale * np.array([[1.0, -1.0, 0.5]] * 5), np.array(ROWS, dtype="int8")
    slope = grad(LOSSES[name](gate).sum(), X)
    compiled = function([X, LABELS, W], [slope])
    values = [logits, labels, labels.astype(float)]
    assert_right([X, LABELS, W], [slope], values, 1e-12, 1e-15, compiled)


def test_a_condition_may_be_as_thin_as_python_allows() -> None:
    """Of a slice of one column the length is not known: it is not that of what it chooses."""
    p, thin = share(X), LABELS[:, :1]
    loss = at.switch(thin, at.log(p / (1 - p)), W * at.log(1 - p)).sum()
    logits = np.array([[1.0, 0.0, 0.5], [-1.0, 0.25, 2.0]])
    values = [logits, np.array([[1, 1, 0], [0, 1, 1]], dtype="int8"), np.full((2, 3), 0.25)]
    assert_right([X, LABELS, W], [grad(loss, X)], values, 1e-13, 1e-15)


@pytest.mark.parametrize("scale", [1.0, 40.0, 800.0])
def test_log_odds_beside_variances(scale: float) -> None:
    """Which raised an error in the engine: what was taken out of sums was put into them again."""
    p = share(X)
    loss = (at.log(p / (1 - p)).sum(axis=1) * (p * (1 - p)).sum(axis=1)).sum()
    values = [scale * np.array([[1.0, 0.0, 0.25], [-1.0, 0.0, 0.5]])]
    assert_right([X], [loss, grad(loss, X)], values, 1e-13, 1e-14)  # of slopes near 1


@pytest.mark.spared
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("name", LOSSES)
def test_slopes_of_shares_of_products(name: str, scale: float) -> None:
    """Where what is around a sum and its own term is not the same along its axis."""
    y = at.dmatrix("y")
    slope = grad(LOSSES[name](share(X * y)).sum(), X)
    logits, labels = np.zeros((5, 3)), np.array(ROWS, dtype="int8")
    logits[:, 0] = 40.0
    signs = scale * np.array([[1.0, -0.5, 0.75]] * 5)
    values = [logits, labels, labels.astype(float), signs]
    assert_right([X, LABELS, W, y], [slope], values, 1e-12, 1e-15)


def test_a_weighted_difference_is_taken_before_it_is_weighted() -> None:
    """``w*x - w*y`` in an exponent, where x and y are large and near."""
    loss = at.log(share(X) ** W).sum(axis=1)
    values = [1e6 + np.array([[0.25, 1.0, -0.5]]), np.array([[1.0, 0.5, 0.25]])]
    assert_right([X, W], [loss], values, 1e-14)
