"""An index of what an index has taken is one index, whatever both are made of."""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.view.moves import Index
from tests.view.common import assert_right, grad

WHOLE = np.arange(12.0).reshape(3, 4)
SLICES = [slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), slice(0, None, 2)]
y = [1, 0, 2]


def entries(length: int, places: int) -> st.SearchStrategy[Any]:
    """A number, a slice, or a list of some places."""
    listed = st.lists(st.integers(-length, length - 1), min_size=places, max_size=places)
    return st.integers(-length, length - 1) | st.sampled_from(SLICES) | listed.map(np.array)


def indices(shape: tuple[int, ...], places: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.tuples(*(entries(length, places) for length in shape))


@pytest.mark.slow
@given(st.data())
def test_one_index_takes_what_two_take(data: st.DataObject) -> None:
    first = data.draw(indices(WHOLE.shape, 3))
    taken = WHOLE[first]
    if not taken.ndim or 0 in taken.shape:
        return
    second = data.draw(indices(taken.shape, 2))
    before = Index(_symbolic(first), (False,) * WHOLE.ndim)
    one = Index(_symbolic(second), (False,) * taken.ndim).after(before, WHOLE.shape)
    if one is not None:
        np.testing.assert_array_equal(one.apply(at.constant(WHOLE)).eval(), taken[second])


def _symbolic(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(e if isinstance(e, slice) else at.as_tensor(e) for e in entries)


@pytest.mark.parametrize("of", [at.sqrt, lambda e: e / e.sum(axis=1, keepdims=True)])
def test_an_element_of_each_row_of_listed_columns(of: Any) -> None:
    z = at.dmatrix("z")
    loss = of(at.exp(z))[:, y][at.arange(3), y].sum()
    assert_right([z], [loss, grad(loss, z)], [np.cos(np.arange(12.0)).reshape(3, 4)], 1e-14)


def test_rows_of_the_sums_of_some_columns() -> None:
    z = at.dmatrix("z")
    loss = at.log(at.exp(z)[:, 1:3].sum(axis=1, keepdims=True)[y]).sum()
    assert_right([z], [loss, grad(loss, z)], [np.cos(np.arange(12.0)).reshape(3, 4)], 1e-14)


def test_a_mean_beside_an_element_of_each_row_of_some_columns() -> None:
    z: Any = at.dmatrix("z")
    p = (1 / (1 + at.exp(-z)))[:, 1:]
    centred = p - p.mean(axis=0, keepdims=True)
    losses = [at.log(1 - centred[at.arange(3), y]).sum(), at.log(1 - centred.T[[2, 0], 1]).sum()]
    for loss in losses:
        assert_right([z], [loss, grad(loss, z)], [np.cos(np.arange(12.0)).reshape(3, 4)], 1e-13)
