r"""The shift algebra: maxima, choices and comparisons of exponentials.

Of the same family as `kanrewrite.relations.lifting`.

References
----------
S. M. Aji, R. J. McEliece, "The generalized distributive law", IEEE Transactions on Information
Theory 46(2), 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, nonnegative, relation

Sides = tuple[Any, Any]


@relation(role="lift", family="lifting")
def max_lifts(a: Float, c: ConstantAlong["axis"], axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """The exponential grows with its exponent, and so does a multiple of it."""
    power = T.exp(T.max(a, axis, keepdims=True))
    yield eq(T.max(T.exp(a), axis, keepdims=True), power)
    yield eq(T.max(c * T.exp(a), axis, keepdims=True), c * power).when(nonnegative(c))


@relation(role="lift", family="lifting")
def max_of_logs(a: Float, axis: Axis) -> Iterator[Eq]:
    """The exponential grows with its operand: of sums of them the logs are compared."""
    largest = T.max(T.log(a), axis, keepdims=True)
    yield eq(T.max(a, axis, keepdims=True), T.exp(largest)).when(nonnegative(a))


@relation(role="lift", family="lifting")
def max_shifts(a: Float, c: ConstantAlong["axis"], axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """What is constant along an axis is added after the maximum is taken."""
    yield eq(T.max(a + c, axis, keepdims=True), T.max(a, axis, keepdims=True) + c)


@relation(role="lift", family="lifting")
def choices_lift(c: Float, a: Float, b: Float, x: Float) -> Iterator[Eq]:
    """A common factor leaves a choice, and so does a log of what is chosen."""
    yield eq(T.switch(c, a, b) * x, T.switch(c, a * x, b * x))
    chosen = eq(T.log(T.switch(c, a, b)), T.switch(c, T.log(a), T.log(b)))
    yield chosen.when(nonnegative(a), nonnegative(b))


@relation(role="cancel", family="lifting")
def choices_meet(c: Any, a: Float, b: Float, x: Float, y: Float) -> Iterator[Eq]:
    """What choices by one condition leave of each other is left in their branches."""
    yield eq(T.switch(c, a, b) + T.switch(c, x, y), T.switch(c, a + x, b + y))


@relation(role="lift", family="lifting")
def comparisons_drop(a: Float, r: Float) -> Iterator[Eq]:
    """An exponential is positive, so it does not matter to a sign, and to what is below zero."""
    for compare in (T.gt, T.ge, T.lt, T.le, T.eq, T.neq):
        yield eq(compare(T.exp(a) * r, 0), compare(r, 0))
    yield eq(T.sgn(T.exp(a) * r), T.sgn(r))


@relation(role="lift", family="lifting")
def signs_choose(a: Float, b: Float) -> Iterator[Eq]:
    """A maximum, a minimum or an absolute value is a choice by the sign of a difference."""
    yield eq(T.maximum(a, b), T.switch(T.lt(a - b, 0), b, a))
    yield eq(T.minimum(a, b), T.switch(T.lt(b - a, 0), b, a))
    yield eq(T.abs(a), T.switch(T.lt(a, 0), -a, a))


@relation(role="lift", family="lifting")
def chosen_compare(a: Float, b: Float) -> Iterator[Eq]:
    """The smaller of two is one of them where that is no larger, and the larger likewise."""
    yield eq(T.eq(T.minimum(a, b), a), T.le(a, b))
    yield eq(T.eq(T.minimum(a, b), b), T.le(b, a))
    yield eq(T.eq(T.maximum(a, b), a), T.ge(a, b))
    yield eq(T.eq(T.maximum(a, b), b), T.ge(b, a))


@max_lifts.example
def _max() -> Sides:
    x = at.matrix("x")
    return at.exp(x).max(axis=1, keepdims=True), at.exp(x.max(axis=1, keepdims=True))


@max_lifts.non_example
def _not_monotone() -> Sides:
    x = at.matrix("x")
    return at.cosh(x).max(axis=1, keepdims=True), at.cosh(x.max(axis=1, keepdims=True))


@max_of_logs.example
def _max_of_sums() -> Sides:
    x, y = at.matrices("x", "y")
    total, kept = at.exp(x) + at.exp(y), {"axis": 1, "keepdims": True}
    return total.max(**kept), at.exp(at.log(total).max(**kept))


@max_of_logs.non_example
def _min_for_max() -> Sides:
    x, y = at.matrices("x", "y")
    total, kept = at.exp(x) + at.exp(y), {"axis": 1, "keepdims": True}
    return total.max(**kept), at.exp(at.log(total).min(**kept))


@max_shifts.example
def _max_of_shifted() -> Sides:
    c, x = at.col("c"), at.matrix("x")
    return (x + c).max(axis=1, keepdims=True), x.max(axis=1, keepdims=True) + c


@max_shifts.non_example
def _shifted_along_the_axis() -> Sides:
    c, x = at.row("c"), at.matrix("x")
    return (x + c).max(axis=1, keepdims=True), x.max(axis=1, keepdims=True) + c


@choices_lift.example
def _choice() -> Sides:
    c, a, b, x = at.matrices("c", "a", "b", "x")
    return at.switch(c, a, b) * x, at.switch(c, a * x, b * x)


@choices_lift.non_example
def _the_other_choice() -> Sides:
    c, a, b, x = at.matrices("c", "a", "b", "x")
    return at.switch(c, a, b) * x, at.switch(c, b * x, a * x)


@choices_meet.example
def _choices_by_one_condition() -> Sides:
    c, a, b, x, y = at.matrices("c", "a", "b", "x", "y")
    return at.switch(c, a, b) + at.switch(c, x, y), at.switch(c, a + x, b + y)


@choices_meet.non_example
def _one_of_each() -> Sides:
    c, a, b, x, y = at.matrices("c", "a", "b", "x", "y")
    return at.switch(c, a, b) + at.switch(c, x, y), at.switch(c, a + y, b + x)


@comparisons_drop.example
def _comparison() -> Sides:
    x, y = at.matrices("x", "y")
    return at.gt(at.exp(x) * y, 0), at.gt(y, 0)


@comparisons_drop.non_example
def _comparison_of_sum() -> Sides:
    x, y = at.matrices("x", "y")
    return at.gt(at.exp(x) + y, 0), at.gt(y, 0)


@signs_choose.example
def _maximum() -> Sides:
    x, y = at.matrices("x", "y")
    return at.maximum(x, y), at.switch(at.lt(x - y, 0), y, x)


@signs_choose.non_example
def _minimum_for_maximum() -> Sides:
    x, y = at.matrices("x", "y")
    return at.maximum(x, y), at.switch(at.lt(y - x, 0), y, x)


@chosen_compare.example
def _smaller() -> Sides:
    x, y = at.exp(at.matrix("x")), at.exp(at.matrix("y"))
    return at.eq(at.minimum(x, y), x), at.le(x, y)


@chosen_compare.non_example
def _larger_for_smaller() -> Sides:
    x, y = at.matrices("x", "y")
    return at.eq(at.maximum(x, y), x), at.le(x, y)
