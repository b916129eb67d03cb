r"""The shift algebra: how an exponential factor passes every operator.

Read a tensor as $e^a r$.  These equations say what becomes of $a$ and of $r$; a view follows them
when it reads a graph, left to right where a factor is lifted.  How an exponent is shifted when a
graph is built is stated in `kanrewrite.relations.shifting`, and what a choice does to it in
`kanrewrite.relations.choices`; they belong to the same family.

References
----------
S. M. Aji, R. J. McEliece, "The generalized distributive law", IEEE Transactions on Information
Theory 46(2), 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import (
    Axis,
    ConstantAlong,
    Eq,
    Float,
    T,
    eq,
    nonnegative,
    nonzero,
    one_axis,
    positive,
    relation,
)

Sides = tuple[Any, Any]


@relation(role="lift")
def sum_lifts(a: ConstantAlong["axis"], b: Float, axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """What is constant along the summed axes leaves the sum."""
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation(role="lift")
def cumsum_lifts(a: ConstantAlong["axis"], b: Float, axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """What is constant along an axis leaves a running sum along it."""
    yield eq(T.cumsum(a * b, axis), a * T.cumsum(b, axis)).when(one_axis(axis))


@relation(role="lift")
def log_lifts(a: Float, r: Float) -> Iterator[Eq]:
    """The log of an exponential is its exponent."""
    yield eq(T.log(T.exp(a) * r), a + T.log(r))


@relation(role="lift")
def logs_add(a: Float, b: Float) -> Iterator[Eq]:
    """The log of a product is a sum of logs; what is zero must not hide the sign of the rest."""
    logs = eq(T.log(a * b), T.log(a) + T.log(b))
    yield logs.when(positive(a))
    yield logs.when(nonnegative(a), nonnegative(b))


@relation(role="lift")
def logs_of_powers(a: Float, t: Float, axis: Axis) -> Iterator[Eq]:
    """The log of a power is a multiple of a log, and that of a product along an axis is a sum."""
    power = eq(T.log(T.pow(a, t)), t * T.log(a))
    yield power.when(positive(a))
    yield power.when(nonnegative(a), nonzero(t))  # (0**0 is 1)
    product = T.prod(a, axis, keepdims=True)
    total = T.sum(T.fill(a, T.log(a)), axis, keepdims=True)
    yield eq(T.log(product), total).when(nonnegative(a))


@relation(role="lift")
def prod_lifts(a: Float, axis: Axis) -> Iterator[Eq]:
    """Exponents of a product add up."""
    yield eq(T.prod(T.exp(a), axis, keepdims=True), T.exp(T.sum(a, axis, keepdims=True)))


@relation(role="lift")
def abs_lifts(a: Float, b: Float) -> Iterator[Eq]:
    """What is not negative leaves an absolute value."""
    yield eq(T.abs(a * b), a * T.abs(b)).when(nonnegative(a))


@sum_lifts.example
def _column() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    return (c * x).sum(axis=1, keepdims=True), c * x.sum(axis=1, keepdims=True)


@sum_lifts.non_example
def _not_constant() -> Sides:
    x, y = at.matrices("x", "y")
    return (x * y).sum(axis=1, keepdims=True), x * y.sum(axis=1, keepdims=True)


@cumsum_lifts.example
def _running_column() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    return at.cumsum(c * x, axis=1), c * at.cumsum(x, axis=1)


@cumsum_lifts.non_example
def _running_row() -> Sides:
    c, x = at.row("c"), at.matrix("x")
    return at.cumsum(c * x, axis=1), c * at.cumsum(x, axis=1)


@log_lifts.example
def _log() -> Sides:
    x, y = at.matrices("x", "y")
    return at.log(at.exp(x) * y), x + at.log(y)


@log_lifts.non_example
def _log_of_sum() -> Sides:
    x, y = at.matrices("x", "y")
    return at.log(at.exp(x) + y), x + at.log(y)


@logs_add.example
def _log_of_shares() -> Sides:
    x, y = at.matrices("x", "y")
    share = at.sigmoid(x)
    return at.log(share * y), at.log(share) + at.log(y)


@logs_add.non_example
def _log_of_a_sum() -> Sides:
    x, y = at.matrices("x", "y")
    share = at.sigmoid(x)
    return at.log(share + y), at.log(share) + at.log(y)


@logs_of_powers.example
def _log_of_power() -> Sides:
    x, t = at.matrices("x", "t")
    share = at.sigmoid(x)
    return at.log(share**t), t * at.log(share)


@logs_of_powers.non_example
def _log_of_square() -> Sides:
    x = at.matrix("x")
    return at.log(at.square(x)), 2 * at.log(x)


@prod_lifts.example
def _prod() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    return at.prod(at.exp(x), **kept), at.exp(x.sum(**kept))


@prod_lifts.non_example
def _fewer_exponents_than_factors() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    return at.prod(at.exp(c) * x, **kept), at.exp(c.sum(**kept)) * at.prod(x, **kept)


@abs_lifts.example
def _size() -> Sides:
    x, y = at.matrices("x", "y")
    return at.abs(at.exp(x) * y), at.exp(x) * at.abs(y)


@abs_lifts.non_example
def _of_any_product() -> Sides:
    x, y = at.matrices("x", "y")
    return at.abs(x * y), x * at.abs(y)
