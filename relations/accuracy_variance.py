"""Accuracy: variances, which cancel where they are small beside a mean.

References
----------
T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance: analysis and
recommendations", The American Statistician 37(3), 1983.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, relation, same_shape


def _differences(*each: tuple[Any, Any, Any], factor: Any) -> Iterator[Eq]:
    """What differences are, and multiples of them: numbers are multiplied with each other."""
    for more, less, meant in each:
        yield eq(more - less, meant)
        yield eq(less - more, -meant)
        yield eq(factor * more - factor * less, factor * meant)
        yield eq(factor * less - factor * more, -(factor * meant))


@relation(family="accuracy")
def variance_by_deviations(x: Float, k: Float, axis: Axis) -> Iterator[Eq]:
    """A variance is the mean of the squares of deviations, which are small where it is."""
    squares, total = T.sum(T.sqr(x), axis), T.sqr(T.sum(x, axis))
    mean, n = T.sqr(T.mean(x, axis)), T.size(T.sqr(x), axis)
    deviations = T.sqr(x - T.mean(x, axis, keepdims=True))
    apart = T.sum(deviations, axis)
    yield from _differences(
        (T.mean(T.sqr(x), axis), mean, T.mean(deviations, axis)),
        (squares, n * mean, apart),
        (squares, total / n, apart),
        (n * squares, total, T.size(x, axis) * apart),
        factor=k,
    )


@relation(family="accuracy")
def covariance_by_deviations(x: Float, y: Float, k: Float, axis: Axis) -> Iterator[Eq]:
    """A covariance is the mean of the products of deviations."""
    products, total = T.sum(x * y, axis), T.sum(x, axis) * T.sum(y, axis)
    means, n = T.mean(x, axis) * T.mean(y, axis), T.size(x * y, axis)
    mine, other = (v - T.mean(v, axis, keepdims=True) for v in (x, y))
    apart = T.sum(mine * other, axis)
    for equation in _differences(
        (T.mean(x * y, axis), means, T.mean(mine * other, axis)),
        (products, n * means, apart),
        (products, total / n, apart),
        (n * products, total, T.size(x, axis) * apart),
        factor=k,
    ):
        yield equation.when(same_shape(x, y))


@variance_by_deviations.example
def _variance() -> tuple[Any, Any]:
    x: Any = at.dmatrix("x")
    deviation = x - x.mean(axis=1, keepdims=True)
    return (x**2).mean(axis=1) - x.mean(axis=1) ** 2, (deviation**2).mean(axis=1)


@variance_by_deviations.non_example
def _means_added() -> Any:
    x: Any = at.dmatrix("x")
    return (x**2).mean(axis=1) + x.mean(axis=1) ** 2


@covariance_by_deviations.example
def _covariance() -> tuple[Any, Any]:
    x, y = at.dmatrices("x", "y")
    deviations = [v - v.mean(axis=1, keepdims=True) for v in (x, y)]
    written = (x * y).mean(axis=1) - x.mean(axis=1) * y.mean(axis=1)
    return written, (deviations[0] * deviations[1]).mean(axis=1)


@covariance_by_deviations.non_example
def _product_of_others() -> Any:
    x, y, z = at.dmatrices("x", "y", "z")
    return (x * y).mean(axis=1) - x.mean(axis=1) * z.mean(axis=1)
