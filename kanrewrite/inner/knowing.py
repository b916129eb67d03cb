"""What is known of what enters an inner graph, and of what it makes: the bounds of both.

An inner input has the bounds of what it stands for outside.  A state of a loop has those of its
first values if a step keeps them: if what a step makes is in them wherever all inputs are in
theirs.  What is handed out is a variable like any other to whoever looks at the graph around, and
so is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.scan.op import Scan

from kanrewrite.guards.bounding import BoundsOf
from kanrewrite.guards.bounds import NONE, Bounds, assume, common
from kanrewrite.inner.asking import is_float
from kanrewrite.inner.graphs import is_replaceable
from kanrewrite.inner.moving import ends
from kanrewrite.inner.slots import STATES, slots_of

Graph = Variable[Any, Any]

NAME = "kanrewrite_bounds"
#: Where the bounds of a state stop that grow with it, and after how many attempts at 0 alone.
_STOPS, _ATTEMPTS = (-inf, -16.0, -1.0, 0.0, 1.0, 16.0, inf), 8


class BoundsPass(GraphRewriter):
    """Tells of what loops, and Ops made from graphs, make which bounds it has; changes nothing."""

    name = NAME

    def apply(self, fgraph: FunctionGraph) -> None:
        """Look at the loops of a function graph."""
        read = reader()
        for node in fgraph.apply_nodes:
            if is_replaceable(node.op):
                for v in filter(is_float, node.outputs):
                    if (bounds := read(v)) != NONE:
                        assume(v, bounds)


def reader() -> BoundsOf:
    """What tells the bounds of variables of a graph."""
    return BoundsOf(_results)


def known(node: Apply[Any], read: BoundsOf) -> dict[int, Bounds]:
    """What is known of the inputs of an inner graph, by their places.

    Parameters
    ----------
    node
        Of a loop, or of an Op made from a graph.
    read
        Tells the bounds of variables of the graph around.
    """
    found = _entering(node, read)
    return {n: found[v] for n, v in enumerate(node.op.inner_inputs) if v in found}


def bounds_inside(node: Apply[Any]) -> BoundsOf:
    """What tells the bounds of variables of an inner graph."""
    return BoundsOf(_results, _entering(node, reader()))


def _entering(node: Apply[Any], read: BoundsOf) -> dict[Graph, Bounds]:
    """What is known of the inputs of an inner graph."""
    op: Any = node.op
    if not isinstance(op, Scan):
        pairs = zip(op.inner_inputs, node.inputs, strict=True)
        return _told({inner: read(v) for inner, v in pairs if is_float(v)})
    entering: dict[Graph, Bounds] = {}
    steps: dict[Graph, Sequence[Graph]] = {}  # what is made of each state
    for slot in slots_of(node):
        if not slot.inside or slot.kind == "update" or not is_float(slot.outer):
            continue
        bounds = common(map(read, ends(slot.outer)))
        if bounds != NONE:
            entering |= dict.fromkeys(slot.inside, bounds)
            if slot.kind in STATES:
                steps |= dict.fromkeys(slot.inside, slot.made)
    return _told(_kept(entering, steps))


def _told(bounds: Mapping[Graph, Bounds]) -> dict[Graph, Bounds]:
    return {v: found for v, found in bounds.items() if found != NONE}


def _kept(
    entering: Mapping[Graph, Bounds], steps: Mapping[Graph, Sequence[Graph]]
) -> dict[Graph, Bounds]:
    """What a step keeps of what is known of its inputs.

    The bounds of a state grow by what a step makes of it, until it makes nothing else.  They grow
    in leaps, so that this ends.
    """
    found, attempts = dict(entering), 0
    while steps:
        read = BoundsOf(_results, found)
        grown = {v: found[v] | common(map(read, made)) for v, made in steps.items()}
        left = {v: bounds for v, bounds in grown.items() if bounds != found[v]}
        if not left:
            break
        found |= {v: _leap(bounds, attempts) for v, bounds in left.items()} if attempts else left
        attempts += 1
    return found


def _leap(bounds: Bounds, attempts: int) -> Bounds:
    """Bounds at least as wide, of which there are few."""
    stops = _STOPS if attempts < _ATTEMPTS else (-inf, 0.0, inf)
    return Bounds(
        max(x for x in stops if x <= bounds.low), min(x for x in stops if x >= bounds.high)
    )


def give(body: FunctionGraph, entering: Mapping[int, Bounds]) -> None:
    """Tell what is known of the inputs of a graph."""
    for n, bounds in entering.items():
        assume(body.inputs[n], bounds)


def _results(node: Apply[Any], read: BoundsOf) -> Sequence[Bounds]:
    """What is known of what an Op with an inner graph makes."""
    op: Any = node.op
    if not isinstance(op, Scan | OpFromGraph):
        return [NONE] * len(node.outputs)
    entering = _entering(node, read)
    inner = BoundsOf(_results, entering)
    if not isinstance(op, Scan):
        return [inner(v) for v in op.inner_outputs]
    found: dict[Any, Bounds] = {}
    for slot in slots_of(node):
        if slot.kind == "nit_sot":
            found[slot.result] = inner(slot.made[0])
        elif slot.kind in STATES:  # its first values, and what is made of them
            found[slot.result] = entering.get(slot.inside[0], NONE)
    return [found.get(v, NONE) for v in node.outputs]
