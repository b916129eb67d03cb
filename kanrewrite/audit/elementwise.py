"""What elementwise operators do to intervals, a line for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import aesara.scalar.basic as s
import aesara.scalar.math as sm
from aesara.tensor.xlogx import XlogX

from kanrewrite.audit.intervals import (
    ANY,
    INF,
    ULPS,
    Interval,
    add,
    div,
    hull,
    monotone,
    mul,
    neg,
    power,
    square,
)

Rule = Callable[..., Interval]

_TINY = 2.0**-1022
_BIT = Interval(0.0, 1.0)


def _safe(f: Callable[[float], float], beyond: float = INF) -> Callable[[float], float]:
    """A function of `math` at infinities, and infinite where it overflows."""

    def value(x: float) -> float:
        try:
            return f(x)
        except OverflowError:
            return beyond

    return value


def _log(x: float) -> float:
    return -INF if x <= 0.0 else math.log(x)


def _log1p(x: float) -> float:
    return -INF if x <= -1.0 else math.log1p(x)


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _log1mexp(x: float) -> float:
    return -INF if x >= 0.0 else math.log(-math.expm1(x)) if x < -1e-300 else -INF


def _absolute(a: Interval) -> Interval:
    ends = (abs(a.low), abs(a.high))
    return Interval(0.0 if 0.0 in a else min(ends), max(ends), a.nan)


def _maximum(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high), a.nan or b.nan)


def _minimum(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high), a.nan or b.nan)


def _clip(a: Interval, low: Interval, high: Interval) -> Interval:
    return _minimum(_maximum(a, low), high)


def _switch(condition: Interval, a: Interval, b: Interval) -> Interval:
    if condition == Interval(0.0, 0.0):
        return b
    return a if condition.low > 0.0 and not condition.nan else hull([a, b])


def _pow(a: Interval, b: Interval) -> Interval:
    if b.low == b.high and b.low == int(b.low if math.isfinite(b.low) else 0.5):
        n = int(b.low)
        if 0 < n <= 64:
            return power(a, n).spoiled(b.nan)
        if -64 <= n < 0:
            return div(Interval(1.0, 1.0), power(a, -n), _TINY).spoiled(b.nan)
    if a.low > 0.0:  # in each of the two it grows or falls
        ends = [_safe_power(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return Interval(min(ends), max(ends), a.nan or b.nan)
    if a.low >= 0.0 and b.low >= 0.0:
        return Interval(0.0, _safe_power(max(a.high, 1.0), b.high), a.nan or b.nan)
    return ANY


def _safe_power(x: float, y: float) -> float:
    try:
        return float(x**y)
    except OverflowError:
        return INF


def _even(f: Callable[[float], float]) -> Rule:
    """A function that grows with the size of its argument."""
    return lambda a: monotone(f, _absolute(a))


def _within(low: float, high: float) -> Rule:
    """Whatever finite numbers are given, the result is within bounds."""
    return lambda a: Interval(low, high, a.nan or not a.finite)


def _sgn(a: Interval) -> Interval:
    return Interval(-1.0 if a.low < 0 else 0.0, 1.0 if a.high > 0 else 0.0, a.nan)


def _tests(*operands: Interval) -> Interval:
    del operands
    return _BIT


def _sum(*terms: Interval) -> Interval:
    found = terms[0]
    for term in terms[1:]:
        found = add(found, term)
    return found


def _product(*factors: Interval) -> Interval:
    found = factors[0]
    for factor in factors[1:]:
        found = mul(found, factor)
    return found


#: Exact, so without room for rounding.
EXACT: dict[type, Rule] = {
    s.Neg: neg,
    s.Abs: _absolute,
    s.Identity: lambda a: a,
    s.Second: lambda a, b: b,
    s.ScalarMaximum: _maximum,
    s.ScalarMinimum: _minimum,
    s.Clip: _clip,
    s.Switch: _switch,
    s.Sgn: _sgn,
    s.Ceil: lambda a: monotone(lambda x: float(math.ceil(x)) if math.isfinite(x) else x, a),
    s.Floor: lambda a: monotone(lambda x: float(math.floor(x)) if math.isfinite(x) else x, a),
    **dict.fromkeys((s.LT, s.GT, s.LE, s.GE, s.EQ, s.NEQ, s.IsNan, s.IsInf, s.InRange), _tests),
}
#: Rounded once.
ROUNDED: dict[type, Rule] = {
    s.Add: _sum,
    s.Sub: lambda a, b: add(a, neg(b)),
    s.Mul: _product,
    s.TrueDivide: lambda a, b: div(a, b, _TINY),
    s.Reciprocal: lambda a: div(Interval(1.0, 1.0), a, _TINY),
    s.Sqr: square,
    s.Sqrt: lambda a: monotone(math.sqrt, a, low=0.0),
    s.Cast: lambda a: a,
}
#: Functions as the C library computes them, with the range that they never leave.
FUNCTIONS: dict[type, tuple[Rule, float, float]] = {
    s.Exp: (lambda a: monotone(_safe(math.exp), a), 0.0, INF),
    s.Exp2: (lambda a: monotone(_safe(lambda x: 2.0**x), a), 0.0, INF),
    s.Expm1: (lambda a: monotone(_safe(math.expm1), a), -1.0, INF),
    s.Log: (lambda a: monotone(_log, a, low=0.0), -INF, INF),
    s.Log2: (lambda a: monotone(lambda x: _log(x) / math.log(2), a, low=0.0), -INF, INF),
    s.Log10: (lambda a: monotone(lambda x: _log(x) / math.log(10), a, low=0.0), -INF, INF),
    s.Log1p: (lambda a: monotone(_log1p, a, low=-1.0), -INF, INF),
    s.Pow: (_pow, -INF, INF),
    s.Sin: (_within(-1.0, 1.0), -1.0, 1.0),
    s.Cos: (_within(-1.0, 1.0), -1.0, 1.0),
    s.ArcTan: (lambda a: monotone(math.atan, a), -2.0, 2.0),
    s.Tanh: (lambda a: monotone(math.tanh, a), -1.0, 1.0),
    s.Sinh: (lambda a: monotone(lambda x: math.copysign(_sinh(abs(x)), x), a), -INF, INF),
    s.Cosh: (_even(_safe(math.cosh)), 0.0, INF),
    s.ArcSinh: (lambda a: monotone(math.asinh, a), -INF, INF),
    sm.Sigmoid: (lambda a: monotone(_sigmoid, a), 0.0, 1.0),
    sm.Softplus: (lambda a: monotone(_softplus, a), 0.0, INF),
    sm.Log1mexp: (lambda a: neg(monotone(lambda x: -_log1mexp(-x), neg(a), low=0.0)), -INF, 0.0),
    sm.Erf: (lambda a: monotone(math.erf, a), -1.0, 1.0),
    sm.Erfc: (lambda a: neg(monotone(lambda x: -math.erfc(x), a)), 0.0, 2.0),
    XlogX: (lambda a: hull([mul(a, monotone(_log, a, low=0.0).meet(low=-800.0))]), -1.0, INF),
}


def _sinh(x: float) -> float:
    return _safe(math.sinh)(x)


def rule_of(op: Any) -> tuple[Rule, float, float, float] | None:
    """The rule of a scalar operator, its units of rounding and its range; None if there is none."""
    for kind in type(op).__mro__:
        if kind in EXACT:
            return EXACT[kind], 0.0, -INF, INF
        if kind in ROUNDED:
            return ROUNDED[kind], 1.0, -INF, INF
        if kind in FUNCTIONS:
            rule, low, high = FUNCTIONS[kind]
            return rule, ULPS, low, high
    return None


def reaches(rule: Rule, operands: Sequence[Interval]) -> Interval:
    """A rule applied; what its arithmetic cannot say is anything."""
    try:
        found = rule(*operands)
    except (ValueError, OverflowError, ZeroDivisionError):
        return ANY
    bad = math.isnan(found.low) or math.isnan(found.high)
    return ANY if bad else found
