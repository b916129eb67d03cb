"""Mixtures in which labels pick: sums whose terms have no exponent in common, all far below."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanrewrite.reference import evaluate
from tests.view.common import at, function, grad, stock

_A = np.array([[15296.0, -10720, 26560], [400, 300, 900]])
_B = np.array([[-12368.0, 28480, 44096], [63, -500, 160]])
_G = np.array([11312.0, -3])
_Y = np.array([[0.0, 1, 0], [1, 0, 0]])


def _share(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)


def test_a_picked_mixture_and_its_slope_in_one() -> None:
    a, b, y = at.dmatrices("a", "b", "y")
    g = at.dvector("g")
    gate = (1 / (1 + at.exp(-g)))[:, None]
    loss = at.log(((gate * _share(a) + (1 - gate) * _share(b)) * y).sum(axis=1))
    outputs = [loss, grad(loss.sum(), a)]
    ours, theirs = (f([a, b, g, y], outputs) for f in (function, stock))
    near, far = [_A / 2e4, _B / 2e4, _G / 2e4, _Y], [_A, _B, _G, _Y]
    for found, right in zip(ours(*near), theirs(*near), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-16)
    truth = evaluate(outputs, dict(zip([a, b, g, y], far, strict=True)))
    with np.errstate(all="ignore"):
        for found, right in zip(ours(*far), truth, strict=True):
            np.testing.assert_allclose(found, np.asarray(right, float), rtol=1e-12, atol=1e-16)


def test_shares_of_products_over_features() -> None:
    w, x = at.dvectors("w", "x")
    t = at.dmatrix("t")
    p = 1 / (1 + at.exp(-t))
    joint = at.exp(w) * at.prod(x * p + (1 - x) * (1 - p), axis=1)
    far = [np.array([799.0, 797]), np.array([1.0, 0]), np.array([[719.25, 979.6], [804.5, 904.9]])]
    with np.errstate(all="ignore"):
        found = function([w, x, t], joint / joint.sum())(*far)
    np.testing.assert_allclose(found, [2.67172138e-32, 1], rtol=1e-8)


def test_the_slope_of_two_picks_in_one_sum() -> None:
    x, v, w = at.dmatrices("x", "v", "w")
    p = _share(x)
    slope = grad(at.log((p * v).sum(axis=1) + (p * w).sum(axis=1)).sum(), x)
    far = [np.array([[900.0, 100, 899], [50, 900, -900]]), _Y, _Y]
    (truth,) = evaluate([slope], dict(zip([x, v, w], far, strict=True)))
    with np.errstate(all="ignore"):
        found = function([x, v, w], slope)(*far)
    np.testing.assert_allclose(found, np.asarray(truth, float), rtol=1e-13, atol=1e-300)


def test_ties_of_paired_comparisons() -> None:
    a, b, n = at.dvectors("a", "b", "n")
    e, f = at.exp(a), at.exp(b)
    tie = at.exp(n) * at.sqrt(e * f)
    loss = (at.log(e / (e + f + tie)) + at.log(tie / (e + f + tie))).sum()
    outputs = [loss, *grad(loss, [a, b, n])]
    far = [np.array([-859136.0, 0.5, 900]), np.array([0.3, -0.5, -900]), np.array([0.5, 0, -1])]
    truth = evaluate(outputs, dict(zip([a, b, n], far, strict=True)))
    with np.errstate(all="ignore"):
        found = function([a, b, n], outputs)(*far)
    for x, y in zip(found, truth, strict=True):
        np.testing.assert_allclose(x, np.asarray(y, float), rtol=1e-13, atol=1e-300)


def test_logs_among_fractions_are_counted_with_those_that_fractions_leave() -> None:
    z, w = at.dmatrix("z"), at.dvector("w")
    total = at.exp(z).sum(axis=1, keepdims=True)
    gate: Any = at.sigmoid(w)
    loss = (at.log(gate - gate * (total / (1 + total))) ** 2).sum()
    mixed = grad(grad(loss, w).sum() + grad(loss, z).sum(), w)
    given = [np.cos(np.arange(12.0)).reshape(3, 4), np.array([-0.75, 0.5, 1.5, 1.0])]
    found, right = (f([z, w], mixed)(*given) for f in (function, stock))
    np.testing.assert_allclose(found, right, rtol=1e-11)
