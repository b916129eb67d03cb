"""What is put back where an index of an index took it has the lengths it is multiplied with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.view.common import at, function, grad, stock

z, y = at.dmatrix("z"), at.lvector("y")
VALUES = np.cos(np.arange(12.0)).reshape(3, 4), np.array([1, 1, 0])


def _share() -> Any:
    e = at.exp(z)
    return e / e.sum(axis=1, keepdims=True)


LOSSES: dict[str, Callable[[], Any]] = {
    "rows of columns": lambda: at.log(0.9 * _share()[:, y][y] + 0.1).sum(),
    "rows of as many columns": lambda: at.log(_share()[:, at.concatenate([y, y])][y] + 0.1).sum(),
}


@pytest.mark.parametrize("name", sparing(LOSSES))
def test_losses_and_their_derivatives_are_stocks(name: str) -> None:
    loss = LOSSES[name]()
    slope = grad(loss, z)
    product = grad((slope * np.arange(12.0).reshape(3, 4)).sum(), z)
    for outputs in ([loss, slope, product], [product]):
        ours, theirs = (f([z, y], outputs) for f in (function, stock))
        for found, expected in zip(ours(*VALUES), theirs(*VALUES), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
