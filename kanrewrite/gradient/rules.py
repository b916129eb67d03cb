"""Derivatives of expressions, given by users as functions or as relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from kanrewrite import registry
from kanrewrite.errors import StatesNoDerivative
from kanrewrite.gradient.names import Var
from kanrewrite.relation import Relation

#: ``rule(expr, wrt, upstream)``: for an expression on the way to `wrt` and the gradient that
#: arrives at it, the gradient each variable below it receives; None if the rule has no opinion.
Rule = Callable[[Var, Sequence[Var], Var], "Mapping[Var, Var] | None"]

_rules: list[Rule] = []

_R = TypeVar("_R", bound="Rule | Relation")


def register_gradient(rule: _R) -> _R:
    """Give expressions a derivative of their own; usable as a decorator.

    Every expression on the way from a cost to its variables is shown to the rule, the largest
    first, once as the user wrote it and once as Aesara and the library have rewritten it, right
    before its derivative is expanded. The first rule that answers decides. Forward mode is the
    transpose of reverse mode, so the same rule serves `jvp`.

    Parameters
    ----------
    rule : callable or Relation
        ``rule(expr, wrt, upstream)`` returns None, or a mapping from variables below ``expr`` to
        their gradients, made of ``upstream`` and of variables of the graph. Or a relation that
        states ``eq(T.gradient(expr, x, upstream), derivative)``: its expression is matched modulo
        all that the library knows, and it is registered as by `kanrewrite.register`.

    Returns
    -------
    callable or Relation
        The rule.

    Raises
    ------
    StatesNoDerivative
        If a relation states something else.
    RuleLosesDerivative, RelationLosesDerivative
        When a derivative is expanded: if ``expr`` depends on ``wrt`` in a way that passes none
        of the variables that the rule names.
    RuleTermMismatch
        When a derivative is expanded: if a term is not a tensor like the variable it is for.

    Examples
    --------
    >>> import aesara.tensor as at, kanrewrite
    >>> def straight_through(expr, wrt, upstream):
    ...     \"\"\"Differentiate ``round(x)`` as if it were ``x``.\"\"\"
    ...     if expr.owner.op == at.round_half_to_even:
    ...         return {expr.owner.inputs[0]: upstream}
    >>> x = at.vector("x")
    >>> with registered_gradient(straight_through):
    ...     kanrewrite.grad((3 * at.round(x)).sum(), x).eval({x: [0.2, 1.7]})
    array([3., 3.])

    The same, stated:

    >>> from kanrewrite import Eq, T, eq, relation
    >>> @relation
    ... def round_passes(x, g):
    ...     yield eq(T.gradient(T.round_half_to_even(x), x, g), g)
    >>> with registered_gradient(round_passes):
    ...     kanrewrite.grad((3 * at.round(x)).sum(), x).eval({x: [0.2, 1.7]})
    array([3., 3.])
    """
    if isinstance(rule, Relation):
        if not rule.states_derivatives:
            raise StatesNoDerivative(rule.name, rule.source)
        registry.register(rule)
    elif rule not in _rules:
        _rules.append(rule)
    return rule


def registered() -> Sequence[Rule]:
    """The functions that are registered, in the order in which they are asked."""
    return _rules


def unregister_gradient(rule: Rule | Relation) -> None:
    """Take back `register_gradient`.

    Parameters
    ----------
    rule
        A registered rule.

    Raises
    ------
    ValueError
        If it is not registered.
    UnknownRelation
        If it is a relation that is not registered.
    """
    if isinstance(rule, Relation):
        registry.unregister(rule)
    else:
        _rules.remove(rule)


@contextmanager
def registered_gradient(rule: Rule | Relation) -> Iterator[None]:
    """Register a rule for the functions compiled inside a ``with`` block.

    Parameters
    ----------
    rule
        See `register_gradient`.
    """
    register_gradient(rule)
    try:
        yield
    finally:
        unregister_gradient(rule)
