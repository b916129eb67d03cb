"""Accuracy: where squares and products stay in the range of a dtype."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import inf
from operator import mul
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np

from kanrewrite import T, has_dtype


class Range(NamedTuple):
    """Powers of two for a dtype.

    Attributes
    ----------
    dtype : str
        Its name.
    high, low : float
        Between them squares, and sums of a few, are in range.
    up, down : float
        What brings everything below, or above, between them.
    large, tiny : float
        The powers next to the ends of the range of numbers of full precision.
    """

    dtype: str
    high: float
    low: float
    up: float
    down: float
    large: float
    tiny: float

    def guard(self, value: Any) -> Any:
        """The condition that a value is of the dtype."""
        return has_dtype(value, self.dtype)


RANGES = (
    Range("float64", 2.0**500, 2.0**-500, 2.0**600, 2.0**-600, 2.0**1023, 2.0**-1022),
    Range("float32", 2.0**60, 2.0**-60, 2.0**90, 2.0**-90, 2.0**127, 2.0**-126),
)


def scale(size: Any, r: Range) -> Any:
    """The power of two that brings something of a size into range."""
    return T.switch(T.gt(size, r.high), r.down, T.switch(T.lt(size, r.low), r.up, 1))


def inside(value: Any, r: Range, of: Any = T) -> Any:
    """Whether a value is in the range of full precision."""
    size = of.abs(value)
    return of.and_(of.gt(size, r.tiny), of.lt(size, inf if of is T else number(inf)))


def usual(values: Iterable[Any], r: Range, *parts: Any, of: Any = T) -> Any:
    """Whether products are in range, or out of it by right: a part is 0 or infinite.

    It is a pattern, or of Aesara's functions a graph.
    """
    signs, largest = reduce(mul, map(of.sgn, parts)), reduce(of.maximum, map(of.abs, parts))
    kept = reduce(of.and_, [inside(value, r, of) for value in values])
    return of.or_(kept, of.or_(of.eq(signs, 0.0), of.isinf(largest)))


def exponent(x: Any, r: Range, of: Any = T) -> Any:
    """The power of two that a number is next above, as a whole number; of 0 the least there is.

    It is a pattern, or of Aesara's functions a graph.
    """
    return of.floor(of.log2(of.minimum(of.maximum(of.abs(x), r.tiny), r.large)))


def mantissa(x: Any, r: Range, of: Any = T) -> Any:
    """A number over its power of two, which rounds nothing."""
    return x * of.exp2(-exponent(x, r, of))


def number(value: float) -> Any:
    """A double in a graph, however large or small."""
    return at.constant(np.float64(value))


def scale_of(size: Any) -> Any:
    """The graph of `scale` for doubles."""
    r = RANGES[0]
    low = at.switch(at.lt(size, number(r.low)), number(r.up), 1.0)
    return at.switch(at.gt(size, number(r.high)), number(r.down), low)


#: The range of doubles, for graphs.
DOUBLES = Range("float64", *(number(v) for v in RANGES[0][1:]))
