"""Confidences, a share of a class times a gate: logs and odds of what is left of 1 have slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import assert_right, at, gate, grad, share

Z, B, D = at.dmatrix("z"), at.dcol("b"), at.dmatrix("d")
NEAR = np.array([[1.0, -0.5, 0.25], [-0.75, 0.5, 0.125]])
GATES = np.array([[1.5], [0.75]])
DIRECTION = np.array([[0.25, -1.0, 0.5], [1.0, 0.75, -0.25]])


CONFIDENCES: dict[str, Callable[[], Any]] = {
    "of another score": lambda: share(Z) * gate(B),
    "of the same score": lambda: share(Z) * gate(Z),
}


@pytest.mark.parametrize("scale", sparing([24.0, 1.0, 240.0]))
@pytest.mark.parametrize("of", CONFIDENCES.values(), ids=CONFIDENCES)
def test_slopes_of_the_log_of_the_rest(of: Callable[[], Any], scale: float) -> None:
    """Own terms cancel in them: at scores of 24 they were wrong by any factor, or nan."""
    loss = -at.log(1 - of())
    slopes = [grad(loss.sum(), v, disconnected_inputs="ignore") for v in (Z, B)]
    assert_right([Z, B], [loss, *slopes], [scale * NEAR, scale * GATES], 1e-11, 1e-15)


@pytest.mark.spared(2)
@pytest.mark.parametrize("scale", [1.0, 24.0, 240.0])
def test_slopes_of_log_odds(scale: float) -> None:
    confidence = share(Z) * gate(Z)
    odds = at.log(confidence / (1 - confidence))
    assert_right([Z], [odds, grad(odds.sum(), Z)], [scale * NEAR], 1e-11, 1e-15)


@pytest.mark.parametrize("scale", [1.0, 24.0, 240.0])
def test_the_log_of_the_rest_of_two_gates(scale: float) -> None:
    loss = -at.log(1 - share(Z) * gate(B) * gate(Z + 1.0))
    assert_right([Z, B], [loss], [scale * NEAR, scale * GATES], 1e-12)
    assert_right([Z, B], [loss], [-scale * NEAR, -scale * GATES], 1e-12)


@pytest.mark.parametrize("scale", sparing([6.0, 1.0]))
def test_curvature(scale: float) -> None:
    slope = grad(-at.log(1 - share(Z) * gate(B)).sum(), Z)
    product = grad((slope * D).sum(), Z)
    assert_right([Z, B, D], [product], [scale * NEAR, scale * GATES, DIRECTION], 1e-9, 1e-12)
