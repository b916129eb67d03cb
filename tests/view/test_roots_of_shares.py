"""Of a root, or another power, of a share near 1 what is missing to 1 has all its digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import assert_right, at, gate, grad, share

Z = at.dmatrix("z")
NEAR = np.array([[1.0, -0.5, 0.25], [-0.75, 0.5, 0.125]])


OF: dict[str, Callable[[Any], Any]] = {
    "share": share,
    "gate": gate,
    "square of a gate": lambda z: gate(z.sum(axis=1, keepdims=True)) ** 2,
    "what a square leaves": lambda z: 1 - gate(z) ** 2,
}
LOSSES: dict[str, Callable[[Any], Any]] = {
    "log of the rest": lambda r: at.log(1 - r),
    "odds": lambda r: r / (1 - r),
    "log odds": lambda r: at.log((1 - r) / r),
}


@pytest.mark.spared
@pytest.mark.parametrize("scale", sparing([24.0, 1.0, 240.0]))
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("of", OF.values(), ids=OF)
def test_roots(of: Callable[[Any], Any], loss: Callable[[Any], Any], scale: float) -> None:
    """At scores of 24 a tenth of the digits of what is missing was left, at 240 none."""
    out = loss(at.sqrt(of(Z)))
    assert_right([Z], [out], [scale * NEAR], 1e-12)
    assert_right([Z], [grad(out.sum(), Z)], [scale * NEAR], 1e-11, 1e-15)


def test_the_log_of_one_less_a_root_far_below_one() -> None:
    """A fraction over one and the root would lose the root beside 1, as would its log."""
    w = at.dcol("w")
    left = 1 - at.sqrt(gate(w)) * (1 - gate(Z))
    given = [20 * NEAR, np.array([[-60.0], [-3.0]])]
    assert_right([Z, w], [at.log(left), -left * at.log(left)], given, 1e-12)


@pytest.mark.spared(2)
@pytest.mark.parametrize("power", [0.3, 0.7])
def test_other_powers(power: float) -> None:
    """As in a cross-entropy that is generalised, ``(1 - p**q)/q``."""
    outputs = [(1 - gate(Z) ** power) / power, at.log(1 - gate(Z) ** power)]
    slopes = [grad(out.sum(), Z) for out in outputs]
    for scale in (1.0, 24.0, 240.0):
        assert_right([Z], [*outputs, *slopes], [scale * NEAR], 1e-12)


def test_a_power_that_may_be_more_than_one_is_as_written() -> None:
    """An exponent of hundreds has fewer digits than the power."""
    ratio = at.exp(Z) / at.exp(Z[:, ::-1])
    assert_right([Z], [1 - at.sqrt(ratio)], [NEAR * 300], 1e-13)
