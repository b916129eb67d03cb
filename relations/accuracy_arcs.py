r"""Accuracy: inverse sines, cosines and tangents where they are flat or cancel; half turns.

References
----------
R. W. Hamming, *Numerical Methods for Scientists and Engineers*, 2nd ed., 1973, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.relations.accuracy_ranges import number


@relation(family="accuracy", where="digits")
def arctangents_difference(a: Float, b: Float) -> Iterator[Eq]:
    """The angle between two directions, its parts divided by the larger slope."""
    m = T.maximum(T.maximum(T.abs(a), T.abs(b)), 1)
    between = T.arctan2((a - b) / m, 1 / m + (a / m) * b)
    apart = T.arctan(a) - T.arctan(b)
    finite = T.and_(T.lt(T.abs(a - b), 3 * m), T.lt(m, inf))
    yield eq(apart, T.switch(finite, between, apart))


@relation(family="accuracy", where="digits")
def arcs_near_one(x: Float, a: Float, b: Float) -> Iterator[Eq]:
    """Inverse sines and cosines where they are flat."""
    arc = T.arccos(1 - x)
    yield eq(arc, T.switch(T.lt(x, 1), 2 * T.arcsin(T.sqrt(x / 2)), arc))
    arc, near = T.arccos(a / b), T.lt(2 * T.abs(b - a), T.abs(b))
    yield eq(arc, T.switch(near, 2 * T.arcsin(T.sqrt((b - a) / b / 2)), arc))
    yield eq(pi / 2 - 2 * T.arcsin(T.sqrt((1 - x) / 2)), T.arcsin(x))
    yield eq(pi / 2 - 2 * T.arcsin(T.sqrt(0.5 - x / 2)), T.arcsin(x))
    yield eq(pi / 2 - T.arcsin(x), T.arccos(x))
    yield eq(pi / 2 - T.arccos(x), T.arcsin(x))


@relation(family="accuracy", where="digits")
def right_angle_less(x: Float) -> Iterator[Eq]:
    """What an inverse tangent leaves of a right angle, and the angle of Gudermann."""
    yield eq(2 * T.arctan(T.exp(x)) - pi / 2, 2 * T.arctan(T.tanh(x / 2)))
    yield eq(pi / 2 - T.arctan(x), T.arctan2(1, x))


@relation(family="accuracy", where="digits")
def half_turns(x: Float) -> Iterator[Eq]:
    r"""Multiples of $\pi$, whole turns taken away while that is exact."""
    for k in (1, 2):
        left = k * x - 2 * T.floor(k * x / 2 + 0.5)
        part = T.switch(T.gt(T.abs(left), 0.5), T.sgn(left) - left, left)
        yield eq(T.sin(k * pi * x), T.sin(pi * part))
        yield eq(T.cos(k * pi * x), T.sin(pi * (0.5 - T.abs(left))))
        # The float next to a right angle is less than that: its tangent has the sign of x.
        turned = k * x - T.sgn(x) * T.ceil(T.abs(k * x) - 0.5)
        yield eq(T.tan(k * pi * x), T.tan(pi * T.switch(T.gt(T.abs(k * x), 0.5), turned, k * x)))


@arctangents_difference.example
def _arctangents() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    m = at.maximum(at.maximum(abs(a), abs(b)), 1.0)
    between = at.arctan2((a - b) / m, 1.0 / m + (a / m) * b)
    apart = at.arctan(a) - at.arctan(b)
    finite = at.and_(at.lt(abs(a - b), 3.0 * m), at.lt(m, number(inf)))
    return apart, at.switch(finite, between, apart)


@arctangents_difference.non_example
def _arctangents_added() -> Any:
    a, b = at.dvectors("a", "b")
    return at.arctan(a) + at.arctan(b)


@arcs_near_one.example
def _arccos() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    arc = at.arccos(1 - x)
    return arc, at.switch(at.lt(x, 1), 2 * at.arcsin(at.sqrt(x / 2)), arc)


@arcs_near_one.non_example
def _arccos_of_two_less() -> Any:
    x: Any = at.dvector("x")
    return at.arccos(2 - x)


@right_angle_less.example
def _latitude() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return 2 * at.arctan(at.exp(x)) - pi / 2, 2 * at.arctan(at.tanh(x / 2))


@right_angle_less.non_example
def _another_angle() -> Any:
    x: Any = at.dvector("x")
    return 2 * at.arctan(at.exp(x)) - 1.5


@half_turns.example
def _half_turn() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    left = x - 2.0 * at.floor(x / 2.0 + 0.5)
    return at.sin(pi * x), at.sin(pi * at.switch(at.gt(abs(left), 0.5), at.sgn(left) - left, left))


@half_turns.non_example
def _another_number() -> Any:
    x: Any = at.dvector("x")
    return at.sin(3.14 * x)
