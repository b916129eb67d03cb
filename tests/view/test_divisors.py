"""Divisors near zero: one that cancels is computed once, so that what is divided by it cancels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import at, function, grad, stock, truth

z, d = at.dmatrix("z"), at.dmatrix("d")


def _both() -> Any:
    """Shares of an outside option, times those of another choice."""
    e, back = at.exp(z), at.exp(z[:, ::-1])
    return e / (1 + e.sum(axis=0, keepdims=True)) * (back / (1 + back))


def _odds() -> Any:
    """Of expected costs, that may be more than one."""
    cost = at.dot(at.exp(z) / at.exp(z).sum(axis=1, keepdims=True), np.array([1.0, 0.0, 3.0, 1.0]))
    return (cost / (1 - cost)).sum()


PART = "where a part of the terms is read, the others keep the divisor that is written"
LOSSES: dict[str, Any] = {
    "log of a difference": lambda: at.log((_both()[:, 1] - _both()[:, 2]) ** 2).sum(),
    "odds of costs": pytest.param(_odds, marks=pytest.mark.xfail(strict=True, reason=PART)),
}


@pytest.mark.slow
@pytest.mark.parametrize("made", LOSSES.values(), ids=LOSSES)
def test_derivatives_are_as_good_as_stocks_near_a_pole(made: Callable[[], Any]) -> None:
    """The divisor is exact to its last digit only, and its powers stand in terms that cancel."""
    loss = made()
    slope = grad(loss, z)
    outputs = [loss, slope, grad((slope * d).sum(), z)]
    ours, theirs = (f([z, d], outputs) for f in (function, stock))
    random = np.random.default_rng(1028)
    logits, direction = random.normal(size=(3, 4)), random.normal(size=(3, 4))
    for scale in (1.0, 6.0, 12.0):
        values = [logits * scale, direction]
        exact = truth(outputs, [z, d], values)
        for found, other, expected in zip(ours(*values), theirs(*values), exact, strict=True):
            top = np.abs(expected).max()
            mine, stocks = (np.abs(x - expected).max() / top for x in (found, other))
            assert mine <= 200 * stocks + 1e-12
