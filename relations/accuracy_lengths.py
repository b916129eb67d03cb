r"""Accuracy: lengths, $\sqrt{x^2 + y^2}$ and its kin, over the whole range of a dtype.

What is squared is first multiplied by a power of two where its square would leave the range, which
rounds nothing: elsewhere the result is bit for bit what it was.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 27.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, computed, eq, relation
from kanrewrite.relations.accuracy_ranges import (
    RANGES,
    Range,
    inside,
    number,
    scale,
    scale_of,
)


def _largest(*sizes: Any) -> Any:
    return reduce(T.maximum, map(T.abs, sizes))


def _root_of_sum(sides: Sequence[Any], r: Range) -> Any:
    """The root of a sum of squares."""
    s = scale(_largest(*sides), r)
    return T.sqrt(reduce(T.add, [(side * s) * (side * s) for side in sides])) / s


def _apart(x: Any, y: Any, s: Any = 1) -> Any:
    """A difference of squares of multiples, as a product unless they are far from each other.

    What is subtracted or added before it is multiplied may cancel as symbols.
    """
    apart = x * x - y * y if s == 1 else (x * s) * (x * s) - (y * s) * (y * s)
    sides = (x - y, x + y) if s == 1 else ((x - y) * s, (x + y) * s)
    size = x * x if s == 1 else (x * s) * (x * s)
    return T.switch(T.gt(2 * T.abs(apart), size), apart, sides[0] * sides[1])


def _root_of_difference(x: Any, y: Any, r: Range) -> Any:
    """The root of a difference of squares."""
    s = scale(_largest(x, y), r)
    return T.sqrt(_apart(x, y, s)) / s


def _root_of_square(x: Any, c: Any, r: Range) -> Any:
    """The root of a square, which leaves the range, and something else."""
    return T.sqrt((x * r.down) * (x * r.down) + (c * r.down) * r.down) * r.up


@relation(family="accuracy", where="digits")
def scaled_length(x: Float, y: Float, z: Float, w: Float) -> Iterator[Eq]:
    """Squares are taken of what is in range."""
    for r in RANGES:
        for sides in ((x, y, z, w), (x, y, z), (x, y)):
            length = T.sqrt(reduce(T.add, [side * side for side in sides]))
            yield eq(length, _root_of_sum(sides, r)).when(r.guard(x))
    root = T.sqrt(x * x)  # beside other factors, whose root is no number, 0 is what it was
    yield eq(root, T.switch(T.eq(x, 0), root, T.abs(x)))


@relation(family="accuracy", where="digits")
def scaled_leg(x: Float, y: Float) -> Iterator[Eq]:
    """A difference of squares is a product, which cancels nothing."""
    for r in RANGES:
        yield eq(T.sqrt(x * x - y * y), _root_of_difference(x, y, r)).when(r.guard(x))
        yield eq(T.sqrt(x * x - 1), _root_of_difference(x, 1, r)).when(r.guard(x))
    yield eq(T.sqrt(1 - x * x), T.sqrt(_apart(1, x)))
    size, other = T.abs(x), T.abs(y)  # whose quotient rounds how far it is from 1
    less = T.sqrt((size - other) / other) * T.sqrt(size / other + 1)
    yield eq(T.sqrt((x * x) / (y * y) - 1), less).when(computed(x), computed(y))


@relation(family="accuracy", where="digits")
def scaled_square(x: Float, c: Float) -> Iterator[Eq]:
    """A square that leaves the range does so after the root is taken."""
    for r in RANGES:
        root = T.sqrt(x * x + c)
        scaled = T.switch(T.gt(T.abs(x), r.high), _root_of_square(x, c, r), root)
        yield eq(root, scaled).when(r.guard(x))


@relation(family="accuracy", where="digits")
def law_of_cosines(a: Float, b: Float, t: Float) -> Iterator[Eq]:
    """The third side of a triangle, by how far the others are from each other."""
    squares = a * a + b * b - 2 * a * b * T.cos(t)
    for r in RANGES:
        s, root = scale(_largest(a, b), r), T.sqrt(squares)
        sides = (a * s - b * s, 4 * ((a * s) * (b * s)))
        third = T.sqrt(sides[0] * sides[0] + sides[1] * T.sqr(T.sin(t / 2))) / s
        yield eq(root, T.switch(T.isinf(_largest(a, b)), root, third)).when(r.guard(a))
    apart = 4 * (a * b) * T.sqr(T.sin(t / 2)) - (a - b) * (b - a)
    yield eq(squares, T.switch(T.isinf(_largest(a, b)), squares, apart))


@relation(family="accuracy", where="digits")
def log_of_squares(x: Float, y: Float) -> Iterator[Eq]:
    """The log of squares that leave the range is twice that of a length, which does not."""
    total = x * x + y * y
    less = T.switch(T.gt(T.abs(x), T.abs(y)), (x - 1) * (x + 1) + y * y, (y - 1) * (y + 1) + x * x)
    for r in RANGES:
        apart = T.switch(inside(total, r), T.log(total), 2 * T.log(_root_of_sum((x, y), r)))
        near = T.lt(T.abs(total - 1), 0.5)
        yield eq(T.log(total), T.switch(near, T.log1p(less), apart)).when(r.guard(x))
        yield eq(T.log(x * x - y * y), 2 * T.log(_root_of_difference(x, y, r))).when(r.guard(x))
    yield eq(T.log(x * x), 2 * T.log(T.abs(x)))


@relation(family="accuracy", where="digits")
def squares_difference(x: Float, y: Float) -> Iterator[Eq]:
    """A difference of squares is a product, which cancels nothing."""
    yield eq(x * x - y * y, _apart(x, y))
    yield eq(x * x - 1, _apart(x, 1))
    yield eq(1 - x * x, _apart(1, x))
    near = T.lt(2 * T.abs(x - y), T.abs(x))
    cubes, fourth = x * x * x - y * y * y, T.sqr(x * x) - T.sqr(y * y)
    yield eq(cubes, T.switch(near, (x - y) * (x * x + x * y + y * y), cubes))
    yield eq(fourth, T.switch(near, (x - y) * ((x + y) * (x * x + y * y)), fourth))
    yield eq((x * x * x - y * y * y) / (x - y), x * x + x * y + y * y)
    variance = (x * x + y * y) / 2 - T.sqr((x + y) / 2)
    yield eq(variance, T.sqr((x - y) / 2))
    yield eq(T.sqrt(variance), T.abs(x - y) / 2)
    yield eq(x * x + y * y - 2 * x * y, T.sqr(x - y))
    yield eq(x * x + y * y + 2 * x * y, T.sqr(x + y))
    yield eq(x * x + 1 - 2 * x, T.sqr(x - 1))
    yield eq(x * x + 1 + 2 * x, T.sqr(x + 1))


@scaled_length.example
def _length() -> tuple[Any, Any]:
    x, y = at.dvectors("x", "y")
    m = at.maximum(abs(x), abs(y))
    s = scale_of(m)
    return at.sqrt(x**2 + y**2), at.sqrt((x * s) * (x * s) + (y * s) * (y * s)) / s


@scaled_length.non_example
def _root_of_a_product() -> Any:
    x, y = at.dvectors("x", "y")
    return at.sqrt(x * y)


@scaled_leg.example
def _leg() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    apart = 1 - x**2
    far = at.gt(2.0 * abs(apart), 1.0)
    return at.sqrt(apart), at.sqrt(at.switch(far, apart, (1 - x) * (1 + x)))


@scaled_leg.non_example
def _sum_of_squares() -> Any:
    x, y = at.dvectors("x", "y")
    return at.sqrt(x * x + y)


@scaled_square.example
def _square() -> tuple[Any, Any]:
    x, c = at.dvectors("x", "c")
    down, up = number(2.0**-600), number(2.0**600)
    scaled = at.sqrt((x * down) * (x * down) + (c * down) * down) * up
    written = at.sqrt(x**2 + c)
    return written, at.switch(at.gt(abs(x), number(2.0**500)), scaled, written)


@scaled_square.non_example
def _linear() -> Any:
    x, c = at.dvectors("x", "c")
    return at.sqrt(x + c)


@law_of_cosines.example
def _third_side() -> tuple[Any, Any]:
    a, b, t = at.dvectors("a", "b", "t")
    squares = a * a + b * b - 2 * a * b * at.cos(t)
    apart = 4.0 * (b * a) * at.square(at.sin(t / 2.0)) - (a - b) * (b - a)
    return squares, at.switch(at.isinf(at.maximum(abs(b), abs(a))), squares, apart)


@law_of_cosines.non_example
def _by_sine() -> Any:
    a, b, t = at.dvectors("a", "b", "t")
    return a * a + b * b - 2 * a * b * at.sin(t)


@squares_difference.example
def _squares() -> tuple[Any, Any]:
    x, y = at.dvectors("x", "y")
    apart = x**2 - y**2
    return apart, at.switch(at.gt(2.0 * abs(apart), x**2), apart, (x - y) * (x + y))


@squares_difference.non_example
def _sum_of_two_squares() -> Any:
    x, y = at.dvectors("x", "y")
    return x**2 + y**2


@log_of_squares.example
def _log() -> tuple[Any, Any]:
    x: Any = at.dvector("x")
    return at.log(x**2), 2 * at.log(abs(x))


@log_of_squares.non_example
def _log_of_square() -> Any:
    x, y = at.dvectors("x", "y")
    return at.log(x**2 + y)
