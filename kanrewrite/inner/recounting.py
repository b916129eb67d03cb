r"""Aesara's derivatives of loops that end by themselves, with as many steps as those took.

The derivative takes the length of the loop's first result for how many steps $n$ there were.  Where
that is a state, its $k$ first values count too, so that a sequence is read, backwards, from
$x_{n+k-1}$ on, what is derived in it is $k$ places off, and $-k$ zeros follow if the loop ended
with the sequence.  What a user writes never reads that length: `scan` hands out a state without its
first values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.scalar.basic import Sub
from aesara.scan.op import Scan
from aesara.tensor.basic import ScalarFromTensor
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.shape import Shape
from aesara.tensor.subtensor import IncSubtensor, Subtensor
from aesara.tensor.type import TensorType

from kanrewrite.inner.counting import is_miscounted
from kanrewrite.inner.graphs import (
    copied,
    is_replaceable,
    rebuilt,
    replace_bodies,
    with_inner,
)
from kanrewrite.inner.slots import slots_of

NAME = "kanrewrite_count_steps"
Graph = Variable[Any, Any]
#: A node that reads a length, and which of its inputs that is.
Place = tuple[Apply[Any], int]


class RecountingPass(GraphRewriter):
    """Has derivatives of loops that end by themselves count steps, and no first values."""

    name = NAME

    def apply(self, fgraph: FunctionGraph) -> None:
        """Recount the derivatives of a function graph, and those in its steps."""
        if any(_is_miscounted(node) for g in with_inner(fgraph) for node in g.apply_nodes):
            recount(fgraph)


def recount(fgraph: FunctionGraph) -> bool:
    """Recount the derivatives of loops of a graph, and those inside of loops; tell whether any."""
    found = replace_bodies(fgraph, _inside, NAME)
    for node in fgraph.toposort():
        if _is_miscounted(node):
            found |= _recounted(fgraph, node)
    return found


def _is_miscounted(node: Apply[Any]) -> bool:
    return isinstance(node.op, Scan) and is_miscounted(node.op)


def _inside(op: Any) -> Any:
    """An Op with the derivatives in its graph recounted; the same Op where there are none."""
    if not any(is_replaceable(n.op) for n in op.fgraph.apply_nodes):
        return op
    body = copied(op)
    return rebuilt(op, body.inputs, body.outputs) if recount(body) else op


def _recounted(fgraph: FunctionGraph, node: Apply[Any]) -> bool:
    first = min(next(s for s in slots_of(node) if s.result is node.outputs[0]).reads)
    places = list(_counts(fgraph, node.outputs[0]))
    for place, n in places:
        count: Any = place.inputs[n]
        if not isinstance(count.type, TensorType):
            new = at.scalar_from_tensor(count.owner.inputs[0] + first)
        else:
            new = count + first
        fgraph.change_node_input(place, n, new, reason=NAME, import_missing=True)
    return bool(places)


def _counts(fgraph: FunctionGraph, result: Graph) -> Iterator[Place]:
    """Where the length of a result is taken for how many steps there were.

    That many are derived; so many are there, or are not; from the last one on they are read.
    """
    lengths = _made(_readers(fgraph, _made(_readers(fgraph, [result]), Shape)), Subtensor)
    for place, n in _readers(fgraph, lengths):
        if isinstance(place.op, Scan) or (_is_difference(place) and n == 1):
            yield place, n
        elif _is_difference(place):
            lasts = _made(_readers(fgraph, place.outputs), ScalarFromTensor)
            yield from (p for p in _readers(fgraph, lasts) if _is_backwards(p[0]))


def _is_difference(node: Apply[Any]) -> bool:
    return isinstance(node.op, Elemwise) and isinstance(node.op.scalar_op, Sub)


def _is_backwards(node: Apply[Any]) -> bool:
    """Whether a node reads or writes all that is before a place, the last first."""
    if not isinstance(node.op, Subtensor | IncSubtensor) or len(node.op.idx_list) != 1:
        return False
    (entry,) = node.op.idx_list
    if not isinstance(entry, slice) or entry.start is None or entry.stop is not None:
        return False
    step = node.inputs[-1]
    return isinstance(step, Constant) and int(step.data) == -1


def _readers(fgraph: FunctionGraph, variables: list[Graph]) -> list[Place]:
    return [(c, n) for v in variables for c, n in fgraph.clients[v] if c != "output"]


def _made(places: list[Place], kind: type) -> list[Graph]:
    """What is made of something by one kind of Op."""
    return [node.outputs[0] for node, n in places if n == 0 and isinstance(node.op, kind)]
