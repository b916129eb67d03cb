"""Other spellings of an equation that no axiom of sums and products gives.

A number, a sign, an inverse or a unit may stand elsewhere than it is stated, and Aesara has its own
words for some of what is stated; each kind of spelling has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from math import prod
from typing import Any

from unification import isvar

from kanrewrite.ac import match, term
from kanrewrite.guards import Condition, Guard, is_float
from kanrewrite.relation import REAL, Relation, Rule, eq, substitute
from kanrewrite.relation.notation import written_out
from kanrewrite.rewriter.around import in_choices, moved, remaining, scaled, with_units
from kanrewrite.rewriter.axioms import operands_of
from kanrewrite.rewriter.constants import with_constants, with_roots
from kanrewrite.rewriter.dimensions import keeping, padded, reductions, transposed, turned
from kanrewrite.rewriter.heads import required
from kanrewrite.rewriter.linear import (
    differences,
    flat,
    multiples,
    negated,
    of_products,
    subtracted,
    with_factors,
)
from kanrewrite.rewriter.wording import in_other_words
from kanrewrite.terms import Param, T, Term
from kanrewrite.unify import as_term
from kanrewrite.view.forms import Sum

_X = Param("spellings:x")
#: What Aesara's canonicalization makes of sums, whose digits it keeps.
_STOCK = tuple(
    eq(as_term(written), meant)
    for written, meant in (
        (T.exp(_X) - 1, T.expm1(_X)),
        (1 - T.erf(_X), T.erfc(_X)),
        (1 + T.erf(_X), T.erfc(-_X)),
        (T.erf(_X) - 1, -T.erfc(_X)),
    )
)
#: A sum that has another sign where its terms are in another order.
_difference = Guard(
    "difference", lambda value: isinstance(value, Sum) and any(c < 0 for _, c in value.terms)
)
#: Powers that are read as products, roots and reciprocals.
_POWERS = (2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0, -0.5)


def rules_of(relation: Relation) -> Iterator[Rule]:
    """The rules of a relation, and those that say the same in other words."""
    seen = set()
    for rule in relation.rules():
        for other in spellings(rule):
            said = (other.pattern, other.replacement, other.conditions)
            if said not in seen:
                seen.add(said)
                yield other


def spellings(rule: Rule) -> Iterator[Rule]:
    """A rule and its other spellings.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def totals(x, axis):
    ...     yield eq(T.exp(T.sum(x, axis)), T.prod(T.exp(x), axis))
    >>> for rule in list(rules_of(totals))[::3]:
    ...     print(rule)
    exp(sum(x, axis=axis)) -> prod(exp(x), axis=axis)
    exp(sum(x, axis=axis, keepdims=True)) -> prod(exp(x), axis=axis, keepdims=True)
    """
    own = not rule.relation.bundled
    rule = replace(rule, pattern=flat(rule.pattern)) if own else rule
    for kept in chain(reductions(rule), *((keeping(rule), padded(rule)) if own else ())):
        put = (kept, *differences(kept), *_inverted(kept), *_unscaled(kept))
        for each in chain(put, in_other_words(kept) if own else ()):
            for say in _MORE_WORDS if own else _WORDS:
                for other in say(each):
                    if other is rule or not _says_nothing(other):
                        yield from written_out(other)


def _says_nothing(rule: Rule) -> bool:
    """Whether a rule, in Aesara's words, has the same on both sides."""
    pattern, replacement = (term(as_term(side), REAL) for side in (rule.pattern, rule.replacement))
    return pattern is replacement


def _inverted(rule: Rule) -> Iterator[Rule]:
    """A rule about an inverse, inside of a product or a sum."""
    pattern, rest = rule.pattern, Param("spellings:rest")
    joins = []
    if pattern[0] is T.reciprocal or (pattern[0] is T.true_div and pattern[1] == 1):
        joins = [T.mul]
    elif pattern[0] is T.neg:
        joins = [T.add] if rule.relation.bundled else [T.add, T.mul]
    for join in joins:
        yield replace(rule, pattern=join(rest, pattern), replacement=join(rest, rule.replacement))


def _unscaled(rule: Rule) -> Iterator[Rule]:
    """A rule about a multiple of something, for what it is a multiple of.

    Aesara multiplies numbers with each other: three halves of something are no longer thrice its
    half.  What is left must say what is meant, or ``2 * x`` would be in all there is.
    """
    number, left = _apart(rule.pattern)
    if number == 1 or rule.relation.where == "digits" or not required(left):
        return
    floats = (Condition(is_float, (p,)) for p, _ in operands_of(left))
    conditions = tuple(dict.fromkeys((*rule.conditions, *floats)))
    times, built = _apart(rule.replacement)
    scaled = built if times == number else T.mul(times / number, built)
    yield replace(rule, pattern=left, replacement=scaled, conditions=conditions)


