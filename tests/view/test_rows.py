"""Losses of some rows: what an index takes of them is put back as what one of all rows takes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from aesara.tensor.subtensor import AdvancedIncSubtensor1

from kanrewrite.terms import T
from kanrewrite.view.lengths import SameLengths
from kanrewrite.view.moves import Index
from kanrewrite.view.read import View
from tests.sparing import sparing
from tests.view.common import assert_right, at, function, grad, share, stock

z, d, w, y = at.dmatrix("z"), at.dmatrix("d"), at.dvector("w"), at.lvector("y")
rows = at.lvector("rows")
ROWS = at.arange(y.shape[0])
LABELS = np.array([1, 2])
TAKEN = np.array([0, 0])
WEIGHTS = np.array([0.7, 1.9])
NEAR = np.array([[0.5, 1.5, 0.25, -0.4], [2, -1, 0.5, 0.1], [0.25, 1.0, 1.2, -0.7], [1, 1, 0, 3]])
DIRECTION = np.cos(np.arange(16.0)).reshape(4, 4)


PICKED: dict[str, Callable[[], Any]] = {
    "as many as labels": lambda: share(z)[ROWS, y],
    "a known number": lambda: share(z)[at.arange(2), y],
    "listed": lambda: share(z)[np.array([2, 0]), y],
    "from the end": lambda: share(z)[np.array([-1, -3]), y],
    "one column of them": lambda: share(z)[np.array([2, 0]), 1],
    "a slice of them": lambda: share(z)[1:, 2],
    "columns": lambda: share(z, 0)[y, ROWS],
    "one twice": lambda: share(z)[np.array([3, 3]), y],
    "any rows": lambda: share(z)[rows, y],
    "one of them": lambda: share(z)[0, y],
    "taken before": lambda: share(z)[rows][at.arange(rows.shape[0]), y],
    "of a slice of shares": lambda: share(z)[:-2][ROWS, y],
    "a slice of one transposed": lambda: share(z.T, 0)[1, 1:],
    "one of what is along the columns": lambda: share(z.T, 0)[1],
    "of a slice": lambda: share(z[:2])[at.arange(z[:2].shape[0]), y],
    "of all but the last": lambda: share(z[:-2])[ROWS, y],
}
LOSSES: dict[str, Callable[[Any], Any]] = {
    "others": lambda p: -at.log(1 - p).mean(),
    "weighted": lambda p: (w[: p.shape[0]].mean() * at.log(1 - p)).sum(),
    "odds": lambda p: (at.log(p) - at.log(1 - p)).sum(),
}


@pytest.mark.spared
@pytest.mark.parametrize("case", sparing(product(PICKED, LOSSES), 14), ids=str)
def test_losses_of_some_rows_have_slopes_and_curvature(case: tuple[str, str]) -> None:
    picked, loss = case
    slope = grad(LOSSES[loss](PICKED[picked]()), z)
    product = grad((slope * d).sum(), z)
    inputs = [z, d, w, y, rows]
    ours, theirs = (f(inputs, [slope, product]) for f in (function, stock))
    near = (NEAR, DIRECTION, WEIGHTS, LABELS, TAKEN)
    for found, expected in zip(ours(*near), theirs(*near), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
    for scale in (40.0, 300.0):
        far = (NEAR * scale, DIRECTION, WEIGHTS, LABELS, TAKEN)
        # Of two terms of 1 there is 1e-13 left of a product of odds, of which stock has nothing.
        assert_right(inputs, [slope, product], far, atol=1e-12, compiled=ours)


@pytest.mark.spared(2)
@pytest.mark.parametrize("weigh", [lambda v: w * v, lambda v: v / w], ids=["times", "over"])
def test_what_was_taken_of_no_row_is_put_where_rows_are(weigh: Callable[[Any], Any]) -> None:
    """Of a weight there is nothing elsewhere, nor is there anything of its reciprocal."""
    slope = grad(weigh(at.log(1 - share(z)[ROWS, y])).sum(), z)
    for scale in (1.0, 40.0, 300.0):
        assert_right([z, w, y], [slope], [NEAR * scale, WEIGHTS, LABELS], atol=1e-14)


@pytest.mark.parametrize("hidden", sparing([[1e3, -1e3, 0.0, 0.0], [0.0, 1e3, 1e3, -1e3]]))
def test_rows_that_are_not_taken_may_be_anything(hidden: list[float]) -> None:
    loss = -at.log(1 - share(z)[ROWS, y]).sum()
    slope = grad(loss, z)
    values = [np.vstack([NEAR[:2], [hidden]]), LABELS]
    (found,) = function([z, y], [slope])(*values)
    assert not found[2].any()
    assert_right([z, y], [slope, grad((slope * z).sum(), z)], values)


@pytest.mark.parametrize("picked", ["as many as labels", "listed", "a slice of them"])
def test_rows_are_told_by_what_c_can_set(picked: str) -> None:
    """Aesara's own C code of an index along one axis fails for truth values, when it is called."""
    loss = at.log(1 - PICKED[picked]()).sum() + at.log(1 - share(z)[1, 1])
    nodes = function([z, y], [grad(loss, z)]).maker.fgraph.apply_nodes
    set_along_one = [n for n in nodes if isinstance(n.op, AdvancedIncSubtensor1)]
    assert "bool" not in {n.outputs[0].type.dtype for n in set_along_one}
    assert set_along_one or picked == "a slice of them"


