"""A sum that divides in a term of a sum: what labels leave of others is as small as that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kanrewrite.reference import evaluate
from tests.sparing import sparing
from tests.view.common import at, function, grad, stock

#: In the first row the label is far below the largest.
_X = np.array([[900.0, 100, 899], [50, 900, -900]])
_M = np.array([[1, 0.5, -1], [0.25, 1, 2]])
_Y = np.array([[0.0, 1, 0], [1, 0, 0]])


def _row(x: Any) -> Any:
    return x.sum(axis=1, keepdims=True)


def _slope(loss: Callable[[Any], Any]) -> Callable[..., Any]:
    """The Hessian of a loss of the label's share, times m."""

    def product(x: Any, m: Any, y: Any) -> Any:
        p = at.exp(x) / _row(at.exp(x))
        return grad((grad(loss((p * y).sum(axis=1)).sum(), x) * m).sum(), x)

    return product


def _product(made: Callable[..., Any]) -> Callable[..., Any]:
    """A product with one more than half of what the label's share divides."""

    def product(x: Any, m: Any, y: Any) -> Any:
        e = at.exp(x)
        s, a = _row(e), _row(e * y)
        return made(e, m, y, s, a) * (1 + 0.5 * s / a)

    return product


CASES: dict[str, Callable[..., Any]] = {
    "less its share": _product(lambda e, m, y, s, a: e / s * (y - a / s) * m),
    "an average": _product(lambda e, m, y, s, a: e / s**2 * _row(e * y * m)),
    "of averages": _product(lambda e, m, y, s, a: e / s**3 * a * _row(e * m)),
    "at the label": _product(lambda e, m, y, s, a: e / s**2 * y * _row(e * m)),
    "polynomial loss": _slope(lambda q: 2 * (1 - q) - at.log(q)),
    "focal loss": _slope(lambda q: (1 - q) ** 2 * at.log(q)),
}


@pytest.mark.parametrize("name", sparing(CASES))
def test_labels_far_below_the_largest(name: str) -> None:
    x, m, y = at.dmatrices("x", "m", "y")
    value = CASES[name](x, m, y)
    ours, theirs = function([x, m, y], [value]), stock([x, m, y], [value])
    with np.errstate(all="ignore"):
        (far,) = ours(_X, _M, _Y)
        (near,), (expected,) = ours(_X / 600, _M, _Y), theirs(_X / 600, _M, _Y)
    np.testing.assert_allclose(near, expected, rtol=1e-12, atol=1e-15)
    (truth,) = evaluate([value], {x: _X, m: _M, y: _Y})
    np.testing.assert_allclose(far, np.asarray(truth, float), rtol=1e-12, atol=1e-16)
