"""What rewriters make of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from aesara.graph.basic import Variable, clone_replace, equal_computations
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, NodeRewriter

Graph = Variable[Any, Any]


def put(graph: Graph, old: Graph, new: Graph) -> Graph:
    """A graph with one variable replaced."""
    return clone_replace([graph], {old: new})[0]


def replaced(rewriter: NodeRewriter, variable: Graph) -> Graph | None:
    """What a rewriter replaces a variable by, None if it leaves it alone."""
    if variable.owner is None:
        return None
    found = rewriter.transform(None, variable.owner)  # type: ignore[arg-type]  # reads no graph
    return cast(Graph | None, found.get(variable)) if isinstance(found, dict) else None


def passed(passes: Sequence[GraphRewriter], variable: Graph) -> Graph | None:
    """What rewriters of whole graphs make of a variable, None if they leave it alone."""
    graph = FunctionGraph(outputs=[variable], clone=True, copy_inputs=False)
    for rewriter in passes:
        rewriter.rewrite(graph)
    new = graph.outputs[0]
    return None if equal_computations([new], [variable]) else new
