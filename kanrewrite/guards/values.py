"""What a guard can ask about a value: dtype, broadcasting, constancy, sign, axes.

Each question is a function that other kinds of values (the forms of a view) register on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from numbers import Number
from typing import Any, Literal

import numpy as np
from aesara.graph.basic import Constant, Variable
from aesara.tensor.elemwise import DimShuffle

from kanrewrite.guards.bounds import NONE, assumed
from kanrewrite.terms import Term, operator_of

Axes = int | tuple[int, ...] | None
Sign = Literal["positive", "nonnegative", "negative", "unknown"]


@singledispatch
def dtype_of(value: object) -> str | None:  # noqa: ARG001  # the fallback
    """The dtype of a value, None where it has none."""
    return None


@singledispatch
def broadcastable_of(value: object) -> tuple[bool, ...] | None:  # noqa: ARG001
    """For each dimension of a value, whether its length is known to be 1."""
    return None


@singledispatch
def constant_of(value: object) -> Any:  # noqa: ARG001
    """The number or array that a value is, None where it is not constant."""
    return None


@singledispatch
def sign_of(value: object) -> Sign:
    """What is known of the sign of every element of a value, as real numbers."""
    data = constant_of(value)
    if data is None or not np.size(data):
        return "unknown"
    if np.all(np.greater(data, 0)):
        return "positive"
    if np.all(np.less(data, 0)):
        return "negative"
    return "nonnegative" if np.all(np.greater_equal(data, 0)) else "unknown"


@dtype_of.register(Number)
def _(value: Number) -> str:
    return str(np.asarray(value).dtype)


@broadcastable_of.register(Number)
def _(value: Number) -> tuple[bool, ...]:  # noqa: ARG001  # registered by its type
    return ()


@constant_of.register(Number)
def _(value: Number) -> Number:
    return value


@dtype_of.register(np.ndarray)
def _(value: np.ndarray[Any, Any]) -> str:
    return str(value.dtype)


@broadcastable_of.register(np.ndarray)
def _(value: np.ndarray[Any, Any]) -> tuple[bool, ...]:
    return tuple(length == 1 for length in value.shape)


@constant_of.register(np.ndarray)
def _(value: np.ndarray[Any, Any]) -> Any:
    return value


@dtype_of.register(Variable)
def _(value: Variable[Any, Any]) -> str | None:
    return getattr(value.type, "dtype", None)


@broadcastable_of.register(Variable)
def _(value: Variable[Any, Any]) -> tuple[bool, ...] | None:
    return getattr(value.type, "broadcastable", None)


@constant_of.register(Variable)
def _(value: Variable[Any, Any]) -> Any:
    if value.owner is None or not isinstance(value.owner.op, DimShuffle):
        return None
    data = constant_of(value.owner.inputs[0])
    return data if np.ndim(data) == 0 else None  # a number, shaped to broadcast


@constant_of.register(Constant)
def _(value: Constant[Any]) -> Any:
    return value.data


_POSITIVE = frozenset({"exp", "exp2", "sigmoid", "softplus", "softmax", "cosh"})
_NONNEGATIVE = frozenset({"abs", "sqr", "sqrt"})
_KEEPS_SIGN = frozenset(
    {
        "mul", "true_div", "minimum", "sqrt", "reciprocal", "max", "min", "dimshuffle",
        "subtensor", "reshape", "drop", "join",
    }
)  # fmt: skip
_ORDER: tuple[Sign, ...] = ("positive", "nonnegative", "unknown")


def _sign(name: str, signs: Iterator[Sign]) -> Sign:
    """The sign of an operator's value, from its name and the signs of its operands."""
    if name in _POSITIVE:
        return "positive"
    known: list[Sign] = ["unknown" if s == "negative" else s for s in signs]
    weakest: Sign = "unknown"
    if name in _KEEPS_SIGN and known:
        weakest = max(known, key=_ORDER.index)
    if name == "add" and "unknown" not in known:  # one positive term is enough
        weakest = min(known, key=_ORDER.index)
    if name == "maximum":  # the larger one is at least as large as either
        weakest = min(known, key=_ORDER.index)
    return "nonnegative" if weakest == "unknown" and name in _NONNEGATIVE else weakest


@sign_of.register(Variable)
def _(value: Variable[Any, Any]) -> Sign:
    known = assumed(value)
    if known != NONE:
        return "positive" if known.low > 0 else "nonnegative" if known.low >= 0 else "unknown"
    if value.owner is None or constant_of(value) is not None:
        return sign_of.dispatch(object)(value)
    if isinstance(value.owner.op, DimShuffle):
        return sign_of(value.owner.inputs[0])
    operator, operands = operator_of(value.owner.op), value.owner.inputs
    return _sign_of(operator, operands)


@sign_of.register(Term)
def _(value: Term) -> Sign:
    return _sign_of(value[0], value[1 : len(value) - len(value[0].parameters)])


def _sign_of(operator: Any, operands: Sequence[Any]) -> Sign:
    """The sign of an operator over operands, squares and what divides among them."""
    name = getattr(operator, "name", "")
    if name == "mul" and len(operands) == 2 and operands[0] == operands[1]:
        name, operands = "sqr", operands[:1]
    if name == "pow":
        return _sign_of_power(*operands)
    return _sign(name, (sign_of(x) for x in operands))


def _sign_of_power(base: Any, exponent: Any) -> Sign:
    number = constant_of(exponent)
    even = number is not None and np.size(number) == 1 and float(np.ravel(number)[0]) % 2 == 0
    sign = sign_of(base)
    if sign in ("positive", "nonnegative"):
        return sign
    return "nonnegative" if even else "unknown"


def ndim_of(value: object) -> int | None:
    """The number of dimensions of a value, None where it is not a tensor."""
    pattern = broadcastable_of(value)
    return None if pattern is None else len(pattern)


def normal_axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """An axis in any spelling as ascending, non-negative numbers.

    Examples
    --------
    >>> normal_axes(-1, 3), normal_axes(None, 2), normal_axes((1, -3), 3)
    ((2,), (0, 1), (0, 1))
    """
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted({a + ndim if a < 0 else a for a in axes}))
