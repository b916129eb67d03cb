"""What depends on numbers alone is exact in the dtype of its use, and hides no exponential."""

from __future__ import annotations

import pickle
from math import log
from typing import Any

import aesara
import numpy as np
import pytest
from aesara.scalar.basic import pow as scalar_pow

from kanrewrite.registry.numbers import chosen, widened
from tests.modes import WHOLE
from tests.sparing import sparing
from tests.view.common import PLAIN, assert_right, at, enabled, function, grad, ops, stock

#: A function of a number, and its value.
NUMBERS: dict[str, tuple[Any, float]] = {
    "log": (lambda: at.log(at.constant(10)), log(10)),
    "log of a float": (lambda: at.log(at.constant(np.float32(0.5))), log(0.5)),
    "quotient of logs": (lambda: at.log(at.constant(3)) / at.log(at.constant(7)), log(3) / log(7)),
    "of an integer": (lambda: at.log(aesara.shared(np.int8(10)).astype("int8")), log(10)),
    "square root": (lambda: at.sqrt(at.constant(2, dtype="int16")), np.sqrt(2)),
}  # fmt: skip


@pytest.mark.parametrize(("number", "value"), NUMBERS.values(), ids=NUMBERS)
def test_a_function_of_numbers_has_the_digits_of_its_use(number: Any, value: float) -> None:
    x = at.dvector("x")
    product = x * number()
    f = function([x], product)
    np.testing.assert_allclose(f([3.0]), [3 * value], rtol=1e-15)
    assert abs(stock([x], product)([3.0])[0] / (3 * value) - 1) > 1e-10


def test_what_is_rounded_on_purpose_stays_rounded() -> None:
    x = at.dvector("x")
    rounded = at.cast(at.log(at.constant(10.0, dtype="float64")), "float32")
    assert function([x], x * rounded)([1.0])[0] == float(np.float32(np.log(10)))


def test_variables_in_floating_point_keep_their_dtype() -> None:
    y = at.fscalar("y")
    assert widened(at.log(y), "float64") is None
    assert widened(at.log(at.fvector("v")), "float64") is None
    x = at.dvector("x")
    f = function([x, y], x * at.log(y))
    assert f([1.0], np.float32(10))[0] == float(np.log(np.float32(10)))


def test_a_float32_graph_stays_one() -> None:
    x = at.fvector("x")
    f = function([x], grad((10**x).sum(), x))
    assert {o.type.dtype for n in f.maker.fgraph.apply_nodes for o in n.outputs} == {"float32"}


def test_a_number_as_it_stands_is_left_to_aesara() -> None:
    # With 0.5 as a double the product is not flattened, and w * w may overflow.
    v, w, r = at.dvectors("v", "w", "r")
    out = 0.5 * v * (w * w * (r * r)) / (1 - v)
    mode = PLAIN.excluding("fusion", "inplace")
    with np.errstate(all="ignore"):
        values = [5.1e-84], [2.1e178], [-2.1e-120]
        np.testing.assert_array_equal(
            function([v, w, r], out, mode)(*values), stock([v, w, r], out)(*values)
        )


def test_a_choice_by_numbers_is_made_without_an_assertion() -> None:
    x, g, h = at.dmatrices("x", "g", "h")
    slope = grad((g * 10**x).sum(), x)
    f = function([x, g, h], grad((h * slope).sum(), x), PLAIN)
    assert ops(f)["Assert"] == ops(f)["Switch"] == 0


def test_a_choice_that_broadcasts_is_left() -> None:
    x, row = at.dmatrix("x"), at.drow("row")
    condition = at.eq(at.constant(1), 0).dimshuffle("x", "x")
    assert chosen(at.switch(condition, x, row).owner) is None
    assert chosen(at.switch(condition, at.constant([[0.0]]), row).owner) is row
    assert chosen(at.switch(at.eq(at.lscalar(), 0), 0.0, at.dscalar()).owner) is None


# -- powers without a C compiler -------------------------------------------------------------------


def test_fused_powers_overflow_like_those_of_arrays() -> None:
    x = at.dvector("x")
    f = function([x], 2 * 10.0**x + 1, WHOLE)
    with enabled(), np.errstate(all="ignore"):
        np.testing.assert_array_equal(f([400.0, -400.0, 2.0]), [np.inf, 1.0, 201.0])
    with pytest.raises(OverflowError):
        stock([x], 2 * 10.0**x + 1, WHOLE)([400.0])


