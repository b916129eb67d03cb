"""The elementary and special functions on :class:`~kanrewrite.reference.scales.Real`.

Each takes the arithmetic and its arguments. exp, log, sqrt and whole powers know all scales of a
number; what can be said with them is (``sigmoid(x) = 1 / (1 + exp(-x))`` is exact here); the
others follow a number's smaller parts by their derivative.

References
----------
NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, chapters 4, 5 and 7.
"""

from __future__ import annotations

from typing import Any

from mpmath import libmp

from kanrewrite.errors import BeyondReference
from kanrewrite.reference.scales import (
    INF,
    MINUS_INF,
    NAN,
    ONE,
    ZERO,
    Arithmetic,
    Real,
    is_inf,
    is_nan,
    is_special,
    magnitude,
    raised,
    real,
    sign,
    size,
    top,
)

TOWER = 2**14  # exp(x) of abs(x) >= 2**TOWER has an exponent too long to write down
LARGE = 64  # an exponent of more bits is reduced by multiples of log(2)
TWO = real(2)
HALF = real(0.5)


def exp(a: Arithmetic, x: Real) -> Real:
    """The exponential, saturating (or refusing) beyond ``abs(x) = 2**TOWER``."""
    if not x.parts:
        return ONE
    if is_special(x):
        return ZERO if x.parts == MINUS_INF.parts else x
    if magnitude(x.parts[0]) > TOWER:
        if not a.saturate:
            raise BeyondReference("exp", TOWER)
        return INF if sign(x) > 0 else ZERO
    value = ONE
    for part in x.parts:
        if magnitude(part) < -a.separate:
            factor = a.series(Real((part,)), a.inverse_factorials)
        else:
            factor = Real((_exp(part, a.bits),))
        value = a.mul(value, factor)
    return Real(value.parts, top(value.floor, raised(x.floor, size(value) + 1)))


def _exp(part: Any, bits: int) -> Any:
    """``2**n * exp(part - n*log(2))``: mpmath raises e to the power of a large integer, slowly."""
    large = magnitude(part)
    if large < LARGE:
        return libmp.mpf_exp(part, bits, "n")
    more = bits + large + LARGE
    log2 = libmp.mpf_ln2(more, "n")
    n = libmp.to_int(libmp.mpf_div(part, log2, more, "n"))
    rest = libmp.mpf_sub(part, libmp.mpf_mul(libmp.from_int(n), log2, more, "n"), more, "n")
    return libmp.mpf_shift(libmp.mpf_exp(rest, bits, "n"), n)


def log(a: Arithmetic, x: Real) -> Real:
    """The natural logarithm; of 0 -inf, of a negative number nan."""
    if not x.parts:
        return MINUS_INF
    if sign(x) < 0 or is_nan(x):
        return NAN
    if is_inf(x):
        return x
    first, t = a.relative(x)
    # next to one the logarithm is a difference from one, and what rounding left is no difference
    value = ZERO
    if a.sub(first, ONE).parts:
        value = _log(a, first.parts[0])
    if t is ZERO:
        return value
    return a.add(value, a.series(t, a.harmonics))


def _log(a: Arithmetic, part: Any) -> Real:
    """The logarithm of one part.

    Of a number whose exponent is large it is more than one part: of ``3 * exp(x)`` there is ``x``,
    and ``log(3)`` below it.
    """
    large = int(part[2]).bit_length()
    if large < LARGE:
        return Real((libmp.mpf_log(part, a.bits, "n"),))
    more = a.bits + large + LARGE
    rest = libmp.mpf_log(part, more, "n")
    parts: list[Any] = []
    while rest[1] and magnitude(rest) > -a.separate and len(parts) < a.scales:
        parts.append(libmp.mpf_pos(rest, a.bits, "n"))
        rest = libmp.mpf_sub(rest, parts[-1], more, "n")
    return Real(tuple(parts))


def sqrt(a: Arithmetic, x: Real) -> Real:
    """The square root; of a negative number nan."""
    if not x.parts or x.parts == INF.parts:
        return x
    if sign(x) < 0 or is_nan(x):
        return NAN
    first, t = a.relative(x)
    root = Real((libmp.mpf_sqrt(first.parts[0], a.bits, "n"),))
    if t is ZERO:
        return root
    # the binomial series of (1 + t)**(1/2)
    terms = [ONE]
    for k in range(1, a.scales + 1):
        terms.append(a.mul(terms[-1], a.div(a.sub(HALF, real(k - 1)), real(k))))
    return a.mul(root, a.series(t, terms))


def whole(a: Arithmetic, x: Real) -> int | None:
    """`x` as an integer if it is a finite whole number, else None."""
    if is_special(x) or (x.parts and magnitude(x.parts[0]) > TOWER):
        return None
    nearest = floor(a, a.add(x, HALF))
    return int(libmp.to_int(a.collapse(nearest))) if a.compare(nearest, x) == 0 else None


def _whole_power(a: Arithmetic, x: Real, n: int) -> Real:
    if n < 0:
        return a.inv(_whole_power(a, x, -n))
    value = ONE
    while n:
        if n & 1:
            value = a.mul(value, x)
        n >>= 1
        if n:
            x = a.mul(x, x)
    return value


