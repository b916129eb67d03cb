"""Aesara's own simplifier of softmax, kept from sums that lie along another axis.

``exp(x) / exp(x).sum(axis=1)`` divides column j by the sum of row j.  Aesara's canonicalization
drops the dimensions that broadcasting adds on the left, finds ``exp(x)`` over its own sum, and
makes ``Softmax{axis=1}`` of it, which is another value; importing `aesara.tensor.nnet` adds a
second simplifier that does the same.  Here those sums are hidden from both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakSet

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.math import Sum
from aesara.tensor.rewriting.math import local_greedy_distributor, local_mul_canonizer

Graph = Variable[Any, Any]
#: What simplifies the numerators and denominators of a product.
Simplifier = Callable[[list[Graph], list[Graph]], tuple[list[Graph], list[Graph]]]

#: Aesara's rewriters that ask the simplifiers.
_SIMPLIFYING: tuple[Any, ...] = (local_mul_canonizer, local_greedy_distributor)

_watched: WeakSet[FunctionGraph] = WeakSet()


class AlignmentPass(GraphRewriter):
    """Marks a graph as one in which only sums that lie where they belong are simplified."""

    def apply(self, fgraph: FunctionGraph) -> None:
        """Mark a function graph."""
        _watched.add(fgraph)


def watch(on: bool) -> None:
    """Heed the marks, or leave Aesara's rewriters as they were."""
    for rewriter in _SIMPLIFYING:
        # An attribute of the instance: it hides the method, and is gone without a trace.
        state = vars(rewriter)
        if on:
            state["transform"] = partial(_transform, rewriter)
        else:
            state.pop("transform", None)


def _transform(rewriter: Any, fgraph: FunctionGraph, node: Apply[Any]) -> Any:
    """What a rewriter does at a node, in a marked graph with `careful` simplifiers."""
    method = type(rewriter).transform
    if fgraph not in _watched:
        return method(rewriter, fgraph, node)
    before = local_mul_canonizer.external_simplifiers
    local_mul_canonizer.external_simplifiers = [(name, careful(s)) for name, s in before]
    try:
        return method(rewriter, fgraph, node)
    finally:
        local_mul_canonizer.external_simplifiers = before


def careful(simplifier: Simplifier) -> Simplifier:
    """A simplifier that does not see sums which lie along another axis than they were taken."""

    def simplified(above: list[Graph], below: list[Graph]) -> tuple[list[Graph], list[Graph]]:
        hidden = [d for d in below if not in_place(d)]
        if not hidden:
            return simplifier(above, below)
        above, rest = simplifier(above, [d for d in below if d not in hidden])
        return above, [*rest, *hidden]

    return simplified


def in_place(divisor: Graph) -> bool:
    """Tell whether a sum has the axes that are left where its operand has them.

    Parameters
    ----------
    divisor
        A sum, or a sum whose dimensions were moved; anything else is in place.  Dimensions that
        broadcasting would add on the left may be missing.
    """
    node = divisor.owner
    order: tuple[Any, ...] = tuple(range(getattr(divisor.type, "ndim", 0)))
    if node is not None and isinstance(node.op, DimShuffle):
        order, node = tuple(node.op.new_order), node.inputs[0].owner
    if node is None or not isinstance(node.op, Sum):
        return True
    ndim = node.inputs[0].type.ndim
    axes = range(ndim) if node.op.axis is None else {a % ndim for a in node.op.axis}
    left = iter(range(ndim))
    kept = tuple("x" if d in axes else next(left) for d in range(ndim))
    return _unpadded(order) == _unpadded(kept)


def _unpadded(order: tuple[Any, ...]) -> tuple[Any, ...]:
    """An order of dimensions without new ones on the left."""
    first = next((n for n, d in enumerate(order) if d != "x"), len(order))
    return order[first:]
