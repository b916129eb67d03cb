"""Logs of products and powers: what is taken out of them is true at zeros and of any sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite import registry
from kanrewrite.terms import T
from tests.view.common import assert_right, at, function, grad, stock

#: Zeros beside what is negative, positive and a power of nothing.
ZEROS = [
    np.array([0.0, 0.0, -1.0, 2.0, 3.0]),
    np.array([-1.0, 2.0, -1.0, -3.0, 4.0]),
    np.array([0.0, 1.0, 0.0, 2.0, -1.0]),
]

LOGS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "rectified": lambda x, y, z: at.log(at.maximum(x, 0) * y * at.exp(z)),
    "square": lambda x, y, z: at.log(at.square(x) * y * at.exp(z)),
    "condition": lambda x, y, z: at.log((x > 0) * y * at.exp(z)),
    "condition of a size": lambda x, y, z: at.log((x > 0) * abs(y) * at.exp(z)),
    "power": lambda x, y, z: at.log(at.square(x) ** z * at.exp(y)),
    "power that is a number": lambda x, y, z: at.log(at.square(x) ** 1.5 * at.exp(y)),
}


@pytest.mark.parametrize("build", LOGS.values(), ids=LOGS)
def test_a_zero_beside_what_is_negative(build: Callable[[Any, Any, Any], Any]) -> None:
    inputs = at.dvectors("xyz")
    out = build(*inputs)
    with np.errstate(divide="ignore", invalid="ignore"):
        found, expected = function(inputs, out)(*ZEROS), stock(inputs, out)(*ZEROS)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_each_of_two_conditions_is_enough() -> None:
    for name, asked in (("logs_add", 2), ("logs_of_powers", 3)):
        (relation,) = [r for r in registry.sources.of_library() if r.name == name]
        assert len(relation.equations) == asked
        assert all(e.lhs[0] is T.log for e in relation.equations)


@pytest.mark.parametrize(
    "softplus",
    [lambda x, odds: at.log1p(odds), lambda x, odds: at.softplus(x)],
    ids=["written", "operator"],
)
def test_what_is_as_large_as_what_a_log_is_taken_of_meets_it(softplus: Any) -> None:
    """The odds of a logit that is a log of odds: fused operators of both vanish together."""
    x = at.dvector("x")
    odds = at.sigmoid(x) / at.sigmoid(-x)
    later = softplus(x, odds)
    graph = odds / (at.sigmoid(later) / at.sigmoid(-later))
    values = np.array([1.0, 2.0, 800.0, -800.0])
    with np.errstate(all="ignore"):
        assert np.isnan(stock([x], graph)(values)).any()
    np.testing.assert_allclose(
        function([x], graph)(values),
        [1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(-2.0)), 1.0, 0.0],
        1e-12,
    )


@pytest.mark.parametrize("point", [(0.3, -0.7, 1e9), (0.3, -0.7, -1e9), (1e8, 0.3, -0.7)])
def test_logs_of_the_same_exponents_leave_the_largest_of_them(point: tuple[float, ...]) -> None:
    """It cancels, however large it is; in one of them alone it would be rounded."""
    x, y, z = at.dscalars("x", "y", "z")
    total = 1 + 2 * at.exp(-3 * x - 2 * z) + at.exp(-x - y - 3 * z)
    out = at.log(1 + total) - at.log(total) + x
    assert_right([x, y, z], [out], list(map(np.float64, point)), rtol=1e-14)


def test_a_small_log_divides_with_its_digits() -> None:
    values = np.array([[0.0, 0.0, 9.849, -48.0]])
    x = at.dmatrix("x")
    p = at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)
    roots = [at.sqrt(-at.log(1 - p) * (1 - p)), at.sqrt(-at.log(1 - p) * p)]
    for out in roots:
        assert_right([x], [out, grad(out.sum(), x)], [values], 1e-13)


@pytest.mark.parametrize("y", [1e-200, 1e200])
def test_a_square_whose_log_alone_is_in_range(y: float) -> None:
    x, w = at.dscalars("x", "w")
    square = (w * at.exp(x)) ** 2
    given = [600.0, y] if y < 1 else [-600.0, y]
    outputs = [at.log(square), at.log1p(square)]
    assert_right([x, w], outputs, given, 1e-12)