def power(a: Arithmetic, x: Real, y: Real) -> Real:
    """``x ** y`` with IEEE 754's choices: ``x**0 == 1**y == 1``, nan for roots of negatives."""
    if not y.parts or x.parts == ONE.parts:
        return ONE
    if is_nan(x) or is_nan(y):
        return NAN
    if is_inf(y):
        return _power_to_infinity(a, x, y)
    twice = whole(a, a.mul(TWO, y))
    if twice is not None and abs(twice) <= 4096:
        return _whole_power(a, x if twice % 2 == 0 else sqrt(a, x), twice // (2 - twice % 2))
    if not x.parts or x.parts == INF.parts:
        return x if sign(y) > 0 else a.inv(x)
    n = whole(a, y)
    if sign(x) < 0 and n is None and not is_inf(x):
        return NAN
    value = exp(a, a.mul(y, log(a, absolute(a, x))))
    return a.neg(value) if sign(x) < 0 and n is not None and n % 2 else value


def _power_to_infinity(a: Arithmetic, x: Real, y: Real) -> Real:
    order = a.compare(absolute(a, x), ONE)
    if order == 0:
        return ONE
    return INF if order == sign(y) else ZERO


def absolute(a: Arithmetic, x: Real) -> Real:
    """``abs(x)``."""
    return a.neg(x) if sign(x) < 0 else x


def floor(a: Arithmetic, x: Real) -> Real:
    """The largest whole number not above `x`; what is whole but for rounding stays."""
    if is_special(x) or not x.parts:
        return x
    if size(x) > a.bits:
        return x
    raw = a.collapse(x)
    nearest = a.of(a.context.make_mpf(libmp.mpf_nint(raw, a.bits, "n")))
    return a.sub(nearest, ONE) if sign(a.sub(x, nearest)) < 0 else nearest


def ceil(a: Arithmetic, x: Real) -> Real:
    """The smallest whole number not below `x`."""
    return a.neg(floor(a, a.neg(x)))


def truncate(a: Arithmetic, x: Real) -> Real:
    """`x` without its fraction."""
    return floor(a, x) if sign(x) >= 0 else ceil(a, x)


def round_half_to_even(a: Arithmetic, x: Real) -> Real:
    """The nearest whole number, the even one of two."""
    if is_special(x):
        return x
    below = floor(a, x)
    side = sign(a.sub(a.sub(x, below), HALF))
    odd = sign(a.sub(below, a.mul(TWO, floor(a, a.mul(below, HALF)))))
    return a.add(below, ONE) if side > 0 or (side == 0 and odd) else below


def round_half_from_zero(a: Arithmetic, x: Real) -> Real:
    """The nearest whole number, the larger one of two in size."""
    value = floor(a, a.add(absolute(a, x), HALF))
    return a.neg(value) if sign(x) < 0 else value


def expm1(a: Arithmetic, x: Real) -> Real:
    """``exp(x) - 1``."""
    return a.sub(exp(a, x), ONE)


def log1p(a: Arithmetic, x: Real) -> Real:
    """``log(1 + x)``."""
    return log(a, a.add(ONE, x))


def log1mexp(a: Arithmetic, x: Real) -> Real:
    """``log(1 - exp(x))``."""
    return log(a, a.sub(ONE, exp(a, x)))


def exp2(a: Arithmetic, x: Real) -> Real:
    """``2 ** x``."""
    return power(a, TWO, x)


def log2(a: Arithmetic, x: Real) -> Real:
    """The logarithm to base 2."""
    return a.div(log(a, x), log(a, TWO))


def log10(a: Arithmetic, x: Real) -> Real:
    """The logarithm to base 10."""
    return a.div(log(a, x), log(a, real(10)))


def sigmoid(a: Arithmetic, x: Real) -> Real:
    """``1 / (1 + exp(-x))``."""
    return a.inv(a.add(ONE, exp(a, a.neg(x))))


def softplus(a: Arithmetic, x: Real) -> Real:
    """``log(1 + exp(x))``."""
    return log1p(a, exp(a, x))


def sinh(a: Arithmetic, x: Real) -> Real:
    """``(exp(x) - exp(-x)) / 2``."""
    return a.mul(HALF, a.sub(exp(a, x), exp(a, a.neg(x))))


def cosh(a: Arithmetic, x: Real) -> Real:
    """``(exp(x) + exp(-x)) / 2``."""
    return a.mul(HALF, a.add(exp(a, x), exp(a, a.neg(x))))


def tanh(a: Arithmetic, x: Real) -> Real:
    """The hyperbolic tangent, through ``q = exp(-2 * abs(x))``."""
    q = exp(a, a.mul(real(-2), absolute(a, x)))
    value = a.div(a.sub(ONE, q), a.add(ONE, q))
    return a.neg(value) if sign(x) < 0 else value


def arcsinh(a: Arithmetic, x: Real) -> Real:
    """``log(x + sqrt(x**2 + 1))``, odd."""
    positive = absolute(a, x)
    value = log(a, a.add(positive, sqrt(a, a.add(a.mul(x, x), ONE))))
    return a.neg(value) if sign(x) < 0 else value


def arccosh(a: Arithmetic, x: Real) -> Real:
    """``log(x + sqrt(x**2 - 1))``; below 1 nan."""
    return log(a, a.add(x, sqrt(a, a.sub(a.mul(x, x), ONE))))


def arctanh(a: Arithmetic, x: Real) -> Real:
    """``log((1 + x) / (1 - x)) / 2``."""
    return a.mul(HALF, log(a, a.div(a.add(ONE, x), a.sub(ONE, x))))
