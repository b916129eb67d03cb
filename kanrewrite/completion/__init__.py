"""Completion: what rules follow from relations, and where relations are at odds.

`derived` overlaps a relation with lifting equations; `check` overlaps relations with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations

from kanrewrite.completion.coherence import derived
from kanrewrite.completion.critical import TOGETHER, Finding, Steps, critical_pairs, loops, subsumed
from kanrewrite.completion.prepared import Prepared
from kanrewrite.completion.terms import apart
from kanrewrite.relation import Relation

__all__ = ["Check", "Finding", "check", "derived"]


@dataclass(frozen=True)
class Check:
    """What `check` found; empty, and false, if nothing."""

    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing found"


def check(relations: Relation | Iterable[Relation]) -> Check:
    """Look for relations that are at odds with each other.

    Parameters
    ----------
    relations : Relation or iterable of Relation
        Their rules are overlapped pair by pair, with the directions that they have.

    Returns
    -------
    Check
        Loops, relations that undo each other, relations that another makes needless, and critical
        pairs that do not join: each with both places and a smallest term that shows it.

    Notes
    -----
    Modulo associativity and commutativity of sums and products.  Conditions are taken as given, so
    that a finding may be about a term that they exclude; results are followed for a bounded number
    of rewrites, and so many overlaps of two relations are looked at.

    References
    ----------
    D. Knuth, P. Bendix, "Simple word problems in universal algebras", Computational Problems in
    Abstract Algebra, 1970.

    Examples
    --------
    >>> from kanrewrite.relation import eq, relation
    >>> from kanrewrite.terms import T
    >>> @relation
    ... def there(x):
    ...     yield eq(T.sinh(x), T.cosh(x))
    >>> @relation
    ... def back(x):
    ...     yield eq(T.cosh(x), T.sinh(x))
    >>> print(check([there, back]))  # doctest: +ELLIPSIS
    undo each other: there (...) and back (...): rewrite sinh(x) to cosh(x) and back again
    """
    chosen = [relations] if isinstance(relations, Relation) else list(relations)
    rules = [Prepared(apart(rule, "check")) for relation in chosen for rule in relation.rules()]
    found: dict[tuple[str, frozenset[str]], Finding] = {}
    for finding in _findings(rules):
        names = frozenset(relation.name for relation in finding.relations)
        found.setdefault((finding.kind, names), finding)
    return Check(tuple(found.values()))


def _findings(rules: list[Prepared]) -> Iterator[Finding]:
    settled = set()
    for finding in loops(rules):
        if finding.kind == "loop":  # its chains have no end that could be compared
            rules = [rule for rule in rules if rule.relation not in finding.relations]
        yield finding
    for general, special in permutations(rules, 2):
        needless = subsumed(general, special)
        if needless is not None:
            settled.update([(id(general), id(special)), (id(special), id(general))])
            yield needless
    steps = Steps(rules)
    left: defaultdict[frozenset[str], int] = defaultdict(lambda: TOGETHER)
    for first, second in combinations_with_replacement(rules, 2):
        relations = frozenset((first.relation.name, second.relation.name))
        for outer, inner in dict.fromkeys([(first, second), (second, first)]):
            if left[relations] <= 0 or (id(first), id(second)) in settled:
                continue
            found, count = critical_pairs(outer, inner, steps, left[relations])
            left[relations] -= TOGETHER if found else count  # one is enough to say
            yield from found
