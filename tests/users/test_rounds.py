"""Relations that matched what they had made, or what a graph has only in another order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import aesara.tensor.nlinalg
import numpy as np
import pytest
from aesara import shared

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, relation
from kanrewrite.errors import RelationError
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, fires_and_keeps_the_value, rewritten, same

X, Y, Z, W = at.vectors("xyzw")
A, B = at.matrices("ab")
det: Any = aesara.tensor.nlinalg.det
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@relation
def largest_of_negatives(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.max(-x, axis), -T.min(x, axis))


@relation
def largest_of_negative_columns(x: Float) -> Iterator[Eq]:
    yield eq(T.max(-x, 0), -T.min(x, 0))


@spelled(det(A.T), 2 * det(A.T), at.log(at.abs(det(A.T))), 1 / det(A.T))
def turned_determinant(a: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.of(det(A).owner.op)(T.dimshuffle(a, (1, 0))), T.of(det(A).owner.op)(a))


@spelled((X * Y + Z) * Y + W, Y * (Z + Y * X) + W, 2 * ((X * Y + Z) * Y + W), (W - Y * X) * Y - Z)
def multiplied_out(a: Float, b: Float, c: Float, x: Float) -> Iterator[Eq]:
    yield eq((a * x + b) * x + c, a * x**2 + b * x + c)


@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_is_followed_once(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, graph)


@pytest.mark.parametrize(
    "graph", [(-A).max(0), (-B).max(axis=-2), 3 * (-(A * B)).max(), X - (-A.T).max(0)]
)
@pytest.mark.parametrize("stated", [largest_of_negatives, largest_of_negative_columns])
def test_what_aesara_writes_as_the_other_side_ends(stated: Relation, graph: Any) -> None:
    assert same(rewritten(graph, stated), graph)


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (largest_of_negatives, A.max(0)),
        (largest_of_negative_columns, A.max(0)),
        (largest_of_negative_columns, (-A).max(1)),
        (turned_determinant, det(A)),
        (multiplied_out, (X * Y + Z) * W + W),
        (multiplied_out, X * Y),
    ],
)
def test_what_says_something_of_another_graph_leaves_this_one(stated: Relation, graph: Any) -> None:
    assert same(rewritten(graph, stated), graph)


@relation
def over_rows(x: Float) -> Iterator[Eq]:
    yield eq(T.sum(T.exp(x), 1), T.erf(T.sum(x, 1)))


@relation
def product_of_rows(x: Float) -> Iterator[Eq]:
    yield eq(T.prod(x, 1), T.erf(T.sum(x, 1)))


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (over_rows, lambda axis: at.exp(A).sum(axis)),
        (over_rows, lambda axis: 3 * at.exp(A * B).sum(axis)),
        (product_of_rows, lambda axis: A.prod(axis)),
    ],
)
def test_a_sum_along_one_axis_is_none_along_another(stated: Relation, graph: Any) -> None:
    assert same(rewritten(graph(0), stated), graph(0))  # not that of the transpose along axis 1
    assert not same(rewritten(graph(1), stated), graph(1))


@pytest.mark.parametrize("part", [at.eye(3), at.vector("v"), 2 * at.constant([2.0, 3.0])])
def test_no_graph_stands_in_what_is_matched(part: Any) -> None:
    def rule(x: Float) -> Iterator[Eq]:
        yield eq(T.sum(x * part), T.cos(x))

    with pytest.raises(RelationError, match=r"rule \(.*test_rounds\.py.*Write"):
        relation(rule)


@pytest.mark.parametrize("number", [2, np.array(2.0), at.constant(2.0), np.float32(2)])
def test_an_array_of_one_number_is_that_number(number: Any) -> None:
    @relation
    def rule(x: Float) -> Iterator[Eq]:
        yield eq(T.sin(x * number), 2 * T.sin(x) * T.cos(x))

    fires_and_keeps_the_value(rule, at.sin(2 * X))


@pytest.mark.parametrize("low", [np.array([2.0, 3.0, 4.0]), at.constant([2.0, 3.0, 4.0])])
def test_an_array_is_found_as_it_is_written(low: Any) -> None:
    @relation
    def rule(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(T.maximum(x, low)), T.maximum(T.exp(x), T.exp(low)))

    fires_and_keeps_the_value(rule, at.exp(at.maximum([2.0, 3.0, 4.0], X)))
    other = at.exp(at.maximum([2.0, 3.0, 5.0], X))
    assert same(rewritten(other, rule), other)


def test_a_shared_value_is_found_where_it_is() -> None:
    k, other = shared(np.array([2.0, 3.0])), shared(np.array([2.0, 3.0]))

    @relation
    def rule(x: Float) -> Iterator[Eq]:
        yield eq(T.sin(x * k), T.cos(x))

    assert same(rewritten(at.sin(k * X), rule), at.cos(X))
    assert same(rewritten(at.sin(other * X), rule), at.sin(other * X))
