"""Sums that leave out what an index picks: the diagonal, or a label in each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from tests.view.common import PLAIN, assert_right, at, function, grad, ops

x = at.dmatrix("x")
SQUARE = np.array(
    [[1e5, -3.0, 2e3, 1e4], [800.0, -1e5, 3e4, 2.0], [5.0, -1e6, 1e5, 1e3], [1.0, 2.0, 3.0, 5e9]]
)
ROWS = at.arange(x.shape[0])
LABELS = np.array([0, 2, 2, 3])

PICKS: dict[str, Callable[[Any], Any]] = {
    "diagonal": at.diagonal,
    "labels": lambda e: e[ROWS, LABELS],
    "labels from the end": lambda e: e[ROWS, LABELS - 4],
    "counted rows": lambda e: e[np.arange(4), LABELS],
    "column": lambda e: e[:, 0],
}
#: What is subtracted of the sum of each row, though it is not one element of that row.
OTHERS: dict[str, Callable[[Any], Any]] = {
    "rows in another order": lambda e: e[np.arange(4)[::-1], LABELS],
    "of one row": lambda e: e[np.array([0]), np.array([0])],
    "rows twice": lambda e: e[np.array([0, 0, 1, 1]), LABELS],
    "a row": lambda e: e[0],
    "of another tensor": lambda e: at.diagonal(e.T[::-1]),
    "half of it": lambda e: at.diagonal(e) / 2,
}


@pytest.mark.spared
@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
def test_a_sum_less_a_pick_is_a_sum_of_what_it_leaves(pick: Callable[[Any], Any]) -> None:
    e = at.exp(x)
    out = at.log(e.sum(axis=1) - pick(e))
    slope = grad(out.sum(), x)
    picks = {"Subtensor", "AdvancedSubtensor", "ExtractDiag"}
    assert not picks & set(ops(function([x], [out, slope], PLAIN)))
    assert_right([x], [out, slope], [SQUARE])


@pytest.mark.spared
@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
def test_a_pick_of_exponents_is_that_of_exponentials(pick: Callable[[Any], Any]) -> None:
    out = at.log((at.exp(x / 2).sum(axis=1) - at.exp(pick(x) / 2)) / 3)
    assert_right([x], [out, grad(out.sum(), x)], [SQUARE])


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_elements_are_subtracted(other: Callable[[Any], Any]) -> None:
    out = at.exp(x).sum(axis=1) - other(at.exp(x))
    assert_right([x], [out, grad(out.sum(), x)], [np.log(np.arange(16.0).reshape(4, 4) + 1)])


def test_what_is_out_of_range_may_be_all_that_is_picked() -> None:
    out = at.exp(x).sum(axis=1) - at.exp(at.diagonal(x))
    assert_right([x], [out, grad(out.sum(), x)], [np.array([[800.0, 1.0], [2.0, 900.0]])])


@pytest.mark.slow
def test_masks_of_one_index_have_the_lengths_of_what_they_hide() -> None:
    y = at.dmatrix("y")
    outs = [at.log(e.sum(axis=1) - e[:, 0]) for e in (at.exp(x), at.exp(y))]
    slopes = grad(sum(o.sum() for o in outs), [x, y])
    assert_right([x, y], [*outs, *slopes], [SQUARE, SQUARE[:2, :3]])


def test_a_sum_less_a_weighted_one_has_weights_that_are_left() -> None:
    w = at.dmatrix("w")
    e = at.exp(x)
    out = at.log(e.sum(axis=1) - (w * e).sum(axis=1))
    weights = np.eye(4) + 0.5 * (np.arange(16).reshape(4, 4) % 3 == 1)
    weights[np.arange(4), np.arange(4)] = 1.0
    assert_right([x, w], [out, grad(out.sum(), x)], [SQUARE, weights])


def test_what_a_constant_hides_is_hidden_in_averages_too() -> None:
    z, off = at.dmatrix("z"), at.constant(1.0 - np.eye(3))
    gap = ((z[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
    out = at.log((off * at.exp(-gap)).sum())
    places = np.array([[0.0, 1.0], [40.0, -2.0], [-80.0, 3.0]])
    assert_right([z], [out, grad(out, z)], [places])


EVERYDAY = np.array([-1.0, -2.0, 0.3])
v, s, mask = at.dvector("v"), at.dscalar("s"), at.bvector("mask")
#: Sums less others of which they are no part.
DISJOINT: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "a mask and its opposite": (
        at.switch(mask, at.exp(v), 0).sum() - at.switch(mask, 0, at.exp(v)).sum(),
        [v, mask],
        [EVERYDAY, np.array([1, 0, 1], dtype="int8")],
    ),
    "comparisons": (
        ((v > 0) * at.exp(v)).sum() - ((v <= 0) * at.exp(v)).sum(),
        [v],
        [EVERYDAY],
    ),
    "integers": (
        ((1 - mask) * at.exp(v)).sum() - (mask * at.exp(v)).sum(),
        [v, mask],
        [EVERYDAY, np.array([1, 0, 1], dtype="int8")],
    ),
    "a slope of a minimum": (grad(at.exp(at.minimum(v - s, s)).sum(), s), [v, s], [EVERYDAY, -3.0]),
    "a slope of a maximum": (
        grad(at.exp(at.maximum(v - s, 0) + s).sum(), s),
        [v, s],
        [EVERYDAY, 0.5],
    ),
    "a slope of a size": (
        grad(at.exp(-at.maximum(v - s, s - v)).sum(), s),
        [v, s],
        [EVERYDAY, 3.0],
    ),
}


@pytest.mark.parametrize(("out", "inputs", "values"), DISJOINT.values(), ids=DISJOINT)
def test_sums_that_are_no_parts_of_each_other_are_subtracted(
    out: Any, inputs: list[Any], values: list[Any]
) -> None:
    assert not {"true_div", "reciprocal"} & set(ops(function(inputs, [out], PLAIN)))
    assert_right(inputs, [out], values)


def test_slopes_of_a_minimum_of_sums() -> None:
    row, y = at.drow("row"), at.dmatrix("y")
    total = (at.cosh(row) * y).sum(axis=1, keepdims=True)
    slope = grad(at.exp(-at.minimum(row - total, total)).sum(), row)
    sums = np.array([[-5.009, -2.291], [-0.356, -0.13], [-4.0, -1.228]])
    assert_right([row, y], [slope], [np.array([[-0.735, -1.715]]), sums])


def test_weights_of_more_than_is_there_are_counted_as_often() -> None:
    column, w = at.dcol("column"), at.dmatrix("w")
    out = at.exp(column).sum() - (w * at.exp(column)).sum()
    weights = np.array([[0.5, 0.0, 1.0], [1.0, 2.0, 0.3]])
    assert_right([column, w], [out, grad(out, column)], [np.array([[0.3], [1.0]]), weights])


@pytest.mark.parametrize("own", [False, True])
def test_rows_beside_the_picked_one_have_no_slope(own: bool) -> None:
    """What multiplies a scatter is infinite in other rows, where nothing was put."""
    p = softmax(x, axis=1) if own else at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)
    losses = [-at.log(p[-1]).mean(), at.log(p[-1, 0]), at.log(p[-1, 0] ** 2)]
    slopes = function([x], [grad(y, x) for y in losses])
    for gap in (30.0, 800.0, 1e5):
        data = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, gap]])
        row = np.exp(data[-1] - np.logaddexp.reduce(data[-1]))
        first = np.array([1.0, 0.0, 0.0]) - row
        wanted = [row - 1 / 3, first, 2 * first]
        for found, truth in zip(slopes(data), wanted, strict=True):
            np.testing.assert_array_equal(found[0], np.zeros(3))
            np.testing.assert_allclose(found[-1], truth, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("entry", [0, slice(None, 1), slice(1, None)])
def test_what_an_index_takes_of_sums_is_one_in_any_order_of_their_dimensions(entry: Any) -> None:
    """A share in the sigmoid of what was picked was not found to be that beside it: 0 for -1."""
    shares = at.exp(x) / at.exp(x).sum(axis=0, keepdims=True)
    scores = at.log((at.exp(shares) * at.exp(-v))[:, entry])
    slope = grad(at.softplus(scores).sum(), v)
    for low in (3.0, 901.0):
        values = [np.array([[0.5, 0.0, 1.0], [0.0, 2.0, 0.25]]), np.array([-low, 1.0 - low, 0.0])]
        assert_right([x, v], [slope], values)
