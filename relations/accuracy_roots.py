r"""Accuracy: roots of quadratics, by the sign that adds and a discriminant that stays in range.

With $h = \sqrt{|q|}$ the discriminant is $b^2 + h^2$, a length, or $(|b| - h)(|b| + h)$.

References
----------
G. E. Forsythe, "How do you solve a quadratic equation?", Stanford CS40, 1966.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.relations.accuracy_ranges import (
    RANGES,
    Range,
    scale,
    scale_of,
)


def _spread(b: Any, k: float, a: Any, c: Any, r: Range) -> Any:
    r"""$\sqrt{b^2 - k a c}$, nothing squared out of range."""
    size, h = T.abs(b), T.sqrt(T.abs(a)) * T.sqrt(T.abs(k * c))
    s = scale(T.maximum(size, h), r)
    apart = T.sqrt(size - h) * T.sqrt(size + h)
    length = T.sqrt((size * s) * (size * s) + (h * s) * (h * s)) / s
    return T.switch(T.lt(T.sgn(a) * T.sgn(c) * k, 0), length, apart)


#: What stands before the product, and what the root is divided by.
SHAPES = ((4.0, 2.0), (1.0, 1.0), (3.0, 3.0), (-4.0, 2.0), (-1.0, 1.0))


@relation(family="accuracy", where="digits")
def quadratic_root(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """One root is computed where b and the root of the discriminant add up, else from the other."""
    for r in RANGES:
        for k, n in SHAPES:
            written = T.sqrt(b * b - k * a * c)
            d = _spread(b, k, a, c, r)
            sums, differences = (d - b) / (n * a), (-b - d) / (n * a)
            near = T.switch(T.gt(b + d, 0), (-k / n) * (c / (b + d)), sums)
            far = T.switch(T.gt(d - b, 0), (k / n) * (c / (d - b)), differences)
            plus = T.switch(T.lt(b, 0), sums, near)
            minus = T.switch(T.gt(b, 0), differences, far)
            yield eq((written - b) / (n * a), plus).when(r.guard(a))
            yield eq((-b - written) / (n * a), minus).when(r.guard(a))
            yield eq((b + written) / (n * a), -minus).when(r.guard(a))


@relation(family="accuracy", where="digits")
def discriminant_root(a: Float, b: Float, c: Float) -> Iterator[Eq]:
    """The root of a discriminant, over the whole range."""
    for r in RANGES:
        for k in (4.0, 3.0, 1.0, -4.0):
            yield eq(T.sqrt(b * b - k * a * c), _spread(b, k, a, c, r)).when(r.guard(a))


@relation(family="accuracy", where="digits")
def root_less_side(b: Float, c: Float) -> Iterator[Eq]:
    """The root of a square and a little, less what is squared: by the conjugate."""
    root = T.sqrt(b * b + c)
    infinite = T.isinf(c)
    yield eq(root - b, T.switch(T.or_(T.le(b, 0), infinite), root - b, c / (root + b)))
    yield eq(root + b, T.switch(T.or_(T.ge(b, 0), infinite), root + b, c / (root - b)))


@quadratic_root.example
def _root() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    root = (-b + at.sqrt(b**2 - 4 * a * c)) / (2 * a)
    return root, _stable(a, b, c)


def _stable(a: Any, b: Any, c: Any) -> Any:
    size, h = abs(b), at.sqrt(abs(a)) * at.sqrt(abs(4.0 * c))
    m = at.maximum(size, h)
    s = scale_of(m)
    apart = at.sqrt(size - h) * at.sqrt(size + h)
    length = at.sqrt((size * s) * (size * s) + (h * s) * (h * s)) / s
    d = at.switch(at.lt(at.sgn(a) * at.sgn(c) * 4.0, 0.0), length, apart)
    sums = (d - b) / (2.0 * a)
    near = at.switch(at.gt(b + d, 0.0), -2.0 * (c / (b + d)), sums)
    return at.switch(at.lt(b, 0.0), sums, near)


@quadratic_root.non_example
def _another_denominator() -> Any:
    a, b, c, e = at.dvectors("a", "b", "c", "e")
    return (-b + at.sin(b**2 - 4 * a * c)) / (2 * e)


@discriminant_root.example
def _discriminant() -> tuple[Any, Any]:
    a, b, c = at.dvectors("a", "b", "c")
    size, h = abs(b), at.sqrt(abs(a)) * at.sqrt(abs(4.0 * c))
    m = at.maximum(size, h)
    s = scale_of(m)
    apart = at.sqrt(size - h) * at.sqrt(size + h)
    length = at.sqrt((size * s) * (size * s) + (h * s) * (h * s)) / s
    chosen = at.switch(at.lt(at.sgn(a) * at.sgn(c) * 4.0, 0.0), length, apart)
    return at.sqrt(b**2 - 4 * a * c), chosen


@discriminant_root.non_example
def _cubed() -> Any:
    a, b, c = at.dvectors("a", "b", "c")
    return at.cos(b**3 - 4 * a * c)


@root_less_side.example
def _hyperbola() -> tuple[Any, Any]:
    b, c = at.fvectors("b", "c")
    root = at.sqrt(b**2 + c)
    as_it_is = at.or_(at.le(b, 0), at.isinf(c))
    return root - b, at.switch(as_it_is, root - b, c / (root + b))


@root_less_side.non_example
def _another_side() -> Any:
    a, b, c = at.fvectors("a", "b", "c")
    return at.sin(b * b + c) - a
