"""Of what nothing is kept nothing is left, however large what was taken out of the sum is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import at, function, grad, stock

_X = np.array([[0.0, -1.0], [0.3, 2.0]])
_S = [np.array(s) for s in ([1.0, 2.0], [1e6, 2.0], [1e6, -1e6])]
_B = [np.array(b, dtype=bool) for b in ([[0, 0], [0, 1]], [[0, 0], [0, 0]])]

CASES: dict[str, Callable[..., Any]] = {
    "a choice, summed": lambda e, p, q, b: at.switch(b, e, 0).sum(1) * p.sum(1),
    "kept dimensions": lambda e, p, q, b: at.switch(b, e, 0).sum(1, keepdims=True) * p,
    "a factor": lambda e, p, q, b: (b * e).sum(1) * p.sum(1),
    "a mean": lambda e, p, q, b: at.switch(b, e * p, 0).mean(1) * p.mean(1),
    "of shares": lambda e, p, q, b: at.switch(b, e * q, 0).sum(1),
    "sums of sums": lambda e, p, q, b: (
        (at.switch(b, e, 0).sum(1) + at.switch(b, e * p, 0).sum(1)) * p.sum(1)
    ),
    "all of it": lambda e, p, q, b: at.switch(b, e, 0).sum() * p.sum(),
    "kept by a comparison": lambda e, p, q, b: at.switch(p > 0.6, e, 0).sum(1) * p.sum(1),
}


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(CASES, 2))
def test_what_stock_has_right_at_masked_rows_stays(name: str) -> None:
    x, s, b = at.dmatrix("x"), at.dvector("s"), at.matrix("b", dtype="bool")
    e = at.exp(x)
    value = CASES[name](at.exp(s)[:, None], 1 / (1 + at.exp(-x)), e / e.sum(1, keepdims=True), b)
    outputs = [value, *grad(value.sum(), [x, s])]
    ours = function([x, s, b], outputs)
    theirs = stock([x, s, b], outputs)
    compared = 0
    for level in _S:
        for kept in _B:
            with np.errstate(all="ignore"):
                pairs = zip(ours(_X, level, kept), theirs(_X, level, kept), strict=True)
            for found, expected in pairs:
                right = np.isfinite(expected)
                compared += int((right & (np.abs(level).max() > 10)).sum())
                np.testing.assert_allclose(found[right], expected[right], rtol=1e-12)
    assert compared


def test_an_empty_sum_is_nothing() -> None:
    s, x, b = at.dscalar("s"), at.dmatrix("x"), at.vector("b", dtype="bool")
    value = at.switch(b, at.exp(s), 0).sum() * (at.exp(x) / (1 + at.exp(x))).sum()
    compiled = function([s, x, b], value)
    with np.errstate(all="ignore"):
        assert compiled(1e6, np.zeros((3, 0)), np.zeros(0, bool)) == 0


def test_a_sum_of_which_nothing_is_left_does_not_drown_what_it_is_taken_from() -> None:
    """Beside a factor that may vanish, too: the level of that sum is none."""
    a, b, g, low, high = at.dvectors("a", "b", "g", "low", "high")
    lost = g * at.exp(high) * (a * at.exp(low) + b * at.exp(-low))
    f = function([a, b, g, low, high], at.log(abs(lost - at.exp(low))))
    nothing, one = np.zeros(1), np.ones(1)
    np.testing.assert_allclose(f(nothing, nothing, one, one, 750 * one), one)
