"""Aesara's own cross-entropy operators, found before exponentials are lifted out of them.

Importing `aesara.tensor.nnet` adds rewrites at *specialize*: ``log(softmax(x))[rows, labels]`` and
its gradient become one operator each.  What lifting has written otherwise they would not find.
"""

from __future__ import annotations

from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, Rewriter, SequentialGraphRewriter
from aesara.graph.rewriting.db import RewriteDatabaseQuery
from aesara.tensor.subtensor import AdvancedIncSubtensor, AdvancedSubtensor

#: What Aesara does before to the increments of gradients, without which it does not know them.
INCREMENTS = ("local_fill_to_alloc", "local_useless_inc_subtensor_alloc", "local_mul_specialize")
CROSS_ENTROPIES = (
    "local_advanced_indexing_crossentropy_onehot",
    "local_advanced_indexing_crossentropy_onehot_grad",
)


class CrossEntropyPass(GraphRewriter):
    """Aesara's own rewrites of indexed graphs, at another place.

    Parameters
    ----------
    stages
        What is applied, one after the other.
    """

    def __init__(self, stages: list[GraphRewriter]):
        super().__init__()
        self.stages = stages

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite a function graph in place."""
        nodes = fgraph.apply_nodes
        if any(isinstance(n.op, AdvancedSubtensor | AdvancedIncSubtensor) for n in nodes):
            for stage in self.stages:
                stage.rewrite(fgraph)


def cross_entropies(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass for a query: what it excludes at *specialize* is excluded here too."""
    known = optdb["specialize"]
    # A query for a name that is not there would leave an entry, and so forbid its registration.
    if not all(name in known.__db__ for name in CROSS_ENTROPIES):
        return SequentialGraphRewriter()
    return CrossEntropyPass(
        [
            known.query(RewriteDatabaseQuery(include=names, exclude=query.exclude))
            for names in (INCREMENTS, CROSS_ENTROPIES)
        ]
    )
