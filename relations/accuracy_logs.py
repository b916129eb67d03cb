r"""Accuracy: logarithms of what is near 1, and of quotients that leave the range.

References
----------
.. [1] D. Goldberg, "What every computer scientist should know about floating-point arithmetic",
   ACM Computing Surveys 23(1), 1991, theorem 4.
.. [2] T. J. Dekker, "A floating-point technique for extending the available precision",
   Numerische Mathematik 18, 1971.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, computed, eq, relation
from kanrewrite.relations.accuracy_ranges import DOUBLES, RANGES, Range, number, usual


def _log_of_quotient(a: Any, b: Any, r: Range) -> Any:
    """The log of a quotient; of what leaves the range, b with its sign given to a."""
    quotient = a / b
    apart = T.log(T.switch(T.lt(b, 0), -a, a)) - T.log(T.abs(b))
    ordinary = T.switch(usual([quotient], r, a, b), T.log(quotient), apart)
    return T.switch(T.lt(2 * T.abs(a - b), T.abs(b)), T.log1p((a - b) / b), ordinary)


@relation(family="accuracy", where="digits")
def log_quotient(a: Float, b: Float) -> Iterator[Eq]:
    """Near 1 the log is that of one and a little."""
    for r in RANGES:
        yield eq(T.log(a / b), _log_of_quotient(a, b, r)).when(r.guard(a))


@relation(family="accuracy", where="digits")
def log_one_and(x: Float, y: Float) -> Iterator[Eq]:
    """The log of one and a little [1]_, before squares are completed with that one."""
    yield eq(T.log(1 + (x * x + y)), T.log1p(x * x + y))


@relation(family="accuracy", where="digits")
def log_of_odds_ratio(x: Float, y: Float) -> Iterator[Eq]:
    """Of factors near to 1, what is left of their products is multiplied out."""
    below = (1 - x) * (1 + y)
    written = T.log((1 + x) * (1 - y) / below)
    less = 2 * (x - y)
    yield eq(written, T.switch(T.lt(2 * T.abs(less), T.abs(below)), T.log1p(less / below), written))


@relation(family="accuracy", where="digits")
def logs_difference(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """Logs of what is near to each other differ by the log of one and a little."""
    apart = T.log(a) - T.log(b)
    near = T.lt(2 * T.abs(a - b), b)
    yield eq(apart, T.switch(near, T.log1p((a - b) / b), apart))
    one = T.log1p(a) - T.log(b)
    close = T.lt(2 * T.abs(1 + a - b), b)
    less = T.switch(T.lt(b, 0.5), (1 + a) - b, T.switch(T.lt(b, 2), (1 - b) + a, (a - b) + 1))
    yield eq(one, T.switch(close, T.log1p(less / b), one))
    times = (1 + c) * T.log(a) - c * T.log(b)
    near = T.lt(2 * T.abs(a - b), b)
    yield eq(times, T.switch(near, T.log(a) + c * T.log1p((a - b) / b), times))
    twice = T.log(a) - 2 * T.log(b)
    near = T.lt(2 * T.abs(a - b * b), b * b)
    yield eq(twice, T.switch(near, T.log1p((a - b * b) / b / b), twice))
    under = T.log1p(a) - 2 * T.log(b)
    near = T.lt(2 * T.abs(1 + a - b * b), b * b)
    yield eq(under, T.switch(near, T.log1p((1 + a - b * b) / b / b), under))
    two = T.log1p(a) - T.log1p(b)
    near = T.lt(2 * T.abs(a - b), 1 + b)
    yield eq(two, T.switch(near, T.log1p((a - b) / (1 + b)), two))


@relation(family="accuracy", where="digits")
def inverse_hyperbolic(x: Float) -> Iterator[Eq]:
    """Inverses of the hyperbolic functions, whose formulas cancel or square."""
    yield eq(T.log(x + T.sqrt(x * x + 1)), T.arcsinh(x))
    yield eq(T.log(x + T.sqrt(x * x - 1)), T.arccosh(x))
    yield eq(T.log(T.tan(x) + 1 / T.cos(x)), T.arcsinh(T.tan(x)))
    for logs in (
        T.log((1 + x) / (1 - x)),
        T.log(1 + x) - T.log(1 - x),
        T.log1p(x) - T.log1p(-x),
    ):
        yield eq(logs, 2 * T.arctanh(x))
    side = (1 - x) * (1 + x)  # a quotient rounds how far x is from 1
    yield eq(T.log(1 / x + T.sqrt(1 / (x * x) - 1)), T.log1p((1 - x + T.sqrt(side)) / x))


def _whole_power(x: Any, n: Any, inner: Any, of: Any = T) -> Any:
    """A power of what a small x makes of 1, with what rounding takes of that [2]_.

    The maximum changes nothing: sums that it parts are not joined.
    """
    total = of.abs(1 + x)
    lost = n * ((x - of.maximum(total - 1, -1)) / total)
    return of.switch(of.lt(of.abs(lost), 80), of.pow(total, n) * of.exp(lost), of.exp(inner))


@relation(family="accuracy", where="digits")
def powers_near_one(x: Float, n: Float, c: Float) -> Iterator[Eq]:
    """A power of one and a little is an exponential of a small log."""
    part = c / n
    log = T.switch(T.eq(part, inf), T.log(T.abs(c)) - T.log(T.abs(n)), T.log1p(part))
    little = T.switch(T.lt(T.abs(part), 2.0**-100), c, n * log)
    for part, inner in ((c / n, little), (x, n * T.log1p(x))):
        finite = T.lt(T.abs(n), inf)  # 1 to an infinity is 1
        small = T.and_(T.lt(T.abs(part), 0.5), finite)
        near = T.and_(T.lt(T.abs(inner), 1), finite)
        power = T.pow(1 + part, n)
        whole = _whole_power(part, n, inner)
        apart = T.switch(small, whole, power)
        less = T.switch(near, T.expm1(inner), apart - 1)
        yield eq(power - 1, less).when(computed(n))
        gone = T.switch(near, -T.expm1(-inner), 1 - 1 / apart)
        yield eq(1 - 1 / power, gone).when(computed(n))
        yield eq(power, T.switch(small, whole, power)).when(computed(n))
    power, inner = T.pow(x, n), n * T.log(x)
    near = T.and_(T.lt(T.abs(inner), 1), T.lt(T.abs(n), inf))
    yield eq(power - 1, T.switch(near, T.expm1(inner), power - 1)).when(computed(n))


@relation(family="accuracy", where="digits")
def powers_difference(a: Float, b: Float, n: Float) -> Iterator[Eq]:
    """Powers of what is near to each other differ by a power times a little."""
    near = T.lt(2 * T.abs(a - b), T.abs(b))
    logs = T.switch(near, T.log1p((a - b) / b), T.log(a) - T.log(b))
    for power in (n, 1 / 3):
        apart = T.pow(a, power) - T.pow(b, power)
        small = T.lt(T.abs(power * logs), 1)
        yield eq(apart, T.switch(small, T.pow(b, power) * T.expm1(power * logs), apart))


@relation(family="accuracy")
def exponentials_even(x: Float) -> Iterator[Eq]:
    """Exponentials of both signs, of which the constant part cancels."""
    yield eq(T.exp(x) + T.exp(-x) - 2, 4 * T.sqr(T.sinh(x / 2)))
    yield eq(T.cosh(x) - 1, 2 * T.sqr(T.sinh(x / 2)))
    yield eq(T.exp(x) - T.exp(-x), 2 * T.sinh(x))
    yield eq(T.exp(x) / T.sqr(T.exp(x) - 1), T.sqr(0.5 / T.sinh(x / 2)))
    yield eq(T.expm1(2 * x) / T.expm1(x), T.exp(x) + 1)
    yield eq((T.exp(2 * x) - 1) / (T.exp(x) - 1), T.exp(x) + 1)


@log_quotient.example
def _log() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    q = a / b
    apart = at.log(at.switch(at.lt(b, 0.0), -a, a)) - at.log(abs(b))
    ordinary = at.switch(usual([q], DOUBLES, a, b, of=at), at.log(q), apart)
    return at.log(q), at.switch(at.lt(2.0 * abs(a - b), abs(b)), at.log1p((a - b) / b), ordinary)


@log_quotient.non_example
def _log_of_difference() -> Any:
    a, b = at.dvectors("a", "b")
    return at.log(a - b)


@log_one_and.example
def _log_beside_squares() -> tuple[Any, Any]:
    x, y = at.dvectors("x", "y")
    return at.log(1 + (x**2 + y)), at.log1p(x**2 + y)


@log_one_and.non_example
def _log_of_two_and() -> Any:
    x, y = at.dvectors("x", "y")
    return at.log(2 + x**2 + y)


@log_of_odds_ratio.example
def _odds_ratio() -> tuple[Any, Any]:
    x, y = at.dvectors("x", "y")
    below, less = (1 - x) * (1 + y), 2.0 * (x - y)
    written = at.log((1 + x) * (1 - y) / below)
    near = at.lt(2.0 * abs(less), abs(below))
    return written, at.switch(near, at.log1p(less / below), written)


@log_of_odds_ratio.non_example
def _of_other_odds() -> Any:
    x, y, z = at.dvectors("x", "y", "z")
    return at.log((1 + x) * (1 - y) / ((1 - x) * (1 + z)))


@logs_difference.example
def _logs() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    apart = at.log(a) - at.log(b)
    return apart, at.switch(at.lt(2.0 * abs(a - b), b), at.log1p((a - b) / b), apart)


@logs_difference.non_example
def _logs_added() -> Any:
    a, b = at.dvectors("a", "b")
    return at.log(a) + at.log(b)


@inverse_hyperbolic.example
def _arcsinh() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.log(x + at.sqrt(x**2 + 1)), at.arcsinh(x)


@inverse_hyperbolic.non_example
def _log_of_two() -> Any:
    x, y = at.fvectors("x", "y")
    return at.log(x + at.sin(y * y + 1))


@powers_near_one.example
def _power() -> tuple[Any, Any]:
    x, n = at.dvectors("x", "n")
    power = (1.0 + x) ** n
    inner = n * at.log1p(x)
    small = at.and_(at.lt(abs(x), 0.5), at.lt(abs(n), number(inf)))
    return power, at.switch(small, _whole_power(x, n, inner, at), power)


@powers_near_one.non_example
def _power_of_two() -> Any:
    x, n = at.dvectors("x", "n")
    return (2 + x) ** n


@powers_difference.example
def _powers() -> tuple[Any, Any]:
    a, b, n = at.dvectors("a", "b", "n")
    near = at.lt(2.0 * abs(a - b), abs(b))
    inner = n * at.switch(near, at.log1p((a - b) / b), at.log(a) - at.log(b))
    less = b**n * at.expm1(inner)
    return a**n - b**n, at.switch(at.lt(abs(inner), 1.0), less, a**n - b**n)


@powers_difference.non_example
def _other_exponents() -> Any:
    a, b, n, m = at.dvectors("a", "b", "n", "m")
    return a**n - b**m


@exponentials_even.example
def _versine() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.cosh(x) - 1, 2 * at.square(at.sinh(x / 2))


@exponentials_even.non_example
def _other() -> Any:
    return at.cosh(at.dvector("x")) - 2
