"""Sums that leave out what an index picks: the diagonal, or a label in each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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


@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
def test_a_sum_less_a_pick_is_a_sum_of_what_it_leaves(pick: Callable[[Any], Any]) -> None:
    e = at.exp(x)
    out = at.log(e.sum(axis=1) - pick(e))
    slope = grad(out.sum(), x)
    picks = {"Subtensor", "AdvancedSubtensor", "ExtractDiag"}
    assert not picks & set(ops(function([x], [out, slope], PLAIN)))
    assert_right([x], [out, slope], [SQUARE])


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
