"""What is lifted costs no digits where the whole is in range as it is written."""

from __future__ import annotations

import numpy as np

from tests.view.common import PLAIN, assert_right, at, function, ops, stock

w, b, z = at.dvectors("wbz")


def test_a_power_beside_an_exponential_is_a_power_where_it_is_in_range() -> None:
    out = at.exp(-w) * b ** at.exp(w)
    assert ops(function([w, b], out, PLAIN))["pow"] == 2  # that of the sign is one
    values = [np.array([1.5, 4.0, 6.5, 5.0]), np.array([3.0, 1e-3, 1.7, 0.2])]
    expected = stock([w, b], out)(*values)
    np.testing.assert_allclose(function([w, b], out)(*values), expected, rtol=1e-15)


def test_a_power_that_is_out_of_range_comes_back() -> None:
    out = at.exp(-800 * w) * b ** (2 * w)
    assert_right([w, b], [out], [np.array([1.0, -1.0]), np.exp([398.0, 401.0])])


def test_a_square_of_a_product_is_no_product_of_squares() -> None:
    for k in (2, 3, -2):
        out = (w * b * at.exp(z)) ** k * at.exp(-k * z)
        values = [np.array([1e180, 3.0]), np.array([1e-180, 5.0]), np.array([2.0, -1.0])]
        assert_right([w, b, z], [out], values)
