"""What the library's own operators compute, with and without a C compiler."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.gradient import Rop

from kanrewrite.ops import ScaledDot, ScaledOthers, Supremum
from tests.sparing import sparing
from tests.view.common import assert_right, at, grad, stock

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


def left_out(exponent: Any, weights: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """The level and the rest of what each term is left out of, term by term."""
    weights = np.broadcast_to(weights, exponent.shape)
    level, rest = np.empty(exponent.shape), np.empty(exponent.shape)
    for place in np.ndindex(exponent.shape):
        row = tuple(slice(None) if d in axes else i for d, i in enumerate(place))
        others = weights[row] != 0
        nan = np.isnan(exponent[row][others]).any()
        others[tuple(i for d, i in enumerate(place) if d in axes)] = False
        top = exponent[row][others].max(initial=-INF)
        shift = 0 if np.isinf(top) else top
        terms = weights[row][others] * np.exp(exponent[row][others].astype(float) - shift)
        level[place] = NAN if nan else 0 if top == INF else top
        rest[place] = NAN if nan else terms.sum()
    return level, rest


OTHERS = [((3, 4), (3, 4), (1,)), ((3, 4), (3, 1), (0,)), ((2, 3, 4), (1, 3, 4), (0, 2)),
          ((3, 1), (3, 1), (1,)), ((4,), (1,), (0,)), ((2, 3), (2, 3), (0, 1)),
          ((2, 0), (2, 0), (1,)), ((0, 2), (0, 2), (1,))]  # fmt: skip


@pytest.mark.spared
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("linker", ["py", pytest.param("c", marks=pytest.mark.cxx)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("shape", "lengths", "axes"), OTHERS)
def test_the_others_of_each_term(
    shape: Any, lengths: Any, axes: tuple[int, ...], dtype: str, linker: str
) -> None:
    r = np.random.default_rng(0)
    a = at.TensorType(dtype, shape=(None,) * len(shape))("a")
    w = at.TensorType(dtype, shape=tuple(1 if n == 1 else None for n in lengths))("w")
    compiled = stock([a, w], ScaledOthers(axes)(a, w), Mode(linker=linker, optimizer="merge"))
    for scale, special in product((1.0, 40.0, 800.0), (None, -INF, INF, NAN)):
        values = (scale * r.normal(size=shape)).astype(dtype)
        weights = r.normal(size=lengths).astype(dtype)
        if special is not None and values.size:
            values.flat[r.integers(values.size)] = special
            weights.flat[r.integers(weights.size)] = 0
        elif values.size > 1:
            values.flat[0] = values.flat[1]  # two that are the largest
        for found, expected in zip(
            compiled(values, weights), left_out(values, weights, axes), strict=True
        ):
            assert found.dtype == dtype
            tolerance = 1e-5 if dtype == "float32" else 1e-12
            np.testing.assert_allclose(found, expected, tolerance, tolerance)


def test_slopes_of_others() -> None:
    """The level counts as constant: what it is part of does not depend on it."""
    x, w, d = at.dmatrices("xwd")
    level, rest = ScaledOthers((1,))(x, w)  # type: ignore[misc]
    e = w * at.exp(x)
    values = np.random.default_rng(0).normal(size=(3, 3, 4))
    results = []
    for others in (at.exp(level) * rest, e.sum(axis=1, keepdims=True) - e):
        slopes = grad((others**3).sum(), [x, w])
        tangents = [Rop(others, [x, w], [d, -2 * d]), Rop(others, x, d), Rop(others, w, d)]
        results.append(stock([x, w, d], [*slopes, *tangents])(*values))
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, 1e-12, 1e-13)
