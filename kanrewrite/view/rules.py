"""What relations tell a view: which formulas operators fuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kanrewrite.completion import derived
from kanrewrite.relation import Relation
from kanrewrite.relation.roles import operators_in
from kanrewrite.terms import Operator
from kanrewrite.view.instantiate import is_form
from kanrewrite.view.matching import Bindings

#: The family whose equations a view follows by the way it reads and builds.
LIFTING = "lifting"

Definitions = dict[Operator, tuple[Any, Any]]
NamedRule = tuple[str, Any, Any, Callable[[Bindings], bool]]


def recognitions(relations: Iterable[Relation]) -> Iterator[NamedRule]:
    """The rules from formula to operator: name, pattern, replacement, check of the guards.

    Of a formula that lifts have taken apart the operator is found by the rules that follow from it.
    """
    relations = tuple(relations)
    for relation in relations:
        if relation.direction is None or relation.states_derivatives:
            continue
        for rule in (*relation.rules(), *derived(relation, relations)):
            if not all(map(is_form, operators_in(rule.replacement))):
                continue  # it is rewritten in the graph, beside the forms
            conditions = rule.conditions
            yield relation.name, rule.pattern, rule.replacement, _check(conditions)


def _check(conditions: tuple[Any, ...]) -> Callable[[Bindings], bool]:
    return lambda bindings: all(condition.holds(bindings) for condition in conditions)
