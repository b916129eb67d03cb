"""Three ways to read a graph, and what a rule makes of it in each.

Modulo the axioms alone a rewrite replaces what it matches and leaves the rest as it is written.
Through the engine's view a rule also finds what lifting and definitions hide, and what it rewrites
comes out in the view's own spelling.  A relation about digits finds and builds what is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from aesara.graph.basic import Variable

from kanrewrite import registry
from kanrewrite.relation import Rule
from kanrewrite.rewriter.protocol import StatingView, View
from kanrewrite.terms import Param, Term

Graph = Variable[Any, Any]
#: What a rule puts in place of a variable, and what its parameters stood for.
Answer = tuple[Any, dict[Any, Any]]
_RESULT, _REST = Param("search:result"), Param("search:rest")


class Reader(Protocol):
    """A way to read graphs."""

    def answers(self, rule: Rule, variable: Graph, /) -> Iterator[Answer]:
        """What a rule makes of a variable, for each match whose conditions hold."""


class ViewReader:
    """Reads graphs through a view that rewriting uses.

    Parameters
    ----------
    view : View
        The view.
    """

    def __init__(self, view: View):
        self.view = view
        self._patterns: dict[int, tuple[Rule, Any]] = {}

    def answers(self, rule: Rule, variable: Graph) -> Iterator[Answer]:
        """What a rule makes of a variable, for each match whose conditions hold."""
        if id(rule) not in self._patterns:
            self._patterns[id(rule)] = (rule, self.view.pattern(rule.pattern))
        pattern = self._patterns[id(rule)][1]
        for bindings, rest in self.view.match(pattern, self.view.read(variable)):
            if all(condition.holds(bindings) for condition in rule.conditions):
                result = self._result(rule, bindings, rest, variable)
                yield self.view.build(result, variable), dict(bindings)

    def _result(self, rule: Rule, bindings: Mapping[Any, Any], rest: Any, variable: Graph) -> Any:
        result = self.view.instantiate(rule.replacement, bindings)
        if rest is None:
            return result
        whole = Term((rule.pattern[0], _RESULT, _REST))
        return self.view.instantiate(whole, {_RESULT: result, _REST: rest})


class StatedReader(ViewReader):
    """Reads graphs as the pass of relations about digits does, and builds what these state."""

    view: StatingView

    def __init__(self) -> None:
        super().__init__(registry.written_view())

    def _result(self, rule: Rule, bindings: Mapping[Any, Any], rest: Any, variable: Graph) -> Any:
        return self.view.stated(rule.replacement, bindings, rule.pattern, rest, variable)
