"""Other spellings of an equation that no axiom of sums and products gives.

What holds of reductions that drop their dimensions holds of those that keep them, where nothing
else has any; and what holds of a sum whose term is linear in a parameter holds of a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from math import prod
from typing import Any

from unification import isvar

from kanrewrite.ac import match, term
from kanrewrite.guards import (
    Condition,
    Guard,
    broadcastable_of,
    is_float,
    ndim,
    normal_axes,
)
from kanrewrite.relation import REAL, Relation, Rule, eq, substitute
from kanrewrite.relation.notation import written_out
from kanrewrite.rewriter.around import in_choices, moved, remaining, scaled, with_units
from kanrewrite.rewriter.axioms import operands_of
from kanrewrite.rewriter.constants import with_constants, with_roots
from kanrewrite.rewriter.growing import is_growing
from kanrewrite.rewriter.heads import required
from kanrewrite.rewriter.linear import (
    KINDS,
    about_type,
    by_place,
    differences,
    flat,
    multiples,
    negated,
    of_products,
    subtracted,
    with_factors,
)
from kanrewrite.rewriter.wording import in_other_words
from kanrewrite.terms import ELEMENTWISE, Param, T, Term, parameters_of, with_part
from kanrewrite.unify import as_term

REDUCTIONS = frozenset(
    {T.sum, T.prod, T.max, T.min, T.all, T.any, T.mean, T.var, T.std, T.logsumexp}
)
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
#: How the dimensions of a matrix are put in a transposed one.
_TURN = (1, 0)
#: Powers that are read as products, roots and reciprocals.
_POWERS = (2.0, 3.0, 0.5, -1.0, -0.5)


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
    for kept in chain(_reductions(rule), _keeping(rule) if own else ()):
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


def _turned(rule: Rule) -> Iterator[Rule]:
    """A rule about a parameter whose dimensions are moved, for what is as if they were.

    Aesara moves transpositions to where they cancel, and dimensions of length 1 into what is
    computed: instead of the moved parameter there is another, and that moved back instead of it.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> @relation
    ... def outer(x, a):
    ...     yield eq(T.dot(T.dimshuffle(x, (0, "x")), a), T.dot(T.exp(x), a))
    >>> for rule in outer.rules():
    ...     print(*_turned(rule))
    dot(x, a) -> dot(exp(dimshuffle(x, order=(0,))), a) when is_moved(x, (0, 'x'))
    """
    turns = Counter(_moves(rule.pattern))
    often = Counter(parameters_of(rule.pattern))
    for (parameter, order), times in turns.items():
        longer = "x" in order
        if (longer and often[parameter] != times) or not about_type(rule, parameter):
            continue
        if rule.relation.bundled and (longer or often[parameter] != times):
            continue
        there = T.dimshuffle(
            parameter, tuple(map(order.index, range(len(order) - order.count("x"))))
        )
        pattern, result = (
            with_part(substitute(side, {parameter: there}), T.dimshuffle(there, order), parameter)
            for side in (rule.pattern, rule.replacement)
        )
        kept = (c for c in rule.conditions if parameter not in c.variables or c.guard in KINDS)
        asked = (*kept, _is_moved(parameter, order)) if longer else rule.conditions
        yield replace(rule, pattern=pattern, replacement=result, conditions=asked)


def _as_if_moved(value: Any, order: tuple[int | str, ...]) -> bool:
    """Whether a value has length 1 where an order has a new dimension."""
    known = broadcastable_of(value)
    return (
        known is not None
        and len(known) == len(order)
        and all(one for one, d in zip(known, order, strict=True) if d == "x")
    )


_is_moved = Guard("is_moved", _as_if_moved)


def _transposed(rule: Rule) -> Iterator[Rule]:
    """A rule about products of matrices, for the transposed products.

    Where its own result is one of those, only for products of what is transposed in the graph.
    """
    matrices = dict.fromkeys(_spine(rule.pattern))
    if not _has_product(rule.pattern):
        return
    if not all(about_type(rule, x) for x in matrices):
        return
    turned = {x: T.dimshuffle(x, _TURN) for x in matrices}
    pattern = _turn(rule.pattern, turned)
    if by_place(pattern) == by_place(rule.pattern):
        return
    result = T.dimshuffle(substitute(rule.replacement, turned), _TURN)
    conditions = tuple(dict.fromkeys((*rule.conditions, *map(ndim[2], matrices))))
    other = replace(rule, pattern=pattern, replacement=result, conditions=conditions)
    if is_growing(other) or is_growing(replace(rule, pattern=pattern), whole=True):
        pattern, result = substitute(pattern, turned), T.dimshuffle(rule.replacement, _TURN)
        other = replace(other, pattern=pattern, replacement=result)
    yield other


def _has_product(term: Any) -> bool:
    """Whether a product of matrices is an operand of products and sums, and of nothing else."""
    if not isinstance(term, Term) or (term[0] is not T.dot and term[0] not in ELEMENTWISE):
        return False
    return term[0] is T.dot or any(map(_has_product, term[1:]))


def _spine(term: Any) -> Iterator[Any]:
    """The parameters that are operands of products and sums, and of nothing else in them."""
    if isvar(term):
        yield term
    elif isinstance(term, Term) and (term[0] is T.dot or term[0] in ELEMENTWISE):
        for part in term[1:]:
            yield from _spine(part)


def _turn(term: Any, turned: Mapping[Any, Any]) -> Any:
    """A product or sum of matrices transposed, over what stands for them transposed."""
    if not isinstance(term, Term):
        return term
    head, *parts = term
    if head is T.dot:
        parts.reverse()
    elif head not in ELEMENTWISE:
        return T.dimshuffle(substitute(term, turned), _TURN)
    return Term((head, *(_turn(part, turned) for part in parts)))


def _moves(term: Any) -> Iterator[tuple[Any, tuple[int | str, ...]]]:
    """The parameters of which all dimensions are put in another order, and the order."""
    if isinstance(term, Term):
        order = term[2] if term[0] is T.dimshuffle and isvar(term[1]) else ()
        kept = set(order) - {"x"} if isinstance(order, tuple) else set()
        if kept == set(range(len(kept))) and kept:
            yield term[1], order
        for part in term[1:]:
            yield from _moves(part)


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


def _keeping(rule: Rule) -> Iterator[Rule]:
    """A rule about a reduction that is put back where it was, for one that keeps its dimensions."""
    pattern = _kept(rule.pattern)
    if pattern != rule.pattern:
        yield replace(rule, pattern=pattern)


def _kept(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    inner = term[1]
    if term[0] is T.dimshuffle and isinstance(inner, Term) and inner[0] in REDUCTIONS:
        order, axis = term[2], inner[2]
        if isinstance(order, tuple) and not isvar(axis) and not inner[3]:
            new = tuple(place for place, d in enumerate(order) if d == "x")
            rest = [d for d in order if d != "x"]
            if rest == list(range(len(rest))) and new == normal_axes(axis, len(order)):
                return Term((*map(_kept, inner[:3]), True))
    return Term(map(_kept, term))


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


def _reductions(rule: Rule) -> Iterator[Rule]:
    """A rule, and the one that says the same of reductions which keep dimensions, or drop them."""
    yield rule
    sides = (rule.pattern, rule.replacement)
    axes = {axis for side in sides for axis in _outer_axes(side)}
    kept = {keeps for side in sides for keeps in _outer_axes(side, 3)}
    if len(axes) == 1 and len(kept) == 1 and None not in axes:
        pattern, replacement = (_flipped(side) for side in sides)
        yield replace(rule, pattern=pattern, replacement=replacement)


def _outer_axes(term: Any, place: int = 2) -> Iterator[Any]:
    """The axes of the outermost reductions; None where a parameter stands beside them."""
    if isinstance(term, Term) and term[0] in REDUCTIONS:
        yield term[place] if place != 2 or isvar(term[2]) else ("axis", term[2])
    elif isinstance(term, Term) and term[0] is not T.size:  # a length is a number
        settings = len(term) - len(term[0].parameters)
        for part in term[1:settings]:
            yield from _outer_axes(part, place)
        if term[0].parameters:
            yield None  # a move, a softmax ...: it is about dimensions
    elif isvar(term):
        yield None


def _flipped(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    if term[0] in REDUCTIONS:
        return Term((*term[:3], not term[3]))
    return Term(map(_flipped, term))


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
_WORDS = (_as_stated, _turned, _transposed, _with_numbers, _as_stock, _raised, _mirrored)
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