def test_some_rows_of_what_is_added_up_along_them() -> None:
    """What is the same along the rows has none of the places that the index takes of them."""
    loss = (at.sqrt(share(z, 0)[ROWS, 1] + 0.2) * w).sum()
    for scale in (1.0, 40.0):
        given = [NEAR * scale, WEIGHTS, LABELS]
        assert_right([z, w, y], [grad(loss, z)], given, atol=1e-14)


BATCH = at.dtensor3("batch")
STACKED: dict[str, Callable[[], Any]] = {
    "two lists": lambda: share(BATCH, 2)[rows, y, 1],
    "a list and a slice": lambda: share(BATCH, 1)[rows, 0, :2],
    "a slice and two lists": lambda: share(BATCH, 2)[1:, rows, y],
    "a number before a list": lambda: share(BATCH, 2)[:, -1, y],
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("picked", sparing(STACKED))
def test_losses_of_what_is_taken_of_a_stack(picked: str) -> None:
    slope = grad(-at.log(1 - STACKED[picked]()).sum(), BATCH)
    product = grad((slope * at.cos(at.arange(3))).sum(), BATCH)
    inputs, batch = [BATCH, y, rows], np.stack([NEAR[:, :3], NEAR[::-1, :3], NEAR[:, 1:]])
    ours, theirs = (f(inputs, [slope, product]) for f in (function, stock))
    for found, expected in zip(
        ours(batch, LABELS, TAKEN), theirs(batch, LABELS, TAKEN), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
    assert_right(inputs, [slope, product], [batch * 40, LABELS, TAKEN], atol=1e-14, compiled=ours)


@pytest.mark.parametrize(
    "taken",
    [
        lambda p: p[1, :2],
        lambda p: p[1:],
        lambda p: p[:, [0, 2]],
        lambda p: p[y, :],
        lambda p: p[1],
    ],
    ids=["a number and a slice", "a slice", "columns", "rows", "a row"],
)
def test_logs_of_others_that_are_taken_have_their_digits(taken: Callable[[Any], Any]) -> None:
    """Where the share is negligible the log is minus the share, and not 0."""
    loss = at.log(1 - taken(share(z, 0)))
    for scale in (1.0, 12.0, 40.0):
        assert_right([z, y], [loss], [NEAR * scale, LABELS], rtol=1e-12, atol=0)


def test_rows_of_two_indices_are_told_apart() -> None:
    p = share(z)
    loss = (at.log(1 - p[ROWS, y]) - at.log(p[ROWS, y])).sum() + at.log(
        1 - p[at.arange(2), 1]
    ).sum()
    logits = np.random.default_rng(1).normal(size=(4, 5)) * 300
    assert_right([z, y], [grad(loss, z)], [logits, LABELS], atol=1e-14)


@pytest.mark.slow
def test_some_rows_beside_all_have_curvature() -> None:
    p = share(z)
    loss = at.log(1 - p[ROWS, y]).sum() + at.log(p[at.arange(z.shape[0]), 0]).sum()
    product = grad((grad(loss, z) * d).sum(), z)
    for scale in (1.0, 40.0, 300.0):
        assert_right([z, y, d], [product], [NEAR * scale, LABELS, DIRECTION], atol=1e-12)


@pytest.mark.parametrize("taken", sparing([lambda p: p[:, 1], lambda p: p[:, :2].sum(axis=1)]))
def test_what_folding_took_of_a_direction_is_a_part_of_it(taken: Callable[[Any], Any]) -> None:
    slope = grad(-at.log(1 - taken(share(z))).sum(), z)
    product = grad((slope * DIRECTION).sum(), z)
    for scale in (1.0, 40.0, 150.0):
        assert_right([z], [product], [NEAR * scale], atol=1e-14)


@pytest.mark.slow
def test_conditions_of_constants_keep_their_lengths() -> None:
    """Aesara makes ``or(true, a)`` as long as a, whatever length the truth has."""
    p = share(z)
    slope = grad(at.log(1 + p[:, 0] - p[:, 1]).sum(), z)
    product = grad((slope * DIRECTION).sum(), z)
    assert_right([z], [product], [NEAR], rtol=1e-9)


def test_an_index_tells_whether_it_takes_one_element_of_each_row() -> None:
    labels, rows = at.lvector("labels"), at.arange(z.shape[0])
    some, whole, both = slice(1, None), slice(None), (False, False)
    for entries in ((rows, labels), (labels, labels), (labels, 1), (1, labels), (1, 2), (some, 2)):
        assert Index(entries, both).takes_each((1,))
    for entries in ((rows, some), (some, labels), (whole, labels), (at.lmatrix(), 1)):
        assert not Index(entries, both).takes_each((1,))
    assert not Index((labels, 1), both).takes_each((0, 1))


def test_elementwise_operators_ask_for_equal_lengths() -> None:
    a, b, c = at.dmatrix("a"), at.dmatrix("b"), at.drow("c")
    lengths, some = SameLengths(), a[1:]
    lengths.ask((some * b).owner)
    lengths.ask((b + c).owner)

    def of(*entries: Any) -> Any:
        return lengths.of(frozenset(entries))

    assert of((b, 0)) == of(("cut", (1, None, None), (a, 0)))
    assert of((b, 1)) == of((some, 1), (b, 1)) != of((b, 0))
    assert not of((c, 0)) & of((b, 0))
    assert of((c, 1)) == of((b, 1))


def test_a_slice_of_a_length_is_no_dimension_of_a_variable() -> None:
    """Sums over slices that may be empty ask for dimensions that are as long."""
    e = at.exp(z)
    odds = (e[:, :2] / e[:, :2].sum(axis=1, keepdims=True)).sum(axis=1)
    out = at.log(odds * e.sum(axis=1) / e[:, 1:].sum(axis=1))
    assert_right([z], [out, grad(out.sum(), z)], [NEAR * 300], atol=1e-14)


def test_nothing_is_counted_where_lengths_have_to_be_known() -> None:
    assert View().algebra("float64").counts
    assert not View(avoided={T.scatter}).algebra("float64").counts


def test_a_length_of_one_is_no_list_of_rows() -> None:
    """An index of one row and of several columns is broadcast."""
    slope = grad(-at.log(1 - share(z)[np.array([1]), y]).sum(), z)
    (expected,) = stock([z, y], [slope])(NEAR, LABELS)
    np.testing.assert_allclose(function([z, y], [slope])(NEAR, LABELS)[0], expected, rtol=1e-12)
