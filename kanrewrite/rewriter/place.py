"""The graph around a node: what a replacement must not do to it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite.rewriter.replace import new_nodes

Graph = Variable[Any, Any]


class Place:
    """The graph that a node is in.

    Parameters
    ----------
    nodes : container of Apply
        The nodes of the graph.
    order : mapping of Apply to int
        A node is computed from nodes of its own number or smaller ones only.  A node without a
        number may be computed from any.
    """

    def __init__(self, nodes: Container[Any], order: Mapping[Any, int] | None = None):
        self.nodes = nodes
        self.order = order or {}

    def encloses(self, new: Graph, old: Graph) -> bool:
        """Whether a result is computed from what is computed from the value it would replace.

        A view takes what it has read before from where it was read, and that can be above.  New
        nodes may use the old value: they are no part of the graph yet.
        """
        top = self.order.get(old.owner)
        stack = [(new.owner, False)]
        seen: set[Any] = set()
        while stack:
            node, inside = stack.pop()
            if node is None or (node, inside) in seen:
                continue
            seen.add((node, inside))
            if node is old.owner:
                if inside:
                    return True
                continue
            known = node in self.nodes
            if known and top is not None and self.order.get(node, top) < top:
                continue
            stack.extend((x.owner, known) for x in node.inputs)
        return False

    def grows(self, new: Graph, old: Graph) -> bool:
        """Whether a result takes at least as many nodes as it spares."""
        fresh = new_nodes([new], self.nodes)
        if not fresh:
            return False
        kept = {x for node in fresh for x in node.inputs} | {new}
        spared: set[Any] = set()
        stack = [old]
        while stack and len(spared) <= len(fresh):
            variable = stack.pop()
            if variable.owner is not None and variable not in kept:
                spared.add(variable.owner)
                stack.extend(variable.owner.inputs)
        return len(spared) <= len(fresh)
