r"""The shift algebra: sums of exponentials, shifted by the largest exponent.

The rest neither overflows nor vanishes then.  A view follows these equations when it builds a
graph; they belong to the family of `kanrewrite.relations.lifting`.

References
----------
P. Blanchard, D. J. Higham and N. J. Higham, "Accurately computing the log-sum-exp and softmax
functions", IMA Journal of Numerical Analysis 41(4), 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, relation

Sides = tuple[Any, Any]


@relation(role="sink", family="lifting")
def sum_shifts(a: Float, r: Float, axis: Axis) -> Iterator[Eq]:
    """The largest exponent leaves a sum."""
    m = T.shift(a, axis)
    yield eq(
        T.sum(T.exp(a) * r, axis, keepdims=True),
        T.exp(m) * T.sum(T.exp(a - m) * r, axis, keepdims=True),
    )


@relation(role="sink", family="lifting")
def add_shifts(a: Float, b: Float, r: Float, s: Float) -> Iterator[Eq]:
    """The larger exponent leaves a sum of two."""
    m = T.maximum(a, b)
    yield eq(
        T.exp(a) * r + T.exp(b) * s,
        T.exp(m) * (T.exp(a - m) * r + T.exp(b - m) * s),
    )


@relation(role="cancel", family="lifting")
def difference_shifts(a: Float, b: Float) -> Iterator[Eq]:
    """Exponentials that cancel are subtracted as ``expm1``, one of which is zero."""
    m = T.maximum(a, b)
    yield eq(T.exp(a) - T.exp(b), T.exp(m) * (T.expm1(a - m) - T.expm1(b - m)))


@relation(role="cancel", family="lifting")
def common_denominator(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """Fractions are added over a common denominator, where terms cancel then."""
    yield eq(a / b + c, (a + c * b) / b)


def _shifted_along(axis: int) -> Sides:
    """A sum along axis 1, and the same shifted by maxima along an axis."""
    x, y = at.matrices("x", "y")
    m = T.shift(x, (axis,))
    shifted = T.exp(m) * T.sum(T.exp(x - m) * y, (1,), keepdims=True)
    return (at.exp(x) * y).sum(axis=1, keepdims=True), shifted


@sum_shifts.example
def _sum() -> Sides:
    return _shifted_along(1)


@sum_shifts.non_example
def _along_another_axis() -> Sides:
    return _shifted_along(0)


@add_shifts.example
def _add() -> Sides:
    x, y, r, s = at.matrices("x", "y", "r", "s")
    m = at.maximum(x, y)
    shifted = at.exp(m) * (at.exp(x - m) * r + at.exp(y - m) * s)
    return at.exp(x) * r + at.exp(y) * s, shifted


@add_shifts.non_example
def _not_shifted_back() -> Sides:
    x, y, r, s = at.matrices("x", "y", "r", "s")
    m = at.maximum(x, y)
    return at.exp(x) * r + at.exp(y) * s, at.exp(x - m) * r + at.exp(y - m) * s


@difference_shifts.example
def _difference() -> Sides:
    x, y = at.matrices("x", "y")
    m = at.maximum(x, y)
    return at.exp(x) - at.exp(y), at.exp(m) * (at.expm1(x - m) - at.expm1(y - m))


@difference_shifts.non_example
def _sum_of_two() -> Sides:
    x, y = at.matrices("x", "y")
    m = at.maximum(x, y)
    return at.exp(x) + at.exp(y), at.exp(m) * (at.expm1(x - m) + at.expm1(y - m))


@common_denominator.example
def _fraction() -> Sides:
    x, y, z = at.matrices("x", "y", "z")
    return x / y + z, (x + z * y) / y


@common_denominator.example
def _where_terms_cancel() -> Sides:
    e = at.exp(at.matrix("x"))
    return e / (1 + e) + -e, (e + -e * (1 + e)) / (1 + e)


@common_denominator.non_example
def _not_extended() -> Sides:
    x, y, z = at.matrices("x", "y", "z")
    return x / y + z, (x + z) / y
