"""What the tests of users' relations share: a graph after the pass that compilation runs."""

from __future__ import annotations

from typing import Any

import aesara.tensor
from aesara.compile.mode import optdb
from aesara.graph.basic import Constant, graph_inputs
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery
from aesara.tensor.rewriting.shape import ShapeOptimizer

from kanrewrite.ac import term
from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import REAL, Relation
from kanrewrite.unify import as_term

#: Aesara annotates a part of itself, and that part too narrowly for tests.
at: Any = aesara.tensor


def rewritten(graph: Any, *relations: Relation) -> Any:
    """A graph after the pass of some relations, as compilation runs it; the graph stays."""
    inputs = [i for i in dict.fromkeys(graph_inputs([graph])) if not isinstance(i, Constant)]
    fgraph = FunctionGraph(inputs, [graph], clone=True, copy_inputs=False)
    LibraryPass(relations).apply(fgraph)
    return fgraph.outputs[0]


def same(left: Any, right: Any) -> bool:
    """Whether two graphs over the same inputs are equal modulo the axioms of sums and products."""
    first, second = (term(as_term(side), REAL) for side in (left, right))
    return first is second


def canonical(graph: Any) -> Any:
    """A graph as it is when the pass of compilation sees it: canonicalized, with known lengths."""
    inputs = [i for i in dict.fromkeys(graph_inputs([graph])) if not isinstance(i, Constant)]
    fgraph = FunctionGraph(inputs, [graph], clone=True, copy_inputs=False)
    ShapeOptimizer().rewrite(fgraph)
    optdb.query(RewriteDatabaseQuery(include=["merge", "canonicalize"])).rewrite(fgraph)
    return fgraph.outputs[0]
