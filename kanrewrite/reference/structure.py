"""Ops that move values about: shapes, indices, joins, allocations.

Most of them are evaluated by Aesara's own code, run on the positions of the elements: whatever
indexing does, the reference does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from aesara.compile.ops import DeepCopyOp, ViewOp
from aesara.ifelse import IfElse
from aesara.raise_op import CheckAndRaise
from aesara.tensor import basic, extra_ops, subtensor
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape, Unbroadcast

from kanrewrite.reference import functions
from kanrewrite.reference.registry import (
    Node,
    Values,
    dtype_of,
    is_exact,
    lift,
    meaning,
    objects,
    perform,
    register,
)
from kanrewrite.reference.scales import NAN, ZERO, Arithmetic, real, sign


def _select(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """An Op whose outputs hold elements of its first input, and zeros."""
    del op, arithmetic
    if is_exact(node.inputs[0]):
        return perform(node, inputs)
    x, *rest = inputs
    x = np.asarray(x, dtype=object)
    pool = objects([ZERO, *x.ravel()], (x.size + 1,))
    positions = np.arange(1, x.size + 1).reshape(x.shape)
    chosen = perform(node, [positions, *rest])
    return [objects(pool[np.ravel(where)], np.shape(where)) for where in chosen]


for _kind in (
    DimShuffle,
    DeepCopyOp,
    ViewOp,
    CheckAndRaise,
    basic.AllocDiag,
    basic.ExtractDiag,
    basic.ScalarFromTensor,
    basic.Split,
    basic.TensorFromScalar,
    extra_ops.BroadcastTo,
    extra_ops.CpuContiguous,
    extra_ops.Repeat,
    Reshape,
    SpecifyShape,
    Unbroadcast,
    subtensor.AdvancedSubtensor,
    subtensor.AdvancedSubtensor1,
    subtensor.Subtensor,
):
    meaning.register(_kind, _select)


@register(basic.PermuteRowElements)
def permute_rows(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Elements of the rows of `x` in the order that `y` gives."""
    return _select(op, node, inputs, arithmetic)


@register(Shape)
def shape_of(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The shape, known without the values."""
    del op, node, arithmetic
    return [np.array(np.shape(inputs[0]), dtype="int64")]


@register(Shape_i)
def shape_i(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """One length of the shape."""
    del node, arithmetic
    return [np.array(np.shape(inputs[0])[op.i], dtype="int64")]


@register(basic.Alloc)
def alloc(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A value broadcast to a shape."""
    del op, node, arithmetic
    value, *lengths = inputs
    return [np.broadcast_to(value, [int(n) for n in lengths])]


@register(basic.AllocEmpty)
def alloc_empty(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Memory with anything in it: nan, so that whatever uses it is seen."""
    del op, arithmetic
    if is_exact(node.outputs[0]):
        return perform(node, inputs)
    out = np.empty([int(n) for n in inputs], dtype=object)
    out[...] = NAN
    return [out]


@register(basic.Join)
def join(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Arrays one after another along an axis."""
    del op
    axis, *arrays = inputs
    dtype = dtype_of(node.outputs[0])
    return [np.concatenate([lift(v, dtype, arithmetic) for v in arrays], axis=int(axis))]


@register(basic.MakeVector)
def make_vector(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Scalars as a vector."""
    del op
    dtype = dtype_of(node.outputs[0])
    if is_exact(node.outputs[0]):
        return [np.array([np.asarray(v).item() for v in inputs], dtype=dtype)]
    return [objects([lift(v, dtype, arithmetic).item() for v in inputs], (len(inputs),))]


@register(basic.ARange)
def arange(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``start, start + step, ...`` before ``stop``."""
    del op
    if all(is_exact(variable) for variable in node.inputs):
        return perform(node, inputs)
    a = arithmetic
    start, stop, step = (lift(value, "float64", a).item() for value in inputs)
    length = functions.ceil(a, a.div(a.sub(stop, start), step))
    count = int(a.number(length)) if sign(length) > 0 else 0
    return [objects([a.add(start, a.mul(real(i), step)) for i in range(count)], (count,))]


@register(basic.Nonzero)
def nonzero(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The indices of the elements that are not zero."""
    del op, arithmetic
    (x,) = inputs
    if not is_exact(node.inputs[0]):
        x = np.frompyfunc(lambda value: bool(value.parts), 1, 1)(x).astype(bool)
    return perform(node, [x])


@register(IfElse)
def if_else(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """One of two groups of values."""
    condition, *values = inputs
    truth = lift(condition, "float64", arithmetic).item()
    chosen = values[: op.n_outs] if truth.parts else values[op.n_outs :]
    return [lift(v, dtype_of(o), arithmetic) for v, o in zip(chosen, node.outputs, strict=True)]


def _update(x: Any, y: Any, index: Any, put: bool, node: Node, arithmetic: Arithmetic) -> Values:
    """`x` with `y` put at, or added to, its elements `index`, repeated ones one after another."""
    dtype = dtype_of(node.outputs[0])
    values = list(lift(x, dtype, arithmetic).ravel())
    positions = np.arange(len(values)).reshape(np.shape(x))[index]
    news = np.broadcast_to(lift(y, dtype, arithmetic), np.shape(positions))
    for where, new in zip(np.ravel(positions), news.ravel(), strict=True):
        if put:
            values[where] = new
        elif dtype.startswith("complex"):
            values[where] = values[where] + new
        else:
            values[where] = arithmetic.add(values[where], new)
    return [objects(values, np.shape(x))]


@register(subtensor.IncSubtensor)
def inc_subtensor(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A slice set or increased."""
    x, y, *scalars = inputs
    if is_exact(node.outputs[0]):
        return perform(node, inputs)
    whole = [int(value) for value in scalars]
    index = tuple(
        slice(*(None if part is None else _next(part, whole) for part in _bounds(entry)))
        if isinstance(entry, slice)
        else _next(entry, whole)
        for entry in op.idx_list
    )
    return _update(x, y, index, op.set_instead_of_inc, node, arithmetic)


def _bounds(entry: slice) -> tuple[Any, Any, Any]:
    return entry.start, entry.stop, entry.step


def _next(entry: Any, scalars: list[int]) -> int:
    # an idx_list holds integers, and types in the place of the scalars that are inputs
    return entry if isinstance(entry, int) else scalars.pop(0)


@register(subtensor.AdvancedIncSubtensor1)
def inc_rows(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Rows set or increased."""
    x, y, rows = inputs
    if is_exact(node.outputs[0]):
        return perform(node, inputs)
    return _update(x, y, rows, op.set_instead_of_inc, node, arithmetic)


@register(subtensor.AdvancedIncSubtensor)
def inc_elements(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Elements set or increased."""
    x, y, *index = inputs
    if is_exact(node.outputs[0]):
        return perform(node, inputs)
    return _update(x, y, tuple(index), op.set_instead_of_inc, node, arithmetic)
