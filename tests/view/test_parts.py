"""What is left of a whole, of shares and of products, where nearly all of it is taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.reference import evaluate
from tests.view.common import at, function, grad, stock

_WEIGHTS = np.array([[0.0, 0, 1], [0, 1, 0]])
_X = np.array([[-800, 100.0, 900], [850, 900, -900]])

CASES: dict[str, Callable[..., Any]] = {
    "a share less weights": lambda p, w: at.log(1 - (p * w).sum(axis=1)),
    "kept dimensions": lambda p, w: at.log(1 - (p * w).sum(axis=1, keepdims=True)),
    "squared": lambda p, w: (1 - (p * w).sum(axis=1)) ** 2,
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", CASES)
def test_what_is_left_keeps_its_digits(name: str) -> None:
    x, w = at.dmatrices("x", "w")
    e = at.exp(x)
    value = CASES[name](e / e.sum(axis=1, keepdims=True), w)
    outputs = [value, grad(value.sum(), x)]
    ours, theirs = function([x, w], outputs), stock([x, w], outputs)
    with np.errstate(all="ignore"):
        near, expected = ours(_X / 1e3, _WEIGHTS), theirs(_X / 1e3, _WEIGHTS)
        far = ours(_X, _WEIGHTS)
    truth = evaluate(outputs, {x: _X, w: _WEIGHTS})
    for found, right in zip([*near, *far], [*expected, *truth], strict=True):
        np.testing.assert_allclose(found, np.asarray(right, float), rtol=1e-13, atol=1e-16)


def test_a_product_of_what_weights_leave_of_sigmoids() -> None:
    x, w = at.dvector("x"), at.dmatrix("w")
    e = at.exp(x)
    value = at.log(at.prod(1 - w * (e / (1 + e)), axis=1))
    found = function([x, w], value)(np.array([800.0, -800, 900]), 1 - _WEIGHTS)
    np.testing.assert_allclose(found, [-800, -1700], rtol=1e-15)


def test_products_that_cancel_are_multiplied_out() -> None:
    z = at.dmatrix("z")
    w = at.exp(z)
    trees = (w[0, 1] + w[2, 1]) * (w[0, 2] + w[1, 2]) - w[2, 1] * w[1, 2]
    far = np.array([[0, 1, 2.0], [0, 0, 800], [1, 800, 0]])
    assert function([z], at.log(trees))(far) == pytest.approx(802.3132616875182, rel=1e-15)


def test_a_share_is_multiplied_with_an_exponential_before_it_vanishes() -> None:
    x, s = at.dmatrices("x", "s")
    value = at.exp(x - s) / at.exp(x).sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        found = function([x, s], value)(_X, np.full((2, 3), -800.0))
        expected = np.exp(np.array([[-900, 0, 800.0], [750, 800, -1000]]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_missing_to_one_is_as_small_as_an_exponential() -> None:
    x, y = at.dvectors("x", "y")
    p = 1 - at.exp(-at.exp(x))
    slope = grad((y * at.log(p) + (1 - y) * at.log(1 - p)).sum(), x)
    with np.errstate(all="ignore"):
        found = function([x, y], slope)(np.array([-900.0, -800, 3]), np.array([1.0, 0, 1]))
    expected = [1, 0, np.exp(3) * np.exp(-np.exp(3)) / -np.expm1(-np.exp(3))]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_piece_of_a_constant_has_its_lengths() -> None:
    """Ones divided by a sum are as long as they were: Aesara keeps the lengths of types alone."""
    x = at.vector("x")
    p = at.constant(np.array([1.0, 1.0, 0.0])) * at.exp(x) / at.exp(x).sum()
    shifted = at.concatenate([at.zeros(1), p[:-1]])
    f = function([x], at.log(p + shifted))
    np.testing.assert_allclose(f([0.0, 0.0, 750.0]), [-750.0, np.log(2) - 750, -750.0])


def test_a_number_less_a_quotient_of_sums() -> None:
    """Its terms have no exponent of their own."""
    x, w = at.dvectors("x", "w")
    e = at.exp(x)
    f = function([x, w], at.log(1 - (w * e).sum() / (1 + e.sum())))
    np.testing.assert_allclose(f([750.0, 0.0], [0.25, 0.5]), np.log(0.75))
