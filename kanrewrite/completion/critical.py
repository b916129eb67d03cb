"""Critical pairs between relations, loops, and relations that others make needless."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any, Literal

from kanrewrite import ac
from kanrewrite.completion.prepared import Prepared, atoms, frozen, may_overlap
from kanrewrite.completion.terms import (
    PLAIN,
    canonical,
    product,
    renamed,
    replaced,
    text,
    under,
)
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.terms import T, Term
from kanrewrite.unify import is_term

Kind = Literal["critical pair", "undo each other", "loop", "subsumed"]

#: How many overlaps of two rules are looked at, and how many terms are reached from each result.
OVERLAPS, REACHED = 16, 48
#: How many overlaps of two relations are looked at, whatever their rules.
TOGETHER = 48
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


class Steps:
    """What rules make of frozen terms, each term looked at once.

    Parameters
    ----------
    rules : iterable of Prepared
        Conditions are taken as given.
    """

    def __init__(self, rules: Iterable[Prepared]):
        self.rules: defaultdict[Any, list[Prepared]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.pattern[0]].append(rule)
        self._known: dict[Any, tuple[Any, ...]] = {}
        #: How many matchers have been run.
        self.tried = 0

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
        subject, held = None, atoms(term)
        for rule in self.rules.get(term[0], ()):
            if not rule.needed <= held:
                continue
            subject = ac.term(term, PLAIN) if subject is None else subject
            self.tried += 1
            for found, rest in islice(rule.matcher.extend(subject), OVERLAPS):
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


@lru_cache(maxsize=1 << 10)
def alone(rule: Prepared) -> Steps:
    """What a rule makes of terms by itself."""
    return Steps([rule])


def size(term: Any) -> int:
    """How many operators and leaves a term has."""
    return sum(map(size, term)) if is_term(term) else 1


def critical_pairs(
    first: Prepared, second: Prepared, steps: Steps, most: int = OVERLAPS
) -> tuple[list[Finding], int]:
    """The overlaps of two rules, the second within the first, whose results do not meet again.

    The one with the smallest term, if there is any, and how many overlaps were looked at.
    """
    if not may_overlap(first.pattern, second.other.pattern):
        return [], 0
    one, two = first.rule, second.other
    found = []
    every = ac.overlaps(one.pattern, two.pattern, PLAIN, steps=STEPS)
    looked_at = 1
    for overlap in islice(every, min(most, OVERLAPS)):
        looked_at += 1
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
            both = _both(first.rule, second.rule)
            found.append(Finding("critical pair", both, term, (left, right)))
    return sorted(found, key=lambda f: len(text(f.term)))[:1], looked_at


def product_of(head: Any, *operands: Any) -> Any:
    """Operands of an associative operator, those of nested applications among them."""
    return product(operands) if head is T.mul else Term((head, *operands))


def _both(first: Rule, second: Rule) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((first.relation, second.relation)))


def loops(rules: Sequence[Prepared]) -> Iterator[Finding]:
    """Rules that match what they, or another rule, have made of an instance of their pattern."""
    for rule in rules:
        own = alone(rule).of(rule.after)
        if any(len(text(new)) >= len(text(rule.after)) for new in own):
            yield Finding("loop", (rule.relation,), rule.start, (rule.after,))
            continue
        for other in rules:
            if other is rule or not other.may_turn(rule.after, rule.start):
                continue
            if rule.start in alone(other).of(rule.after):
                both = _both(rule.rule, other.rule)
                yield Finding("undo each other", both, rule.start, (rule.after,))


def subsumed(general: Prepared, special: Prepared) -> Finding | None:
    """A rule whose every rewrite another rule makes too, under conditions no stronger."""
    if general.pattern[0] is not special.pattern[0] or not general.asked <= special.asked:
        return None
    if not general.may_turn(special.start, special.after):
        return None
    if special.after in alone(general).at(special.start):
        both = _both(general.rule, special.rule)
        return Finding("subsumed", both, special.start, (special.after,))
    return None
