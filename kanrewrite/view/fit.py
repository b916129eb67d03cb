"""Fitting: a result with the dimensions of what it replaces."""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Variable
from aesara.tensor.elemwise import Elemwise


def fitted(new: Variable[Any, Any], old: Variable[Any, Any]) -> Variable[Any, Any]:
    """Give a result the dimensions that cancelled away in it.

    ``x * (1/x)`` reads as 1; what replaces it has the shape of x all the same.
    """
    if new.type.ndim == old.type.ndim and new.type.broadcastable == old.type.broadcastable:
        return new
    if old.owner is None or new.type.ndim > old.type.ndim:
        return new
    if isinstance(old.owner.op, Elemwise):
        for source in old.owner.inputs:
            if source.type.broadcastable == old.type.broadcastable:
                return at.second(source, new)  # type: ignore[no-any-return]
    # A node like the one that is replaced, of which only the shape is asked.
    like = old.owner.clone().outputs[old.owner.outputs.index(old)]
    return at.second(like, new)  # type: ignore[no-any-return]


def as_general(new: Variable[Any, Any], old: Variable[Any, Any]) -> Variable[Any, Any]:
    """Give a result no more known lengths than what it replaces.

    What is computed of the old one keeps its type, and rewrites of Aesara's that build its nodes
    anew stop all compilation where they find another.
    """
    node = new.owner
    if node is None or new.type == old.type or not old.type.is_super(new.type):
        return new
    if getattr(new.type, "broadcastable", None) != getattr(old.type, "broadcastable", None):
        return new  # which is no replacement
    outputs = [old.type() if out is new else out.type() for out in node.outputs]
    found: Variable[Any, Any] = Apply(node.op, node.inputs, outputs).outputs[
        node.outputs.index(new)
    ]
    return found
