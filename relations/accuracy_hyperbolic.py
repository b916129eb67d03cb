r"""Accuracy: hyperbolic and logistic functions of operands that are near to each other, or to 0.

References
----------
M. Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions*, 1964, section 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(family="accuracy")
def hyperbolic_quotients(x: Float) -> Iterator[Eq]:
    """Quotients of hyperbolic functions, whose operands may leave the range."""
    yield eq(T.cosh(x) / T.sinh(x), 1 / T.tanh(x))
    yield eq(T.sinh(x) / T.cosh(x), T.tanh(x))


@relation(family="accuracy", where="digits")
def secant_less_one(x: Float) -> Iterator[Eq]:
    """How far a hyperbolic secant is from 1."""
    yield eq(1 - 1 / T.cosh(x), T.tanh(x) * T.tanh(x / 2))


@relation(family="accuracy")
def cosines_less(a: Float, b: Float) -> Iterator[Eq]:
    """Hyperbolic cosines of what is near to each other, or to the other's negative."""
    apart = T.cosh(a) - T.cosh(b)
    product = 2 * (T.sinh((a - b) / 2) * T.sinh((a + b) / 2))
    yield eq(apart, T.switch(T.lt(T.abs(a - b) * T.abs(a + b), 2), product, apart))


@relation(family="accuracy")
def sines_less(a: Float, b: Float) -> Iterator[Eq]:
    """Hyperbolic sines of what is near to each other."""
    apart = T.sinh(a) - T.sinh(b)
    product = 2 * (T.cosh((a + b) / 2) * T.sinh((a - b) / 2))
    yield eq(apart, T.switch(T.lt(T.abs(a - b), 1), product, apart))


@relation(family="accuracy", where="digits")
def logistic_difference(a: Float, b: Float) -> Iterator[Eq]:
    """Logistic functions, hyperbolic tangents and integrals, of what is near to each other."""
    near = T.lt(T.abs(a - b), 1)
    tangents = T.tanh(a) - T.tanh(b)
    yield eq(tangents, T.switch(near, T.sinh(a - b) / T.cosh(a) / T.cosh(b), tangents))
    slope, logs = T.expm1(a - b) * T.sigmoid(b), T.softplus(a) - T.softplus(b)
    for shares in (
        T.sigmoid(a) - T.sigmoid(b),
        1 / (1 + T.exp(-a)) - 1 / (1 + T.exp(-b)),
    ):
        yield eq(shares, T.switch(near, slope * T.sigmoid(-a), shares))
    yield eq(logs, T.switch(near, T.log1p(slope), logs))


@hyperbolic_quotients.example
def _coth() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.cosh(x) / at.sinh(x), 1 / at.tanh(x)


@hyperbolic_quotients.non_example
def _of_two_operands() -> Any:
    x, y = at.dvectors("x", "y")
    return at.cosh(x) / at.cosh(y)


@secant_less_one.example
def _secant() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return 1 - 1 / at.cosh(x), at.tanh(x) * at.tanh(x / 2)


@secant_less_one.non_example
def _cosecant() -> Any:
    return 1 - 1 / at.sinh(at.dvector("x"))


@cosines_less.example
def _cosines() -> tuple[Any, Any]:
    p, q = at.dvectors("p", "q")
    a, b = at.log(p), at.log(q)  # else exponentials meet, which the library shifts
    apart = at.cosh(a) - at.cosh(b)
    product = 2.0 * (at.sinh((a - b) / 2.0) * at.sinh((a + b) / 2.0))
    return apart, at.switch(at.lt(abs(a - b) * abs(a + b), 2.0), product, apart)


@cosines_less.non_example
def _cosines_added() -> Any:
    a, b = at.dvectors("a", "b")
    return at.cosh(a) + at.cosh(b)


@sines_less.example
def _sines() -> tuple[Any, Any]:
    p, q = at.dvectors("p", "q")
    a, b = at.log(p), at.log(q)
    apart = at.sinh(a) - at.sinh(b)
    product = 2.0 * (at.cosh((a + b) / 2.0) * at.sinh((a - b) / 2.0))
    return apart, at.switch(at.lt(abs(a - b), 1.0), product, apart)


@sines_less.non_example
def _sines_multiplied() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sinh(a) * at.sinh(b)


@logistic_difference.example
def _shares() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    apart = at.sigmoid(a) - at.sigmoid(b)
    less = at.expm1(a - b) * at.sigmoid(b) * at.sigmoid(-a)
    return apart, at.switch(at.lt(abs(a - b), 1.0), less, apart)


@logistic_difference.non_example
def _share_of_another() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sigmoid(a) - at.tanh(b)
