"""What relations tell a view: what operators mean, and which formulas operators fuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kanrewrite.relation import Relation
from kanrewrite.relation.roles import definition_in, operators_in
from kanrewrite.relation.rules import conditions_of
from kanrewrite.terms import Operator
from kanrewrite.view.instantiate import is_form
from kanrewrite.view.matching import Bindings

#: The family whose equations a view follows by the way it reads and builds.
LIFTING = "lifting"

Definitions = dict[Operator, tuple[Any, Any]]


class Definition(tuple[Any, Any]):  # noqa: SLOT001  # a tuple of any length has no slots
    """The two sides of a definition, the operator first, and what its operands must satisfy."""

    conditions: tuple[Any, ...]

    @classmethod
    def of(cls, sides: tuple[Any, Any], conditions: tuple[Any, ...]) -> Definition:
        """Sides with conditions."""
        made = cls(sides)
        made.conditions = conditions
        return made


NamedRule = tuple[str, Any, Any, Callable[[Bindings], bool]]


def definitions(relations: Iterable[Relation]) -> Definitions:
    """For each operator that relations define, the equation that says what it is."""
    found: Definitions = {}
    for relation in relations:
        if "define" not in relation.roles:
            continue
        for equation in relation.equations:
            stated = definition_in(equation, relation.roles)
            if stated is not None:
                definition = Definition.of(stated, conditions_of(equation))
                found.setdefault(stated[0][0], definition)
    return found


def recognitions(relations: Iterable[Relation]) -> Iterator[NamedRule]:
    """The rules from formula to operator: name, pattern, replacement, check of the guards."""
    for relation in relations:
        if relation.direction is None or relation.states_derivatives:
            continue
        for rule in relation.rules():
            if not all(map(is_form, operators_in(rule.replacement))):
                continue  # it is rewritten in the graph, beside the forms
            conditions = rule.conditions
            yield relation.name, rule.pattern, rule.replacement, _check(conditions)


def _check(conditions: tuple[Any, ...]) -> Callable[[Bindings], bool]:
    return lambda bindings: all(condition.holds(bindings) for condition in conditions)
