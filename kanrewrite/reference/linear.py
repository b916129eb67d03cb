"""Reductions, products of matrices, and the softmax family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from aesara.scalar.basic import Add, Mul
from aesara.tensor import blas, math, special
from aesara.tensor.elemwise import CAReduce
from aesara.tensor.extra_ops import CumOp

from kanrewrite.reference import functions
from kanrewrite.reference.alike import distinct, each, each_row
from kanrewrite.reference.products import SHORT, Products
from kanrewrite.reference.registry import (
    Array,
    Node,
    Values,
    dtype_of,
    is_exact,
    lift,
    objects,
    perform,
    register,
)
from kanrewrite.reference.scalars import scalar_function
from kanrewrite.reference.scales import ONE, ZERO, Arithmetic, Real, is_nan


def rows(x: Array, axes: int | Sequence[int] | None) -> Array:
    """`x` with `axes` merged into one, in their order, and put last."""
    if axes is None or not x.ndim:  # Aesara takes axes of a number
        return x.reshape(-1)
    axes = [axes] if isinstance(axes, int) else axes
    reduced = [axis % x.ndim for axis in axes]
    kept = [axis for axis in range(x.ndim) if axis not in reduced]
    length = int(np.prod([x.shape[axis] for axis in reduced], dtype=int))
    return x.transpose(kept + reduced).reshape([x.shape[axis] for axis in kept] + [length])


def along(f: Callable[[Any], Any], table: Array) -> Array:
    """`f` of each row along the last axis."""
    shape = table.shape[:-1]
    flat = table.reshape(int(np.prod(shape, dtype=int)), table.shape[-1])
    return objects(each_row(lambda row: f(list(row)), flat), shape)


@register(CAReduce)
def reduction(op: CAReduce, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A binary scalar Op folded over axes."""
    out = node.outputs[0]
    if is_exact(node.inputs[0]) and is_exact(out):
        return perform(node, inputs)
    dtype = dtype_of(out)
    table = rows(lift(inputs[0], "float64" if is_exact(out) else dtype, arithmetic), op.axis)
    if isinstance(op.scalar_op, Add) and dtype.startswith("float"):
        return [along(arithmetic.total, table)]
    combine = scalar_function(op.scalar_op, node, arithmetic)
    start = {Add: [ZERO], Mul: [ONE], math.MulWithoutZeros: [ONE]}.get(type(op.scalar_op), [])

    def fold(row: list[Any]) -> Any:
        values = row or list(lift(objects(start, (len(start),)), dtype, arithmetic))
        # a maximum of nothing has no value: the IndexError here is numpy's ValueError there
        total = values[0]
        for value in values[1:]:
            total = combine(total, value)
        return total

    return [along(fold, table)]


def greatest(a: Arithmetic, row: Sequence[Real]) -> int:
    """The first index of the largest number of a row, of a nan if there is one."""
    best = 0
    for i, value in enumerate(row):
        if is_nan(value):
            return i
        if a.compare(value, row[best]) == 1:
            best = i
    return best


