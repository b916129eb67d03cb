"""What relations offer at one variable: every match, not the first one only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from time import perf_counter
from typing import Any, cast

from aesara.graph.basic import (
    Apply,
    Constant,
    Variable,
    clone_replace,
    graph_inputs,
    io_toposort,
)
from aesara.graph.fg import FunctionGraph
from aesara.tensor.type import TensorType
from kanren import run
from unification import var

from kanrewrite import errors, registry
from kanrewrite.errors import KanrewriteError
from kanrewrite.inner.graphs import is_replaceable, rebuilt
from kanrewrite.insides import name_inputs
from kanrewrite.relation import Relation, Rule
from kanrewrite.rewriter.axioms import AxiomReader
from kanrewrite.rewriter.heads import Signatures, name_of, required, roots_of
from kanrewrite.rewriter.replace import alike, keeps_type
from kanrewrite.rewriter.spellings import spellings
from kanrewrite.rewriter.terms import Terms
from kanrewrite.search.found import Move
from kanrewrite.search.readers import Reader, StatedReader, ViewReader
from kanrewrite.search.report import Report
from kanrewrite.trace import trace
from kanrewrite.view.passes import LiftingPass
from kanrewrite.view.rules import LIFTING

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
    readings : iterable of Relation, optional
        Whose definitions are followed when graphs are read, the relations themselves by default.
    """

    def __init__(
        self,
        relations: Iterable[Relation],
        direction: str,
        terms: Terms,
        report: Report,
        readings: Iterable[Relation] | None = None,
    ):
        self._terms, self._report = terms, report
        every, expands = tuple(relations), direction == "expand"
        relations = [r for r in every if r.direction is not None or expands]
        self._readers: list[Reader] = [AxiomReader(terms)]
        stated: list[Reader] = self._readers
        self._lifting = LiftingPass(() if expands else every)
        if direction == "simplify":
            # Against its direction a rule starts from what the view reads as its definition.
            view = registry.view_of(*(every if readings is None else readings))()
            self._readers.append(ViewReader(view))
            stated = [StatedReader()]
        #: What relations of a place are read by, where that is not what all others are read by.
        self._readers_for = {"digits": stated}
        unused = [r.name for r in every if r.direction is None]
        if unused and not self._lifting.active and not expands:
            report.notes.append(errors.only_read(unused))
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
            for head in roots_of(rule):
                self._by_head[head].append((mask, rule))

    def _rules(self, relation: Relation, direction: str) -> list[Rule]:
        own = relation.direction or "forward"  # as it is read
        ways = {"simplify": own, "expand": _TURNED[own], "both": "both"}[direction]
        rules: list[Rule] = []
        for way in ("forward", "backward"):
            if ways in (way, "both"):
                try:
                    for rule in relation.rules(cast(Any, way)):
                        rules += spellings(rule)
                except KanrewriteError as error:
                    if relation.direction is None:
                        continue  # it is an equation for reading, and not for writing
                    note = errors.cannot_be_turned(relation.name, relation.source, error)
                    self._report.notes.append(note)
        return rules

    def passed(self, outputs: Sequence[Graph]) -> Iterator[tuple[str, list[Graph]]]:
        """The graph as the engine's lifting pass leaves it, where its equations may be used."""
        if not self._lifting.active:
            return
        row = self._report.rows[LIFTING]
        start = perf_counter()
        inputs = [x for x in graph_inputs(outputs) if not isinstance(x, Constant)]
        fgraph = FunctionGraph(inputs, list(outputs), clone=True, copy_inputs=False)
        with trace(refusals=False) as steps:
            self._lifting.apply(fgraph)
        row.tried += 1
        row.seconds += perf_counter() - start
        names = dict.fromkeys(event.name for event in steps.fired_events)
        yield ", ".join(names) or LIFTING, list(fgraph.outputs)

    def within(self, outputs: Sequence[Graph]) -> Iterator[tuple[str, list[Graph]]]:
        """The rewrites of what loops, and Ops made from graphs, do inside."""
        for node in io_toposort([], list(outputs)):
            if is_replaceable(node.op):
                yield from self._in_steps(node, outputs)

    def _in_steps(
        self, node: Apply[Any], outputs: Sequence[Graph]
    ) -> Iterator[tuple[str, list[Graph]]]:
        """The rewrites of what a loop, or an Op made from a graph, does inside."""
        name_inputs(node)
        inner: Any = node.op
        for within in io_toposort(inner.inner_inputs, inner.inner_outputs):
            for old in within.outputs:
                for move in self(old):
                    if move is None:
                        continue
                    step = clone_replace(inner.inner_outputs, {old: move.after})
                    new = rebuilt(inner, inner.inner_inputs, step).make_node(*node.inputs)
                    pairs = dict(zip(node.outputs, new.outputs, strict=True))
                    yield move.relation, clone_replace(list(outputs), pairs)

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
        found = [variable]
        for reader in self._readers_for.get(rule.relation.where, self._readers):
            for new, bindings in islice(reader.answers(rule, variable), ANSWERS):
                for move in self._usable(variable, rule.name, new, bindings):
                    if not any(alike(new, other) for other in found):
                        found.append(new)
                        yield move

    def _by_goal(self, variable: Graph, relation: Relation) -> Iterator[Move]:
        answer = var()
        for result in islice(run(None, answer, relation(variable, answer)), ANSWERS):
            built = self._terms.result(getattr(result, "evaled_obj", result), variable)
            yield from self._usable(variable, relation.name, built, {})

    @staticmethod
    def _usable(old: Graph, name: str, new: Any, bindings: dict[Any, Any]) -> Iterator[Move]:
        if isinstance(new, Variable) and keeps_type(old, new) and not alike(old, new):
            yield Move(name, new, {str(p): value for p, value in bindings.items()})
