"""Ops made from graphs are opened where what they hide meets what is around them.

A softmax in an Op under a log is log-softmax in no graph as long as neither sees the other.  So the
graph of an Op takes its place where the size of what it makes is asked for, or where something that
may overflow enters it; derivatives of the Op have been taken by then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Apply, Variable, clone_replace
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite.inner.asking import entering, is_asked, is_extreme
from kanrewrite.inner.graphs import is_replaceable, replace, with_inner
from kanrewrite.inner.waiting import Later

NAME = "kanrewrite_open_ops"


class OpeningPass(GraphRewriter):
    """Opens Ops made from graphs where sizes cross their borders.

    Parameters
    ----------
    may_apply
        Tells quickly whether the library may find something in a graph.
    """

    name = NAME

    def __init__(self, may_apply: Callable[[FunctionGraph], bool]):
        super().__init__()
        self.may_apply = may_apply

    def apply(self, fgraph: FunctionGraph) -> None:
        """Open Ops of a function graph, those in them too, until no other is to be opened."""
        if any(isinstance(node.op, Later) for node in fgraph.apply_nodes):
            return
        open_all(fgraph, partial(self._meets, fgraph))

    def _meets(self, fgraph: FunctionGraph, node: Apply[Any]) -> bool:
        if any(is_asked(fgraph, v) for v in node.outputs):
            return True
        extreme = [n for n, v in enumerate(node.inputs) if is_extreme(v)]
        body = node.op.fgraph
        asked = (is_asked(body, v) for n in extreme for v in entering(node, n))
        return bool(extreme) and (any(map(self.may_apply, with_inner(body))) or any(asked))


def open_all(
    fgraph: FunctionGraph, wanted: Callable[[Apply[Any]], bool] = lambda node: True
) -> None:
    """Open all Ops of a graph that are wanted, those in them too, until there is no other."""
    while nodes := [n for n in fgraph.toposort() if is_closed(n) and wanted(n)]:
        for node in nodes:
            replace(fgraph, node, opened(node), NAME)


def is_closed(node: Apply[Any]) -> bool:
    """Whether a node is of an Op made from a graph that can be opened."""
    return isinstance(node.op, OpFromGraph) and is_replaceable(node.op)


def opened(node: Apply[Any]) -> list[Variable[Any, Any]]:
    """The results of a node, by the graph of its Op."""
    op: Any = node.op
    given = dict(zip(op.inner_inputs, node.inputs, strict=True))
    return clone_replace(op.inner_outputs, given, rebuild_strict=False)
