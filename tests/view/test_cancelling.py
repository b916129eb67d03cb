"""What is out of range in parts of a graph and not in the whole: it cancels, or a zero hides it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.view.common import PLAIN, assert_right, at, function, grad, ops

x = at.dmatrix("x")
z, y = at.dvectors("z", "y")
LARGE = np.array([[800.0, 799.0, -3.0], [-900.0, -905.5, -901.0]])
EDGES = np.array([-1e5, -800.0, -1.0, 0.5, 800.0, 1e5])
LABELS = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])


def normal(e: Any) -> Any:
    return e / e.sum(axis=1, keepdims=True)


def test_terms_that_overflow_are_added_where_their_sum_does_not() -> None:
    p = at.exp(z) / (1 + at.exp(z))
    slope = grad(-(y * at.log(p) + (1 - y) * at.log(1 - p)).mean(), z)
    found = ops(function([z, y], [slope], PLAIN))
    assert (found["exp"], found["maximum"]) == (0, 0)
    assert_right([z, y], [slope], [EDGES, LABELS])
