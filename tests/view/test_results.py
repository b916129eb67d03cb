"""What results are written with: the operators that Aesara itself would use, no more of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.tensor.special import softmax

from tests.view.common import PLAIN, assert_right, at, function, ops

x, y = at.dvectors("x", "y")
X = at.dmatrix("X")
u = at.dscalar("u")

LOG_SIGMOIDS: dict[str, Callable[[Any], Any]] = {
    "of the operator": lambda x: at.log(at.sigmoid(x)),
    "of the quotient": lambda x: at.log(1 / (1 + at.exp(-x))),
    "difference": lambda x: x - at.log(1 + at.exp(x)),
}


@pytest.mark.parametrize("spelling", LOG_SIGMOIDS.values(), ids=LOG_SIGMOIDS)
def test_the_log_of_a_sigmoid_is_one_softplus(spelling: Callable[[Any], Any]) -> None:
    out = spelling(x)
    found = ops(function([x], [out], PLAIN))
    assert found == {"neg": 2, "scalar_softplus": 1}
    assert_right([x], [out], [np.array([-800.0, -1.0, 0.0, 1e-3, 800.0])])


@pytest.mark.parametrize("shape", [(), (4, 3)], ids=str)
def test_a_scalar_less_one_is_expm1_whatever_shape_it_is_given(shape: tuple[int, ...]) -> None:
    out = at.exp(u) - np.ones(shape)
    found = ops(function([u], [out], PLAIN))
    assert (found["expm1"], found["exp"], found["maximum"]) == (1, 0, 0)
    assert_right([u], [out], [np.asarray(1e-9)])


def test_a_product_is_one_product() -> None:
    out = at.sigmoid(x) * -y * (1 / (1 + at.exp(y))) * x
    found = ops(function([x, y], [out], PLAIN))
    assert (found["mul"], found["sigmoid"], found["exp"]) == (1, 2, 0)
    assert_right([x, y], [out], [np.array([0.5, -3.0]), np.array([2.0, 0.1])])


def test_a_square_with_a_sign_is_one_product() -> None:
    out = -at.exp(X) / ((1 + at.exp(X)) * (1 + at.exp(-X)))
    assert ops(function([X], [out], PLAIN)) == {"sigmoid": 1, "mul": 1}
    assert_right([X], [out], [np.array([[0.5, -3.0], [300.0, -300.0]])])


def test_a_square_alone_stays_a_square() -> None:
    out = at.exp(X) / ((1 + at.exp(X)) * (1 + at.exp(-X)))
    assert ops(function([X], [out], PLAIN)) == {"sigmoid": 1, "square": 1}


@pytest.mark.parametrize("axis", [-1, 1])
def test_a_softmax_that_is_there_is_taken(axis: int) -> None:
    written = at.exp(X) * at.exp(-at.log(at.exp(X).sum(axis=1, keepdims=True)))
    graph = written * at.tanh(softmax(X, axis=axis))
    assert ops(function([X], [graph], PLAIN)) == {"Softmax": 1, "tanh": 1, "mul": 1}
