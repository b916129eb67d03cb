"""The guards that come with kanrewrite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.elemwise import Elemwise

from kanrewrite.guards.condition import Guard
from kanrewrite.guards.lengths import is_count, is_joint_share, is_share
from kanrewrite.guards.values import (
    Axes,
    broadcastable_of,
    constant_of,
    dtype_of,
    ndim_of,
    normal_axes,
    sign_of,
)
from kanrewrite.terms import Operator, Param, Term


def _dtype_starts(*kinds: str) -> Callable[[Any], bool]:
    return lambda value: (dtype_of(value) or "").startswith(kinds)


def _is_axis(value: Any) -> bool:
    if value is None:
        return True
    axes = value if isinstance(value, tuple) else (value,)
    return all(isinstance(a, int | np.integer) and not isinstance(a, bool) for a in axes)


def _has_ndim(value: Any, wanted: int | slice) -> bool:
    n = ndim_of(value)
    if n is None or isinstance(wanted, int):
        return n == wanted
    return (wanted.start or 0) <= n and (wanted.stop is None or n < wanted.stop)


def _is_elementwise(value: Any) -> bool:
    if isinstance(value, Variable):
        return value.owner is not None and _is_elementwise(value.owner.op)
    if isinstance(value, Term):
        return _is_elementwise(value[0])
    if isinstance(value, Operator):
        return isinstance(value.op, Elemwise) if value.op else not value.parameters
    return isinstance(value, Elemwise)


def _is_one_axis(axis: Axes) -> bool:
    axes = axis if isinstance(axis, tuple) else (axis,)
    return len(axes) == 1 and axes[0] is not None


def _is_one_axis_or_all(axis: Axes, of: Any) -> bool:
    pattern = broadcastable_of(of)
    return pattern is None or len(normal_axes(axis, len(pattern))) in (1, len(pattern))


def _is_constant_along(value: Any, axis: Axes) -> bool:
    pattern = broadcastable_of(value)
    if pattern is None:
        return False
    if not pattern:
        return True
    axes = normal_axes(axis, len(pattern))
    return all(a < len(pattern) and pattern[a] for a in axes)


def _same_shape(first: Any, second: Any) -> bool:
    """Whether two values broadcast alike: what is known of a shape without running the graph."""
    pattern = broadcastable_of(first)
    return pattern is not None and pattern == broadcastable_of(second)


#: Tensors by the kind of their dtype.
is_float = Guard("Float", _dtype_starts("float"), factorwise=True)
is_int = Guard("Int", _dtype_starts("int", "uint"), factorwise=True)
is_bool = Guard("Bool", _dtype_starts("bool"), factorwise=True)
#: The axis of a reduction: None, an integer or a tuple of integers.
is_axis = Guard("Axis", _is_axis)
#: A number of dimensions: ``Ndim[2]``, at least two ``Ndim[2:]``, one or two ``Ndim[1:3]``.
ndim = Guard("Ndim", _has_ndim, factorwise=True)
#: A value known when the graph is compiled.
is_constant = Guard("Constant", lambda value: constant_of(value) is not None, factorwise=True)
#: An elementwise operator, or a value that one computes.
is_elementwise = Guard("Elementwise", _is_elementwise)
#: ``one_axis(axis)``: a single axis, which is not None.
one_axis = Guard("one_axis", _is_one_axis)
one_axis_or_all = Guard("one_axis_or_all", _is_one_axis_or_all)
#: ``constant_along(a, axis)``: ``a`` has length 1 along the axes of a reduction.
constant_along = Guard("ConstantAlong", _is_constant_along, factorwise=True)
#: ``same_shape(a, b)``: the same number of dimensions, broadcast alike.
same_shape = Guard("same_shape", _same_shape)
#: ``has_dtype(a, "float64")``: a tensor of that very dtype.
has_dtype = Guard("has_dtype", lambda value, dtype: dtype_of(value) == dtype)
#: A value not known when the graph is compiled.
computed = Guard("computed", lambda value: constant_of(value) is None, factorwise=True)
#: Known signs, as real numbers: ``exp(x)`` is positive although it can round to zero.
positive = Guard("positive", lambda value: sign_of(value) == "positive", factorwise=True)
nonnegative = Guard(
    "nonnegative", lambda value: sign_of(value) in ("positive", "nonnegative"), factorwise=True
)
nonzero = Guard(
    "nonzero", lambda value: sign_of(value) in ("positive", "negative"), factorwise=True
)
#: ``counts(n, axis, a)``: n is the number of elements of ``a`` along the axes of a reduction.
counts = Guard("counts", is_count)
#: ``shares(r, axis, a)``: r is a number, and one over that.
shares = Guard("shares", is_share)
#: ``joint_share(q, axis, a, b)``: q is a number, the share of ``a`` times that of ``b``.
joint_share = Guard("joint_share", is_joint_share)
#: ``differs(a, b)``: two values that are not the same term.
differs = Guard("differs", lambda first, second: bool(first != second))

# As annotations.  `Annotated` lets type checkers see a parameter as what it is while a relation
# is written: something to compute with.
Float = Annotated[Param, is_float]
Int = Annotated[Param, is_int]
Bool = Annotated[Param, is_bool]
Axis = Annotated[Param, is_axis]
Constant = Annotated[Param, is_constant]
Elementwise = Annotated[Param, is_elementwise]
Ndim = ndim
ConstantAlong = constant_along