@register(math.Argmax)
def argmax(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The first index of the largest element, of a nan if there is one."""
    if is_exact(node.inputs[0]):
        return perform(node, inputs)
    found = along(lambda row: greatest(arithmetic, row), rows(inputs[0], op.axis))
    return [found.astype("int64")]


@register(math.MaxAndArgmax)
def max_and_argmax(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The largest element and its first index."""
    if is_exact(node.inputs[0]):
        return perform(node, inputs)
    table = rows(inputs[0], op.axis)
    found = along(lambda row: greatest(arithmetic, row), table)
    largest = along(lambda row: row[greatest(arithmetic, row)], table)
    return [largest, found.astype("int64")]


@register(CumOp)
def cumulate(op: CumOp, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Sums or products of all elements up to each."""
    if is_exact(node.inputs[0]):
        return perform(node, inputs)
    combine = arithmetic.add if op.mode == "add" else arithmetic.mul
    x = inputs[0].reshape(-1) if op.axis is None else inputs[0]
    table = np.moveaxis(x, op.axis or 0, 0).copy()
    for i in range(1, len(table)):
        table[i] = np.frompyfunc(combine, 2, 1)(table[i - 1], table[i])
    return [np.moveaxis(table, 0, op.axis or 0)]


# --- products of matrices ---------------------------------------------------------------------
def dot(x: Any, y: Any, dtype: str, arithmetic: Arithmetic) -> Array:
    """``matmul`` of numpy with a result of `dtype`; scalars multiply."""
    x, y = lift(x, dtype, arithmetic), lift(y, dtype, arithmetic)
    if x.ndim == 0 or y.ndim == 0:
        x, y = np.broadcast_arrays(x, y)
        return objects(
            [_inner([u], [v], arithmetic) for u, v in zip(x.flat, y.flat, strict=True)], x.shape
        )
    left = x[None] if x.ndim == 1 else x
    right = y[:, None] if y.ndim == 1 else y
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, batch + left.shape[-2:])
    right = np.broadcast_to(right, batch + right.shape[-2:])
    shape = (*batch, left.shape[-2], right.shape[-1])
    columns = right.swapaxes(-1, -2)
    out = objects(
        [
            value
            for where in np.ndindex(batch)
            for value in _inners(left[where], columns[where], arithmetic)
        ],
        shape,
    )
    kept: Array = out[..., 0, :] if x.ndim == 1 else out
    return np.asarray(kept[..., 0] if y.ndim == 1 else kept)


def _inners(rows: Array, columns: Array, arithmetic: Arithmetic) -> list[Any]:
    """Each row with each column."""
    left, of_row = distinct(rows)
    right, of_column = distinct(columns)
    first = next(iter(rows.flat), None)
    values: Iterable[Any] = (_inner(row, column, arithmetic) for row in left for column in right)
    if rows.shape[-1] >= SHORT and isinstance(first, Real):
        values = Products(left, right, arithmetic)
    table = list(values)
    return [table[i * len(right) + k] for i in of_row for k in of_column]


def _inner(x: Any, y: Any, a: Arithmetic) -> Any:
    pairs = list(zip(x, y, strict=True))
    if pairs and not isinstance(pairs[0][0], Real):
        return sum((u * v for u, v in pairs), a.context.mpc(0))
    return a.total(a.mul(u, v) for u, v in pairs)


def _scaled(a: Arithmetic, scale: Any, x: Any) -> Array:
    factor = np.asarray(scale).item()
    return objects(each(lambda v: a.mul(factor, v), x.ravel()), x.shape)


def _sum(a: Arithmetic, x: Any, y: Any) -> Array:
    x, y = np.broadcast_arrays(x, y)
    return objects(each(a.add, x.flat, y.flat), x.shape)


@register(math.Dot)
@register(math.MatMul)
@register(blas.Dot22)
@register(blas.BatchedDot)
def product(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A product of vectors, matrices or stacks of matrices."""
    if is_exact(node.outputs[0]):
        return perform(node, inputs)
    x, y = inputs
    dtype = dtype_of(node.outputs[0])
    if not isinstance(op, blas.BatchedDot):
        return [dot(x, y, dtype, arithmetic)]
    products = [dot(u, v, dtype, arithmetic) for u, v in zip(x, y, strict=True)]
    shape = (len(products), *np.shape(x)[1:-1], *np.shape(y)[2:])
    return [objects([e for one in products for e in one.ravel()], shape)]


@register(blas.Dot22Scalar)
def scaled_product(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``scale * dot(x, y)``."""
    del op
    x, y, scale = inputs
    return [_scaled(arithmetic, scale, dot(x, y, dtype_of(node.outputs[0]), arithmetic))]


@register(blas.Gemm)
def gemm(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``b * z + a * dot(x, y)``; z is not read where b is 0."""
    del op
    z, a, x, y, b = inputs
    value = _scaled(arithmetic, a, dot(x, y, dtype_of(node.outputs[0]), arithmetic))
    return [_sum(arithmetic, _scaled(arithmetic, b, z), value) if b.item().parts else value]


@register(blas.Gemv)
def gemv(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``beta * y + alpha * dot(matrix, x)``; y is not read where beta is 0."""
    y, alpha, matrix, x, beta = inputs
    return gemm(op, node, [y, alpha, matrix, x, beta], arithmetic)


@register(blas.Ger)
def ger(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """``matrix + alpha * outer(x, y)``."""
    del op, node
    matrix, alpha, x, y = inputs
    outer = dot(x[:, None], y[None, :], "float64", arithmetic)
    return [_sum(arithmetic, matrix, _scaled(arithmetic, alpha, outer))]


# --- softmax ------------------------------------------------------------------------------------
def by_rows(f: Callable[..., Sequence[Any]], axis: int | None, x: Array, *others: Array) -> Array:
    """`f` of each row of the arrays along `axis` (all axes for None), the results put back."""
    if axis is None:
        flat = f(*[list(value.ravel()) for value in (x, *others)])
        return objects(list(flat), x.shape)
    tables = [np.moveaxis(value, axis, -1) for value in (x, *others)]
    shape = tables[0].shape
    flat = [table.reshape(int(np.prod(shape[:-1], dtype=int)), shape[-1]) for table in tables]
    found = each_row(lambda *row: list(f(*map(list, row))), *flat)
    out = objects([value for row in found for value in row], shape)
    return np.moveaxis(out, -1, axis)


def softmax_row(a: Arithmetic, row: Sequence[Real]) -> list[Real]:
    """``exp(x) / sum(exp(x))``: exponents have no bounds here, so nothing needs a shift."""
    exps = each(lambda x: functions.exp(a, x), row)
    inverse = a.inv(a.total(exps))
    return each(lambda e: a.mul(e, inverse), exps)


def log_softmax_row(a: Arithmetic, row: Sequence[Real]) -> list[Real]:
    """``x - log(sum(exp(x)))``."""
    size = functions.log(a, a.total(each(lambda x: functions.exp(a, x), row)))
    return each(lambda x: a.sub(x, size), row)


def softmax_grad_row(a: Arithmetic, upstream: Sequence[Real], p: Sequence[Real]) -> list[Real]:
    """``p * (g - sum(g * p))`` for the gradient g of a softmax p."""
    products = each(a.mul, upstream, p)
    total = a.total(products)
    return each(lambda gy, y: a.sub(gy, a.mul(y, total)), products, p)


@register(special.Softmax)
def softmax(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Softmax along an axis."""
    del node
    x = lift(inputs[0], "float64", arithmetic)  # integers have softmaxes, too
    return [by_rows(lambda row: softmax_row(arithmetic, row), op.axis, x)]


@register(special.LogSoftmax)
def log_softmax(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The logarithm of softmax along an axis."""
    del node
    x = lift(inputs[0], "float64", arithmetic)
    return [by_rows(lambda row: log_softmax_row(arithmetic, row), op.axis, x)]


@register(special.SoftmaxGrad)
def softmax_grad(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The gradient of softmax from the upstream gradient and its value."""
    del node
    pair = np.broadcast_arrays(*inputs)
    return [by_rows(lambda g, p: softmax_grad_row(arithmetic, g, p), op.axis, *pair)]
