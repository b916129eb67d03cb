"""Equations as goals: between terms and graphs alike, modulo a theory, in either direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

from etuples.core import ExpressionTuple
from kanren import lall
from unification import Var, isvar, reify
from unification.core import isground

from kanrewrite.ac import Eq, Written
from kanrewrite.guards import broadcastable_of, constant_of, counts, dtype_of, sign_of
from kanrewrite.guards.lengths import factors_of, length_of
from kanrewrite.relation import axes
from kanrewrite.relation.notation import in_words
from kanrewrite.relation.rules import conditions_of, substitute
from kanrewrite.terms import Param, T, parameters_of
from kanrewrite.theory import Theory
from kanrewrite.unify import as_graph, as_term, is_term

Goal = Callable[[Any], Iterator[Any]]
_fresh = count()

#: What equations without a theory of their own hold modulo, when they are run as goals.
REAL = (
    Theory("real")
    .ac(T.add, unit=0)
    .ac(T.mul, unit=1)
    .ac(T.maximum)
    .ac(T.minimum)
    .ac(T.and_)
    .ac(T.or_)
    .ac(T.xor)
    .c(T.eq)
    .c(T.neq)
    .inverse(T.add, T.neg, T.sub)
    .inverse(T.mul, T.reciprocal, T.true_div)
)


def _of_graph(question: Any, term: Any) -> Any:
    return _of_built(question, term) if is_term(term) else None


def _of_built(question: Any, term: Any, *further: Any) -> Any:
    try:
        graph = as_graph(term)
    except NotImplementedError:  # over what is read, which is no tensor: as of any other value
        return question.dispatch(object)(term, *further)
    return question(graph, *further)


# What a guard asks about a term is what Aesara says of its graph.
for _question in (dtype_of, broadcastable_of, constant_of, sign_of):
    _question.register(tuple, partial(_of_graph, _question))
for _counted in (length_of, factors_of):
    _counted.register(tuple, partial(_of_built, _counted))


def _evaluated(value: Any) -> Any:
    """An expression tuple of graphs as the graph that it is, where it is one."""
    if not isinstance(value, ExpressionTuple) or not isground(value, {}):
        return value
    return value.evaled_obj


def _written(given: Any, side: Any, theory: Theory) -> tuple[Goal, list[Goal]]:
    """The goal that a term is a side of an equation; what is only built stays as it is written."""
    pattern, sizes = (side, []) if isvar(given) else in_words(side)
    asked: list[Goal] = [counts(n, axis, *operands) for n, axis, operands in sizes]
    if isground(given, {}):
        pattern, named = axes.freed(pattern, f"{next(_fresh)}:")
        asked += axes.asked(named)
    return Written(given, as_term(pattern), theory), asked


def holds(equation: Eq, left: Any, right: Any) -> Goal:
    """The goal that one equation relates two terms, with variables of its own for each use.

    What is known is matched before the other side is built, whichever side that is.
    """
    n = next(_fresh)
    used: dict[Var, Var] = {}
    for variable in (*parameters_of(equation.lhs), *parameters_of(equation.rhs)):
        used.setdefault(variable, Param(f"{n}:{variable.token}"))
    lhs, rhs = (substitute(side, used) for side in (equation.lhs, equation.rhs))
    theory = REAL if equation.theory is None else equation.theory
    conditions = [guard.renamed(used) for guard in conditions_of(equation)]

    def goal(state: Any) -> Iterator[Any]:
        given = [as_term(_evaluated(reify(side, state))) for side in (left, right)]
        sides = [(given[0], lhs), (given[1], rhs)]
        if isvar(given[0]) and not isvar(given[1]):
            sides.reverse()
        (first, pattern), (second, other) = sides
        known, counted = _written(first, pattern, theory)
        asked, further = _written(second, other, theory)
        whole = lall(known, *conditions, *counted, asked, *further)
        yield from whole(state)

    return goal
