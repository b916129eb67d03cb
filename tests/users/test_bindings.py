"""What a parameter stands for: what is written, never a root of it, and fixed axes are those."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.clock import now
from kanrewrite.errors import RelationWarning
from kanrewrite.guards import positive
from kanrewrite.view import View
from tests.users.common import at, rewritten, same

X, Y = at.vectors("xy")

# The right sides of these relations are not equal to the left ones: they show what was bound.


@relation
def square(x: Float) -> Iterator[Eq]:
    yield eq(T.cosh(T.sqr(x)), T.erf(x))


@relation
def cube(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(x**3), T.erf(x))


@relation
def root(x: Float) -> Iterator[Eq]:
    yield eq(T.tanh(T.sqrt(x)), T.erf(x))


@relation
def inverse(x: Float) -> Iterator[Eq]:
    yield eq(T.arctan(1 / x), T.erf(x))


@pytest.mark.parametrize(
    ("stated", "graph", "bound"),
    [
        (square, at.cosh(Y**2), Y),
        (square, at.cosh(at.square(Y)), Y),
        (square, at.cosh(Y * Y), Y),
        (square, at.cosh(Y**4), at.square(Y)),
        (square, at.cosh(4 * Y**2), 2.0 * Y),
        (square, at.cosh(X * X * Y * Y), X * Y),
        (cube, at.tanh(Y**3), Y),
        (cube, at.tanh(Y**6), at.square(Y)),
        (root, at.tanh(at.sqrt(Y)), Y),
        (root, at.tanh(Y**0.5), Y),
        (inverse, at.arctan(1 / Y), Y),
        (inverse, at.arctan(Y**-1), Y),
        (inverse, at.arctan(Y**-2), at.square(Y)),
    ],
)
def test_a_power_of_a_parameter_is_what_is_written(stated: Any, graph: Any, bound: Any) -> None:
    assert same(rewritten(graph, stated), at.erf(bound))


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (square, at.cosh(Y)),
        (square, at.cosh(Y**3)),
        (square, at.cosh(2 * Y)),
        (cube, at.tanh(Y)),
        (cube, at.tanh(Y**2)),
        (root, at.tanh(Y)),
        (root, at.tanh(Y**2)),
        (root, at.tanh(at.exp(Y))),
        (root, at.tanh(at.abs(Y))),
        (inverse, at.arctan(Y)),
        (inverse, at.arctan(Y**2)),
    ],
)
def test_a_power_of_a_parameter_is_never_a_root(stated: Any, graph: Any) -> None:
    assert same(rewritten(graph, stated), graph)


@relation
def turned(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.arctan2(x, y), T.arctan2(y, x))


@relation
def sine(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x), T.cos(x - 1.5))


@relation
def cosine(x: Float) -> Iterator[Eq]:
    yield eq(T.cos(x), T.sin(x + 1.5))


@pytest.mark.parametrize(
    ("graph", "relations"), [(at.arctan2(X, Y), [turned]), (at.sin(X), [sine, cosine])]
)
def test_what_rewrites_its_own_results_ends_with_a_report(graph: Any, relations: Any) -> None:
    start = now()
    with pytest.warns(RelationWarning, match=relations[-1].name):
        new = rewritten(graph, *relations)
    assert same(new, graph)
    assert now() - start < 5  # it took for ever: the traces doubled with each rewrite


@relation
def rounded_once(x: Float) -> Iterator[Eq]:
    yield eq(T.floor(T.floor(x)), T.floor(x))


@relation
def clipped_at_zero(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0), (x + T.abs(x)) / 2)


def test_an_operator_of_itself_is_no_recursive_definition() -> None:
    assert same(rewritten(2 * at.floor(at.floor(X)), rounded_once), 2 * at.floor(X))


def test_a_zero_in_a_pattern_is_zero() -> None:
    assert same(rewritten(at.maximum(X, 0), clipped_at_zero), (X + at.abs(X)) / 2)
    assert same(rewritten(at.maximum(X, 1), clipped_at_zero), at.maximum(X, 1))


@relation
def over_rows(x: Float) -> Iterator[Eq]:
    yield eq(T.sum(T.cos(x), 1, keepdims=True), T.sum(T.erf(x), 1, keepdims=True))


@relation
def over_the_last(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.sum(x, -1)), T.prod(T.exp(x), -1))


@relation
def over_any(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.max(x, axis)), T.max(T.exp(x), axis))


A, B = at.tensor3("a"), at.matrix("b")


@pytest.mark.parametrize("axis", [1, -2, (1,), (-2,)])
def test_a_fixed_axis_is_that_axis_however_it_is_spelled(axis: Any) -> None:
    def total(part: Any, along: Any) -> Any:
        return part(A).sum(axis=along, keepdims=True)

    assert same(rewritten(total(at.cos, axis), over_rows), total(at.erf, 1))
    for other in (0, 2, -1, (0, 1), None):
        assert same(rewritten(total(at.cos, other), over_rows), total(at.cos, other))


def test_a_fixed_axis_is_asked_of_each_tensor() -> None:
    for graph in (A, B):
        found = rewritten(at.exp(graph.sum(axis=-1)), over_the_last)
        assert same(found, at.exp(graph).prod(axis=-1))
        first = at.exp(graph.sum(axis=0))
        assert same(rewritten(first, over_the_last), first)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
def test_an_axis_that_is_a_parameter_is_any(axis: Any) -> None:
    graph = at.exp(A.max(axis=axis))
    assert same(rewritten(graph, over_any), at.exp(A).max(axis=axis))


@relation(role="define")
def truncated(x: Float) -> Iterator[Eq]:
    yield eq(T.trunc(x), T.log(T.exp(x) + 1)).when(positive(x))


def test_the_guard_of_a_definition_is_asked() -> None:
    view = View([truncated])
    meant = at.log(at.exp(at.exp(X)) + 1)
    assert view.read(at.trunc(at.exp(X))) is view.read(meant)
    assert view.read(at.trunc(X)) is not view.read(at.log(at.exp(X) + 1))
