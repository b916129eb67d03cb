"""Matching modulo the axioms alone: a rewrite replaces what it matches and leaves the rest.

Graphs of every dtype and of every Op are terms. What a rule makes of one is built from the very
variables that it was matched with, so it comes out as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.ac import Matcher, term
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.relation import Rule, substitute
from kanrewrite.relation.axes import Named, are_as_named, freed
from kanrewrite.rewriter.signs import signed_pattern
from kanrewrite.rewriter.terms import Terms
from kanrewrite.terms import OWN, T, Term, is_variable, parts_of
from kanrewrite.theory import NO_UNIT, Theory
from kanrewrite.unify import is_term

Graph = Variable[Any, Any]
#: What the parameters stand for, and what builds the result.
Match = tuple[dict[Any, Any], Callable[[], Graph | None]]
#: Where a parameter stands: its operator, and whether that inverts it.
Place = tuple[Any, bool]
Places = dict[Any, Place]


class _Compiled(NamedTuple):
    rule: Rule  # kept, so that its id stays its own
    matcher: Matcher
    named: Named
    tensors: Places
    joined: list[tuple[Term, Any]]


class AxiomReader:
    """Reads graphs as terms modulo a theory.

    Parameters
    ----------
    terms : Terms
        Keeps what was read.
    """

    def __init__(self, terms: Terms):
        self.terms = terms
        self._matchers: dict[tuple[int, int], _Compiled] = {}

    def renewed(self, terms: Terms) -> None:
        """Read other graphs from now on, by the patterns that are compiled already."""
        self.terms = terms

    def matches(self, rule: Rule, variable: Graph) -> Iterator[Match]:
        """The ways in which a variable holds the pattern of a rule; guards are not asked."""
        compiled = self._compiled(rule)
        tensors = compiled.tensors
        dtype = cast(Any, variable.type).dtype
        for bindings, rest in compiled.matcher.extend(self.terms.read(variable), written=True):
            if not is_known(bindings):
                continue
            if not tensors.keys() <= bindings.keys():
                continue  # one has cancelled in what the pattern says, and may be anything
            if any(self._is_empty(place, bindings[p]) for p, place in tensors.items()):
                continue
            if any(isinstance(value, int | float) for value in bindings.values()) and any(
                self._is_nothing(part, unit, bindings) for part, unit in compiled.joined
            ):
                continue
            if compiled.named and not self._has_named_axes(compiled.named, bindings):
                continue
            graphs = {
                p: self.terms.graph(value, dtype=dtype if p in tensors else None)
                for p, value in bindings.items()
                if p not in compiled.named
            }
            yield graphs, self._result(compiled, bindings, rest, variable)

    def same(self, one: Graph, other: Graph) -> bool:
        """Whether two graphs are equal modulo the axioms."""
        return self.terms.read(one) is self.terms.read(other)

    def answers(self, rule: Rule, variable: Graph) -> Iterator[tuple[Graph, dict[Any, Any]]]:
        """What a rule makes of a variable, for each match whose conditions hold."""
        for graphs, result in self.matches(rule, variable):
            new = result() if all(c.holds(graphs) for c in rule.conditions) else None
            if new is not None:
                yield new, graphs

    def _result(
        self, compiled: _Compiled, bindings: dict[Any, Any], rest: Any, variable: Graph
    ) -> Callable[[], Graph]:
        def build() -> Graph:
            result = substitute(compiled.rule.replacement, bindings)
            if rest:
                result = Term((compiled.matcher.pattern.plain[0], result, *rest))
            made = self.terms.result(result, variable)
            if not _is_narrower(made, variable):
                return made
            wide = {p: self._widened(x, variable) for p, x in bindings.items()}
            return made if wide == bindings else self._result(compiled, wide, rest, variable)()

        return build

    def _widened(self, value: Any, like: Graph) -> Any:
        """What a parameter stands for, of the dtype of what is replaced, which is wider.

        A graph may compute in float64 from a float32.
        """
        graph = self.terms.graph(value) if is_term(value) or isinstance(value, Variable) else None
        if isinstance(graph, Variable) and _is_narrower(graph, like):
            return at.cast(graph, cast(Any, like.type).dtype)
        return value

    def _has_named_axes(self, named: Named, bindings: dict[Any, Any]) -> bool:
        operands = (substitute(operand, bindings) for _, operand in named.values())
        graphs = (self.terms.graph(operand) for operand in operands)
        return are_as_named(named, bindings, (getattr(g, "ndim", None) for g in graphs))

    def _compiled(self, rule: Rule) -> _Compiled:
        key = (id(rule), len(OWN))  # a class of Ops that has got a pattern is read otherwise
        known = self._matchers.get(key)
        if known is None:
            pattern, named = freed(signed_pattern(rule.pattern))
            matcher = compile_pattern(pattern, self.terms.theory)
            tensors = dict(operands_of(pattern))
            joined = list(_joined(pattern, self.terms.theory))
            known = self._matchers[key] = _Compiled(rule, matcher, named, tensors, joined)
        return known

    def _is_nothing(self, part: Term, unit: Any, bindings: dict[Any, Any]) -> bool:
        """Whether an operand of a sum is 0, or of a product 1: ``(0 + 1) * 0`` is in all sums."""
        value = term(substitute(part, bindings), self.terms.theory).plain
        return isinstance(value, int | float) and value == unit

    def _is_empty(self, place: Place, value: Any) -> bool:
        """Whether a match says nothing: ``x`` read as ``x * 1``, or a product as a quotient.

        There is one at every variable, and another one in its result, without end.
        """
        theory = self.terms.theory
        head, turned = place
        if not is_term(value):
            unit = _unit_of(head, theory)
            return unit is not NO_UNIT and not isinstance(value, Variable) and bool(value == unit)
        inverses = {properties.inverse for _, properties in theory.items()}
        turns = any(is_term(x) and x[0] in inverses for x in (value, *value[1:]))
        alone = head in (T.neg, T.reciprocal)  # no operand beside it that a graph could have
        return turned and turns and (alone or not self.terms.knows(value))


def _is_narrower(graph: Graph, like: Graph) -> bool:
    """Whether a tensor is of the same kind of numbers as another one, in fewer bits."""
    mine, other = (getattr(x.type, "dtype", None) for x in (graph, like))
    if mine is None or other is None or mine == other:
        return False
    return np.dtype(mine).kind == np.dtype(other).kind and np.can_cast(mine, other)


def _unit_of(head: Any, theory: Theory) -> Any:
    """What an operator, or the one that divides by its inverse, changes nothing with."""
    divided = (p.unit for _, p in theory.items() if head in (p.division, p.inverse))
    return next(divided, theory.properties(head).unit)


def is_known(bindings: Mapping[Any, Any], ground: dict[int, Any] | None = None) -> bool:
    """Whether everything is bound to what the graph has: what may be anything is no match.

    Parameters
    ----------
    bindings : Mapping
        What parameters stand for.
    ground : dict, optional
        The parts without variables that were seen before, by identity; it is added to.
    """
    ground = {} if ground is None else ground
    seen: dict[int, Any] = {}
    todo = list(bindings.values())
    while todo:
        part = todo.pop()
        if id(part) in ground or id(part) in seen:
            continue
        # By its class: a term that shares its parts is a tree without end to what hashes it.
        if is_variable(part):
            return False
        seen[id(part)] = part
        if isinstance(part, tuple):
            todo.extend(part)
    ground.update(seen)
    return True


def _joined(pattern: Any, theory: Theory) -> Iterator[tuple[Term, Any]]:
    """The operands of operators with a unit that are no parameters, each with that unit."""
    head, *parts = pattern
    unit = _unit_of(head, theory)
    for part in filter(is_term, parts):
        if unit is not NO_UNIT and any(map(is_variable, parts_of(part))):
            yield part, unit
        yield from _joined(part, theory)


def operands_of(pattern: Any) -> Iterator[tuple[Any, Place]]:
    """The parameters that stand for tensors, not for an axis or a flag.

    Each with its operator, and whether it stands where that operator inverts.
    """
    head, *parts = pattern
    if head is T.true_div and parts[0] == 1:
        head, parts = T.reciprocal, parts[1:]
    for index, part in enumerate(parts[: len(parts) - len(head.parameters)]):
        if is_variable(part):
            inverted = head in (T.neg, T.reciprocal) or (head in (T.sub, T.true_div) and index == 1)
            yield part, (head, inverted)
        elif is_term(part):
            yield from operands_of(part)
