"""Guards: what a relation asks of the values of its parameters.

A guard is written as an annotation of a parameter (``x: Float``) or as a condition of an equation
(``eq(...).when(constant_along(a, axis))``).  Either way it becomes a `Condition`, which is both a
predicate over bindings and a miniKanren goal that runs as soon as its variables are bound.

What a guard asks about a value goes through the functions `dtype_of`, `broadcastable_of`,
`constant_of` and `sign_of`, on which other kinds of values (the forms of a view) register.
"""

from kanrewrite.guards.condition import Condition, ConditionStore, Guard, guards_in
from kanrewrite.guards.kinds import (
    Axis,
    Bool,
    Constant,
    ConstantAlong,
    Elementwise,
    Float,
    Int,
    Ndim,
    constant_along,
    counts,
    differs,
    is_axis,
    is_bool,
    is_constant,
    is_elementwise,
    is_float,
    is_int,
    ndim,
    nonnegative,
    nonzero,
    one_axis,
    one_axis_or_all,
    positive,
    same_shape,
    shares,
)
from kanrewrite.guards.values import (
    Axes,
    Sign,
    broadcastable_of,
    constant_of,
    dtype_of,
    ndim_of,
    normal_axes,
    sign_of,
)

__all__ = [
    "Axes",
    "Axis",
    "Bool",
    "Condition",
    "ConditionStore",
    "Constant",
    "ConstantAlong",
    "Elementwise",
    "Float",
    "Guard",
    "Int",
    "Ndim",
    "Sign",
    "broadcastable_of",
    "constant_along",
    "constant_of",
    "counts",
    "differs",
    "dtype_of",
    "guards_in",
    "is_axis",
    "is_bool",
    "is_constant",
    "is_elementwise",
    "is_float",
    "is_int",
    "ndim",
    "ndim_of",
    "nonnegative",
    "nonzero",
    "normal_axes",
    "one_axis",
    "one_axis_or_all",
    "positive",
    "same_shape",
    "shares",
    "sign_of",
]
