"""Spellings that no axiom of sums and products gives, and what guards know of operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.guards import positive
from tests.users.common import at, rewritten, same

X, Y, Z = at.vectors("xyz")
A, B = at.matrices("ab")


@relation
def totals(a: Float, b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a, axis) + T.sum(b, axis), T.sum(a + b, axis))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), None])
def test_what_drops_dimensions_may_keep_them(axis: Any, keepdims: bool) -> None:
    def total(x: Any) -> Any:
        return at.sum(x, axis=axis, keepdims=keepdims)

    assert same(rewritten(total(A) + total(B), totals), total(A + B))
    assert same(rewritten(total(A) - total(B), totals), total(A - B))


@relation
def factored(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(a * x + b * x, (a + b) * x)


M, N = at.ivectors("mn")


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (X * Y + Z * Y, (X + Z) * Y),
        (X * Y - Z * Y, (X - Z) * Y),
        (X / Y + Z / Y, (X + Z) / Y),
        (at.sum(X * Y + Y * Z), at.sum((X + Z) * Y)),
        (M * N + M * M, (M + N) * M),
    ],
)
def test_a_term_may_be_subtracted(graph: Any, expected: Any) -> None:
    assert same(rewritten(graph, factored), expected)


@relation
def circle(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)


@pytest.mark.parametrize(
    "around", [lambda c: c, lambda c: 2 * c, lambda c: Y * c, lambda c: c / Y, lambda c: 1 + c]
)
@pytest.mark.parametrize("x", [X, 2 * X, X + Y])
def test_a_sum_is_found_with_coefficients_factors_and_terms(around: Any, x: Any) -> None:
    spread = around(at.sin(x) ** 2) + around(at.cos(x) ** 2) - around(0.0)
    new = rewritten(spread, circle)
    assert "sin" not in {str(getattr(n.op, "scalar_op", "")) for n in values_of(new)}


def values_of(graph: Any) -> Iterator[Any]:
    """The nodes that compute the values of a graph, not its shape only."""
    if graph.owner is not None:
        yield graph.owner
        fill = str(getattr(graph.owner.op, "scalar_op", "")).startswith("second")
        for operand in graph.owner.inputs[1 if fill else 0 :]:
            yield from values_of(operand)


@relation
def logs_add(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.log(a) + T.log(b), T.log(a * b)).when(positive(a), positive(b))


POSITIVE = [
    at.exp(X), at.softplus(X), at.sigmoid(X), at.cosh(X), X**2 + 1, at.square(X) + 1, at.abs(X) + 1,
    X * X + at.exp(Y), at.exp(X) * at.softplus(Y), 1 / at.exp(X), at.sqrt(at.exp(X)),
    at.maximum(X, at.exp(Y)), at.minimum(at.exp(X), 2), at.exp(X) / 2,
]  # fmt: skip
UNKNOWN = [X, X**2, at.abs(X), X**3 + 1, at.exp(X) - 1, at.minimum(X, at.exp(Y)), X * at.exp(Y)]


@pytest.mark.parametrize("value", POSITIVE)
def test_what_operators_make_positive_is_known(value: Any) -> None:
    assert same(rewritten(at.log(value) + at.log(at.exp(Z)), logs_add), at.log(value * at.exp(Z)))


@pytest.mark.parametrize("value", UNKNOWN)
def test_what_may_be_zero_or_less_is_not_positive(value: Any) -> None:
    graph = at.log(value) + at.log(at.softplus(Z))
    assert same(rewritten(graph, logs_add), graph)
