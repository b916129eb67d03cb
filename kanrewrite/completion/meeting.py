"""Where relations meet: in what one looks for or makes, another one finds its own side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from kanrewrite import ac
from kanrewrite.ac import Matcher
from kanrewrite.completion.prepared import frozen
from kanrewrite.completion.terms import PLAIN, canonical
from kanrewrite.relation import Relation, Rule
from kanrewrite.terms import Term, parts_of


class Meetings:
    """Which relations apply in the sides of which, modulo the axioms; conditions are not asked.

    Parameters
    ----------
    relations : iterable of Relation
        Those with equations take part, in the direction that they have.
    """

    def __init__(self, relations: Iterable[Relation]):
        self.relations = tuple(r for r in relations if not r.is_goal)
        self._matchers = {r: [ac.compile(rule.pattern, PLAIN) for rule in _rules(r)] for r in self}
        self._looks = {r: _parts(rule.pattern for rule in _rules(r)) for r in self}
        self._makes = {r: _parts(rule.replacement for rule in _rules(r)) for r in self}

    def __iter__(self) -> Iterator[Relation]:
        return iter(self.relations)

    def within(self, relation: Relation) -> list[Relation]:
        """Those that apply in what a relation looks for."""
        return self._others(relation, lambda r: self._applies(r, self._looks[relation]))

    def after(self, relation: Relation) -> list[Relation]:
        """Those that apply in what it makes."""
        return self._others(relation, lambda r: self._applies(r, self._makes[relation]))

    def before(self, relation: Relation) -> list[Relation]:
        """Those that make something in which it applies."""
        return self._others(relation, lambda r: self._applies(relation, self._makes[r]))

    def _others(self, relation: Relation, meets: Callable[[Relation], bool]) -> list[Relation]:
        return [r for r in self if r != relation and meets(r)]

    def _applies(self, relation: Relation, terms: list[Any]) -> bool:
        return any(_matches(m, term) for m in self._matchers[relation] for term in terms)


@lru_cache(maxsize=1)
def meetings(relations: tuple[Relation, ...]) -> Meetings:
    """The meetings of some relations, kept until others are asked about."""
    return Meetings(relations)


def _rules(relation: Relation) -> tuple[Rule, ...]:
    return relation.rules(relation.direction or "forward")


def _parts(sides: Iterable[Any]) -> list[Any]:
    """The different terms below some sides, these included, as constants."""
    parts = (part for side in sides for part in parts_of(canonical(frozen(side))))
    return list(dict.fromkeys(ac.term(part, PLAIN) for part in parts if isinstance(part, Term)))


def _matches(matcher: Matcher, term: Any) -> bool:
    if matcher.pattern.symbol is not term.symbol:
        return False
    return next(matcher.extend(term, written=True), None) is not None
