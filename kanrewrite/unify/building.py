"""A term built as a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.graph.op import Op
from aesara.tensor import math, special
from aesara.tensor.elemwise import Elemwise
from unification import isvar

from kanrewrite.errors import NotBuildable
from kanrewrite.terms import (
    ALIASES,
    MADE,
    T,
    plain_index,
)
from kanrewrite.unify.reading import REDUCTIONS, is_term


@cache
def elementwise_op(name: str) -> Elemwise | None:
    """The elementwise Op of an operator of ``T``, None where it has none."""
    for spelling, value in {**vars(at), **vars(math)}.items():
        if isinstance(value, Elemwise) and ALIASES.get(spelling, spelling) == name:
            return value
    return None


def as_graph(term: Any) -> Any:
    """A term built as a graph; what is no term stays as it is.

    Parameters
    ----------
    term : Term, Variable, int, float or parameter
        Without logic variables.

    Raises
    ------
    NotBuildable
        If it holds a logic variable, or an operator that exists in patterns only.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> as_graph(T.sum(T.exp(at.matrix("x")), axis=1, keepdims=True)).type.broadcastable
    (False, True)
    """
    return _as_graph(term, {})


def _as_graph(term: Any, built: dict[int, Any]) -> Any:
    if isvar(term):
        raise NotBuildable(term, "it is a logic variable that nothing has bound")
    if not is_term(term):
        return plain_index(term)
    if id(term) not in built:
        built[id(term)] = _apply(term, built)
    return built[id(term)]


def _apply(term: tuple[Any, ...], built: dict[int, Any]) -> Any:
    op, *operands = term
    tensors = len(operands) - len(op.parameters)
    values = [_as_graph(x, built) for x in operands[:tensors]]
    parameters = dict(zip(op.parameters, operands[tensors:], strict=True))
    if op.op is not None:  # whatever the class of the Op may have for calling it
        return Op.__call__(op.op, *values)
    if op.kind is not None:
        output = parameters.pop("output")
        made = MADE.get((op.kind, tuple(parameters.values())))
        own = op.kind(**parameters) if made is None else made
        return own.make_node(*values).outputs[output]
    if op.name in _BUILDERS:
        return _BUILDERS[op.name](*values, **parameters)
    function = elementwise_op(op.name)
    if function is not None:
        return _chain(function, values) if op in _NESTED else function(*values)
    if op not in _FUNCTIONS:
        raise NotBuildable(term, f"{op!r} has no counterpart in aesara.tensor")
    return getattr(at, op.name)(*values, **parameters)


#: What is written with any number of operands.
_NESTED = (T.add, T.mul, T.maximum, T.minimum, T.and_, T.or_, T.xor)


def _chain(function: Any, values: list[Any]) -> Any:
    """A sum or a product of any number of operands, numbers among them."""
    if function is at.mul:
        values = _raised(values)
    first, *others = values
    for value in others:
        first = function(first, value)
    return first


def _raised(values: list[Any]) -> list[Any]:
    """The factors of a product, those that are repeated as powers."""
    often: dict[int, list[Any]] = {}
    for value in values:
        often.setdefault(id(value), []).append(value)
    return [
        v[0] if len(v) == 1 else at.square(v[0]) if len(v) == 2 else v[0] ** len(v)
        for v in often.values()
    ]


def _drop(x: Any, axis: Any) -> Any:
    axes = {a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))}
    return x.dimshuffle([d for d in range(x.ndim) if d not in axes])


def _one_axis(axis: Any, ndim: int) -> tuple[bool, int | None]:
    """Whether Aesara's softmax Ops know these axes, and how they call them."""
    if axis is None or isinstance(axis, int):
        return True, axis if axis is None else axis % ndim
    if len(axis) == 1 or len(axis) == ndim:
        return True, axis[0] % ndim if len(axis) == 1 else None
    return False, None


def _softmax(x: Any, axis: Any) -> Any:
    known, one = _one_axis(axis, x.ndim)
    if known:
        return special.Softmax(axis=one)(x)
    shifted = at.exp(x - at.max(x, axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)


def _log_softmax(x: Any, axis: Any) -> Any:
    known, one = _one_axis(axis, x.ndim)
    if known:
        return special.LogSoftmax(axis=one)(x)
    shifted = x - at.max(x, axis=axis, keepdims=True)
    return shifted - at.log(at.exp(shifted).sum(axis=axis, keepdims=True))


def _softmax_grad(upstream: Any, probabilities: Any, axis: Any) -> Any:
    known, one = _one_axis(axis, upstream.ndim)
    if known:
        return special.SoftmaxGrad(axis=one)(upstream, probabilities)
    weighted = upstream * probabilities
    return weighted - probabilities * weighted.sum(axis=axis, keepdims=True)


def _gradient(y: Any, x: Any, upstream: Any) -> Any:
    """What Aesara has for a derivative, where nothing is repeated along an axis."""
    if (
        y.type.ndim > x.type.ndim
        or any(x.type.broadcastable)
        or y.type.broadcastable != upstream.type.broadcastable
    ):
        why = "the upstream gradient must be like the expression, and the variable not repeated"
        raise NotBuildable(T.gradient(y, x, upstream), why)
    return aesara.grad(None, x, known_grads={y: upstream})


def _size(x: Any, axis: Any) -> Any:
    """The number of elements along axes, of the dtype that their average has."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    dtype = x.dtype if x.dtype.startswith(("float", "complex")) else "float64"
    return at.cast(at.prod([x.shape[int(a)] for a in axes], dtype="int64"), dtype)


def _each(x: Any, order: tuple[int | str, ...]) -> Any:
    try:
        return x.dimshuffle(*order)
    except ValueError as error:  # it has other dimensions
        raise NotBuildable(T.dimshuffle(x, tuple(order)), str(error)) from error


def _subtensor(x: Any, index: Any) -> Any:
    try:
        return x[plain_index(index)]
    except (IndexError, ValueError) as error:  # it has fewer dimensions
        raise NotBuildable(T.subtensor(x, index), str(error)) from error


_FUNCTIONS = frozenset(
    {
        *REDUCTIONS.values(), T.cumsum, T.cumprod, T.argmax, T.logsumexp, T.logaddexp, T.dot,
        T.batched_dot, T.ones_like, T.mean, T.var, T.std,
    }
)  # fmt: skip
_BUILDERS: dict[str, Callable[..., Any]] = {
    "finite": lambda x: at.switch(at.isinf(x), 0.0, x),
    "gradient": _gradient,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "softmax_grad": _softmax_grad,
    "size": _size,
    "dimshuffle": _each,
    "drop": _drop,
    "undrop": at.expand_dims,
    "subtensor": _subtensor,
    "reshape": lambda x, shape: at.reshape(x, plain_index(shape)),
    "alloc": lambda x, shape: at.alloc(x, *plain_index(shape)),
    "join": lambda *xs, axis: at.join(axis, *xs),
}
