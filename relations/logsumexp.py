r"""Logsumexp: $\log \sum_j e^{x_j} = m + \log \sum_j e^{x_j - m}$ for every $m$.

With $m = \max_j x_j$ every exponential is at most 1 and one of them is 1, so nothing overflows
and the sum does not vanish.

References
----------
P. Blanchard, D. J. Higham and N. J. Higham, "Accurately computing the log-sum-exp and softmax
functions", IMA Journal of Numerical Analysis 41(4), 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, ops, relation


@relation(where="exponents")
def logsumexp_shift(x: Float, axis: Axis) -> Iterator[Eq]:
    """The largest exponent leaves a sum of exponentials (0 where it is infinite)."""
    top = T.shift(x, axis)
    yield eq(
        T.log(T.sum(T.exp(x), axis, keepdims=True)),
        top + T.log(T.sum(T.exp(x - top), axis, keepdims=True)),
    )


@logsumexp_shift.example
def _shifted() -> tuple[Any, Any]:
    x = at.matrix("x")
    top = cast(Any, ops.Supremum((1,))(x)).dimshuffle(0, "x")
    top = at.switch(at.isinf(top), 0.0, top)
    shifted = at.exp(x - top).sum(axis=1, keepdims=True)
    # One of the exponentials is 1, so log1p(s - 1) loses nothing.
    return at.log(at.exp(x).sum(axis=1, keepdims=True)), top + at.log1p(shifted - 1.0)


@logsumexp_shift.non_example
def _not_exponentials() -> Any:
    x = at.matrix("x")
    return at.log(at.cosh(x).sum(axis=1, keepdims=True))


@logsumexp_shift.non_example
def _a_lone_sum() -> Any:
    return at.exp(at.matrix("x")).sum(axis=1)
