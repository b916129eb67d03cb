"""Derivatives of loops that are derivatives themselves, and of such as end by themselves."""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import io_toposort
from aesara.scan.op import Scan

from kanrewrite.gradient.inner_graphs import fresh_inner_graph
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.override import Ends, overridden
from kanrewrite.inner.counting import counted, is_miscounted
from kanrewrite.inner.graphs import is_replaceable, rebuilt
from kanrewrite.inner.windows import has_windows, windowed


def differentiable(outputs: list[Var], wrt: list[Var], stops: list[Var]) -> Ends:
    """The same graph, with each loop on the way written so that Aesara's derivative of it is right.

    Parameters
    ----------
    outputs, wrt, stops
        What is differentiated with respect to what, and not through what.

    Returns
    -------
    outputs, wrt, stops : list of Variable
        The very same ones where there is no such loop.
    """
    ends = (outputs, wrt, stops)
    if not any(_is_concerned(node.op) for node in io_toposort([], outputs)):
        return ends
    made: dict[Node, list[Var]] = {}

    def ask(v: Var) -> Var | None:
        node = v.owner
        if not _is_concerned(node.op):
            return None
        if node not in made:
            made[node] = _written(node)
        return made[node][node.outputs.index(v)]

    return overridden(ends, ask)


def _is_concerned(op: Any) -> bool:
    if not is_replaceable(op):
        return False
    wrong = isinstance(op, Scan) and (has_windows(op) or is_miscounted(op))
    return wrong or any(_is_concerned(node.op) for node in op.fgraph.apply_nodes)


def _written(node: Node) -> list[Var]:
    """The outputs of a node, by loops that Aesara derives rightly, outside and inside."""
    inputs, outputs = fresh_inner_graph(node.op, node.op.inner_outputs)
    inside, _, _ = differentiable(outputs, inputs, [])
    if any(new is not old for new, old in zip(inside, outputs, strict=True)):
        node = rebuilt(node.op, inputs, inside).make_node(*node.inputs)
    if isinstance(node.op, Scan) and has_windows(node.op):
        return windowed(node)
    if isinstance(node.op, Scan) and is_miscounted(node.op):
        return counted(node)
    return list(node.outputs)
