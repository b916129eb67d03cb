"""A relation as an Aesara `NodeRewriter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aesara.graph.basic import Apply
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import NodeRewriter, TransformOutputType

from kanrewrite.relation import Relation
from kanrewrite.rewriter.matching import Matching
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.protocol import View
from kanrewrite.rewriter.replace import hand_down_traces, new_nodes, without_traces
from kanrewrite.unify import unread_below


class RelationRewriter(NodeRewriter):
    """A relation, with the direction it has, as a rewriter of single nodes.

    Parameters
    ----------
    relation : Relation
        Its matched sides decide the Ops that are tracked.
    view : callable
        Makes the view through which graphs are read.
    as_written : bool
        Whether what is spelled as the relation is is matched without the view, as it is by default.

    Notes
    -----
    Aesara's own graph rewriters apply it like any other node rewriter; it can be registered in
    any of Aesara's databases.  `RelationPass` applies many relations at once and watches for loops.
    """

    def __init__(self, relation: Relation, view: Callable[[], View], *, as_written: bool = True):
        super().__init__()
        self.relation = relation
        self.name = relation.name
        self._matching = Matching([relation], view, as_written=as_written)

    def tracks(self) -> list[Any]:
        """The Ops and classes of Ops at which the relation can match; never None."""
        return self._matching.tracks()

    def transform(
        self, fgraph: FunctionGraph | None, node: Apply[Any], *_: Any, **__: Any
    ) -> TransformOutputType:
        """The replacements at a node, False where the relation does not match or may not.

        Parameters
        ----------
        fgraph : FunctionGraph or None
            The graph that it is in; by default what is below it.
        node : Apply
            The node.
        """
        # A graph between two calls may have changed below a node: nothing read before is kept.
        self._matching.reset()
        nodes = set(unread_below(node.outputs[0], ())) if fgraph is None else fgraph.apply_nodes
        with without_traces():
            found = self._matching.replacement(node, Place(nodes))
        if found is None:
            return False
        pairs: dict[Any, Any] = found[1]
        inside = new_nodes(list(pairs.values()), nodes)
        hand_down_traces(list(pairs), [out for fresh in inside for out in fresh.outputs])
        return pairs

    def __str__(self) -> str:
        return self.relation.name
