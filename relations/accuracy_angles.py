r"""Accuracy: sines, cosines, tangents and their inverses where they cancel.

References
----------
R. W. Hamming, *Numerical Methods for Scientists and Engineers*, 2nd ed., 1973, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(family="accuracy", where="digits")
def versine(x: Float) -> Iterator[Eq]:
    """How far a cosine is from 1 is a square."""
    yield eq((1 - T.cos(x)) / T.sin(x), T.tan(x / 2))
    yield eq((1 - T.cos(x)) / (x * x), 2 * T.sqr(T.sin(x / 2) / x))
    yield eq(1 - T.cos(x), 2 * T.sqr(T.sin(x / 2)))
    yield eq(1 - T.sqr(T.cos(x)), T.sqr(T.sin(x)))
    yield eq(1 - T.sqr(T.sin(x)), T.sqr(T.cos(x)))
    yield eq(T.sqr(T.cos(x)) - T.sqr(T.sin(x)), T.cos(2 * x))


@relation(family="accuracy", where="digits")
def angles_difference(x: Float, h: Float, a: Float, b: Float) -> Iterator[Eq]:
    """What a small step of an angle changes, and angles near to each other, or small both."""
    small = T.lt(T.abs(h), 1)
    step, half = x + h, 2 * T.sin(h / 2)
    sines, cosines = T.sin(step) - T.sin(x), T.cos(step) - T.cos(x)
    tangents = T.tan(step) - T.tan(x)
    yield eq(sines, T.switch(small, half * T.cos(x + h / 2), sines))
    yield eq(cosines, T.switch(small, -half * T.sin(x + h / 2), cosines))
    yield eq(tangents, T.switch(small, T.sin(h) / (T.cos(x) * T.cos(step)), tangents))
    half, middle = (a - b) / 2, (a + b) / 2
    near = T.lt(T.abs(a - b) * (T.abs(a) + T.abs(b)), 2)
    sines, cosines, tangents = T.sin(a) - T.sin(b), T.cos(a) - T.cos(b), T.tan(a) - T.tan(b)
    yield eq(sines, T.switch(near, 2 * (T.sin(half) * T.cos(middle)), sines))
    yield eq(cosines, T.switch(near, -2 * (T.sin(half) * T.sin(middle)), cosines))
    product = T.cos(a) * T.cos(b)
    yield eq(tangents, T.switch(T.lt(T.abs(a - b), 1), T.sin(a - b) / product, tangents))


@relation(family="accuracy", where="digits")
def arctangents_difference(a: Float, b: Float) -> Iterator[Eq]:
    """The angle between two directions, its parts divided by the larger slope."""
    m = T.maximum(T.maximum(T.abs(a), T.abs(b)), 1)
    between = T.arctan2((a - b) / m, 1 / m + (a / m) * b)
    apart = T.arctan(a) - T.arctan(b)
    yield eq(apart, T.switch(T.gt(1 / m, 0), between, apart))  # unless one is infinite


@relation(family="accuracy", where="digits")
def arcs_near_one(x: Float) -> Iterator[Eq]:
    """Inverse sines and cosines where they are flat."""
    yield eq(T.arccos(1 - x), 2 * T.arcsin(T.sqrt(x / 2)))
    yield eq(pi / 2 - 2 * T.arcsin(T.sqrt((1 - x) / 2)), T.arcsin(x))
    yield eq(pi / 2 - 2 * T.arcsin(T.sqrt(0.5 - x / 2)), T.arcsin(x))
    yield eq(pi / 2 - T.arcsin(x), T.arccos(x))
    yield eq(pi / 2 - T.arccos(x), T.arcsin(x))


@relation(family="accuracy", where="digits")
def half_turns(x: Float) -> Iterator[Eq]:
    r"""Multiples of $\pi$, whole turns taken away while that is exact."""
    for k in (1, 2):
        left = k * x - 2 * T.floor(k * x / 2 + 0.5)
        yield eq(T.sin(k * pi * x), T.sin(pi * left))
        yield eq(T.cos(k * pi * x), T.sin(pi * (0.5 - T.abs(left))))
        yield eq(T.tan(k * pi * x), T.tan(pi * (k * x - T.floor(k * x + 0.5))))


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
    sines = at.sin(x + h) - at.sin(x)
    half = 2.0 * at.sin(h / 2.0)
    return sines, at.switch(at.lt(abs(h), 1.0), half * at.cos(x + h / 2.0), sines)


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


@arctangents_difference.example
def _arctangents() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    m = at.maximum(at.maximum(abs(a), abs(b)), 1.0)
    between = at.arctan2((a - b) / m, 1.0 / m + (a / m) * b)
    apart = at.arctan(a) - at.arctan(b)
    return apart, at.switch(at.gt(1.0 / m, 0.0), between, apart)


@arctangents_difference.non_example
def _arctangents_added() -> Any:
    a, b = at.dvectors("a", "b")
    return at.arctan(a) + at.arctan(b)


@arcs_near_one.example
def _arccos() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.arccos(1 - x), 2 * at.arcsin(at.sqrt(x / 2))


@arcs_near_one.non_example
def _arccos_of_two_less() -> Any:
    x: Any = at.dvector("x")
    return at.arccos(2 - x)


@half_turns.example
def _half_turn() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.sin(pi * x), at.sin(pi * (x - 2.0 * at.floor(x / 2.0 + 0.5)))


@half_turns.non_example
def _another_number() -> Any:
    x: Any = at.dvector("x")
    return at.sin(3.14 * x)
