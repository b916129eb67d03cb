"""A number far below all others is added to exponentials that are summed: it is negligible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.view.common import at, function, grad, stock

x, y = at.dvector("x"), at.dmatrix("y")
a, t = at.dscalars("a", "t")
low, scale = at.exp(a), at.exp(t)
added, table = low + at.exp(x), low + at.exp(y)
SUMS: dict[str, Any] = {
    "sum": scale * added.sum(),
    "rows": scale * table.sum(axis=1),
    "running sum": scale * at.cumsum(added),
    "largest": scale * added.max(),
    "root of squares": scale * at.sqrt((added**2).sum()),
    "dot product": scale * added.dot(x),
    "matrix": scale * table.dot(x),
    "weighted mean": (at.exp(x) * added).sum() / added.sum(),
    "bounded": scale * added.sum() / (1 + scale),
    "log": at.log(scale * added.sum()),
    "slope of the log": grad(at.log(scale * added.sum()), x),
    "product": scale * added.prod(),
    "products of rows": scale * table.prod(axis=1),
    "slope of a product": grad(scale * added.prod(), x),
    "distance": scale * at.abs(low - at.exp(x)).sum(),
}
INPUTS = [np.array([0.3, 1.0, 3.75]), np.arange(9.0).reshape(3, 3) / 4 - 1]


@pytest.fixture(scope="module")
def compiled() -> tuple[Any, Any]:
    outputs = list(SUMS.values())
    return function([x, y, a, t], outputs), stock([x, y, a, t], outputs)


@pytest.mark.parametrize("value", [-1e9, -1e4, -np.inf, -3.5])
def test_what_is_far_below_changes_nothing(compiled: tuple[Any, Any], value: float) -> None:
    with np.errstate(all="ignore"):
        found, expected = (f(*INPUTS, value, 0.75) for f in compiled)
    for name, mine, right in zip(SUMS, found, expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-14, err_msg=name)
