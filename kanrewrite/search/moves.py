"""What relations offer at one variable: every match, not the first one only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from time import perf_counter
from typing import Any, cast

from aesara.graph.basic import Variable
from aesara.tensor.type import TensorType
from kanren import run
from unification import isvar, var

from kanrewrite import errors
from kanrewrite.ac import Matcher
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.errors import KanrewriteError
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.rewriter.heads import Signatures, heads_of, name_of, required
from kanrewrite.rewriter.replace import alike, keeps_type
from kanrewrite.search.found import Move
from kanrewrite.search.report import Report
from kanrewrite.search.terms import Terms
from kanrewrite.terms import Term
from kanrewrite.theory import NO_UNIT
from kanrewrite.unify import as_term, is_term

Graph = Variable[Any, Any]

#: How many matches of one rule are taken at one variable.
ANSWERS = 64
_TURNED = {"forward": "backward", "backward": "forward", "both": "both"}


class RelationMoves:
    """The rewrites that relations offer.

    Parameters
    ----------
    relations : iterable of Relation
        Those that are used for rewriting, in their order.
    direction : {"simplify", "expand", "both"}
        Each relation's own direction, the opposite one, or both.
    terms : Terms
        How graphs are read; its theory is that of equations without their own.
    report : Report
        Keeps the account.
    """

    def __init__(self, relations: Iterable[Relation], direction: str, terms: Terms, report: Report):
        self._terms, self._report = terms, report
        self._matchers: dict[int, Matcher] = {}
        self._goals: list[Relation] = []
        rules: list[Rule] = []
        for relation in relations:
            report.rows[relation.name]
            if relation.is_goal:
                self._goals += [relation] * (direction != "expand")
            else:
                rules += self._rules(relation, direction)
        self._signatures = Signatures({name for rule in rules for name in required(rule.pattern)})
        self._by_head: defaultdict[str, list[tuple[int, Rule]]] = defaultdict(list)
        for rule in rules:
            mask = self._signatures.mask(required(rule.pattern))
            for head in heads_of(rule.pattern):
                self._by_head[head].append((mask, rule))

    def _rules(self, relation: Relation, direction: str) -> list[Rule]:
        own = relation.direction or "forward"
        ways = {"simplify": own, "expand": _TURNED[own], "both": "both"}[direction]
        rules: list[Rule] = []
        for way in ("forward", "backward"):
            if ways in (way, "both"):
                try:
                    rules += relation.rules(cast(Any, way))
                except KanrewriteError as error:
                    note = errors.cannot_be_turned(relation.name, relation.source, error)
                    self._report.notes.append(note)
        return rules

    def __call__(self, variable: Graph) -> Iterator[Move | None]:
        """The rewrites at a variable; None after each rule, so that time can be looked at."""
        node = variable.owner
        if node is None or not isinstance(variable.type, TensorType):
            return
        rules = self._by_head.get(name_of(node.op), [])
        below = self._signatures.of(node) if rules else 0
        for mask, rule in rules:
            if not mask & ~below:
                yield from self._timed(rule.name, self._by_rule(variable, rule))
        for relation in self._goals:
            heads = relation.heads
            if not heads or any(
                isinstance(node.op, h) if isinstance(h, type) else node.op == h for h in heads
            ):
                yield from self._timed(relation.name, self._by_goal(variable, relation))

    def _timed(self, name: str, moves: Iterator[Move]) -> Iterator[Move | None]:
        row = self._report.rows[name]
        row.tried += 1
        while True:
            start = perf_counter()
            try:
                move = next(moves, None)
            except Exception as error:  # noqa: BLE001  # relations and guards are a user's code
                self._report.notes.append(f"{name} raised {type(error).__name__}: {error}")
                move = None
            row.seconds += perf_counter() - start
            yield move
            if move is None:
                return
            row.matched += 1

    def _by_rule(self, variable: Graph, rule: Rule) -> Iterator[Move]:
        form = self._terms.read(variable)
        matcher = self._matchers.get(id(rule))
        if matcher is None:
            theory = self._terms.theory
            matcher = self._matchers[id(rule)] = compile_pattern(as_term(rule.pattern), theory)
        tensors = dict(_operands(rule.pattern))
        dtype = cast(Any, variable.type).dtype
        for bindings, rest in islice(matcher.extend(form), ANSWERS):
            if any(self._is_unit(head, bindings[p]) for p, head in tensors.items()):
                continue
            graphs = {
                p: self._terms.graph(value, dtype=dtype if p in tensors else None)
                for p, value in bindings.items()
            }
            if all(condition.holds(graphs) for condition in rule.conditions):
                result = substitute(rule.replacement, bindings)
                if rest:
                    result = Term((matcher.pattern.plain[0], result, *rest))
                built = self._terms.result(result, variable)
                yield from self._usable(variable, rule.name, built, graphs)

    def _by_goal(self, variable: Graph, relation: Relation) -> Iterator[Move]:
        answer = var()
        for result in islice(run(None, answer, relation(variable, answer)), ANSWERS):
            built = self._terms.result(getattr(result, "evaled_obj", result), variable)
            yield from self._usable(variable, relation.name, built, {})

    def _is_unit(self, head: Any, value: Any) -> bool:
        """Whether a match only put in a unit, ``x`` read as ``x * 1``: it would go on forever."""
        unit = self._terms.theory.properties(head).unit
        return unit is not NO_UNIT and not isinstance(value, Variable) and bool(value == unit)

    @staticmethod
    def _usable(old: Graph, name: str, new: Any, bindings: dict[Any, Any]) -> Iterator[Move]:
        if isinstance(new, Variable) and keeps_type(old, new) and not alike(old, new):
            yield Move(name, new, {str(p): value for p, value in bindings.items()})


def _operands(pattern: Any) -> Iterator[tuple[Any, Any]]:
    """The parameters that stand for tensors, not for an axis or a flag, each with its operator."""
    head, *parts = pattern
    for part in parts[: len(parts) - len(head.parameters)]:
        if isvar(part):
            yield part, head
        elif is_term(part):
            yield from _operands(part)
