"""Scatters: Ops that set, or add to, a part of a tensor.

``inc(b, v) == b + inc(0, v)`` and ``set(b, v) == b * m + set(0, v)``, where m hides what is set.
"""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor.basic import AllocDiag, ARange, ExtractDiag
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.subtensor import IncSubtensor

from kanrewrite.view.forms import Form
from kanrewrite.view.heat import hot
from kanrewrite.view.indices import put_once
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Diagonal, Index, Move, subtensor
from kanrewrite.view.nodes import constant_of, is_zeros, shaped_like
from kanrewrite.view.source import MoveOf, Reader, Source


def scatter(move_of: MoveOf) -> Reader:
    """The reader of an Op that sets or adds to what a move takes."""

    def read(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
        base, values, *index = node.inputs
        move = move_of(node.op, index, tuple(base.type.broadcastable))
        if move is None or (values.type.dtype != a.dtype and constant_of(values) is None):
            return None
        if view.operand(base, a) is a.zero or is_zeros(base):
            return _scattered(view, node, move, a)
        below, above = view.operand(base, a), view.operand(values, a)
        if not (hot(below) or hot(above)) or below.bcast != move.whole:
            return None
        alone: Any = node.op.make_node(at.zeros_like(base), values, *index)
        added = a.zero if above is a.zero else _scattered(view, alone, move, a)
        if added is None:
            return None
        if node.op.set_instead_of_inc:
            below = a.mul(below, a.chosen(view.leaf(_left(node), a), True))
        return a.add(below, added)

    return read


def adds_up(node: Apply[Any]) -> bool:
    """Tell whether what comes to one place is added up, or nothing comes to a place twice.

    Of what is set twice the last counts.
    """
    op: Any = node.op
    if isinstance(op, IncSubtensor) or not op.set_instead_of_inc:
        return True
    return any(_differ(i) for i in node.inputs[2:])


def _differ(index: Variable[Any, Any]) -> bool:
    """Tell whether no two numbers of an index are equal."""
    if isinstance(index, Constant):
        data = np.asarray(index.data)
        counted = data.dtype.kind in "iu" and data.ndim == 1 and bool(np.all(data >= 0))
        return counted and np.unique(data).size == data.size
    return index.owner is not None and isinstance(index.owner.op, ARange)


def fill_diagonal(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A matrix with zeros on its diagonal."""
    base, value = node.inputs
    form = view.operand(base, a)
    if base.type.dtype != a.dtype or constant_of(value) != 0 or not hot(form):
        return None
    left: Any = node.op(at.ones_like(base, dtype="bool"), np.bool_(False))
    return a.mul(form, a.chosen(view.leaf(left, a), True))


def alloc_diagonal(view: Source, node: Apply[Any], a: Lifting) -> Form | None:
    """A matrix of zeros around a diagonal, which is put into their first rows and columns."""
    matrix: Any = node.outputs[0]
    values: Any = node.inputs[0]
    if values.type.ndim != 1 or values.type.dtype != a.dtype or not hot(view.read(values)):
        return None
    length = values.shape[0] + abs(node.op.offset)
    zeros = at.zeros((length, length), dtype=a.dtype)
    put: Any = at.set_subtensor(zeros[:length, :length], matrix)
    return scatter(subtensor)(view, put.owner, a)


def _left(node: Apply[Any]) -> Variable[Any, Any]:
    """Where a node that sets leaves what was there."""
    base, values, *index = node.inputs
    no = at.zeros_like(values, dtype="bool")
    left: Variable[Any, Any] = node.op.make_node(
        at.ones_like(base, dtype="bool"), no, *index
    ).outputs[0]
    return left


def _scattered(view: Source, node: Apply[Any], move: Move, a: Lifting) -> Form | None:
    """Values put into zeros."""
    values = node.inputs[1]
    if _is_diagonal(values, move):
        move = Diagonal(ExtractDiag(values.owner.op.offset), move.whole)
        values = values.owner.inputs[0]
    if not adds_up(node):
        return None
    like, form = view.leaf(node.outputs[0], a), view.operand(values, a)
    for client, _ in view.clients.get(node.outputs[0], ()):  # its zeros may not tell their lengths
        if isinstance(getattr(client, "op", None), Elemwise):
            a.same_lengths.ask(client)
    a.lengths[like] = view.operand(shaped_like(node.inputs[0]), a)
    if form.bcast != move.result():
        form = a.mul(form, a.ones(a.move(like, move)))
    if form.bcast != move.result():
        return None
    once = put_once(form, move, like, a)
    return a.scatter(form, move, like) if once is None else once


def _is_diagonal(values: Variable[Any, Any], move: Move) -> bool:
    """Tell whether a diagonal is put into the first rows and columns, as its gradient is."""
    op = values.owner.op if values.owner is not None else None
    if not isinstance(op, AllocDiag) or not isinstance(move, Index) or len(move.whole) != 2:
        return False
    first = all(isinstance(e, slice) and e.start in (None, 0) and not e.step for e in move.entries)
    return first and (op.axis1, op.axis2) == (0, 1)
