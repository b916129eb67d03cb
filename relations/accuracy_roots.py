r"""Accuracy: roots of quadratics, by the sign that adds and a discriminant that stays in range.

What is squared or multiplied is first multiplied by a power of two where a square or a product
would leave the range, which rounds nothing: elsewhere the discriminant is bit for bit what it was.

References
----------
G. E. Forsythe, "How do you solve a quadratic equation?", Stanford CS40, 1966.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.relations.accuracy_ranges import (
    RANGES,
    Range,
    number,
    scale,
    scale_of,
)


def _scale(b: Any, k: float, a: Any, c: Any, r: Range) -> Any:
    r"""The power of two for $b^2 - k a c$."""
    size = T.maximum(T.abs(b), abs(k) ** 0.5 * T.sqrt(T.abs(a)) * T.sqrt(T.abs(c)))
    return T.switch(T.isinf(size), 1, scale(size, r))


def _product(k: float, a: Any, c: Any) -> Any:
    return a * c if k == 1 else k * a * c


def _spread(b: Any, k: float, a: Any, c: Any, s: Any) -> Any:
    r"""$s \sqrt{b^2 - k a c}$, with the scale s, nothing squared out of range."""
    return T.sqrt((b * s) * (b * s) - k * ((a * s) * (c * s)))


def _adds(side: Any, d: Any) -> Any:
    """Whether a side and a root add up, to what can be divided by."""
    return T.and_(T.gt(side, 0), T.lt(d, inf))


def _over(x: Any, n: float, a: Any) -> Any:
    """What is in range over a multiple, which may not be."""
    return x / a if n == 1 else T.switch(T.isinf(n * a), x / a / n, x / (n * a))


#: What stands before the product, and what the root is divided by.
SHAPES = ((4.0, 2.0), (1.0, 1.0), (3.0, 3.0), (-4.0, 2.0), (-1.0, 1.0))


@relation(family="accuracy", where="digits")
def quadratic_root(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """One root is computed where b and the root of the discriminant add up, else from the other."""
    for r in RANGES:
        for k, n in SHAPES:
            written = T.sqrt(b * b - _product(k, a, c))
            s = _scale(b, k, a, c, r)
            side, d, half = b * s, _spread(b, k, a, c, s), T.sqrt(s)
            sums = _over((d - side) / half, n, a) / half
            differences = _over((-side - d) / half, n, a) / half
            near = (-k / n) * ((c * half) / (side + d) * half)
            far = (k / n) * ((c * half) / (d - side) * half)
            some = T.neq(a, 0)  # what is divided by 0 stays so
            plus = T.switch(T.and_(some, _adds(side, d)), near, sums)
            minus = T.switch(T.and_(some, _adds(-side, d)), far, differences)
            yield eq((written - b) / (n * a), plus).when(r.guard(a))
            yield eq((-b - written) / (n * a), minus).when(r.guard(a))
            yield eq((b + written) / (n * a), -minus).when(r.guard(a))


@relation(family="accuracy", where="digits")
def discriminant_root(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """The root of a discriminant, over the whole range."""
    for r in RANGES:
        for k in (4.0, 3.0, 1.0, -4.0):
            s = _scale(b, k, a, c, r)
            yield eq(T.sqrt(b * b - _product(k, a, c)), _spread(b, k, a, c, s) / s).when(r.guard(a))


@relation(family="accuracy", where="digits")
def root_less_side(b: Float, c: Float) -> Iterator[Eq]:
    """The root of a square and a little, less what is squared: by the conjugate."""
    root = T.sqrt(b * b + c)
    sums, less, some = root + b, root - b, T.neq(c, 0)  # which is 0 where it is out of range
    yield eq(less, T.switch(T.and_(some, _adds(b, sums)), c / sums, less))
    yield eq(sums, T.switch(T.and_(some, _adds(-b, less)), c / less, sums))
    positive = T.gt(b, 0)
    for k in (c, 1):
        less = T.sqrt(b * b + b * k) - b
        near, apart = T.lt(T.abs(k), b), T.sqrt(b) * T.sqrt(b + k) - b
        over = T.switch(near, k / (T.sqrt(1 + k / b) + 1), apart)
        yield eq(less, T.switch(positive, over, less))
    for side in (b, T.abs(b)):
        length = T.sqrt(b * b + c * c)
        less, large = length - side, T.and_(T.gt(side, 0), T.lt(length + side, inf))
        yield eq(less, T.switch(large, c / (length + side) * c, less))


@quadratic_root.example
def _root() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    root = (-b + at.sqrt(b**2 - 4 * a * c)) / (2 * a)
    return root, _stable(a, b, c)


def _stable(a: Any, b: Any, c: Any) -> Any:
    s, d = _scaled(a, b, c)
    side, half = b * s, at.sqrt(s)
    over = (d - side) / half
    sums = at.switch(at.isinf(2.0 * a), over / a / 2.0, over / (2.0 * a)) / half
    near = -2.0 * ((c * half) / (side + d) * half)
    adds = at.and_(at.gt(side, 0), at.lt(d, number(inf)))
    return at.switch(at.and_(at.neq(a, 0.0), adds), near, sums)


def _scaled(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    size = at.maximum(abs(b), 2.0 * at.sqrt(abs(a)) * at.sqrt(abs(c)))
    s = at.switch(at.isinf(size), 1.0, scale_of(size))
    return s, at.sqrt((b * s) * (b * s) - 4.0 * ((a * s) * (c * s)))


@quadratic_root.non_example
def _another_denominator() -> Any:
    a, b, c, e = at.dvectors("a", "b", "c", "e")
    return (-b + at.sin(b**2 - 4 * a * c)) / (2 * e)


@discriminant_root.example
def _discriminant() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    s, d = _scaled(a, b, c)
    return at.sqrt(b**2 - 4 * a * c), d / s


@discriminant_root.non_example
def _cubed() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return at.cos(b**3 - 4 * a * c)


@root_less_side.example
def _hyperbola() -> tuple[Any, Any]:
    b, c = at.fvectors("b", "c")
    root = at.sqrt(b**2 + c)
    adds = at.and_(at.gt(b, 0), at.lt(root + b, inf))
    return root - b, at.switch(at.and_(at.neq(c, 0), adds), c / (root + b), root - b)


@root_less_side.non_example
def _another_side() -> Any:
    a, b, c = at.fvectors("a", "b", "c")
    return at.sin(b * b + c) - a
