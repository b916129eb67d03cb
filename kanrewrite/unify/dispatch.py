"""Ops as patterns of ``T``, and the unification of patterns with graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aesara.graph.basic import Variable
from aesara.tensor import math, special
from aesara.tensor.elemwise import CAReduce, DimShuffle
from aesara.tensor.extra_ops import CumOp
from unification import unify
from unification.core import _unify

from kanrewrite.terms import (
    T,
    Term,
    pattern_of,
)
from kanrewrite.unify.reading import as_term, reduction_of


@pattern_of.register(CAReduce)
def _(op: CAReduce) -> Callable[..., Term]:
    reduction = reduction_of(op)
    if reduction is None:
        return pattern_of.dispatch(object)(op)
    return partial(reduction, axis=op.axis)


@pattern_of.register(math.MaxAndArgmax)
def _(op: Any) -> Callable[..., Term]:
    return partial(T.max, axis=op.axis)


@pattern_of.register(special.Softmax)
@pattern_of.register(special.LogSoftmax)
@pattern_of.register(special.SoftmaxGrad)
def _(op: Any) -> Callable[..., Term]:
    names = {special.Softmax: T.softmax, special.LogSoftmax: T.log_softmax}
    found = next((name for kind, name in names.items() if isinstance(op, kind)), T.softmax_grad)
    return partial(found, axis=op.axis)


@pattern_of.register(CumOp)
def _(op: Any) -> Callable[..., Term]:
    return partial(T.cumsum if op.mode == "add" else T.cumprod, axis=op.axis)


@pattern_of.register(DimShuffle)
def _(op: Any) -> Callable[..., Term]:
    return partial(T.dimshuffle, order=tuple(op.new_order))


@pattern_of.register(math.Dot)
def _(op: Any) -> Callable[..., Term]:  # noqa: ARG001  # it has no parameters
    return T.dot


def _of_terms(u: Any, v: Any, s: Any) -> Any:
    """A pattern and a graph: the same operator, over operands that unify."""
    return unify(as_term(u), as_term(v), s)


for _kinds in ((Term, Variable), (Variable, Term)):
    _unify.add((*_kinds, Mapping), _of_terms)
