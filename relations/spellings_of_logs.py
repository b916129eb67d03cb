r"""Spellings: what people write for a log-softmax, a logsumexp, a sigmoid and a softplus.

As in `spellings`, left is what is written and right what is meant, and only searches use them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import log_softmax, softmax

from kanrewrite import Axis, Eq, Float, T, eq, one_axis_or_all, relation

Sides = tuple[Any, Any]


@relation(direction=None, family="spellings")
def log_softmax_respelled(x: Float, axis: Axis) -> Iterator[Eq]:
    """A log-softmax is the logarithm of a softmax."""
    yield eq(T.log(T.softmax(x, axis)), T.log_softmax(x, axis)).when(one_axis_or_all(axis, x))


@relation(direction=None, family="spellings")
def logs_respelled(x: Float, i: Any, axis: Axis) -> Iterator[Eq]:
    """A maximum is taken out of the log of a sum of exponentials; of logs is picked before."""
    m = T.max(x, axis, keepdims=True)
    shifted = m + T.log(T.sum(T.exp(x - m), axis, keepdims=True))
    yield eq(shifted, T.log(T.sum(T.exp(x), axis, keepdims=True)))
    yield eq(T.log(T.subtensor(x, i)), T.subtensor(T.log(x), i))


@relation(direction=None, family="spellings")
def sigmoid_respelled(x: Float) -> Iterator[Eq]:
    """A sigmoid is a share of two."""
    yield eq(T.exp(x) / (1 + T.exp(x)), T.sigmoid(x))


@relation(direction=None, family="spellings")
def softplus_respelled(x: Float) -> Iterator[Eq]:
    """A softplus is a log of a sigmoid, and a line beside a softplus that vanishes."""
    yield eq(-T.log(T.sigmoid(-x)), T.softplus(x))
    yield eq(T.maximum(x, 0) + T.log1p(T.exp(-T.abs(x))), T.softplus(x))


@log_softmax_respelled.example
def _log_of_softmax() -> Sides:
    x = at.matrix("x")
    return at.log(softmax(x, axis=1)), log_softmax(x, axis=1)


@log_softmax_respelled.non_example
def _log_of_softmax_along_the_other_axis() -> Sides:
    x = at.matrix("x")
    return at.log(softmax(x, axis=0)), log_softmax(x, axis=1)


@logs_respelled.example
def _maximum_outside() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    m = x.max(**kept)
    return m + at.log(at.exp(x - m).sum(**kept)), at.log(at.exp(x).sum(**kept))


@logs_respelled.non_example
def _another_maximum() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    shifted = at.log(at.exp(x - x.max(**kept)).sum(**kept))
    return x.min(**kept) + shifted, at.log(at.exp(x).sum(**kept))


@sigmoid_respelled.example
def _share_of_two() -> Sides:
    x = at.matrix("x")
    return at.exp(x) / (1 + at.exp(x)), at.sigmoid(x)


@sigmoid_respelled.non_example
def _share_of_three() -> Sides:
    x = at.matrix("x")
    return at.exp(x) / (2 + at.exp(x)), at.sigmoid(x)


@softplus_respelled.example
def _line_and_what_vanishes() -> Sides:
    x = at.matrix("x")
    return at.maximum(x, 0) + at.log1p(at.exp(-at.abs(x))), at.softplus(x)


@softplus_respelled.non_example
def _line_and_what_does_not_vanish() -> Sides:
    x = at.matrix("x")
    return at.maximum(x, 0) + at.log1p(at.exp(-x)), at.softplus(x)
