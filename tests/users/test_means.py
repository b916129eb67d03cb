"""Relations about means and variances: no graph holds one, there are sums over lengths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from kanren import run, var

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.guards import counts
from kanrewrite.relation import Relation
from kanrewrite.why import why_not
from tests.sparing import sparing
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y = at.vectors("xy")
A, B = at.matrices("ab")
F, G = at.fmatrices("fg")
D, E = at.tensor3s("de")
M, N = at.imatrices("mn")
S = at.TensorType("float64", (None, 3))("s")
KEPT: Any = {"keepdims": True}
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    A.mean(1) + B.mean(1), A.mean() + B.mean(), A.mean(-1) - B.mean(1),
    2 * A.mean(1) + 2 * B.mean(1),
    A.mean(0, **KEPT) + B.mean(0, **KEPT), F.mean(0) + G.mean(0), D.mean((0, 2)) + E.mean((-1, 0)),
    S.mean(1) + (S**2).mean(1), M.mean(1) + N.mean(1), A.mean(1) + B.sum(1) / B.shape[1],
)  # fmt: skip
def means_add(x: Any, y: Any, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(x, axis) + T.mean(y, axis), T.mean(x + y, axis))


@spelled(
    A.var(1), A.var(), A.var(0, **KEPT), F.var(1), S.var(1), D.var((0, 1)), A.T.var(0), X.var(),
    A.std(1), 3 * A.var(-1), A.var(1) + X, ((A - A.mean(1, **KEPT)) ** 2).sum(1) / A.shape[1],
)  # fmt: skip
def variance(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.var(x, axis), T.mean(x**2, axis) - T.mean(x, axis) ** 2)


def normed(x: Any, axis: int, **other: Any) -> Any:
    """A layer norm, as a stranger writes it."""
    centred = x - x.mean(axis, **KEPT)
    return centred / at.sqrt(other.get("var", x.var(axis, **KEPT)) + other.get("eps", 1e-5))


@spelled(
    normed(A, 1), normed(A, -1), normed(D, -1), normed(X, 0), normed(S, 1), normed(A.T, 0),
    normed(F, 1, eps=np.float32(1e-5)), normed(A, 1) * B, at.dot(normed(A, 1), B),
    normed(at.dot(A, B), 1),
    (A - A.mean(1, **KEPT)) * (A.var(1, **KEPT) + 1e-6) ** -0.5,
)  # fmt: skip
def layer_norm(x: Float, axis: Axis, eps: Float) -> Iterator[Eq]:
    centred = x - T.mean(x, axis, keepdims=True)
    spread = T.mean(centred**2, axis, keepdims=True)
    scale = T.sqrt(1 + spread / eps) * T.sqrt(eps)
    yield eq(centred / T.sqrt(spread + eps), centred / scale)


@spelled(
    A / at.sqrt((A**2).mean(1, **KEPT) + 1e-6), A * ((A**2).mean(1, **KEPT) + 1e-6) ** -0.5,
    B * A / at.sqrt((A**2).mean(-1, **KEPT) + 1e-6), X / at.sqrt((X**2).mean() + 1e-6),
    F / at.sqrt((F**2).mean(1, **KEPT) + np.float32(1e-6)),
    A / at.sqrt((A * A).mean(0, **KEPT) + 1),
)  # fmt: skip
def rms_norm(x: Float, axis: Axis, eps: Float) -> Iterator[Eq]:
    square = T.mean(x**2, axis, keepdims=True)
    yield eq(x / T.sqrt(square + eps), T.sinh(T.arcsinh(x)) / T.sqrt(square + eps))


@spelled(
    at.exp(A.min(1)), at.exp(A.min()), 2 * at.exp(-(-A).max(0)), at.exp(F.min(1, **KEPT)),
    at.exp(D.min((0, -1))), at.exp((A * B).min(0)),
)  # fmt: skip
def least_exponential(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.min(x, axis)), T.min(T.exp(x), axis))


@spelled(
    A.var(0) / A.mean(0), X.var() / X.mean(), 3 * A.var(1) / A.mean(1), F.var(0) / F.mean(0),
    ((A - A.mean(0)) ** 2).sum(0) / A.sum(0), A.mean(0) ** -1 * A.var(0), S.var(1) / S.mean(1),
)  # fmt: skip
def dispersion(x: Float, axis: Axis) -> Iterator[Eq]:
    mean = T.mean(x, axis)
    yield eq(T.var(x, axis) / mean, T.mean(x**2, axis) / mean - mean)


@pytest.mark.spared
@pytest.mark.parametrize("canonically", sparing([True, False]))
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_mean_is_found_as_it_is_computed(stated: Relation, graph: Any, canonically: bool) -> None:
    fires_and_keeps_the_value(stated, canonical(graph) if canonically else graph)


def test_dimensions_may_come_back_later() -> None:
    graph = canonical(normed(A, 1, var=A.var(1).dimshuffle(0, "x")))
    assert not same(rewritten(graph, layer_norm), graph)


@relation
def mean_of_sum(x: Any, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(T.exp(x), axis), 1 + T.mean(T.expm1(x), axis))


@pytest.mark.parametrize(
    "graph",
    [
        at.exp(A).sum(1) / A.shape[0], at.exp(A).sum(1) / 3, at.exp(S).sum(0) / 3,
        at.exp(A).sum() / A.shape[0], at.exp(A).sum(1) * A.shape[1], at.exp(A).sum(1) / B.shape[1],
        at.exp(S).sum(1) * 0.25, at.exp(A + at.row("r")).sum(0) / 1, at.exp(A).sum(1) / Y.sum(),
    ],
)  # fmt: skip
def test_another_number_makes_no_mean(graph: Any) -> None:
    assert same(rewritten(graph, mean_of_sum), graph)
    assert why_not(mean_of_sum, graph).reason


@pytest.mark.parametrize(
    ("number", "axis", "holds"),
    [
        (A.shape[1], 1, True), (A.shape[1], -1, True), (A.shape[0], 1, False),
        (A.shape[0] * A.shape[1], None, True), (A.size, (0, 1), True), (A.size, 0, False),
        (at.cast(at.exp(A).shape[1], "float64"), 1, True), (3, 1, False),
        (at.dot(A, B).shape[0], 0, True), (A.shape[X.argmax()], 0, False),
    ],
)  # fmt: skip
def test_what_counts_the_elements_along_axes(number: Any, axis: Any, holds: bool) -> None:
    assert counts(number, axis, A).holds({}) is holds


def test_a_goal_knows_means() -> None:
    answer = var()
    assert run(0, answer, means_add(A.mean(1) + B.mean(1), answer))
    assert not run(0, answer, means_add(A.sum(1) / A.shape[0] + B.mean(1), answer))
