"""Users' relations where a graph, or the relation, multiplies sums that the other has opened."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from kanrewrite import Axis, Eq, Float, T, eq, why_not
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y, Z, W = at.vectors("xyzw")
A, B, C = at.matrices("abc")
F, G = at.fvectors("fg")
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    (Z**2 + X**2) / (2 * Y**2) - 0.5, 0.5 * Z**2 / Y**2 + 0.5 * X**2 / Y**2 - 0.5,
    0.5 * ((Z / Y) ** 2 + (X / Y) ** 2 - 1), ((Z / Y) ** 2 + (X / Y) ** 2 - 1) / 2,
    3 * (0.5 * (Z / Y) ** 2 + (X / Y) ** 2 / 2) - 1.5, W - (Z**2 + X**2) / (2 * Y**2) + 0.5,
)  # fmt: skip
def spread(a: Float, s: Float, t: Float) -> Iterator[Eq]:
    yield eq(
        (s**2 + a**2) / (2 * t**2) - 0.5, ((s / t) ** 2 + (a / t) ** 2 - 1) / 2 + T.tanh(0 * s)
    )


def shared(x: Any, y: Any, **along: Any) -> Any:
    return (x * y).sum(**along)


@spelled(
    shared(A, B, axis=1) / (A.sum(1) + B.sum(1) - shared(A, B, axis=1)),
    shared(A, B, axis=1) / (shared(A, B, axis=1) + (A * (1 - B)).sum(1) + (B * (1 - A)).sum(1)),
    shared(A, B, axis=0) / (A.sum(0) + (B * (1 - A)).sum(0)),
    shared(X, Y) / ((1 - Y) * X + Y).sum(),
    1 - shared(F, G) / (shared(F, G) + (F * (1 - G)).sum() + (G * (1 - F)).sum()),
)  # fmt: skip
def overlap(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    both, either = T.sum(x * y, axis), T.sum(x + y, axis)
    yield eq(both / (T.sum(x, axis) + T.sum(y, axis) - both), 1 / (either / both - 1))


@spelled(
    at.log((B * at.exp(A)).sum(1)), at.log(at.dot(at.exp(A), X)), at.log(at.dot(X, at.exp(A))),
    2 - at.log(X @ at.exp(A - B)), at.log(at.exp(A - B) @ X)[1:], at.log(at.dot(X, at.exp(Y))),
)  # fmt: skip
def weighted(w: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    top = T.max(x, axis, keepdims=True)
    yield eq(
        T.log(T.sum(w * T.exp(x), axis)),
        T.log(T.sum(w * T.exp(x - top), axis)) + T.max(x, axis),
    )


def gated(x: Any, y: Any, axis: int) -> Any:
    return at.log(1 + (x * (1 + at.sigmoid(y))).sum(axis=axis, keepdims=True))


@spelled(
    gated(A, B, 1), gated(A, B, 0)[:, 1:], gated(A, B, 1).T,
    at.log(1 + (A + A * at.sigmoid(B)).sum(1)), at.log(A.sum(1) + 1 + (A * at.sigmoid(B)).sum(1)),
)  # fmt: skip
def kept(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    total = T.sum(x * (1 + T.sigmoid(y)), axis, keepdims=True)
    yield eq(T.log(1 + total), -T.log(1 / (1 + total)))


@pytest.mark.parametrize("canonically", [True, False])
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_sums_are_multiplied_out_to_be_found(
    stated: Relation, graph: Any, canonically: bool
) -> None:
    fires_and_keeps_the_value(stated, canonical(graph) if canonically else graph, positive=True)


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (overlap, shared(A, B, axis=1) / (A.sum(1) + (B * (1 - C)).sum(1))),
        (overlap, shared(A, B, axis=1) / (A.sum(1) + (B * (2 - A)).sum(1))),
        (spread, (Z**2 + X**2) / (2 * Y**2) - 0.25),
        (spread, 0.5 * (Z / Y) ** 2 + 0.5 * (X / W) ** 2 - 0.5),
        (weighted, at.log(at.dot(at.exp(A), B))),
    ],
)
def test_what_is_another_sum_is_left_alone(stated: Relation, graph: Any) -> None:
    assert same(rewritten(graph, stated), graph)
    assert why_not(stated, graph).reason


def test_what_is_left_beside_a_match_is_not_multiplied_out() -> None:
    """Digits of ``w * (1 - y)`` would cancel."""
    graph = canonical(W * (1 - Y) + 0.5 * (Z / Y) ** 2 + 0.5 * (X / Y) ** 2 - 0.5)
    assert same(rewritten(graph, spread), graph)
