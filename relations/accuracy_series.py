r"""Accuracy: what is left of a function near 0 after its leading terms, by its series.

References
----------
M. Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions*, 1964, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial, log
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation

#: Up to here ten terms of each series give all digits of a double.
NEAR = 0.05
#: How far a series may be from what it stands for, relative to that.
HALF_ULP = 2.0**-53


def _horner(x: Any, coefficients: Sequence[float]) -> Any:
    total: Any = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = c + x * total
    return total


def _by_series(written: Any, x: Any, series: Any, near: float = NEAR) -> Eq:
    return eq(written, T.switch(T.lt(T.abs(x), near), series, written)).within(HALF_ULP)


_SINE = [(-1) ** n / factorial(2 * n + 1) for n in range(1, 8)]
_SINH = [1 / factorial(2 * n + 1) for n in range(1, 8)]
_TAN = [1 / 3, 2 / 15, 17 / 315, 62 / 2835, 1382 / 155925, 21844 / 6081075, 929569 / 638512875]
_TANH = [c * (-1) ** (n + 1) for n, c in enumerate(_TAN)]
_ATAN = [(-1) ** n / (2 * n + 1) for n in range(1, 9)]
_ASIN = [1 / 6, 3 / 40, 15 / 336, 105 / 3456, 945 / 42240, 10395 / 599040, 135135 / 9676800]
_ATANH = [1 / (2 * n + 1) for n in range(1, 9)]
_ASINH = [c * (-1) ** (n + 1) for n, c in enumerate(_ASIN)]
_LOG = [(-1) ** (n + 1) / n for n in range(2, 15)]
_EXP = [1 / factorial(n) for n in range(2, 15)]
_BOSE = [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160]
_COT = [
    *(1 / 3, 1 / 45, 2 / 945, 1 / 4725, 2 / 93555, 1382 / 638512875, 4 / 18243225),
    *(3617 / 162820783125, 87734 / 38979295480125, 349222 / 1531329465290625),
    *(310732 / 13447856940643125, 472728182 / 201919571963756521875),
]  # of which all digits are right up to one half


@relation(family="accuracy", where="digits")
def odd_less_linear(x: Float) -> Iterator[Eq]:
    """Odd functions without their linear term."""
    z = x * x
    written = T.log((1 + x) / (1 - x)) / 2 - x
    yield _by_series(written, x, x * (z * _horner(z, _ATANH)))
    for function, series in (
        (T.sin, _SINE),
        (T.sinh, _SINH),
        (T.tan, _TAN),
        (T.tanh, _TANH),
        (T.arctan, _ATAN),
        (T.arcsin, _ASIN),
        (T.arctanh, _ATANH),
        (T.arcsinh, _ASINH),
    ):
        yield _by_series(function(x) - x, x, x * (z * _horner(z, series)))
        yield _by_series(function(x) / x - 1, x, z * _horner(z, series))


@relation(family="accuracy", where="digits")
def log_less_linear(x: Float) -> Iterator[Eq]:
    """The log of one and a little, without that."""
    series = x * (x * _horner(x, _LOG))
    yield _by_series(T.log1p(x) - x, x, series)
    yield _by_series(T.log(1 + x) - x, x, series)
    cubic = x * (x * (x * _horner(x, _LOG[1:])))
    for written in (T.log(1 + x) - x + x * x / 2, T.log1p(x) - x + x * x / 2):
        yield _by_series(written, x, cubic)
    over = x * _horner(x, _LOG)
    yield _by_series(T.log1p(x) / x - 1, x, over)
    yield _by_series(T.log(1 + x) / x - 1, x, over)


@relation(family="accuracy", where="digits")
def exp_less_linear(x: Float) -> Iterator[Eq]:
    """The exponential without its first two terms."""
    series = x * (x * _horner(x, _EXP))
    yield _by_series(T.exp(x) - x - 1, x, series)
    yield _by_series(T.expm1(x) - x, x, series)
    product = [n / factorial(n + 1) for n in range(1, 13)]
    over = x * _horner(x, _EXP)
    for written in ((T.exp(x) - 1) / x - 1, T.expm1(x) / x - 1):
        yield _by_series(written, x, over)
    cubic = x * (x * (x * _horner(x, _EXP[1:])))
    for written in (T.exp(x) - 1 - x - x * x / 2, T.expm1(x) - x - x * x / 2):
        yield _by_series(written, x, cubic)
    yield _by_series(x * T.exp(x) - T.exp(x) + 1, x, x * (x * _horner(x, product)))


@relation(family="accuracy", where="digits")
def even_less_square(x: Float) -> Iterator[Eq]:
    """Even functions without what is left of them in a parabola."""
    z = x * x
    series = z * (z * _horner(z, [1 / factorial(2 * n) for n in range(2, 16)]))
    yield _by_series(T.cosh(x) - 1 - z / 2, x, series, 3)
    yield _by_series(2 * T.sqr(T.sinh(x / 2)) - z / 2, x, series, 3)
    series = z * (z * _horner(z, [(-1) ** n / factorial(2 * n) for n in range(2, 12)]))
    yield _by_series(T.cos(x) - 1 + z / 2, x, series, 1)


@relation(family="accuracy")
def log_of_cosh(x: Float) -> Iterator[Eq]:
    """The log of a hyperbolic cosine is nearly a parabola, then nearly a line."""
    far = T.abs(x) + T.softplus(-2 * T.abs(x)) - log(2)
    near = T.log1p(-T.sqr(T.tanh(x))) / -2  # which is no exponential that the library shifts
    yield eq(T.log(T.cosh(x)), T.switch(T.lt(T.abs(x), 0.5), near, far))


@relation(family="accuracy")
def log_of_sinh_over(x: Float) -> Iterator[Eq]:
    """The log of a hyperbolic sine over its operand is nearly a parabola, then nearly a line."""
    z, size = x * x, T.abs(x)
    near = T.log1p(z * _horner(z, [1 / factorial(2 * n + 1) for n in range(1, 10)]))
    far = size + T.log1p(-T.exp(-2 * size)) - T.log(2 * size)
    log = T.log(T.sinh(x) / x)
    yield eq(log, T.switch(T.lt(size, 1), near, far)).within(HALF_ULP)


@relation(family="accuracy", where="digits")
def reciprocals_less_poles(x: Float) -> Iterator[Eq]:
    """What is left beside a pole at 0."""
    z = x * x
    yield _by_series(1 / x - 1 / T.tan(x), x, x * _horner(z, _COT), 0.5)
    yield _by_series(1 / x - 1 / T.expm1(x), x, 0.5 - x * _horner(z, _BOSE))
    yield _by_series(1 / x - 1 / (T.exp(x) - 1), x, 0.5 - x * _horner(z, _BOSE))
    hyperbolic = [c * (-1) ** n for n, c in enumerate(_COT)]
    yield _by_series(T.cosh(x) / T.sinh(x) - 1 / x, x, x * _horner(z, hyperbolic), 0.5)
    yield _by_series(1 / T.tanh(x) - 1 / x, x, x * _horner(z, hyperbolic), 0.5)
    ratio = _horner(z, [-1 / 2, 9 / 40, -27 / 2800, 27 / 112000])
    yield _by_series((x - T.sin(x)) / (x - T.tan(x)), x, ratio)


@odd_less_linear.example
def _sine() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    z = x * x
    near = x * (z * _horner(z, [float(c) for c in _SINE]))
    return at.sin(x) - x, at.switch(at.lt(abs(x), NEAR), near, at.sin(x) - x)


@odd_less_linear.non_example
def _cosine() -> Any:
    x: Any = at.dvector("x")
    return at.cos(x) - x


@log_less_linear.example
def _log() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    written = at.log1p(x) - x
    return written, at.switch(at.lt(abs(x), NEAR), x * (x * _horner(x, _LOG)), written)


@log_less_linear.non_example
def _log_and_linear() -> Any:
    x: Any = at.dvector("x")
    return at.log1p(x) + x


@exp_less_linear.example
def _expm1() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    written = at.expm1(x) - x
    return written, at.switch(at.lt(abs(x), NEAR), x * (x * _horner(x, _EXP)), written)


@exp_less_linear.non_example
def _exp() -> Any:
    x: Any = at.dvector("x")
    return at.exp(x) - x


@even_less_square.example
def _cosine_less_parabola() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    z = x * x
    coefficients = [(-1) ** n / factorial(2 * n) for n in range(2, 12)]
    written = at.cos(x) - 1.0 + z / 2.0
    return written, at.switch(at.lt(abs(x), 1.0), z * (z * _horner(z, coefficients)), written)


@even_less_square.non_example
def _cosine_less_line() -> Any:
    x: Any = at.dvector("x")
    return at.cos(x) - 1 + x / 2


@log_of_cosh.example
def _log_of_cosine() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    near = at.log1p(-at.square(at.tanh(x))) / -2.0
    far = abs(x) + at.softplus(-2.0 * abs(x)) - log(2)
    return at.log(at.cosh(x)), at.switch(at.lt(abs(x), 0.5), near, far)


@log_of_cosh.non_example
def _log_of_sinh() -> Any:
    return at.log(at.sinh(at.dvector("x")))


@log_of_sinh_over.example
def _log_of_quotient() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    z, size = at.square(x), abs(x)
    near = at.log1p(z * _horner(z, [1 / factorial(2 * n + 1) for n in range(1, 10)]))
    far = size + at.log1mexp(-2.0 * size) - at.log(2.0 * size)
    return at.log(at.sinh(x) / x), at.switch(at.lt(size, 1.0), near, far)


@log_of_sinh_over.non_example
def _log_of_sinh_over_another() -> Any:
    x, y = at.dvectors("x", "y")
    return at.log(at.sinh(x) / y)


@reciprocals_less_poles.example
def _cotangent() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    written = 1 / x - 1 / at.tan(x)
    return written, at.switch(at.lt(abs(x), 0.5), x * _horner(x * x, _COT), written)


@reciprocals_less_poles.non_example
def _of_sine() -> Any:
    x: Any = at.dvector("x")
    return 1 / x + 1 / at.sin(x)
