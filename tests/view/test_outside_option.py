"""Shares with an outside option: ``e/(1 + sum(e))``, of which ``1/(1 + sum(e))`` is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.reference import evaluate
from tests.sparing import sparing
from tests.view.common import PLAIN, at, function, grad, ops

x, y = at.dmatrices("xy")
ROWS = at.arange(x.shape[0])
LABELS = np.array([1, 0, 2])
_NEAR = np.array([[0.5, 1.5, 0.25], [2, -1, 0.5], [0.25, 1.0, -1.0]])


def _total(z: Any) -> Any:
    return at.exp(z).sum(axis=1, keepdims=True)


def _divided(z: Any) -> Any:
    return at.exp(z) / (1 + _total(z))


def _dropped(z: Any) -> Any:
    return at.exp(z) / (1 + at.exp(z).sum(axis=1))[:, None]


def _multiplied(z: Any) -> Any:
    return at.exp(z) * (1 / (1 + _total(z)))


def _by_logs(z: Any) -> Any:
    return at.exp(z - at.logaddexp(0.0, at.log(_total(z))))


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "all": lambda h, n: at.log(h).sum() + 0.75 * at.log(n).sum(),
    "not a label": lambda h, n: -at.log(1 - h[ROWS, LABELS]).sum(),
    "not each": lambda h, n: at.log(1 - h).sum(),
}

#: ``log(h[i]) - log(1 - sum(h))`` is x[i]: these have slopes of 1 and 0.
ODDS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "of a column": (lambda h, n: (at.log(h[:, 0]) - at.log(n)).sum(), np.eye(3)[[0, 0, 0]]),
    "of a label": (lambda h, n: (at.log(h[ROWS, LABELS]) - at.log(n)).sum(), np.eye(3)[LABELS]),
    "of each": (lambda h, n: at.log(h / n[:, None]).sum(), np.ones((3, 3))),
}


def _slope(loss: Callable[[Any, Any], Any], share: Callable[[Any], Any]) -> Any:
    h = share(x)
    return grad(loss(h, 1 - h.sum(axis=1)), x)


SHARES = [_divided, _multiplied, _dropped, _by_logs]


@pytest.mark.spared
@pytest.mark.parametrize("share", sparing(SHARES))
@pytest.mark.parametrize("name", LOSSES)
def test_the_slope(name: str, share: Callable[[Any], Any]) -> None:
    slope = _slope(LOSSES[name], share)
    ours = function([x], [slope])
    for scale in (1.0, 20.0, 300.0):
        (truth,) = evaluate([slope], {x: _NEAR * scale}, digits=100 if scale < 50 else 800)
        (found,) = ours(_NEAR * scale)
        np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("share", sparing(SHARES))
@pytest.mark.parametrize("name", ODDS)
def test_the_slope_of_odds_is_where_they_are(name: str, share: Callable[[Any], Any]) -> None:
    loss, expected = ODDS[name]
    slope = function([x], _slope(loss, share), PLAIN)
    for scale in (1.0, 20.0, 90.0, 900.0):
        with np.errstate(all="ignore"):  # of what tells whether an input is no number
            found = slope(_NEAR * scale)
        np.testing.assert_array_equal(found, expected)
    assert name == "of each" or ops(slope)["exp"] == 0


def test_the_slope_of_one_number() -> None:
    z = at.dvector("z")
    e = at.exp(z)
    slope = grad(-at.log(1 - (e / (1 + e.sum()))[0]), z)
    ours = function([z], slope)
    for scale in (1.0, 20.0, 300.0):
        (truth,) = evaluate([slope], {z: _NEAR[1] * scale}, digits=800)
        found = ours(_NEAR[1] * scale)
        np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("share", sparing([_divided, _dropped, _by_logs]))
@pytest.mark.parametrize("name", ["all", pytest.param("not a label", marks=pytest.mark.slow)])
def test_a_product_of_the_hessian(name: str, share: Callable[[Any], Any]) -> None:
    along = at.dmatrix("along")
    given = np.cos(np.arange(9.0)).reshape(3, 3)
    product = grad((_slope(LOSSES[name], share) * along).sum(), x)
    ours = function([x, along], product)
    for scale in (1.0, 20.0, 300.0):
        point = {x: _NEAR * scale, along: given}
        (truth,) = evaluate([product], point, digits=100 if scale < 50 else 800)
        expected = np.asarray(truth, float)
        np.testing.assert_allclose(ours(_NEAR * scale, given), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("pick", [lambda h: h, lambda h: h[:, 1], lambda h: h[ROWS, LABELS]])
def test_the_log_of_what_a_share_that_vanishes_leaves(pick: Any) -> None:
    """It is minus the share, of which ``log(1 + others) - log(1 + sum)`` would keep nothing."""
    value = at.log(1 - pick(_divided(x)))
    far = np.array([[3.0, 100.0, -2.0], [40.0, 1.0, -60.0], [-400.0, -1e3, -3.0]])
    (truth,) = evaluate([value], {x: far})
    found = function([x], value)(far)
    np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-13)


def test_a_share_of_all_is_one_beside_what_is_small() -> None:
    """``exp(-x) * y``, 16,000 here, which is an exponent of the share as well."""
    size = at.abs(y / at.exp(x))
    e = at.exp(y + size)
    values = np.zeros((2, 3)), np.zeros((2, 3))
    for array, number in zip(values, (-12.0, -0.1), strict=True):
        array[1, 2] = number
    found = function([x, y], e * size / (e.sum() + 1))(*values)
    np.testing.assert_allclose(found[1, 2], 0.1 * np.exp(12.0), rtol=1e-15)


#: Scores of which one is nearly all of its row, at which stock divides by zero.
_FAR = np.array([[0.0, 53.0, 3.0], [12.0, 0.0, -7.0], [-7.0, 0.0, 34.0]])
_BESIDE: dict[str, Callable[[Any], Any]] = {
    "losses": lambda h: -at.log(1 - h).sum(),
    "odds": lambda h: (h / (1 - h)).sum(),
    "a label": lambda h: -at.log(1 - h[ROWS, LABELS]).sum(),
}


@pytest.mark.spared
@pytest.mark.parametrize("number", sparing([1e-8, 0.5, 1e-3, 1.0], 4))
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("loss", _BESIDE.values(), ids=_BESIDE)
def test_any_number_beside_the_sum(loss: Any, masked: bool, number: float) -> None:
    e = at.switch(at.ge(y, 0), at.exp(x), 0) if masked else at.exp(x)
    slope = grad(loss(e / (number + e.sum(axis=1, keepdims=True))), x)
    given = [_FAR, np.array([[1.0, 1, 1], [1, 1, -1], [1, 1, 1]])]
    found = function([x, y], slope)(*given)
    right = evaluate([slope], dict(zip([x, y], given, strict=True)))[0].astype(float)
    np.testing.assert_allclose(found, right, rtol=1e-13, atol=1e-15)


@pytest.mark.spared(2)
@pytest.mark.parametrize("masked", [False, True])
def test_parts_that_nearly_add_up_to_one(masked: bool) -> None:
    kept: Any = at.ge(y, 0) if masked else 1.0
    e = at.switch(kept, at.exp(x), 0) if masked else at.exp(x)
    mixed = 0.3 * e / (1 + _total(x)) + 0.7 * kept
    slope = grad(-at.log(1 - mixed).mean(), x)
    given = [_FAR / 4, np.array([[1.0, 1, 1], [1, 1, -1], [1, 1, 1]])]
    right = evaluate([slope], dict(zip([x, y], given, strict=True)))[0].astype(float)
    np.testing.assert_allclose(function([x, y], slope)(*given), right, rtol=1e-12, atol=1e-16)
