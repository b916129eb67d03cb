r"""Accuracy: quotients of sums of squares and of lengths, over the whole range of a dtype.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 27.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import inf
from operator import add
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.relations.accuracy_ranges import (
    DOUBLES,
    RANGES,
    inside,
    number,
    scale,
    scale_of,
)


def _product(x: Any, y: Any) -> Any:
    return reduce(add, [v * w for v, w in zip(x, y, strict=True)])


@relation(family="accuracy", where="digits")
def cosine_of_sides(a: Float, b: Float, c: Float, d: Float, e: Float, f: Float) -> Iterator[Eq]:
    """A product of vectors over their lengths, both brought into range."""
    for r in RANGES:
        for x, y in (((a, b), (c, d)), ((a, b, e), (c, d, f))):
            s, t = (scale(reduce(T.maximum, map(T.abs, sides)), r) for sides in (x, y))
            over = _product(x, y) / (T.sqrt(_product(x, x)) * T.sqrt(_product(y, y)))
            v, w = [side * s for side in x], [side * t for side in y]
            scaled = _product(v, w) / (T.sqrt(_product(v, v)) * T.sqrt(_product(w, w)))
            yield eq(over, scaled).when(r.guard(a))


@relation(family="accuracy", where="digits")
def over_large_square(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """What is divided by a square that leaves the range, and by a little more."""
    for r in RANGES:
        large, under = T.gt(T.abs(b), r.high), c + b * b
        for above, over in (
            (b * b, 1 / (1 + c / b / b)),
            (b, 1 / (b + c / b)),
            (a, a / b / (b + c / b)),
        ):
            yield eq(above / under, T.switch(large, over, above / under)).when(r.guard(b))


@relation(family="accuracy", where="digits")
def squares_over_squares(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """Sums of squares over others, of which some leave the range."""
    above, below = a * a + b * b, c * c + d * d
    m = T.maximum(T.abs(c), T.abs(d))
    apart = (T.sqr(a / m) + T.sqr(b / m)) / (T.sqr(c / m) + T.sqr(d / m))
    for r in RANGES:
        kept = T.or_(T.and_(inside(above, r), inside(below, r)), T.eq(m, 0))
        written = T.switch(T.or_(kept, T.isinf(m)), above / below, apart)
        yield eq(above / below, written).when(r.guard(a))


@relation(family="accuracy", where="digits")
def root_of_squares_over(a: Float, b: Float, c: Float, d: Float) -> Iterator[Eq]:
    """A length of sides that are divided by roots: of a sum of squares over numbers."""
    root = T.sqrt(a * a / c + b * b / d)
    for r in RANGES:
        x, y = a / T.sqrt(c), b / T.sqrt(d)
        s = scale(T.maximum(T.abs(x), T.abs(y)), r)
        length = T.sqrt((x * s) * (x * s) + (y * s) * (y * s)) / s
        positive = T.and_(T.gt(c, 0), T.gt(d, 0))
        inside = T.lt(T.maximum(T.abs(a), T.abs(b)), r.high)
        kept = T.and_(inside, T.gt(T.minimum(T.abs(a), T.abs(b)), r.low))
        chosen = T.switch(T.or_(kept, T.invert(positive)), root, length)
        yield eq(root, chosen).when(r.guard(a))


@relation(family="accuracy", where="digits")
def one_and_cosine(x: Float, y: Float) -> Iterator[Eq]:
    """One and the cosine of an angle near a half turn, by its sine."""
    for r in RANGES:
        s = scale(T.maximum(T.abs(x), T.abs(y)), r)
        for side in (x, -x):
            far, near = side * s, y * s
            length = T.sqrt(far * far + near * near)
            share = near / length * (near / (length - far))
            written = 1 + side / T.sqrt(x * x + y * y)
            cancels = T.and_(T.lt(side, 0), T.lt(T.abs(y), inf))
            yield eq(written, T.switch(cancels, share, written)).when(r.guard(x))


@cosine_of_sides.example
def _cosine() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    s, t = scale_of(at.maximum(abs(a), abs(b))), scale_of(at.maximum(abs(c), abs(d)))
    over = (a * c + b * d) / (at.sqrt(a**2 + b**2) * at.sqrt(c**2 + d**2))
    a, b, c, d = a * s, b * s, c * t, d * t
    return over, (a * c + b * d) / (at.sqrt(a * a + b * b) * at.sqrt(c * c + d * d))


@cosine_of_sides.non_example
def _of_another_vector() -> Any:
    a, b, c, d, e = at.dvectors("a", "b", "c", "d", "e")
    return (a * c + b * e) / (at.exp(a * a + b * b) * at.exp(c * c + d * d))


@one_and_cosine.example
def _half_angle() -> tuple[Any, Any]:
    x, y = at.dvectors("x", "y")
    s = scale_of(at.maximum(abs(x), abs(y)))
    length = at.sqrt((x * s) * (x * s) + (y * s) * (y * s))
    share = y * s / length * (y * s / (length - x * s))
    written = 1 + x / at.sqrt(x**2 + y**2)
    return written, at.switch(at.and_(at.lt(x, 0.0), at.lt(abs(y), number(inf))), share, written)


@one_and_cosine.non_example
def _two_and_cosine() -> Any:
    x, y = at.dvectors("x", "y")
    return 2 + x / at.exp(x**2 + y**2)


@squares_over_squares.example
def _over_sum() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    above, below, m = a**2 + b**2, c**2 + d**2, at.maximum(abs(c), abs(d))
    kept = at.and_(inside(above, DOUBLES, at), inside(below, DOUBLES, at))
    kept = at.or_(at.or_(kept, at.eq(m, 0.0)), at.isinf(m))
    parts = [at.square(side / m) for side in (a, b, c, d)]
    apart = (parts[0] + parts[1]) / (parts[2] + parts[3])
    return above / below, at.switch(kept, above / below, apart)


@squares_over_squares.non_example
def _over_a_length() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return (a**2 + b**2) / c


@over_large_square.example
def _lorentzian() -> tuple[Any, Any]:
    b, c = at.dvectors("b", "c")
    written = b / (c + b**2)
    return written, at.switch(at.gt(abs(b), DOUBLES.high), 1.0 / (b + c / b), written)


@over_large_square.non_example
def _over_a_line() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return a / (c + b)


@root_of_squares_over.example
def _standard_error() -> tuple[Any, Any]:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    root = at.sqrt(a**2 / c + b**2 / d)
    x, y = a / at.sqrt(c), b / at.sqrt(d)
    s = scale_of(at.maximum(abs(x), abs(y)))
    length = at.sqrt((x * s) * (x * s) + (y * s) * (y * s)) / s
    inside = at.lt(at.maximum(abs(a), abs(b)), DOUBLES.high)
    kept = at.and_(inside, at.gt(at.minimum(abs(a), abs(b)), DOUBLES.low))
    positive = at.and_(at.gt(c, 0.0), at.gt(d, 0.0))
    return root, at.switch(at.or_(kept, at.invert(positive)), root, length)


@root_of_squares_over.non_example
def _root_of_fractions() -> Any:
    a, b, c, d = at.dvectors("a", "b", "c", "d")
    return at.sqrt(a / c + b / d)
