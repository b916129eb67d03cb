r"""Accuracy: products and quotients whose partial products leave the range.

Partial products stay in range where a factor above 1 is followed by one below it, as long as there
is one: their logarithms are a sum, and that is Steinitz's lemma in one dimension.

References
----------
E. Steinitz, "Bedingt konvergente Reihen und konvexe Systeme", Journal für die reine und angewandte
Mathematik 143, 1913.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, computed, eq, relation
from kanrewrite.relations.accuracy_ranges import DOUBLES, RANGES, inside, usual


def _sorted(a: Any, b: Any) -> tuple[Any, Any]:
    """The larger and the smaller of two, by size."""
    less = T.lt(T.abs(a), T.abs(b))
    return T.switch(less, b, a), T.switch(less, a, b)


@relation(family="accuracy", where="digits")
def quotient_regrouped(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """Factors and divisors in an order in which nothing leaves the range on the way."""
    (high, low), (large, small) = _sorted(a, b), _sorted(c, d)
    for r in RANGES:
        first, second = T.abs(high / large), T.abs(low / small)
        scaled = high * r.up / large * (low / small) * r.down
        kept = T.or_(inside(large * small, r), T.isinf(large))
        under = T.switch(kept, high / (large * small) * low, scaled)
        mixed = T.switch(T.gt(first, r.large), high * low / large / small, under)
        one = T.or_(T.eq(high, 0), T.and_(T.gt(first, r.tiny), T.lt(first, r.large)))
        other = T.and_(T.gt(second, r.tiny), T.lt(second, r.large))
        less = T.and_(T.lt(second, r.tiny), T.lt(first, 1))
        scaled = low * r.up / small * (high / large) * r.down
        paired = T.switch(less, scaled, high / large * low / small)
        paired = T.switch(T.or_(other, T.isinf(small)), low / small * (high / large), paired)
        above, below = a * b, c * d
        kept = T.and_(usual((above,), r, a, b), usual((below,), r, c, d))
        chosen = T.switch(kept, above / below, T.switch(one, paired, mixed))
        yield eq(above / below, chosen).when(*map(computed, (a, b, c, d)), r.guard(a))


@relation(family="accuracy", where="digits")
def product_over(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """The larger factor is divided by what is above 1, the smaller one by what is below."""
    first = T.eq(T.lt(T.abs(a), T.abs(b)), T.lt(T.abs(c), 1))
    over = T.switch(first, a, b) / c * T.switch(first, b, a)
    for r in RANGES:
        high, low = _sorted(a, b)  # a power of two rounds nothing, where the least one has no more
        scaled = low * r.up * high / c * r.down
        apart = T.switch(T.lt(T.abs(low), r.tiny), scaled, over)
        chosen = T.switch(usual([a * b], r, a, b), a * b / c, apart)
        yield eq(a * b / c, chosen).when(*map(computed, (a, b, c)), r.guard(a))


@relation(family="accuracy", where="digits")
def over_product(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """What is above 1 is divided by the larger one first, what is below by the smaller one."""
    first = T.eq(T.lt(T.abs(b), T.abs(c)), T.lt(T.abs(a), 1))
    under = a / T.switch(first, b, c) / T.switch(first, c, b)
    for r in RANGES:
        squared = T.switch(usual([b * b], r, b), a / (b * b), a / b / b)
        yield eq(a / (b * b), squared).when(computed(b), r.guard(a))
        chosen = T.switch(usual([b * c], r, b, c), a / (b * c), under)
        yield eq(a / (b * c), chosen).when(computed(b), computed(c), r.guard(a))


@relation(family="accuracy", where="digits")
def product_of_three(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """The largest factor and the smallest one first."""
    high, low = _sorted(a, b)
    top, other = _sorted(high, c)
    middle, least = _sorted(low, other)
    for r in RANGES:
        product = T.switch(usual([a * b], r, a, b), a * b * c, top * least * middle)
        yield eq(a * b * c, product).when(*map(computed, (a, b, c)), r.guard(a))


@quotient_regrouped.example
def _four() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    less, below = at.lt(abs(a), abs(b)), at.lt(abs(c), abs(d))
    high, low = at.switch(less, b, a), at.switch(less, a, b)
    large, small = at.switch(below, d, c), at.switch(below, c, d)
    first, second = abs(high / large), abs(low / small)
    r = DOUBLES
    scaled = high * r.up / large * (low / small) * r.down
    kept = at.or_(inside(large * small, r, at), at.isinf(large))
    under = at.switch(kept, high / (large * small) * low, scaled)
    mixed = at.switch(at.gt(first, r.large), high * low / large / small, under)
    one = at.or_(at.eq(high, 0.0), at.and_(at.gt(first, r.tiny), at.lt(first, r.large)))
    other = at.and_(at.gt(second, r.tiny), at.lt(second, r.large))
    less = at.and_(at.lt(second, r.tiny), at.lt(first, 1.0))
    scaled = low * r.up / small * (high / large) * r.down
    paired = at.switch(less, scaled, high / large * low / small)
    paired = at.switch(at.or_(other, at.isinf(small)), low / small * (high / large), paired)
    kept = at.and_(usual((a * b,), r, a, b, of=at), usual((c * d,), r, c, d, of=at))
    written = a * b / (c * d)
    return written, at.switch(kept, written, at.switch(one, paired, mixed))


@quotient_regrouped.non_example
def _sum_over_product() -> Any:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    return (a + b) - (c * d)


@product_over.example
def _three() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    first = at.eq(at.lt(abs(a), abs(b)), at.lt(abs(c), 1.0))
    over = at.switch(first, a, b) / c * at.switch(first, b, a)
    less, r = at.lt(abs(a), abs(b)), DOUBLES
    high, low = at.switch(less, b, a), at.switch(less, a, b)
    scaled = low * r.up * high / c * r.down
    apart = at.switch(at.lt(abs(low), r.tiny), scaled, over)
    return a * b / c, at.switch(usual([a * b], r, a, b, of=at), a * b / c, apart)


@product_over.non_example
def _two() -> Any:
    a, b = at.dvectors("a", "b")
    return a / b * 3


@over_product.example
def _square() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    return a / b**2, at.switch(usual([b**2], DOUBLES, b, of=at), a / b**2, a / b / b)


@over_product.non_example
def _sum_of_quotients() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return a / b + c


@product_of_three.example
def _sorted_factors() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    less = at.lt(abs(a), abs(b))
    high, low = at.switch(less, b, a), at.switch(less, a, b)
    less = at.lt(abs(high), abs(c))
    top, other = at.switch(less, c, high), at.switch(less, high, c)
    less = at.lt(abs(low), abs(other))
    middle, least = at.switch(less, other, low), at.switch(less, low, other)
    kept = usual([a * b], DOUBLES, a, b, of=at)
    return a * b * c, at.switch(kept, a * b * c, top * least * middle)


@product_of_three.non_example
def _product_of_two() -> Any:
    a, b = at.dvectors("a", "b")
    return a * b * 7
