r"""Spellings: what people write for an exponential, a quotient, a sum and a softmax.

Left is what is written, right what is meant, which is defined at least where the left side is.
`kanrewrite.explore` with ``direction="expand"`` runs these equations backwards, as it does the rest
of the library, to find the graphs in which an operator can hide.  No graph is rewritten by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.tensor.special import softmax

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, one_axis_or_all, positive, relation

Sides = tuple[Any, Any]


@relation(direction=None, family="spellings")
def quotients_respelled(a: Float, b: Float) -> Iterator[Eq]:
    """A quotient is a product with a power, with a reciprocal, or a difference of exponents."""
    yield eq(a * T.pow(b, -1), a / b)
    yield eq(a * T.reciprocal(b), a / b)
    yield eq(T.exp(a - T.log(b)), T.exp(a) / b).when(positive(b))
    yield eq(1 / (b * T.exp(-a)), T.exp(a) / b).when(positive(b))
    yield eq(T.exp(a) / T.exp(b), T.exp(a - b))


@relation(direction=None, family="spellings")
def exponentials_respelled(x: Float) -> Iterator[Eq]:
    """An exponential is a square, a reciprocal, and the odds of a sigmoid."""
    yield eq(T.sqr(T.exp(x / 2)), T.exp(x))
    yield eq(1 / T.exp(-x), T.exp(x))
    yield eq(T.sigmoid(x) / T.sigmoid(-x), T.exp(x))
    yield eq(T.sigmoid(x) / (1 - T.sigmoid(x)), T.exp(x))


@relation(direction=None, family="spellings")
def sums_respelled(x: Float, axis: Axis) -> Iterator[Eq]:
    """A sum of exponentials is shifted by their maximum, or is two sums, by sign."""
    total = T.sum(T.exp(x), axis, keepdims=True)
    m = T.max(x, axis, keepdims=True)
    yield eq(T.exp(m) * T.sum(T.exp(x - m), axis, keepdims=True), total)
    above = T.sum(T.switch(T.gt(x, 0), T.exp(x), 0), axis, keepdims=True)
    below = T.sum(T.switch(T.gt(x, 0), 0, T.exp(x)), axis, keepdims=True)
    yield eq(above + below, total)


@relation(direction=None, family="spellings")
def softmax_respelled(x: Float, axis: Axis) -> Iterator[Eq]:
    """A softmax does not change with what is added to all of its operand."""
    m = T.max(x, axis, keepdims=True)
    one = one_axis_or_all(axis, x)
    yield eq(T.softmax(x - m, axis), T.softmax(x, axis)).when(one)
    yield eq(T.exp(T.log_softmax(x, axis)), T.softmax(x, axis)).when(one)


@relation(direction=None, family="spellings")
def softmax_of_differences(v: Ndim[1], x: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    """One over the sum of the exponentials of all differences to an element is its share."""
    between = T.dimshuffle(v, ("x", 0)) - T.dimshuffle(v, (0, "x"))
    yield eq(1 / T.sum(T.exp(between), 1), T.softmax(v, 0))
    across = T.dimshuffle(x, (0, "x", 1)) - T.dimshuffle(x, (0, 1, "x"))
    yield eq(1 / T.sum(T.exp(across), 2), T.softmax(x, 1))
    down = T.dimshuffle(x, ("x", 0, 1)) - T.dimshuffle(x, (0, "x", 1))
    yield eq(1 / T.sum(T.exp(down), 1), T.softmax(x, 0))


@quotients_respelled.example
def _difference_of_exponents() -> Sides:
    x, y = at.matrices("x", "y")
    return at.exp(x - at.log(at.exp(y))), at.exp(x) / at.exp(y)


@quotients_respelled.non_example
def _turned_quotient() -> Sides:
    x, y = at.matrices("x", "y")
    return y * x**-1, x / y


@exponentials_respelled.example
def _odds() -> Sides:
    x = at.matrix("x")
    return at.sigmoid(x) / (1 - at.sigmoid(x)), at.exp(x)


@exponentials_respelled.non_example
def _odds_against() -> Sides:
    x = at.matrix("x")
    return at.sigmoid(-x) / at.sigmoid(x), at.exp(x)


@sums_respelled.example
def _by_sign() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    above = at.switch(at.gt(x, 0), at.exp(x), 0).sum(**kept)
    return above + at.switch(at.gt(x, 0), 0, at.exp(x)).sum(**kept), at.exp(x).sum(**kept)


@sums_respelled.non_example
def _one_sign() -> Sides:
    x = at.matrix("x")
    kept: Any = {"axis": 1, "keepdims": True}
    return at.switch(at.gt(x, 0), at.exp(x), 0).sum(**kept), at.exp(x).sum(**kept)


@softmax_respelled.example
def _shifted() -> Sides:
    x = at.matrix("x")
    return softmax(x - x.max(axis=1, keepdims=True), axis=1), softmax(x, axis=1)


@softmax_respelled.non_example
def _shifted_along_the_other_axis() -> Sides:
    x = at.matrix("x")
    return softmax(x - x.max(axis=0, keepdims=True), axis=1), softmax(x, axis=1)


@softmax_of_differences.example
def _differences() -> Sides:
    x = at.matrix("x")
    differences = x.dimshuffle(0, "x", 1) - x.dimshuffle(0, 1, "x")
    return 1 / at.exp(differences).sum(axis=2), softmax(x, axis=1)


@softmax_of_differences.non_example
def _differences_the_other_way() -> Sides:
    x = at.matrix("x")
    differences = x.dimshuffle(0, 1, "x") - x.dimshuffle(0, "x", 1)
    return 1 / at.exp(differences).sum(axis=2), softmax(x, axis=1)
