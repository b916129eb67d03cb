"""Lifts: equations by which a part of its operand leaves an operator, compiled.

``op(a * b) == outside * op(b)`` says what a takes of a product, by the guards of a, and what is
built of it outside; what is left, b, is lifted again.  ``op(exp(a) * b)`` takes the exponent,
``op(a + b)`` terms, and ``op(inner(...))`` what another operator computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unification import Var

from kanrewrite.guards import Condition, Guard
from kanrewrite.relation.rules import conditions_of
from kanrewrite.terms import Operator, T, Term

if TYPE_CHECKING:
    from kanrewrite.ac import Eq
    from kanrewrite.relation import Relation

#: What says nothing about a part of a product that is not true of all its parts.
_OF_ALL = frozenset({"Float", "Axis"})


@dataclass(frozen=True)
class Part:
    """What a parameter of a lift stands for in a product, or in a sum.

    Parameters
    ----------
    variable : Var
        The parameter.
    conditions : tuple of Condition
        What each factor, or term, must meet; those that meet them are all taken.
    exponent : bool
        Whether it is the exponent, ``exp(variable)``.
    each : bool
        Whether what it takes is taken apart: the right side holds the operator over it.
    """

    variable: Var
    conditions: tuple[Condition, ...] = ()
    exponent: bool = False
    each: bool = False


@dataclass(frozen=True)
class Lift:
    """An equation by which parts of its operand leave an operator.

    Parameters
    ----------
    relation : Relation
        Where it comes from.
    operator : Operator
        What they leave.
    inside : Operator
        What the operand is: a product, a sum, or another operator over ``operands``.
    parts : tuple of Part
        What leaves a product or a sum.
    rest : Var or None
        What stays in it; where it is None nothing may be left.
    operands : tuple
        The operands of the other operator.
    parameters : tuple
        The parameters of the operator, as axes are, and its further operands.
    around : Operator or None
        What combines ``outside`` with the operator over the rest, which is lifted again; where it
        is None, ``outside`` is the whole right side.
    outside : term
        What is built of what was taken.
    conditions : tuple of Condition
        What is asked of all together.
    """

    relation: Relation
    operator: Operator
    inside: Operator
    parts: tuple[Part, ...]
    rest: Var | None
    operands: tuple[Any, ...]
    parameters: tuple[Any, ...]
    around: Operator | None
    outside: Any
    conditions: tuple[Condition, ...]


def lift_of(relation: Relation, equation: Eq) -> Lift | None:
    """An equation as a lift, None where its left side has another shape."""
    left = equation.lhs
    if not isinstance(left, Term) or len(left) < 2 or not isinstance(left[1], Term):
        return None
    further = left[2 : len(left) - len(left[0].parameters)]
    if any(isinstance(x, Term) for x in further):
        return None
    conditions = conditions_of(equation)
    inside = _inside(left[1], conditions)
    if inside is None:
        return None
    inner, parts, rest, operands = inside
    if not set(operands).isdisjoint(further):
        return None  # of what is compared with one of its operands nothing leaves
    used = {c for part in parts for c in part.conditions}
    lift = Lift(
        relation,
        left[0],
        inner,
        parts,
        rest,
        operands,
        tuple(left[2:]),
        None,
        equation.rhs,
        tuple(c for c in conditions if c not in used and not _is_of_all(c)),
    )
    return _around(lift)


def _inside(
    operand: Term, conditions: tuple[Condition, ...]
) -> tuple[Operator, tuple[Part, ...], Var | None, tuple[Any, ...]] | None:
    head = operand[0]
    if head in (T.mul, T.add, T.exp):
        inner = T.add if head is T.add else T.mul
        parts: list[Part] = []
        rests: list[Part] = []
        for piece in flat(operand, inner):
            part = _part(piece, conditions, inner)
            if part is None:
                return None
            (parts if part.exponent or part.conditions else rests).append(part)
        if not rests and len(parts) > 1 and not parts[-1].exponent:
            rests.append(parts.pop())  # what it must meet is asked of all that stays
        if len(rests) > 1 or not parts or sum(p.exponent for p in parts) > 1:
            return None
        return inner, tuple(parts), rests[0].variable if rests else None, ()
    operands = operand[1:]
    if "keepdims" in head.parameters:
        if operands[-1] is not True:
            return None  # a view reads all reductions as ones that keep their dimensions
        operands = operands[:-1]
    if all(isinstance(x, Var) for x in operands) and len(set(operands)) == len(operands):
        return head, (), None, operands
    return None


def flat(term: Any, op: Operator) -> Iterator[Any]:
    """The operands of nested applications of an associative operator."""
    if isinstance(term, Term) and term[0] is op:
        for part in term[1:]:
            yield from flat(part, op)
    else:
        yield term


def _part(piece: Any, conditions: tuple[Condition, ...], inner: Operator) -> Part | None:
    exponent = inner is T.mul and isinstance(piece, Term) and piece[0] is T.exp
    variable = piece[1] if exponent else piece
    if not isinstance(variable, Var):
        return None
    mine = tuple(c for c in conditions if c.arguments[0] is variable and _is_of_each(c))
    return Part(variable, mine, exponent)


def _is_of_each(condition: Condition) -> bool:
    return condition.guard.factorwise and not _is_of_all(condition)


def _is_of_all(condition: Condition) -> bool:
    guard: Guard = condition.guard
    return guard.name in _OF_ALL


def _around(lift: Lift) -> Lift:
    """A lift that knows which part of its right side is lifted again."""
    right = lift.outside
    again = (lift.operator, lift.rest, *lift.parameters)
    if lift.rest is not None and isinstance(right, Term) and right[0] in (T.mul, T.add):
        pieces = list(flat(right, right[0]))
        mine = [p for p in pieces if isinstance(p, Term) and tuple(p) == again]
        if len(mine) == 1:
            others = [p for p in pieces if p is not mine[0]]
            outside = others[0] if len(others) == 1 else right[0](*others)
            if lift.rest not in set(_variables(outside)):
                lift = replace(lift, around=right[0], outside=outside)
    each = (
        replace(p, each=not p.exponent and _is_over(lift.operator, p.variable, lift.outside))
        for p in lift.parts
    )
    return replace(lift, parts=tuple(each))


def takes_exponent(lift: Lift) -> bool:
    """Tell whether a lift takes the exponent out of an operator, and leaves the rest in it."""
    return lift.around is T.mul and len(lift.parts) == 1 and lift.parts[0].exponent


def _is_over(op: Operator, variable: Var, term: Any) -> bool:
    """Tell whether an operator is applied to a parameter alone."""
    if not isinstance(term, Term):
        return False
    return tuple(term[:2]) == (op, variable) or any(_is_over(op, variable, x) for x in term[1:])


def _variables(term: Any) -> Iterator[Var]:
    if isinstance(term, Var):
        yield term
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from _variables(part)
