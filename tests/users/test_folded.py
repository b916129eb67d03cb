"""Users' relations in what canonicalization leaves of graphs.

It multiplies numbers with each other, moves signs into them and out of what is linear, and puts
transpositions where they may cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import aesara.tensor.nlinalg
import aesara.tensor.slinalg
import numpy as np
import pytest

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, relation
from kanrewrite.relation import REAL, Relation
from kanrewrite.rewriter.terms import Terms
from kanrewrite.why import why_not
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

nlinalg: Any = aesara.tensor.nlinalg
X, Y = at.vectors("xy")
A, B, C = at.matrices("abc")
F, G = at.fvectors("fg")
M = at.ivector("m")
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


def _smooth(x: Any) -> Any:
    return 0.5 * x * (1 + at.erf(x / np.asarray(np.sqrt(2), x.dtype)))


@spelled(3 * _smooth(X), _smooth(X) / 7, 2 * _smooth(A).T, -4 * _smooth(X - Y), 3 * _smooth(F))
def smooth(x: Float) -> Iterator[Eq]:
    yield eq(0.5 * x * (1 + T.erf(x / np.sqrt(2))), x * (1 - T.erfc(x / np.sqrt(2)) / 2))


@spelled(
    at.exp(-((X - Y) ** 2).sum() / 2), at.exp(-0.5 * ((X - Y) ** 2).sum()),
    3 * at.exp(((A - B) ** 2).sum(axis=1) / -2), at.exp(-at.square(F - G).sum() / 2),
)  # fmt: skip
def kernel(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(-T.sum((x - y) ** 2, axis) / 2), T.prod(T.exp(-((x - y) ** 2) / 2), axis))


@spelled(-(A * at.log(A)).sum(axis=1), (-(A * at.log(A))).sum(axis=1), (A * -at.log(A)).sum())
def surprise(p: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(-T.sum(p * T.log(p), axis), T.sum(p * T.log(1 / p), axis))


@spelled(
    at.logsumexp(X) - at.logsumexp(Y), -at.logsumexp(F) + at.logsumexp(G),
    1 - at.logsumexp(A, axis=1) + at.logsumexp(B, axis=1),
)  # fmt: skip
def difference_of_levels(a: Float, b: Float, axis: Axis) -> Iterator[Eq]:
    sums = T.sum(T.exp(a), axis) / T.sum(T.exp(b), axis)
    yield eq(T.logsumexp(a, axis) - T.logsumexp(b, axis), T.log(sums))


@spelled(
    nlinalg.trace(at.dot(A.T, B)), 2 * nlinalg.trace(at.dot((A * C).T, B)),
    nlinalg.trace(at.dot(at.exp(A), B)),
)  # fmt: skip
def inner_product(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    diagonal = T.of(type(nlinalg.trace(A).owner.inputs[0].owner.op))
    turned = T.dimshuffle(a, (1, 0))
    yield eq(T.sum(diagonal(T.dot(turned, b))), T.sum(a * b))  # type: ignore[operator]


@spelled(at.dot(nlinalg.matrix_inverse(A), B), at.dot(nlinalg.matrix_inverse(A), B).T)
def solved(a: Float, b: Float) -> Iterator[Eq]:
    solve = T.of(at.slinalg.solve(A, B).owner.op)
    yield eq(T.dot(T.of(nlinalg.MatrixInverse())(a), b), solve(a, b))


@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_fires_in_what_is_left(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, canonical(graph), positive=True)


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (smooth, at.erf(X / np.sqrt(2)) * X), (smooth, X * (1 + at.erf(X))),
        (surprise, (A * at.log(A)).sum(axis=1) * B[0]), (solved, at.dot(A, B).T),
        (solved, at.dot(A, nlinalg.matrix_inverse(B))),
    ],
)  # fmt: skip
def test_what_is_left_of_something_else_stays(stated: Relation, graph: Any) -> None:
    if stated is not surprise:
        assert same(rewritten(canonical(graph), stated), canonical(graph))
    assert why_not(stated, graph).pattern


@relation
def doubled(x: Float) -> Iterator[Eq]:
    yield eq(2 * x, T.cosh(x))


def test_a_multiple_of_anything_is_no_pattern() -> None:
    assert same(rewritten(X * Y, doubled), X * Y)
    assert same(rewritten(2 * X, doubled), at.cosh(X))


def test_a_sign_is_outside_of_what_is_linear() -> None:
    terms = Terms(REAL)
    assert terms.read(-2 * X * Y) is terms.read(-(2 * X * Y))
    assert terms.read(at.sum(-X)) is terms.read(-at.sum(X))
    wraps = at.TensorType("uint8", (None,))("w")
    assert terms.read(at.sum(-wraps)) is not terms.read(-at.sum(wraps))


def test_integers_are_not_scaled_by_fractions() -> None:
    @relation
    def halves(n: Any) -> Iterator[Eq]:
        yield eq(2 * (n // 2), n - n % 2)

    assert same(rewritten(M // 2, halves), M // 2)
    assert same(rewritten(2 * (M // 2), halves), M - M % 2)
