r"""Accuracy: fractions and roots that nearly cancel, and fractions over sums of squares.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, chapter 1.
R. L. Smith, "Algorithm 116: Complex division", Communications of the ACM 5(8), 1962.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, computed, eq, nonzero, relation
from kanrewrite.relations.accuracy_ranges import RANGES, inside, scale, scale_of


@relation(family="accuracy", where="digits")
def reciprocals_difference(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """Fractions of one numerator that are near to each other, over a common denominator."""
    for top in (c, 1):
        apart = top / a - top / b
        # Of equal ones the difference is a zero without a sign.
        near = T.and_(T.lt(2 * T.abs(b - a), T.abs(b)), T.neq(b - a, 0))
        joined = (b - a) / a * (top / b) if top is c else (b - a) / a / b
        yield eq(apart, T.switch(near, joined, apart))
        squares = top / (a * a) - top / (b * b)
        yield eq(squares, T.switch(near, (b - a) / a / b * ((b + a) / a) * (top / b), squares))
    roots = 1 / T.sqrt(a) - 1 / T.sqrt(b)
    joined = (b - a) / (T.sqrt(a) + T.sqrt(b)) / T.sqrt(a) / T.sqrt(b)
    yield eq(roots, T.switch(T.lt(2 * T.abs(b - a), b), joined, roots))


@relation(role="cancel", family="accuracy", where="digits")
def terms_cancel(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """Fractions are added over a common denominator, and products multiplied out, to cancel."""
    yield eq(a / b - c / d, (a * d - c * b) / (b * d)).when(nonzero(b), nonzero(d))
    yield eq((a + b) * c - a * d, a * (c - d) + b * c)


@relation(family="accuracy", where="digits")
def fraction_less_one(a: Float, b: Float) -> Iterator[Eq]:
    """How far a fraction is from 1 is a fraction."""
    size, whole = T.abs(b), (computed(a), computed(b))
    less = (T.abs(a) - size) / size * (T.abs(a / b) + 1)
    for apart in ((a * a) / (b * b) - 1, (a * a - b * b) / (b * b)):
        yield eq(apart, T.switch(T.lt(T.abs(apart), 0.5), less, apart)).when(*whole)
    tops: tuple[Any, ...] = (a, 1)
    for above in tops:
        q = above / b
        apart = T.switch(T.lt(2 * T.abs(above - b), size), (above - b) / b, q - 1)
        yield eq(q - 1, apart).when(*(whole if above is a else whole[1:]))


@relation(family="accuracy", where="digits")
def fractions_near(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """Fractions whose parts are near to each other, or to each other's negatives."""
    less = apart = a / b - c / d
    for above, below, total in (
        (a + c, d + b, (a + c) - (d + b) / d * c),
        (a - c, d - b, (a - c) + (d - b) / d * c),
    ):
        near = T.and_(T.lt(2 * T.abs(above), T.abs(a)), T.lt(2 * T.abs(below), T.abs(d)))
        adds = T.gt(2 * T.abs(total), T.abs(above))
        less = T.switch(T.and_(near, adds), total / b, less)
    yield eq(apart, less).when(*map(computed, (a, b, c, d)))


