"""Nodes: what an Aesara variable or node says of itself, before anything is read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.scalar.basic import Second
from aesara.tensor.basic import MakeVector, get_scalar_constant_value
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.exceptions import NotScalarConstantError

from kanrewrite.terms import Operator, operator_of

#: The dtypes that forms have.
FLOATS = ("float16", "float32", "float64")
#: So many Ops are known by what they are, for to compare two takes longer.
MANY = 4096

#: Ops with their operators, by where they are.
_HEADS: dict[int, tuple[Any, Operator | None]] = {}


def head(node: Apply[Any]) -> Operator | None:
    """The operator of an elementwise node, None for another."""
    known = _HEADS.get(id(node.op))
    if known is None:
        if len(_HEADS) >= MANY:
            _HEADS.clear()
        op = operator_of(node.op) if isinstance(node.op, Elemwise) else None
        known = _HEADS[id(node.op)] = node.op, op  # which stays, or another one could be there
    return known[1]


def constant_of(var: Variable[Any, Any]) -> Fraction | None:
    """The exact value of a finite constant scalar, or of an array of one value."""
    if isinstance(var, Constant):
        data = np.asarray(var.data)
        if data.dtype.kind not in "fiub" or data.size != 1:
            return None
        value = data.item()
        return Fraction(value) if np.isfinite(value) else None
    if var.owner is not None and isinstance(var.owner.op, DimShuffle):
        return constant_of(var.owner.inputs[0])
    return None


def is_number(var: Variable[Any, Any]) -> bool:
    """Tell whether a variable is a finite constant of one value."""
    node = var.owner
    constant = hasattr(var, "data") if node is None else isinstance(node.op, DimShuffle)
    return constant and constant_of(var) is not None


def number_of(var: Variable[Any, Any]) -> Variable[Any, Any] | None:
    """The scalar that a variable of one element repeats, None where there is none."""
    node = var.owner
    while (
        node is not None and len(node.inputs) == 1 and isinstance(node.op, DimShuffle | MakeVector)
    ):
        (var,) = node.inputs
        node = var.owner
    return None if var.type.ndim else var


def shaped_like(var: Variable[Any, Any]) -> Variable[Any, Any]:
    """What a variable was filled like, which has its lengths."""
    node = var.owner
    while node is not None and isinstance(node.op, Elemwise):
        if not isinstance(node.op.scalar_op, Second):
            break
        var = node.inputs[0]
        node = var.owner
    return var


def is_zeros(var: Variable[Any, Any]) -> bool:
    """Tell whether every element is known to be zero."""
    try:
        return bool(get_scalar_constant_value(var) == 0)
    except NotScalarConstantError:
        return False


def axes_of(node: Apply[Any]) -> tuple[int, ...]:
    """The axes of an Op that has them, sorted, from 0 on."""
    axis = getattr(node.op, "axis", None)
    ndim = node.inputs[0].type.ndim
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(x % ndim for x in (axis if isinstance(axis, (tuple, list)) else [axis])))
