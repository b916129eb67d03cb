"""Error, gamma and Bessel functions on :class:`~kanrewrite.reference.scales.Real`.

References
----------
NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, chapters 5, 7, 8 and 10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kanrewrite.errors import BeyondReference
from kanrewrite.reference.functions import TOWER, TWO, exp, log, sqrt, whole
from kanrewrite.reference.scales import (
    INF,
    NAN,
    ONE,
    ZERO,
    Arithmetic,
    Real,
    is_inf,
    is_nan,
    is_special,
    magnitude,
    sign,
)


def erfc(a: Arithmetic, x: Real) -> Real:
    """``1 - erf(x)``."""
    if is_nan(x):
        return x
    if sign(x) < 0:
        return a.sub(TWO, erfc(a, a.neg(x)))
    if not x.parts:
        return ONE
    if is_inf(x):
        return ZERO
    if magnitude(x.parts[0]) < -a.separate:
        return a.sub(ONE, erf(a, x))
    if magnitude(x.parts[0]) > a.bits:
        # one term of the asymptotic series (DLMF 7.12.1): the next is below the precision
        return a.div(exp(a, a.neg(a.mul(x, x))), a.mul(x, sqrt(a, a.of(a.context.pi))))
    return a.smooth(x, a.context.erfc, lambda v: -_bell(a, v))


def erf(a: Arithmetic, x: Real) -> Real:
    """The error function, ``1 - erfc(x)`` away from zero so that what is next to 1 is kept."""
    if is_nan(x):
        return x
    if x.parts and magnitude(x.parts[0]) > 1:
        size = a.sub(ONE, erfc(a, x if sign(x) > 0 else a.neg(x)))
        return size if sign(x) > 0 else a.neg(size)
    return a.smooth(x, a.context.erf, lambda v: _bell(a, v))


def _bell(a: Arithmetic, v: Any) -> Any:
    return 2 / a.context.sqrt(a.context.pi) * a.context.exp(-v * v)


def erfcx(a: Arithmetic, x: Real) -> Real:
    """``exp(x**2) * erfc(x)``."""
    if is_inf(x):
        return ZERO if sign(x) > 0 else INF
    return a.mul(exp(a, a.mul(x, x)), erfc(a, x))


def erfinv(a: Arithmetic, x: Real) -> Real:
    """The inverse of :func:`erf`; outside [-1, 1] nan."""
    if is_special(x) or (order := a.compare(a.mul(x, x), ONE)) is None or order > 0:
        return NAN
    if order == 0:
        return INF if sign(x) > 0 else a.neg(INF)
    return a.smooth(x, a.context.erfinv, lambda v: 1 / _bell(a, a.context.erfinv(v)))


def erfcinv(a: Arithmetic, x: Real) -> Real:
    """The inverse of :func:`erfc`."""
    return erfinv(a, a.sub(ONE, x))


def _gamma_like(
    name: str,
    f: Callable[[Arithmetic], Callable[[Any], Any]],
    slope: Callable[[Arithmetic, Any], Any],
    at_infinity: Real,
    at_pole: Real,
) -> Callable[[Arithmetic, Real], Real]:
    def meaning(a: Arithmetic, x: Real) -> Real:
        if is_special(x):
            return at_infinity if x.parts == INF.parts else NAN
        if x.parts and magnitude(x.parts[0]) > TOWER // 64:
            raise BeyondReference(name, TOWER // 64)
        if sign(x) <= 0 and whole(a, x) is not None:
            return at_pole if x.parts or name != "gamma" else INF
        return a.smooth(x, f(a), lambda v: slope(a, v))

    meaning.__doc__ = f"The function {name} of mpmath."
    return meaning


gamma = _gamma_like(
    "gamma",
    lambda a: a.context.gamma,
    lambda a, v: a.context.gamma(v) * a.context.psi(0, v),
    INF,
    NAN,
)
gammaln = _gamma_like(
    "gammaln",
    lambda a: lambda v: a.context.re(a.context.loggamma(v)),
    lambda a, v: a.context.psi(0, v),
    INF,
    INF,
)
psi = _gamma_like(
    "psi", lambda a: lambda v: a.context.psi(0, v), lambda a, v: a.context.psi(1, v), INF, NAN
)
tri_gamma = _gamma_like(
    "tri_gamma",
    lambda a: lambda v: a.context.psi(1, v),
    lambda a, v: a.context.psi(2, v),
    ZERO,
    INF,
)


def xlogx(a: Arithmetic, x: Real) -> Real:
    """``x * log(x)``, 0 at 0."""
    return a.mul(x, log(a, x)) if x.parts else ZERO


def xlogy0(a: Arithmetic, x: Real, y: Real) -> Real:
    """``x * log(y)``, 0 where `x` is 0."""
    return a.mul(x, log(a, y)) if x.parts else ZERO


def softsign(a: Arithmetic, x: Real) -> Real:
    """``x / (1 + abs(x))``."""
    if is_inf(x):
        return ONE if sign(x) > 0 else a.neg(ONE)
    return a.div(x, a.add(ONE, a.neg(x) if sign(x) < 0 else x))


def degrees(a: Arithmetic, x: Real) -> Real:
    """`x` radians in degrees."""
    return a.mul(x, a.of(180 / a.context.pi))


def radians(a: Arithmetic, x: Real) -> Real:
    """`x` degrees in radians."""
    return a.mul(x, a.of(a.context.pi / 180))


def mean(a: Arithmetic, *terms: Real) -> Real:
    """The arithmetic mean of the arguments."""
    return a.div(a.total(terms), a.of(len(terms)))
