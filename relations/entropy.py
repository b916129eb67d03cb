r"""Entropy of a softmax: $H = \log \sum_j e^{x_j} - \sum_i x_i e^{x_i} / \sum_j e^{x_j}$.

Both terms grow with x while their difference stays below $\log n$: as $-\sum p \log p$ nothing
large is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import log_softmax, softmax

from kanrewrite import Axis, ConstantAlong, Eq, Float, T, eq, one_axis_or_all, relation


@relation
def entropy_difference(x: Float, w: ConstantAlong["axis"], axis: Axis) -> Iterator[Eq]:  # type: ignore[name-defined, valid-type]  # noqa: F821, UP037
    """A log-sum less the average exponent is an entropy; w is an inverse temperature."""
    for logits, scale in ((x, None), (w * x, w)):
        total = T.sum(T.exp(logits), axis, keepdims=True)
        average = T.sum(x * T.exp(logits), axis, keepdims=True) / total
        entropy = -T.sum(T.softmax(logits, axis) * T.log_softmax(logits, axis), axis, keepdims=True)
        mean = average if scale is None else scale * average
        yield eq(T.log(total) - mean, entropy).when(one_axis_or_all(axis, x))


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
