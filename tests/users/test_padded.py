"""Relations that leave it to broadcasting to put dimensions in front, as NumPy's users do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import aesara.tensor.nlinalg
import pytest

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, relation
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y = at.vectors("xy")
A, B = at.matrices("ab")
D = at.tensor3("d")
F = at.fmatrix("f")
k = at.scalar("k")
det: Any = aesara.tensor.nlinalg.det
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    X - X.mean(), A - A.mean(0), A - A.mean(axis=-2), A - A.mean(0)[None, :], F - F.mean(0),
    2 * A - 2 * A.mean(0, keepdims=True), A * B - (A * B).mean(0), (D - D.mean(0)).sum(),
)  # fmt: skip
def centred(x: Float) -> Iterator[Eq]:
    yield eq(x - T.mean(x, 0), x + T.mean(-x, 0) * T.sqr(T.sgn(T.mean(x, 0))))


@spelled(
    at.cosh(A) / at.cosh(A).sum(0), at.cosh(X) / at.cosh(X).sum(), at.cosh(A) / at.cosh(A).sum(),
    at.cosh(D) / at.cosh(D).sum((0, 1)), 3 * at.cosh(A) / at.cosh(A).sum(0, keepdims=True),
)  # fmt: skip
def shares(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(
        T.cosh(x) / T.sum(T.cosh(x), axis), T.exp(T.log(T.cosh(x)) - T.log(T.sum(T.cosh(x), axis)))
    )


@spelled(
    at.cumsum(A, axis=0)[-1] - at.cumsum(A, axis=0), at.cumsum(X)[-1] - at.cumsum(X),
    at.cumsum(A * B, axis=0) - at.cumsum(A * B, axis=0)[-1],
    Y * (at.cumsum(X, axis=0)[-1] - at.cumsum(X, axis=0)),
)  # fmt: skip
def sums_of_the_rest(x: Float) -> Iterator[Eq]:
    back = (slice(None, None, -1),)
    rest = T.subtensor(T.cumsum(T.subtensor(x, back), 0), back) - x
    yield eq(T.subtensor(T.cumsum(x, 0), (-1,)) - T.cumsum(x, 0), rest)


@spelled(
    at.maximum(at.dot(A, B) + X, 0), 2 * at.maximum(X + at.dot(A, B), 0),
    at.maximum(at.dot(A, B) - X, 0),
    at.maximum(at.dot(A, A) + X[None, :], 0).sum(1), at.maximum(at.dot(F, F) + F[0], 0),
)  # fmt: skip
def layer(a: Ndim[2], w: Ndim[2], b: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    h = T.dot(a, w) + b
    yield eq(T.maximum(h, 0), (h + T.abs(h)) / 2)


@spelled(at.dot(A, X) + Y, at.dot(A, B) + Y, at.tanh(at.dot(A, B) - Y).sum(0), Y - at.dot(A.T, X))
def affine(a: Any, x: Any, b: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(a, x) + b, T.dot(2 * a, x) / 2 + b)


@spelled(
    det(k * A), 3 * det(A * k), at.log(at.abs(det(k * (A + B)))), det(2 * A), det(A / 4), det(-A)
)
def scaled(k: Ndim[0], a: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.of(det(A).owner.op)(k * a), k ** T.size(a, 0) * T.of(det(A).owner.op)(a))  # type: ignore[operator]


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_dimensions_in_front_need_not_be_stated(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, canonical(graph))


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (centred, A - A.mean(1, keepdims=True)),
        (centred, A - B.mean(0)),
        (centred, D - D.mean(1, keepdims=True)),
        (shares, at.cosh(A) / at.cosh(A).sum(1, keepdims=True)),
        (layer, at.maximum(at.dot(A, B) + X[:, None], 0)),
        (layer, at.maximum(at.dot(A, B) + A, 0)),
        (scaled, det(X * A)),
        (scaled, det(A + B)),
        (sums_of_the_rest, at.cumsum(A, axis=1)[-1] - at.cumsum(A, axis=1)),
        (sums_of_the_rest, at.cumsum(A, axis=0)[-1][:, None] - at.cumsum(A, axis=0)),
    ],
)
def test_other_dimensions_are_not_meant(stated: Relation, graph: Any) -> None:
    assert same(rewritten(canonical(graph), stated), canonical(graph))


@relation
def sum_of_parts(x: Float) -> Iterator[Eq]:
    first, rest = (T.subtensor(x, (part,)) for part in (slice(None, 2), slice(2, None)))
    yield eq(T.sum(first) + T.sum(rest), T.sum(x))


@pytest.mark.parametrize(
    "graph",
    [
        X[:2].sum() + X[2:].sum(), X[2:].sum() + X[0:2].sum(), A[0:2:1].sum() + A[2::1].sum(),
        2 * A[:2, :].sum() + 2 * A[2:, 0:].sum(),
    ],
)  # fmt: skip
def test_an_index_is_what_it_takes(graph: Any) -> None:
    fires_and_keeps_the_value(sum_of_parts, graph)


def test_another_index_takes_something_else() -> None:
    for graph in (X[:2].sum() + X[1:].sum(), X[:2].sum() + Y[2:].sum()):
        assert same(rewritten(graph, sum_of_parts), graph)


def test_a_fixed_axis_beside_what_is_broadcast() -> None:
    """Whether the dimensions of ``b[:, None]`` were turned was asked, which raised."""

    @relation
    def halves(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(T.sum(x, 1)), T.sqr(T.exp(T.sum(x, 1) / 2)))

    fires_and_keeps_the_value(halves, at.exp((A + X.dimshuffle(0, "x")).sum(axis=1)))
