r"""The shift algebra: how an exponential factor passes every operator.

Read a tensor as $e^a r$.  These equations say what becomes of $a$ and of $r$; a view follows them
when it reads a graph (left to right where a factor is lifted) and when it builds one (where an
exponent is shifted by its maximum, so that the rest neither overflows nor vanishes).
"""

from __future__ import annotations

from collections.abc import Iterator

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, relation, same_shape


@relation(direction=None)
def sum_lifts(a: ConstantAlong["axis"], b: Float, axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """What is constant along the summed axes leaves the sum."""
    yield eq(T.sum(a * b, axis, keepdims=True), a * T.sum(b, axis, keepdims=True))


@relation(direction=None)
def sum_shifts(a: Float, r: Float, axis: Axis) -> Iterator[Eq]:
    """The largest exponent leaves a sum."""
    m = T.shift(a, axis)
    yield eq(
        T.sum(T.exp(a) * r, axis, keepdims=True),
        T.exp(m) * T.sum(T.exp(a - m) * r, axis, keepdims=True),
    )


@relation(direction=None)
def add_shifts(a: Float, b: Float, r: Float, s: Float) -> Iterator[Eq]:
    """The larger exponent leaves a sum of two."""
    m = T.maximum(a, b)
    yield eq(
        T.exp(a) * r + T.exp(b) * s,
        T.exp(m) * (T.exp(a - m) * r + T.exp(b - m) * s),
    )


@relation(direction=None)
def difference_shifts(a: Float, b: Float) -> Iterator[Eq]:
    """Exponentials that cancel are subtracted as ``expm1``, one of which is zero."""
    m = T.maximum(a, b)
    yield eq(T.exp(a) - T.exp(b), T.exp(m) * (T.expm1(a - m) - T.expm1(b - m)))


@relation(direction=None)
def common_denominator(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """Fractions are added over a common denominator, where terms cancel then."""
    yield eq(a / b + c, (a + c * b) / b)


@relation(direction=None)
def log_lifts(a: Float, r: Float) -> Iterator[Eq]:
    """The log of an exponential is its exponent."""
    yield eq(T.log(T.exp(a) * r), a + T.log(r))


@relation(direction=None)
def max_lifts(a: Float, axis: Axis) -> Iterator[Eq]:
    """The exponential grows with its exponent."""
    yield eq(T.max(T.exp(a), axis, keepdims=True), T.exp(T.max(a, axis, keepdims=True)))


@relation(direction=None)
def prod_lifts(a: Float, r: Float, axis: Axis) -> Iterator[Eq]:
    """Exponents of a product add up."""
    yield eq(
        T.prod(T.exp(a) * r, axis, keepdims=True),
        T.exp(T.sum(a, axis, keepdims=True)) * T.prod(r, axis, keepdims=True),
    ).when(same_shape(a, r))


@relation(direction=None)
def powers_lift(a: Float, r: Float) -> Iterator[Eq]:
    """Exponents are scaled by powers."""
    yield eq(T.sqr(T.exp(a) * r), T.exp(2 * a) * T.sqr(r))
    yield eq(T.reciprocal(T.exp(a) * r), T.exp(-a) * T.reciprocal(r))
    yield eq(T.sqrt(T.exp(a) * r), T.exp(a / 2) * T.sqrt(r))


@relation(direction=None)
def choices_lift(c: Float, a: Float, b: Float, x: Float) -> Iterator[Eq]:
    """A common factor leaves a choice, and so does a function of what is chosen."""
    yield eq(T.switch(c, a, b) * x, T.switch(c, a * x, b * x))
    yield eq(T.exp(T.switch(c, a, b)), T.switch(c, T.exp(a), T.exp(b)))


@relation(direction=None)
def comparisons_drop(a: Float, r: Float) -> Iterator[Eq]:
    """An exponential is positive, so it does not matter to a comparison with zero."""
    yield eq(T.gt(T.exp(a) * r, 0), T.gt(r, 0))
    yield eq(T.eq(T.exp(a) * r, 0), T.eq(r, 0))
