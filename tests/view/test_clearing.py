"""Exponents of sums that are divided by one another: as short as they were written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.view.common import PLAIN, assert_right, at, function, gate, grad, ops, stock, truth


def _slope() -> tuple[list[Any], Any]:
    x, y = at.dvectors("x", "y")
    loss = y.sum() - at.log(1 + at.exp(-x) + at.exp(3 * y)).sum()
    return [x, y], grad(loss, y)


@pytest.fixture(scope="module")
def compiled() -> Any:
    """The slope of a loss in which three exponentials are left over three."""
    return function(*_slope())


def test_what_is_added_to_an_exponent_that_is_large_keeps_its_digits(compiled: Any) -> None:
    inputs, slope = _slope()
    values = [np.array([1e8, 1e15, 3.0, -1e8]), np.array([0.3, -0.7, 1.1, 0.2])]
    (right,) = truth([slope], inputs, values)
    np.testing.assert_allclose(compiled(*values), right, rtol=1e-15)


def test_what_has_vanished_for_good_is_no_obstacle(compiled: Any) -> None:
    values = [np.array([np.inf, np.inf]), np.array([0.0, 1.0])]
    with np.errstate(all="ignore"):
        right = stock(*_slope())(*values)
    assert np.isfinite(right).all()
    np.testing.assert_allclose(compiled(*values), right, rtol=1e-15)


def test_products_of_the_hessian_keep_them_too() -> None:
    inputs: list[Any] = list(at.dscalars("x", "y", "z"))
    x, y, z = inputs
    slope = grad(2 * y - at.log(1 + 0.5 * at.exp(3 * y) + 0.5 * at.exp(-x - 2 * z)), y)
    product = grad(slope, y)
    compiled = function(inputs, product)
    for point in ((1e8, 0.3, -0.7), (0.3, -0.7, 1e9), (-1e8, 0.3, 0.2)):
        (right,) = truth([product], inputs, list(map(np.asarray, point)))
        np.testing.assert_allclose(compiled(*point), right, rtol=1e-14, atol=1e-300)


PRODUCTS: dict[str, Any] = {
    "both lack it": lambda u, v: gate(u) * gate(u - v),
    "a square": lambda u, v: gate(u) ** 2 * gate(v - u),
    "three": lambda u, v: gate(u) * gate(v) * gate(v - u),
    "one is left as it is": lambda u, v: gate(u) * (1 - gate(v)) * gate(u - v),
    "four": lambda u, v: gate(u) * gate(2 * u) * gate(v - u) * (1 - gate(u + v)),
}
FAR = [np.array([40.0, -35.5, 310.0, 20.25]), np.array([-25.0, 30.75, -12.5, -17.0])]


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_each_sigmoid_of_a_product_has_its_own_softplus(product: Any) -> None:
    """Where all are near 1, the log of the product is less than the rounding of an exponent."""
    u, v = at.dvectors("u", "v")
    log = at.log(product(u, v))
    compiled = function([u, v], [log], PLAIN)
    assert_right([u, v], [log], FAR, 1e-13, compiled=compiled)
    assert "scalar_maximum" not in ops(compiled)


@pytest.mark.spared
@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_slopes_of_products_of_sigmoids(product: Any) -> None:
    u, v = at.dvectors("u", "v")
    cost = product(u, v).sum()
    outputs = [*grad(cost, [u, v]), *grad(at.log(product(u, v)).sum(), [u, v])]
    assert_right([u, v], outputs, FAR, 1e-12)
