r"""The shift algebra: how an exponential factor passes every operator.

Read a tensor as $e^a r$.  These equations say what becomes of $a$ and of $r$; a view follows them
when it reads a graph, left to right where a factor is lifted.  How an exponent is shifted when a
graph is built is stated in `kanrewrite.relations.shifting`, and what a choice does to it in
`kanrewrite.relations.choices`; they belong to the same family.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, relation, same_shape

Sides = tuple[Any, Any]


@relation(role="lift")
def sum_lifts(a: ConstantAlong["axis"], b: Float, axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """What is constant along the summed axes leaves the sum."""
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation(role="lift")
def log_lifts(a: Float, r: Float) -> Iterator[Eq]:
    """The log of an exponential is its exponent."""
    yield eq(T.log(T.exp(a) * r), a + T.log(r))


@relation(role="lift")
def prod_lifts(a: Float, r: Float, axis: Axis) -> Iterator[Eq]:
    """Exponents of a product add up."""
    yield eq(
        T.prod(T.exp(a) * r, axis, keepdims=True),
        T.exp(T.sum(a, axis, keepdims=True)) * T.prod(r, axis, keepdims=True),
    ).when(same_shape(a, r))


@relation(role="lift")
def powers_lift(a: Float, r: Float) -> Iterator[Eq]:
    """Exponents are scaled by powers."""
    yield eq(T.sqr(T.exp(a) * r), T.exp(2 * a) * T.sqr(r))
    yield eq(T.reciprocal(T.exp(a) * r), T.exp(-a) * T.reciprocal(r))
    yield eq(T.sqrt(T.exp(a) * r), T.exp(a / 2) * T.sqrt(r))


@sum_lifts.example
def _column() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    return (c * x).sum(axis=1, keepdims=True), c * x.sum(axis=1, keepdims=True)


@sum_lifts.non_example
def _not_constant() -> Sides:
    x, y = at.matrices("x", "y")
    return (x * y).sum(axis=1, keepdims=True), x * y.sum(axis=1, keepdims=True)


@log_lifts.example
def _log() -> Sides:
    x, y = at.matrices("x", "y")
    return at.log(at.exp(x) * y), x + at.log(y)


@log_lifts.non_example
def _log_of_sum() -> Sides:
    x, y = at.matrices("x", "y")
    return at.log(at.exp(x) + y), x + at.log(y)


@prod_lifts.example
def _prod() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    return at.prod(at.exp(x) * x, **kept), at.exp(x.sum(**kept)) * at.prod(x, **kept)


@prod_lifts.non_example
def _fewer_exponents_than_factors() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    return at.prod(at.exp(c) * x, **kept), at.exp(c.sum(**kept)) * at.prod(x, **kept)


@powers_lift.example
def _square() -> Sides:
    x, y = at.matrices("x", "y")
    return at.square(at.exp(x) * y), at.exp(2 * x) * at.square(y)


@powers_lift.non_example
def _half_a_square() -> Sides:
    x, y = at.matrices("x", "y")
    return at.square(at.exp(x) * y), at.exp(x) * at.square(y)
