"""Relations about what is reduced, for graphs that keep dimensions, or divide before they add."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.relation import Relation
from kanrewrite.unify import as_graph
from kanrewrite.why import why_not
from tests.benchmarks.strangers.common import Own
from tests.sparing import sparing
from tests.users import common
from tests.users.common import at, canonical, is_told_to_fire, rewritten, same

A, B = at.matrices("ab")
X, Y = at.vectors("xy")
D = at.tensor3("d")
KEPT: Any = {"keepdims": True}
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


class LogTotal(Own):
    """An Op that somebody has for the log of a sum of exponentials, which drops dimensions."""

    def of(self, *values: Any) -> Any:
        return np.log(np.exp(values[0]).sum(axis=self.axis))


class Cosine(Own):
    """And one for the cosine of what is between the rows of two matrices."""

    def of(self, *values: Any) -> Any:
        inner, one, other = ((x * y).sum(axis=self.axis) for x, y in _pairs(*values))
        return inner / np.sqrt(one * other)


def _pairs(x: Any, y: Any) -> list[tuple[Any, Any]]:
    return [(x, y), (x, x), (y, y)]


class Average(Own):
    """And one for a weighted mean."""

    def of(self, *values: Any) -> Any:
        x, w = values
        return (x * w).sum(axis=self.axis) / w.sum(axis=self.axis)


def log_sum(x: Any, **along: Any) -> Any:
    return at.log(at.exp(x).sum(**along))


@spelled(
    log_sum(A, axis=1), log_sum(A, axis=1, **KEPT), log_sum(A, axis=-1, **KEPT),
    log_sum(A, axis=0, **KEPT), log_sum(A, axis=1)[:, None], A - log_sum(A, axis=1, **KEPT),
    log_sum(D, axis=(0, 2), **KEPT), 2 * log_sum(A + B, axis=1, **KEPT),
    log_sum(A, axis=(0, 1), **KEPT),
)  # fmt: skip
def in_an_op(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.sum(T.exp(x), axis)), T.of(LogTotal)(x, axis=axis))


@spelled(
    -at.exp(A).min(axis=1),
    -at.exp(A).min(axis=0, **KEPT),
    2 - at.exp(A).min(axis=1),
    at.exp(A).min(axis=1),
)
def least_exponential(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.min(T.exp(x), axis), T.exp(T.min(x, axis)))


@spelled(-at.exp(A).min(axis=1), -at.exp(A).min(axis=0, **KEPT), 2 - at.exp(A).min(axis=1))
def minus_the_least(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(-T.min(T.exp(x), axis), -T.exp(T.min(x, axis)))


def unit(x: Any, axis: int = 1) -> Any:
    """Rows of length 1."""
    return x / at.sqrt((x**2).sum(axis=axis, **KEPT))


@spelled(
    (unit(A) * unit(B)).sum(axis=1), (unit(A) * B).sum(axis=1) / at.sqrt((B**2).sum(axis=1)),
    (unit(A, 0) * unit(B, 0)).sum(axis=0), 2 - (unit(A) * unit(B)).sum(axis=1),
    (3 * unit(A) * unit(B)).sum(axis=1, **KEPT),
    at.dot(X, Y) / at.sqrt(at.dot(X, X) * at.dot(Y, Y)),
    (X * Y).sum() / at.sqrt(at.dot(X, X) * (Y**2).sum()),
)  # fmt: skip
def cosine(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(
        T.sum(x * y, axis) / (T.sqrt(T.sum(x**2, axis)) * T.sqrt(T.sum(y**2, axis))),
        T.of(Cosine)(x, y, axis=axis),
    )


@spelled(
    (A * (B / B.sum(axis=1, **KEPT))).sum(axis=1), (A * B).sum(axis=1) / B.sum(axis=1),
    2 - (A * B / B.sum(axis=0, **KEPT)).sum(axis=0),
    (A * B).sum(axis=1, **KEPT) / B.sum(axis=1, **KEPT),
)  # fmt: skip
def average(x: Float, w: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(x * (w / T.sum(w, axis, keepdims=True)), axis), T.of(Average)(x, w, axis=axis))


@spelled((at.exp(A) / A.max(axis=1, **KEPT)).sum(axis=1), at.exp(A).sum(axis=0) / A.max(axis=0))
def over_the_largest(x: Float, axis: Axis) -> Iterator[Eq]:
    largest = T.max(x, axis, keepdims=True)
    total = T.sum(T.expm1(x), axis) + T.size(x, axis)
    yield eq(T.sum(T.exp(x) / largest, axis), total / T.max(x, axis))


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_it_fires_and_keeps_the_value(stated: Relation, graph: Any) -> None:
    is_told_to_fire(stated, graph)


@pytest.mark.spared
@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (in_an_op, at.log(at.exp(A).sum(axis=1, **KEPT) + 1)),
        (in_an_op, at.log(at.exp(A).max(axis=1, **KEPT))),
        (in_an_op, at.log(at.exp(A).sum(axis=1, **KEPT) * at.exp(A))),
        (cosine, at.dot(X, Y) / at.sqrt(at.dot(X, Y) * at.dot(Y, Y))),
        (cosine, at.dot(A, B) / at.sqrt(at.dot(A, A) * at.dot(B, B))),
        (cosine, (unit(A) * unit(B, 0)).sum(axis=1)),
        (least_exponential, -at.exp(A).max(axis=1)),
    ],
)
def test_what_only_looks_like_it_stays(stated: Relation, graph: Any) -> None:
    assert why_not(stated, graph).reason
    assert same(rewritten(graph, stated), graph)


OUTER = [getattr(T, name) for name in ("cosh", "log", "tanh", "sigmoid", "softplus", "sqrt")]
REDUCED = [getattr(T, name) for name in ("sum", "mean", "max", "min", "prod", "cumsum")]


@pytest.mark.parametrize("outer", sparing(OUTER, 6), ids=str)
def test_relations_over_any_axes_are_read(outer: Any) -> None:
    """Logs of moved sums and exponentials of sums along a parameter raised; that is an error."""
    for reduce, inner in product(REDUCED, (T.exp, T.cosh)):
        stated = _of(outer, reduce, inner)
        graph = as_graph(outer(reduce(inner(A), 1)))
        for each in (graph, graph if graph.ndim == 2 else graph[:, None]):
            written = canonical(each)
            assert not same(rewritten(written, stated), written), reduce


def _of(outer: Any, reduce: Any, inner: Any) -> Relation:
    @relation
    def stated(x: Float, axis: Axis) -> Iterator[Eq]:
        yield eq(outer(reduce(inner(x), axis)), T.erf(reduce(x, axis)))

    return stated


def test_lengths_of_what_was_reduced_are_asked_for() -> None:
    """The guard of a mean is asked of a sum over a form that stands beside a share of it."""

    @relation
    def stated(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
        average = T.mean(T.sum(y * y, axis, keepdims=True), axis)
        yield eq(average / T.max(x, axis), T.erf(T.sum(x + y, axis)))

    graph = at.mean((B * B).sum(axis=1, keepdims=True), axis=1) / A.max(axis=1)
    for each in (graph, 2 * graph + A[:, 0]):
        rewritten(canonical(each), stated)  # a warning is an error


def test_shares_of_what_is_reduced_are_read() -> None:
    """Sums of moved terms were looked through for what meets, though nothing says how they are."""

    @relation
    def stated(x: Float, axis: Axis) -> Iterator[Eq]:
        part, others = T.mean(T.erf(T.softplus(x + 0.5)), axis), T.sum(T.exp(x) ** 2, axis)
        yield eq(part / (part + others), T.erf(T.sum(x, axis)))

    part, others = at.erf(at.softplus(A + 0.5)).mean(axis=1), (at.exp(A) ** 2).sum(axis=1)
    graph = canonical(part / (part + others))
    assert not same(rewritten(graph, stated), graph)
