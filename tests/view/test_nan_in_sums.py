"""Where a sum of shares is 1, and its slope 0, what is not a number stays visible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.view.common import PLAIN, at, function, grad, ops, stock

x, y = at.dvectors("x", "y")
X, M = at.dmatrix("X"), at.bmatrix("M")
KEPT: dict[str, Any] = {"axis": -1, "keepdims": True}


def _share(z: Any) -> Any:
    return at.exp(z) / at.exp(z).sum(**KEPT)


def _weight(z: Any) -> Any:
    return z / z.sum(**KEPT)


LOSSES: dict[str, Any] = {
    "shares add up to one": x.sum() - _share(x).sum(),
    "times another sum": _share(x).sum() * at.exp(x).sum(),
    "a mean of shares": at.exp(1 + at.exp(_share(x).mean())) * x.sum(),
    "weights": _weight(X).sum() - at.exp(X).sum(),
    "masked weights": _weight(at.switch(M, X, 0)).sum() * at.exp(X).sum(),
}
#: Zero where the other factor of a product is no number.
ELEMENTS: dict[str, Any] = {
    "a factor of a slope": at.switch(at.exp(-x) >= y, at.exp(-x), 0).sum(),
    "a gate": X.sum() - at.maximum(x - at.exp(X) / (1 + at.exp(X)), 0).sum(),
}
VALUES: dict[Any, Any] = {
    x: np.array([0.0, np.nan, 1.0]),
    y: np.array([0.0, 1.0, np.nan]),
    X: np.array([[0.0, 1.0, np.nan], [0.5, 2.0, 1.0], [1.0, np.nan, 2.0]]),
    M: np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]], "int8"),
}


@pytest.mark.parametrize("name", [*LOSSES, *ELEMENTS])
def test_what_is_no_number_is_seen(name: str) -> None:
    loss = {**LOSSES, **ELEMENTS}[name]
    inputs = [v for v in VALUES if v in at_inputs(loss)]
    floats = [v for v in inputs if v is not M]
    outputs = [loss, *grad(loss, floats)]
    values = [VALUES[v] for v in inputs]
    with np.errstate(all="ignore"):
        found = function(inputs, outputs)(*values)
        expected = stock(inputs, outputs)(*values)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def at_inputs(variable: Any) -> set[Any]:
    found, stack = set(), [variable]
    while stack:
        top = stack.pop()
        if top not in found:
            found.add(top)
            stack.extend(top.owner.inputs if top.owner is not None else ())
    return found


def test_what_shows_it_by_itself_gets_no_check() -> None:
    v = at.dmatrix("v")
    loss = -(X * at.log(_share(v))).sum()
    found = ops(function([X, v], grad(loss, v), PLAIN))
    assert found["isnan"] == found["Any"] == 0
