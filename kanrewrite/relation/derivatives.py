"""Relations that state derivatives: ``eq(T.gradient(expr, variable, upstream), derivative)``.

The left side is the pattern of a derivative that is not written out yet: what is differentiated,
one of its variables, and the gradient that arrives. The right side is the gradient that the
variable receives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kanrewrite import errors
from kanrewrite.ac import Eq
from kanrewrite.errors import RelationError
from kanrewrite.terms import Operator, Param, T, Term, parameters_of, parts_of, show


def is_stated_by(equation: Eq) -> bool:
    """Whether an equation says what a derivative is."""
    return isinstance(equation.lhs, Term) and equation.lhs[0] is T.gradient


def check(
    equations: Sequence[Eq], direction: str | None, fail: Callable[[str], RelationError]
) -> None:
    """Refuse equations that speak of derivatives in a way that nothing could be matched by.

    Parameters
    ----------
    equations
        All that a relation states.
    direction
        In which it is used.
    fail
        Makes an error of a problem.

    Raises
    ------
    RelationError
        The message says which equation, and how it is written instead.
    """
    if not any(_mentions(side) for e in equations for side in (e.lhs, e.rhs)):
        return
    if direction not in ("forward", None):
        raise fail(errors.derivative_turned(direction))
    seen = set()
    for equation in equations:
        text = f"{show(equation.lhs)} == {show(equation.rhs)}"
        inside = (*equation.lhs[1:], equation.rhs)
        if not is_stated_by(equation) or any(map(_mentions, inside)):
            raise fail(errors.misplaced_gradient(text))
        why = _unusable(equation.lhs[1:])
        if why:
            raise fail(errors.unusable_gradient(text, why))
        expression, variable = equation.lhs[1:3]
        stated = (expression, variable, equation.guards)
        if stated in seen:
            raise fail(errors.stated_twice(variable, show(expression)))
        seen.add(stated)


def _mentions(term: Any) -> bool:
    return any(part is T.gradient for part in parts_of(term))


def _unusable(operands: Sequence[Any]) -> str:
    """What is wrong with the operands of `T.gradient`; empty if nothing is."""
    if len(operands) != 3:
        return f"T.gradient has {len(operands)} operands"
    expression, variable, upstream = operands
    if not isinstance(expression, Term):
        return f"the expression `{show(expression)}` would match everything"
    if not isinstance(variable, Param) or variable not in set(_tensors(expression)):
        return f"`{show(variable)}` is no tensor parameter of the expression"
    if not isinstance(upstream, Param) or upstream in set(parameters_of(expression)):
        return f"the upstream gradient `{show(upstream)}` is no parameter of its own"
    return ""


def _tensors(term: Any) -> Iterator[Any]:
    """The parameters of a pattern that stand for tensors, not for axes and the like."""
    if isinstance(term, Param):
        yield term
    elif isinstance(term, Term):
        head = term[0]
        settings = len(head.parameters) if isinstance(head, Operator) else 0
        for part in term[1 : len(term) - settings]:
            yield from _tensors(part)
