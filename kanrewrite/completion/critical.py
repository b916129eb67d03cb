"""Critical pairs between relations, loops, and relations that others make needless."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
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
from kanrewrite.relation.roles import operators_in
from kanrewrite.terms import T, Term, parameters_of
from kanrewrite.unify import is_term

Kind = Literal["critical pair", "undo each other", "loop", "subsumed"]

#: How many overlaps of two rules are looked at, and how many terms are reached from each result.
OVERLAPS, REACHED = 16, 48
#: And how many steps the search for the overlaps at one place may take.
STEPS = 200
#: A term of more operators is not rewritten any further.
LARGEST = 80
#: Stands where one of two searches has ended before the other.
_NOTHING = object()


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


class Steps:
    """What rules make of frozen terms, each term looked at once.

    Parameters
    ----------
    rules : iterable of Rule
        Conditions are taken as given.
    """

    def __init__(self, rules: Iterable[Rule]):
        self.rules: defaultdict[Any, list[tuple[Rule, ac.Matcher]]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.pattern[0]].append((rule, ac.compile(rule.pattern, PLAIN)))
        self._known: dict[Any, tuple[Any, ...]] = {}

    def of(self, term: Any) -> tuple[Any, ...]:
        """What becomes of a term in one step anywhere in it, each result once."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = tuple(dict.fromkeys(self._anywhere(term)))
        return known

    def _anywhere(self, term: Any) -> Iterator[Any]:
        if not is_term(term):
            return
        yield from self.at(term)
        for n, part in enumerate(term[1:], 1):
            for new in self.of(part):
                yield canonical(Term((*term[:n], new, *term[n + 1 :])))

    def at(self, term: Any) -> Iterator[Any]:
        """What becomes of a term by rules that match all of it, or operands of its operator."""
        subject = ac.term(term, PLAIN)
        for rule, matcher in self.rules[term[0]]:
            for found, rest in islice(matcher.extend(subject), OVERLAPS):
                new = under(rule.replacement, found)
                yield canonical(Term((term[0], new, *rest)) if rest else new)

    def join(self, left: Any, right: Any) -> bool:
        """Tell whether two terms can be rewritten to one, as far as `REACHED` goes."""
        seen: tuple[set[Any], set[Any]] = (set(), set())
        for pair in zip_longest(self._spreading(left), self._spreading(right), fillvalue=_NOTHING):
            for n, term in enumerate(pair):
                if term in seen[1 - n]:
                    return True
                if term is not _NOTHING:
                    seen[n].add(term)
        return False

    def _spreading(self, start: Any) -> Iterator[Any]:
        """A term and what it can be rewritten to, nearest first."""
        found, waiting = {start}, deque([start])
        yield start
        while waiting and len(found) < REACHED:
            for new in self.of(waiting.popleft()):
                if new not in found and size(new) <= LARGEST:
                    found.add(new)
                    waiting.append(new)
                    yield new


def size(term: Any) -> int:
    """How many operators and leaves a term has."""
    return sum(map(size, term)) if is_term(term) else 1


def critical_pairs(first: Rule, second: Rule, steps: Steps) -> Iterator[Finding]:
    """The overlaps of two rules, the second within the first, whose results do not meet again."""
    if second.pattern[0] not in operators_in(first.pattern):
        return
    one, two = apart(first, "first"), apart(second, "second")
    found = []
    every = ac.overlaps(one.pattern, two.pattern, PLAIN, steps=STEPS)
    for overlap in islice(every, OVERLAPS):
        outer, inner = [one.pattern, one.replacement], [two.replacement]
        if overlap.around_rule is not None:
            outer = [product_of(one.pattern[0], side, overlap.around_rule) for side in outer]
        inside = substitute(inner[0], overlap.renamed)
        if overlap.around_equation is not None:
            inside = product_of(two.pattern[0], inside, overlap.around_equation)
        by_second = replaced(one.pattern, overlap.subterm, inside) if overlap.position else inside
        terms = [under(t, overlap.unifier) for t in (outer[0], outer[1], by_second)]
        term, left, right = (canonical(frozen(t)) for t in renamed(terms))
        if not steps.join(left, right):
            found.append(Finding("critical pair", _both(first, second), term, (left, right)))
    yield from sorted(found, key=lambda f: len(text(f.term)))[:1]


def product_of(head: Any, *operands: Any) -> Any:
    """Operands of an associative operator, those of nested applications among them."""
    return product(operands) if head is T.mul else Term((head, *operands))


def _both(first: Rule, second: Rule) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((first.relation, second.relation)))


def loops(rules: Sequence[Rule]) -> Iterator[Finding]:
    """Rules that match what they, or another rule, have made of an instance of their pattern."""
    every = Steps(apart(rule, "other") for rule in rules)
    for rule in rules:
        mine = apart(rule, "loop")
        start, after = (canonical(frozen(t)) for t in renamed([mine.pattern, mine.replacement]))
        own = Steps([apart(rule, "own")]).of(after)
        if any(len(text(new)) >= len(text(after)) for new in own):
            yield Finding("loop", (rule.relation,), start, (after,))
        elif start in every.of(after):
            for other in rules:
                if other is not rule and start in Steps([apart(other, "other")]).of(after):
                    yield Finding("undo each other", _both(rule, other), start, (after,))


def subsumed(general: Rule, special: Rule) -> Finding | None:
    """A rule whose every rewrite another rule makes too, under conditions no stronger."""
    if general.pattern[0] is not special.pattern[0]:
        return None
    mine, theirs = apart(general, "general"), apart(special, "special")
    term, result = (canonical(frozen(t)) for t in renamed([theirs.pattern, theirs.replacement]))
    asked = {c.guard.name for c in special.conditions}
    if not {c.guard.name for c in general.conditions} <= asked:
        return None
    if result in Steps([mine]).at(term):
        return Finding("subsumed", _both(general, special), term, (result,))
    return None
