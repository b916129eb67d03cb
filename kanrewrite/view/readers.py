"""Readers: for each Aesara Op that forms know, how a node of it is read.

A reader gives None for what it cannot read, which is a leaf then.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.raise_op import Assert
from aesara.scalar.basic import Cast, Sub
from aesara.tensor.basic import Alloc, AllocDiag, ExtractDiag, Join, MakeVector
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.extra_ops import BroadcastTo, CumOp, FillDiagonal
from aesara.tensor.math import Dot, Max, MaxAndArgmax
from aesara.tensor.math import Prod as ProdOp
from aesara.tensor.math import Sum as SumOp
from aesara.tensor.shape import Reshape as ReshapeOp
from aesara.tensor.shape import Shape, Shape_i, SpecifyShape, Unbroadcast
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)
from aesara.tensor.type import TensorType

from kanrewrite import ops
from kanrewrite.terms import Operator, T, operator_of
from kanrewrite.view.chosen import where_kept
from kanrewrite.view.conditions import condition
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import HALF, ONE, App, Form
from kanrewrite.view.heat import hot
from kanrewrite.view.indices import as_one, untaken
from kanrewrite.view.joining import age
from kanrewrite.view.lengths import have_lost, spanning
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import (
    Index,
    Piece,
    Reshape,
    advanced,
    diagonal,
    dimshuffle,
    reshape,
    subtensor,
)
from kanrewrite.view.nodes import FLOATS, axes_of, constant_of, number_of
from kanrewrite.view.scattering import alloc_diagonal, fill_diagonal, scatter
from kanrewrite.view.source import MoveOf, Reader, Source


def _same_dtype(node: Apply[Any], a: Lifting, start: int = 0) -> bool:
    tensors = (i.type for i in node.inputs[start:] if isinstance(i.type, TensorType))
    return all(t.dtype == a.dtype for t in tensors if t.ndim)


# -- elementwise Ops -------------------------------------------------------------------------


def _elemwise(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    op = operator_of(node.op)
    a.same_lengths.ask(node)
    if isinstance(node.op.scalar_op, Cast):
        return _cast(view, node, a)
    reader = ELEMWISE.get(op)
    if reader is not None:
        return reader(view, node, a)
    return view.define(op, node.inputs, a) if _same_dtype(node, a) else None


def _plain(constructor: Callable[..., Form]) -> Reader:
    def read(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
        return constructor(a, *(view.operand(i, a) for i in node.inputs))

    return read


def _exp(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    if node.inputs[0].type.dtype not in FLOATS:
        return None  # the exponential of an integer is computed as written
    return a.exp(view.operand(node.inputs[0], a))


def _log(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    return a.log(view.read(node.inputs[0])) if node.inputs[0].type.dtype == a.dtype else None


def _mul(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A product, in which what is true or false is a choice of the rest or 0."""
    return a.mul(*(_mask(view, i, a) or view.operand(i, a) for i in node.inputs))


