r"""Accuracy: lengths of long vectors, $\sqrt{\sum x^2}$, over the whole range of a dtype.

References
----------
J. L. Blue, "A portable Fortran program to find the Euclidean norm of a vector", ACM Transactions
on Mathematical Software 4(1), 1978.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, relation
from kanrewrite.relations.accuracy_ranges import DOUBLES, RANGES, Range, number


def _scale(total: Any, r: Range, of: Any = T) -> Any:
    """The power of two that brings numbers into range whose squares add up to a total."""
    up = of.switch(of.lt(total, r.low * r.low), r.up, 1)
    return of.switch(of.eq(total, inf if of is T else number(inf)), r.down, up)


@relation(family="accuracy", where="digits")
def scaled_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    """Squares are taken of what is in range; where their sum is, nothing changes."""
    for r in RANGES:
        squares = T.sum(T.sqr(x), axis)
        within = _scale(T.sum(T.sqr(x), axis, keepdims=True), r)
        scaled = T.sqrt(T.sum(T.sqr(x * within), axis)) / _scale(squares, r)
        yield eq(T.sqrt(squares), scaled).when(r.guard(x))


@scaled_norm.example
def _norm() -> tuple[Any, Any]:
    x: Any = at.dmatrix("x")
    squares = (x**2).sum(axis=1)
    within = _scale((x**2).sum(axis=1, keepdims=True), DOUBLES, at)
    scaled = at.sqrt(((x * within) ** 2).sum(axis=1)) / _scale(squares, DOUBLES, at)
    return at.sqrt(squares), scaled


@scaled_norm.non_example
def _root_of_a_sum() -> Any:
    x: Any = at.dmatrix("x")
    return at.sqrt(x.sum(axis=1))
