"""Operators whose operands are values: maxima, masks and fused operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.basic import AllocDiag
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad

from kanrewrite.ops import Supremum
from kanrewrite.terms import Operator, T, Term
from kanrewrite.unify import as_graph, elementwise_op
from kanrewrite.view.anchoring import anchored
from kanrewrite.view.context import PLAIN
from kanrewrite.view.exponents import ExponentBuilder, is_with_zero
from kanrewrite.view.forms import ONE, ZERO, App, Form, Prod
from kanrewrite.view.heat import hot
from kanrewrite.view.limits import only_tower
from kanrewrite.view.moves import Diagonal
from kanrewrite.view.nodes import axes_of
from kanrewrite.view.towers import of_one
from kanrewrite.view.turning import turned, turns, upright

PlainOperator = Callable[[ExponentBuilder, App], Variable[Any, Any]]


def plain(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    """An operator applied to the values of its operands."""
    build = OPERATORS.get(form.op)
    if build is not None:
        return build(b, form)
    op = form.op.op or elementwise_op(form.op.name)
    if op is None:
        settings = [x for x in form.args if not isinstance(x, Form)]
        values = (_operand(b, f) for f in form.forms)
        return b.make(lambda *xs: as_graph(Term((form.op, *xs, *settings))), *values)
    return b.make(op, *(_operand(b, x) if isinstance(x, Form) else x for x in form.args))


def _operand(b: ExponentBuilder, form: Form) -> Variable[Any, Any]:
    """The value of an operand; of an exponential as the graph computes it, or its negative.

    Where ``exp(x)`` is denormal, ``exp(-x)`` is infinite, and 0 times it is nan.
    """
    known = b.known(form) if isinstance(form, Prod) and hot(form) else None
    return b.value(form) if known is None else b.total([known])


# -- maxima and masks ------------------------------------------------------------------------


def _shift(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    """The maximum over axes, 0 where it is infinite; that of the transpose is its transpose."""
    times, one = of_one(form, b.a)
    if times != 1:
        return b.total([(times, b.value(one))])
    for order in turns(form):
        other, back = turned(form, order, b.a)
        if other is not form and (upright(form, order) or b.is_built(other, PLAIN)):
            return b.make(back.apply, b.value(other))
    lin, axes, hidden = form.args
    return finite(b, b.keepdims(Supremum(axes), b.kept(lin, hidden), axes))


def _maximum(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    """The largest operand, 0 where it is infinite; an exponential that alone overflows stays."""
    out, *others = [b.value(e) for e in form.forms]
    for other in others:
        out = b.make(at.maximum, out, other)
    if is_with_zero(form, b.a):
        return out
    if only_tower(form) is not None:
        nothing = b.make(at.eq, out, b.constant_of(-np.inf))
        return b.make(at.switch, nothing, b.constant(ZERO), out)
    return finite(b, out)


def finite(b: ExponentBuilder, var: Variable[Any, Any]) -> Variable[Any, Any]:
    """A maximum, 0 where it is infinite."""
    return b.make(at.switch, b.make(at.isinf, var), b.constant(ZERO), var)


def _max(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    return b.make(at.max, b.value(form.args[0]), axis=form.args[1], keepdims=True)


def _mask(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    return b.masked(form, b.constant(ONE), b.constant(ZERO))


def _ones(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    return b.make(at.ones_like, b.value(form.args[0]), dtype=b.dtype)


def _scatter(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    return scattered(b, form, b.value(form.args[0]))


def scattered(b: ExponentBuilder, form: App, new: Variable[Any, Any]) -> Variable[Any, Any]:
    """A scatter of other values."""
    _, move, like = form.args
    node = like.var.owner
    base, values, *index = node.inputs
    if isinstance(move, Diagonal) and isinstance(values.owner.op, AllocDiag):
        if not new.type.ndim:  # one number, whose length cancelled away
            new = b.make(at.second, values.owner.inputs[0], new)
        new = b.make(values.owner.op, new)
    return b.make(node.op, base, new, *index)


# -- softmax and its like --------------------------------------------------------------------


def _softmax(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    if _has_op(form):
        return _fused(b, Softmax, form.args[1], b.value(_anchored(b, form)))
    power, total, _ = _shifted(b, form)
    return b.make(at.true_divide, power, total)


def _log_softmax(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    if _has_op(form):
        return _fused(b, LogSoftmax, form.args[1], b.value(_anchored(b, form)))
    _, total, gap = _shifted(b, form)
    return b.make(at.sub, gap, b.make(at.log, total))


def _softmax_grad(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    up, sm, axes = form.args
    g, p = b.value(up), b.value(sm)
    if _has_op(form):
        return b.make(_op(SoftmaxGrad, axes), g, p)
    mean = b.make(at.sum, b.make(at.mul, g, p), axis=axes, keepdims=True)
    return b.make(at.mul, p, b.make(at.sub, g, mean))


def _anchored(b: ExponentBuilder, form: App) -> Form:
    """The operand of a softmax, without what is constant along its axes but is large."""
    inner, axes = form.args
    lin, anchor = anchored(b.a.lin(b.a.terms_of(inner)), axes, b.a)
    return inner if anchor is None else lin


def _has_op(form: App) -> bool:
    """Aesara's softmax is over one axis or over all."""
    return len(form.args[-1]) in (1, form.ndim)


def _defined(b: ExponentBuilder, form: App) -> Variable[Any, Any]:
    """1, and nan where something is negative."""
    one = b.constant(ONE)
    return b.make(at.switch, b.below_zero(form.args[0]), b.constant_of(np.nan), one)


def _op(kind: Callable[..., Any], axes: tuple[int, ...]) -> Any:
    """One of Aesara's softmax Ops; no axis stands for all of them."""
    return kind(axis=axes[0] if len(axes) == 1 else None)


def _fused(
    b: ExponentBuilder, kind: type[Any], axes: tuple[int, ...], var: Variable[Any, Any]
) -> Variable[Any, Any]:
    """A fused operator of a variable: the one that the graph has already, if any.

    Aesara has several for the same axes: -1 is the last one, None is the only one.
    """
    for node, _ in b.view.clients.get(var, ()):
        if isinstance(getattr(node, "op", None), kind) and axes_of(node) == axes:
            out: Variable[Any, Any] = node.outputs[0]
            return out
    return b.make(_op(kind, axes), var)


def _shifted(
    b: ExponentBuilder, form: App
) -> tuple[Variable[Any, Any], Variable[Any, Any], Variable[Any, Any]]:
    """The shifted exponential, its sum, and its exponent."""
    axes, inner = form.args[1], _anchored(b, form)
    lin = b.a.lin(b.a.terms_of(inner))
    top = b.a.shift(lin, axes)
    gap = b.make(at.sub, b.value(inner), b.value(top))
    power = b.make(at.exp, gap)
    return power, b.make(at.sum, power, axis=axes, keepdims=True), gap


OPERATORS: dict[Operator, PlainOperator] = {
    T.shift: _shift,
    T.maximum: _maximum,
    T.closed: lambda b, form: b.value(form.args[0]),
    T.finite: lambda b, form: finite(b, b.value(form.args[0])),
    T.kept: lambda b, form: b.kept(*form.args),
    T.defined: _defined,
    T.max: _max,
    T.mask: _mask,
    T.scatter: _scatter,
    T.ones_like: _ones,
    T.unpicked: lambda b, form: b.make(form.args[1].unpicked, b.value(form.args[0])),
    T.softmax: _softmax,
    T.log_softmax: _log_softmax,
    T.softmax_grad: _softmax_grad,
}
