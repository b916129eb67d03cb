"""Coherence: rules for what a relation matches when lifting has taken its parts apart.

A view lifts constant factors out of sums.  A relation that matches a product inside of the sum then
finds some of its factors outside: for each overlap of the two, a rule says what to do there.

References
----------
P. Viry, "Equational rules for rewriting logic", Theoretical Computer Science 285, 2002.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from kanrewrite import ac
from kanrewrite.ac import Overlap, overlaps
from kanrewrite.completion.terms import (
    PLAIN,
    apart,
    canonical,
    product,
    renamed,
    replaced,
    under,
    written,
)
from kanrewrite.guards import Condition
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.relation.rules import conditions_of
from kanrewrite.terms import T, parameters_of
from kanrewrite.unify import is_term

#: How many overlaps of one pair are looked at.
OVERLAPS = 256
_REDUCTIONS = (T.sum, T.max, T.min, T.prod)


def lifting_rules(relations: Iterable[Relation]) -> list[Rule]:
    """The equations among some relations by which any factor leaves an operator, left to right."""
    found = []
    for relation in relations:
        for equation in relation.equations:
            left, right = equation.lhs, equation.rhs
            if not (is_term(left) and is_term(right) and right[0] is T.mul):
                continue
            inner = left[1]
            if left[0] is T.mul or not is_term(inner) or inner[0] is not T.mul:
                continue
            if not any(map(is_term, inner[1:])):
                found.append(Rule(relation, left, right, conditions_of(equation)))
    return found


def derived(relation: Relation, lifting: Iterable[Relation]) -> list[Rule]:
    """The rules that a relation needs where lifting has been there before it.

    Parameters
    ----------
    relation : Relation
        Its rules are overlapped.
    lifting : iterable of Relation
        Those among them that say how a factor leaves an operator are overlapped with it.

    Returns
    -------
    list of Rule
        With the pair that each comes from as `origin`; the most general ones only.  None for a
        relation about digits: it is not looked for in what was lifted.
    """
    if relation.where == "digits":
        return []
    found: list[Rule] = []
    rules = relation.rules()
    for lift in lifting_rules(lifting):
        for rule in rules:
            for candidate in _of_pair(lift, rule, _place(lift), _place(rule)):
                if not any(_covers(known, candidate) for known in found):
                    found = [k for k in found if not _covers(candidate, k)] + [candidate]
    return found


# Whoever registers a relation of their own meets the library's pairs again.
@lru_cache(maxsize=1 << 12)
def _of_pair(
    lift: Rule,
    rule: Rule,
    *places: str,  # noqa: ARG001  # rules that state the same are equal, but their origins differ
) -> tuple[Rule, ...]:
    return tuple(_overlapped(apart(lift, "lift"), apart(rule, "rule")))


def _overlapped(lift: Rule, rule: Rule) -> Iterator[Rule]:
    for overlap in islice(overlaps(lift.pattern, rule.pattern, PLAIN), OVERLAPS):
        if overlap.position:
            unifier = _same_axes(lift, overlap)
            if unifier is not None and _splits(lift, rule, overlap, unifier):
                yield _rule(lift, rule, overlap, unifier)


def _same_axes(lift: Rule, overlap: Overlap) -> dict[Any, Any] | None:
    """The unifier, with the lifted operator over the axes that make the lifted factor constant."""
    unifier = dict(overlap.unifier)
    own = [x for x in lift.pattern[2:] if x in parameters_of(lift.pattern)]
    factor = under(_lifted(lift), unifier)
    axes = {t[2] for t in _subterms(factor) if t[0] in _REDUCTIONS}
    if not own or len(axes) != 1:
        return None
    unifier[own[0]] = axes.pop()
    return unifier


def _lifted(lift: Rule) -> Any:
    """The factors that a lifting equation moves out."""
    return product(x for x in lift.replacement[1:] if not (is_term(x) and x[0] is lift.pattern[0]))


def _splits(lift: Rule, rule: Rule, overlap: Overlap, unifier: Mapping[Any, Any]) -> bool:
    """Whether one part of the relation's pattern is lifted, as a constant, and another is not."""
    other = {new: old for old, new in overlap.renamed.items()}
    parts = {canonical(x) for x in (rule.pattern[1:] if rule.pattern[0] is T.mul else ())}
    outside = _factors(substitute(under(_lifted(lift), unifier), other))
    whole = _factors(substitute(under(lift.pattern[1], unifier), other))
    inside = [factor for factor in whole if factor not in outside]
    axis = unifier[lift.pattern[2]]
    axis = other.get(axis, axis)
    # A lifted graph holds no factor in a sum that could be outside, and nothing that cancels.
    if not all(_is_constant(x, axis) for x in outside) or any(
        _is_constant(x, axis) for x in inside
    ):
        return False
    if any(
        canonical(T.reciprocal(product([T.sum(product(inside), axis, True)]))) == x for x in outside
    ):
        return False
    return bool(parts & set(outside)) and bool(parts & set(inside))


def _factors(term: Any) -> list[Any]:
    term = canonical(term)
    return list(term[1:]) if is_term(term) and term[0] is T.mul else [term]


def _is_constant(term: Any, axis: Any) -> bool:
    """Whether a term has length 1 along an axis, by how it is made."""
    if not is_term(term):
        return not hasattr(term, "token")
    if term[0] in _REDUCTIONS:
        return bool(term[2] == axis and term[3])
    return all(_is_constant(x, axis) for x in term[1:])


def _subterms(term: Any) -> Iterator[Any]:
    if is_term(term):
        yield term
        for part in term[1:]:
            yield from _subterms(part)


def _rule(lift: Rule, rule: Rule, overlap: Overlap, unifier: dict[Any, Any]) -> Rule:
    inner = substitute(rule.replacement, overlap.renamed)
    if overlap.around_equation is not None:
        inner = product([inner, overlap.around_equation])
    sunk = replaced(lift.pattern, overlap.subterm, inner)
    conditions = [c.renamed(overlap.renamed) for c in rule.conditions] + list(lift.conditions)
    original = {new: old for old, new in overlap.renamed.items()}
    pattern, result, *arguments = renamed(
        [
            substitute(written(under(lift.replacement, unifier)), original),
            substitute(written(under(sunk, unifier)), original),
            *(
                tuple(substitute(under(a, unifier), original) for a in c.arguments)
                for c in conditions
            ),
        ]
    )
    kept = [
        Condition(c.guard, values)
        for c, values in zip(conditions, arguments, strict=True)
        if set(parameters_of(values)) <= set(parameters_of(pattern)) and not is_term(values[0])
    ]
    origin = f"{lift.name} ({_place(lift)}) over {rule.name} ({_place(rule)})"
    return Rule(rule.relation, pattern, result, tuple(dict.fromkeys(kept)), rule.theory, origin)


def _place(rule: Rule) -> str:
    file, _, line = rule.relation.source.rpartition(":")
    return f"{Path(file).name}:{line}"


def _covers(general: Rule, special: Rule) -> bool:
    """Whether a rule does whatever another does."""
    mine, theirs = apart(general, "general"), apart(special, "special")
    frozen = {v: f"frozen {v.token}" for v in parameters_of(theirs.pattern)}
    subject = ac.term(substitute(theirs.pattern, frozen), PLAIN)
    wanted = ac.term(substitute(theirs.replacement, frozen), PLAIN)
    return any(
        ac.term(under(mine.replacement, found), PLAIN) is wanted
        for found in islice(ac.compile(mine.pattern, PLAIN).match(subject), OVERLAPS)
    )
