"""Slopes in a temperature, and what is of the size of a log that a temperature multiplies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import at, function, grad, truth

X, T = at.dmatrix("x"), at.dscalar("t")
#: Of each row the largest are so large that nothing is left of their differences in the logs.
ROWS = np.array([[1e5, 1e5 + 1, 0.0], [-4e5, -4e5 - 0.5, -5e5]])
#: Of which a slope in a temperature is small beside its terms.
SIZES = np.array([[40.3, -35.1, 50.7], [60.1, -70.3, 45.9]])


def soft_value(p: Any, v: Any) -> Any:
    """How far an average is from the soft maximum: less the entropy, times the temperature."""
    return (p * X).sum(axis=1) - v


V = T * at.log(at.exp(X / T).sum(axis=1))

CASES: dict[str, Callable[[], Any]] = {
    "of a sharper softplus": lambda: grad((at.log(1 + at.exp(T * X)) / T * at.cos(X)).sum(), T),
    "soft value": lambda: soft_value(at.exp((X - V[:, None]) / T), V),
    "soft values": lambda: (at.exp((X - V[:, None]) / T) * X).sum() - V.sum(),
    "soft value of shares": lambda: soft_value(
        at.exp(X / T) / at.exp(X / T).sum(axis=1, keepdims=True), V
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_cancels_in_temperatures_keeps_its_digits(name: str) -> None:
    value = CASES[name]()
    ours = function([X, T], [value])
    for given in (ROWS, SIZES, np.array([[0.5, -1.0, 0.25]])):
        (expected,) = truth([value], [X, T], [given, 2.0])
        np.testing.assert_allclose(ours(given, 2.0)[0], expected, rtol=1e-10, atol=1e-300)
