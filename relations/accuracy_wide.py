r"""Accuracy: products and quotients of many factors, by their mantissas and exponents.

Powers of two are taken out of each factor, which rounds nothing, and their sum is put back.

References
----------
IEEE Standard for Floating-Point Arithmetic, IEEE Std 754-2008, section 9.4 (``scaledProd``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, computed, eq, relation
from kanrewrite.relations.accuracy_ranges import (
    DOUBLES,
    RANGES,
    Range,
    exponent,
    mantissa,
    number,
    usual,
)

#: How many factors and divisors; those of fewer are regrouped.
SHAPES = (
    *((5, m) for m in (2, 1, 0)),
    *((4, m) for m in (3, 2, 1, 0)),
    *((3, m) for m in (4, 3, 2, 1)),
    *((2, m) for m in (5, 4, 3)),
    *((1, m) for m in (6, 5, 4, 3)),
)


def _power(total: Any, r: Range, of: Any) -> tuple[Any, Any]:
    """A power of two as two factors that are in range each, as long as it is."""
    ends = (of.log2(r.tiny), of.log2(r.large))
    half = of.minimum(of.maximum(of.floor(total / 2), ends[0]), ends[1])
    rest = of.minimum(of.maximum(total - half, ends[0]), ends[1])
    return of.exp2(half), of.exp2(rest)


def _mild(factors: Sequence[Any], r: Range, of: Any = T) -> Any:
    """Whether no product of some of the factors leaves the range: it may be computed as written."""
    sizes = [of.abs(x) for x in factors]
    most = math.floor(math.log2(r.large) / len(factors))
    high, low = (2.0**most, 2.0**-most) if of is T else (number(2.0**most), number(2.0**-most))
    return of.and_(of.lt(reduce(of.maximum, sizes), high), of.gt(reduce(of.minimum, sizes), low))


def _in_range(above: Sequence[Any], below: Sequence[Any], r: Range, of: Any = T) -> Any:
    value = reduce(mul, [mantissa(x, r, of) for x in above])
    total = reduce(add, [exponent(x, r, of) for x in above])
    if below:
        value = value / reduce(mul, [mantissa(x, r, of) for x in below])
        total = total - reduce(add, [exponent(x, r, of) for x in below])
    first, second = _power(total, r, of)
    return value * first * second


@relation(family="accuracy", where="digits")
def wide_product(
    a: Float, b: Float, c: Float, d: Float, e: Float, f: Float, g: Float
) -> Iterator[Eq]:
    """Nothing leaves the range on the way."""
    for r in RANGES:
        for n, m in SHAPES:
            above: Sequence[Any] = (a, b, c, d, e)[:n]
            below: Sequence[Any] = (g, f, e, d, c, b)[:m]
            written = reduce(mul, above)
            if below:
                written = written / reduce(mul, below)
            asked = (computed(x) for x in (*above, *below))
            kept = _mild((*above, *below), r)
            chosen = T.switch(kept, written, _in_range(above, below, r))
            yield eq(written, chosen).when(*asked, r.guard(a))


@relation(family="accuracy", where="digits")
def power_of_quotient(a: Float, b: Float, n: Float) -> Iterator[Eq]:
    """A power of what leaves the range, by the logs of its parts."""
    power, apart = T.pow(a / b, n), T.exp(n * (T.log(a) - T.log(b)))
    for r in RANGES:
        positive = T.and_(T.gt(a, 0), T.gt(b, 0))
        kept = T.or_(T.invert(positive), usual([a / b], r, a, b))
        chosen = T.switch(kept, power, apart)
        yield eq(power, chosen).when(*map(computed, (a, b, n)), r.guard(a))


@relation(family="accuracy", where="digits")
def root_of_product(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """A root of each factor where the product leaves the range."""
    for r in RANGES:
        side, other, under = (T.sqrt(T.abs(x)) for x in (a, b, c))
        for written, part, apart in (
            (a * b / c, a * b, side * (other / under)),
            (a / (b * c), b * c, side / other / under),
        ):
            negative = T.lt(T.sgn(a) * T.sgn(b) * T.sgn(c), 0)
            kept = T.or_(negative, usual([written, part], r, a, b, c))
            asked = (*map(computed, (a, b, c)), r.guard(a))
            root = T.sqrt(written)
            yield eq(root, T.switch(kept, root, apart)).when(*asked)
        for written, apart in (
            (a * b, T.sqrt(T.abs(a)) * T.sqrt(T.abs(b))),
            (a / b, T.sqrt(T.abs(a)) / T.sqrt(T.abs(b))),
        ):
            negative = T.lt(T.sgn(a) * T.sgn(b), 0)
            kept = T.or_(negative, usual([written], r, a, b))
            asked = (computed(a), computed(b), r.guard(a))
            root = T.sqrt(written)
            yield eq(root, T.switch(kept, root, apart)).when(*asked)
        squared = T.sqrt(a * a * b)  # which is 0 where a is, whatever the sign of b
        root = T.switch(T.eq(a, 0), squared, T.abs(a) * T.sqrt(b))
        yield eq(squared, root).when(computed(a), r.guard(a))


@wide_product.example
def _four_factors() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    r = RANGES[0]._replace(tiny=number(RANGES[0].tiny), large=number(RANGES[0].large))
    written, scaled = a * b * c / d, _in_range((a, b, c), (d,), r, at)
    return written, at.switch(_mild((a, b, c, d), RANGES[0], at), written, scaled)


@wide_product.non_example
def _a_sum() -> Any:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    return (a + b) * (c - d)


@power_of_quotient.example
def _power_law() -> tuple[Any, Any]:
    a, b, n = at.dvectors("a", "b", "n")
    power = (a / b) ** n
    kept = usual([a / b], DOUBLES, a, b, of=at)
    kept = at.or_(at.invert(at.and_(at.gt(a, 0.0), at.gt(b, 0.0))), kept)
    return power, at.switch(kept, power, at.exp(n * (at.log(a) - at.log(b))))


@power_of_quotient.non_example
def _square_of_quotient() -> Any:
    a, b = at.dvectors("a", "b")
    return (a / b) ** 2


@root_of_product.example
def _root() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    written = at.sqrt(a**2 * b)
    return written, at.switch(at.eq(a, 0.0), written, abs(a) * at.sqrt(b))


@root_of_product.non_example
def _root_of_a_sum() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sqrt(a + b)
