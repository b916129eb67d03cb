r"""Accuracy: distances, $|x|^2 + |y|^2 - 2 x \\cdot y$, which cancel where points are near.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 1.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, relation, same_shape


def _distances(one: Any, other: Any, products: Any, apart: Any) -> Iterator[Eq]:
    """Squares of both less twice the products, the half of it, and what it is less than."""
    yield eq(one + other - 2 * products, apart)
    yield eq(2 * products - one - other, -apart)
    yield eq(0.5 * one + 0.5 * other - products, 0.5 * apart)
    yield eq(products - 0.5 * one - 0.5 * other, -0.5 * apart)


@relation(family="accuracy")
def distance_by_differences(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    """A squared distance is the sum of the squares of differences."""
    one, other = (T.sum(T.sqr(v), axis) for v in (x, y))
    for equation in _distances(one, other, T.sum(x * y, axis), T.sum(T.sqr(x - y), axis)):
        yield equation.when(same_shape(x, y))


@relation(family="accuracy")
def distance_by_dot(u: Ndim[1], v: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    """A squared distance of vectors, whose products a dot product adds up."""
    apart = T.sum(T.sqr(T.sub(u, v)), (0,))
    one, other = (T.sum(T.sqr(x), (0,)) for x in (u, v))
    yield from _distances(one, other, T.dot(u, v), apart)
    yield from _distances(T.dot(u, u), T.dot(v, v), T.dot(u, v), apart)


@relation(family="accuracy")
def distances_of_rows(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    """Squared distances of each row of a matrix from each row of another."""
    down = T.sum(T.sqr(a), (1,), keepdims=True)
    across = T.dimshuffle(T.sum(T.sqr(b), (1,)), ("x", 0))
    apart = T.dimshuffle(a, (0, "x", 1)) - T.dimshuffle(b, ("x", 0, 1))
    products = T.dot(a, T.dimshuffle(b, (1, 0)))
    yield from _distances(down, across, products, T.sum(T.sqr(apart), (2,)))


@distance_by_differences.example
def _along_rows() -> tuple[Any, Any]:
    x, y = at.dmatrices("x", "y")
    written = (x**2).sum(axis=1) + (y**2).sum(axis=1) - 2 * (x * y).sum(axis=1)
    return written, ((y - x) ** 2).sum(axis=1)


@distance_by_differences.non_example
def _another_product() -> Any:
    x, y = at.dmatrices("x", "y")
    return (x**2).sum(axis=1) + (y**2).sum(axis=1) - 3 * (x * y).sum(axis=1)


@distance_by_dot.example
def _of_vectors() -> tuple[Any, Any]:
    u, v = at.dvectors("u", "v")
    return (u**2).sum() + (v**2).sum() - 2 * at.dot(u, v), ((u - v) ** 2).sum()


@distance_by_dot.non_example
def _of_others() -> Any:
    u, v, w = at.dvectors("u", "v", "w")
    return (u**2).sum() + (v**2).sum() - 2 * at.dot(u, w)


@distances_of_rows.example
def _of_rows() -> tuple[Any, Any]:
    a, b = at.dmatrices("a", "b")
    written = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * at.dot(a, b.T)
    return written, ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)


@distances_of_rows.non_example
def _of_columns() -> Any:
    a, b = at.dmatrices("a", "b")
    return (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * at.dot(a, b)
