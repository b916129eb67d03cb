"""Exponentials of exponentials: what is added to their exponents is lost beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import log_softmax

from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, ops, stock

x, s = at.dvector("x"), at.dscalar("s")
TALL = np.array([40.0, 3.0])


def tower(v: Any) -> Any:
    return at.exp(at.exp(v))


@pytest.mark.parametrize("power", [2, 3])
def test_slopes_of_shares_of_towers(power: int) -> None:
    share = tower(x) / tower(x).sum()
    slope = grad((share**power).sum(), x)
    assert_right([x], [slope], [TALL], atol=1e-300)


def test_the_slope_of_a_log_of_towers_is_that_of_the_largest_exponent() -> None:
    slope = grad(at.log(1 + at.exp(at.log(tower(x).sum()))).sum(), x)
    assert_right([x], [slope], [TALL])


@pytest.mark.parametrize("value", [-800.0, -1.0, 3.0, 6.7, 800.0])
def test_a_share_of_what_alone_overflows(value: float) -> None:
    z = at.log1p(tower(s))
    assert_right([s], [at.exp(z) / (1 + at.exp(z))], [value])


def test_two_that_overflow_are_not_compared() -> None:
    share = function([x], tower(x) / tower(x).sum())
    with np.errstate(all="ignore"):
        assert np.isnan(share(np.array([801.0, 800.0]))).all()


@pytest.mark.parametrize("function_of", [at.exp, lambda v: v, lambda v: at.exp(-v)])
def test_the_largest_of_exponentials_of_sums_has_a_slope(function_of: Any) -> None:
    m = at.dmatrix("m")
    slope = grad(function_of(at.exp(m).sum(0)).max(), m)
    assert_right([m], [slope], [np.array([[-0.79, 1.871, 3.107], [0.899, 0.296, -0.308]])])


def test_exponentials_beside_levels_are_not_multiplied_out() -> None:
    scales = at.dvector("scales")
    low, high = (at.exp(-0.5 * scales) * (x + shift) for shift in (-0.25, 0.25))
    # of a logistic distribution, how much is between two bounds
    cost = -at.log(1 / (1 + at.exp(-high)) - 1 / (1 + at.exp(-low))).sum()
    slope = grad(cost, scales)
    assert ops(function([x, scales], cost, PLAIN))["exp"] <= 4
    values = [np.array([0.5, -3.0, 20.0]), np.array([0.0, 1.0, -2.0])]
    assert_right([x, scales], [cost, slope], values)


def test_the_log_of_a_share_of_towers_is_one_operator() -> None:
    z = at.exp(-x)
    compiled = function([x], z - at.log(at.exp(z).sum()), PLAIN)
    assert ops(compiled)["LogSoftmax"] == 1


@pytest.mark.parametrize(
    "z", sparing([at.maximum(at.exp(-x), 0), at.exp(-x)]), ids=["chosen", "one"]
)
def test_the_log_of_the_largest_share_is_zero(z: Any) -> None:
    chosen = at.maximum(z - at.log(at.exp(z).sum()), x)
    outputs = [chosen, (chosen * chosen).sum()]
    for gradients in ([], [grad(outputs[1], x)]):
        ours, theirs = function([x], outputs + gradients), stock([x], outputs + gradients)
        for top in (-25.0, -50.625, -93.0):
            values = np.array([top, 1.75, -8.75])
            with np.errstate(all="ignore"):
                for found, right in zip(ours(values), theirs(values), strict=True):
                    np.testing.assert_allclose(found, right, rtol=1e-12)


@pytest.mark.parametrize("missing", [1 - at.exp(-at.exp(x)), -at.expm1(-at.exp(x))], ids="ab")
def test_slopes_of_complementary_logs_of_logs(missing: Any) -> None:
    """What divides is as small as an exponential, also where that has vanished."""
    loss = at.log(missing)
    slope = grad(loss.sum(), x)
    values = np.array([-800.0, -745.5, -40.0, 0.5, 3.0, 800.0])
    assert_right([x], [loss, slope], [values], rtol=1e-13)


def test_two_kinds_of_one_maximum_meet_first() -> None:
    """What is taken from a column by hand and what shifts it differ by nothing."""
    z = at.dmatrix("z")
    total = at.exp(z - z.max(axis=0, keepdims=True)).sum() * at.exp(x).sum()
    large = np.array([[0.0, 0.5], [442.122, 0.0], [0.0, 0.25]])
    found = function([z, x], grad(total, z))(large, np.array([0.0, 83.0]))
    assert found[1, 0] == 0.0  # each column's largest leaves what the others are to it


def hessian_product(cost: Any, variable: Any) -> Any:
    return grad((grad(cost, variable) * at.cos(variable)).sum(), variable)


@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0, 166.0, 300.0])
def test_products_of_the_hessian_keep_what_is_beside_a_tower(scale: float) -> None:
    """Of ``exp(x)`` times a share of towers nothing but the towers was left in the exponents."""
    values = [scale * np.array([1.0, 0.9, 0.3])]
    log_shares = at.exp(x) - at.log(tower(x).sum())
    products = [hessian_product(at.log(tower(x).sum()), x), hessian_product(log_shares.sum(), x)]
    assert_right([x], products, values, rtol=1e-9)


@pytest.mark.parametrize("value", [3.0, 30.0, 166.0])
def test_products_of_the_hessian_of_towers_of_sums(value: float) -> None:
    m, along = at.dmatrix("m"), at.dmatrix("along")
    cost = log_softmax(at.exp(m).sum(axis=1, keepdims=True), axis=None).sum()
    product = grad((grad(cost, m) * along).sum(), m)
    values = [np.array([[0.0, 0.5, 0.0], [0.0, value, 0.25]]), np.ones((2, 3))]
    assert_right([m, along], [product], values, rtol=1e-9)


def test_what_leaves_a_sum_with_its_tower_makes_it_no_longer() -> None:
    product = hessian_product(at.log(tower(x).sum()), x)
    assert sum(ops(function([x], product, PLAIN)).values()) <= 64
