"""Intervals of floats, rounded outwards: what an operator computes lies in them.

Bounds may be infinite; ``nan`` says that nan is possible too.  The error of a function as NumPy and
the C library compute it is taken for `ULPS` units in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

#: Errors of elementary functions stay below it: it is at most 4 in the C library's tables.
ULPS = 16.0
#: No tensor has more elements.
MOST = 2.0**40
INF = math.inf


@dataclass(frozen=True)
class Interval:
    """Where numbers lie.

    Attributes
    ----------
    low, high : float
        ``low <= high``.
    nan : bool
        Whether there may be a nan among them.
    """

    low: float
    high: float
    nan: bool = False

    @property
    def finite(self) -> bool:
        """Whether it holds nothing but numbers."""
        return not self.nan and self.low > -INF and self.high < INF

    @property
    def size(self) -> float:
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high))

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def meet(self, low: float = -INF, high: float = INF) -> Interval:
        """What of it lies between bounds that are known from elsewhere."""
        a, b = max(self.low, low), min(self.high, high)
        return Interval(a, b, self.nan) if a <= b else Interval(low, high, self.nan)

    def spoiled(self, nan: bool) -> Interval:
        """The same, perhaps with nan."""
        return Interval(self.low, self.high, self.nan or nan)


ANY = Interval(-INF, INF, nan=True)


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval that holds some."""
    found = list(intervals)
    if not found:
        return ANY
    return Interval(
        min(i.low for i in found), max(i.high for i in found), any(i.nan for i in found)
    )


def from_values(values: Iterable[float], nan: bool = False) -> Interval:
    """What holds some numbers; one of them that is nan says that anything is possible."""
    found = list(values)
    if any(math.isnan(v) for v in found):
        return ANY
    return Interval(min(found), max(found), nan)


def widened(i: Interval, eps: float, tiny: float, units: float = 1.0) -> Interval:
    """An interval with room for rounding.

    Parameters
    ----------
    i : Interval
    eps, tiny : float
        Of the dtype: the distance of 1 to the next float, the smallest normal number.
    units : float
        How many units in the last place.
    """
    low = i.low - units * eps * abs(i.low) - tiny if math.isfinite(i.low) else i.low
    high = i.high + units * eps * abs(i.high) + tiny if math.isfinite(i.high) else i.high
    # Rounding changes no sign.
    return Interval(
        max(low, 0.0) if i.low >= 0 else low, min(high, 0.0) if i.high <= 0 else high, i.nan
    )


def add(a: Interval, b: Interval) -> Interval:
    """Sums."""
    clash = (INF in (a.high, b.high)) and (-INF in (a.low, b.low))
    low, high = a.low + b.low, a.high + b.high
    if math.isnan(low) or math.isnan(high):
        return ANY
    return Interval(low, high, a.nan or b.nan or clash)


def neg(a: Interval) -> Interval:
    """Negated numbers."""
    return Interval(-a.high, -a.low, a.nan)


def mul(a: Interval, b: Interval) -> Interval:
    """Products."""
    clash = (0.0 in a and _endless(b)) or (0.0 in b and _endless(a))
    products = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(products), max(products), a.nan or b.nan or clash)


def _endless(a: Interval) -> bool:
    return a.low == -INF or a.high == INF


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0.0 or y == 0.0 else x * y


def div(a: Interval, b: Interval, tiny: float) -> Interval:
    """Quotients; what is smaller than a normal number may have been flushed to zero."""
    if b.low <= tiny and b.high >= -tiny:
        clash = (a.low <= tiny and a.high >= -tiny) or (_endless(a) and _endless(b))
        both = Interval(-INF, INF, a.nan or b.nan or clash)
        if b.low >= 0.0 and a.low >= 0.0:
            return both.meet(low=0.0)
        return both
    clash = _endless(a) and _endless(b)
    quotients = [_over(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(quotients), max(quotients), a.nan or b.nan or clash)


def _over(x: float, y: float) -> float:
    if math.isinf(y):
        return 0.0
    try:
        return x / y
    except OverflowError:
        return math.copysign(INF, x) * math.copysign(1.0, y)


def monotone(
    f: Callable[[float], float], a: Interval, low: float = -INF, high: float = INF
) -> Interval:
    """The values of a function that grows.

    Parameters
    ----------
    f : callable
    a : Interval
    low, high : float
        Where it is defined; beyond it there is nan.
    """
    outside = a.low < low or a.high > high
    if a.high < low or a.low > high:
        return ANY
    return Interval(f(max(a.low, low)), f(min(a.high, high)), a.nan or outside)


def square(a: Interval) -> Interval:
    """Squares."""
    product = mul(a, a)
    return product.spoiled(False) if 0.0 not in a else Interval(0.0, product.high, a.nan)


def power(a: Interval, n: int) -> Interval:
    """A positive power with a constant exponent."""
    low, high = _power(a.low, n), _power(a.high, n)
    if n % 2 == 0:
        return Interval(0.0 if 0.0 in a else min(low, high), max(low, high), a.nan)
    return Interval(low, high, a.nan)


def _power(x: float, n: int) -> float:
    try:
        return float(x**n)
    except OverflowError:
        return INF if x > 0 or n % 2 == 0 else -INF


def total(a: Interval, least: float, most: float) -> Interval:
    """Sums of some numbers.

    Parameters
    ----------
    a : Interval
        Where each of them lies.
    least, most : float
        How many there are.
    """
    ends = [_times(x, n) for x in (a.low, a.high) for n in (least, most)]
    clash = a.low == -INF and a.high == INF
    found = Interval(min(ends), max(ends), a.nan or clash)
    # Adding in doubles one after another: (1 + eps) ** n, for as many as there are.
    return widened(found, math.expm1(2.0**-52 * most), 0.0)