def _sub(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A difference; from 1, that of what is true or false is its opposite."""
    left, right = node.inputs
    hidden = _mask(view, right, a, False) if constant_of(left) == 1 else None
    if hidden is not None:
        return a.mul(view.operand(left, a), hidden)
    return a.sub(view.operand(left, a), view.operand(right, a))


def _mask(view: Source, var: Variable[Any, Any], a: Lifting, kept: bool = True) -> Form | None:
    """The choice that a factor makes which is true or false, in numbers, too, or 1 less it."""
    while var.type.dtype not in FLOATS and var.type.dtype != "bool" and var.owner is not None:
        op, inputs = var.owner.op, var.owner.inputs
        scalar = op.scalar_op if isinstance(op, Elemwise) else None
        if isinstance(scalar, Cast):
            var = inputs[0]
        elif (
            isinstance(scalar, Sub) and constant_of(inputs[0]) == 1 and all(inputs[0].broadcastable)
        ):
            var, kept = inputs[1], not kept
        else:
            return None
    return a.app(T.mask, condition(view, var, a), kept) if var.type.dtype == "bool" else None


def _pow(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    base, power = node.inputs
    value = constant_of(power)
    if value is not None:
        form = view.operand(base, a)
        return None if form is a.zero else a.pow(form, value)
    root = constant_of(base)
    if root is not None and root <= 0:
        return None
    return a.power(view.operand(base, a), view.operand(power, a))


def _second(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    shape, value = node.inputs
    return _along(view, shape, view.operand(value, a), a)


def _switch(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    cond, yes, no = node.inputs
    known = constant_of(cond)
    if known is not None:
        return _filled_like(view, node, view.operand(yes if known else no, a), a)
    where = condition(view, cond, a)
    left, right = view.operand(yes, a), view.operand(no, a)
    if left is a.zero and _is_isinf_of(cond, no):
        shift = _shift(right, a)
        if shift is not None:
            return shift
    if right is a.zero or left is a.zero:
        kept = left if right is a.zero else right
        mask = a.chosen(where, right is a.zero)
        return a.mul(where_kept(kept, mask, a), mask)
    return left if left is right else a.app(T.switch, where, left, right)


def _filled_like(view: Source, node: Apply[Any], form: Form, a: Lifting) -> Form:
    """A form with all the lengths of what a node gives."""
    (out,) = node.outputs
    if form.bcast == tuple(out.type.broadcastable) or form is a.zero:
        return form
    return _along(view, out, form, a)


def _chosen(largest: bool) -> Reader:
    """A maximum, or a minimum, of what overflows: a choice by the difference."""

    def read(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
        left, right = (view.operand(i, a) for i in node.inputs)
        return _choice(left, right, largest, a) if _same_dtype(node, a) else None

    return read


def _clip(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """``clip(x, low, high) == minimum(maximum(x, low), high)``."""
    inner, low, high = (view.operand(i, a) for i in node.inputs)
    if not _same_dtype(node, a) or not a.overflows(inner):
        return None
    raised = _choice(inner, low, True, a)
    return None if raised is None else _choice(raised, high, False, a)


def _choice(left: Form, right: Form, largest: bool, a: Lifting) -> Form | None:
    if left is right:
        return left
    if not (a.overflows(left) or a.overflows(right)):
        return None
    if not a.overflows(left):
        left, right = right, left  # what is not a number is not smaller, and stays
    return becomes((T.maximum if largest else T.minimum, None, None), (left, right), a)


def _is_isinf_of(cond: Variable[Any, Any], var: Variable[Any, Any]) -> bool:
    node = cond.owner
    return (
        node is not None
        and isinstance(node.op, Elemwise)
        and operator_of(node.op) is T.isinf_
        and node.inputs[0] is var
    )


def _shift(form: Form, a: Lifting) -> Form | None:
    """What a shift by hand, or by this library, takes out: a maximum, 0 where it is infinite."""
    if isinstance(form, App) and form.op is T.max:
        lin, axes = form.args
        return a.shift(lin, axes)
    return None


def _cast(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """``cast(softmax(n))`` of integers n, which Aesara computes in float16 or refuses.

    A number is the same whatever dimensions it was given before it was cast.
    """
    number, inner = number_of(node.inputs[0]), node.inputs[0].owner
    if number is not None and number is not node.inputs[0]:
        return view.leaf(a.numbers.setdefault((node.op, number), node.op(number)), a)
    if inner is None or type(inner.op) not in (Softmax, LogSoftmax):
        return None
    if inner.inputs[0].type.dtype in FLOATS:
        return None
    return view.define(SOFTMAX[type(inner.op)], inner.inputs, a, axes_of(inner))


# -- reductions and contractions -------------------------------------------------------------


def _reduction(name: str) -> Reader:
    def read(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
        if node.inputs[0].type.dtype != a.dtype:
            return None
        axes, form = axes_of(node), _spread(view, node.inputs[0], a)
        return a.drop(getattr(a, name)(form, axes), axes)

    return read


def _along(view: Source, shape: Variable[Any, Any], form: Form, a: Lifting) -> Form:
    """A form with the lengths of a variable."""
    return a.mul(form, a.ones(view.leaf(shape, a)))


def _spread(view: Source, var: Variable[Any, Any], a: Lifting) -> Form:
    """A variable with all its lengths, of which ``exp(x) * exp(-x) * b`` has lost those of x."""
    form = view.read(var)
    return _along(view, var, form, a) if have_lost([form], [var]) else form


def _prod(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    (inner,) = node.inputs
    if inner.type.dtype != a.dtype:
        return None
    axes, form = axes_of(node), _spread(view, inner, a)
    if not form.bcast:
        return None
    sizes: Any = at.shape(inner)
    lengths = {d: a.leaf(at.cast(sizes[d], a.dtype), ()) for d in axes} if hot(form) else {}
    return a.drop(a.prod_along(form, axes, lengths), axes)


def _cumulative(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    axis = 0 if node.op.axis is None and node.inputs[0].type.ndim == 1 else node.op.axis
    if node.inputs[0].type.dtype != a.dtype or axis is None:
        return None
    form, place = _spread(view, node.inputs[0], a), axis % node.inputs[0].type.ndim
    if node.op.mode != "add":
        return view.define(T.cumprod, [form], a, place) if hot(form) else None
    return a.cumsum(form, place) if form.bcast else None


def _dot(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    if not _same_dtype(node, a):
        return None
    left, right = (_spread(view, i, a) for i in node.inputs)
    if not left.bcast or not right.bcast:
        return None
    batched = isinstance(node.op, BatchedDot)
    return a.dot(T.batched_dot if batched else T.dot, left, right, int(batched))


def _softmax(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    if not _same_dtype(node, a):
        return None
    return view.define(SOFTMAX[type(node.op)], node.inputs, a, axes_of(node))


# -- moves -----------------------------------------------------------------------------------


def _move(move_of: MoveOf) -> Reader:
    def read(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
        move = move_of(node.op, node.inputs[1:], tuple(node.inputs[0].type.broadcastable))
        if move is None or node.inputs[0].type.dtype != a.dtype:
            return None
        given, form = node.inputs[0], view.read(node.inputs[0])
        if isinstance(move, Index) and _is_asked_for_parts(view, given):
            before = untaken(form, a)
            one = None if before is None else as_one(before.of.var, move, before.move, a)
            if before is not None and one is not None:
                given, form, move = before.of.var, before.form, one
        if form.bcast and form.bcast != move.whole:
            if not hot(form):
                return None
            # A length went with what cancelled.
            form = _along(view, given, form, a)
        if isinstance(move, Reshape):
            axes = tuple(d for d, one in enumerate(move.whole) if not one)
            move = move.of(min(spanning(form, axes), key=age, default=form))
        a.witnessed(move, view.leaf(given, a))
        return a.move(form, move)

    return read


def _is_asked_for_parts(view: Source, var: Variable[Any, Any]) -> bool:
    """Tell whether of a variable, and of what is computed of it, only parts are asked for."""
    stack, seen = [var], {var}
    while stack:
        for node, place in view.clients.get(stack.pop(), ()):
            op = getattr(node, "op", None)
            if isinstance(op, Elemwise) and operator_of(op) is T.fill and place == 0:
                continue  # for its shape
            if isinstance(op, Elemwise) and len(seen) < FEW:
                new = [out for out in node.outputs if out not in seen]
                stack.extend(new)
                seen.update(new)
            elif type(op) not in _OF_PARTS:
                return False
    return True


def _join(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """``join(exp(a) * r, exp(b) * s) == exp(join(a, b)) * join(r, s)``."""
    axis = node.inputs[0]
    place = constant_of(axis)
    return None if place is None or not _same_dtype(node, a, 1) else _joined(view, node, a, place)


def _make_vector(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A vector of numbers is a join of vectors of length 1."""
    forms = [view.read(i) for i in node.inputs if i.type.dtype == a.dtype]
    if len(forms) < len(node.inputs) or not any(map(hot, forms)):
        return None
    tensors: list[Any] = node.inputs
    places = [view.leaf(i.dimshuffle("x"), a) for i in tensors]
    full = [a.mul(f, a.app(T.ones_like, p)) for f, p in zip(forms, places, strict=True)]
    return a.app(T.join, *full, 0, bcast=tuple(node.outputs[0].type.broadcastable))


def _joined(view: Source, node: Apply[Any], a: Lifting, place: Any) -> Form | None:
    parts = node.inputs[1:]
    forms = [view.read(p) for p in parts]
    if not any(hot(f) for f in forms):
        return None
    out = node.outputs[0].type

    def joined(pieces: list[Form]) -> Form:
        full = [_filled(view, p, f, a) for p, f in zip(parts, pieces, strict=True)]
        return a.app(T.join, *full, int(place) % out.ndim, bcast=tuple(out.broadcastable))

    split = [a.parts(f) for f in forms]
    rests = [a.prod(c, a.no_exponent, dict(factors)) for c, _, factors in split]
    if any(map(hot, rests)):
        return joined(forms)
    power = a.exp(joined([a.add_terms(dict(expo.terms)) for _, expo, _ in split]))
    return power if all(r is a.one for r in rests) else a.mul(power, joined(rests))


def _filled(view: Source, var: Variable[Any, Any], form: Form, a: Lifting) -> Form:
    """A form with all the lengths of a variable."""
    if form.bcast and form.bcast == tuple(var.type.broadcastable):
        return form
    shape = view.leaf(var, a)
    return a.app(T.fill, shape, form) if form is a.zero else a.mul(form, a.app(T.ones_like, shape))


def split_piece(view: Source, var: Variable[Any, Any], a: Lifting) -> Form | None:
    """One of the results of a Split."""
    node = var.owner
    inner, axis, _ = node.inputs
    if inner.type.dtype != a.dtype or not isinstance(axis, Constant):
        return None
    move = Piece(node, node.outputs.index(var), tuple(inner.type.broadcastable))
    form = view.read(inner)
    return a.move(form, move) if not form.bcast or form.bcast == move.whole else None


def _specified(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A shape that is known already, or that nothing depends on; of length 1, the first is all."""
    if node.inputs[0].type.dtype != a.dtype:
        return None
    form = view.read(node.inputs[0])
    lengths = tuple(node.outputs[0].type.broadcastable)
    if not hot(form) or form.bcast == lengths:
        return form if hot(form) else None
    ones = tuple(d for d, one in enumerate(lengths) if one)
    inner: Any = node.inputs[0]
    first = inner[tuple(0 if one else slice(None) for one in lengths)]
    return view.read(at.expand_dims(first, ones)) if form.bcast and ones else None


def _unbroadcast(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A dimension of length 1, which is not known to be that any more."""
    form = view.read(node.inputs[0])
    return _along(view, node.outputs[0], form, a) if hot(form) else None


def _checked(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """What is checked to be true of it and is."""
    value, *conditions = node.inputs
    true = all(isinstance(c, Constant) and bool(np.all(c.data)) for c in conditions)
    return view.operand(value, a) if true else None


def _alloc(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    value = node.inputs[0]
    form = view.operand(value, a)
    if form.bcast:
        extra = node.outputs[0].type.ndim - value.type.ndim
        form = a.shuffle(form, (*["x"] * extra, *range(value.type.ndim)))
    return _along(view, node.outputs[0], form, a)


def own(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A node of an Op of which relations say something; None where it is a leaf."""
    op, first = operator_of(node.op), node.inputs[0]
    if op in view.laws.definitions:
        return view.define(op, node.inputs, a)
    out = node.outputs[0].type
    if op not in view.laws.own or first.type.dtype != a.dtype or out.dtype != a.dtype:
        return None
    return a.own(op, view.read(first), view.leaf(first, a), node.inputs[1:])


ELEMWISE: dict[Operator, Reader] = {
    T.add: _plain(Lifting.add),
    T.sub: _sub,
    T.mul: _mul,
    T.true_div: _plain(Lifting.div),
    T.neg: _plain(Lifting.neg),
    T.reciprocal: _plain(lambda a, x: a.pow(x, -ONE)),
    T.sqr: _plain(lambda a, x: a.pow(x, Fraction(2))),
    T.sqrt: _plain(lambda a, x: a.pow(x, HALF)),
    T.abs: _plain(Lifting.abs),
    T.tensor_copy: _plain(lambda a, x: x),
    T.exp: _exp,
    T.log: _log,
    T.pow: _pow,
    T.fill: _second,
    T.switch: _switch,
    T.maximum: _chosen(True),
    T.minimum: _chosen(False),
    T.clip: _clip,
}

SOFTMAX: dict[type, Operator] = {
    Softmax: T.softmax,
    LogSoftmax: T.log_softmax,
    SoftmaxGrad: T.softmax_grad,
    ops.Softmax: T.softmax,
    ops.LogSoftmax: T.log_softmax,
}

#: Of what is computed of more, nobody finds out whether only parts are asked for.
FEW = 16
#: Ops that ask for parts of a tensor or for its shape.
_OF_PARTS = {Subtensor, AdvancedSubtensor, AdvancedSubtensor1, Shape, Shape_i}

READERS: dict[type, Reader] = {
    Elemwise: _elemwise,
    SumOp: _reduction("sum"),
    Max: _reduction("max"),
    MaxAndArgmax: _reduction("max"),
    CumOp: _cumulative,
    ProdOp: _prod,
    DimShuffle: _move(dimshuffle),
    Subtensor: _move(subtensor),
    AdvancedSubtensor: _move(advanced),
    AdvancedSubtensor1: _move(advanced),
    ReshapeOp: _move(reshape),
    ExtractDiag: _move(diagonal),
    FillDiagonal: fill_diagonal,
    AllocDiag: alloc_diagonal,
    IncSubtensor: scatter(subtensor),
    AdvancedIncSubtensor: scatter(advanced),
    AdvancedIncSubtensor1: scatter(advanced),
    Alloc: _alloc,
    BroadcastTo: _alloc,
    SpecifyShape: _specified,
    Unbroadcast: _unbroadcast,
    Assert: _checked,
    Join: _join,
    MakeVector: _make_vector,
    Dot: _dot,
    BatchedDot: _dot,
    Softmax: _softmax,
    LogSoftmax: _softmax,
    SoftmaxGrad: _softmax,
    ops.Softmax: _softmax,
    ops.LogSoftmax: _softmax,
    ops.Supremum: _reduction("max"),
}
