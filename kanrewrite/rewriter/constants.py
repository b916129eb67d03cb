"""Rules about parameters that a graph has as numbers, which Aesara has computed with already.

A third of something is no quotient in a graph, and ``0.9 * x + 0.1 * y`` does not say that 0.1 is
1 less 0.9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isclose, prod
from typing import Any

import numpy as np
from unification import isvar

from kanrewrite.guards import Guard, constant_of, dtype_of, is_constant
from kanrewrite.relation import Rule, substitute
from kanrewrite.terms import Param, T, Term, parameters_of, parts_of, with_part

_Q = Param("constants:q")
_COMPUTE: dict[Any, Callable[..., float]] = {
    T.add: lambda *terms: sum(terms),
    T.sub: lambda x, y: x - y,
    T.neg: lambda x: -x,
    T.mul: lambda *factors: prod(factors),
    T.true_div: lambda x, y: x / y,
    T.reciprocal: lambda x: 1 / x,
}


def with_constants(rule: Rule) -> Iterator[Rule]:
    """The rules that say of constants what a rule says of its parameters.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def average(a, x, y):
    ...     yield eq(a * x + (1 - a) * y, y + a * (x - y))
    >>> for rule in average.rules():
    ...     print(*with_constants(rule))
    a * x + q * y -> y + a * (x - y) when a: Constant, q: Constant, is_computed(a, q)
    """
    often = Counter(parameters_of(rule.pattern))
    for by, times in Counter(_divisors(rule.pattern)).items():
        if times == often[by]:
            yield replace(
                rule,
                pattern=_multiplied(rule.pattern, by),
                replacement=substitute(rule.replacement, {by: 1 / by}),
                conditions=(*rule.conditions, is_constant(by)),
            )
    for part in dict.fromkeys(parts_of(rule.pattern[1:])):
        inside = Counter(parameters_of(part))
        if len(inside) == 1 and isinstance(part, Term) and _is_arithmetic(part):
            ((parameter, times),) = inside.items()
            if times < often[parameter] and any(isinstance(x, int | float) for x in part):
                yield _computed(rule, part, parameter)


def _divisors(term: Any) -> Iterator[Any]:
    """The parameters that something is divided by."""
    if isinstance(term, Term):
        if term[0] is T.true_div and isvar(term[2]) and term[1] != 1:
            yield term[2]
        for part in term[1:]:
            yield from _divisors(part)


def _multiplied(term: Any, by: Any) -> Any:
    """A term that is multiplied with a parameter wherever it is divided by it."""
    if not isinstance(term, Term):
        return term
    head, *parts = term
    return Term((T.mul if head is T.true_div and parts[1] is by else head,
                 *(_multiplied(part, by) for part in parts)))  # fmt: skip


def _computed(rule: Rule, part: Term, parameter: Any) -> Rule:
    """A rule with a constant in the place of what is computed of another one."""

    def is_computed(a: Any, q: Any) -> bool:
        known = [constant_of(value) for value in (a, q)]
        if any(value is None or np.size(value) != 1 for value in known):
            return False
        given, there = (float(np.ravel(value)[0]) for value in known)
        kind = str(dtype_of(q))
        rounding = float(np.finfo(kind if kind.startswith("float") else "float64").eps)
        meant = _value(part, given)
        # Both are rounded: the nearest to 0.999 and that to 0.001 differ from 1 by what 0.999 does.
        return abs(meant - there) <= rounding * max(1, abs(meant)) and isclose(
            meant, there, rel_tol=1e-6
        )

    asked = Guard("is_computed", is_computed)(parameter, _Q)
    return replace(
        rule,
        pattern=with_part(rule.pattern, part, _Q),
        conditions=(*rule.conditions, is_constant(parameter), is_constant(_Q), asked),
    )


def _is_arithmetic(term: Any) -> bool:
    if isinstance(term, Term):
        return term[0] in _COMPUTE and all(map(_is_arithmetic, term[1:]))
    return isvar(term) or isinstance(term, int | float)


def _value(term: Any, parameter: float) -> float:
    """What an expression of one parameter is for a number."""
    if isinstance(term, Term):
        return _COMPUTE[term[0]](*(_value(part, parameter) for part in term[1:]))
    return parameter if isvar(term) else term
