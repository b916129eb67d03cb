"""What each Op means: a table that anybody can extend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from aesara.graph.basic import Apply, NoParams, Variable
from aesara.graph.op import Op
from aesara.scalar.basic import ScalarOp

from kanrewrite.errors import NoMeaning
from kanrewrite.reference.alike import each
from kanrewrite.reference.scales import Arithmetic, Real, real

# Values of float dtype are object arrays of Real, of complex dtype of mpc; the rest is what
# Aesara itself would hold (integer and bool arrays, slices, None).
Values = Sequence[Any]
Node = Apply[Any]
AnyVariable = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Meaning = TypeVar("Meaning", bound=Callable[..., Any])

SCALAR: dict[type[ScalarOp], Callable[..., Any]] = {}


@singledispatch
def meaning(op: Op, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The outputs of `node`, as mathematics has them.

    Parameters
    ----------
    op : Op
        ``node.op``, whose type selects the implementation.
    node : Apply
        The node.
    inputs : sequence
        One value for each input: object arrays of ``Real`` for float dtypes, of ``mpc`` for complex
        ones; integers, bools, slices and None as Aesara holds them.
    arithmetic : Arithmetic
        Computes with ``Real`` at one precision.

    Returns
    -------
    sequence
        One value for each output; an integer array is accepted for a float output.

    Raises
    ------
    NoMeaning
        Nothing is registered for the Op and an input is not an exact integer.
    """
    if _load_nnet(type(op)) and meaning.dispatch(type(op)) is not meaning.dispatch(object):
        return meaning(op, node, inputs, arithmetic)
    if all(is_exact(variable) for variable in node.inputs):
        return perform(node, inputs)
    raise NoMeaning(op, str(node))


def _load_nnet(kind: type) -> bool:
    """Register the Ops of Aesara's nnet, which to import is the user's choice, when one is met."""
    if not kind.__module__.startswith("aesara.tensor.nnet"):
        return False
    import_module("kanrewrite.reference.nnet")
    return True


def register(kind: type[Any]) -> Callable[[Meaning], Meaning]:
    """Say what an Op means.

    Parameters
    ----------
    kind : type
        An Op type; its subclasses are meant too. For a scalar Op the function is called for each
        element as ``f(arithmetic, *reals)`` and returns a ``Real``, an int or a bool; for others
        it is called as :func:`meaning` is.

    Returns
    -------
    callable
        A decorator that returns the function unchanged.

    Examples
    --------
    >>> from aesara.scalar import UnaryScalarOp
    >>> class Cube(UnaryScalarOp):
    ...     pass
    >>> @register(Cube)
    ... def cube(arithmetic, x):
    ...     return arithmetic.mul(x, arithmetic.mul(x, x))
    """

    def decorate(function: Meaning) -> Meaning:
        if issubclass(kind, ScalarOp):
            SCALAR[kind] = function
        else:
            meaning.register(kind, function)
        return function

    return decorate


def scalar_meaning(op: ScalarOp) -> Callable[..., Any] | None:
    """The registered function of a scalar Op, its own type's or the nearest base's."""
    _load_nnet(type(op))
    return next((SCALAR[kind] for kind in type(op).__mro__ if kind in SCALAR), None)


def dtype_of(variable: AnyVariable) -> str:
    """The dtype, "" of what is no number (a slice, None)."""
    return str(getattr(variable.type, "dtype", ""))


def is_exact(variable: AnyVariable) -> bool:
    """Whether the values are exact already: integers, bools, slices, None."""
    return not dtype_of(variable).startswith(("float", "complex"))


def perform(node: Node, inputs: Values) -> Values:
    """What the Op's own implementation computes."""
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    params = node.run_params()
    node.op.perform(node, list(inputs), storage, *([] if params is NoParams else [params]))
    return [cell[0] for cell in storage]


def objects(values: Sequence[Any] | Array, shape: Sequence[int]) -> Array:
    """An object array of a shape from its elements in C order."""
    out = np.empty(len(values), dtype=object)
    if isinstance(values, np.ndarray):
        out[:] = values
    else:  # of a list NumPy asks each element whether it is an array, which takes ten times as long
        for n, value in enumerate(values):
            out[n] = value
    return out.reshape(tuple(shape))


def lift(value: Any, dtype: str, arithmetic: Arithmetic) -> Any:
    """`value` as a variable of `dtype` holds it: numbers become ``Real`` or ``mpc``.

    Parameters
    ----------
    value : ndarray or anything
        An array of numbers, ``Real`` or ``mpc``; what is no array stays.
    dtype : str
        The dtype of the variable.
    arithmetic : Arithmetic
        Makes the ``mpc``.

    Returns
    -------
    ndarray or anything
    """
    if not dtype.startswith(("float", "complex")):
        return value
    value = value if isinstance(value, np.ndarray) else np.asarray(value)
    is_real = value.dtype == object and not dtype.startswith("complex")
    if is_real and set(map(type, value.ravel())) <= {Real}:
        return value.copy()
    one = _complex(arithmetic) if dtype.startswith("complex") else _real
    if value.dtype != object:
        return objects(each(one, value.ravel().tolist()), value.shape)
    return objects(each(one, value.ravel()), value.shape)


def _real(value: Any) -> Real:
    return value if isinstance(value, Real) else real(value)


def _complex(arithmetic: Arithmetic) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if isinstance(value, Real):
            value = arithmetic.number(value)
        return arithmetic.context.mpc(value)

    return convert
