"""Indices that Aesara takes wrongly, or not at all, are not made of those that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.view.common import at, function, grad, stock

z, y = at.dmatrix("z"), at.lvector("y")
VALUES = np.cos(np.arange(12.0)).reshape(3, 4), np.array([1, 1, 0])


def _sigmoid() -> Any:
    return at.exp(z) / (1 + at.exp(z))


def _share() -> Any:
    e = at.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def _total() -> Any:
    return _sigmoid()[:, 1:].sum(axis=1, keepdims=True)


LOSSES: dict[str, Callable[[], Any]] = {
    "a dimension of length 1, reversed": lambda: at.log(
        ((_total() - _total()[:, ::-1]) ** 2).sum() + 1
    ),
    "a sum of it": lambda: (at.log(_total()) - _total()[:, ::-1]).sum(),
    "columns of what is reversed": lambda: at.log((_sigmoid() + 2 * _sigmoid()[::-1])[:, y]).sum(),
    "each other row of columns": lambda: at.log(1 + _sigmoid()[:, y][::2]).sum(),
    "rows of columns": lambda: at.log(0.9 * _share()[:, y][y] + 0.1).sum(),
    "rows of as many columns": lambda: at.log(_share()[:, at.concatenate([y, y])][y] + 0.1).sum(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_derivatives_are_stocks(name: str) -> None:
    loss = LOSSES[name]()
    slope = grad(loss, z)
    product = grad((slope * np.arange(12.0).reshape(3, 4)).sum(), z)
    for outputs in ([loss, slope, product], [product]):
        ours, theirs = (f([z, y], outputs) for f in (function, stock))
        for found, expected in zip(ours(*VALUES), theirs(*VALUES), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