def _apart(term: Any) -> tuple[float, Any]:
    """The number that a term is multiplied with, and what is left of it."""
    if not isinstance(term, Term) or term[0] not in (T.mul, T.true_div):
        return 1, term
    head, *parts = term
    if head is T.true_div:
        (n, above), below = _apart(parts[0]), parts[1]
        if isinstance(below, int | float) and below:
            return n / below, above
        return (n, T.true_div(above, below)) if n != 1 else (1, term)
    found = [(p, None) if isinstance(p, int | float) else _apart(p) for p in parts]
    number = prod(n for n, _ in found)
    left = [x for _, x in found if x is not None]
    if number in (0, 1) or not left:
        return 1, term
    return number, left[0] if len(left) == 1 else T.mul(*left)


def _with_numbers(rule: Rule) -> Iterator[Rule]:
    """A rule whose numbers are added and multiplied with, not subtracted and divided by."""
    pattern = _numbered(rule.pattern)
    if pattern != rule.pattern:
        yield replace(rule, pattern=pattern)


def _raised(rule: Rule) -> Iterator[Rule]:
    """A rule about a power, for those powers that are written in other ways."""
    for power in dict.fromkeys(_powers(rule.pattern)):
        for number in _POWERS:
            chosen = {power: number}
            yield replace(
                rule,
                pattern=substitute(rule.pattern, chosen),
                replacement=substitute(rule.replacement, chosen),
                conditions=tuple(c.renamed(chosen) for c in rule.conditions),
            )


def _powers(term: Any) -> Iterator[Any]:
    """The parameters that something is raised to."""
    if isinstance(term, Term):
        if term[0] is T.pow and isvar(term[2]):
            yield term[2]
        for part in term[1:]:
            yield from _powers(part)


def _as_stock(rule: Rule) -> Iterator[Rule]:
    """A rule in the words that Aesara has put for some of its operands before a rule is tried."""
    head, *parts = rule.pattern
    pattern = Term((head, *map(_stock, parts)))
    if pattern != rule.pattern:
        yield replace(rule, pattern=pattern)


def _stock(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    for equation in _STOCK:
        for found in islice(match(equation.lhs, as_term(term), REAL), 1):
            return _stock(substitute(equation.rhs, found))
    return Term((term[0], *map(_stock, term[1:])))


def _numbered(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    head, *parts = term
    parts = [_numbered(part) for part in parts]
    if head in (T.sub, T.true_div) and isinstance(parts[1], int | float) and parts[1]:
        if head is T.sub:
            return T.add(parts[0], -parts[1])
        return T.mul(parts[0], 1 / parts[1])
    return Term((head, *parts))


def _mirrored(rule: Rule) -> Iterator[Rule]:
    """A rule about digits of a sum with an exponential, for the negative of its exponent.

    Such a sum is read without an exponential of a negative: ``exp(-x) + x`` as one of ``exp(x)``.
    """
    if rule.relation.where == "digits":
        for part in dict.fromkeys(_summed(rule.pattern)):
            if part[0] is T.exp and isvar(part[1]):
                turned = {part[1]: T.neg(part[1])}
                yield replace(
                    rule,
                    pattern=substitute(rule.pattern, turned),
                    replacement=substitute(rule.replacement, turned),
                )


def _facing(rule: Rule) -> Iterator[Rule]:
    """A rule about digits of a difference of fractions, for the negative of a denominator.

    A sum is read with the sign of its first term: ``1/x - 1/(x - 1)`` as ``1/x + 1/(1 - x)``.
    """
    if rule.relation.where == "digits":
        found = [p for p in _summed(rule.pattern) if p[0] is T.true_div and isvar(p[2])]
        if len(found) == 2 and found[0][1] == found[1][1]:
            below = found[1][2]
            turned = {below: T.neg(below)}
            yield replace(
                rule,
                pattern=substitute(rule.pattern, turned),
                replacement=substitute(rule.replacement, turned),
                conditions=(*rule.conditions, _difference(below)),
            )


def _summed(term: Any) -> Iterator[Term]:
    """The operators whose values are added up."""
    if isinstance(term, Term) and term[0] in (T.add, T.sub, T.neg):
        for part in term[1:]:
            yield from _summed(part)
    elif isinstance(term, Term):
        yield term


def _as_stated(rule: Rule) -> Iterator[Rule]:
    yield rule


#: How else a rule may be put, each for itself.
_WORDS = (_as_stated, turned, transposed, _with_numbers, _as_stock, _raised, _mirrored, _facing)
#: And one of users: what the library says it says of what graphs have.
_MORE_WORDS = (
    *_WORDS,
    with_constants,
    with_roots,
    multiples,
    with_units,
    scaled,
    negated,
    remaining,
    subtracted,
    with_factors,
    of_products,
    moved,
    in_choices,
)
