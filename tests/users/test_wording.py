"""Users' relations in what graphs have in the place of what they say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, relation
from kanrewrite.relation import Relation
from kanrewrite.rewriter.spellings import rules_of
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y, P, Q = at.vectors("xypq")
A, B, C = at.matrices("abc")
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    P * at.log(P / Q), P * (at.log(P) - at.log(Q)), P * at.log(P) - P * at.log(Q),
    -P * at.log(Q / P), (A * (at.log(A) - at.log(B))).sum(axis=1),
)  # fmt: skip
def divergence(p: Float, q: Float) -> Iterator[Eq]:
    yield eq(p * T.log(p / q), p * T.log1p((p - q) / q))


@spelled(P * at.log(1 / P), -(P * at.log(P)).sum(), (A * at.log(1 / A)).sum(axis=0))
def surprise(p: Float) -> Iterator[Eq]:
    yield eq(-p * T.log(p), -p * T.log2(p) * np.log(2))


@spelled(
    -at.log1p(at.exp(-X)), at.log(1 / (1 + at.exp(-X))), -at.log(at.exp(-A) + 1).sum(),
)  # fmt: skip
def log_of_sigmoid(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.sigmoid(x)), T.minimum(x, 0) - T.log1p(T.exp(-T.abs(x))))


@spelled(
    at.dot(X, Y) / at.sqrt((X**2).sum() * (Y**2).sum()),
    at.dot(X, Y) / (at.sqrt(at.dot(X, X)) * at.sqrt(at.dot(Y, Y))),
    (A * B).sum(1) / (at.sqrt((A**2).sum(1)) * at.sqrt((B**2).sum(1))),
)
def cosine(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    lengths = T.sum(x**2, axis) * T.sum(y**2, axis)
    yield eq(T.sum(x * y, axis) / T.sqrt(lengths), T.sum(x * y, axis) * T.exp(-T.log(lengths) / 2))


@spelled(at.outer(X, Y).sum(), (X[:, None] * Y[None, :]).sum())
def sum_of_all_products(a: Ndim[1], b: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(
        T.sum(T.dimshuffle(a, (0, "x")) * T.dimshuffle(b, ("x", 0))),
        T.sum(a) * T.sum(b),
    )


@spelled((at.dot(A, B) + at.dot(A, C)).T, at.dot(A, B) + at.dot(A, C))
def products_of_one(a: Ndim[2], b: Ndim[2], c: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(a, b) + T.dot(a, c), T.dot(a, b + c))  # type: ignore[operator]


@spelled(at.dot(at.dot(A, B), C).T, 2 * at.dot(at.dot(A, B), C))
def grouped(a: Ndim[2], b: Ndim[2], c: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(T.dot(a, b), c), T.dot(a, T.dot(b, c)))


@spelled(3 * at.sin(X) ** 2 + 2 * at.cos(X) ** 2, at.cos(X) ** 2 + 5 * at.sin(X) ** 2 + Y)
def circle(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)


@spelled(at.maximum(X, 0) + 0.1 * at.minimum(X, 0), 2 * at.maximum(A, 0) + at.minimum(A, 0))
def both_signs(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0) + T.minimum(x, 0), x)


@spelled(1 / (1 + at.exp((Y - X) / P)), at.sigmoid((X - Y) / P), 1 / (1 + at.exp(-(X - Y) / P)))
def occupation(x: Float, y: Float, t: Float) -> Iterator[Eq]:
    yield eq(T.sigmoid((x - y) / t), (1 + T.tanh((x - y) / (2 * t))) / 2)


@spelled(at.sqrt(4 * X**2 + Y**2), at.sqrt(X**2 + Y**2 / 4), 3 * at.sqrt(X * X + 9 * Y * Y))
def length(x: Float, y: Float) -> Iterator[Eq]:
    low, high = T.minimum(T.abs(x), T.abs(y)), T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), high * T.sqrt(1 + (low / high) ** 2))


@spelled(at.sqrt(((X - Y) ** 2).mean()), at.sqrt(((A - B) ** 2).mean(axis=1)))
def root_of_mean(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sqrt(T.mean(x**2, axis)), T.exp(T.log(T.mean(x**2, axis)) / 2))


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_is_found_in_other_words(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, canonical(graph), positive=True)


@pytest.mark.parametrize("graph", [at.sin(X) ** 2 + Y * at.cos(X) ** 2, 2 + at.sin(X) ** 2])
def test_what_may_cancel_does_not_remain(graph: Any) -> None:
    assert same(rewritten(graph, circle), graph)


def test_no_wording_is_found_in_its_own_result() -> None:
    @relation
    def sizes(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(T.log(x * y), T.log(T.abs(x)) + T.log(T.abs(y)))

    assert all("log(x) + log(y)" not in str(rule.pattern) for rule in rules_of(sizes))
