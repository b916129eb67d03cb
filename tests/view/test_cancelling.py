"""What is out of range in parts of a graph and not in the whole: it cancels, or a zero hides it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, function, grad, ops

x = at.dmatrix("x")
z, y = at.dvectors("z", "y")
LARGE = np.array([[800.0, 799.0, -3.0], [-900.0, -905.5, -901.0]])
EDGES = np.array([-1e5, -800.0, -1.0, 0.5, 800.0, 1e5])
LABELS = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])


def normal(e: Any) -> Any:
    return e / e.sum(axis=1, keepdims=True)


def test_terms_that_overflow_are_added_where_their_sum_does_not() -> None:
    p = at.exp(z) / (1 + at.exp(z))
    slope = grad(-(y * at.log(p) + (1 - y) * at.log(1 - p)).mean(), z)
    found = ops(function([z, y], [slope], PLAIN))
    assert (found["exp"], found["maximum"]) == (0, 0)
    assert_right([z, y], [slope], [EDGES, LABELS])


def test_a_mask_outside_a_dot_product_hides_what_overflows_inside() -> None:
    v, up = at.dmatrices("v", "up")
    e = at.exp(x) * y
    out = at.dot(e, v) / e.sum(axis=1)[:, None]
    slope = grad((out * up).sum(), v)
    masked = np.array([[900.0, 1.0, 2.0], [-900.0, -1e4, -901.0]])
    mask, some = np.array([0.0, 1.0, 1.0]), np.array([[0.5, -1.0], [2.0, 0.25]])
    values = np.array([[0.5, 1.0], [-2.0, 0.25], [1.5, 3.0]])
    assert_right([x, y, v, up], [slope], [masked, mask, values, some])


def test_each_side_of_a_dot_product_gets_the_divisor_that_it_needs() -> None:
    s, v = at.dtensor3s("s", "v")
    e = at.exp(s) * x.dimshuffle(0, "x", 1)
    out = at.batched_dot(e, v) / e.sum(axis=2).dimshuffle(0, 1, "x")
    scores = np.array([[[800.0, 1.0], [-900.0, 40.0]], [[3.0, -700.0], [5.0, 900.0]]])
    values = np.array([[[0.5, 1.0], [2.0, -1.0]], [[-2.0, 0.25], [1.5, 3.0]]])
    slope = grad((out**2).sum(), v)
    assert_right([s, x, v], [slope], [scores, np.array([[0.0, 1.0], [1.0, 0.0]]), values])


def test_a_masked_term_of_a_sum_may_be_larger_than_all_others() -> None:
    a, b, up = at.dvectors("a", "b", "up")
    mask = np.array([0.0, 1.0, 0.0])
    slopes = grad((at.log(at.exp(a) + mask * at.exp(b)) * up).sum(), [a, b])
    values = [np.array([1.0, 2e3, -1e6]), np.array([1e6, 2001.0, 3.0]), np.array([0.5, 1.0, 2.0])]
    assert_right([a, b, up], slopes, values)


def test_what_is_zero_elsewhere_divides_only_where_it_was_picked() -> None:
    off = at.constant(1 - np.eye(3))
    p = normal(at.exp(x) * off)
    slope = grad(-at.log(p[at.arange(3), np.array([1, 2, 0])]).mean(), x)
    assert_right([x], [slope], [np.array([[1.0, 2.0, -1.0], [0.5, 3.0, 2.0], [800.0, 1.0, 900.0]])])


def test_a_diagonal_of_which_one_number_is_left_keeps_its_length() -> None:
    e = at.exp(x)
    slope = grad(-at.log(at.diag(e) / e.sum(axis=1)).mean(), x)
    assert ops(function([x], [slope], PLAIN))["exp"] == 0
    assert_right(
        [x], [slope], [np.array([[800.0, 1.0, 799.0], [-9e2, -901.0, 5.0], [3.0, 1.0, 2.0]])]
    )


def test_small_exponents_keep_their_digits_beside_large_normalised_ones() -> None:
    weights, logs = normal(at.exp(x)), at.dmatrix("logs")
    cost = at.log((weights * at.exp(logs)).sum(axis=1))
    large = np.array([[1e17, -3e16, 1e17 - 64], [-1e18, 2e15, 7.0]])
    some = np.array([[-1.25, 0.5, 3.0], [0.25, -40.0, -7.5]])
    outputs = [cost, *grad(cost.sum(), [x, logs])]
    assert_right([x, logs], outputs, [large, some], atol=1e-10)


def test_constant_exponents_take_no_shape_of_constants() -> None:
    column = z.dimshuffle(0, "x")
    steps = at.constant(np.array([[0.0, 1.0]]))
    low, high = (1 / (1 + at.exp(-(column - steps + d))) for d in (-0.5, 0.5))
    out = at.log((normal(at.exp(x[:, :2])) * (high - low)).sum(axis=1))
    assert_right([x, z], [out], [LARGE, np.array([60.0, -3.0])])


def test_in_a_log_a_quotient_of_sums_does_not_vanish() -> None:
    w = at.dmatrix("w")
    e = w * at.exp(x)
    out = at.log((y * e).sum(axis=1) / e.sum(axis=1))
    assert_right([x, w, y], [out], [LARGE, np.ones((2, 3)) / 4, np.array([0.0, 0.0, 1.0])])


#: What counts how often a number stands in the rows of a matrix; w has rows and columns.
COUNTING: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda e, w: e.sum(axis=1),
    "mean": lambda e, w: e.mean(axis=1),
    "mean of all": lambda e, w: e.mean(),
    "prod": lambda e, w: at.log(e.prod(axis=1)),
    "cumsum": lambda e, w: e.cumsum(axis=1),
    "dot": lambda e, w: at.log(at.dot(e, w)),
    "dot from the left": lambda e, w: at.log(at.dot(w, e)),
    "transposed": lambda e, w: e.T.sum(axis=0),
    "sum of logs": lambda e, w: at.exp(at.log(e).sum(axis=1)),
}


def test_what_the_sum_of_the_others_is_of_keeps_its_length() -> None:
    p = at.exp(x - at.log(at.exp(x).sum(axis=1, keepdims=True)))
    slope = grad((at.log(p / (1 - p)).mean(axis=1) * y).sum(), x)
    assert_right([x, y], [slope], [np.arange(8.0).reshape(2, 4) / 4, np.array([0.5, -1.0])])


def test_sides_of_a_dot_product_that_cancel_leave_its_length() -> None:
    share = at.exp(z) / at.dot(at.exp(z), at.exp(-z))
    assert_right([z, y], [share, grad((share * y).sum(), z)], [EDGES / 1e5, LABELS])


@pytest.mark.spared
@pytest.mark.parametrize("count", COUNTING.values(), ids=COUNTING)
def test_what_cancels_leaves_its_lengths(count: Callable[[Any, Any], Any]) -> None:
    w = at.dmatrix("w")
    column = at.exp(x).sum(axis=1, keepdims=True)
    out = count(at.exp(x) * at.exp(-x) * column, at.exp(w))
    values = [np.arange(9.0).reshape(3, 3) / 4, np.eye(3)]
    assert_right([x, w], [out, grad(out.sum(), x)], values)


def test_a_product_of_equal_numbers_is_their_power() -> None:
    column = x.sum(axis=1, keepdims=True)
    out = (at.exp(x) * at.exp(-x) * column).prod(axis=1)
    assert_right([x], [out, grad(out.sum(), x)], [np.arange(6.0).reshape(2, 3)])


def test_weights_that_may_be_zero_where_an_exponential_is_largest() -> None:
    w = at.dvector("w")
    slope = grad((at.log1p(at.dot(at.exp(x), w)) * at.as_tensor([0.5, -2.0])).sum(), w)
    assert_right([x, w], [slope], [LARGE, np.array([0.0, 0.5, 0.0])])


def test_a_product_of_probabilities_that_do_not_meet() -> None:
    s, up = at.dmatrices("s", "up")
    p = at.dot(normal(at.exp(x)), normal(at.exp(s)))
    slopes = grad((at.log(p) * up).sum(), [x, s])
    apart = np.array([[0.0, -2e3], [1.0, -2e3], [-1500.0, 0.0]])
    assert_right([x, s, up], slopes, [LARGE, apart, np.array([[0.5, -1.0], [2.0, 0.25]])])


def test_what_a_row_of_zeros_is_multiplied_with() -> None:
    """No label is in the first row, and the exponential of its logits overflows."""
    s = at.dmatrix("s")
    p = at.dot(normal(at.exp(x)), normal(at.exp(s)))
    slopes = grad(at.log(p[[1], [0]]).sum(), [x, s])
    assert_right([x, s], slopes, [LARGE, np.array([[0.5, -900.0], [2.0, 1e5], [-3.0, 1.0]])])


def test_a_product_with_labels_is_the_sum_that_divides_by_it() -> None:
    labels = at.dmatrix("labels")
    slope = grad(at.log(at.batched_dot(normal(at.exp(x)), labels)).sum(), x)
    assert_right([x, labels], [slope], [LARGE, np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])])


def test_matrix_products_that_stay_in_range_stay_as_they_are() -> None:
    """Attention has no use for levels of its products, whether it divides before or after."""
    s, v, up = at.dmatrices("s", "v", "up")
    e = at.exp(at.dot(s, s.T)) * y
    late = at.dot(e, v) / e.sum(axis=1, keepdims=True)
    soon = at.dot(normal(e), v)
    for out in (late, soon):
        compiled = function([s, y, v, up], [out, *grad((out * up).sum(), [s, v])], PLAIN)
        assert "ScaledDot" not in {type(n.op).__name__ for n in compiled.maker.fgraph.apply_nodes}


@pytest.mark.parametrize("stacked", [False, True])
def test_shares_of_products_of_probabilities_of_labels(stacked: bool) -> None:
    labels, z, g = at.dmatrix("labels"), at.dmatrix("z"), at.dscalar("g")
    p, w = 1 / (1 + at.exp(-z)), 1 / (1 + at.exp(-g))
    products = [at.prod(labels * q + (1 - labels) * (1 - q), axis=1) for q in (p[0], p[1])]
    a, b = w * products[0], (1 - w) * products[1]
    both = at.stack([a, b], axis=1)
    out = both / both.sum(axis=1, keepdims=True) if stacked else a / (a + b)
    rows = np.array([[1.0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
    logits = np.array([[1.0, 0.3, -0.7, 0.9], [-1.0, 0.2, 0.5, -0.8]])
    compiled = function([labels, z, g], [out])
    for logit in (1.0, 800.0, 30000.0):
        values = [rows, logits * logit, 0.3 * logit]
        assert_right([labels, z, g], [out], values, compiled=compiled)


def test_what_is_left_of_terms_with_a_common_sum_meets() -> None:
    s, q, up = at.dvectors("s", "q", "up")
    p = at.exp(s) / (at.exp(s) + 4 * q)
    slope = grad(((at.log(p) + at.log(1 - p)) * up).sum(), s)
    values = [np.array([800.0, 1.0, -800.0]), np.array([3.6, 2.0, 2.0]), np.array([1.0, 2.0, 3.0])]
    assert_right([s, q, up], [slope], values)


def test_terms_that_meet_where_a_product_is_multiplied_out() -> None:
    x, least, y = at.dvectors("x", "least", "y")
    p = least + (1 - least) / (1 + at.exp(-x))
    loss = (y * at.log(p) + (1 - y) * at.log(1 - p)).sum()
    values = [np.array([800.0, 40.0, -3.0, -800.0]), np.array([0.2, 0.1, 0.3, 0.2])]
    assert_right([x, least, y], grad(loss, [x, least]), [*values, np.array([1.0, 0, 1, 0])])


def test_the_complement_of_an_average_of_sigmoids() -> None:
    x, w = at.dmatrix("x"), at.dvector("w")
    share = at.exp(w) / at.exp(w).sum()
    mean = (share / (1 + at.exp(-x))).sum(axis=1)
    out = at.log(mean) - at.log(1 - mean)
    values = [
        np.array([[-800.0, -700, -900], [40, 1, 2], [800, 801, 802]]),
        np.array([0.5, 0.7, 1]),
    ]
    assert_right([x, w], [out, grad(out.sum(), x)], values)


@pytest.mark.spared(2)
@pytest.mark.parametrize("second", [1.0, 800.0])
def test_the_square_of_a_sum_less_the_sum_of_squares(second: float) -> None:
    x = at.dvector("x")
    e = at.exp(x)
    out = at.log(e.sum() ** 2 - (e**2).sum())
    assert_right([x], [out, grad(out, x)], [np.array([800.0, second, -3.0])])


@pytest.mark.parametrize("logit", sparing([800.0, 1.0, -88064.0]))
def test_weights_of_a_broken_stick_are_stacked(logit: float) -> None:
    s, logs = at.dvector("s"), at.dmatrix("logs")
    v = 1 / (1 + at.exp(-s))
    w = at.stack([v[0], (1 - v[0]) * v[1], 1 - v[0] - (1 - v[0]) * v[1]])
    out = at.log((w * at.exp(logs)).sum(axis=1))
    values = [np.array([logit, logit / 7]), np.array([[-3.0, 5, 3], [4, -2, -1]]) * abs(logit)]
    assert_right([s, logs], [out, *grad(out.sum(), [s, logs])], values)


def test_what_a_label_hides_has_no_size_in_a_difference() -> None:
    up, gate, label = at.dvectors("up", "gate", "label")
    share = 1 / (1 + at.exp(-gate))
    loss = -at.log(share * at.exp(-up) + (1 - share) * label).sum()
    values = [np.array([1700.0, 1700.0, 3.0]), np.array([-700.0, 500.0, 1.0])]
    assert_right([up, gate, label], grad(loss, [up, gate]), [*values, np.array([0.0, 0.0, 1.0])])


def test_terms_that_are_one_without_what_they_share_are_added() -> None:
    x = at.dvector("x")
    slope = grad(at.exp(x).std(), x)  # the root of an inverse meets what it is the root of
    assert_right([x], [grad(slope.sum(), x)], [np.array([0.441, 0.883, -0.3])])


def test_a_root_of_a_square_times_an_absolute_value() -> None:
    x, y = at.dvectors("x", "y")
    out = at.sqrt(x**2 * at.abs(x) * at.exp(y)) * at.exp(-y / 2)
    assert_right([x, y], [out], [np.array([-2.0, 0.5, 3.0]), np.array([0.3, -1.0, 2.0])])


@pytest.mark.parametrize("share", [0.5, 1e-20])
def test_a_log_of_one_and_little_keeps_it_whatever_exponential_is_common(share: float) -> None:
    values, shares = np.array([1e-20, 1e-3, 1.0, 30.0, -800.0]), np.full(5, share)
    new = function([z, y], [at.log(1 - y * (1 - at.exp(-z)))], PLAIN)
    with mpmath.workdps(500):
        exact = [float(mpmath.log(1 - share * (1 - mpmath.exp(-mpmath.mpf(v))))) for v in values]
    np.testing.assert_allclose(new(values, shares)[0], exact, rtol=2e-15)


@pytest.mark.spared
@pytest.mark.parametrize("size", [1.0, 20.0, 40.0, 800.0])
def test_terms_of_two_sums_along_the_same_axes_cancel(size: float) -> None:
    logits, guess, weights = at.dmatrix("logits"), at.dvector("guess"), at.dmatrix("weights")
    e = at.exp(logits)
    left = at.sum(weights * (1 + e), axis=0) - at.sum(weights * e, axis=0)
    chance = 1 / (1 + at.exp(-guess))
    known = chance + (1 - chance) / (1 + at.exp(-logits))
    outs = [left, grad((weights * at.log(1 - known)).sum(), guess)]
    values = [np.array([[size, size + 1], [size, size - 1]]), np.array([1.0, 3.0])]
    assert_right([logits, guess, weights], outs, [*values, np.array([[0.5, 1.0], [2.0, -0.25]])])


def test_what_two_sums_leave_has_the_length_of_the_axis() -> None:
    logits = at.dmatrix("logits")
    e = at.exp(logits)
    left = at.sum(1 + e, axis=1) - at.sum(e, axis=1)
    assert_right([logits], [left], [np.full((2, 5), 800.0)])


@pytest.mark.parametrize("level", sparing([-900.0, -300.0, -1e5]))
def test_what_nobody_looks_into_may_vanish_beside_what_is_out_of_range(level: float) -> None:
    s, v = at.dvectors("s", "v")
    e = at.exp(s)
    inside = e[0] * e[1] + e[2]  # of a segmentation, summed over its ends
    slope = grad(at.log(inside * e[2] + inside * e[3]), s)
    values = [np.array([0.0, -1.5, 1.0, -2.0]) + level, np.array([1.0, -0.5, 0.25, 2.0])]
    assert_right([s, v], [grad((slope * v).sum(), s)], values, atol=1e-12)


#: Scales that are exponentials themselves, and may be out of range with what they scale.
SCALES: dict[str, Any] = {"exponential": lambda s: at.exp(s), "quarter": lambda s: at.exp(s / 4)}


@pytest.mark.spared(2)
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("label", sparing([0.0, 1.0]))
def test_terms_come_back_though_all_are_multiplied_by_what_is_out_of_range(
    scale: Any, label: float
) -> None:
    """As products of the Hessian of answers do, whose discrimination is an exponential."""
    ability, log_scale, easy = at.dvectors("ability", "log_scale", "easy")
    z = scale(log_scale) * (ability - easy)
    p = at.exp(z) / (1 + at.exp(z))
    loss = -(label * at.log(p) + (1 - label) * at.log(1 - p)).sum()
    slope = grad(loss, ability).sum()
    outputs = grad(slope, [ability, log_scale, easy])
    f = function([ability, log_scale, easy], outputs)
    for far in (2.0, 35.0, 60.0, 106.0, 900.0, -60.0):
        values = [np.array([795.0]), np.array([0.75]), np.array([795.0 - far])]
        assert_right([ability, log_scale, easy], outputs, values, rtol=1e-9, compiled=f)


def test_what_scales_the_terms_of_a_sum_may_stay_out_of_range() -> None:
    a, b, c = at.dvectors("a", "b", "c")
    e = at.exp(a)
    for outer in (at.exp(b), at.exp(at.exp(b))):
        graph = outer * e / (1 + e) ** 2 * c + outer * e - outer * e * e / (1 + e)
        f = function([a, b, c], [graph])
        for far in (3.0, 79.0, 900.0):
            values = [np.array([far]), np.array([0.75]), np.array([2.0])]
            assert_right([a, b, c], [graph], values, compiled=f)


def _answers(weighted: int) -> tuple[list[Any], list[Any]]:
    """Inputs and products of the Hessian of answers, along a direction in the first variables."""
    ability, log_scale, easy, label, along = at.dvectors(
        ["ability", "log_scale", "easy", "label", "along"]
    )
    z = at.exp(log_scale) * (ability - easy)
    p = at.exp(z) / (1 + at.exp(z))
    loss = -(label * at.log(p) + (1 - label) * at.log(1 - p)).sum()
    wrt = [ability, log_scale, easy]
    slopes = grad(loss, wrt)
    along_it = sum((s * along * (k + 1)).sum() for k, s in enumerate(slopes[:weighted]))
    return [*wrt, label, along], grad(along_it, wrt)


@pytest.mark.parametrize("weighted", sparing([2, 1, 3]))
def test_fractions_are_added_up_among_those_that_are_times_the_same(weighted: int) -> None:
    """All of them multiplied out over one denominator would be a hundred terms and more."""
    inputs, products = _answers(weighted)
    f = function(inputs, products)
    for far, label in product((3.0, 20.0, 79.0, 400.0, -79.0), (0.0, 1.0, 0.25)):
        values = [np.array([v]) for v in (far, 0.6875, 0.25, label, 0.54)]
        assert_right(inputs, products, values, rtol=1e-9, atol=1e-12, compiled=f)


def test_what_may_be_all_of_a_term_is_not_subtracted_from_it() -> None:
    """``1/(1 + e) - y`` of ``(1 - y)/(1 + e) - y*e/(1 + e)`` would lose its digits at y = 1."""
    a, b, y = at.dvectors("a", "b", "y")
    e, h = at.exp(a), at.exp(b)
    graph = (1 - y) / (1 + e) - y * e / (1 + e) + (1 - y) / (1 + h) - y * h / (1 + h)
    values = [np.array([-36.0, 2.0]), np.array([-30.0, -1.0]), np.array([1.0, 0.25])]
    assert_right([a, b, y], [graph], values)


@pytest.mark.parametrize(
    ("weight", "exact"),
    [
        (lambda w: w, lambda w: w),
        (lambda w: w**3 / (1 + w**2), lambda w: w**3 / (1 + w**2)),
        (at.tanh, mpmath.tanh),
        (at.expm1, mpmath.expm1),
        (at.sigmoid, lambda w: 1 / (1 + mpmath.exp(-w))),
        (lambda w: 1 / (2 + at.exp(w)), lambda w: 1 / (2 + mpmath.exp(w))),
    ],
)
def test_beside_one_a_log_keeps_what_weights_leave_of_exponentials(weight: Any, exact: Any) -> None:
    """A log of one and ``w*exp(z)`` is about that where w is small, however large z is."""
    sizes = [1e-190, 1e-9, 0.3, 5.0, 30.0, 600.0, -1e-9, -40.0, -300.0]
    weights = [1e-250, 1e-100, 1e-9, 0.3, 7.0, -1e-200, -1e-12, -0.25]
    values, some = map(np.array, zip(*product(sizes, weights), strict=True))
    with mpmath.workdps(600):
        pairs = zip(map(mpmath.mpf, values), map(mpmath.mpf, some), strict=True)
        inner = [exact(w) * mpmath.exp(v) for v, w in pairs]
        truth = np.array([float(mpmath.log1p(u)) if u > -1 else np.nan for u in inner])
    new = function([z, y], [at.log(1 + weight(y) * at.exp(z))], PLAIN)
    has_one = np.isfinite(truth)
    with np.errstate(invalid="ignore"):  # there is no number for some
        result = new(values, some)[0]
    # An exponent is rounded before it is one.
    np.testing.assert_allclose(result[has_one], truth[has_one], rtol=1e-13)


def test_sums_of_weighted_exponentials_keep_what_is_little_beside_one() -> None:
    weights = at.dmatrix("weights")
    new = function([x, weights], [at.log(1 + (weights * at.exp(x)).sum(axis=1))], PLAIN)
    sizes, some = np.array([[3.0, 5.0], [100.0, 2.0]]), np.array([[1e-30, 2e-30], [1e-90, -1e-70]])
    with mpmath.workdps(200):
        terms = [
            [mpmath.mpf(w) * mpmath.exp(mpmath.mpf(v)) for v, w in zip(*row, strict=True)]
            for row in zip(sizes, some, strict=True)
        ]
        truth = [float(mpmath.log1p(sum(row))) for row in terms]
    np.testing.assert_allclose(new(sizes, some)[0], truth, rtol=1e-13)


def test_a_difference_is_no_numerator_over_a_common_denominator() -> None:
    out = 1 / (1 + at.tanh(y) * at.exp(z))
    new = function([z, y], [out], PLAIN)
    values, some = np.array([600.0, 30.0, 5.0]), np.array([1e-100, 1e-9, 1e-12])
    np.testing.assert_allclose(
        new(values, some)[0], 1 / (1 + np.tanh(some) * np.exp(values)), rtol=1e-13
    )
