"""Checking one rule in many settings."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from aesara.graph.basic import (
    Constant,
    Variable,
    graph_inputs,
    io_toposort,
)
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.tensor.type import TensorType

from kanrewrite.errors import RelationError, RelationWarning
from kanrewrite.relation import Relation, Rule
from kanrewrite.rewriter import RelationRewriter, View
from kanrewrite.verify.branches import around_choices
from kanrewrite.verify.checks import (
    Comparison,
    Undecided,
    Values,
    build,
    compare,
    errors_in_ulps,
    exact,
    type_difference,
)
from kanrewrite.verify.report import Counterexample, Report, shown
from kanrewrite.verify.rewriting import passed, put, replaced
from kanrewrite.verify.settings import Setting, draw, settings, vectors
from kanrewrite.verify.shrinking import shrunk

Graph = Variable[Any, Any]
MakeView = Callable[[], View]
Rewrite = Callable[[Graph], Graph | None]

NOWHERE = "the matched side is not finite in any setting"
#: In how many settings of each dtype the error in ulps is measured: it takes a compilation.
MEASURED = 6


class Checker:
    """Checks rules and graphs, and counts in a report.

    Parameters
    ----------
    relation : Relation
        What is checked.
    report : Report
        Where it is counted.
    make_view : callable or None
        The view that graphs are read through; None leaves out what the rewriter builds.
    passes : sequence of GraphRewriter
        Rewriters of whole graphs; what they make of the matched side is compared too.
    seed, samples : int
        The settings tried are these; a third of them for dtypes other than float64.
    shrink : bool
        Whether a counterexample is made small.
    regimes : sequence of str
        The kinds of values.
    """

    def __init__(
        self,
        relation: Relation,
        report: Report,
        make_view: MakeView | None,
        passes: Sequence[GraphRewriter],
        seed: int,
        samples: int,
        shrink: bool,
        regimes: Sequence[str],
    ) -> None:
        self.relation, self.report = relation, report
        # What is left when exponents have been cancelled, or where they are, is computed in floats.
        self.floats = relation.where != "everywhere"
        self.passes = tuple(passes)
        self.make_view, self.seed, self.samples = make_view, seed, samples
        self.shrink, self.regimes = shrink, regimes
        self.measured: Counter[str] = Counter()

    # --- equations ------------------------------------------------------------------------------
    def rule(self, rule: Rule, dtype: str, used: bool = True) -> Counterexample | None:
        """A setting in which a rule does not hold.

        Parameters
        ----------
        rule : Rule
            Its pattern is what must be defined for its replacement to be equal.
        dtype : str
            Of the tensors.
        used : bool
            Whether the relation rewrites by it; if not, nothing is counted or rewritten.
        """
        rewriters = self._rewriters(rule) if used else []
        terms = (rule.pattern, rule.replacement)
        finite, problem = 0, "no setting satisfies its conditions"
        count = self.samples if dtype == "float64" else self.samples // 3
        asked = (terms, rule.conditions, self.seed, dtype)
        tried = chain(settings(*asked, count, self.regimes), self._choices(*asked))
        left: list[Setting] = []
        turn = 0  # in each other setting, copies are rounded
        while (setting := left.pop() if left else next(tried, None)) is not None:
            try:
                turn += 1
                old, new = (build(t, setting.bindings, dtype, bool(turn % 2)) for t in terms)
                value = exact([old], setting.values)[0]
                comparison = compare(old, new, setting.values, value, rule.error, self.floats)
            except Undecided:
                halves = list(setting.halves())
                left += halves
                self.report.undecided += used and not halves
                continue
            except Exception as error:  # noqa: BLE001  # the setting does not fit the equation
                if problem != NOWHERE:
                    problem = f"no setting can be built and evaluated: {error}"
                continue
            problem = NOWHERE
            finite += comparison.finite
            if used:
                self._count(comparison)
            if comparison.why:
                return self._counterexample(rule, setting, old, new, comparison.why)
            found = self._rewritten(rule, setting, old, rewriters, value)
            if found is not None:
                return found
        if used and not finite:
            self.report.problem = problem
        return None

    def _choices(
        self, terms: Sequence[Any], conditions: Sequence[Any], seed: int, dtype: str
    ) -> Iterator[Setting]:
        """A setting with samples in every branch, where a side chooses."""
        setting = vectors(terms, conditions, seed, dtype, self.regimes)
        if setting is None:
            return
        try:
            sides = [build(term, setting.bindings, dtype) for term in terms]
        except Exception:  # noqa: BLE001  # the setting does not fit the equation, as above
            return
        values = around_choices(sides, setting.values, finite="masked" not in self.regimes)
        if values is not None:
            yield setting.with_values(values)

    def _count(self, comparison: Comparison) -> None:
        self.report.settings += 1
        self.report.elements += comparison.compared
        self.report.undefined += comparison.undefined

    def _rewriters(self, rule: Rule) -> list[Rewrite]:
        """What rewrites the matched side: the relation's own rewriter, and the passes."""
        found: list[Rewrite] = []
        if self.make_view is not None and rule in rule.relation.rules():
            # What a relation does to its own spelling, and what to those that the view reads as it.
            for as_written in (True, False):
                rewriter = RelationRewriter(rule.relation, self.make_view, as_written=as_written)
                found.append(partial(replaced, rewriter))
        if self.passes:
            found.append(partial(passed, self.passes))
        return found

    def _rewritten(
        self, rule: Rule, setting: Setting, old: Graph, rewriters: Sequence[Rewrite], value: Any
    ) -> Counterexample | None:
        """The same for the graphs that rewriters build, their types included."""
        measured = False
        for rewrite in rewriters:
            with warnings.catch_warnings():
                # a rewriter that is left out warns, and then never rewrites
                warnings.simplefilter("error", RelationWarning)
                try:
                    new = rewrite(old)
                except RelationWarning as warning:
                    return self._text(rule, setting, str(warning))
            if new is None:
                continue
            found = self._built(rule, setting, old, new, value)
            if found is not None:
                return found
            if not measured:  # the errors of a setting count once
                self._measure(old, new, setting.values, value)
            measured = True
        return None

    def _built(
        self, rule: Rule, setting: Setting, old: Graph, new: Graph, value: Any
    ) -> Counterexample | None:
        self.report.rewrites += 1
        why = type_difference(old, new)
        if why:
            return self._text(rule, setting, f"rewritten, {why}")
        try:
            comparison = compare(old, new, setting.values, value, rule.error, self.floats)
        except Undecided:
            self.report.undecided += 1
            return None
        if comparison.why:
            return self._counterexample(rule, setting, old, new, comparison.why, "rewritten, ")
        return None

    def _measure(self, old: Graph, new: Graph, values: Values, truth: Any) -> None:
        dtype = old.type.dtype
        if truth.dtype != object or not truth.size or self.measured[dtype] >= MEASURED:
            return
        self.measured[dtype] += 1
        worst = errors_in_ulps([old, new], values, truth)
        for errors, error in zip(
            (self.report.ulps_before, self.report.ulps_after), worst, strict=True
        ):
            errors[dtype] = max(error, errors.get(dtype, 0.0))

    # --- counterexamples ------------------------------------------------------------------------
    def _counterexample(
        self, rule: Rule, setting: Setting, old: Graph, new: Graph, why: str, how: str = ""
    ) -> Counterexample:
        reasons = [why]

        def fails(values: Values) -> bool:
            try:
                comparison = compare(old, new, values, error=rule.error, floats=self.floats)
            except Exception:  # noqa: BLE001  # smaller values may not fit the graph
                return False
            if comparison.why:
                reasons.append(comparison.why)
            return bool(comparison.why)

        if self.shrink:
            setting = setting.with_values(shrunk(setting.values, fails))
        return self._text(rule, setting, how + reasons[-1])

    def _text(self, rule: Rule, setting: Setting, why: str) -> Counterexample:
        return Counterexample(str(rule), why, _described(setting), setting.size)

    # --- examples -------------------------------------------------------------------------------
    def example(self, graph: Graph, expected: Graph | None, name: str) -> Counterexample | None:
        """A difference between a graph and what it is to become, or does become."""
        if expected is None:
            expected = self._anywhere(graph)
        if expected is None:
            return None
        why = type_difference(graph, expected)
        if why:
            return Counterexample(name, why, {}, 0)
        rng = np.random.default_rng(self.seed)
        error = max((e.error for e in self.relation.equations), default=0.0)
        for regime in self.regimes:
            values = values_for([graph, expected], rng, regime)
            try:
                comparison = compare(graph, expected, values, error=error, floats=self.floats)
            except Undecided:
                self.report.undecided += 1
                continue
            except Exception:  # noqa: BLE001  # these shapes do not fit the graph
                continue
            self._count(comparison)
            if comparison.why:
                setting = Setting({v.name or str(v): v for v in values}, values, regime)
                return Counterexample(name, comparison.why, _described(setting), setting.size)
        return None

    def _anywhere(self, graph: Graph) -> Graph | None:
        """The first replacement that the relation makes in a graph, at any node of it."""
        if self.make_view is None:
            return None
        rewriter = RelationRewriter(self.relation, self.make_view)
        for node in io_toposort([], [graph]):
            for old in node.outputs:
                new = replaced(rewriter, old)
                if new is not None:
                    self.report.rewrites += 1
                    return new if old is graph else put(graph, old, new)
        return None


def values_for(outputs: Sequence[Graph], rng: np.random.Generator, regime: str) -> dict[Any, Any]:
    """Values for the inputs of graphs, all unknown lengths being one number."""
    length = int(rng.integers(1, 4))
    values = {}
    for variable in graph_inputs(outputs):
        if isinstance(variable, Constant) or not isinstance(variable.type, TensorType):
            continue
        shape = tuple(length if n is None else n for n in variable.type.shape)
        drawn = draw(rng, shape, regime, variable.type.dtype)
        # integers are indices and labels, as a rule
        values[variable] = drawn % length if drawn.dtype.kind in "iu" else drawn
    return values


def _described(setting: Setting) -> dict[str, str]:
    texts = {str(p): shown(v) for p, v in setting.bindings.items() if not isinstance(v, Variable)}
    for variable, value in setting.values.items():
        texts[str(variable)] = f"{shown(value.tolist())} ({value.dtype}, shape {value.shape})"
    return texts


def turned(relation: Relation) -> Iterator[Rule]:
    """The rules of the direction that a relation is not used in, as far as there are."""
    for equation in relation.equations:
        variant: Any = copy(relation)
        variant.equations = (equation,)
        try:
            yield from variant.rules("backward")
        except RelationError:
            continue
