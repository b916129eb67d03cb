r"""Entropy of a softmax: $H = \log \sum_j e^{x_j} - \sum_i x_i e^{x_i} / \sum_j e^{x_j}$.

Both terms grow with x while their difference stays below $\log n$: as $-\sum p \log p$ nothing
large is subtracted.  Of two classes it is $\log(1 + e^x) - x e^x / (1 + e^x)$, which is the same
for $x$ and $-x$: $\log(1 + e^{-|x|}) + |x| \sigma(-|x|)$.

References
----------
C. E. Shannon, "A mathematical theory of communication", Bell System Technical Journal 27, 1948.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import log_softmax, softmax

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, one_axis_or_all, relation


@relation(where="exponents")
def entropy_difference(x: Float, w: ConstantAlong["axis"], axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """A log-sum less the average exponent is an entropy; w is an inverse temperature."""
    for logits, scale in ((x, None), (w * x, w)):
        total = T.sum(T.exp(logits), axis, keepdims=True)
        average = T.sum(x * T.exp(logits), axis, keepdims=True) / total
        entropy = -T.sum(T.softmax(logits, axis) * T.log_softmax(logits, axis), axis, keepdims=True)
        mean = average if scale is None else scale * average
        yield eq(T.log(total) - mean, entropy).when(one_axis_or_all(axis, x))


@relation(where="exponents")
def binary_entropy_difference(x: Float, y: Float, w: Float) -> Iterator[Eq]:
    """A softplus less the average exponent is an entropy; w is an inverse temperature."""
    for gap, shares in ((x, [x]), (x - y, [x - y]), (x - y, [x, -y])):
        for logit, scale in ((gap, None), (w * gap, None), (w * gap, w)):
            p = T.exp(logit) / (1 + T.exp(logit))
            log, size = T.log(1 + T.exp(logit)), abs(logit)
            difference = log if scale is None else log / scale
            for share in shares:
                difference -= (share if logit is gap or scale is w else w * share) * p
            if scale is None:
                yield eq(difference, T.softplus(-size) + size * T.sigmoid(-size))
            else:  # not size / w, which is inf / inf where w is infinite
                average = T.sgn(w) * abs(gap) * T.sigmoid(-size)
                yield eq(difference, T.softplus(-size) / w + average)


@entropy_difference.example
def _difference() -> tuple[Any, Any]:
    x = at.matrix("x")
    e = at.exp(x)
    s = e.sum(axis=1, keepdims=True)
    written = at.log(s) - (x * e).sum(axis=1, keepdims=True) / s
    return written, -(softmax(x, axis=1) * log_softmax(x, axis=1)).sum(axis=1, keepdims=True)


@entropy_difference.non_example
def _another_average() -> Any:
    x, y = at.matrices("x", "y")
    e = at.exp(x)
    s = e.sum(axis=1, keepdims=True)
    return at.log(s) - (y * e).sum(axis=1, keepdims=True) / s


@binary_entropy_difference.example
def _of_two() -> tuple[Any, Any]:
    x = at.vector("x")
    size = abs(x)
    written = at.log(1 + at.exp(x)) - x * at.exp(x) / (1 + at.exp(x))
    return written, at.softplus(-size) + size * at.sigmoid(-size)


@binary_entropy_difference.non_example
def _of_another() -> Any:
    x, y = at.vectors("x", "y")
    return at.log(1 + at.exp(x)) - y * at.exp(x) / (1 + at.exp(x))
