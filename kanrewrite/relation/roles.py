"""Roles: how a relation is followed, as it says itself.

`rewrite` is found in a graph and replaced, `define` says what an operator means, `lift` moves out
of an operator what can leave it while a graph is read, `sink` takes a level out of an operator
while a graph is built, and `cancel` is followed where a difference would lose its digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

from unification import Var

from kanrewrite import errors
from kanrewrite.ac import Eq
from kanrewrite.errors import RelationError
from kanrewrite.terms import Operator, T, Term, parameters_of, show

Role = Literal["rewrite", "define", "lift", "sink", "cancel"]
Fail = Callable[[str], RelationError]

#: What can leave an operator is one of these inside of it.
_OPEN = (T.mul, T.true_div, T.add, T.sub, T.neg, T.exp, T.switch, T.pow, T.prod)
#: A choice too: what is compared with what it chose from.
_CHOOSING = (T.minimum, T.maximum)
#: Where digits are lost, or an infinity meets a zero.
_LOSING = (T.add, T.sub, T.mul, T.true_div)


def roles_in(role: Any, fail: Fail) -> tuple[Role, ...]:
    """The roles that a relation says it has.

    Raises
    ------
    RelationError
        If one of them is not known.
    """
    stated: tuple[Any, ...] = (role,) if isinstance(role, str) else tuple(role)
    unknown = [r for r in stated if r not in get_args(Role)]
    if unknown or not stated:
        raise fail(errors.unknown_role(unknown[0] if unknown else role, get_args(Role)))
    return stated


def check(roles: Sequence[Role], equations: Sequence[Eq], fail: Fail) -> None:
    """Refuse equations that cannot be followed in the roles of their relation.

    Raises
    ------
    RelationError
        The message says which equation, why, and what to write instead.
    """
    for role in roles:
        if role == "define":
            if not any(definition_in(e, roles) for e in equations):
                raise fail(errors.defines_nothing(_text(equations[0])))
            continue
        for equation in equations:
            why = _PROBLEMS[role](equation) if role in _PROBLEMS else ""
            if why:
                raise fail(errors.cannot_be_followed(role, _text(equation), why))


def definition_in(equation: Eq, roles: Sequence[Role]) -> tuple[Term, Any] | None:
    """An operator over distinct parameters and what it means, where an equation says that.

    The operator stands on the left; on the right where the relation is a rewrite into it too.
    """
    left, right = equation.lhs, equation.rhs
    term, meaning = (right, left) if "rewrite" in roles else (left, right)
    if not isinstance(term, Term) or not isinstance(term[0], Operator):
        return None
    inner = term[1:]
    if not all(isinstance(x, Var) for x in inner) or len(set(inner)) != len(inner):
        return None
    if not set(parameters_of(meaning)) <= set(inner) or term[0] in operators_in(meaning):
        return None
    return term, meaning


def operators_in(term: Any) -> Iterator[Operator]:
    """The operators of a pattern, each where it occurs."""
    if isinstance(term, Term):
        yield term[0]
        for part in term[1:]:
            yield from operators_in(part)


def _text(equation: Eq) -> str:
    return f"{show(equation.lhs)} == {show(equation.rhs)}"


def _unbound(equation: Eq) -> str:
    bound = set(parameters_of(equation.lhs))
    missing = [str(v) for v in dict.fromkeys(parameters_of(equation.rhs)) if v not in bound]
    return f"nothing on its left side binds `{missing[0]}`" if missing else ""


def _unliftable(equation: Eq) -> str:
    """Why a lift cannot be followed; empty if it can."""
    left = equation.lhs
    if not isinstance(left, Term):
        return "its left side is no operator"
    if not any(
        isinstance(x, Term) and x[0] in (*_OPEN, *_CHOOSING) for x in left[1:]
    ) and not _opens(equation.rhs):
        return "no operand on its left side is a product, a sum, a choice or an exponential"
    return _unbound(equation)


def _opens(term: Any) -> bool:
    """Tell whether what an operator is of anything is an exponential, or a choice."""
    factors = term[1:] if isinstance(term, Term) and term[0] is T.mul else (term,)
    return any(isinstance(f, Term) and f[0] in (T.exp, T.switch) for f in factors)


def _unsinkable(equation: Eq) -> str:
    """Why a sink cannot be followed; empty if it can."""
    left, right = equation.lhs, equation.rhs
    if not isinstance(left, Term) or T.exp not in operators_in(left):
        return "its left side holds no exponential"
    factors = right[1:] if isinstance(right, Term) and right[0] is T.mul else (right,)
    if not any(isinstance(f, Term) and f[0] is T.exp for f in factors):
        return "its right side is no product of an exponential, which is the level, and the rest"
    return _unbound(equation)


def _uncancelled(equation: Eq) -> str:
    """Why a cancellation cannot be followed; empty if it can."""
    left = equation.lhs
    if not isinstance(left, Term) or left[0] not in _LOSING:
        return "its left side is no sum, difference, product or quotient"
    return _unbound(equation)


_PROBLEMS = {"lift": _unliftable, "sink": _unsinkable, "cancel": _uncancelled}
