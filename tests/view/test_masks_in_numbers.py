"""Conditions as factors, in numbers and in sums of them: where all are false nothing is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import at, function, grad

A, W = at.dvector("a"), at.dvector("w")
E = at.exp(A)
BELOW = at.lt(A, 0)

CASES: dict[str, Callable[[], Any]] = {
    "an integer": lambda: E * at.cast(BELOW, "int8"),
    "1 less an integer": lambda: E * (1 - at.cast(at.gt(A, 0), "int8")),
    "1 less 1 less it": lambda: E * (1 - (1 - at.cast(BELOW, "int64"))),
    "a sum": lambda: E * (BELOW * W + at.gt(A, 1e9) * W),
    "slope of a clipped ratio": lambda: grad((at.minimum(E, at.clip(E, 0.25, 1.0)) * W).sum(), A),
    "slope of a clipped gain": lambda: grad(at.minimum(E * W, at.clip(E, 0.25, 1.0) * W).sum(), A),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_hidden_is_zero_however_large(name: str) -> None:
    value = CASES[name]()
    ours = function([A, W], [value])
    with np.errstate(over="ignore", invalid="ignore"):
        (found,) = ours(np.array([-1.0, 1.0, 800.0]), np.ones(3))
        (hidden,) = ours(np.array([np.nan, 0.5, -0.5]), np.ones(3))
    np.testing.assert_allclose(found, [np.exp(-1), 0, 0], rtol=1e-15)
    assert np.isnan(hidden[0])
    np.testing.assert_allclose(hidden[1:], [0, np.exp(-0.5)], rtol=1e-15)


def test_an_integer_that_is_no_condition_is_a_number() -> None:
    n = at.lvector("n")
    ours = function([A, n], [E * (1 - n), E * at.cast(n, "int8")])
    given = np.array([0.5, -1.0]), np.array([3, -2])
    np.testing.assert_allclose(ours(*given)[0], np.exp(given[0]) * (1 - given[1]), rtol=1e-15)
    np.testing.assert_allclose(ours(*given)[1], np.exp(given[0]) * given[1], rtol=1e-15)
