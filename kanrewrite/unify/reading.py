"""A graph read as nested terms.

A graph's variables become `Term` objects over the operators of ``T``, whatever the Op's spelling:
an inplace flavour is its plain operator, a reduction whose axes a DimShuffle puts back is one with
``keepdims=True``, and a constant scalar is a Python number.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, cast

import aesara.scalar as scalar
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor import math, special
from aesara.tensor.basic import Alloc, Join, MakeVector
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.shape import Reshape
from aesara.tensor.subtensor import (
    AdvancedSubtensor,
    AdvancedSubtensor1,
    Subtensor,
    indices_from_subtensor,
)
from aesara.tensor.type import TensorType

from kanrewrite.terms import (
    MADE,
    OWN,
    Held,
    Operator,
    T,
    Term,
    operator_of,
)

Graph = Variable[Any, Any]

REDUCTIONS: dict[Any, Operator] = {
    scalar.add: T.sum,
    scalar.mul: T.prod,
    scalar.scalar_maximum: T.max,
    scalar.scalar_minimum: T.min,
    scalar.and_: T.all,
    scalar.or_: T.any,
}


#: A higher power stays one: it is no product that anyone would write.
_LONGEST = 8


def reduction_of(op: Any) -> Operator | None:
    """The operator of a reduction, whichever class of Ops computes it; None for other Ops."""
    if isinstance(op, math.MaxAndArgmax):
        return T.max  # its first output
    if not isinstance(op, CAReduce) or isinstance(op, math.Mean):
        return None
    return REDUCTIONS.get(op.scalar_op)


def is_term(value: Any) -> bool:
    """Whether a value is an operator over operands, as a `Term` or as a plain tuple."""
    return isinstance(value, tuple) and len(value) > 0 and isinstance(value[0], Operator)


def as_term(value: Any, done: dict[Any, Any] | None = None) -> Any:
    """A graph, or a term over graphs, as nested terms.

    Parameters
    ----------
    value : Variable, Term or any leaf
        Logic variables, inputs of graphs and outputs of nodes with several outputs stay leaves;
        the maximum that `at.max` takes, which comes with its place, is read.
    done : dict, optional
        The terms of variables that were read before; what is read now is added.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.matrix("x")
    >>> as_term(at.exp(x) / at.exp(x).sum(axis=-1, keepdims=True))
    exp(x) / sum(exp(x), axis=(1,), keepdims=True)
    """
    done = {} if done is None else done
    if isinstance(value, Variable) and value not in done:
        for node in unread_below(value, done):
            for variable in node.outputs:
                _as_term(variable, done)
    return _as_term(value, done)


def unread_below(variable: Graph, known: Container[Any]) -> Iterator[Apply[Any]]:
    """The nodes at and below a variable whose outputs are not known yet, inputs first.

    Graphs may be deeper than Python's stack: reading them in this order needs none of it.
    """
    seen: set[Apply[Any]] = set()
    stack = [variable.owner] if variable.owner is not None else []
    while stack:
        node = stack[-1]
        waiting = [
            x.owner
            for x in node.inputs
            if x.owner is not None and x not in known and x.owner not in seen
        ]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if node not in seen:
            seen.add(node)
            yield node


def _as_term(value: Any, done: dict[Any, Any]) -> Any:
    if isinstance(value, Variable):
        if value not in done:
            done[value] = _of_variable(value, done)
        return done[value]
    if is_term(value):
        operands = (_as_term(x, done) for x in value[1:])
        if type(value[0].op) in OWN:
            return own_term(value[0].op, operands)
        return _written_out(Term((value[0], *operands)))
    if isinstance(value, float) and value.is_integer():
        return int(value)  # one spelling of each number, as in patterns
    return value


def _of_variable(variable: Graph, done: dict[Any, Any]) -> Any:
    number = number_of(variable)
    if number is not None:
        return number
    node = variable.owner
    if node is None:
        return variable
    if type(node.op) in OWN:
        read = _as_inputs(node, lambda x: _as_term(x, done))
        return own_term(node.op, read, node.outputs.index(variable))
    if isinstance(node.op, math.MaxAndArgmax) and variable is node.outputs[1]:
        (of,) = node.inputs
        return T.argmax(_as_term(of, done), _axes(node.op, of), False)
    if not _is_all_of(variable, node):
        return variable
    return _written_out(node_term(node, lambda x: _as_term(x, done)))


def _written_out(term: Term) -> Term:
    """A power of a number as the product that it is: what a theory of products knows."""
    if term[0] is T.sqr:
        return T.mul(term[1], term[1])
    if term[0] is not T.pow or not isinstance(term[2], int | float) or not term[2]:
        return term
    size = abs(term[2])
    if size == 0.5:
        power = T.sqrt(term[1])
    elif size <= _LONGEST and size == int(size):
        power = T.mul(*[term[1]] * int(size)) if size > 1 else term[1]
    else:
        return term
    return T.reciprocal(power) if term[2] < 0 else power


def _is_all_of(variable: Graph, node: Apply[Any]) -> bool:
    """Whether a variable is what a node computes, whatever else comes with it."""
    return variable is node.outputs[0] and (
        len(node.outputs) == 1 or isinstance(node.op, math.MaxAndArgmax)
    )


def number_of(variable: Graph) -> int | float | None:
    """The number that a variable is, where it is a constant scalar, shaped or not."""
    if isinstance(variable, Constant):
        data = np.asarray(variable.data)
        if not all(getattr(variable.type, "broadcastable", ())) or data.dtype.kind not in "iuf":
            return None
        value: int | float = data.item()
        return int(value) if np.isfinite(value) and value == int(value) else value
    if variable.owner is not None and isinstance(variable.owner.op, DimShuffle):
        return number_of(variable.owner.inputs[0])
    return None


def own_term(op: Any, operands: Iterable[Any], output: int = 0) -> Term:
    """The term of an Op of a class that somebody has written a pattern of."""
    settings = tuple(getattr(op, name) for name in op.__props__)
    MADE.setdefault((type(op), settings), op)
    return Term((OWN[type(op)], *operands, *settings, output))


def node_term(node: Apply[Any], read: Callable[[Any], Any]) -> Any:
    """An operator over what ``read`` makes of a node's inputs, its parameters after them."""
    op, inputs = node.op, node.inputs
    reduction = reduction_of(op)
    if reduction is not None:
        return reduction(read(inputs[0]), _axes(op, inputs[0]), False)
    if isinstance(op, DimShuffle):
        return _of_dimshuffle(op, inputs[0], read)
    if isinstance(op, special.Softmax | special.LogSoftmax):
        name = T.softmax if isinstance(op, special.Softmax) else T.log_softmax
        return name(read(inputs[0]), _axes(op, inputs[0]))
    if isinstance(op, special.SoftmaxGrad):
        return T.softmax_grad(*map(read, inputs), _axes(op, inputs[0]))
    if type(op) in OWN:
        return own_term(op, _as_inputs(node, read))
    special_term = _READERS.get(type(op), _no_term)(node, read)
    return special_term or Term((operator_of(op), *_as_inputs(node, read)))


