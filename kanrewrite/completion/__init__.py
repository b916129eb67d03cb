"""Completion: what rules follow from relations, and where relations are at odds.

`derived` overlaps a relation with lifting equations; `check` overlaps relations with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import Any, cast

from aesara.graph.basic import Variable

from kanrewrite.border import Amount, checked
from kanrewrite.completion.coherence import derived
from kanrewrite.completion.critical import TOGETHER, Finding, critical_pairs, loops, subsumed
from kanrewrite.completion.prepared import Prepared
from kanrewrite.completion.reached import Steps
from kanrewrite.completion.terms import apart
from kanrewrite.errors import NotARelation
from kanrewrite.limits import OutOfTime, limited, within_outer_limits
from kanrewrite.relation import Relation

__all__ = ["Check", "Finding", "check", "derived"]


#: For how many seconds relations are overlapped, unless something else is said.
SECONDS = 30.0


@dataclass(frozen=True)
class Check:
    """What `check` found; empty, and false, if nothing.

    Attributes
    ----------
    findings : tuple of Finding
        Also to be iterated over.
    left_out : int
        How many pairs of rules there was no time for; the text says so.
    """

    findings: tuple[Finding, ...]
    left_out: int = 0

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        told = [*map(str, self.findings)] or ["nothing found"]
        late = f"out of time: {self.left_out} pairs of rules are not compared; allow more seconds"
        return "\n".join([*told, late] if self.left_out else told)


@checked
def check(relations: Relation | Iterable[Relation], seconds: Amount = SECONDS) -> Check:
    """Look for relations that are at odds with each other.

    Parameters
    ----------
    relations : Relation or iterable of Relation
        Their rules are overlapped pair by pair, with the directions that they have.
    seconds : float
        What is not compared by then is counted in the result.

    Returns
    -------
    Check
        Loops, relations that undo each other, relations that another makes needless, and critical
        pairs that do not join: each with both places and a smallest term that shows it.

    Raises
    ------
    NotARelation
        For anything else.

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
    several = isinstance(relations, Iterable) and not isinstance(relations, str | Variable)
    chosen: list[Any] = list(cast(Any, relations)) if several else [relations]
    for given in chosen:
        if not isinstance(given, Relation):
            raise NotARelation(given)
    rules = [Prepared(apart(rule, "check")) for relation in chosen for rule in relation.rules()]
    found: dict[tuple[str, frozenset[str]], Finding] = {}
    compared = _Compared(rules)
    try:
        with limited(seconds):
            for finding in compared.findings():
                names = frozenset(relation.name for relation in finding.relations)
                found.setdefault((finding.kind, names), finding)
    except OutOfTime:
        within_outer_limits()
        return Check(tuple(found.values()), compared.left)
    return Check(tuple(found.values()))


class _Compared:
    """Rules as they are compared with each other, and how many pairs are left."""

    def __init__(self, rules: list[Prepared]):
        self.rules = rules
        self.left = len(rules) * (len(rules) + 1) // 2

    def findings(self) -> Iterator[Finding]:
        """What is found, each as soon as it is."""
        rules, settled = self.rules, set()
        for finding in loops(rules):
            if finding.kind == "loop":  # its chains have no end that could be compared
                rules = [rule for rule in rules if rule.relation not in finding.relations]
            yield finding
        for general, special in permutations(rules, 2):
            needless = subsumed(general, special)
            if needless is not None:
                settled.update([(id(general), id(special)), (id(special), id(general))])
                yield needless
        yield from self._critical(rules, settled)

    def _critical(self, rules: list[Prepared], settled: set[tuple[int, int]]) -> Iterator[Finding]:
        steps = Steps(rules)
        room: defaultdict[frozenset[str], int] = defaultdict(lambda: TOGETHER)
        for first, second in combinations_with_replacement(rules, 2):
            relations = frozenset((first.relation.name, second.relation.name))
            for again, (outer, inner) in enumerate(
                dict.fromkeys([(first, second), (second, first)])
            ):
                if room[relations] <= 0 or (id(first), id(second)) in settled:
                    continue
                found, count = critical_pairs(outer, inner, steps, room[relations], root=not again)
                room[relations] -= TOGETHER if found else count  # one is enough to say
                yield from found
            self.left -= 1
