r"""Log-softmax: $\log \sigma(x)_i = x_i - \log \sum_j e^{x_j}$.

References
----------
P. Blanchard, D. J. Higham and N. J. Higham, "Accurately computing the log-sum-exp and softmax
functions", IMA Journal of Numerical Analysis 41(4), 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import log_softmax

from kanrewrite import Axis, Eq, Float, T, eq, nonnegative, one_axis_or_all, relation, same_shape


@relation(role=("rewrite", "define"), where="exponents")
def log_softmax_difference(x: Float, axis: Axis) -> Iterator[Eq]:
    """What is left of x when the log of the sum of its exponentials is taken away."""
    total = T.sum(T.exp(x), axis, keepdims=True)
    yield eq(x - T.log(total), T.log_softmax(x, axis)).when(one_axis_or_all(axis, x))


@relation(where="exponents")
def log_of_the_others(e: Float, w: Float, axis: Axis) -> Iterator[Eq]:
    r"""The log of a sum without one term: $\log(s - e_i) - \log s = -\log(1 + e_i / (s - e_i))$.

    Where that term is negligible beside the others, the logs differ by less than their rounding.
    An option beside the sum, as the 1 of $e_i / (1 + s)$, is one of the others.
    """
    total = T.sum(e, axis, keepdims=True)
    odds = T.log(e) - T.log(total - e)
    yield eq(T.log(total - e) - T.log(total), -T.softplus(odds)).when(nonnegative(e))
    odds = T.log(e) - T.log(w + (total - e))
    whole = T.log(w + (total - e)) - T.log(w + total)
    yield eq(whole, -T.softplus(odds)).when(nonnegative(e))


@relation(where="exponents")
def log_of_the_unmasked(c: Float, d: Float, x: Float, w: Float, axis: Axis) -> Iterator[Eq]:
    r"""The log of what a mask leaves of a sum: $\log(s - k) - \log s = -\log(1 + k / (s - k))$.

    Where what is masked is negligible, the logs differ by less than their rounding.  An option
    beside the sum is never masked.
    """
    e = T.exp(x)
    total, kept, hidden = (
        T.sum(a, axis, keepdims=True) for a in (e, T.switch(c, e, 0), T.switch(c, 0, e))
    )
    for left, other in ((kept, hidden), (hidden, kept)):
        odds = T.log(other) - T.log(left)
        yield eq(T.log(left) - T.log(total), -T.softplus(odds)).when(same_shape(x, c))
        odds = T.log(other) - T.log(w + left)
        yield eq(T.log(w + left) - T.log(w + total), -T.softplus(odds)).when(same_shape(x, c))
    both = T.sum(T.switch(c, T.switch(d, e, 0), 0), axis, keepdims=True)
    odds = T.log(T.sum(T.switch(c, T.switch(d, 0, e), e), axis, keepdims=True)) - T.log(both)
    whole = same_shape(x, c), same_shape(x, d)
    yield eq(T.log(both) - T.log(total), -T.softplus(odds)).when(*whole)


@log_softmax_difference.example
def _difference() -> tuple[Any, Any]:
    x = at.matrix("x")
    return x - at.log(at.exp(x).sum(axis=1, keepdims=True)), log_softmax(x, axis=1)


@log_softmax_difference.example
def _log_of_quotient() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    return at.log(e / e.sum(axis=0)), log_softmax(x, axis=0)


@log_softmax_difference.non_example
def _sum() -> Any:
    x = at.matrix("x")
    return x + at.log(at.exp(x).sum(axis=1, keepdims=True))


@log_softmax_difference.non_example
def _other_input() -> Any:
    x, y = at.matrices("x", "y")
    return y - at.log(at.exp(x).sum(axis=1, keepdims=True))


@log_of_the_others.example
def _log_of_one_less_a_share() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    s = e.sum(axis=1, keepdims=True)
    return at.log(1 - e / s), -at.softplus(x - at.log(s - e))


@log_of_the_others.example
def _log_of_one_less_a_share_beside_one() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    s = e.sum(axis=1, keepdims=True)
    return at.log(1 - e / (1 + s)), -at.softplus(x - at.log(1 + (s - e)))


@log_of_the_others.non_example
def _log_of_one_and_a_share() -> Any:
    x = at.matrix("x")
    e = at.exp(x)
    return at.log(1 + e / e.sum(axis=1, keepdims=True))


@log_of_the_unmasked.example
def _log_of_the_unmasked_share() -> tuple[Any, Any]:
    c, x = at.matrices("c", "x")
    e = at.exp(x)
    left, masked = at.switch(c, 0, e).sum(axis=1), at.switch(c, e, 0).sum(axis=1)
    return at.log(left / e.sum(axis=1)), -at.softplus(at.log(masked) - at.log(left))


@log_of_the_unmasked.non_example
def _log_of_another_share() -> Any:
    c, x = at.matrices("c", "x")
    e = at.exp(x)
    return at.log(at.switch(c, 0, e).sum(axis=1) / at.exp(2 * x).sum(axis=1))
