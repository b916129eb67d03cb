"""Products and running products of what is positive are exponentials of sums of logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.reference import evaluate
from tests.sparing import sparing
from tests.view.common import at, function, grad, stock

_FAR = np.array([[700.0, 900, -3], [800, 750, 800], [-800, -750, -900]])

CASES: dict[str, Callable[[Any], Any]] = {
    "log of what survives": lambda p: at.log(at.cumprod(p, axis=1)),
    "log of what does not": lambda p: at.log(1 - at.cumprod(p, axis=1)),
    "log of what does not, in all": lambda p: at.log(1 - at.prod(p, axis=1)),
    "stick breaking": lambda p: at.log(p * at.cumprod(1 - p, axis=0)),
    "backwards": lambda p: at.log(at.cumprod(p[:, ::-1], axis=1)[:, ::-1]),
}


@pytest.mark.spared(2)
@pytest.mark.parametrize("name", sparing(CASES, 2))
def test_logs_of_products_of_sigmoids(name: str) -> None:
    z = at.dmatrix("z")
    value = CASES[name](1 / (1 + at.exp(-z)))
    outputs = [value, grad(value.sum(), z)]
    ours, theirs = function([z], outputs), stock([z], outputs)
    with np.errstate(all="ignore"):
        near, far, expected = ours(_FAR / 900), ours(_FAR), theirs(_FAR / 900)
    for found, right in zip(near, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-13)
    truth = evaluate(outputs, {z: _FAR})
    for found, right in zip(far, truth, strict=True):
        np.testing.assert_allclose(found, np.asarray(right, float), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1)])
def test_lengths_of_nothing_and_of_one(shape: tuple[int, int]) -> None:
    z = at.dmatrix("z")
    value = at.log(at.cumprod(at.exp(z) / (1 + at.exp(z)), axis=1))
    outputs = [value, grad(value.sum(), z)]
    given = np.full(shape, 0.5)
    for found, right in zip(function([z], outputs)(given), stock([z], outputs)(given), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-14)


def test_of_what_may_be_negative_nothing_is_known() -> None:
    z = at.dmatrix("z")
    value = at.log(at.cumprod(1 - 2 / (1 + at.exp(z)), axis=1))
    given = np.array([[-1.0, -2, 3]])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(function([z], value)(given), stock([z], value)(given))
