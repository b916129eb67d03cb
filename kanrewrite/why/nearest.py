"""The relations that come nearest in a graph, of many."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite.errors import KanrewriteError
from kanrewrite.insides import nodes_within
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.relation import Relation
from kanrewrite.rewriter.heads import name_of, operators_of
from kanrewrite.why import Explanation, why_not

#: From this share of its pattern on, a relation comes near.
NEARLY = 0.5
#: Operators that anything can be read with: sharing them does not make a relation near.
_ARITHMETIC = frozenset({"add", "sub", "mul", "true_div", "neg", "reciprocal", "dimshuffle", "sum"})


def nearest(
    relations: Sequence[Relation],
    outputs: Sequence[Variable[Any, Any]],
    seconds: float,
    shared: float = NEARLY,
) -> list[Explanation]:
    """Why relations do not fire that nearly do, the nearest first.

    Parameters
    ----------
    relations : sequence of Relation
        Those that are no equations, and have no direction, are not asked.
    outputs : sequence of Variable
        The graph.
    seconds : float
        For how long; those that have most operators in common with the graph are asked first.
    shared : float
        The share of a relation's operators without which it is not asked.
    """
    there = {name_of(node.op) for node in nodes_within(outputs)} - _ARITHMETIC
    common = {relation: _share(relation, there) for relation in relations if _is_asked(relation)}
    found = []
    with suppress(OutOfTime), limited(seconds):
        for relation in sorted(common, key=lambda r: -common[r]):
            if common[relation] < shared:
                break
            try:
                explanation = why_not(relation, outputs)
            except KanrewriteError:  # how near it comes would take too long to say
                continue
            if not explanation.fires and explanation.share >= NEARLY:
                found.append(explanation)
    return sorted(found, key=lambda explanation: explanation.rank, reverse=True)


def _share(relation: Relation, there: set[str]) -> float:
    """How much of what a relation is about a graph has."""
    rules = relation.rules(relation.direction or "forward")
    names = {name for rule in rules for name in operators_of(rule.pattern)}
    about = (names - _ARITHMETIC) or names
    return len(about & there) / len(about) if about else 0.0


def _is_asked(relation: Relation) -> bool:
    return bool(relation.direction) and not relation.is_goal and not relation.states_derivatives
