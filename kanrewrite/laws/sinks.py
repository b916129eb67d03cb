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


@dataclass(frozen=True)
class Meeting:
    """An equation that takes one level out of two terms, which have exponents of their own.

    ``exp(a) * r + exp(b) * s == exp(level) * (exp(a - level) * r + exp(b - level) * s)``, where the
    level is an associative operator of a and b, so that it is one of any number of exponents.  A
    difference, of which little may be left, is one of ``expm1`` there.

    Parameters
    ----------
    relation : Relation
        Where it comes from.
    operator : Operator
        What adds the terms.
    level : Operator
        What the level is of the exponents.
    function : Operator
        What is taken of the exponents below the level.
    """

    relation: Relation
    operator: Operator
    level: Operator
    function: Operator


def meeting_of(relation: Relation, equation: Eq) -> Meeting | None:
    """An equation as a meeting of two terms, None where it has another shape."""
    left, right = equation.lhs, equation.rhs
    if not isinstance(left, Term) or left[0] not in (T.add, T.sub) or len(left) != 3:
        return None
    if not isinstance(right, Term) or right[0] is not T.mul or len(right) != 3:
        return None
    power, inside = right[1:]
    level = power[1] if isinstance(power, Term) and power[0] is T.exp else None
    if not isinstance(level, Term) or level[0] not in _ASSOCIATIVE or len(level) != 3:
        return None
    first = inside[1] if isinstance(inside, Term) and isinstance(inside[1], Term) else level
    function = first[1][0] if first[0] is T.mul and isinstance(first[1], Term) else first[0]
    a, b = level[1:]
    rests = [term[2] if term[0] is T.mul else None for term in left[1:] if isinstance(term, Term)]
    if len(rests) != 2 or not all(r is None or isinstance(r, Var) for r in rests):
        return None
    stated = [_terms(left[0], T.exp, (a, b), rests)]
    stated.append(T.exp(level) * _terms(left[0], function, (a - level, b - level), rests))
    return Meeting(relation, left[0], level[0], function) if [left, right] == stated else None


def _terms(op: Operator, function: Operator, exponents: tuple[Any, Any], rests: list[Any]) -> Term:
    """A sum, or a difference, of functions of exponents, with what each is multiplied with."""
    values = map(function, exponents)
    return op(*(v if r is None else v * r for v, r in zip(values, rests, strict=True)))


#: What may be the level of two exponents.
_ASSOCIATIVE = (T.maximum, T.minimum, T.add)
