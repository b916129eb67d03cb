"""Diagonals: of shares, with their slopes, and matrices that are made of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.view.common import PLAIN, assert_right, at, function, grad, ops

Z = at.dmatrix("z")
X = at.dvector("x")
ROWS = np.array([[800.0, 1.0, 799.0], [-9e2, -901.0, 5.0], [3.0, 1.0, 2e3]])


def share(e: Any, axis: int = 1) -> Any:
    return e / e.sum(axis=axis, keepdims=True)


LOSSES: dict[str, Any] = {
    "of each row": -at.log(at.diag(share(at.exp(Z)))).mean(),
    "of each column": -at.log(at.diag(share(at.exp(Z), axis=0))).mean(),
    "of both": -(
        at.log(at.diag(share(at.exp(Z)))) + at.log(at.diag(share(at.exp(Z), axis=0)))
    ).mean(),
}


@pytest.mark.spared
@pytest.mark.parametrize("values", [ROWS, ROWS[:2], ROWS[:, :2], ROWS / 500], ids=str)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_slopes_of_shares_on_the_diagonal(loss: Any, values: Any) -> None:
    assert_right([Z], [loss, grad(loss, Z)], [values], 1e-11)


def test_embeddings_that_are_told_apart_both_ways() -> None:
    left, right = at.dmatrices("left", "right")
    scores = at.dot(left, right.T)
    loss = -sum(at.log(at.diag(share(at.exp(scores), axis=axis))).mean() for axis in (0, 1)) / 2
    rng = np.random.default_rng(3)
    given = [40 * rng.normal(size=(4, 3)) for _ in range(2)]
    assert_right([left, right], [loss, *grad(loss, [left, right])], given, 1e-11)


@pytest.mark.parametrize("offset", [0, 1, -2])
def test_exponentials_on_a_diagonal(offset: int) -> None:
    matrix = at.basic.AllocDiag(offset=offset)(at.exp(X))
    out = at.log(at.dot(matrix, at.exp(Z)).sum(axis=0) + at.exp(X).sum())
    values = [np.array([800.0, -3.0]), np.full((2 + abs(offset), 3), 700.0)]
    assert_right([X, Z], [out, *grad(out.sum(), [X, Z])], values, 1e-12)


def test_a_diagonal_in_range_stays() -> None:
    out = at.dot(at.diag(at.sigmoid(X)), Z)
    assert "IncSubtensor" not in ops(function([X, Z], out, PLAIN))
