"""What the tests of users' relations share: a graph after the pass that compilation runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor
import numpy as np
import pytest
from aesara.compile.mode import Mode, optdb
from aesara.graph.basic import Constant, graph_inputs
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery
from aesara.tensor.rewriting.shape import ShapeOptimizer

from kanrewrite.ac import term
from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import REAL, Eq, Relation, relation
from kanrewrite.unify import as_term
from kanrewrite.why import why_not

#: Aesara annotates a part of itself, and that part too narrowly for tests.
at: Any = aesara.tensor


def rewritten(graph: Any, *relations: Relation) -> Any:
    """A graph after the pass of some relations, as compilation runs it; the graph stays."""
    return passed(graph, LibraryPass(relations))


def passed(graph: Any, library: LibraryPass) -> Any:
    """The same of a pass that is made already."""
    inputs = [i for i in dict.fromkeys(graph_inputs([graph])) if not isinstance(i, Constant)]
    fgraph = FunctionGraph(inputs, [graph], clone=True, copy_inputs=False)
    library.apply(fgraph)
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


MODE = Mode(linker="py", optimizer="None")


def spelled(cases: list[Any], *graphs: Any) -> Callable[[Callable[..., Iterator[Eq]]], Relation]:
    """State a relation, and add the graphs that it is found in to the cases of a test."""

    def add(function: Callable[..., Iterator[Eq]]) -> Relation:
        made: Relation = relation(function)
        cases.extend(pytest.param(made, g, id=f"{made.name}-{n}") for n, g in enumerate(graphs))
        return made

    return add


def fires_and_keeps_the_value(stated: Relation, graph: Any, positive: bool = False) -> None:
    """Check that a relation changes a graph, and neither its type nor its value."""
    new = rewritten(graph, stated)
    assert not same(new, graph)
    assert new.type == graph.type
    inputs = [i for i in dict.fromkeys(graph_inputs([graph])) if not isinstance(i, Constant)]
    f = aesara.function(inputs, [graph, new], mode=MODE)
    rng = np.random.default_rng(0)
    values = [drawn(i.type, rng) for i in inputs]
    before, after = f(*(np.abs(v) + np.asarray(1, v.dtype) if positive else v for v in values))
    tolerance = 1e-4 if graph.type.dtype == "float32" else 1e-9
    np.testing.assert_allclose(after, before, rtol=tolerance, atol=tolerance)


def is_told_to_fire(stated: Relation, graph: Any, positive: bool = False) -> None:
    """Check that it does so in what Aesara makes of a graph, and that `why_not` knows it."""
    assert not why_not(stated, graph).reason
    fires_and_keeps_the_value(stated, canonical(graph), positive)


def drawn(kind: Any, rng: np.random.Generator) -> Any:
    """Values of a type, small, and no integer zero."""
    shape = (3,) * kind.ndim
    if kind.dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if kind.dtype.startswith("int"):
        return rng.integers(1, 9, shape).astype(kind.dtype)
    return rng.normal(size=shape).astype(kind.dtype)
