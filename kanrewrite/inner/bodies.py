"""The library inside loops, before Aesara moves anything out of them.

Aesara moves what a step computes from its sequences and non-sequences alone out of the loop, long
before the library runs: the ``exp`` of a softmax leaves, its sum stays, and neither half is a
softmax any more.  So a step in which the library finds something is rewritten first, by the same
passes that its function would see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aesara.graph.features import Feature
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.scan.op import Scan

from kanrewrite.inner.graphs import copied, rebuilt

Rewrites = Callable[[FunctionGraph], None]
#: The operators of a graph that the library has something to say about.
Known = Callable[[FunctionGraph], set[Any]]

NAME = "kanrewrite_bodies"


class Changes(Feature):
    """Whether the library has changed a graph, in the steps of its loops or itself."""

    def __init__(self) -> None:
        self.library_runs = self.any = False

    def on_change_input(
        self, fgraph: FunctionGraph, node: Any, i: int, old: Any, new: Any, reason: Any = None
    ) -> None:
        """Heed a change that is the library's."""
        self.any = self.any or self.library_runs or reason == NAME


class BodiesPass(GraphRewriter):
    """Rewrites the steps of loops.

    Parameters
    ----------
    may_apply
        Tells quickly whether the library may find something in a step.
    known
        The operators of a step that the library knows the meaning of.
    prepare
        Brings a step into the form in which the library reads it.
    library
        The library.
    """

    name = NAME

    def __init__(
        self,
        may_apply: Callable[[FunctionGraph], bool],
        known: Known,
        prepare: Rewrites,
        library: Rewrites,
    ):
        super().__init__()
        self.may_apply, self.known = may_apply, known
        self.prepare, self.library = prepare, library

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite the loops of a function graph, those that share a step once."""
        known: dict[int, Any] = {}
        for node in fgraph.toposort():
            op = node.op
            if not isinstance(op, Scan):
                continue
            if id(op) not in known:
                known[id(op)] = self.rewritten(op)
            new = known[id(op)]
            if new is op:
                continue
            outputs = new.make_node(*node.inputs).outputs
            copy_stack_trace(node.outputs, outputs)
            fgraph.replace_all(
                list(zip(node.outputs, outputs, strict=True)), reason=self.name, import_missing=True
            )

    def rewritten(self, op: Any) -> Any:
        """A loop with its step rewritten; the same Op where the library changes nothing.

        What Aesara's canonicalization has recognised by itself, a softmax, counts as a change: it
        must not be taken apart.
        """
        if not self._may_apply(op.fgraph):
            return op
        body = copied(op)
        changes = Changes()
        body.attach_feature(changes)
        self.prepare(body)
        changes.library_runs = True
        self.library(body)
        changed = changes.any or not self.known(body) <= self.known(op.fgraph)
        return rebuilt(op, body.inputs, body.outputs) if changed else op

    def _may_apply(self, body: FunctionGraph) -> bool:
        loops = (node.op.fgraph for node in body.apply_nodes if isinstance(node.op, Scan))
        return self.may_apply(body) or any(map(self._may_apply, loops))
