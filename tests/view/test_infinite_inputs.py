"""Inputs that are infinite, negative under a root, or no numbers: what Aesara gets right stays."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest

from tests.view.common import at, function, stock

x, y = at.dvectors("x", "y")
s = at.dscalar("s")


e, f = at.exp(x), at.exp(y)
gate = at.sigmoid(s)
TWO: dict[str, Any] = {
    "mixture": at.log(gate * e + (1 - gate) * f),
    "larger share": at.maximum(e, f) / (e + f),
    "distance": at.abs(e - f) / (e + f),
    "log of the larger": at.log(at.maximum(e, f)),
    "larger multiple": at.maximum(e, y * e) / (1 + e),
    "all cancels": at.exp(x - y) * f,
}
ONES = np.array([0.3, -1.2, 0.8])
OTHERS = np.array([-0.4, 0.9, 0.1])


def _with(values: Any, value: float) -> Any:
    return np.array([values[0], value, values[2]])


@pytest.mark.parametrize("name", TWO)
def test_what_aesara_gets_right_stays_and_nan_stays_visible(name: str) -> None:
    inputs = [x, y, s]
    ours, theirs = (make(inputs, [TWO[name]]) for make in (function, stock))

    far = np.array([-400.0, 400.0, -300.0])
    cases = [(_with(ONES, v), OTHERS) for v in (-np.inf, np.nan)]
    cases += [(ONES, _with(OTHERS, v)) for v in (-np.inf, np.nan)]
    for values in [*cases, (far, -far)]:
        with np.errstate(all="ignore"):
            (found,), (right,) = (made(*values, 0.6) for made in (ours, theirs))
        shown = np.isfinite(right) | np.isnan(np.sum(values, axis=0))
        np.testing.assert_allclose(found[shown], right[shown], rtol=1e-12, atol=1e-99)


ROOTS: dict[str, Any] = {
    "square of a root": at.sqrt(x * f) ** 2 * at.exp(-y),
    "product of roots": at.sqrt(x * f) * at.sqrt(x * f) / (1 + f),
    "power over a root": (x * f) ** 1.5 / at.sqrt(x * f) / f,
    "exponential of a log": at.exp(at.log(x) + y) * at.exp(-y),
    "square by logs": at.exp(2 * at.log(x * f)) * at.exp(-2 * y),
    "inverse by logs": at.exp(-at.log(x * f)) * f,
}


@pytest.mark.parametrize("name", ROOTS)
def test_what_is_negative_has_no_root(name: str) -> None:
    values = np.array([-2.0, 0.5, 3.0]), OTHERS
    with np.errstate(all="ignore"):
        (found,) = function([x, y], [ROOTS[name]])(*values)
    assert np.isnan(found).tolist() == [True, False, False]
    (right,) = stock([x, y], [ROOTS[name]])(np.array([2.0, 0.5, 3.0]), OTHERS)
    np.testing.assert_allclose(found[1:], right[1:], rtol=1e-12)


def test_what_an_empty_difference_is_multiplied_with_stays_visible() -> None:
    x, y = at.dvectors("xy")
    share = at.exp(y) / (1 + at.exp(y))
    gap = (share * (at.log(share) - at.log(share))).sum()
    slope = function([x, y], aesara.grad(x.sum() * gap, y))
    assert np.isnan(slope(np.array([np.nan, 1.0]), np.zeros(2))).all()
    assert slope(np.ones(2), np.zeros(2)).tolist() == [0.0, 0.0]


def test_a_sum_less_itself_in_a_share_has_slopes() -> None:
    s, t, mask = at.dscalar("s"), at.dscalar("t"), at.bmatrix("mask")
    chosen = at.switch(mask, s, at.exp(t))
    gap = chosen.sum() - (at.exp(s) / at.exp(s).sum(axis=-1, keepdims=True)).sum()
    slope = function([s, t, mask], aesara.grad(at.diagonal(chosen).sum() * gap, [s, t]))
    found = slope(0.0, 0.0, np.array([[1, 0, 0]], "int8"))
    np.testing.assert_allclose(found, [1.0, 0.0])


_l, _a, _b = at.dscalars("l", "a", "b")
_odds = at.exp(_l) / (1 + at.exp(_l))
_over = at.sigmoid(_l) * _a / at.exp(_b)
_larger = at.maximum(at.exp(_a), at.exp(_b)) / (at.exp(_a) + at.exp(_b))
_smaller = at.minimum(at.exp(_a), at.exp(_b)) / (at.exp(_a) + at.exp(_b))
_largest = at.maximum(at.maximum(_l, _a), _b)
_shares = [at.exp(v - _largest) for v in (_l, _a, _b)]
_soft_largest = _largest + at.log(sum(_shares))
#: Formulas of l, a and b, with values of them at which Aesara is right.
ENDS: dict[str, tuple[Any, list[float]]] = {
    "mixture without a part": (
        at.log(at.sigmoid(_l) * at.exp(_a) + (1 - at.sigmoid(_l)) * at.exp(_b)),
        [-np.inf, 1, 2],
    ),
    "mixture without two": (
        at.log(_odds * at.exp(_a) + (1 - _odds) * at.exp(_b)),
        [-np.inf, -np.inf, 2],
    ),
    "slope of the larger": (aesara.grad(_larger, _b), [0, -np.inf, 2]),
    "slope of the smaller": (aesara.grad(_smaller, _b), [0, -np.inf, -1]),
    "nothing over what is denormal": (1 - at.sigmoid(_a / at.exp(_b)), [0, 0, -740]),
    "its slope": (aesara.grad(1 - at.sigmoid(_a / at.exp(_b)), _b), [0, 0, -740]),
    "slope of a gate of it": (aesara.grad(1 - at.tanh(_a / at.exp(_b)) ** 2, _a), [0, 0, -740]),
    "a share of nothing over it": (_over, [0.5, 0, -740]),
    "a share of one of two that are nothing": (_shares[2] / sum(_shares), [-np.inf, 0.5, -np.inf]),
    "slope of a soft maximum in it": (aesara.grad(_soft_largest, _b), [-np.inf, 0.5, -np.inf]),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_aesara_gets_right_at_an_end_stays(name: str) -> None:
    value, given = ENDS[name]
    with np.errstate(all="ignore"):
        found, right = (make([_l, _a, _b], value)(*given) for make in (function, stock))
    assert found == pytest.approx(right, rel=1e-14)
