"""Statements: equations that are followed where an algorithm finds what to follow them for.

The algorithm says what the operands of the left side are; the equation says what they become.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unification import Var

from kanrewrite.guards import Condition, is_float
from kanrewrite.relation.rules import conditions_of
from kanrewrite.terms import Operator, T, Term

if TYPE_CHECKING:
    from kanrewrite.ac import Eq
    from kanrewrite.relation import Relation

#: An operator and those of its operands; None for a parameter, a number for itself.
Shape = tuple[Any, ...]


@dataclass(frozen=True)
class Statement:
    """An equation and what its left side looks like.

    Parameters
    ----------
    relation : Relation
        Where it comes from.
    left : Term
        What is found.
    right : term
        What it becomes.
    conditions : tuple of Condition
        What is asked of the parameters.
    """

    relation: Relation
    left: Term
    right: Any
    conditions: tuple[Condition, ...]

    @property
    def shape(self) -> Shape:
        """The operator of the left side and those of its operands."""
        return (self.left[0], *map(_head, self.left[1:]))


def _head(operand: Any) -> Any:
    if isinstance(operand, Var):
        return None
    return operand[0] if isinstance(operand, Term) else operand


def statement_of(relation: Relation, equation: Eq) -> Statement | None:
    """An equation as a statement, None where its left side is no operator."""
    left = equation.lhs
    if not isinstance(left, Term) or not isinstance(left[0], Operator):
        return None
    return Statement(relation, left, equation.rhs, conditions_of(equation))


def adds_fractions(statement: Statement) -> bool:
    """Tell whether a statement is that of fractions over a common denominator."""
    if statement.shape != (T.add, T.true_div, None):
        return False
    (_, a, b), c = statement.left[1:]
    always = all(c.guard is is_float for c in statement.conditions)  # as all forms are
    return always and bool(statement.right == (a + c * b) / b)
