"""What the library's own operators compute, with and without a C compiler."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from aesara.compile.mode import Mode

from kanrewrite.ops import ScaledDot, Supremum
from tests.sparing import sparing
from tests.view.common import assert_right, at, stock

NAN, INF = np.nan, np.inf
VALUES = np.array([[[0.5, -INF], [NAN, 3.0]], [[-INF, -INF], [2.0, -1.0]]])


def supremum(value: Any, axes: tuple[int, ...], linker: str) -> Any:
    x = at.TensorType(value.dtype, shape=(None,) * value.ndim)("x")
    return stock([x], Supremum(axes)(x), mode=Mode(linker=linker, optimizer="merge"))(value)


@pytest.mark.spared(2)
@pytest.mark.parametrize("axes", sparing([(0,), (2,), (-1,), (2, 1), (0, 2), (0, 1, 2), ()], 7))
@pytest.mark.parametrize("linker", ["py", pytest.param("c", marks=pytest.mark.cxx)])
@pytest.mark.parametrize("order", sparing([(2, 0, 1), (0, 1, 2)]))
def test_supremum(axes: tuple[int, ...], linker: str, order: tuple[int, ...]) -> None:
    large = np.tile(VALUES, (13, 17, 7))
    for value in (VALUES, VALUES.astype("float32"), VALUES[:, ::-1], large, large[::-1, ::2]):
        value = value.transpose(order)
        expected = np.max(value, axis=axes)
        found = supremum(value, axes, linker)
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.spared
@pytest.mark.parametrize("linker", ["py", pytest.param("c", marks=pytest.mark.cxx)])
@pytest.mark.parametrize(
    ("shape", "axes"), [((2, 0), (1,)), ((0, 2), (1,)), ((2, 0, 3), (0, 1)), ((0,), (0,))]
)
def test_supremum_of_nothing(shape: tuple[int, ...], axes: tuple[int, ...], linker: str) -> None:
    found = supremum(np.empty(shape), axes, linker)
    np.testing.assert_array_equal(found, np.max(np.empty(shape), axis=axes, initial=-INF))


@pytest.mark.cxx
def test_the_result_is_memory_of_its_own() -> None:
    value = np.ones((2048, 1))
    found = supremum(value, (1,), "c")
    found[:] = 0
    assert value.all()


def scaled_dot(left: Any, right: Any) -> Any:
    """The log of a matrix product of exponentials."""
    outputs: Any = ScaledDot()(left, 1.0, right, 1.0)
    level, rest = outputs
    return level + at.log(rest)


def test_rows_and_columns_that_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest exponents of a row and a column stand beside the smallest of the other."""
    monkeypatch.setattr(ScaledDot, "BLOCK", 5)
    x, y = at.dmatrices("xy")
    left = np.array([[800.0, -800.0, 0.0], [0.5, 0.25, -1.0], [-np.inf, 1e5, 3.0]])
    right = np.array([[-900.0, 1.0], [900.0, 2.0], [1.0, -1e5]])
    out = at.log(at.dot(at.exp(x), at.exp(y)))
    assert_right([x, y], [scaled_dot(x, y)], [left, right])
    assert_right([x, y], [out], [left, right])


def test_powers_of_what_is_left_do_not_vanish() -> None:
    x, y = at.dmatrices("xy")
    values = np.array([[0.0, -500.0]]), np.array([[-500.0], [0.0]])
    level, rest = stock([x, y], ScaledDot()(x, 1.0, y, 1.0))(*values)
    np.testing.assert_allclose(level + np.log(rest), -500 + np.log(2), rtol=1e-15)
    assert (rest**4 > 0).all()


def test_a_product_of_nothing_but_zeros_has_no_level() -> None:
    """What multiplies it may be infinite, and still is nothing."""
    x, r = at.dmatrices("xr")
    level, rest = stock([x, r], ScaledDot()(x, r, x, 1.0))(np.eye(2), np.diag([0.0, 2.0]))
    np.testing.assert_array_equal(level[0], [-INF, -INF])
    np.testing.assert_array_equal(rest[0], [0, 0])
    np.testing.assert_allclose(np.exp(level[1]) * rest[1], 2 * np.exp([1, 2]))


def test_matrices_without_elements() -> None:
    x, y = at.dmatrices("xy")
    f = stock([x, y], scaled_dot(x, y))
    assert f(np.empty((0, 3)), np.empty((3, 2))).shape == (0, 2)
    with np.errstate(divide="ignore"):
        found = f(np.empty((2, 0)), np.empty((0, 1)))
    np.testing.assert_array_equal(found, [[-INF], [-INF]])
