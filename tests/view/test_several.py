"""Losses of several shares of each row: what sums have of an index meets what it has put."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from kanrewrite.guards.lengths import length_of
from kanrewrite.view.lengths import SameLengths
from kanrewrite.view.moves import Index
from kanrewrite.view.read import View
from kanrewrite.view.rows import rows_of
from tests.sparing import sparing
from tests.view.common import assert_right, at, function, grad, share, stock, truth

z, d, target = at.dmatrix("z"), at.dmatrix("d"), at.dmatrix("target")
rows = at.lvector("rows")
TAKEN = np.array([2, 0, 2])
NEAR = np.array([[0.5, 1.5, 0.25, -0.4], [2, -1, 0.5, 0.1], [0.25, 1.0, 1.2, -0.7], [1, 1, 0, 3]])
DIRECTION = np.cos(np.arange(16.0)).reshape(4, 4)
TARGET = np.sin(np.arange(16.0)).reshape(4, 4) ** 2


TAKES: dict[str, Callable[[Any], Any]] = {
    "all but the first": lambda p: p[:, 1:],
    "all": lambda p: p,
    "of listed rows": lambda p: p[rows, 1:],
    "listed classes": lambda p: p[:, [1, 2]],
    "some rows": lambda p: p[1:],
    "listed rows": lambda p: p[rows],
    "of some rows": lambda p: p[1:, :-1],
    "of one row": lambda p: p[0, 1:],
    "of rows taken before": lambda p: p[rows][:, 1:],
    "transposed": lambda p: p.T[1:],
    "every other": lambda p: p[:, ::2],
    "the other way round": lambda p: p[:, ::-1],
}
LOSSES: dict[str, Callable[[Any], Any]] = {
    "others": lambda p: -at.log(1 - p).sum(),
    "odds": lambda p: (at.log(p) - at.log(1 - p)).sum(),
    "not both": lambda p: -at.log(1 - p**2).sum(),
    "odds of two": lambda p: at.log(p).sum() - at.log(1 - share(z)[:, :-1]).sum(),
}


OPEN = ("not both", "transposed")
CASES = [case for case in product(LOSSES, TAKES) if case != OPEN]


@pytest.mark.spared
@pytest.mark.parametrize(
    "case",
    [
        *sparing(CASES, 14),
        pytest.param(
            OPEN,
            marks=[
                pytest.mark.slow,
                pytest.mark.xfail(strict=True, reason="products have more terms than are searched"),
            ],
        ),
    ],
    ids=str,
)
def test_losses_of_several_have_slopes_and_curvature(case: tuple[str, str]) -> None:
    loss, taken = case
    slope = grad(LOSSES[loss](TAKES[taken](share(z))), z)
    product = grad((slope * d).sum(), z)
    inputs = [z, d, rows]
    ours, theirs = (f(inputs, [slope, product]) for f in (function, stock))
    near = (NEAR, DIRECTION, TAKEN)
    for found, expected in zip(ours(*near), theirs(*near), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
    for scale in (12.0, 40.0, 150.0):
        far = (NEAR * scale, DIRECTION, TAKEN)
        assert_right(inputs, [slope, product], far, atol=1e-12, compiled=ours)


MORE: dict[str, Callable[[Any], Any]] = {
    "a row of listed ones": lambda p: p[rows][0],
    "of a row of some": lambda p: p[1:][0, 1:],
    "labels of listed rows": lambda p: p[rows][at.arange(3), [0, 2, 1]],
    "listed twice": lambda p: p[rows][rows],
}


@pytest.mark.spared
@pytest.mark.parametrize("taken", sparing({**TAKES, **MORE}, 5))
def test_logs_of_others_have_the_digits_of_each(taken: str) -> None:
    """Beside a slope and a product, too, for which the shares are read again."""
    loss = at.log(1 - {**TAKES, **MORE}[taken](share(z)))
    slope = grad(loss.sum(), z)
    inputs = [z, d, rows]
    ours = function(inputs, [loss, grad((slope * d).sum(), z)])
    for scale in (1.0, 12.0, 40.0, 150.0):
        values = [NEAR * scale, DIRECTION, TAKEN]
        found, _ = ours(*values)
        (expected,) = truth([loss], inputs, values)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("taken", sparing([lambda p: p, lambda p: p[:, 1:]]), ids=["all", "some"])
def test_cross_entropies_of_each_class_have_curvature(taken: Callable[[Any], Any]) -> None:
    p, t = taken(share(z)), taken(target)
    slope = grad(-(t * at.log(p) + (1 - t) * at.log(1 - p)).sum(), z)
    product = grad((slope * d).sum(), z)
    inputs = [z, d, target]
    ours = function(inputs, [slope, product])
    for scale in (1.0, 12.0, 40.0, 150.0):
        values = [NEAR * scale, DIRECTION, TARGET]
        assert_right(inputs, [slope, product], values, atol=1e-12, compiled=ours)


@pytest.mark.slow
def test_columns_have_curvature() -> None:
    slope = grad(-at.log(1 - share(z, 0))[1:].sum(), z)
    product = grad((slope * d).sum(), z)
    for scale in (1.0, 12.0, 40.0):
        assert_right([z, d], [slope, product], [NEAR * scale, DIRECTION], atol=1e-12)


@pytest.mark.slow
def test_several_of_a_vector_have_curvature() -> None:
    x, e = at.dvector("x"), at.dvector("e")
    p = at.exp(x) / at.exp(x).sum()
    product = grad((grad(-at.log(1 - p[1:]).sum(), x) * e).sum(), x)
    for scale in (1.0, 12.0, 40.0):
        assert_right([x, e], [product], [NEAR[0] * scale, DIRECTION[0]], atol=1e-12)


def test_forms_have_the_same_lengths_where_that_is_known() -> None:
    view, lengths = View(), SameLengths()
    a = view.algebra("float64")
    whole, other = (a.leaf(v, (False, False)) for v in (z, d))
    part = a.move(whole, Index((slice(None), slice(1, None)), (False, False)))
    summed = a.sum(part, (1,))
    assert lengths.same(whole, a.exp(whole))
    assert not lengths.same(whole, part)
    assert not lengths.same(whole, other)
    assert not lengths.same(whole, summed)
    assert lengths.spans(summed, whole)
    assert not lengths.spans(a.mul(part, summed), whole)
    lengths.ask((z * d).owner)
    assert lengths.same(whole, other)


def test_what_an_index_takes_has_the_lengths_of_its_lists_and_slices() -> None:
    columns = at.lvector("columns")
    taken = z[rows, 1:]
    assert (rows, 0) in length_of(taken, 0)
    assert ("cut", (1, None, None), (z, 1)) in length_of(taken, 1)
    assert (z, 1) in length_of(z[rows], 1)
    assert (z, 0) in length_of(z[:, columns], 0)
    assert (columns, 0) in length_of(z[:, columns], 1)
    assert not length_of(z[rows, columns], 0) & {(z, 0), (z, 1), (rows, 0), (columns, 0)}
    assert not length_of(z[at.lmatrix()], 1) & {(z, 0), (z, 1)}


def test_rows_are_what_an_index_takes_along_no_axis_of_sums() -> None:
    view = View()
    a = view.algebra("float64")
    both, some, whole = (False, False), slice(1, None), slice(None)

    def put(*entries: Any) -> Any:
        zeros: Any = at.zeros_like(z)
        like = at.inc_subtensor(zeros[entries], 1.0)
        return rows_of(Index(entries, both), a.leaf(like, both), {1}, a)

    found = put(rows, some)
    assert (found.rows, found.each) == (Index((rows, whole), both), Index((whole, some), both))
    assert put(some, whole).each is None
    assert put(0, some).each == Index((some,), (False,))
    assert put(whole, some) is None  # of all rows
    assert put(rows, at.lvector()) is None  # one of each
    assert put(rows, some) is found


def test_a_list_takes_the_same_of_what_is_the_same_everywhere() -> None:
    both = (False, False)
    column = Index((slice(None), rows), both).restricted((False, True))
    assert column is not None
    assert column.is_identity()
    assert Index((rows, rows), both).restricted((True, True)) is None


def test_a_slice_of_a_list_of_rows_is_one_index() -> None:
    both = (False, False)
    first = Index((rows, slice(None)), both)
    one = Index((slice(None), slice(1, None)), both).after(first, [z.shape[0], z.shape[1]])
    assert one == Index((rows, slice(1, None)), both)
    again = Index((slice(None), slice(0, 1)), both)
    assert again.after(one, [z.shape[0], z.shape[1]]) is None


def test_others_of_which_some_are_transposed_end() -> None:
    p = at.exp(z - at.log(at.exp(z).sum(axis=1, keepdims=True)))
    loss = at.log((1 - (1 - p[:, 1:] + p[:, :-1]).prod(axis=0)).max()).sum()
    values = np.cos(np.arange(12.0)).reshape(3, 4)
    assert_right([z], [loss, grad(loss, z)], [values], 1e-13)
