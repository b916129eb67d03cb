"""Conditions are the same however they are transposed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanrewrite import registry
from tests.view.common import assert_right, at, enabled, grad, names, share

X, W = at.dmatrices("xw")
LABELS = at.TensorType("int8", shape=(None, None))("labels")
LOGITS = 40 * np.array([[1.0, 0.0, -0.5], [-1.0, 0.25, 2.0]])


@pytest.mark.parametrize(
    "condition", [LABELS, at.gt(LABELS, 0), at.and_(at.gt(W, 0), at.lt(LABELS, 1))], ids=str
)
def test_shares_of_columns_by_two_transpositions(condition: Any) -> None:
    """The slope by ``p.T`` chooses by ``condition.T``, and each part of that by a transpose."""
    p = (at.exp(X).T / at.exp(X).sum(axis=1)).T
    loss = at.switch(condition, at.log(p), at.log(1 - p)).sum()
    labels = np.array([[1, 0, 1], [0, 0, 1]], dtype="int8")
    weights = np.array([[1.0, -1.0, 0.5], [-2.0, 1.0, 1.0]])
    assert_right([X, LABELS, W], [loss, grad(loss, X)], [LOGITS, labels, weights], 1e-12, 1e-14)


def test_what_is_deeper_is_taken_as_it_is() -> None:
    """Where each operator has what is before it twice there are 2**60 paths."""
    condition = LABELS.T
    for _ in range(60):
        condition = at.maximum(condition, at.minimum(condition, 3))
    p = share(X.T, 0)
    loss = at.switch(at.gt(condition, 0), at.log(p), at.log(1 - p)).sum()
    with enabled():
        (slope,) = registry.stabilize([grad(loss, X)])
    assert "ScaledOthers" in names([slope])
