"""Maxima that a relation states: they are what Aesara computes, also where they are infinite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara
import numpy as np
import pytest

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten

X, Y = at.vectors("xy")
A, B = at.matrices("ab")


@relation
def larger(x: Float, y: Float) -> Iterator[Eq]:
    yield eq((x + y + T.abs(x - y)) / 2, T.maximum(x, y))


@relation
def largest(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.maximum(T.max(x, axis), T.max(y, axis)), T.max(T.maximum(x, y), axis))


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (larger, (X + Y + at.abs(X - Y)) / 2),
        (larger, 3 * at.abs(X - Y) + 3 * X + 3 * Y),
        (largest, at.maximum(A.max(0), B.T.max(1))),
        (largest, at.maximum(A.max(axis=1), B.max(axis=-1))),
    ],
)
def test_a_maximum_that_is_stated_may_be_infinite(stated: Relation, graph: Any) -> None:
    new = rewritten(graph, stated)
    f = aesara.function([X, Y, A, B], new, mode=common.MODE, on_unused_input="ignore")
    for value in (np.inf, -np.inf):  # no shift, which is 0 there
        result = f(*(np.full((2,) * v.ndim, value) for v in (X, Y, A, B)))
        assert np.array_equal(np.sign(result), np.full(2, np.sign(value)))


@relation
def size(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0) + T.maximum(-x, 0), T.abs(x))


@pytest.mark.parametrize(
    "graph",
    [
        at.maximum(X, 0) + at.maximum(-X, 0), at.maximum(0, X) - at.minimum(X, 0),
        3 * at.maximum(A - B, 0) + 3 * at.maximum(B - A, 0), at.minimum(X, 0) - at.maximum(X, 0),
    ],
)  # fmt: skip
def test_a_negative_maximum_is_a_minimum(graph: Any) -> None:
    fires_and_keeps_the_value(size, graph)
    fires_and_keeps_the_value(size, canonical(graph))
