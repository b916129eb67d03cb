"""Logs of what is near 1, and of 1 and little, keep the digits of what it is less or more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import assert_right, at, function, gate, grad

A, B, W = at.dvectors("a", "b", "w")


#: What is taken from 1, of scores far below 0 much less than each of its factors.
PARTS: dict[str, Any] = {
    "two gates": gate(A) * gate(B),
    "a square": gate(A) ** 2,
    "a cube": gate(A) ** 3,
    "two gates and a number": 0.3 * gate(A) * gate(B),
    "a gate and a square of another": gate(A) * at.tanh(B) ** 2,
    "a gate and a kernel": gate(A) * at.exp(-(B**2)),
    "a square of a share": (at.exp(A) / at.exp(A).sum()) ** 2,
    "a mixture": W * gate(A) + (1 - W) * gate(B),
    "a mean": (gate(A) * gate(B)).mean(),
}
VALUES = [
    np.array([-1.0, -12.5, -40.25, -170.0]),
    np.array([-0.5, -20.0, -3.5, -90.0]),
    np.array([0.25, 0.5, 0.75, 0.125]),
]


@pytest.mark.spared
@pytest.mark.parametrize("scale", [1.0, 2.0, 0.125])
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_the_log_of_what_is_left_of_one(part: Any, scale: float) -> None:
    given = [scale * VALUES[0], scale * VALUES[1], VALUES[2]]
    assert_right([A, B, W], [at.log(1 - part)], given, 1e-12)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_where_little_is_left(part: Any) -> None:
    given = [np.array([1.0, 2.5, 9.0, 20.0]), np.array([0.5, 3.0, 7.5, 9.0]), VALUES[2]]
    assert_right([A, B, W], [at.log(1 - part)], given, 1e-8)


def test_the_log_of_one_less_an_average() -> None:
    """What the average is of is far below each of its weights, in some rows."""
    z, y = at.dmatrices("z", "y")
    share = at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)
    left = 1 - (share * gate(y)).sum(axis=1)
    given = [np.array([[1.0, -20.0], [30.0, 2.0]]), np.array([[-40.0, 3.0], [-12.0, -170.0]])]
    assert_right([z, y], [at.log(left)], given, 1e-13)


def test_what_is_missing_of_many_that_are_unlikely_together() -> None:
    """A noisy or, of causes that are present and act with small probabilities."""
    none = at.exp(at.log(1 - gate(A) * gate(B)).sum())
    given = [np.array([-250.0, -300.0]), np.array([-120.0, -90.5])]
    assert_right([A, B], [-at.log(1 - none), -at.log(1 - at.prod(1 - gate(A) * gate(B)))], given)


WEIGHTED: dict[str, Callable[[Any, Any], Any]] = {
    "half": lambda x, y: at.log1p(0.5 * at.exp(x)),
    "tiny": lambda x, y: at.log1p(1e-200 * at.exp(x)),
    "huge": lambda x, y: at.log1p(1e30 * at.exp(x)),
    "two": lambda x, y: at.log1p(at.exp(x) + at.exp(y)),
    "square": lambda x, y: at.log1p(y**2 * at.exp(x)),
    "written out": lambda x, y: at.log(1 + 0.5 * at.exp(x)),
}


@pytest.mark.parametrize("build", WEIGHTED.values(), ids=WEIGHTED)
def test_the_log_of_one_and_little(build: Callable[[Any, Any], Any]) -> None:
    """As a log, a weight of an exponential takes the digits of a large exponent."""
    x = np.array([-700.0, -650.3, -300.7, -36.7, -3.2, 0.3, 20.0, 500.0, 800.0])
    out = build(A, B)
    given = [x, x[::-1] / 7 - 0.3]
    assert_right([A, B], [out], given, 2e-15)
    assert_right([A, B], [grad(out.sum(), A)], given, 1e-13)


def test_where_one_and_little_is_out_of_range() -> None:
    out = at.log1p(0.5 * at.exp(A))
    found = function([A], out)(np.array([-np.inf, -800.0, np.inf]))
    np.testing.assert_array_equal(found, [0.0, 0.0, np.inf])


def test_what_is_far_from_one_is_not_beside_it() -> None:
    """The entropy of odds of two chances, of which the lesser is nowhere near 1."""
    p = (1 - 0.3 * gate(A)) / (1 - 0.2 * gate(A))
    entropy = -p * at.log(p) - (1 - p) * at.log(1 - p)
    given = [np.array([-20.0, -1.5, 0.25, 3.0, 40.0])]
    assert_right([A], [entropy, grad(entropy.sum(), A)], given, 1e-11, 1e-15)