@relation(family="accuracy", where="digits")
def over_squares(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """What is divided by a sum of squares, as a quotient of complex numbers is."""
    for r in RANGES:
        s = scale(T.maximum(T.abs(c), T.abs(d)), r)
        squares, under = c * c + d * d, (c * s) * (c * s) + (d * s) * (d * s)
        for above, scaled in (
            (a * c + b * d, a * (c * s) + b * (d * s)),
            (a * c - b * d, a * (c * s) - b * (d * s)),
        ):
            over = T.switch(inside(above, r), above * s, scaled) / under * s
            yield eq(above / squares, over).when(r.guard(a))
        yield eq(c / squares, (c * s) / under * s).when(r.guard(c))
        less = (c * s - d * s) * (c * s + d * s)
        yield eq((c * c - d * d) / squares, less / under).when(r.guard(c))
        yield eq((c * d) / squares, (c * s) * (d * s) / under).when(r.guard(c))
        yield eq((c * c) / squares, (c * s) * (c * s) / under).when(r.guard(c))


@relation(family="accuracy", where="digits")
def roots_difference(a: Float, b: Float) -> Iterator[Eq]:
    """Roots differ by what is under them, over their sum."""
    apart, total = T.sqrt(a) - T.sqrt(b), T.sqrt(a) + T.sqrt(b)
    yield eq(apart, T.switch(T.lt(2 * T.abs(apart), total), (a - b) / total, apart))
    root, near = T.sqrt(a / b), T.lt(4 * T.abs(a - b), 3 * T.abs(b))
    yield eq(root - 1, T.switch(near, (a - b) / b / (root + 1), root - 1))
    root, over = T.sqrt(a), 1 / T.sqrt(a)
    near = T.lt(T.abs(a - 1), 0.75)
    yield eq(root - 1, T.switch(near, (a - 1) / (root + 1), root - 1))
    yield eq(over - 1, T.switch(near, (1 - a) / (root * (root + 1)), over - 1))


@relation(family="accuracy", where="digits")
def means_difference(a: Float, b: Float) -> Iterator[Eq]:
    """An arithmetic mean and a geometric one differ by half the square of how far roots are."""
    arithmetic, geometric = (a + b) / 2, T.sqrt(a * b)
    apart = T.sqr(T.sqrt(a) - T.sqrt(b)) / 2
    positive = T.and_(T.gt(a, 0), T.gt(b, 0))
    less = arithmetic - geometric
    yield eq(less, T.switch(positive, apart, less))
    others = T.sqr(T.sqrt(1 - a) - T.sqrt(1 - b)) / 2
    shares = T.and_(positive, T.and_(T.lt(a, 1), T.lt(b, 1)))
    less = 1 - geometric - T.sqrt((1 - a) * (1 - b))
    yield eq(less, T.switch(shares, apart + others, less))


@reciprocals_difference.example
def _reciprocals() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    apart = 1.0 / at.sqrt(a) - 1.0 / at.sqrt(b)
    joined = (b - a) / (at.sqrt(a) + at.sqrt(b)) / at.sqrt(a) / at.sqrt(b)
    return apart, at.switch(at.lt(2.0 * abs(b - a), b), joined, apart)


@reciprocals_difference.non_example
def _reciprocals_added() -> Any:
    a, b = at.dvectors("a", "b")
    return 1 / a + 1 / b


@terms_cancel.example
def _fractions() -> tuple[Any, Any]:
    a, c, p, q = at.matrices("a", "c", "p", "q")
    b, d = at.exp(p), at.exp(q)
    return a / b - c / d, (a * d - c * b) / (b * d)


@terms_cancel.non_example
def _numerators_subtracted() -> tuple[Any, Any]:
    a, c, p, q = at.matrices("a", "c", "p", "q")
    b, d = at.exp(p), at.exp(q)
    return a / b - c / d, (a - c) / (b * d)


@fraction_less_one.example
def _relative() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    written = a / b - 1.0
    return written, at.switch(at.lt(2.0 * abs(a - b), abs(b)), (a - b) / b, written)


@fraction_less_one.non_example
def _fraction_and_one() -> Any:
    a, b = at.dvectors("a", "b")
    return a / b + 1


@fractions_near.example
def _next() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    apart = a / b - c / d
    less = apart
    for above, below, total in (
        (a + c, d + b, (a + c) - (d + b) / d * c),
        (a - c, d - b, (a - c) + (d - b) / d * c),
    ):
        near = at.and_(at.lt(2.0 * abs(above), abs(a)), at.lt(2.0 * abs(below), abs(d)))
        adds = at.gt(2.0 * abs(total), abs(above))
        less = at.switch(at.and_(near, adds), total / b, less)
    return apart, less


@fractions_near.non_example
def _fractions_added() -> Any:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    return a / b + c / d


@roots_difference.example
def _roots() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    apart, total = at.sqrt(a) - at.sqrt(b), at.sqrt(a) + at.sqrt(b)
    return apart, at.switch(at.lt(2.0 * abs(apart), total), (a - b) / total, apart)


@roots_difference.non_example
def _roots_added() -> Any:
    a, b = at.dvectors("a", "b")
    return at.sqrt(a) + at.sqrt(b)


@means_difference.example
def _means() -> tuple[Any, Any]:
    a, b = at.dvectors("a", "b")
    less = (a + b) / 2.0 - at.sqrt(a * b)
    apart = at.square(at.sqrt(a) - at.sqrt(b)) / 2.0
    return less, at.switch(at.and_(at.gt(a, 0.0), at.gt(b, 0.0)), apart, less)


@means_difference.non_example
def _root_of_another_product() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return (a + b) / 2 - at.sqrt(a * c)


@over_squares.example
def _inverse() -> tuple[Any, Any]:
    c, d = at.dvectors("c", "d")
    m = at.maximum(abs(c), abs(d))
    s = scale_of(m)
    under = (c * s) * (c * s) + (d * s) * (d * s)
    return c / (c**2 + d**2), (c * s) / under * s


@over_squares.non_example
def _over_a_square() -> Any:
    a, c, d = at.dvectors("a", "c", "d")
    return a / (c * c + d)
