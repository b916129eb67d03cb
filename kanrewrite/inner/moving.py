"""What only moves the elements of variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from aesara.graph.basic import Constant, Variable
from aesara.tensor.basic import Alloc, AllocEmpty, Join
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.shape import Reshape, SpecifyShape, Unbroadcast
from aesara.tensor.subtensor import (
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)

from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]

#: What moves the elements of its first operand.
_MOVES = (
    Subtensor, AdvancedSubtensor, AdvancedSubtensor1, DimShuffle, Reshape, SpecifyShape,
    Unbroadcast, Alloc,
)  # fmt: skip


def is_zero(v: Graph) -> bool:
    """Whether a variable is nothing but zeros, as it is written."""
    node = v.owner
    if node is None:
        return isinstance(v, Constant) and not np.any(v.data)
    if isinstance(node.op, _MOVES):
        return is_zero(node.inputs[0])
    return _is_filled(node) and is_zero(node.inputs[1])


def _is_filled(node: Any) -> bool:
    return isinstance(node.op, Elemwise) and operator_of(node.op) is T.fill


def _moved(node: Any) -> tuple[int, ...]:
    """The places of the operands whose elements a node only moves; none where it does more."""
    if isinstance(node.op, _MOVES):
        return (0,)
    if isinstance(node.op, Join):
        return tuple(range(1, len(node.inputs)))
    if _is_filled(node):
        return (1,)
    if isinstance(node.op, IncSubtensor):
        sets = node.op.set_instead_of_inc
        return (0, 1) if sets or is_zero(node.inputs[0]) else ()
    return ()


def ends(v: Graph) -> Iterator[Graph]:
    """The variables whose elements were moved to where they are in this one."""
    stack, seen = [v], set()
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        places = _moved(v.owner) if v.owner is not None else ()
        if places:
            stack.extend(v.owner.inputs[n] for n in places)
        elif v.owner is None or not isinstance(v.owner.op, AllocEmpty):
            yield v


def moved(v: Graph, f: Callable[[Graph], Graph], made: dict[Graph, Graph] | None = None) -> Graph:
    """A function of every element, taken before elements are moved.

    Parameters
    ----------
    v
        A variable.
    f
        What makes another one of the same type of each of its `ends`.
    made
        What is made already.
    """
    made = {} if made is None else made
    if v not in made:
        node = v.owner
        places = _moved(node) if node is not None else ()
        if places:
            inputs = list(node.inputs)
            for n in places:
                inputs[n] = moved(inputs[n], f, made)
            op = node.op
            if isinstance(op, IncSubtensor) and not op.set_instead_of_inc:
                op = IncSubtensor(op.idx_list, set_instead_of_inc=True)
            made[v] = op(*inputs)
        else:
            made[v] = v if node is not None and isinstance(node.op, AllocEmpty) else f(v)
    return made[v]
