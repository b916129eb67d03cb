"""One less a share of what is a sum itself, ``y / y.sum()`` of ``y = 1 + exp(x)``, and its log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import assert_right, at, grad

A, B = at.dmatrix("a"), at.dmatrix("b")
NEAR = np.array([[1.0, -0.5, 0.25], [-0.75, 0.5, 0.125]])
#: Of which the first is far below the others, and the last far above them.
FAR = np.array([[-30.0, 3.0, -20.0], [-45.0, 22.0, 60.0]])
OTHER = np.array([[1.5, -1.0, 2.0], [-2.0, 0.5, 1.25]])

OF: dict[str, Any] = {
    "one more": 1 + at.exp(A),
    "both ways": at.cosh(A),
    "two": at.exp(A) + at.exp(B),
    "one more, times another": (1 + at.exp(A)) * at.exp(B),
    "a softplus times another": at.log1p(at.exp(A)) * at.exp(B),
}
TAKEN: dict[str, Any] = {
    "one": lambda p: p[:, 0],
    "all": lambda p: p,
    "listed": lambda p: p[at.arange(2), np.array([2, 0])],
}


@pytest.mark.spared
@pytest.mark.parametrize("taken", sparing(TAKEN, 2))
@pytest.mark.parametrize("of", OF)
@pytest.mark.parametrize("x", [NEAR, FAR], ids=["near", "far"])
def test_the_log_of_what_a_share_leaves(x: Any, of: str, taken: str) -> None:
    left = 1 - TAKEN[taken](OF[of] / OF[of].sum(axis=1, keepdims=True))
    assert_right([A, B], [at.log(left)], [x, OTHER], 1e-12)


@pytest.mark.parametrize("taken", sparing(["one", "listed"]))
@pytest.mark.parametrize("of", sparing(OF))
def test_slopes_of_odds(of: str, taken: str) -> None:
    share = TAKEN[taken](OF[of] / OF[of].sum(axis=1, keepdims=True))
    odds = share / (1 - share)
    assert_right([A, B], [odds, grad(odds.sum(), A)], [5 * NEAR, OTHER], 1e-12)


@pytest.mark.parametrize("of", sparing(OF))
def test_what_a_sum_leaves_of_its_terms(of: str) -> None:
    """The sum and its terms are written apart, and the terms are multiplied out."""
    whole = OF[of].sum(axis=1, keepdims=True)
    assert_right([A, B], [at.log(whole - OF[of])], [FAR, OTHER], 1e-12)
