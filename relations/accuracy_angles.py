r"""Accuracy: sines, cosines and tangents where they cancel, or their operands are rounded.

References
----------
.. [1] R. W. Hamming, *Numerical Methods for Scientists and Engineers*, 2nd ed., 1973, section 3.3.
.. [2] T. J. Dekker, "A floating-point technique for extending the available precision",
   Numerische Mathematik 18, 1971.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(family="accuracy", where="digits")
def versine(x: Float) -> Iterator[Eq]:
    """How far a cosine is from 1 is a square."""
    yield eq((1 - T.cos(x)) / T.sin(x), T.tan(x / 2))
    yield eq(1 / T.sin(x) - 1 / T.tan(x), T.tan(x / 2))
    yield eq((1 - T.cos(x)) / (x * x), 2 * T.sqr(T.sin(x / 2) / x))
    yield eq(1 - T.cos(x), 2 * T.sqr(T.sin(x / 2)))
    yield eq(1 - T.sqr(T.cos(x)), T.sqr(T.sin(x)))
    yield eq(1 - T.sqr(T.sin(x)), T.sqr(T.cos(x)))
    apart = T.sqr(T.cos(x)) - T.sqr(T.sin(x))
    yield eq(apart, T.switch(T.isinf(2 * x), apart, T.cos(2 * x)))


def _rounded(a: Any, b: Any, total: Any, of: Any = T) -> tuple[Any, Any]:
    """What a sum is rounded to, and what that takes from it, which is exact [2]_.

    Patterns, of which the first stands for whatever the sum is rounded to; with functions, graphs.
    """
    less = of.lt(of.abs(a), of.abs(b))
    near = T.tensor_copy(total) if of is T else total
    return near, of.switch(less, a, b) - (near - of.switch(less, b, a))


def _sine(a: Any, b: Any, total: Any, of: Any = T) -> Any:
    near, lost = _rounded(a, b, total, of)
    whole = of.sin(near) * of.cos(lost) + of.cos(near) * of.sin(lost)
    return of.switch(of.gt(of.abs(lost), 0), whole, of.sin(total))


def _cosine(a: Any, b: Any, total: Any, of: Any = T) -> Any:
    near, lost = _rounded(a, b, total, of)
    whole = of.cos(near) * of.cos(lost) - of.sin(near) * of.sin(lost)
    return of.switch(of.gt(of.abs(lost), 0), whole, of.cos(total))


@relation(family="accuracy", where="digits")
def angles_difference(x: Float, h: Float, a: Float, b: Float) -> Iterator[Eq]:
    """What a small step of an angle changes, and angles near to each other, or small both."""
    small = T.lt(T.abs(h), 1)
    step, half = x + h, 2 * T.sin(h / 2)
    middle = (x, h / 2, x + h / 2)
    sines, cosines = T.sin(step) - T.sin(x), T.cos(step) - T.cos(x)
    tangents = T.tan(step) - T.tan(x)
    yield eq(sines, T.switch(small, half * _cosine(*middle), sines))
    yield eq(cosines, T.switch(small, -half * _sine(*middle), cosines))
    yield eq(tangents, T.switch(small, T.sin(h) / (T.cos(x) * _cosine(x, h, step)), tangents))
    half, middle = (a - b) / 2, (a + b) / 2
    near = T.lt(T.abs(a - b) * (T.abs(a) + T.abs(b)), 2)
    sines, cosines, tangents = T.sin(a) - T.sin(b), T.cos(a) - T.cos(b), T.tan(a) - T.tan(b)
    yield eq(sines, T.switch(near, 2 * (T.sin(half) * T.cos(middle)), sines))
    yield eq(cosines, T.switch(near, -2 * (T.sin(half) * T.sin(middle)), cosines))
    product = T.cos(a) * T.cos(b)
    yield eq(tangents, T.switch(T.lt(T.abs(a - b), 1), T.sin(a - b) / product, tangents))


@relation(family="accuracy", where="digits")
def angle_sums(a: Float, b: Float) -> Iterator[Eq]:
    """A sum of angles is rounded; the addition theorems put back what it has lost."""
    for first, second, total in ((a, b, a + b), (a / 2, b / 2, (a + b) / 2)):
        yield eq(T.sin(total), _sine(first, second, total))
        yield eq(T.cos(total), _cosine(first, second, total))
        near, lost = _rounded(first, second, total)
        t, rest = T.tan(near), T.tan(lost)
        whole = (t + rest) / (1 - t * rest)
        yield eq(T.tan(total), T.switch(T.gt(T.abs(lost), 0), whole, T.tan(total)))


@versine.example
def _versine() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return 1 - at.cos(x), 2 * at.square(at.sin(x / 2))


@versine.non_example
def _half() -> Any:
    return 0.5 - at.cos(at.dvector("x"))


@angles_difference.example
def _step() -> tuple[Any, Any]:
    x, h = at.dvectors("x", "h")
    sines, middle = at.sin(x + h) - at.sin(x), x + h / 2.0
    cosine = _cosine(x, h / 2.0, middle, at)
    return sines, at.switch(at.lt(abs(h), 1.0), 2.0 * at.sin(h / 2.0) * cosine, sines)


@angles_difference.non_example
def _sum() -> Any:
    x, h = at.dvectors("x", "h")
    return at.sin(x + h) + at.sin(x)


@angles_difference.example
def _tangents() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    difference = at.tan(a) - at.tan(b)
    product = at.cos(a) * at.cos(b)
    return difference, at.switch(at.lt(abs(a - b), 1.0), at.sin(a - b) / product, difference)


@angles_difference.non_example
def _sine_and_cosine() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sin(a) - at.cos(b)


@angle_sums.example
def _sine_of_sum() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    return at.sin(a + b), _sine(a, b, a + b, at)


@angle_sums.non_example
def _sine_of_product() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sin(a * b)