def _as_inputs(node: Apply[Any], read: Callable[[Any], Any]) -> Iterator[Any]:
    """The inputs of a node; what is not elementwise takes an array of one number as an array."""
    for x in node.inputs:
        array = isinstance(x, Constant) and getattr(x.type, "ndim", 0) > 0
        yield x if array and not isinstance(node.op, Elemwise) else read(x)


def _no_term(node: Apply[Any], read: Callable[[Any], Any]) -> Term | None:  # noqa: ARG001
    """An Op that is an operator of its inputs alone."""
    return None


def _cumulative(node: Apply[Any], read: Callable[[Any], Any]) -> Term:
    op: Any = node.op
    return (T.cumsum if op.mode == "add" else T.cumprod)(read(node.inputs[0]), op.axis)


def _indexed(node: Apply[Any], read: Callable[[Any], Any]) -> Term:
    indices, op = cast(Any, node.inputs[1:]), cast(Any, node.op)
    index = indices_from_subtensor(indices, op.idx_list)
    return T.subtensor(read(node.inputs[0]), tuple(map(_place, index)))


def _indexed_by_tensors(node: Apply[Any], read: Callable[[Any], Any]) -> Term | None:
    of, *index = node.inputs
    if not all(isinstance(i.type, TensorType) for i in index):
        return None
    return T.subtensor(read(of), tuple(map(_place, index)))


def _joined(node: Apply[Any], read: Callable[[Any], Any]) -> Term | None:
    axis, *parts = node.inputs
    if not isinstance(axis, Constant):
        return None
    place = int(cast(Any, axis).data) % cast(Any, parts[0].type).ndim
    return T.join(*map(read, parts), axis=place)


def _reshaped(node: Apply[Any], read: Callable[[Any], Any]) -> Term:
    of, shape = node.inputs
    made = shape.owner
    known: Any = Held(shape) if made is not None else shape
    if isinstance(shape, Constant):
        known = tuple(map(int, np.asarray(shape.data)))
    elif made is not None and isinstance(made.op, MakeVector):
        known = tuple(map(_place, made.inputs))
    return T.reshape(read(of), known)


def _filled(node: Apply[Any], read: Callable[[Any], Any]) -> Term:
    of, *shape = node.inputs
    return T.alloc(read(of), tuple(map(_place, shape)))


_READERS: dict[type, Callable[[Apply[Any], Callable[[Any], Any]], Term | None]] = {
    CumOp: _cumulative,
    Subtensor: _indexed,
    AdvancedSubtensor: _indexed_by_tensors,
    AdvancedSubtensor1: _indexed_by_tensors,
    Join: _joined,
    Reshape: _reshaped,
    Alloc: _filled,
    math.Dot: lambda node, read: T.dot(*map(read, node.inputs)),
    BatchedDot: lambda node, read: T.batched_dot(*map(read, node.inputs)),
}


def _place(index: Any) -> Any:
    """A part of an index with the numbers that its constants are."""
    if isinstance(index, slice):
        return slice(*map(_place, (index.start, index.stop, index.step)))
    if isinstance(index, Constant) and np.ndim(index.data) == 0:
        return int(index.data)
    return Held(index) if isinstance(index, Variable) and index.owner is not None else index


def _axes(op: Any, variable: Graph) -> tuple[int, ...]:
    ndim = variable.type.ndim
    if op.axis is None:
        return tuple(range(ndim))
    return tuple(
        sorted(a % ndim for a in (op.axis if isinstance(op.axis, tuple | list) else [op.axis]))
    )


def _of_dimshuffle(op: DimShuffle, inner: Graph, read: Callable[[Any], Any]) -> Any:
    """A reduction that keeps its dimensions, where the DimShuffle puts exactly these back."""
    node = inner.owner
    whole = node is not None and _is_all_of(inner, node)
    reduction = reduction_of(node.op) if node is not None and whole else None
    if node is not None and reduction is not None:
        axes = _axes(node.op, node.inputs[0])
        kept = iter(range(inner.type.ndim))
        restored = tuple(
            "x" if axis in axes else next(kept) for axis in range(node.inputs[0].type.ndim)
        )
        if tuple(op.new_order) == restored:
            return reduction(read(node.inputs[0]), axes, True)
    return T.dimshuffle(read(inner), tuple(op.new_order))
