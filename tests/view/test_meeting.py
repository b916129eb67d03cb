"""Exponentials that were written apart: merged sums, sunk factors, the sum of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from tests.view.common import PLAIN, assert_right, at, function, grad, ops, stock

x = at.dmatrix("x")
t = at.dscalar("t")
LARGE = np.array([[800.0, 799.0, -3.0], [-900.0, -905.5, -901.0]])


def normal(e: Any) -> Any:
    return e / e.sum(axis=1, keepdims=True)


def test_the_derivative_in_a_temperature_is_an_entropy() -> None:
    cost = (t * at.log(at.exp(x / t).sum(axis=1))).sum()
    slope = grad(cost, t)
    found = ops(function([x, t], [slope], PLAIN))
    assert (found["Softmax"], found["LogSoftmax"], found["exp"], found["log"]) == (1, 1, 0, 0)
    assert_right([x, t], [slope], [LARGE * 1e6, np.asarray(0.5)])


def test_sums_of_different_lengths_stay_apart() -> None:
    y = at.dmatrix("y")
    out = at.log(at.exp(x).sum(axis=1)).sum() - (y * at.exp(y)).sum() / at.exp(y).sum()
    assert_right([x, y], [out], [LARGE, LARGE[:1]])


def test_the_gradient_of_what_was_indexed_has_no_exponential_outside() -> None:
    e = at.exp(x)
    slope = grad(at.log(e[:, 0] + e[:, 2]).sum(), x)
    assert_right([x], [slope], [LARGE])


@pytest.mark.parametrize("pick", [slice(None), 1, (slice(None), 1)], ids=str)
def test_what_is_missing_from_one(pick: Any) -> None:
    out = at.log(1 - normal(at.exp(x)))[pick]
    rows = [[900.0, 1.0, 2.0], [-900.0, -100.0, 5.0], [3.0, 3.0, 3.0]]
    assert_right([x], [out], [np.array(rows)], atol=1e-15)


def test_odds_are_taken_of_what_is_nearly_certain() -> None:
    p = normal(at.exp(x))
    out = at.log(p / (1 - p))
    rows = np.array([[1e5, 1.0, 2e4], [-9e9, -100.0, 5e8], [0.5, 1.0, -2.0]])
    assert_right([x], [out, grad(out.sum(), x)], [rows])


@pytest.mark.parametrize("pick", [0, slice(0, 1), slice(1, 2)], ids=str)
def test_what_is_missing_from_one_that_was_picked(pick: Any) -> None:
    rows = np.array([[100.0, 1.0, 2.0], [0.5, 900.0, -5.0], [3.0, 3.0, 3.0]])
    for share in (normal(at.exp(x)), softmax(x, axis=1)):
        assert_right([x], [at.log(1 - share[:, pick])], [rows], atol=1e-15)


def test_the_curvature_of_average_log_odds() -> None:
    w = at.dmatrix("w")
    p = normal(at.exp(x) * w)
    slope = grad((at.log(p / (1 - p)).mean(axis=1) * [0.5, -2.0]).sum(), x)
    across = np.array([[0.5, -1.0, 2.0, 0.25], [1.0, 0.5, -0.75, 1.5]])
    values = [np.arange(8.0).reshape(2, 4) / 4, across**2 + 0.5]
    assert_right([x, w], [slope, grad((slope * across).sum(), x)], values)


def test_equal_largest_terms_are_each_others_others() -> None:
    e = at.exp(x)
    out = at.log(e.sum(axis=1, keepdims=True) - e)
    assert_right([x], [out], [np.array([[800.0, 800.0, 1.0], [-700.0, -700.0, -700.0]])])


def test_what_is_picked_may_overflow_where_nothing_else_does() -> None:
    v = at.dvector("v")
    out = at.exp(v)[1] * at.exp(x)
    slope = function([x, v], grad(out.sum(), v))
    with np.errstate(over="ignore"):
        mine = slope(np.abs(LARGE), np.array([0.5, 1.5, -900.0]))
    assert mine.tolist() == [0.0, np.inf, 0.0]


ONE_AND_MORE: dict[str, Any] = {
    "a dot product": lambda w: at.log(1 + at.dot(at.exp(x), at.exp(w))),
    "a weighted sum": lambda w: at.log(1 + (at.exp(x) * [1e-20, 0.5, 1e3]).sum(axis=1)),
    "two terms": lambda w: at.log(1 + at.exp(x) + at.exp(2 * x + 1)),
    "a small weight": lambda w: at.log(1 + 1e-20 * at.exp(x) + at.exp(-x) * 1e-30),
    "a share": lambda w: at.log(1 + 1 / (1 + at.exp(-x))),
    "a sum and more": lambda w: at.log(1 + at.exp(x).sum(axis=1) + at.exp(x[:, 0])),
}


@pytest.mark.parametrize("build", ONE_AND_MORE.values(), ids=ONE_AND_MORE)
def test_the_log_of_one_and_what_is_negligible_keeps_its_digits(build: Any) -> None:
    w = at.dmatrix("w")
    out = at.log(build(w))
    values = np.array([[-40.0, -45.0, -60.0], [-50.0, 30.0, -70.0], [60.0, 80.0, -90.0]])
    assert_right([x, w], [out, grad(out.sum(), x)], [values, np.diag([-5.0, -90.0, 60.0])])


@pytest.mark.parametrize("spelled", [lambda e: e, normal], ids=["exponentials", "probabilities"])
def test_a_gate_that_is_far_larger_than_logits_leaves_their_digits(spelled: Any) -> None:
    y, h = at.dmatrix("y"), at.dvector("h")
    gate = 1 / (1 + at.exp(-h))
    out = at.log(gate * spelled(at.exp(x))[:, 0] + (1 - gate) * spelled(at.exp(y))[:, 1])
    logits = np.array([[0.125, -0.3], [1.0, 2.5], [7.0, 0.1]])
    assert_right(
        [x, y, h], [out, *grad(out.sum(), [x, y])], [logits, logits + 0.1, [1e16, -1e15, 3]]
    )


def test_an_attention_block_keeps_its_size() -> None:
    q, k, v, w = at.dmatrices("q", "k", "v", "w")
    h = v + at.dot(softmax(at.dot(q, k.T), axis=1), v)
    cost = at.log(1 + at.exp(at.dot(h, w))).sum()
    outputs = [cost, *grad(cost, [q, k, v, w])]
    mine = function([q, k, v, w], outputs, PLAIN)
    theirs = stock([q, k, v, w], outputs, PLAIN)
    assert ops(mine).total() <= ops(theirs).total()


def test_a_crossed_out_row_with_an_epsilon_is_zero() -> None:
    m = at.dmatrix("m")
    e = at.exp(x) * m
    out = e / (e.sum(axis=1, keepdims=True) + 1e-9)
    assert_right([x, m], [out], [LARGE, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])])


def test_tensors_of_other_lengths_are_flattened_by_moves_of_their_own() -> None:
    x, y = at.dmatrices("xy")

    def flat(z: Any) -> Any:
        return at.log((at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)).reshape((-1,)))

    values = [np.array([[800.0, 1.0, -800.0]]), np.array([[1e5, 2.0], [3.0, -1e5]])]
    assert_right([x, y], [flat(x), flat(y)], values)


@pytest.mark.slow
def test_what_varies_along_a_sum_does_not_enter_it() -> None:
    """The second derivative of an entropy multiplies such sums with the softmax itself."""
    x, c, v = at.dmatrix("x"), at.dvector("c"), at.dmatrix("v")
    e = at.exp(x)
    p = e / e.sum(axis=1, keepdims=True)
    slope = grad((-(p * at.log(p)).sum(axis=1) * c).sum(), x)
    values = [np.array([[0.5, -1.25, 2.0], [1.0, 0.25, -0.5]]), np.array([1.0, -0.5])]
    assert_right([x, c, v], [grad((slope * v).sum(), x)], [*values, np.sin(values[0])])


def test_what_has_no_others_is_small_beside_itself() -> None:
    v, keep = at.dvector("v"), at.TensorType("bool", (None,))("keep")
    z = at.switch(keep, v, -np.inf)
    p = at.exp(z) / at.exp(z).sum()
    out = at.square(at.exp(p - 1)).sum()
    values = [np.array([-3000.0, 200.0, -1000.0]), np.array([True, False, False])]
    assert_right([v, keep], [out], values)


def test_what_an_index_leaves_out_is_no_maximum_of_the_small() -> None:
    e = at.exp(x)
    p = e / e.sum(axis=1, keepdims=True)
    slope = grad(at.log((p[0] * p[1][[0, 1, 0]]).sum()), x)
    logits = np.array([[0.5, 0.25, -1.0], [-1.25, 1.0, 0.5]])
    assert_right([x], [slope], [logits - 900], atol=1e-16)
