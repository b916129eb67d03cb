"""Two ways to read a graph, and what a rule makes of it in each.

Modulo the axioms alone a rewrite replaces what it matches and leaves the rest as it is written.
Through the engine's view a rule also finds what lifting and definitions hide, and what it rewrites
comes out in the view's own spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from aesara.graph.basic import Variable
from unification import isvar

from kanrewrite import registry
from kanrewrite.ac import Matcher
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.search.terms import Terms
from kanrewrite.terms import Param, T, Term
from kanrewrite.theory import NO_UNIT
from kanrewrite.unify import as_term, is_term

Graph = Variable[Any, Any]
#: What a rule puts in place of a variable, and what its parameters stood for.
Answer = tuple[Any, dict[Any, Any]]
#: Where a parameter stands: its operator, and whether that inverts it.
Place = tuple[Any, bool]
Places = dict[Any, Place]
_RESULT, _REST = Param("search:result"), Param("search:rest")


class Reader(Protocol):
    """A way to read graphs."""

    def answers(self, rule: Rule, variable: Graph, /) -> Iterator[Answer]:
        """What a rule makes of a variable, for each match whose conditions hold."""


class AxiomReader:
    """Reads graphs as terms modulo a theory.

    Parameters
    ----------
    terms : Terms
        Keeps what was read.
    """

    def __init__(self, terms: Terms):
        self.terms = terms
        self._matchers: dict[int, tuple[Rule, Matcher, Places]] = {}

    def answers(self, rule: Rule, variable: Graph) -> Iterator[Answer]:
        """What a rule makes of a variable, for each match whose conditions hold."""
        matcher, tensors = self._compiled(rule)
        dtype = cast(Any, variable.type).dtype
        for bindings, rest in matcher.extend(self.terms.read(variable)):
            if any(self._is_empty(place, bindings[p]) for p, place in tensors.items()):
                continue
            graphs = {
                p: self.terms.graph(value, dtype=dtype if p in tensors else None)
                for p, value in bindings.items()
            }
            if all(condition.holds(graphs) for condition in rule.conditions):
                result = substitute(rule.replacement, bindings)
                if rest:
                    result = Term((matcher.pattern.plain[0], result, *rest))
                yield self.terms.result(result, variable), graphs

    def _compiled(self, rule: Rule) -> tuple[Matcher, Places]:
        known = self._matchers.get(id(rule))
        if known is None:
            matcher = compile_pattern(as_term(rule.pattern), self.terms.theory)
            # The rule is kept with it, so that its id stays its own.
            known = self._matchers[id(rule)] = (rule, matcher, dict(operands_of(rule.pattern)))
        return known[1:]

    def _is_empty(self, place: Place, value: Any) -> bool:
        """Whether a match says nothing: ``x`` read as ``x * 1``, or a product as a quotient.

        There is one at every variable, and another one in its result, without end.
        """
        theory = self.terms.theory
        head, turned = place
        if not is_term(value):
            unit = theory.properties(head).unit
            return unit is not NO_UNIT and not isinstance(value, Variable) and bool(value == unit)
        inverses = {properties.inverse for _, properties in theory.items()}
        return turned and value[0] in inverses and not self.terms.knows(value)


class ViewReader:
    """Reads graphs through the view that rewriting uses.

    Parameters
    ----------
    relations : iterable of Relation
        Their definitions are followed.
    """

    def __init__(self, relations: Iterable[Relation]):
        self.view = registry.view_of(*relations)()
        self._patterns: dict[int, tuple[Rule, Any]] = {}

    def answers(self, rule: Rule, variable: Graph) -> Iterator[Answer]:
        """What a rule makes of a variable, for each match whose conditions hold."""
        if id(rule) not in self._patterns:
            self._patterns[id(rule)] = (rule, self.view.pattern(rule.pattern))
        pattern = self._patterns[id(rule)][1]
        for bindings, rest in self.view.match(pattern, self.view.read(variable)):
            if all(condition.holds(bindings) for condition in rule.conditions):
                result = self.view.instantiate(rule.replacement, bindings)
                if rest is not None:
                    whole = Term((rule.pattern[0], _RESULT, _REST))
                    result = self.view.instantiate(whole, {_RESULT: result, _REST: rest})
                yield self.view.build(result, variable), dict(bindings)


def operands_of(pattern: Any) -> Iterator[tuple[Any, Place]]:
    """The parameters that stand for tensors, not for an axis or a flag.

    Each with its operator, and whether it stands where that operator inverts.
    """
    head, *parts = pattern
    for index, part in enumerate(parts[: len(parts) - len(head.parameters)]):
        if isvar(part):
            inverted = head in (T.neg, T.reciprocal) or (head in (T.sub, T.true_div) and index == 1)
            yield part, (head, inverted)
        elif is_term(part):
            yield from operands_of(part)
