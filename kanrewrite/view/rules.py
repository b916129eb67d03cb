"""What relations tell a view: what operators mean, and which formulas operators fuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unification import Var

from kanrewrite.relation import Relation
from kanrewrite.terms import Operator, parameters_of
from kanrewrite.view.matching import Bindings

#: The family whose equations a view follows by the way it reads and builds.
LIFTING = "lifting"

Definitions = dict[Operator, tuple[Any, Any]]
NamedRule = tuple[str, Any, Any, Callable[[Bindings], bool]]


def definitions(relations: Iterable[Relation]) -> Definitions:
    """For each fused operator the equation that says what it is.

    An equation defines when its right side is an operator over parameters only, each once, and the
    left side holds no other parameter.
    """
    found: Definitions = {}
    for relation in relations:
        if relation.states_derivatives:
            continue  # what a derivative is says nothing of what the graph's operators mean
        for equation in relation.equations:
            right = equation.rhs
            if _defines(right, equation.lhs) and right[0] not in found:
                found[right[0]] = (right, equation.lhs)
    return found


def _defines(term: Any, meaning: Any) -> bool:
    if not (isinstance(term, tuple) and term and isinstance(term[0], Operator)):
        return False
    inner = term[1:]
    if not all(isinstance(x, Var) for x in inner) or len(set(inner)) != len(inner):
        return False
    return set(parameters_of(meaning)) <= set(inner)


def recognitions(relations: Iterable[Relation]) -> Iterator[NamedRule]:
    """The rules from formula to operator: name, pattern, replacement, check of the guards."""
    for relation in relations:
        if relation.family == LIFTING or relation.direction is None or relation.states_derivatives:
            continue
        for rule in relation.rules():
            conditions = rule.conditions
            yield relation.name, rule.pattern, rule.replacement, _check(conditions)


def _check(conditions: tuple[Any, ...]) -> Callable[[Bindings], bool]:
    return lambda bindings: all(condition.holds(bindings) for condition in conditions)
