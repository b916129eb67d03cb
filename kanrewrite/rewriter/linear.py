"""What a rule says of negatives and multiples: signs and numbers pass what is linear.

``sin(x) * cos(y) + cos(x) * sin(y)`` with the negative of y is a difference, since a sine is odd
and a cosine even; that an operator is additive may be what a rule says itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from unification import isvar

from kanrewrite.ac import term
from kanrewrite.guards import (
    constant_along,
    is_bool,
    is_constant,
    is_float,
    is_int,
    ndim,
    same_shape,
)
from kanrewrite.relation import REAL, Rule, substitute
from kanrewrite.rewriter.heads import required
from kanrewrite.terms import Param, T, Term, parameters_of, parts_of, with_part

#: Guards about what a number, and the negative of a parameter, is as well.
KINDS = (is_float, is_int, is_bool)
#: What else a multiple has.
_OF_MULTIPLES = frozenset(guard.name for guard in (ndim, same_shape, constant_along))
#: What terms are multiplied with.
_NUMBERS = (Param("linear:q"), Param("linear:r"))
#: In which of its operands an operator is linear; in each of them, where that is None.
_LINEAR = {
    **dict.fromkeys((T.mul, T.dot, T.batched_dot), None),
    **dict.fromkeys((T.sum, T.mean, T.cumsum, T.true_div, T.neg), 1),
    **dict.fromkeys((T.dimshuffle, T.subtensor, T.reshape), 1),
}
_ODD = frozenset(
    {T.sin, T.tan, T.sinh, T.tanh, T.arcsin, T.arctan, T.arcsinh, T.arctanh, T.erf, T.erfinv, T.sgn}
)
_EVEN = frozenset({T.cos, T.cosh, T.abs, T.sqr})
_TURN = (1, 0)
#: A term, and whether it has changed its sign.
_Signed = tuple[int, Any]


def about_kinds(rule: Rule, parameter: Any) -> bool:
    """Whether conditions ask of a parameter what its negative, and a number, has as well."""
    asked = (c for c in rule.conditions if parameter in c.variables)
    return all(c.guard in KINDS for c in asked)


def about_type(rule: Rule, parameter: Any) -> bool:
    """Whether conditions ask of a parameter what its multiples, and it transposed, have as well."""
    asked = (c.guard for c in rule.conditions if parameter in c.variables)
    return all(guard in KINDS or guard.name == ndim.name for guard in asked)


def about_multiples(rule: Rule, parameter: Any) -> bool:
    """Whether conditions ask of a parameter what its multiples have as well, if not it moved."""
    asked = (c.guard for c in rule.conditions if parameter in c.variables)
    return all(guard in KINDS or guard.name in _OF_MULTIPLES for guard in asked)


def flat(pattern: Any) -> Any:
    """A pattern whose sums of three terms and more are one sum each, as Aesara has them.

    Examples
    --------
    >>> x, y = Param("flat:x"), Param("flat:y")
    >>> flat(x - y + 1), flat(x - y)
    (x + -y + 1, x - y)
    """
    if not isinstance(pattern, Term):
        return pattern
    terms = list(_summands(pattern))
    if len(terms) < 3:
        return Term(map(flat, pattern))
    return T.add(*(T.neg(flat(x)) if minus else flat(x) for x, minus in terms))


def _summands(pattern: Any, minus: bool = False) -> Iterator[tuple[Any, bool]]:
    """The terms of a sum, each with whether it is subtracted."""
    head, *parts = pattern if isinstance(pattern, Term) else (None,)
    if head in (T.add, T.sub):
        for place, part in enumerate(parts):
            yield from _summands(part, minus ^ (head is T.sub and place == 1))
    elif head is T.neg:
        yield from _summands(parts[0], not minus)
    else:
        yield pattern, minus


def differences(rule: Rule) -> Iterator[Rule]:
    r"""A rule about sums with some of their terms negated: what it says of a parameter's negative.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def sine_of_sum(x, y):
    ...     yield eq(T.sin(x) * T.cos(y) + T.cos(x) * T.sin(y), T.sin(x + y))
    >>> for rule in sine_of_sum.rules():
    ...     print(*differences(rule), sep="\n")
    -(sin(x) * cos(y)) + cos(x) * sin(y) -> sin(-x + y)
    sin(x) * cos(y) + -(cos(x) * sin(y)) -> sin(x + -y)
    """
    seen = {rule.pattern}
    additive = _additive(rule)
    often = Counter(parameters_of(rule.pattern))
    for parameter in often if _adds(rule.pattern) else ():
        if rule.relation.bundled and (often[parameter] > 1 or rule.pattern[0] is not T.add):
            continue  # the library states what it means of the sums inside of its patterns
        turned = _turned(rule.pattern, parameter, additive)
        if turned is None or turned[1] in seen or not about_multiples(rule, parameter):
            continue
        seen.add(turned[1])
        result = substitute(rule.replacement, {parameter: T.neg(parameter)})
        made = T.neg(result) if turned[0] < 0 else result
        yield replace(rule, pattern=turned[1], replacement=made)


def _adds(pattern: Any) -> bool:
    return any(isinstance(part, Term) and part[0] in (T.add, T.sub) for part in parts_of(pattern))


def _turned(pattern: Any, parameter: Any, additive: Collection[Any]) -> _Signed | None:
    """A pattern over the negative of a parameter, signs being where sums are; None if they stay."""
    if pattern is parameter:
        return -1, pattern
    if not isinstance(pattern, Term) or parameter not in set(parameters_of(pattern)):
        return 1, pattern
    if pattern in additive:
        return -1, pattern
    head, *parts = pattern
    tensors = len(parts) - len(head.parameters)
    inner = [_turned(part, parameter, additive) for part in parts[:tensors]]
    if None in inner:
        return None
    signs, terms = zip(*inner, strict=True)
    settings = parts[tensors:]
    if head in (T.add, T.sub):
        if len(set(signs)) == 1:
            return signs[0], Term((head, *terms))
        return 1, _difference(head, signs, terms)
    sign = _sign(head, signs, terms)
    return None if sign is None else (sign, Term((head, *terms, *settings)))


def _sign(head: Any, signs: Sequence[int], terms: Sequence[Any]) -> int | None:
    """The sign of an operator over terms with signs, None where it keeps them to itself."""
    if -1 not in signs or head in _EVEN:
        return 1
    if head is T.pow:
        whole = isinstance(terms[1], int) and signs[1] == 1
        return (-1) ** abs(terms[1]) if whole else None
    if head in _ODD or (_LINEAR.get(head) == 1 and head is not T.true_div):
        return signs[0]
    return (-1) ** signs.count(-1) if head in _LINEAR else None


def _difference(head: Any, signs: Sequence[int], terms: Sequence[Any]) -> Term:
    """A sum or a difference of terms, those with a sign negated."""
    first, *others = (T.neg(x) if s < 0 else x for s, x in zip(signs, terms, strict=True))
    if head is T.sub:
        others = [x[1] if isinstance(x, Term) and x[0] is T.neg else T.neg(x) for x in others]
    return T.add(first, *others)


def _additive(rule: Rule) -> tuple[Any, ...]:
    """The two terms of a rule that says of them that they are additive: f(a) + f(b) is f(a + b)."""
    if rule.pattern[0] is not T.add or len(rule.pattern) != 3 or rule.relation.bundled:
        return ()
    return rule.pattern[1:] if _added(rule) else ()


def _added(rule: Rule) -> tuple[Any, Any] | None:
    """The parameters that a rule about a sum of two terms adds up instead of those."""
    one, other = rule.pattern[1:]
    minus = isinstance(other, Term) and other[0] is T.neg
    other = other[1] if minus else other
    mine, theirs = (dict.fromkeys(parameters_of(x)) for x in (one, other))
    for a, b in product(mine, theirs):
        if a not in theirs and b not in mine and substitute(one, {a: b}) == other:
            both = substitute(one, {a: T.add(a, T.neg(b) if minus else b)})
            if term(both, REAL) is term(rule.replacement, REAL):
                return a, b
    return None


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
    inner: Sequence[Any] = [next((p for p in _linear(x) if often[p] == 1), None) for x in parts]
    if None in inner and head is T.add:
        inner = _added(rule) or inner
    for chosen in ((0,), (1,), (0, 1)):
        values = {inner[n]: T.mul(_NUMBERS[n - chosen[0]], inner[n]) for n in chosen}
        if None in values or not all(about_multiples(rule, p) for p in values):
            continue
        terms = [
            T.mul(_NUMBERS[n - chosen[0]], part) if n in chosen else part
            for n, part in enumerate(parts)
        ]
        result = substitute(rule.replacement, values)
        conditions = (*rule.conditions, *map(is_constant, _NUMBERS[: len(chosen)]))
        for pattern, made in ((Term((head, *terms)), result), less(head, terms, result)):
            yield replace(rule, pattern=pattern, replacement=made, conditions=conditions)


def less(head: Any, terms: Sequence[Any], whole: Any) -> tuple[Any, Any]:
    """The negative of a sum, or a difference, and of what is made of it."""
    first, *others = terms
    subtracted = others if head is T.sub else map(T.neg, others)
    return T.add(T.neg(first), *subtracted), T.neg(whole)


def with_factors(rule: Rule) -> Iterator[Rule]:
    """A rule about a product of matrices, for one of which a part is multiplied with a number.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def inverses(a, b):
    ...     yield eq(T.dot(T.exp(b), a), T.exp(a))
    >>> for rule in inverses.rules():
    ...     print(*with_factors(rule))
    dot(q * exp(b), a) -> q * exp(a) when q: Constant
    """
    if rule.pattern[0] not in (T.dot, T.batched_dot):
        return
    often = Counter(parameters_of(rule.pattern))
    number = _NUMBERS[0]
    for place, part in enumerate(rule.pattern[1:], 1):
        if isinstance(part, Term) or often[part] > 1:
            parts = list(rule.pattern)
            parts[place] = T.mul(number, part)
            yield replace(
                rule,
                pattern=Term(parts),
                replacement=T.mul(number, rule.replacement),
                conditions=(*rule.conditions, is_constant(number)),
            )


def of_products(rule: Rule) -> Iterator[Rule]:
    """A rule about the size or the transposed of a parameter, for a product.

    Its size is that of its factors, and transposed it is a product of them transposed.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def softsign(x):
    ...     yield eq(x / (1 + T.abs(x)), T.tanh(x))
    >>> for rule in softsign.rules():
    ...     print(*of_products(rule))
    x * r / (1 + abs(x) * abs(r)) -> tanh(x * r)
    """
    often = Counter(parameters_of(rule.pattern))
    one, other = Param("linear:x"), _NUMBERS[1]
    for part in dict.fromkeys(p for p in parts_of(rule.pattern) if isinstance(p, Term)):
        if part[:1] == (T.abs,):
            made = T.mul(one, other)
            passed = T.mul(T.abs(one), T.abs(other))
        elif part[0] is T.dimshuffle and part[2] == _TURN:
            made = T.dot(one, other)
            passed = T.dot(T.dimshuffle(other, _TURN), T.dimshuffle(one, _TURN))
        else:
            continue
        if isvar(part[1]) and often[part[1]] > 1 and about_type(rule, part[1]):
            values = {part[1]: substitute(made, {one: part[1]})}
            whole = substitute(rule.pattern, values)
            there = substitute(part, values)
            asked = (c.renamed({part[1]: other}) for c in rule.conditions if part[1] in c.variables)
            yield replace(
                rule,
                pattern=with_part(whole, there, substitute(passed, {one: part[1]})),
                replacement=substitute(rule.replacement, values),
                conditions=(*rule.conditions, *asked),
            )


def negated(rule: Rule) -> Iterator[Rule]:
    """A rule about a negative, where the sign has left a sum of it."""
    if rule.pattern[0] is not T.neg or isvar(rule.pattern[1]):
        return
    if set(parameters_of(rule.pattern)) <= set(parameters_of(rule.replacement)):
        axis, kept = Param("linear:axis"), Param("linear:keepdims")
        pattern = T.neg(T.sum(rule.pattern[1], axis, kept))
        yield replace(rule, pattern=pattern, replacement=T.sum(rule.replacement, axis, kept))


def by_place(pattern: Any) -> Any:
    """A pattern over variables that are known by where they occur first."""
    names = {x: n for n, x in enumerate(dict.fromkeys(parameters_of(pattern)))}
    return substitute(pattern, {x: f"the variable {n}" for x, n in names.items()})


def subtracted(rule: Rule) -> Iterator[Rule]:
    """A rule about a difference, the other way round, and about a number that is subtracted."""
    head, *parts = rule.pattern
    if head is T.sub and not any(map(isvar, parts)):
        turned = T.sub(*parts[::-1])
        if by_place(turned) != by_place(rule.pattern):
            yield replace(rule, pattern=turned, replacement=T.neg(rule.replacement))
    often = Counter(parameters_of(rule.pattern))
    for part in dict.fromkeys(parts_of(rule.pattern)):
        taken = isinstance(part, Term) and part[0] is T.sub and isvar(part[2]) and not isvar(part)
        if taken and often[part[2]] == 1 and about_kinds(rule, part[2]):
            number = part[2]
            yield replace(
                rule,
                pattern=with_part(rule.pattern, part, T.add(part[1], number)),
                replacement=substitute(rule.replacement, {number: T.neg(number)}),
                conditions=(*rule.conditions, is_constant(number)),
            )


def _linear(pattern: Any) -> Iterator[Any]:
    """The parameters that a term is linear in."""
    if isvar(pattern):
        yield pattern
    elif isinstance(pattern, Term) and pattern[0] in _LINEAR:
        for part in pattern[1:][: _LINEAR[pattern[0]]]:
            yield from _linear(part)
