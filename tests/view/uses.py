"""What a relation does: graphs made of its examples, and what is left of them with it and without.

A relation that says nothing of a tensor as it is may do so of its log, of exponentials, where it
cancels with something, or in a derivative; every example is tried in the same such places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import aesara
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.graph.fg import FunctionGraph
from aesara.printing import debugprint

from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import Relation, eq
from tests.view.common import at


def falsified(relation: Relation) -> Relation:
    """The same relation with equations that are wrong by a factor."""
    variant: Any = copy(relation)
    variant.equations = tuple(
        eq(e.lhs, 2 * e.rhs, e.theory).when(*e.guards) for e in relation.equations
    )
    return variant  # type: ignore[no-any-return]


def inputs_of(graphs: Sequence[Any]) -> list[Any]:
    """The inputs of graphs, each once."""
    found = (v for v in graph_inputs(graphs) if not isinstance(v, Constant))
    return list(dict.fromkeys(found))


def places(relation: Relation) -> Iterator[Any]:
    """Graphs that hold the sides of examples, of inputs and of exponentials of inputs."""
    for build in relation.examples:
        sides = [side for side in build() if isinstance(side, Variable)]
        inputs = [x for x in inputs_of(sides) if x.type.dtype.startswith("float")]
        powers = aesara.clone_replace(sides, {x: at.exp(x) for x in inputs})
        yield from around(sides, inputs)
        yield from around(powers, inputs)


def around(sides: Sequence[Any], inputs: list[Any]) -> Iterator[Any]:
    """One side where the other one, an exponential or a log meets it."""
    left, right = sides[0], sides[-1]
    like = next((x for x in inputs if x.ndim == left.ndim), None)
    yield left
    yield at.log(left)
    yield left / right
    yield left - right
    if like is not None:
        yield left / (at.exp(like) + left)
        yield (left - right) / (at.exp(like) + 2)
        yield at.log(1 + like + left)
    derivatives: Any = aesara.grad(left.sum(), inputs, disconnected_inputs="ignore")
    yield from derivatives


def left_of(graph: Any, relations: Sequence[Relation]) -> str:
    """What relations make of a graph, as text."""
    fgraph = FunctionGraph(inputs_of([graph]), [graph], clone=True)
    LibraryPass(tuple(relations)).apply(fgraph)
    return str(debugprint(fgraph, file="str"))


def matters(relation: Relation, relations: Sequence[Relation]) -> tuple[bool, bool]:
    """Tell whether a relation among others does something, and whether a false one does another."""
    others = [r for r in relations if r is not relation]
    variant = [falsified(relation) if r is relation else r for r in relations]
    disabled = false = False
    for graph in places(relation):
        result = left_of(graph, relations)
        disabled = disabled or left_of(graph, others) != result
        false = false or left_of(graph, variant) != result
        if disabled and false:
            break
    return disabled, false
