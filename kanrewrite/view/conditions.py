"""Conditions: what choices and masks depend on, as one form however it is transposed.

No arithmetic is read in a condition.  But where shares are taken of columns by transposing twice,
one slope chooses by ``m`` and the next by its transpose, or by ``w.T > 0`` for ``w > 0``: these are
transposes of one condition, and cancel against each other as such.
"""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Constant, Variable
from aesara.tensor.elemwise import DimShuffle, Elemwise

from kanrewrite.view.forms import Form
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Shuffle, inverse
from kanrewrite.view.source import Source

#: A condition is made of operators up to so many deep; what is deeper is taken as it is.
DEPTH = 3
Graph = Variable[Any, Any]
Order = tuple[int, ...]


def condition(view: Source, var: Graph, a: Lifting) -> Form:
    """A condition as a form: a variable, or a transpose of one."""
    order = _order(var)
    if order is None:
        return view.leaf(_known(var, a), a)
    back = inverse(order, var.type.ndim)
    assert back is not None
    untransposed = _transposed(var, back, a)
    move = Shuffle(order, tuple(untransposed.type.broadcastable))
    form = view.leaf(untransposed, a)
    a.witnessed(move, form)
    return a.move(form, move)


def _order(var: Graph, depth: int = DEPTH) -> Order | None:
    """How all that a condition is made of has been transposed, None where it has not."""
    node = var.owner
    if node is None or not depth:
        return None
    if isinstance(node.op, DimShuffle):
        order = tuple(node.op.new_order)
        whole = tuple(range(len(order)))
        return order if order != whole and inverse(order, node.inputs[0].type.ndim) else None
    if not isinstance(node.op, Elemwise) or len(node.outputs) > 1:
        return None
    orders = {_order(i, depth - 1) for i in node.inputs if not _is_number(i)}
    return orders.pop() if len(orders) == 1 else None


def _transposed(var: Graph, back: Order, a: Lifting) -> Graph:
    """A condition before it was transposed."""
    assert var.owner is not None
    op, inputs = var.owner.op, var.owner.inputs
    if isinstance(op, DimShuffle):
        return _known(inputs[0], a)
    before = [i if _is_number(i) else _transposed(i, back, a) for i in inputs]
    key = _key(op, before)
    if key not in a.conditions_made:
        a.conditions_made[key] = op(*before)
    made: Graph = a.conditions_made[key]
    return made


def _known(var: Graph, a: Lifting, depth: int = DEPTH) -> Graph:
    """The first variable that was met of those that compute the same of the same."""
    node = var.owner
    if not depth or node is None or not isinstance(node.op, Elemwise) or len(node.outputs) > 1:
        return var
    before = [_known(i, a, depth - 1) for i in node.inputs]
    known: Graph = a.conditions_made.setdefault(_key(node.op, before), var)
    return known


def _key(op: Elemwise, inputs: list[Graph]) -> tuple[Any, ...]:
    return op, *(i.signature() if isinstance(i, Constant) else i for i in inputs)


def _is_number(var: Graph) -> bool:
    """Tell whether a variable is the same however it is transposed."""
    return isinstance(var, Constant) and all(var.type.broadcastable)
