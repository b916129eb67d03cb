"""What a rule says beside what stands around its pattern, or where a part of it is not written.

A factor that all terms of a sum share is no obstacle, nor is a sign that has left a sum, a term
that is subtracted where a parameter could have it, or a factor that is 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from unification import isvar

from kanrewrite.guards import Guard, constant_of, is_bool, is_constant, is_float, is_int
from kanrewrite.relation import Rule, substitute
from kanrewrite.rewriter.axioms import operands_of
from kanrewrite.rewriter.heads import required
from kanrewrite.terms import Param, T, Term, parameters_of, parts_of, with_part

#: Guards about what a number, and the negative of a parameter, is as well.
KINDS = (is_float, is_int, is_bool)
_FACTOR, _OFTEN = Param("around:factor"), Param("around:often")
#: What terms are multiplied with.
_NUMBERS = (Param("around:q"), Param("around:r"))
#: What a sign passes: which of the operands may hold it.
_LINEAR = {T.mul: None, T.sum: 1, T.mean: 1, T.true_div: 1, T.neg: 1, T.dot: None}


def scaled(rule: Rule) -> Iterator[Rule]:
    """A rule about a sum, for a sum whose terms are multiplied with the same.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def circle(x):
    ...     yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)
    >>> for rule in circle.rules():
    ...     print(next(scaled(rule)))
    factor * sin(x)**2 + factor * cos(x)**2 -> factor * fill(x, 1)
    """
    head, *parts = rule.pattern
    if head in (T.add, T.sub) and required(rule.pattern):
        terms = [_FACTOR if part == 1 else T.mul(_FACTOR, part) for part in parts]
        whole = _filled(rule)
        if whole is None:
            return
        whole = T.mul(_FACTOR, whole)
        yield replace(rule, pattern=Term((head, *terms)), replacement=whole)
        pattern, whole = _less(head, terms, whole)
        yield replace(rule, pattern=pattern, replacement=whole)


def _less(head: Any, terms: Sequence[Any], whole: Any) -> tuple[Any, Any]:
    """The negative of a sum, or a difference, and of what is made of it."""
    first, *others = terms
    subtracted = others if head is T.sub else map(T.neg, others)
    return T.add(T.neg(first), *subtracted), T.neg(whole)


def remaining(rule: Rule) -> Iterator[Rule]:
    """A rule about two terms, for those of which one is there more often: the rest of it remains.

    The operators of the other one must be gone then, or the same could be said without end.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def circle(x):
    ...     yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)
    >>> for rule in circle.rules():
    ...     print(next(remaining(rule)).pattern)
    factor * sin(x)**2 + cos(x)**2
    """
    head, *parts = rule.pattern
    if head not in (T.add, T.sub) or len(parts) != 2 or not all(map(required, parts)):
        return
    whole = _filled(rule)
    signs = (1, -1) if head is T.sub else (1, 1)
    for (more, other), (sign, _) in ((parts, signs), (parts[::-1], signs[::-1])):
        if whole is None or required(other) <= required(more) | required(rule.replacement):
            continue
        for many, often in (((_FACTOR,), ()), ((), (_OFTEN,)), ((_FACTOR,), (_OFTEN,))):
            there = {id(more): _times(many, more), id(other): _times(often, other)}
            pattern = Term((head, *(there[id(part)] for part in parts)))
            rest = T.mul(T.sub(*(many or (1,)), *(often or (1,))), more)
            result = Term((T.add if sign > 0 else T.sub, _times(often, whole), rest))
            conditions = (*rule.conditions, _is_no_less(*(many or (1,)), *(often or (1,))))
            yield replace(rule, pattern=pattern, replacement=result, conditions=conditions)


def _times(often: tuple[Any, ...], term: Any) -> Any:
    return T.mul(*often, term) if often else term


def _no_less(more: Any, often: Any) -> bool:
    """Whether one positive number is no less than another: what remains has the same sign."""
    values = [constant_of(x) for x in (more, often)]
    if any(value is None or np.size(value) != 1 for value in values):
        return False
    most, least = (float(np.ravel(value)[0]) for value in values)
    return most >= least > 0


_is_no_less = Guard("is_no_less", _no_less)


def _filled(rule: Rule) -> Any:
    """What a rule makes, as long as what it looks for; None where that cannot be told."""
    whole = rule.replacement
    lost = dict.fromkeys(x for x, _ in operands_of(rule.pattern))
    for parameter in lost.keys() - set(parameters_of(whole)):
        if any(isinstance(part, Term) and part[0].parameters for part in parts_of(rule.pattern)):
            return None  # it is shaped in another way there
        whole = T.fill(parameter, whole)  # it may be longer than what is left
    return whole


def negated(rule: Rule) -> Iterator[Rule]:
    """A rule about a negative, where the sign has left a sum of it."""
    if rule.pattern[0] is not T.neg or isvar(rule.pattern[1]):
        return
    if set(parameters_of(rule.pattern)) <= set(parameters_of(rule.replacement)):
        axis, kept = Param("around:axis"), Param("around:keepdims")
        pattern = T.neg(T.sum(rule.pattern[1], axis, kept))
        yield replace(rule, pattern=pattern, replacement=T.sum(rule.replacement, axis, kept))


def with_units(rule: Rule) -> Iterator[Rule]:
    """A rule with a factor left out that may be anything, beside one that the pattern repeats.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def common(a, b, x):
    ...     yield eq(a * x + b * x, (a + b) * x)
    >>> for rule in common.rules():
    ...     print(*with_units(rule), sep="; ")
    x + b * x -> (1 + b) * x; a * x + x -> (a + 1) * x
    """
    often = Counter(parameters_of(rule.pattern))
    for part in dict.fromkeys(parts_of(rule.pattern[1:])):
        if not isinstance(part, Term) or part[0] is not T.mul or len(part) != 3:
            continue
        for one, other in (part[1:], part[:0:-1]):
            shared = isvar(other) and often[other] > 1
            if shared and isvar(one) and often[one] == 1 and about_kinds(rule, one):
                yield replace(
                    rule,
                    pattern=with_part(rule.pattern, part, other),
                    replacement=substitute(rule.replacement, {one: 1}),
                    conditions=tuple(c for c in rule.conditions if one not in c.variables),
                )


def differences(rule: Rule) -> Iterator[Rule]:
    """A rule about a sum with one of its terms negated, for each that is linear in a parameter."""
    often = Counter(parameters_of(rule.pattern))
    # The library states what it means of the sums inside of its patterns.
    inside = () if rule.relation.bundled else parts_of(rule.pattern)
    for whole in dict.fromkeys((rule.pattern, *inside)):
        if not isinstance(whole, Term) or whole[0] is not T.add:
            continue
        for place, part in enumerate(whole[1:], 1):
            found = next((p for p in _linear(part) if often[p] == 1), None)
            if found is None or not about_kinds(rule, found):
                continue
            terms = (T.neg(x) if n == place else x for n, x in enumerate(whole[1:], 1))
            pattern = with_part(rule.pattern, whole, T.add(*terms))
            result = substitute(rule.replacement, {found: T.neg(found)})
            yield replace(rule, pattern=pattern, replacement=result)


def multiples(rule: Rule) -> Iterator[Rule]:
    """A rule about a sum of what is linear in parameters, for multiples of its terms.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def products(a, x, y):
    ...     yield eq(T.dot(a, x) + T.dot(a, y), T.dot(a, x + y))
    >>> for rule in products.rules():
    ...     for other in list(multiples(rule))[:3]:
    ...         print(other.pattern, "with", other.replacement)
    q * dot(a, x) + dot(a, y) with dot(a, q * x + y)
    -(q * dot(a, x)) + -dot(a, y) with -dot(a, q * x + y)
    dot(a, x) + q * dot(a, y) with dot(a, x + q * y)
    """
    head, *parts = rule.pattern
    if head not in (T.add, T.sub) or len(parts) != 2 or not all(map(required, parts)):
        return
    often = Counter(parameters_of(rule.pattern))
    inner = [next((p for p in _linear(part) if often[p] == 1), None) for part in parts]
    for chosen in ((0,), (1,), (0, 1)):
        values = {inner[n]: T.mul(_NUMBERS[n - chosen[0]], inner[n]) for n in chosen}
        if None in values or not all(about_kinds(rule, p) for p in values):
            continue
        terms = [
            T.mul(_NUMBERS[n - chosen[0]], part) if n in chosen else part
            for n, part in enumerate(parts)
        ]
        result = substitute(rule.replacement, values)
        conditions = (*rule.conditions, *map(is_constant, _NUMBERS[: len(chosen)]))
        for pattern, made in ((Term((head, *terms)), result), _less(head, terms, result)):
            yield replace(rule, pattern=pattern, replacement=made, conditions=conditions)


def about_kinds(rule: Rule, parameter: Any) -> bool:
    """Whether conditions ask of a parameter what its negative, and a number, has as well."""
    asked = (c for c in rule.conditions if parameter in c.variables)
    return all(c.guard in KINDS for c in asked)


def _linear(term: Any) -> Iterator[Any]:
    """The parameters that a term is linear in."""
    if isvar(term):
        yield term
    elif isinstance(term, Term) and term[0] in _LINEAR:
        for part in term[1:][: _LINEAR[term[0]]]:
            yield from _linear(part)
