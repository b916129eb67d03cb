"""Slopes of what is not picked: at the index two terms cancel, of which one was put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from kanrewrite.reference import evaluate
from tests.view.common import at, function, grad, stock

x = at.dmatrix("x")
ROWS = at.arange(x.shape[0])
LABELS = np.array([1, 0, 2])
_NEAR = np.array([[0.5, 1.5, 0.25], [2, -1, 0.5], [0.25, 1.0, 1.0]])


def _written(z: Any) -> Any:
    return at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)


def _operator(z: Any) -> Any:
    return softmax(z, axis=1)


LOSSES: dict[str, Callable[[Any], Any]] = {
    "unlikelihood": lambda p: -at.log(1 - p[ROWS, LABELS]).mean(),
    "of some rows": lambda p: -at.log(1 - p[at.arange(3), LABELS]).sum(),
    "of a column": lambda p: -at.log(1 - p[:, 1]).sum(),
    "of one element": lambda p: -at.log(1 - p[0, 1]),
    "weighted": lambda p: -(at.log(1 - p[ROWS, LABELS]) * at.exp(x[:, 0])).sum(),
    "roots": lambda p: at.sqrt(1 - p[ROWS, LABELS]).sum(),
}


@pytest.mark.parametrize("share", [_written, _operator])
@pytest.mark.parametrize("name", LOSSES)
def test_the_slope_of_what_is_not_picked(name: str, share: Callable[[Any], Any]) -> None:
    slope = grad(LOSSES[name](share(x)), x)
    ours = function([x], [slope])
    with np.errstate(all="ignore"):
        (near,) = ours(_NEAR)
        (expected,) = stock([x], [slope])(_NEAR)
        np.testing.assert_allclose(near, expected, rtol=1e-13, atol=1e-15)
        for scale in (30.0, 40.0, 1e3):
            (truth,) = evaluate([slope], {x: _NEAR * scale})
            (found,) = ours(_NEAR * scale)
            np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-12, atol=1e-300)
