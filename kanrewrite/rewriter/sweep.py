"""Many relations over a whole graph, to a fixed point, with loops detected and undone."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable
from typing import Any

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite import errors, steps
from kanrewrite.clock import now
from kanrewrite.config import config
from kanrewrite.errors import RelationWarning
from kanrewrite.relation import Relation, Rule
from kanrewrite.rewriter.matching import Matching
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.protocol import View
from kanrewrite.rewriter.replace import hand_down_traces, new_nodes, without_traces

Graph = Variable[Any, Any]

#: How many rewrites may follow from one another before they count as a loop.
LONGEST_CHAIN = 48


class Chain:
    """What became of one variable of the original graph, rewrite after rewrite."""

    __slots__ = ("current", "names", "original", "seconds")

    def __init__(self, original: Graph, current: Graph):
        self.original = original
        self.current = current
        self.names: list[str] = []
        self.seconds = 0.0


class RelationPass(GraphRewriter):
    """Apply relations all over a graph until none of them changes anything.

    Parameters
    ----------
    relations : iterable of Relation
        Tried in this order at each node.
    view : callable
        Makes the view through which a graph is read.
    derived : iterable of Rule
        Rules of these relations besides their own, tried after them.

    Attributes
    ----------
    matching : Matching
        The counts of what the last graph cost.
    nodes : int
        How many nodes were looked at.
    finished : set of str
        The relations that hold of what they have made in the last graph: another pass over it is
        to leave them out.

    Notes
    -----
    One sweep from inputs to outputs is enough: a match depends on nothing above its node, all that
    is below is finished, and what a rewrite builds is looked at next.

    Rewrites that follow from one another form a chain.  One longer than `LONGEST_CHAIN` is a loop:
    what it did is undone, and its relations are reported and left out of the rest of the pass. So
    is a relation that grows what it has built until its time is over.
    """

    name = "kanrewrite"

    def __init__(
        self,
        relations: Iterable[Relation],
        view: Callable[[], View],
        derived: Iterable[Rule] = (),
    ):
        super().__init__()
        self.relations = tuple(relations)
        self.matching = Matching(self.relations, view, derived)
        self.nodes = 0
        self.finished: set[str] = set()
        self._chains: dict[Apply[Any], Chain] = {}
        self._order: dict[Apply[Any], int] = {}

    def apply(self, fgraph: FunctionGraph, left_out: Iterable[str] = ()) -> None:
        """Rewrite a function graph in place.

        Parameters
        ----------
        fgraph : FunctionGraph
            The graph.
        left_out : iterable of str
            Relations not to be tried, because they have failed in this graph before.
        """
        failed = set(left_out)
        self.matching.reset()
        self.matching.broken |= failed
        self.nodes = 0
        self.finished = set()
        self._chains = {}
        nodes = fgraph.toposort()
        self._order = {node: n for n, node in enumerate(nodes)}
        with without_traces():
            self._sweep(fgraph, deque(nodes))
        self._chains = {}

    def _sweep(self, fgraph: FunctionGraph, queue: deque[Apply[Any]]) -> None:
        """Look at nodes, and at what is built of them, until none is left."""
        place = Place(fgraph.apply_nodes, self._order)
        while queue:
            node = queue.popleft()
            if node not in fgraph.apply_nodes:
                continue
            self.nodes += 1
            chain = self._chains.get(node)
            broken = set(self.matching.broken)
            found = self._found(node, place)
            if found is not None:
                queue.extendleft(self._replace(fgraph, node, *found))
            elif chain is not None and (self.matching.broken - broken) & set(chain.names):
                queue.extendleft(self._take_back(fgraph, chain))

    def _found(self, node: Apply[Any], place: Place) -> tuple[str, dict[Graph, Graph]] | None:
        """The name of a relation, and what it replaces at a node."""
        left_out, chain = self._left_out(node), self._chains.get(node)
        if chain is None:
            return self.matching.replacement(node, place, left_out)
        start = now()
        try:
            names, seconds = chain.names, chain.seconds
            return self.matching.replacement(node, place, left_out, names, seconds)
        finally:
            chain.seconds += now() - start

    def _left_out(self, node: Apply[Any]) -> Collection[str]:  # for a subclass
        """Relations that are not tried at a node."""
        return ()

    def _replace(
        self, fgraph: FunctionGraph, node: Apply[Any], name: str, pairs: dict[Graph, Graph]
    ) -> list[Apply[Any]]:
        """Make a replacement, or undo the chain that it would prolong; the nodes that are new."""
        chain = self._chains.get(node)
        if chain is not None and len(chain.names) >= LONGEST_CHAIN:
            return self._undo(fgraph, chain)
        built = new_nodes(list(pairs.values()), fgraph.apply_nodes)
        hand_down_traces(list(pairs), [out for fresh in built for out in fresh.outputs])
        if config.check_steps:
            stated = [r.text for r in self.relations if r.name == name]
            for old, new in pairs.items():
                steps.check([name], stated, old, new)
        for old, new in pairs.items():
            if chain is None:
                chain = Chain(old, new)
            elif chain.current is old:
                chain.current = new
            fgraph.replace(old, new, reason=name, import_missing=False)
        if name in self.matching.once:
            self.finished.add(name)
        if chain is not None:
            chain.names.append(name)
            self._chains.update(dict.fromkeys(built, chain))
        self._order.update(dict.fromkeys(built, self._order[node]))
        return [n for n in built if n in fgraph.apply_nodes]

    def _undo(self, fgraph: FunctionGraph, chain: Chain) -> list[Apply[Any]]:
        """Put the original back, and leave out the relations of a loop from now on."""
        turns = Counter(chain.names[LONGEST_CHAIN // 2 :])
        relations = [r for r in self.relations if r.name in turns]
        self.matching.broken.update(turns)
        names, sources = [r.name for r in relations], [r.source for r in relations]
        warnings.warn(errors.loops(names, sources, len(chain.names)), RelationWarning, stacklevel=2)
        return self._take_back(fgraph, chain)

    @staticmethod
    def _take_back(fgraph: FunctionGraph, chain: Chain) -> list[Apply[Any]]:
        """Put the original of a chain back; the nodes that are new."""
        back = new_nodes([chain.original], fgraph.apply_nodes)
        fgraph.replace(chain.current, chain.original, reason="kanrewrite", import_missing=False)
        return back
