"""The trigonometric functions on :class:`~kanrewrite.reference.scales.Real`.

References
----------
NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import libmp

from kanrewrite.errors import BeyondReference
from kanrewrite.reference.functions import HALF, TOWER, TWO, sqrt
from kanrewrite.reference.scales import (
    NAN,
    ONE,
    ZERO,
    Arithmetic,
    Real,
    is_inf,
    is_nan,
    is_special,
    magnitude,
    real,
    sign,
)

#: Below ``2**_LITTLE`` a part is left to the slope.
_LITTLE = -64


def sin(a: Arithmetic, x: Real) -> Real:
    """The sine; of an infinity nan."""
    return _bounded("sin", a, x, a.context.sin, a.context.cos)


def cos(a: Arithmetic, x: Real) -> Real:
    """The cosine, by ``1 - 2 sin(x/2)**2``, so that what is next to 1 keeps its difference."""
    half = sin(a, a.mul(x, HALF))
    return a.sub(ONE, a.mul(TWO, a.mul(half, half)))


def tan(a: Arithmetic, x: Real) -> Real:
    """The tangent."""
    return a.div(sin(a, x), cos(a, x))


def _bounded(
    name: str, a: Arithmetic, x: Real, f: Callable[[Any], Any], slope: Callable[[Any], Any]
) -> Real:
    if is_special(x):
        return NAN
    if x.parts and magnitude(x.parts[0]) > TOWER:
        raise BeyondReference(name, TOWER)
    return a.smooth(_joined(x), f, slope)


def _joined(x: Real) -> Real:
    """A number with all of it that moves a point on the circle in one part: 1e308 + 1 is far on."""
    if len(x.parts) < 2 or magnitude(x.parts[1]) < _LITTLE:
        return x
    total = x.parts[0]
    for count, part in enumerate(x.parts[1:], 1):
        if magnitude(part) < _LITTLE:
            return Real((total, *x.parts[count:]), x.floor)
        total = libmp.mpf_add(total, part)  # exactly
    return Real((total,), x.floor)


def arcsin(a: Arithmetic, x: Real) -> Real:
    """``2 arctan(x / (1 + sqrt(1 - x**2)))`` (DLMF 4.23.35); outside [-1, 1] nan."""
    root = sqrt(a, a.sub(ONE, a.mul(x, x)))
    return a.mul(TWO, arctan(a, a.div(x, a.add(ONE, root))))


def arccos(a: Arithmetic, x: Real) -> Real:
    """``2 arctan(sqrt(1 - x) / sqrt(1 + x))``; outside [-1, 1] nan."""
    ratio = a.div(sqrt(a, a.sub(ONE, x)), sqrt(a, a.add(ONE, x)))
    return a.mul(TWO, arctan(a, ratio))


def arctan(a: Arithmetic, x: Real) -> Real:
    """The arc tangent; large arguments through ``pi/2 - arctan(1/x)``."""
    if is_special(x):
        return x if is_nan(x) else a.mul(x if is_nan(x) else real(sign(x)), _quarter(a))
    if x.parts and magnitude(x.parts[0]) > 1:
        return a.sub(a.mul(real(sign(x)), _quarter(a)), arctan(a, a.inv(x)))
    return a.smooth(x, a.context.atan, lambda v: 1 / (1 + v * v))


def _quarter(a: Arithmetic) -> Real:
    return a.of(a.context.pi / 2)


def arctan2(a: Arithmetic, y: Real, x: Real) -> Real:
    """The angle of ``x + iy``; zero having no sign, ``arctan2(0, -1)`` is pi."""
    if is_nan(x) or is_nan(y):
        return NAN
    if is_inf(x) or is_inf(y):
        x, y = (real(sign(v)) if is_inf(v) else ZERO for v in (x, y))
    if not x.parts:
        return a.mul(real(sign(y)), _quarter(a))
    value = arctan(a, a.div(y, x))
    if sign(x) > 0:
        return value
    half_turn = a.mul(TWO, _quarter(a))
    return a.sub(value, half_turn) if sign(y) < 0 else a.add(value, half_turn)