def test_a_root_of_a_negative_number_is_nan() -> None:
    x, t = at.dvectors("x", "t")
    f = function([x, t], 1 + 2 * x**t, WHOLE)
    with enabled(), np.errstate(all="ignore"):
        np.testing.assert_array_equal(f([-8.0, 0.0, -2.0], [0.5, -1.0, 3.0]), [np.nan, np.inf, -15])


def test_the_library_leaves_powers_as_they_were() -> None:
    with enabled():
        assert "impl" in vars(scalar_pow)
        assert pickle.loads(pickle.dumps(scalar_pow)) == scalar_pow
        assert scalar_pow.impl(2, -1) == 0.5
    assert "impl" not in vars(scalar_pow)


# -- softmaxes of any base -------------------------------------------------------------------------

ROWS = np.array([[800.0, -750.5, 799.0], [-900.0, -901.5, -899.0], [0.5, -1.0, 2.0]])
G, H = np.linspace(-1, 1.5, 9).reshape(3, 3), np.sin(np.arange(9.0)).reshape(3, 3)
KEPT: dict[str, Any] = {"axis": 1, "keepdims": True}


def softmax_of(e: Any) -> Any:
    return e / e.sum(**KEPT)


@pytest.mark.spared
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("base", sparing([10, 10.0, 3.5, 0.1, 2], 2), ids=str)
def test_any_base_to_second_order(base: Any, dtype: str) -> None:
    x, g, h = (at.matrix(name, dtype=dtype) for name in "xgh")
    p = softmax_of(base**x)
    slope = grad((g * p).sum(), x)
    values = [v.astype(dtype) for v in (ROWS, G, H)]
    tolerance = {"float64": 1e-10, "float32": 1e-4}[dtype]
    outputs = [p, slope, grad((h * slope).sum(), x)]
    assert_right([x, g, h], outputs, values, rtol=tolerance, atol=tolerance)


@pytest.mark.spared
@pytest.mark.parametrize("base", [2.5, 1.0, 0.25, -2.0])
def test_a_base_that_is_not_known_may_be_negative(base: float) -> None:
    x, b, g = at.dmatrix("x"), at.dscalar("b"), at.dmatrix("g")
    p = softmax_of(b**x)
    small = np.array([[3.0, 2.0, -1.0], [0.0, 1.0, 2.0]])
    outputs = [p, *grad((g * p).sum(), [x, b])] if base > 0 else [p]
    assert_right([x, b, g], outputs, [small, base, G[:2]], rtol=1e-12)
    large = small + np.array([[900.0], [-900.0]])
    assert_right([x, b, g], [p], [large, base, G[:2]])


def test_a_base_of_zero_gives_what_it_gave() -> None:
    x, b = at.dmatrix("x"), at.dscalar("b")
    p = softmax_of(b**x)
    values = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    expected = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    np.testing.assert_array_equal(function([x, b], p)(values, 0.0), expected)


def test_a_base_known_to_be_positive_has_no_sign() -> None:
    x, b = at.dmatrix("x"), at.dvector("b")
    assert "sgn" not in ops(function([x, b], softmax_of((1 + b**2) ** x), PLAIN))
    ones = at.constant(np.array([2.0, 3.0, 4.0]))
    assert ops(function([x], softmax_of(ones**x), PLAIN)) == {"Softmax": 1, "mul": 1}


def test_powers_of_different_bases_meet() -> None:
    x, a, b = at.dvectors("x", "a", "b")
    values = [np.array([2.0, 3.0]), np.array([1200.0, -900.0]), np.array([1100.0, -950.0])]
    assert_right([x, a, b], [x**a / x**b], values)


def test_what_is_compared_with_a_function_of_numbers_has_its_digits() -> None:
    x = at.dscalar("x")
    number = at.exp(at.constant(np.float32(2.0)))
    slope = grad(at.maximum(x, number), x)
    assert function([x], slope)(1.0) == 0.0
    assert function([x], slope)(9.0) == 1.0
    assert function([x], at.eq(at.maximum(x, number), number))(1.0)
