"""Sinks: equations by which a level is taken out of an operator while it is built, compiled.

``op(exp(a) * r) == exp(level) * op(body)``: what is built is the body, which is in range, and the
level is one more exponent outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unification import Var

from kanrewrite.laws.lifts import flat, lift_of
from kanrewrite.terms import Operator, T, Term

if TYPE_CHECKING:
    from kanrewrite.ac import Eq
    from kanrewrite.relation import Relation


@dataclass(frozen=True)
class Sink:
    """An equation that takes a level out of an operator.

    Parameters
    ----------
    relation : Relation
        Where it comes from.
    operator : Operator
        What the level leaves.
    exponent, rest : Var
        What the operand is made of, ``exp(exponent) * rest``; the rest may be None.
    parameters : tuple
        The parameters of the operator, and its further operands.
    level : term
        What leaves, an exponent.
    body : term
        The operand without it.
    """

    relation: Relation
    operator: Operator
    exponent: Var
    rest: Var | None
    parameters: tuple[Any, ...]
    level: Any
    body: Any


def sink_of(relation: Relation, equation: Eq) -> Sink | None:
    """An equation as a sink of an operator over one product, None where it has another shape."""
    left = lift_of(relation, equation)
    if left is None or len(left.parts) != 1 or not left.parts[0].exponent:
        return None
    powers, bodies = [], []
    for factor in flat(equation.rhs, T.mul):
        if not isinstance(factor, Term):
            return None
        if factor[0] is T.exp:
            powers.append(factor[1])
        elif factor[0] is left.operator and tuple(factor[2:]) == left.parameters:
            bodies.append(factor[1])
        else:
            return None
    if len(powers) != 1 or len(bodies) != 1:
        return None
    exponent = left.parts[0].variable
    return Sink(relation, left.operator, exponent, left.rest, left.parameters, powers[0], bodies[0])
