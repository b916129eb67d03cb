"""Gradients of products of what is picked of shares: each pick is one element of its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.reference import evaluate
from tests.sparing import sparing
from tests.view.common import at, function, grad, ops, stock

#: In each row what is picked is far below the largest, which others are near.
_FAR = np.array([[-2e4, 100, 99.5], [100.25, -3.5e4, 99.75], [100, -3.6e4, 100.5]])
_NEAR = np.array([[0.5, -1, 0.25], [0.5, 0.5, -0.25], [1, 0, 0]])

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "of one column": lambda b, s: at.log(s[0] * s[1] * s[2]),
    "of two columns": lambda b, s: at.log(b[1] * s[1] * s[0]),
    "paths": lambda b, s: at.log((b[0] * s[1] + s[0] * s[1]) * b[2]),
    "a row of another": lambda b, s: at.log(b[0] * s[1]) * s[0],
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(CASES, 2))
def test_gradients_of_picks_stay_in_their_rows(name: str) -> None:
    x = at.dmatrix("x")
    e = at.exp(x)
    p = e / e.sum(axis=1, keepdims=True)
    slope = grad(CASES[name](p[:, 0], p[:, 1]), x)
    ours = function([x], [slope])
    with np.errstate(all="ignore"):
        (near,), (far,) = ours(_NEAR), ours(_FAR)
        (expected,) = stock([x], [slope])(_NEAR)
    np.testing.assert_allclose(near, expected, rtol=1e-13, atol=1e-16)
    (truth,) = evaluate([slope], {x: _FAR})
    np.testing.assert_allclose(far, np.asarray(truth, float), rtol=1e-13, atol=1e-300)


def test_what_is_put_into_zeros_of_a_shape_is_taken_back() -> None:
    """As where zeros are filled into a shape, which Aesara makes of zeros like something."""
    x, k, w = at.dmatrix("x"), at.lvector("k"), at.dvector("w")
    rows = at.arange(x.shape[0])
    placed = at.inc_subtensor(at.zeros((x.shape[0], x.shape[1]))[rows, k], w)
    value = (at.exp(-x) * placed).sum(axis=1, keepdims=True) * at.exp(x)
    ours = function([x, k, w], [value])
    assert not ops(ours)["AdvancedIncSubtensor"]
    given = np.array([[-60.0, 1000.0, 970.0]]), np.array([2]), np.array([-10.8])
    (truth,) = evaluate([value], dict(zip((x, k, w), given, strict=True)))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ours(*given)[0], np.asarray(truth, float), rtol=1e-13)
