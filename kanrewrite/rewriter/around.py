"""What a rule says beside what stands around its pattern, or where a part of it is not written.

A factor that all terms of a sum share is no obstacle, nor is one that Aesara has moved into a
choice, a transposition or a slice that has moved into a sum, or a factor that is 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from unification import isvar

from kanrewrite.guards import Guard, constant_of, is_constant
from kanrewrite.relation import Rule, substitute
from kanrewrite.rewriter.axioms import operands_of
from kanrewrite.rewriter.heads import required
from kanrewrite.rewriter.linear import about_kinds, less
from kanrewrite.terms import ELEMENTWISE, Param, T, Term, parameters_of, parts_of, with_part

_FACTOR, _OFTEN = Param("around:factor"), Param("around:often")


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
    powers = (part for part in parts_of(rule.pattern) if part in (T.pow, T.sqr))
    if head in (T.add, T.sub) and (required(rule.pattern) or any(powers)):
        terms = [_FACTOR if part == 1 else T.mul(_FACTOR, part) for part in parts]
        whole = _filled(rule)
        if whole is None:
            return
        whole = T.mul(_FACTOR, whole)
        yield replace(rule, pattern=Term((head, *terms)), replacement=whole)
        pattern, whole = less(head, terms, whole)
        yield replace(rule, pattern=pattern, replacement=whole)


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


def moved(rule: Rule) -> Iterator[Rule]:
    """A rule about what is computed elementwise of other operators, into which Aesara moves it.

    Transpositions and slices of a sum are sums of transposed and sliced terms.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def product(x, y):
    ...     yield eq(T.dot(x, y) * T.sum(x), T.dot(x, y * T.sum(x)))
    >>> for rule in product.rules():
    ...     print(next(moved(rule)).pattern)
    dimshuffle(dot(x, y), order=order) * dimshuffle(sum(x), order=order)
    """
    whole = rule.replacement
    if rule.pattern[0] not in ELEMENTWISE or not isinstance(whole, Term):
        return
    terms = list(dict.fromkeys(_not_elementwise(rule.pattern)))
    if any(not isinstance(t, Term) or t[0] in _MOVES or _names_axes(t) for t in terms):
        return
    for move in _MOVES:
        setting = Param(f"around:{next(iter(move.parameters))}")
        pattern = rule.pattern
        for each in terms:
            pattern = with_part(pattern, each, move(each, setting))
        yield replace(rule, pattern=pattern, replacement=move(whole, setting))


_MOVES = (T.dimshuffle, T.subtensor)


def _names_axes(term: Term) -> bool:
    """Whether axes are named by number, which are others when dimensions are moved."""
    return any(
        value is not None and not isvar(value)
        for name, value in zip(term[0].parameters, term[-len(term[0].parameters) :], strict=False)
        if name == "axis"
    )


def _not_elementwise(pattern: Any) -> Iterator[Any]:
    """What elementwise operators are applied to, but for numbers."""
    if isinstance(pattern, Term) and pattern[0] in ELEMENTWISE:
        for part in pattern[1:]:
            yield from _not_elementwise(part)
    elif not isinstance(pattern, int | float):
        yield pattern


def in_choices(rule: Rule) -> Iterator[Rule]:
    r"""A rule about a choice between something and nothing, for a choice of it with a factor.

    Where nothing is chosen the factor may be infinite, so the choice stays unless it is a number.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def relu(x):
    ...     yield eq(T.switch(x > 0, x, 0), T.maximum(x, 0))
    >>> for rule in relu.rules():
    ...     print(*list(in_choices(rule))[:2], sep="\n")
    switch(gt(x, 0), factor * x, 0) -> factor * maximum(x, 0) when factor: Constant
    switch(gt(x, 0), factor * x, 0) -> switch(gt(x, 0), factor * maximum(x, 0), 0)
    """
    if rule.pattern[0] is not T.switch or list(rule.pattern[2:]).count(0) != 1:
        return
    for sign in (lambda x: x, T.neg):
        there = [0 if x == 0 else sign(T.mul(_FACTOR, x)) for x in rule.pattern[2:]]
        pattern = T.switch(rule.pattern[1], *there)
        whole = sign(T.mul(_FACTOR, rule.replacement))
        conditions = (*rule.conditions, is_constant(_FACTOR))
        yield replace(rule, pattern=pattern, replacement=whole, conditions=conditions)
        kept = (0 if x == 0 else whole for x in rule.pattern[2:])
        yield replace(rule, pattern=pattern, replacement=T.switch(rule.pattern[1], *kept))
