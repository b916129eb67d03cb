"""Relations: named equations between terms, without direction.

A relation is written as a generator function whose parameters are its logic variables, or as a
miniKanren goal constructor ``(in_lv, out_lv) -> goal``.  It is a value that knows its name, its
family and its place, can be run as a goal, and is compiled to a rewriter elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, overload

from kanrewrite.ac import Eq, eq
from kanrewrite.errors import UnusableArgument
from kanrewrite.relation.core import Direction, Relation, Where
from kanrewrite.relation.goals import REAL
from kanrewrite.relation.roles import Role
from kanrewrite.relation.rules import Rule, substitute
from kanrewrite.theory import Theory

__all__ = [
    "REAL",
    "Direction",
    "Eq",
    "Relation",
    "Role",
    "Rule",
    "Where",
    "eq",
    "relation",
    "substitute",
]


@overload
def relation(function: Callable[..., Any], /) -> Relation: ...


@overload
def relation(
    *,
    role: Role | Sequence[Role] = ...,
    direction: Direction | None = ...,
    family: str | None = ...,
    theory: Theory | None = ...,
    heads: Sequence[Any] = ...,
    where: Where = ...,
) -> Callable[[Callable[..., Any]], Relation]: ...


def relation(
    function: Callable[..., Any] | None = None,
    /,
    *,
    role: Role | Sequence[Role] = "rewrite",
    direction: Direction | None = "forward",
    family: str | None = None,
    theory: Theory | None = None,
    heads: Sequence[Any] = (),
    where: Where = "everywhere",
) -> Any:
    """Make a relation of a function; use as a decorator.

    Parameters
    ----------
    function : callable
        A generator function that yields equations, whose parameters are the logic variables and
        whose annotations are guards; or a goal constructor ``(in_lv, out_lv) -> goal``.
    role : {"rewrite", "define", "lift", "sink", "cancel"} or sequence of them
        How the equations are followed: found in a graph and replaced (``rewrite``); as what an
        operator means, written left (``define``; of a rewrite into it, right); as what leaves an
        operator while a graph is read (``lift``); as a level that is taken out of an operator
        while one is built (``sink``); where a difference would lose its digits (``cancel``).
    direction : {"forward", "backward", "both"} or None
        How the equations are used for rewriting; None if only as a goal.
    family : str, optional
        The group it belongs to, the last part of its module's name by default.
    theory : Theory, optional
        What equations without a theory of their own hold modulo.
    heads : sequence of Op or type, optional
        For a goal constructor, the Ops at which it is worth running; all of them by default.
    where : {"everywhere", "exponents", "digits"}
        Rewrite all that matches; or only what is rebuilt because exponentials meet there, for an
        operator that is no gain elsewhere; or what is left after that, for a form that keeps more
        digits: it is built as it is stated, grouping included, and not looked for in its own
        result, so that it may hold the left side in a choice.

    Returns
    -------
    Relation

    Raises
    ------
    RelationError
        If the equations cannot be used as stated; the message names the relation and its place.
    UnusableArgument
        For what is no function.

    Examples
    --------
    >>> from kanrewrite.guards import Float
    >>> from kanrewrite.terms import T
    >>> @relation
    ... def log_exp(x: Float):
    ...     yield eq(T.log(T.exp(x)), x)
    >>> print(log_exp)
    log_exp(x: Float): log(exp(x)) == x
    """
    scope = sys._getframe(1).f_locals

    def decorate(function: Callable[..., Any]) -> Relation:
        if not isinstance(function, FunctionType):
            takes = "a generator function that yields equations, or a goal constructor"
            raise UnusableArgument("@relation", takes, function)
        return Relation(function, direction, family, theory, heads, scope, role, where)

    return decorate if function is None else decorate(function)
