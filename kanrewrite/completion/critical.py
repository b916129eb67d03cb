"""Critical pairs between relations, loops, and relations that others make needless."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from kanrewrite import ac
from kanrewrite.ac import Interned
from kanrewrite.completion.prepared import Prepared, may_overlap
from kanrewrite.completion.reached import OVERLAPS, Bound, Steps
from kanrewrite.completion.terms import PLAIN, canonical, product, replaced, text
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.terms import T, Term

Kind = Literal["critical pair", "undo each other", "loop", "subsumed"]

#: How many overlaps of two relations are looked at, whatever their rules.
TOGETHER = 48
#: And how many steps the search for the overlaps at one place may take.
STEPS = 200


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


@lru_cache(maxsize=1 << 10)
def alone(rule: Prepared) -> Steps:
    """What a rule makes of terms by itself."""
    return Steps([rule])


def critical_pairs(
    first: Prepared, second: Prepared, steps: Steps, most: int = OVERLAPS, root: bool = True
) -> tuple[list[Finding], int]:
    """The overlaps of two rules, the second within the first, whose results do not meet again.

    The one with the smallest term, if there is any, and how many overlaps were looked at.  Those at
    the root are the same for both orders of the rules.
    """
    if not may_overlap(first.pattern, second.other.pattern, at_root=root):
        return [], 0
    one, two = first.rule, second.other
    every = ac.overlaps(one.pattern, two.pattern, PLAIN, steps=STEPS, root=root)
    chosen = list(islice(every, min(most, OVERLAPS)))
    met = [_Met(one, two, overlap, steps) for overlap in chosen]
    for each in sorted(met, key=lambda each: steps.size(each.term)):
        results = each.results()
        if not steps.join(*results):
            both = _both(first.rule, second.rule)
            shown = [canonical(x.plain) for x in (each.term, *results)]
            return [Finding("critical pair", both, shown[0], tuple(shown[1:]))], 1 + len(chosen)
    return [], 1 + len(chosen)


class _Met:
    """A term that two rules rewrite, and what each makes of it, computed when asked for."""

    def __init__(self, one: Rule, two: Rule, overlap: ac.Overlap, steps: Steps):
        self.one, self.two, self.overlap, self.steps = one, two, overlap, steps
        self.values = Bound(steps, overlap.unifier)
        self.term = self._around(one.pattern)

    def results(self) -> tuple[Interned, Interned]:
        """What the rules make of the term."""
        one, two, overlap = self.one, self.two, self.overlap
        inside = substitute(two.replacement, overlap.renamed)
        if overlap.around_equation is not None:
            inside = product_of(two.pattern[0], inside, overlap.around_equation)
        by_second = replaced(one.pattern, overlap.subterm, inside) if overlap.position else inside
        return self._around(one.replacement), self.steps.instance(by_second, self.values)

    def _around(self, side: Any) -> Interned:
        """An instance of a side of the first rule, in what is around it."""
        around = self.overlap.around_rule
        whole = side if around is None else product_of(self.one.pattern[0], side, around)
        return self.steps.instance(whole, self.values)


def product_of(head: Any, *operands: Any) -> Any:
    """Operands of an associative operator, those of nested applications among them."""
    return product(operands) if head is T.mul else Term((head, *operands))


def _both(first: Rule, second: Rule) -> tuple[Relation, ...]:
    return tuple(dict.fromkeys((first.relation, second.relation)))


def loops(rules: Sequence[Prepared]) -> Iterator[Finding]:
    """Rules that match what they, or another rule, have made of an instance of their pattern."""
    for rule in rules:
        steps = alone(rule)
        after = steps.instance(rule.after, {})
        if any(steps.size(new) >= steps.size(after) for new in steps.of(after)):
            yield Finding("loop", (rule.relation,), rule.start, (rule.after,))
            continue
        for other in rules:
            if other is rule or not other.may_turn(rule.after, rule.start):
                continue
            steps = alone(other)
            if steps.instance(rule.start, {}) in steps.of(steps.instance(rule.after, {})):
                both = _both(rule.rule, other.rule)
                yield Finding("undo each other", both, rule.start, (rule.after,))


def subsumed(general: Prepared, special: Prepared) -> Finding | None:
    """A rule whose every rewrite another rule makes too, under conditions no stronger."""
    if general.pattern[0] is not special.pattern[0] or not general.asked <= special.asked:
        return None
    if not general.may_turn(special.start, special.after):
        return None
    steps = alone(general)
    if steps.instance(special.after, {}) in steps.at(steps.instance(special.start, {})):
        both = _both(general.rule, special.rule)
        return Finding("subsumed", both, special.start, (special.after,))
    return None
