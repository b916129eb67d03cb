r"""Accuracy: differences of steps to both sides, $f(x + h) - f(x - h)$, and second ones.

References
----------
R. W. Hamming, *Numerical Methods for Scientists and Engineers*, 2nd ed., 1973, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(family="accuracy", where="digits")
def central_differences(x: Float, h: Float) -> Iterator[Eq]:
    """Of a step to both sides, as a product, in which nothing cancels."""
    a, b = x + h, x - h
    yield eq(T.sin(a) - T.sin(b), 2 * (T.sin(h) * T.cos(x)))
    yield eq(T.cos(a) - T.cos(b), -2 * (T.sin(h) * T.sin(x)))
    yield eq(T.tan(a) - T.tan(b), T.sin(2 * h) / (T.cos(a) * T.cos(b)))
    yield eq(a * a - b * b, 4 * (x * h))


@relation(family="accuracy", where="digits")
def second_differences(x: Float, h: Float) -> Iterator[Eq]:
    """Of a small step, as a product."""
    a, b = x + h, x - h
    small = T.lt(2 * T.abs(h), T.abs(x))
    fractions = 1 / a - 2 / x + 1 / b
    yield eq(fractions, T.switch(small, 2 * (h / a * (h / b) / x), fractions))
    roots = T.sqrt(a) - 2 * T.sqrt(x) + T.sqrt(b)
    sums = (T.sqrt(a) + T.sqrt(x)) * (T.sqrt(x) + T.sqrt(b))
    joined = -2 * (h / sums * (h / (T.sqrt(a) + T.sqrt(b))))
    yield eq(roots, T.switch(small, joined, roots))
    logs = T.log(a) - 2 * T.log(x) + T.log(b)
    yield eq(logs, T.switch(small, T.log1p(-T.sqr(h / x)), logs))
    for function in (T.sin, T.cos):
        waves = function(a) - 2 * function(x) + function(b)
        narrow = T.and_(small, T.lt(T.abs(h), 1))
        yield eq(waves, T.switch(narrow, -4 * (T.sqr(T.sin(h / 2)) * function(x)), waves))


@central_differences.example
def _sines() -> tuple[Any, Any]:
    x, h = at.dvectors("x", "h")
    return at.sin(x + h) - at.sin(x - h), 2.0 * (at.sin(h) * at.cos(x))


@central_differences.non_example
def _sine_and_cosine() -> Any:
    x, h = at.dvectors("x", "h")
    return at.sin(x + h) - at.cos(x - h)


@second_differences.example
def _fractions() -> tuple[Any, Any]:
    x, h = at.dvectors("x", "h")
    written = 1 / (x + h) - 2 / x + 1 / (x - h)
    joined = 2.0 * (h / (x + h) * (h / (x - h)) / x)
    return written, at.switch(at.lt(2.0 * abs(h), abs(x)), joined, written)


@second_differences.non_example
def _first() -> Any:
    x, h = at.dvectors("x", "h")
    return 1 / (x + h) + 2 / x + 1 / (x - h)
