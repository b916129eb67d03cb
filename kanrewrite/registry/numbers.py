"""What depends on numbers alone: functions of them, and choices by them.

Aesara computes the log of a small integer in float32, whatever it is multiplied with then: the
derivative of ``10**x`` holds ``log(10)``, and has eight digits.  A number is exact in every dtype,
so a function of numbers is computed in the dtype of its use.  The same derivative chooses whether
the base is 0; canonicalization would decide that with an assertion of all shapes, which stands
between the exponentials then.
"""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.tensor.basic import get_scalar_constant_value
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.exceptions import NotScalarConstantError
from aesara.tensor.type import TensorType

from kanrewrite.terms import T, operator_of
from kanrewrite.view.nodes import FLOATS


class NumbersPass(GraphRewriter):
    """Widens functions of numbers, and makes choices by them, before Aesara folds them."""

    name = "kanrewrite_numbers"

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite a function graph in place."""
        for node in fgraph.toposort():
            if not isinstance(node.op, Elemwise) or not any(map(is_computed, node.inputs)):
                continue
            old = node.outputs[0]
            new = chosen(node) or _with_widened(node)
            if new is not None and new.type == old.type:
                copy_stack_trace(old, new)
                fgraph.replace(old, new, reason=self.name, import_missing=True)


def is_computed(var: Variable[Any, Any]) -> bool:
    """Tell whether a variable is one number, which is computed."""
    return (
        var.owner is not None
        and isinstance(var.type, TensorType)
        and all(var.type.broadcastable)
        and (var.type.dtype in FLOATS or var.type.dtype == "bool")
    )


# -- functions -------------------------------------------------------------------------------


def _with_widened(node: Apply[Any]) -> Variable[Any, Any] | None:
    """The result of a node whose operands that are functions of numbers have its dtype."""
    dtype = _dtype_of_use(node)
    if dtype is None or len(node.outputs) > 1:
        return None
    inputs = [(widened(i, dtype) if _is_narrow(i, dtype) else None) or i for i in node.inputs]
    if all(new is i for new, i in zip(inputs, node.inputs, strict=True)):
        return None
    out: Any = node.op(*inputs)
    return out  # type: ignore[no-any-return]


def _dtype_of_use(node: Apply[Any]) -> str | None:
    """The float dtype in which a node computes; a comparison is made in that of its operands."""
    out: str = node.outputs[0].type.dtype
    if out in FLOATS:
        return out
    floats = [d for i in node.inputs if (d := getattr(i.type, "dtype", None)) in FLOATS]
    compares = out == "bool" and len(floats) == len(node.inputs)
    return str(np.result_type(*floats)) if compares else None


def _is_narrow(var: Variable[Any, Any], dtype: str) -> bool:
    mine = var.type.dtype
    if mine not in FLOATS or not is_computed(var) or _is_number(var):
        return False
    return np.dtype(mine).itemsize < np.dtype(dtype).itemsize


def _is_number(var: Variable[Any, Any]) -> bool:
    """Tell whether a variable is a number as it stands, with whatever axes."""
    while var.owner is not None and isinstance(var.owner.op, DimShuffle):
        var = var.owner.inputs[0]
    return isinstance(var, Constant)


def widened(var: Variable[Any, Any], dtype: str) -> Variable[Any, Any] | None:
    """A function of numbers in a wider dtype, None for what depends on anything else.

    Parameters
    ----------
    var
        One number: a constant, an integer, or an elementwise function of such.
    dtype
        The wider dtype.
    """
    if not isinstance(var.type, TensorType) or not all(var.type.broadcastable):
        return None
    if isinstance(var, Constant):
        return at.constant(np.asarray(var.data).astype(dtype))
    if var.type.dtype not in FLOATS:
        whole: Variable[Any, Any] = at.cast(var, dtype)
        return whole
    node: Apply[Any] | None = var.owner
    if node is None or not isinstance(node.op, Elemwise | DimShuffle):
        return None
    inputs: list[Any] = [widened(i, dtype) for i in node.inputs]
    if any(i is None for i in inputs):
        return None
    out: Any = node.op(*inputs)
    return out if out.type.dtype == dtype else None


# -- choices ---------------------------------------------------------------------------------


def chosen(node: Apply[Any]) -> Variable[Any, Any] | None:
    """The branch of a choice by numbers alone, where the other one adds no lengths to it."""
    if operator_of(node.op) is not T.switch:
        return None
    cond, yes, no = node.inputs
    if not is_computed(cond) or not _is_decided(cond):
        return None
    try:
        branch = yes if get_scalar_constant_value(cond) else no
    except NotScalarConstantError:
        return None
    other = no if branch is yes else yes
    return branch if all(other.type.broadcastable) else None


def _is_decided(cond: Variable[Any, Any]) -> bool:
    """Tell whether a condition compares constants."""
    stack = [cond]
    while stack:
        var = stack.pop()
        if isinstance(var, Constant):
            continue
        if var.owner is None or not isinstance(var.owner.op, Elemwise | DimShuffle):
            return False
        stack.extend(var.owner.inputs)
    return True
