r"""The shift algebra: how exponentials come together that were written apart.

Of the same family as `kanrewrite.relations.lifting`.  What is added up along the same axes is one
sum: a log in one part of it then meets what it cancels in the other, as in the derivative of
$t \log \sum_j e^{x_j / t}$ in $t$.

References
----------
S. M. Aji, R. J. McEliece, "The generalized distributive law", IEEE Transactions on Information
Theory 46(2), 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, positive, relation, same_shape

Sides = tuple[Any, Any]


@relation(role="cancel", family="lifting")
def sums_merge(a: Float, b: Float, axis: Axis) -> Iterator[Eq]:
    """Two sums along the same axes are one."""
    yield eq(
        T.sum(a, axis, keepdims=True) + T.sum(b, axis, keepdims=True),
        T.sum(a + b, axis, keepdims=True),
    ).when(same_shape(a, b))


@relation(role="lift", family="lifting")
def powers_multiply(a: Float, r: Float, t: Float) -> Iterator[Eq]:
    """An exponential to any power is an exponential."""
    yield eq(T.pow(T.exp(a) * r, t), T.exp(a * t) * T.pow(r, t))


@relation(role="lift", family="lifting")
def powers_are_exponentials(b: Float, t: Float) -> Iterator[Eq]:
    """A power of anything is an exponential and a sign; any finite log will do for that of 0."""
    yield eq(T.pow(b, t), T.exp(t * T.log(b))).when(positive(b))
    size = T.abs(b) + T.eq(b, 0)
    yield eq(T.pow(b, t), T.exp(t * T.log(size)) * T.pow(T.sgn(b), t))


@relation(role="cancel", family="lifting")
def powers_gather(a: Float, r: Float, t: Float) -> Iterator[Eq]:
    """What left the base of a power goes back to what it is added to there."""
    yield eq(T.pow(r, t) * T.exp(a * t), T.pow(T.exp(a) * r, t))


@sums_merge.example
def _two_sums() -> Sides:
    x, y = at.matrices("x", "y")
    kept: Any = {"axis": 1, "keepdims": True}
    return x.sum(**kept) + y.sum(**kept), (x + y).sum(**kept)


@sums_merge.example
def _log_and_what_it_cancels() -> Sides:
    x, y = at.matrices("x", "y")
    kept: Any = {"axis": 1, "keepdims": True}
    total, less = at.log(at.exp(x) + at.exp(y)), -x
    return total.sum(**kept) + less.sum(**kept), (total + less).sum(**kept)


@sums_merge.non_example
def _along_another_axis() -> Sides:
    x, y = at.matrices("x", "y")
    kept: Any = {"axis": 1, "keepdims": True}
    return x.sum(**kept) + y.sum(axis=0, keepdims=True), (x + y).sum(**kept)


@powers_multiply.example
def _power() -> Sides:
    x, y, t = at.matrices("x", "y", "t")
    return at.pow(at.exp(x) * y, t), at.exp(x * t) * at.pow(y, t)


@powers_multiply.non_example
def _exponent_to_a_power() -> Sides:
    x, t = at.matrices("x", "t")
    return at.pow(at.exp(x), t), at.exp(at.pow(x, t))


@powers_are_exponentials.example
def _power_of_anything() -> Sides:
    b, t = at.matrices("b", "t")
    size = at.abs(b) + at.eq(b, 0)
    return at.pow(b, t), at.exp(t * at.log(size)) * at.pow(at.sgn(b), t)


@powers_are_exponentials.non_example
def _size_without_log() -> Sides:
    b, t = at.matrices("b", "t")
    return at.pow(b, t), at.exp(t * at.abs(b)) * at.pow(at.sgn(b), t)


@powers_gather.example
def _power_of_a_mixture() -> Sides:
    x, y, t = at.matrices("x", "y", "t")
    rest = 1 + at.exp(y - x)
    return rest**t * at.exp(x * t), (at.exp(x) * rest) ** t


@powers_gather.non_example
def _not_to_the_power() -> Sides:
    x, y, t = at.matrices("x", "y", "t")
    return at.exp(x) * (1 + at.exp(y - x)) ** t, (at.exp(x) + at.exp(y)) ** t
