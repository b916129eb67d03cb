"""Settling: patterns of Ops whose parameters are all given are patterns of those Ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unification import isvar

from kanrewrite.ac import eq
from kanrewrite.terms import MADE, Term, operator_of

if TYPE_CHECKING:
    from kanrewrite.ac import Eq


def settled(equation: Eq) -> Eq:
    """An equation in which `T.of` an Op is the operator of that Op, as nodes have it.

    Examples
    --------
    >>> from aesara.tensor.nlinalg import MatrixInverse
    >>> from kanrewrite.terms import Param, T
    >>> inverse = T.of(MatrixInverse())
    >>> settled(eq(inverse(Param("settled:a")), 1)).lhs[0].op == MatrixInverse()
    True
    """
    sides = _settled(equation.lhs), _settled(equation.rhs)
    return eq(*sides, equation.theory).when(*equation.guards)


def _settled(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    head, *parts = term
    parts = [_settled(part) for part in parts]
    if getattr(head, "kind", None) is None:
        return Term((head, *parts))
    tensors = len(parts) - len(head.parameters)
    *settings, output = parts[tensors:]
    if output != 0 or any(map(isvar, settings)):
        return Term((head, *parts))
    made = MADE.get((head.kind, tuple(settings)))
    names = list(head.parameters)[:-1]
    op = head.kind(**dict(zip(names, settings, strict=True))) if made is None else made
    return Term((operator_of(op), *parts[:tensors]))
