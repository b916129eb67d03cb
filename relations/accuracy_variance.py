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

from kanrewrite import Axis, Eq, Float, T, eq, relation


@relation(family="accuracy")
def variance_by_deviations(x: Float, axis: Axis) -> Iterator[Eq]:
    """A variance is the mean of the squares of deviations, which are small where it is."""
    deviation = x - T.mean(x, axis, keepdims=True)
    yield eq(T.mean(T.sqr(x), axis) - T.sqr(T.mean(x, axis)), T.mean(T.sqr(deviation), axis))


@variance_by_deviations.example
def _variance() -> tuple[Any, Any]:
    x: Any = at.dmatrix("x")
    deviation = x - x.mean(axis=1, keepdims=True)
    return (x**2).mean(axis=1) - x.mean(axis=1) ** 2, (deviation**2).mean(axis=1)


@variance_by_deviations.non_example
def _means_added() -> Any:
    x: Any = at.dmatrix("x")
    return (x**2).mean(axis=1) + x.mean(axis=1) ** 2
