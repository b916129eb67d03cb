"""What is known of what enters an inner graph, and of what it makes: the signs of both.

An inner input has the sign of what it stands for outside.  A state of a loop has that of its first
values if a step keeps it: if what a step makes has that sign wherever all inputs have theirs.  What
is handed out is a variable like any other to whoever looks at the graph around, and so is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.scan.op import Scan

from kanrewrite.guards.values import Facts, assume
from kanrewrite.inner.asking import is_float
from kanrewrite.inner.graphs import copied, is_replaceable
from kanrewrite.inner.moving import ends
from kanrewrite.inner.signs import NONE, Signs, common
from kanrewrite.inner.slots import STATES, slots_of

Graph = Variable[Any, Any]

NAME = "kanrewrite_signs"


class SignsPass(GraphRewriter):
    """Tells of what loops, and Ops made from graphs, make which sign it has; changes nothing."""

    name = NAME

    def apply(self, fgraph: FunctionGraph) -> None:
        """Look at the loops of a function graph."""
        read = reader()
        for node in fgraph.apply_nodes:
            if is_replaceable(node.op):
                for v in filter(is_float, node.outputs):
                    if facts := read(v):
                        assume(v, facts)


def reader() -> Signs:
    """What tells the signs of variables of a graph."""
    return Signs(_results)


def known(node: Apply[Any], read: Signs) -> dict[int, Facts]:
    """What is known of the inputs of an inner graph, by their places.

    Parameters
    ----------
    node
        Of a loop, or of an Op made from a graph.
    read
        Tells the signs of variables of the graph around.
    """
    op: Any = node.op
    if not isinstance(op, Scan):
        found = ((n, read(v)) for n, v in enumerate(node.inputs) if is_float(v))
        return {n: facts for n, facts in found if facts}
    place = {v: n for n, v in enumerate(op.inner_inputs)}
    made = {v: n for n, v in enumerate(op.inner_outputs)}
    entering: dict[int, Facts] = {}
    steps: dict[int, list[int]] = {}  # what is made of each state
    for slot in slots_of(node):
        if not slot.inside or slot.kind == "update" or not is_float(slot.outer):
            continue
        facts = common(map(read, ends(slot.outer)))
        if facts:
            entering |= dict.fromkeys((place[v] for v in slot.inside), facts)
            if slot.kind in STATES:
                outs = [made[v] for v in slot.made]
                steps |= dict.fromkeys((place[v] for v in slot.inside), outs)
    return _kept(op, entering, steps)


def _kept(
    op: Any, entering: dict[int, Facts], steps: Mapping[int, Sequence[int]]
) -> dict[int, Facts]:
    """What a step keeps of what is known of its inputs: the most that follows from itself."""
    while True:
        read, body = reader(), copied(op)
        give(body, entering)
        left = {
            n: entering[n] & common(read(body.outputs[k]) for k in steps[n])
            for n in steps
            if n in entering
        }
        kept = {n: left.get(n, facts) for n, facts in entering.items() if left.get(n, facts)}
        if kept == entering:
            return kept
        entering = kept


def give(body: FunctionGraph, entering: Mapping[int, Facts]) -> None:
    """Tell what is known of the inputs of a graph."""
    for n, facts in entering.items():
        assume(body.inputs[n], facts)


def _results(node: Apply[Any], read: Signs) -> Sequence[Facts]:
    """What is known of what an Op with an inner graph makes."""
    op: Any = node.op
    if not isinstance(op, Scan | OpFromGraph):
        return [NONE] * len(node.outputs)
    entering, body, inner = known(node, read), copied(op), reader()
    give(body, entering)
    if not isinstance(op, Scan):
        return [inner(v) for v in body.outputs]
    place = {v: n for n, v in enumerate(op.inner_inputs)}
    made = dict(zip(op.inner_outputs, body.outputs, strict=True))
    found: dict[Any, Facts] = {}
    for slot in slots_of(node):
        if slot.kind == "nit_sot":
            found[slot.result] = inner(made[slot.made[0]])
        elif slot.kind in STATES:  # its first values, and what is made of them
            found[slot.result] = entering.get(place[slot.inside[0]], NONE)
    return [found.get(v, NONE) for v in node.outputs]
