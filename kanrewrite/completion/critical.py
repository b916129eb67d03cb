"""Critical pairs between relations, loops, and relations that others make needless."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from kanrewrite import ac
from kanrewrite.completion.terms import (
    PLAIN,
    apart,
    canonical,
    product,
    renamed,
    replaced,
    text,
    under,
)
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.terms import T, Term, parameters_of
from kanrewrite.unify import is_term

Kind = Literal["critical pair", "undo each other", "loop", "subsumed"]

#: How many overlaps of two rules are looked at, and how many terms are reached from each result.
OVERLAPS, REACHED = 64, 48
#: A term of more operators is not rewritten any further.
LARGEST = 80


@dataclass(frozen=True)
class Finding:
    """Something about one or two relations that their author should know.

    Attributes
    ----------
    kind : {"critical pair", "undo each other", "loop", "subsumed"}
        What it is.
    relations : tuple of Relation
        Which ones.
    term : term
        A smallest term that shows it.
    results : tuple of term
        What becomes of the term.
    """

    kind: Kind
    relations: tuple[Relation, ...]
    term: Any
    results: tuple[Any, ...]

    def __str__(self) -> str:
        names = " and ".join(f"{r.name} ({r.source})" for r in self.relations)
        shown = [text(result) for result in self.results]
        told = {
            "critical pair": f"rewrite {text(self.term)} to {' and to '.join(shown)}, "
            "which do not meet again",
            "undo each other": f"rewrite {text(self.term)} to {shown[0]} and back again",
            "loop": f"rewrites {text(self.term)} to {shown[0]}, in which it matches again",
            "subsumed": f"what the last does is done by another equation already: "
            f"{text(self.term)} becomes {shown[0]} by both",
        }
        return f"{self.kind}: {names}: {told[self.kind]}"


@dataclass(frozen=True)
class Frozen:
    """A variable that is taken for a constant."""

    name: str

    def __repr__(self) -> str:
        return self.name


def frozen(term: Any) -> Any:
    """A term whose variables are constants."""
    return substitute(term, {v: Frozen(str(v)) for v in parameters_of(term)})


def steps(term: Any, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Any]]:
    """What rules make of a frozen term in one step anywhere, conditions taken as given."""
    if not is_term(term):
        return
    for rule in rules:
        for found, rest in islice(_matches(rule, term), OVERLAPS):
            new = under(rule.replacement, found)
            yield rule, canonical(Term((term[0], new, *rest)) if rest else new)
    for n, part in enumerate(term[1:], 1):
        for rule, new in steps(part, rules):
            yield rule, canonical(Term((*term[:n], new, *term[n + 1 :])))


def _matches(rule: Rule, term: Any) -> Iterator[tuple[dict[Any, Any], Any]]:
    return iter(ac.compile(rule.pattern, PLAIN).extend(ac.term(term, PLAIN)))


def size(term: Any) -> int:
    """How many operators and leaves a term has."""
    return sum(map(size, term)) if is_term(term) else 1


def reachable(term: Any, rules: Sequence[Rule]) -> set[Any]:
    """What a frozen term can be rewritten to, as far as `REACHED` goes; breadth first."""
    found, waiting = {term}, deque([term])
    while waiting and len(found) < REACHED:
        for _, new in steps(waiting.popleft(), rules):
            if new not in found and size(new) <= LARGEST:
                found.add(new)
                waiting.append(new)
    return found


def critical_pairs(first: Rule, second: Rule, rules: Sequence[Rule]) -> Iterator[Finding]:
    """The overlaps of two rules whose results do not meet again."""
    one, two = apart(first, "first"), apart(second, "second")
    found = []
    for overlap in islice(ac.overlaps(one.pattern, two.pattern, PLAIN), OVERLAPS):
        outer, inner = [one.pattern, one.replacement], [two.replacement]
        if overlap.around_rule is not None:
            outer = [product_of(one.pattern[0], side, overlap.around_rule) for side in outer]
        inside = substitute(inner[0], overlap.renamed)
        if overlap.around_equation is not None:
            inside = product_of(two.pattern[0], inside, overlap.around_equation)
        by_second = replaced(one.pattern, overlap.subterm, inside) if overlap.position else inside
        terms = [under(t, overlap.unifier) for t in (outer[0], outer[1], by_second)]
        term, left, right = (canonical(frozen(t)) for t in renamed(terms))
        if not reachable(left, rules) & reachable(right, rules):
            found.append(Finding("critical pair", _both(first, second), term, (left, right)))
    yield from sorted(found, key=lambda f: len(text(f.term)))[:1]


def product_of(head: Any, *operands: Any) -> Any:
    """Operands of an associative operator, those of nested applications among them."""
    return product(operands) if head is T.mul else Term((head, *operands))


def _both(first: Rule, second: Rule) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((first.relation, second.relation)))


def loops(rules: Sequence[Rule]) -> Iterator[Finding]:
    """Rules that match what they, or another rule, have made of an instance of their pattern."""
    for rule in rules:
        mine = apart(rule, "loop")
        start, after = (canonical(frozen(t)) for t in renamed([mine.pattern, mine.replacement]))
        own = [apart(rule, "own")]
        if any(len(text(new)) >= len(text(after)) for _, new in steps(after, own)):
            yield Finding("loop", (rule.relation,), start, (after,))
            continue
        for other in rules:
            if other is rule:
                continue
            if any(new == start for _, new in steps(after, [apart(other, "other")])):
                yield Finding("undo each other", _both(rule, other), start, (after,))


def subsumed(general: Rule, special: Rule) -> Finding | None:
    """A rule whose every rewrite another rule makes too, under conditions no stronger."""
    mine, theirs = apart(general, "general"), apart(special, "special")
    term, result = (canonical(frozen(t)) for t in renamed([theirs.pattern, theirs.replacement]))
    asked = {c.guard.name for c in special.conditions}
    if not {c.guard.name for c in general.conditions} <= asked:
        return None
    for found, rest in islice(_matches(mine, term), OVERLAPS):
        new = under(mine.replacement, found)
        if canonical(Term((term[0], new, *rest)) if rest else new) == result:
            return Finding("subsumed", _both(general, special), term, (result,))
    return None
