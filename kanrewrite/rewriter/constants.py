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

from kanrewrite.guards import Guard, constant_of, dtype_of, is_constant, ndim, positive
from kanrewrite.relation import Rule, substitute
from kanrewrite.rewriter.linear import about_kinds
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
    ...     print(next(with_constants(rule)))
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
    head, body, *rest = rule.pattern
    if head is T.true_div and isvar(rest[0]) and often[rest[0]] > 1 and isinstance(body, Term):
        (by,) = rest  # it may have cancelled with another number
        undone = T.mul(by, rule.replacement)
        yield replace(
            rule, pattern=body, replacement=undone, conditions=(*rule.conditions, is_constant(by))
        )
    if not rule.relation.bundled:
        yield from _with_signs(rule, often)
    whole = replace(rule, pattern=_as_factors(rule.pattern))
    for part in dict.fromkeys(parts_of(whole.pattern[1:])):
        inside = Counter(parameters_of(part))
        if len(inside) == 1 and isinstance(part, Term) and _is_arithmetic(part):
            ((parameter, times),) = inside.items()
            if times < often[parameter] and any(isinstance(x, int | float) for x in part):
                yield _computed(whole, part, parameter, _Q)
                yield _computed(whole, part, parameter, T.neg(_Q))


def _with_signs(rule: Rule, often: Counter[Any]) -> Iterator[Rule]:
    """What is said of a number times something, of its negative: a graph has -1 as a sign."""
    numbers = {x for x in often if {is_constant(x), ndim[0](x)} & set(rule.conditions)}
    for part in dict.fromkeys(parts_of(rule.pattern[1:])):
        if not isinstance(part, Term) or part[0] is not T.mul or len(part) != 3:
            continue
        for number, other in (part[1:], part[:0:-1]):
            if number in numbers and often[number] == 1 and not isinstance(other, int | float):
                asked = tuple(c for c in rule.conditions if number not in c.variables)
                yield replace(
                    rule,
                    pattern=with_part(rule.pattern, part, T.neg(other)),
                    replacement=substitute(rule.replacement, {number: -1}),
                    conditions=asked,
                )


def with_roots(rule: Rule) -> Iterator[Rule]:
    """The rules about a number where a rule raises a parameter: 4 is the square of 2, and a factor.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def length(x, y):
    ...     yield eq(T.sqrt(x**2 + y**2), T.abs(x) * T.sqrt(1 + (y / x) ** 2))
    >>> for rule in length.rules():
    ...     for other in with_roots(rule):
    ...         print(other.pattern, "with", other.replacement)
    sqrt(q + y**2) with abs(sqrt(q)) * sqrt(1 + (y / sqrt(q))**2)
    sqrt(q * x**2 + y**2) with abs(sqrt(q) * x) * sqrt(1 + (y / (sqrt(q) * x))**2)
    sqrt(x**2 + q) with abs(x) * sqrt(1 + (sqrt(q) / x)**2)
    sqrt(x**2 + q * y**2) with abs(x) * sqrt(1 + (sqrt(q) * y / x)**2)
    """
    often = Counter(parameters_of(rule.pattern))
    for part, raised in _summands(rule.pattern):
        inverse = _INVERSES.get((part[0], *part[2:])) if part[0] is not T.true_div else _reciprocal
        there = sum(other == part for other in parts_of(rule.pattern))
        if inverse is None or often[raised] != there or not about_kinds(rule, raised):
            continue
        for left, value in ((_Q, inverse(_Q)), (T.mul(_Q, part), T.mul(inverse(_Q), raised))):
            pattern = with_part(rule.pattern, part, left)
            if len(set(parameters_of(pattern))) == 1:
                continue  # it must say something of a tensor
            kept = [c for c in rule.conditions if left is not _Q or raised not in c.variables]
            yield replace(
                rule,
                pattern=pattern,
                replacement=substitute(rule.replacement, {raised: value}),
                conditions=(*kept, is_constant(_Q), positive(_Q)),
            )


def _summands(pattern: Any) -> Iterator[tuple[Term, Any]]:
    """The powers and reciprocals of a parameter that are added up, each once, and of what."""
    found = dict[Term, Any]()
    for whole in parts_of(pattern):
        if isinstance(whole, Term) and whole[0] in (T.add, T.sub):
            for part in whole[1:]:
                if isinstance(part, Term) and sum(map(isvar, part[1:])) == 1 and len(part) < 4:
                    inner = next(filter(isvar, part[1:]))
                    if part[0] is not T.true_div or (part[1] == 1 and part[2] is inner):
                        found[part] = inner
    yield from found.items()


def _reciprocal(number: Any) -> Any:
    return 1 / number


#: What a number is, where an operator over a parameter is to be it.
_INVERSES: dict[Any, Callable[[Any], Any]] = {
    (T.pow, 2): T.sqrt,
    (T.pow, 3): lambda number: T.pow(number, 1 / 3),
    (T.sqr,): T.sqrt,
    (T.reciprocal,): _reciprocal,
}


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


def _as_factors(term: Any) -> Any:
    """A term that is multiplied with the reciprocals of the parameters it is divided by."""
    if not isinstance(term, Term):
        return term
    head, *parts = term
    parts = [_as_factors(part) for part in parts]
    if head is T.true_div and isvar(parts[1]) and parts[0] != 1:
        return T.mul(parts[0], T.true_div(1, parts[1]))
    return Term((head, *parts))


def _computed(rule: Rule, part: Term, parameter: Any, instead: Any) -> Rule:
    """A rule with a constant in the place of what is computed of another one."""
    sign = -1 if instead is not _Q else 1

    def is_computed(a: Any, q: Any) -> bool:
        known = [constant_of(value) for value in (a, q)]
        if any(value is None or np.size(value) != 1 for value in known):
            return False
        given, there = (float(np.ravel(value)[0]) for value in known)
        kind = str(dtype_of(q))
        rounding = float(np.finfo(kind if kind.startswith("float") else "float64").eps)
        meant = sign * _value(part, given)
        # Both are rounded: the nearest to 0.999 and that to 0.001 differ from 1 by what 0.999 does.
        return abs(meant - there) <= rounding * max(1, abs(meant)) and isclose(
            meant, there, rel_tol=1e-6
        )

    asked = Guard("is_computed", is_computed)(parameter, _Q)
    return replace(
        rule,
        pattern=with_part(rule.pattern, part, instead),
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
