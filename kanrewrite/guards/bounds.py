"""Bounds of values, as floats: between which numbers every element is that is a number.

Signs are bounds: an exponential is at least 0.  It is not above 0 for sure, as its value may be 0.
What is as small as a rounding on the wrong side of a bound other than 0 does not count; 0 is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from math import erf, inf
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from aesara.graph.basic import Constant, Variable

from kanrewrite.terms import Operator, T

#: More than what any dtype rounds, relative to what is added.
_ROUNDED = 2.0**-8


class Bounds(NamedTuple):
    """The least and the largest that elements can be.

    Examples
    --------
    >>> Bounds(0.0, inf) | Bounds(-1.0, 2.0)
    Bounds(low=-1.0, high=inf)
    """

    low: float = -inf
    high: float = inf

    def __or__(self, other: object) -> Bounds:
        """What holds for two values."""
        if not isinstance(other, Bounds):
            return NotImplemented
        return Bounds(min(self.low, other.low), max(self.high, other.high))

    def __neg__(self) -> Bounds:
        """The bounds of what is negated."""
        return Bounds(0.0 - self.high, 0.0 - self.low)


NONE = Bounds()
UP, DOWN = Bounds(low=0.0), Bounds(high=0.0)
SHARE, EITHER = Bounds(0.0, 1.0), Bounds(-1.0, 1.0)
Rule = Callable[..., Bounds]

_known: WeakKeyDictionary[Variable[Any, Any], Bounds] = WeakKeyDictionary()


def assume(variable: Variable[Any, Any], bounds: Bounds) -> None:
    """Take bounds of a variable to be known: of what it stands for, elsewhere."""
    _known[variable] = bounds


def assumed(value: object) -> Bounds:
    """What is known of a variable from elsewhere."""
    if not isinstance(value, Variable) or isinstance(value, Constant):
        return NONE
    return _known.get(value, NONE)


def of_data(data: Any) -> Bounds:
    """The bounds of numbers, which are known."""
    if not isinstance(data, np.ndarray | np.generic | int | float) or not np.size(data):
        return NONE
    array: Any = np.asarray(data)
    if array.dtype.kind not in "fiub" or np.any(array != array):
        return NONE
    return settled(Bounds(float(array.min()), float(array.max())), str(array.dtype))


def common(each: Iterable[Bounds]) -> Bounds:
    """What is known of all of some."""
    found = list(each)
    return reduce(Bounds.__or__, found) if found else NONE


def settled(found: Bounds, dtype: str) -> Bounds:
    """Bounds of what is computed in a dtype, in which it may underflow, and overflow."""
    tiny, huge = _range(dtype)
    low, high = (0.0 if abs(x) < tiny else x for x in found)
    low = min(huge, low) if low >= -huge else -inf
    return Bounds(low, max(-huge, high) if high <= huge else inf)


@lru_cache(maxsize=32)
def _range(dtype: str) -> tuple[float, float]:
    """The least and the largest number above 0 of full precision."""
    if np.dtype(dtype).kind != "f":
        return 0.0, inf
    info = np.finfo(dtype)
    return float(info.tiny), float(info.max)


def added(operands: Sequence[Bounds]) -> Bounds:
    """The bounds of a sum; terms of both signs may leave what is rounded of them."""
    low, high = sum(b.low for b in operands), sum(b.high for b in operands)
    return Bounds(low - _lost([b.low for b in operands]), high + _lost([b.high for b in operands]))


def _lost(ends: Sequence[float]) -> float:
    mixed = min(ends) < 0 < max(ends)
    return _ROUNDED * sum(map(abs, ends)) if mixed else 0.0


def multiplied(operands: Sequence[Bounds]) -> Bounds:
    """The bounds of a product."""
    return reduce(_product, operands)


def _product(a: Bounds, b: Bounds) -> Bounds:
    ends = [x * y if x and y else 0.0 for x in a for y in b]
    return Bounds(min(ends), max(ends))


def _reciprocal(b: Bounds) -> Bounds:
    if b.low < 0 < b.high:
        return NONE
    if b.high <= 0 and b.low < 0:
        return -_reciprocal(-b)
    return Bounds(1 / b.high if b.high else 0.0, 1 / b.low if b.low else inf)


def _divided(a: Bounds, b: Bounds) -> Bounds:
    return _product(a, _reciprocal(b))


def _size(b: Bounds) -> Bounds:
    return b if b.low >= 0 else -b if b.high <= 0 else Bounds(0.0, max(-b.low, b.high))


def squared(b: Bounds) -> Bounds:
    """The bounds of a square."""
    return _product(_size(b), _size(b))


def raised(base: Bounds, power: Bounds, is_even: bool = False) -> Bounds:
    """The bounds of a power."""
    if base.low >= 0 and base.high <= 1 and power.low >= 0:
        return SHARE
    return UP if base.low >= 0 or is_even else NONE


def _monotone(function: Any, least: float = -inf, most: float = inf) -> Rule:
    """Of what grows with its operand, and is defined from ``least`` to ``most``."""

    def rule(b: Bounds) -> Bounds:
        ends = np.clip(np.array(b), least, most)
        with np.errstate(all="ignore"):
            low, high = np.asarray(function(ends), "float64")
        return Bounds(float(low), float(high))

    return rule


def _largest(*each: Bounds) -> Bounds:
    return Bounds(max(b.low for b in each), max(b.high for b in each))


def _smallest(*each: Bounds) -> Bounds:
    return Bounds(min(b.low for b in each), min(b.high for b in each))


def _between(_: Bounds, low: Bounds, high: Bounds) -> Bounds:
    return low | high


def _cosh(b: Bounds) -> Bounds:
    return _monotone(np.cosh)(_size(b))


_GROWING: dict[Operator, Rule] = {
    T.exp: _monotone(np.exp),
    T.exp2: _monotone(np.exp2),
    T.expm1: _monotone(np.expm1),
    T.log: _monotone(np.log, 0),
    T.log2: _monotone(np.log2, 0),
    T.log10: _monotone(np.log10, 0),
    T.log1p: _monotone(np.log1p, -1),
    T.sqrt: _monotone(np.sqrt, 0),
    T.tanh: _monotone(np.tanh),
    T.sinh: _monotone(np.sinh),
    T.arcsinh: _monotone(np.arcsinh),
    T.arctan: _monotone(np.arctan),
    T.erf: _monotone(lambda ends: [erf(x) for x in ends]),
    T.sgn: _monotone(np.sign),
    T.softplus: _monotone(lambda x: np.logaddexp(0, x)),
    T.sigmoid: _monotone(lambda x: np.exp(-np.logaddexp(0, -x))),
}

#: What operators make of bounds; of those that are not here nothing is known.
RULES: dict[Operator, Rule] = {
    **_GROWING,
    T.add: lambda *each: added(each),
    T.sub: lambda a, b: added([a, -b]),
    T.neg: Bounds.__neg__,
    T.mul: lambda *each: multiplied(each),
    T.true_div: _divided,
    T.reciprocal: _reciprocal,
    T.abs: _size,
    T.sqr: squared,
    T.pow: raised,
    T.cosh: _cosh,
    T.sin: lambda _: EITHER,
    T.cos: lambda _: EITHER,
    T.maximum: _largest,
    T.minimum: _smallest,
    T.clip: _between,
    T.switch: lambda _, yes, no: yes | no,
    T.fill: lambda _, filled: filled,
}


def applied(operator: Operator, operands: Sequence[Bounds], dtype: str) -> Bounds:
    """What is known of what an operator makes of values of which something is known."""
    rule = RULES.get(operator)
    return NONE if rule is None else settled(rule(*operands), dtype)
