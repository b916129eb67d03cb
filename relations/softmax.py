r"""Softmax: $\sigma(x)_i = e^{x_i} / \sum_j e^{x_j}$, and averages weighted by it.

References
----------
P. Blanchard, D. J. Higham and N. J. Higham, "Accurately computing the log-sum-exp and softmax
functions", IMA Journal of Numerical Analysis 41(4), 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import softmax

from kanrewrite import Axis, Eq, Float, T, eq, one_axis_or_all, relation


@relation(role=("rewrite", "define"), where="exponents")
def softmax_quotient(x: Float, axis: Axis) -> Iterator[Eq]:
    """An exponential over the sum of its like is a softmax, and so are the weights of an average.

    That of averages follows from `sum_lifts`, by which the divisor has left the sum.
    """
    total = T.sum(T.exp(x), axis, keepdims=True)
    yield eq(T.exp(x) / total, T.softmax(x, axis)).when(one_axis_or_all(axis, x))


@softmax_quotient.example
def _power() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    return e * e.sum(axis=1, keepdims=True) ** -1, softmax(x, axis=1)


@softmax_quotient.example
def _quotient() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    return e / e.sum(axis=1, keepdims=True), softmax(x, axis=1)


@softmax_quotient.example
def _reciprocal() -> tuple[Any, Any]:
    x = at.matrix("x")
    return at.exp(x) * (1 / at.exp(x).sum(axis=0)), softmax(x, axis=0)


@softmax_quotient.non_example
def _other_axis() -> Any:
    x = at.matrix("x")
    return at.exp(x) / at.exp(x).sum(axis=1)


@softmax_quotient.non_example
def _other_input() -> Any:
    x, y = at.matrices("x", "y")
    return at.exp(x) / at.exp(y).sum(axis=1, keepdims=True)


@softmax_quotient.example
def _average() -> tuple[Any, Any]:
    x, z = at.matrices("x", "z")
    e = at.exp(x)
    return (z * e).sum(axis=1) / e.sum(axis=1), (z * softmax(x, axis=1)).sum(axis=1)


@softmax_quotient.non_example
def _average_over_less() -> Any:
    x, z = at.matrices("x", "z")
    return (z * at.exp(x)).sum() / at.exp(x).sum(axis=0)
