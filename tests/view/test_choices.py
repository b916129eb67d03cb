"""Choices: maxima, minima, clips, signs and comparisons of exponentials; scatters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, ops, stock

NUMBERS = np.array([800.0, -800.0, 0.5, -0.25, 1e5, -1e5])
OTHERS = np.array([799.0, -801.0, 0.75, -0.25, -1e5, 1e5])

SMALLER: dict[str, Callable[[Any, Any], Any]] = {
    "maximum": lambda x, y: at.exp(x) / at.maximum(at.exp(x), at.exp(y)),
    "minimum": lambda x, y: at.log(at.minimum(at.exp(x), at.exp(y))),
    "clip": lambda x, y: at.log(at.clip(at.exp(x), 0.25, 4.0)),
    "the number first": lambda x, y: at.log(at.maximum(0.25, at.exp(x))),
}


@pytest.mark.parametrize("build", SMALLER.values(), ids=SMALLER)
def test_the_larger_of_two_that_overflow(build: Callable[[Any, Any], Any]) -> None:
    x, y = at.dvectors("xy")
    assert_right([x, y], [build(x, y)], [NUMBERS, OTHERS])


@pytest.mark.parametrize("build", SMALLER.values(), ids=SMALLER)
def test_the_gradient_goes_to_the_one_that_was_chosen(build: Callable[[Any, Any], Any]) -> None:
    x, y = at.dvectors("xy")
    slopes = grad(build(x, y).sum(), [x, y], disconnected_inputs="ignore")
    assert_right([x, y], slopes, [NUMBERS, OTHERS])


@pytest.mark.parametrize("choose", [at.minimum, at.maximum])
def test_what_a_weight_is_cut_to_has_overflown_too(choose: Any) -> None:
    x, weights = at.dvectors("x", "weights")
    e = at.exp(x)
    cut = choose(e, 0.5 * e.sum()) / e.sum()
    slope = grad((cut * weights).sum(), x)
    values = np.array([800.0, 799.5, -900.0, 300.0])
    assert_right([x, weights], [cut, slope], [values, np.array([0.5, -1.0, 0.25, 2.0])])


def test_equal_ones_share_the_slope_as_they_do_in_range() -> None:
    x, y, c = at.dvectors("x", "y", "c")
    slopes = grad((at.minimum(at.exp(x), c * at.exp(y)) / at.exp(x)).sum(), [x, c])
    values = [np.array([1.0, 900.0, 900.0]), np.array([1.0, 900.0, 899.0]), np.ones(3)]
    assert_right([x, y, c], slopes, values)


LARGEST: dict[str, Callable[[Any, Any], Any]] = {
    "log": lambda s, x: at.log(s.max(axis=1)),
    "ratio": lambda s, x: s / s.max(axis=1, keepdims=True),
    "share": lambda s, x: at.log(at.exp(x) / s.max(axis=1, keepdims=True)),
    "sum of maxima": lambda s, x: at.log(s.max(axis=0).sum()),
    "maximum of sums": lambda s, x: at.log(s.sum(axis=1).max()),
}


@pytest.mark.parametrize("build", LARGEST.values(), ids=LARGEST)
def test_the_largest_of_sums_that_overflow(build: Callable[[Any, Any], Any]) -> None:
    x, y = at.dmatrices("xy")
    value = build(at.exp(x) + at.exp(y), x)
    values = [NUMBERS.reshape(2, 3), OTHERS.reshape(2, 3)]
    assert_right([x, y], [value], values)
    assert_right([x, y], grad(at.sum(value), [x, y]), values, atol=1e-12)


def test_what_a_clip_holds_back_has_no_slope() -> None:
    x, y, gain = at.dvectors("x", "y", "gain")
    ratio = at.exp(x) / at.exp(y)
    surrogate = at.minimum(ratio * gain, at.clip(ratio, 0.75, 1.25) * gain)
    values = [np.array([900.0, -900.0, 0.1, 0.5]), np.zeros(4), np.array([1.0, -1.0, 1.0, -1.0])]
    assert_right([x, y, gain], grad(surrogate.sum(), [x, y, gain]), values)


def test_two_infinities_are_compared_by_their_exponents() -> None:
    x, y = at.dvectors("xy")
    outputs = [at.gt(at.exp(x), at.exp(y)), at.eq(at.exp(x), at.exp(y))]
    larger, equal = function([x, y], outputs)(NUMBERS, OTHERS)
    assert larger.tolist() == (NUMBERS > OTHERS).tolist()
    assert equal.tolist() == (NUMBERS == OTHERS).tolist()


@pytest.mark.parametrize(
    "build",
    [lambda e: at.maximum(e, 0.5), lambda e: at.maximum(0.5, e), lambda e: at.clip(e, 0.5, 2)],
)
def test_what_is_not_a_number_stays(build: Callable[[Any], Any]) -> None:
    x = at.dvector("x")
    with np.errstate(invalid="ignore"):
        (found,) = function([x], at.log(build(at.exp(x))))(np.array([np.nan]))
    assert np.isnan(found)


def test_the_sign_of_what_is_not_a_number_is_not_a_number() -> None:
    x, y = at.dvectors("xy")
    out = [at.sgn(at.exp(x)), at.gt(at.exp(x) * y, 0), at.neq(at.exp(x) * y, 0)]
    given = np.array([np.nan, 1.0, -np.inf, np.nan]), np.array([1.0, -2.0, 3.0, 0.0])
    sign, above, other = function([x, y], out)(*given)
    np.testing.assert_array_equal(sign, [np.nan, 1.0, 0.0, np.nan])
    assert above.tolist() == [False, False, False, False]
    assert other.tolist() == [True, True, False, True]


def test_a_clipped_softmax_is_left_as_it_is() -> None:
    x = at.dmatrix("x")
    loss = -at.log(at.clip(softmax(x, axis=1), 1e-7, 1.0)).sum()
    assert ops(function([x], loss, PLAIN)) == ops(stock([x], loss, PLAIN))


def test_the_largest_of_equal_ones_shares_its_gradient() -> None:
    x = at.dmatrix("x")
    share = at.exp(x) / at.exp(x).max(axis=1, keepdims=True)
    upstream = np.array([[0.5, 2.0, -1.0]])
    outputs = [grad((share * upstream).sum(), x)]
    for size in (0.0, 800.0, 1e5):
        assert_right([x], outputs, [np.array([[size, size - 1, size - 2]])])


def test_a_place_that_is_set_twice_keeps_the_last() -> None:
    x = at.dvector("x")
    place = np.array([0, 1, 0])
    y = at.set_subtensor(at.zeros(2)[place], at.exp(x))
    values = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(function([x], y / y.sum())(values), stock([x], y / y.sum())(values))


def test_an_empty_segment_is_zero() -> None:
    x = at.dvector("x")
    place = np.array([0, 2, 0])
    sums = at.inc_subtensor(at.zeros(3)[place], at.exp(x))
    with np.errstate(divide="ignore"):
        found = function([x], at.log(sums))(np.array([800.0, -800.0, 799.0]))
    np.testing.assert_allclose(found, [800 + np.log1p(np.exp(-1)), -np.inf, -800.0])


def test_what_is_compared_with_a_choice_is_equal_to_itself() -> None:
    """The gradient of a minimum asks which operand it is."""
    x = at.dvector("x")
    out = (at.maximum(x, 0) + at.minimum(at.exp(x) - 1, 0)).sum()
    assert_right([x], [grad(out, x)], [np.linspace(-3, 3, 64)])
    assert_right([x], [grad(out, x)], [NUMBERS])


@pytest.mark.parametrize("outer", [lambda e: 1 / (1 + 1 / e), lambda e: at.log(1 / (1 + 1 / e))])
def test_the_inverse_of_what_is_hidden_is_infinite(outer: Callable[[Any], Any]) -> None:
    x = at.dmatrix("x")
    e = at.exp(x)
    mask = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    hidden = [at.switch(at.constant(mask) > 0, e / e.sum(), 0.0), at.set_subtensor(e[:, 0], 0.0)]
    rows = np.array([[0.5, 1.0, 2.0], [0.25, -3.0, 1.5]])
    mine, theirs = (make([x], [outer(h) for h in hidden]) for make in (function, stock))
    with np.errstate(divide="ignore"):
        for found, expected in zip(mine(rows), theirs(rows), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


UNKNOWN = np.array([1.0, np.nan, 0.0, -5.0, 3.0])
v, keep = at.dvector("v"), at.TensorType("bool", (None,))("keep")
FACTORS: dict[str, Any] = {
    "the slope of a maximum": grad(at.exp(v).max(), v),
    "the slope of a clip": grad(at.clip(at.exp(v), 0.1, 5).sum(), v),
    "a comparison": (v > 0) * at.exp(v),
    "a weight": (keep * at.exp(v)) / (keep * at.exp(v)).sum(),
    "an integer": at.log((at.cast(keep, "int8") * at.exp(v)).sum()),
    "what was picked": at.exp(v).sum() - at.exp(v)[1],
    "a choice": at.switch(keep, at.exp(v), 0) / at.switch(keep, at.exp(v), 0).sum(),
    "the slope of a choice": grad(at.log(at.switch(keep, at.exp(v), 0).sum()), v),
}


@pytest.mark.parametrize("out", FACTORS.values(), ids=FACTORS)
def test_what_is_not_a_number_is_hidden_by_choices_alone(out: Any) -> None:
    kept = np.array([True, False, True, True, False])
    found = function([v, keep], out)(UNKNOWN, kept)
    np.testing.assert_allclose(found, stock([v, keep], out)(UNKNOWN, kept), rtol=1e-14)


ALL_HIDDEN: dict[str, Callable[[Any, Any], Any]] = {
    "renormalised": lambda m, p: at.switch(m, p, 0) / at.switch(m, p, 0).sum(axis=1, keepdims=True),
    "averages": lambda m, p: (
        (at.switch(m, p, 0) * p).sum(axis=1) / at.switch(m, p, 0).sum(axis=1) * m.any(axis=1)
    ),
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("build", ALL_HIDDEN.values(), ids=ALL_HIDDEN)
def test_a_row_of_which_all_is_hidden_has_the_gradient_that_stock_gives_it(
    build: Callable[[Any, Any], Any],
) -> None:
    x, m = at.dmatrix("x"), at.bmatrix("m")
    out = build(at.neq(m, 0), softmax(x, axis=1))
    slope = grad((out * at.cos(at.arange(out.size).reshape(out.shape))).sum(), x)
    given = [
        np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 3.0]]),
        np.array([[1, 0, 1], [0, 0, 0]], "int8"),
    ]
    with np.errstate(all="ignore"):
        expected = stock([x, m], slope)(*given)
        found = function([x, m], slope)(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-16)


def _renormalised(x: Any) -> Any:
    return x / x.sum(axis=1, keepdims=True)


SHIELDED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a product and a choice": lambda m, n, x: at.switch(m, _renormalised(softmax(x, 1) * m), 0),
    "twice a product": lambda m, n, x: at.switch(
        n, _renormalised(at.switch(m, softmax(x, 1) * m, 0) * m), 0
    ),
    "what is not a number": lambda m, n, x: at.switch(
        at.isnan(_renormalised(softmax(x, 1) * m)), 0, _renormalised(softmax(x, 1) * m)
    ),
    "far below": lambda m, n, x: at.log(
        at.switch(n, _renormalised(softmax(x - 1e9 * (1 - n), 1) * m), 0) + 1e-6
    ),
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(SHIELDED, 2))
def test_what_choices_hide_is_not_divided_by_nothing(name: str) -> None:
    build = SHIELDED[name]
    m, n, x = at.dmatrices("mnx")
    out = build(m, n, x)
    slope = grad((out * at.cos(at.arange(out.size).reshape(out.shape))).sum(), x)
    compiled, plain = function([m, n, x], [out, slope]), stock([m, n, x], [out, slope])
    masks = np.array(list(product((0.0, 1.0), repeat=3)))
    logits = np.round(np.random.default_rng(0).uniform(-2, 2, masks.shape), 2)
    for last in masks:
        given = masks, np.broadcast_to(last, masks.shape).copy(), logits
        with np.errstate(all="ignore"):
            found, expected = compiled(*given), plain(*given)
        right = np.isfinite(expected[0]).all(axis=1)
        for mine, its in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine[right], its[right], rtol=1e-9, atol=1e-15)


def test_what_only_one_of_two_choices_hides_is_divided_by_nothing() -> None:
    m, n = at.bmatrix("m"), at.bmatrix("n")
    x = at.dmatrix("x")
    one = at.switch(m, at.exp(x), 0)
    out = one.sum(axis=1) / at.switch(n, one, 0).sum(axis=1)
    given = [np.array([[1, 0]], "int8"), np.array([[0, 1]], "int8"), np.array([[0.5, 1.0]])]
    with np.errstate(all="ignore"):
        assert np.isposinf(function([m, n, x], out)(*given)).all()


INVERSES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a log": lambda hidden, e, x: at.log(hidden(1 / hidden(x)) * e),
    "a sum": lambda hidden, e, x: at.log(hidden(2 + 1 / hidden(x)) * e + e),
    "a power": lambda hidden, e, x: at.log(hidden(hidden(x * e) ** -2.0) * e),
}


@pytest.mark.parametrize("name", INVERSES)
def test_what_a_choice_hides_stays_hidden_by_the_same_choice_of_what_divides(name: str) -> None:
    m, x, y = at.bvector("m"), at.dvector("x"), at.dvector("y")
    out = INVERSES[name](lambda v: at.switch(m, v, 0), at.exp(y - x), x)
    given = [np.array([0, 1, 0], "int8"), np.array([0.5, 1.0, 3.0]), np.array([0.0, 1.0, 2.0])]
    with np.errstate(all="ignore"):
        found, expected = function([m, x, y], out)(*given), stock([m, x, y], out)(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_softplus_of_minus_infinity_is_nothing_beside_others() -> None:
    x = at.dvector("x")
    soft = at.log(1 + at.exp(x))
    given = np.array([0.5, -np.inf, 2.0])
    with np.errstate(all="ignore"):
        (share,) = function([x], [soft / soft.sum()])(given)
    np.testing.assert_allclose(share, np.logaddexp(0, given) / np.logaddexp(0, given).sum())


def test_values_in_range_are_compared_as_they_are() -> None:
    x = at.dmatrix("x")
    share = at.exp(x) / at.exp(x).sum(axis=0, keepdims=True)
    found = function([x], at.gt(share, at.expm1(share[0])))
    tiny = np.array([[0.0, -802.0], [0.0, -731.0], [0.0, -800.0]])
    assert found(tiny).tolist() == [[False, False], [False, True], [False, True]]


def test_what_is_checked_and_true_is_read_through() -> None:
    """Aesara checks the shape of what a condition that is always true chooses."""
    x = at.dvector("x")
    e = at.exp(-x)
    share = function([x], e / (e + at.switch(at.ge(e, e), e, 0)))
    with np.errstate(all="ignore"):
        assert share(np.array([0.5, 800.0, 3000.0])).tolist() == [0.5, 0.5, 0.5]


LOGIT, FACTOR = at.dmatrices("x", "y")
WEIGHT = at.square(FACTOR)
LARGEST_PRODUCTS: dict[str, Any] = {
    "the largest product": (at.exp(LOGIT) * WEIGHT).max(axis=1),
    "its log": at.log((at.exp(LOGIT) * WEIGHT).max(axis=1)),
    "the log of the largest quotient": at.log((at.exp(LOGIT) / (1 + WEIGHT)).max(axis=1)),
    "beside another one": at.log(at.exp(LOGIT).max(axis=1) + (at.exp(LOGIT) * WEIGHT).max(axis=1)),
}


@pytest.mark.spared
@pytest.mark.parametrize("name", LARGEST_PRODUCTS)
def test_the_slope_of_the_largest_product_finds_it(name: str) -> None:
    """Its log is that of the factor and the exponent, added, which is rounded."""
    slopes = grad(LARGEST_PRODUCTS[name].sum(), [LOGIT, FACTOR])
    draws = np.random.default_rng(0)
    mine, theirs = (make([LOGIT, FACTOR], slopes) for make in (function, stock))
    for _ in range(4):
        given = draws.normal(size=(6, 5)), draws.normal(size=(6, 5))
        for found, wanted in zip(mine(*given), theirs(*given), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "at least 0": lambda v, top: at.switch(at.ge(v - top, 0), v, 0),
    "below 0": lambda v, top: at.switch(at.lt(v - top, 0), 0, v),
    "equal": lambda v, top: at.switch(at.eq(v - top, 0), v, 0),
    "a sign": lambda v, top: v * (1 + at.sgn(v - top)),
    "under a log": lambda v, top: at.log(
        at.switch(at.ge(v, top), v, 0).sum(axis=1) / v.sum(axis=1)
    ),
}


@pytest.mark.spared
@pytest.mark.parametrize("name", COMPARED)
def test_the_largest_product_is_itself(name: str) -> None:
    total = at.exp(LOGIT).sum(axis=1, keepdims=True)
    for value in (
        at.exp(LOGIT) * WEIGHT,
        at.exp(LOGIT) / total * WEIGHT,
        at.exp(LOGIT) * (1 + WEIGHT),
    ):
        graph = COMPARED[name](value, value.max(axis=1, keepdims=True))
        mine, theirs = (make([LOGIT, FACTOR], graph) for make in (function, stock))
        draws = np.random.default_rng(1)
        for _ in range(4):
            given = draws.normal(size=(6, 5)), draws.normal(size=(6, 5))
            np.testing.assert_allclose(mine(*given), theirs(*given), rtol=1e-12, atol=1e-15)


@pytest.mark.spared
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("other", [lambda e: e[::-1], lambda e: e[:, ::-1]])
def test_a_picked_mixture_that_is_hidden_has_no_slope(other: Any, known: bool) -> None:
    x, m = at.dmatrix("x"), at.bmatrix("m")
    mask = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1]], "int8")  # the second pick is not
    kept = at.as_tensor(mask.astype(bool)) if known else at.neq(m, 0)
    e = at.exp(x)
    loss = -at.log(at.switch(kept, e + 0.7 * other(e), 0)[at.arange(3), [1, 0, 2]]).sum()
    slope = grad(loss, x)
    values = [np.cos(np.arange(12.0)).reshape(3, 4), mask]
    with np.errstate(divide="ignore"):
        found, right = (f([x, m], slope)(*values) for f in (function, stock))
    assert np.isfinite(right).all()
    np.testing.assert_allclose(found, right, rtol=1e-13, atol=1e-16)
