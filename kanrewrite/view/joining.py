"""Joining: what Split gives back of what Join has put together."""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Constant, Variable
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.shape import Shape_i

from kanrewrite.terms import ELEMENTWISE, T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, pieces
from kanrewrite.view.moves import Piece


def part(joined: App, piece: Piece) -> Form | None:
    """The operand of a Join that a piece of it is, None where the lengths may differ."""
    *parts, axis = joined.args
    lengths = piece.lengths()
    if axis != piece.axis or len(parts) != len(lengths):
        return None
    if not all(has_length(p, axis, n) for p, n in zip(parts, lengths, strict=True)):
        return None
    found: Form = parts[piece.number]
    return found


def has_length(form: Form, axis: int, length: Variable[Any, Any]) -> bool:
    """Tell whether a form is known to have a length along an axis."""
    if isinstance(length, Constant):
        if any(_static(p, axis) == int(length.data) for p in spanning(form, (axis,))):
            return True
        return int(length.data) == 1 and form.bcast[axis]
    node = length.owner
    if node is None or not isinstance(node.op, Shape_i):
        return False
    wanted = (node.inputs[0], node.op.i)
    return any(_dimension(p, axis) == wanted for p in spanning(form, (axis,)))


def age(form: Form) -> int:
    """When a form was first made: which of several is taken must not depend on their order."""
    return form.uid


def spanning(form: Form, axes: tuple[int, ...]) -> set[Form]:
    """The operands of elementwise operators in a form that have a length along each axis."""
    found: set[Form] = set()
    stack = [form]
    while stack:
        top = stack.pop()
        if isinstance(top, Lin | Sum | Prod):
            stack.extend(pieces(top))
        else:
            if top.bcast and not any(top.bcast[d] for d in axes):
                found.add(top)
            if isinstance(top, App) and (top.op in ELEMENTWISE or top.op is T.ones_like):
                stack.extend(top.forms)
    return found


def _static(form: Form, axis: int) -> int | None:
    variable, dimension = _dimension(form, axis)
    shape = getattr(getattr(variable, "type", None), "shape", None)
    return shape[dimension] if shape and dimension is not None else None


def _dimension(form: Form, axis: int) -> tuple[Any, int | None]:
    """The variable, and its dimension, that a dimension of a form is."""
    if isinstance(form, App) and form.op is T.dimshuffle and isinstance(form.args[0], Leaf):
        source = form.args[1].order[axis]
        return form.args[0].var, None if source == "x" else source
    if not isinstance(form, Leaf):
        return None, None
    node = getattr(form.var, "owner", None)
    if node is not None and isinstance(node.op, DimShuffle):
        source = node.op.new_order[axis]
        return node.inputs[0], None if source == "x" else source
    return form.var, axis
