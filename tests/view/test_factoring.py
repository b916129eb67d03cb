"""Sums of exponentials that cancel are products of differences, each of which keeps its digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanrewrite import registry
from kanrewrite.view import View
from kanrewrite.view.factoring import factored
from kanrewrite.view.forms import Sum
from tests.view.common import assert_right, at, function, grad, stock

a, b, d = at.dvectors("a", "b", "d")
e = at.exp


def product(graph: Any) -> Any:
    """A sum as a product, None where it is none."""
    form = View(registry.relations()).read(graph)
    factors = form.home.parts(form)[2]
    ((whole, _),) = [(f, k) for f, k in factors if isinstance(f, Sum)]
    return factored(whole, form.home)


@pytest.mark.parametrize(
    ("graph", "sums"),
    [
        (e(a + d) - e(a) + e(b) - e(b + d), {2}),
        (e(2 * d) - 2 * e(d) + 1, {2}),  # the square of one
        (e(3 * d) - 1 + 3 * e(d) - 3 * e(2 * d), {2}),
        (e(a + 2 * d) - e(a) + e(b + d) - e(b), {2, 3}),
    ],
)
def test_what_vanishes_with_a_step_is_divided_by_it(graph: Any, sums: set[int]) -> None:
    found = product(graph)
    factors = found.home.parts(found)[2]
    assert {len(f.terms) for f, _ in factors if isinstance(f, Sum)} == sums


@pytest.mark.parametrize(
    "graph",
    [
        e(a + d) - e(a) + e(b) + e(b + d),
        e(a + d) - 2 * e(a) + e(b) - e(b + d),
        e(a + d) - e(a) + e(b) - e(b + 2 * a),
        e(d) - 1,  # one difference is one as it is
        e(2 * a - 2 * b) - 2 * e(a - b) + 1,  # a - b has no value where both are infinite
    ],
)
def test_what_does_not_is_left(graph: Any) -> None:
    assert product(graph) is None


def test_powers_of_a_step_are_divided_to_the_lowest() -> None:
    values = np.array([0.3])
    written = e(5 * d) - 1 + e(a) - e(a + 5 * d)
    assert_right([a, d], [1 / written], [values, values], rtol=1e-13)


THRESHOLDS: dict[str, Any] = {"gap": d, "exponential gap": e(d), "softplus gap": at.log(1 + e(d))}


@pytest.mark.spared(2)
@pytest.mark.parametrize("gap", THRESHOLDS.values(), ids=THRESHOLDS)
def test_slopes_between_thresholds_that_are_near_each_other(gap: Any) -> None:
    """An ordinal regression whose thresholds grow by what is positive, however little."""
    loss = -at.log(1 / (1 + e(-a)) - 1 / (1 + e(gap - a)))
    slopes = grad(loss.sum(), [a, d])
    given = [np.array([0.5, -40.0, 3.0, 300.0, -2.0]), np.array([1e-9, 0.5, 1.0, 2.0, 1e-3])]
    if gap is not d:
        given[1] = np.array([-40.0, 1.0, -300.0, 2.0, -9.0])
    assert_right([a, d], [loss, *slopes], given, rtol=1e-12)
    if gap is not d:  # which has vanished here, and is the log of the loss
        assert_right([a, d], slopes, [np.array([0.3, -5.0]), np.array([-800.0, -3e4])], rtol=1e-12)


def test_masked_exponents_are_as_they_were() -> None:
    graph = (e(a + d) - e(a) + e(b) - e(b + d)) / (e(a) + e(b))
    given = [
        np.array([-np.inf, 1.0, 0.5]),
        np.array([2.0, -np.inf, 0.5]),
        np.array([1.0, 2, -np.inf]),
    ]
    with np.errstate(all="ignore"):
        found, wanted = (f([a, b, d], graph)(*given) for f in (function, stock))
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
