"""Notation: operators of `T` that Aesara writes with others, stated as what they mean.

No graph holds a mean: there is a sum over a length. So a pattern is matched as it means, too. The
equations here are followed from left to right, whichever relations are enabled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import count
from typing import Any

from kanrewrite.ac import Eq, eq
from kanrewrite.guards import Condition, counts, joint_share, shares
from kanrewrite.relation.roles import operators_in
from kanrewrite.relation.rules import Rule, substitute
from kanrewrite.terms import (
    ELEMENTWISE,
    Operator,
    Param,
    Size,
    T,
    Term,
    is_variable,
    parameters_of,
    show,
)

_fresh = count()
#: A parameter for a number of elements, the axes, and what is reduced along them.
Sized = tuple[Size, Any, tuple[Any, ...]]


def _stated() -> Iterator[Eq]:
    """What the operators mean."""
    x, y, axis, kept = (Param(f"notation:{name}") for name in ("x", "y", "axis", "keepdims"))
    average = T.mean(x, axis, keepdims=True)
    yield eq(T.mean(x, axis, kept), T.sum(x, axis, kept) / T.size(x, axis))
    yield eq(T.var(x, axis, kept), T.mean(T.sqr(x - average), axis, kept))
    yield eq(T.std(x, axis, kept), T.sqrt(T.var(x, axis, kept)))
    yield eq(T.min(x, axis, kept), -T.max(-x, axis, kept))
    yield eq(T.logsumexp(x, axis, kept), T.log(T.sum(T.exp(x), axis, kept)))
    yield eq(T.logaddexp(x, y), T.log(T.exp(x) + T.exp(y)))


#: For each operator what it means.
MEANINGS: dict[Operator, Eq] = {equation.lhs[0]: equation for equation in _stated()}
#: An Op may compute it as well, so that the pattern is matched as it is written, too.
_COMPUTED = (T.min,)


def written_out(rule: Rule) -> Iterator[Rule]:
    """A rule whose pattern is in the words that graphs have.

    Examples
    --------
    >>> from kanrewrite.relation import relation
    >>> @relation
    ... def centred(x, axis):
    ...     yield eq(T.mean(x - T.mean(x, axis, keepdims=True), axis), 0)
    >>> for rule in written_out(Rule(centred, T.mean(Param("x"), 0), 0)):
    ...     print(rule)
    sum(x, axis=0) / size(x, axis=0) -> 0 when counts(size(x, axis=0), 0, x)
    sum(x, axis=0) * size(x, axis=0) -> 0 when shares(size(x, axis=0), 0, x)
    """
    pattern, sizes = in_words(rule.pattern)
    if pattern == rule.pattern:
        yield rule
        return
    if any(op in _COMPUTED for op in operators_in(rule.pattern)):
        yield rule
    # A mean of squares is over as many elements as that of what is squared.
    kinds = {n: (axis, frozenset(operands)) for n, axis, operands in sizes}
    for words in dict.fromkeys((pattern, _cancelled(pattern, kinds))):
        left = set(parameters_of(words))
        yield from _counted(rule, words, [size for size in sizes if size[0] in left])


def _counted(rule: Rule, pattern: Any, sizes: list[Sized]) -> Iterator[Rule]:
    """A rule by a pattern in which numbers of elements are parameters."""
    asked = (counts(n, axis, *operands) for n, axis, operands in sizes)
    said = replace(rule, pattern=pattern, conditions=(*rule.conditions, *asked))
    yield from (said, *_unsigned(said, rule.pattern[0] is T.neg))
    # A division by a known length is a multiplication, and those of a product are one.
    others = set(_undivided(pattern, {n for n, _, _ in sizes}))
    divisors = {n for n, _, _ in sizes} - others
    if divisors:
        scaled = _multiplied(pattern, divisors)
        for joined, joint in dict.fromkeys(((scaled, ()), _joined(scaled, sizes, divisors))):
            left = set(parameters_of(joined))
            asked = (
                (counts if n in others else shares)(n, axis, *operands)
                for n, axis, operands in sizes
                if n in left
            )
            yield replace(rule, pattern=joined, conditions=(*rule.conditions, *asked, *joint))


def _unsigned(rule: Rule, signed: bool) -> Iterator[Rule]:
    """A rule about minus something by its words alone, or by them twice, as one about that.

    The least is minus the largest of negatives, and graphs have minus the least as the largest.
    """
    head, *parts = rule.pattern
    if head is T.neg and not signed:
        yield replace(rule, pattern=parts[0], replacement=-rule.replacement)
    elif head is T.neg and isinstance(parts[0], Term) and parts[0][0] is T.neg:
        yield replace(rule, pattern=parts[0][1])


def in_words(pattern: Any) -> tuple[Any, list[Sized]]:
    """A pattern without operators that are notation, and what its new parameters must be."""
    sizes: dict[Any, Size] = {}
    found = _in_words(pattern, sizes)
    numbers = set(sizes.values())
    reduced = {
        n: tuple(x for x in _operands(size[1]) if x not in numbers) for size, n in sizes.items()
    }
    return found, [(n, size[2], reduced[n]) for size, n in sizes.items()]


def _in_words(term: Any, sizes: dict[Any, Size]) -> Any:
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if head in MEANINGS:
        meaning = MEANINGS[head]
        values = dict(zip(meaning.lhs[1:], parts, strict=True))
        return _in_words(substitute(meaning.rhs, values), sizes)
    term = Term((head, *(_in_words(part, sizes) for part in parts)))
    if head is not T.size:
        return term
    if term not in sizes:
        sizes[term] = Size(f"{next(_fresh)}:{show(term)}")
    return sizes[term]


def _cancelled(term: Any, kinds: Mapping[Param, Any]) -> Any:
    """A pattern without the numbers that it both multiplies with and divides by.

    A quotient of means is one of sums.
    """
    if not isinstance(term, Term):
        return term
    head, *parts = term
    factors = list(_quotient(term))
    above, below = ([f for f, b in factors if b is side] for side in (False, True))
    twice = [
        (m, n)
        for m in above
        for n in below
        if kinds.get(m) is not None and kinds.get(m) == kinds.get(n)
    ]
    if not twice:
        return Term((head, *(_cancelled(part, kinds) for part in parts)))
    m, n = twice[0]
    above.remove(m)
    below.remove(n)
    left = reduce(T.mul, above or [1])
    return _cancelled(T.true_div(left, reduce(T.mul, below)) if below else left, kinds)


def _quotient(term: Any, below: bool = False) -> Iterator[tuple[Any, bool]]:
    """The factors of a product or a quotient, each with whether it divides."""
    head, *parts = term if isinstance(term, Term) else (None,)
    if head not in (T.mul, T.true_div):
        yield term, below
        return
    for place, part in enumerate(parts):
        yield from _quotient(part, below ^ (head is T.true_div and place == 1))


def _multiplied(term: Any, sizes: set[Param]) -> Any:
    """A pattern that multiplies with parameters instead of dividing by them."""
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if head is T.true_div and parts[1] in sizes:
        head = T.mul
    return Term((head, *(_multiplied(part, sizes) for part in parts)))


def _undivided(term: Any, sizes: set[Param]) -> Iterator[Any]:
    """The parameters with which something else is done than that it is divided by them."""
    if isinstance(term, Term):
        head, *parts = term
        divides = head is T.true_div and parts[1] in sizes
        for part in parts[:1] if divides else parts:
            yield from _undivided(part, sizes)
    elif term in sizes:
        yield term


def _joined(
    term: Any, sizes: list[Sized], divisors: set[Param]
) -> tuple[Any, tuple[Condition, ...]]:
    """A pattern with one number for those of a product, and what that must be."""
    if not isinstance(term, Term):
        return term, ()
    head, *parts = term
    if head is not T.mul:
        each = [_joined(part, sizes, divisors) for part in parts]
        return Term((head, *(part for part, _ in each))), tuple(c for _, cs in each for c in cs)
    factors = list(_factors(term))
    known = {n: (axis, operands) for n, axis, operands in sizes if n in divisors & set(factors)}
    axes = [axis for axis, _ in known.values()]
    if len(known) < 2 or any(axis != axes[0] for axis in axes):
        return term, ()
    number = Param(f"{next(_fresh)}:share")
    rest = [f for f in factors if f not in known]
    operands = [x for _, own in known.values() for x in own]
    return reduce(T.mul, [*rest, number]), (joint_share(number, axes[0], *operands),)


def _factors(term: Any) -> Iterator[Any]:
    if isinstance(term, Term) and term[0] is T.mul:
        yield from (factor for part in term[1:] for factor in _factors(part))
    else:
        yield term


def _operands(body: Any) -> Iterator[Any]:
    """What is broadcast together in what is reduced, but for what has length 1 along the axes."""
    if not isinstance(body, Term):
        if is_variable(body):  # no number
            yield body
        return
    if body[0] not in ELEMENTWISE:
        yield body
        return
    for part in body[1:]:
        if not (isinstance(part, Term) and part[-1] is True):  # a reduction that keeps dimensions
            yield from _operands(part)
