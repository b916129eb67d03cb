"""The library inside loops and Ops made from graphs, before Aesara moves anything out of them.

Aesara moves what a step computes from its sequences and non-sequences alone out of the loop, long
before the library runs: the ``exp`` of a softmax leaves, its sum stays, and neither half is a
softmax any more.  So a step in which the library finds something is rewritten first, by the same
passes that its function would see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from aesara.graph.features import Feature
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, MergeOptimizer
from aesara.ifelse import IfElse

from kanrewrite.guards.bounds import Bounds
from kanrewrite.inner.asking import divisors
from kanrewrite.inner.graphs import (
    copied,
    is_replaceable,
    mode_of,
    rebuilt,
    replace,
    settled,
    with_inner,
)
from kanrewrite.inner.knowing import give, known, reader
from kanrewrite.inner.opening import NAME as OPENING
from kanrewrite.inner.recording import NAME as LEVELS
from kanrewrite.inner.waiting import Later, wait
from kanrewrite.insides import name_inputs

Rewrites = Callable[[FunctionGraph], None]
#: The operators of a graph that the library has something to say about.
Known = Callable[[FunctionGraph], set[Any]]

NAME = "kanrewrite_bodies"
NOTHING: Mapping[int, Bounds] = MappingProxyType({})
#: The reasons that the library has beside its relations.
_OURS = (NAME, OPENING, LEVELS)


class Changes(Feature):
    """Whether the library has changed a graph, in the steps of its loops or itself."""

    def __init__(self) -> None:
        self.library_runs = self.any = False

    def on_change_input(
        self, fgraph: FunctionGraph, node: Any, i: int, old: Any, new: Any, reason: Any = None
    ) -> None:
        """Heed a change that is the library's."""
        self.any = self.any or self.library_runs or reason in _OURS


class BodiesPass(GraphRewriter):
    """Rewrites the steps of loops, and the graphs of Ops made from graphs.

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
        """Rewrite the inner graphs of a function graph, those that are shared once.

        An Op of which more is known at one node than at another becomes two.
        """
        nodes = [node for node in fgraph.toposort() if is_replaceable(node.op)]
        for node in nodes:
            name_inputs(node)
        ops = {id(node.op): node.op for node in nodes}
        applies = {key for key, op in ops.items() if self._may_apply(op.fgraph)}
        if any(isinstance(node.op, Later) for node in fgraph.apply_nodes):
            wait(fgraph, [ops[key] for key in applies])
            return
        wait(fgraph, [])
        new: dict[Any, Any] = {}
        read = reader()
        for node in nodes:
            if id(node.op) in applies:
                facts = known(node, read)
                key = id(node.op), tuple(sorted(facts.items()))
                if key not in new:
                    new[key] = self.rewritten(node.op, facts)
                if new[key] is not node.op:
                    replace(fgraph, node, new[key].make_node(*node.inputs).outputs, NAME)

    def rewritten(self, op: Any, facts: Mapping[int, Bounds] = NOTHING) -> Any:
        """An Op with its inner graph rewritten; the same Op where the library changes nothing.

        Parameters
        ----------
        op
            The Op.
        facts
            What is known of the inputs of its inner graph, by their places.

        Notes
        -----
        What Aesara's canonicalization has recognised by itself, a softmax, counts as a change, and
        so does a divisor that it has cancelled: neither must be taken apart.
        """
        body = copied(op)
        give(body, facts)
        MergeOptimizer().rewrite(body)
        before, changes = divisors(body), Changes()
        body.attach_feature(changes)
        self.prepare(body)
        cancelled = divisors(body) < before
        changes.library_runs = True
        self.library(body)
        changed = changes.any or cancelled or not self.known(body) <= self.known(op.fgraph)
        if not changed:
            if not facts:
                return op
            body = copied(op)  # by itself it would look as if there were something to do
        return rebuilt(op, body.inputs, body.outputs, settled(mode_of(op)))

    def _may_apply(self, body: FunctionGraph) -> bool:
        return any(self.may_apply(b) or (_chooses(b) and self.known(b)) for b in with_inner(body))


def _chooses(fgraph: FunctionGraph) -> bool:
    """Whether a graph has branches, which keep what they make from what is around them."""
    return any(isinstance(node.op, IfElse) for node in fgraph.apply_nodes)
