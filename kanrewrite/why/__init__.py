"""`why_not`: how far a relation came in a graph, and what stopped it.

The reasons come from the matcher itself: it is asked for weaker and weaker demands of the pattern,
at every node, and the furthest answer is reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any

from aesara.graph.basic import Constant, Variable, graph_inputs, io_toposort
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry
from kanrewrite.ac import Matcher
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.border import checked
from kanrewrite.clock import now
from kanrewrite.display import brief
from kanrewrite.errors import Incomplete, NotAGraph, NothingToExplain, RelationWarning
from kanrewrite.insides import nodes_within
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.registry.database import pass_of
from kanrewrite.relation import REAL, Relation, Rule
from kanrewrite.relation.notation import written_out
from kanrewrite.rewriter.axioms import is_known
from kanrewrite.rewriter.heads import name_of, operators_of, roots_of
from kanrewrite.rewriter.replace import alike
from kanrewrite.rewriter.signs import signed_pattern
from kanrewrite.rewriter.terms import Terms, numbers_in
from kanrewrite.search.moves import ANSWERS, RelationMoves
from kanrewrite.search.report import Report
from kanrewrite.structure import outputs_of
from kanrewrite.terms import show
from kanrewrite.theory import Theory
from kanrewrite.trace import Event, trace
from kanrewrite.why.explanation import Explanation
from kanrewrite.why.hints import hint_for, spelled
from kanrewrite.why.weaken import Demand, Path, demands, hole, weakened

__all__ = ["Explanation", "why_not"]

Graph = Variable[Any, Any]
#: How long places are looked at, and as long again what a compilation makes of a match.
SECONDS = 5.0


@checked
def why_not(relation: Relation | str, graph: Any, theory: Theory = REAL) -> Explanation:
    """Why a relation does not fire in a graph: its furthest partial match, in words.

    Parameters
    ----------
    relation : Relation or str
        Or the name of a known one. With equations; a goal constructor says nothing of what it
        looks for.
    graph : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        Where it was expected to fire; the steps of its loops are looked through as well.
    theory : Theory
        What equations without a theory of their own are matched modulo.

    Returns
    -------
    Explanation
        The place, what matched there, what was wanted and found instead, and a hint where there is
        one; or that the relation does match.

    Raises
    ------
    NothingToExplain
        For a goal constructor.
    UnknownRelation, NotAGraph
        For a name that is none, and for what is no graph.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> from kanrewrite.relation import eq, relation
    >>> from kanrewrite.terms import T
    >>> @relation
    ... def log_exp(x):
    ...     yield eq(T.log(T.exp(x)), x)
    >>> x = at.vector("x")
    >>> why_not(log_exp, at.log(1 + at.exp(x))).reason
    'exp(x) is wanted, the graph has 1 + exp(x)'
    """
    relation = registry.named(relation)
    if relation.is_goal:
        raise NothingToExplain(relation.name, relation.source)
    stated = relation.rules(relation.direction or "forward")
    rules = [rule for each in stated for rule in written_out(each)]
    outputs = outputs_of(graph)
    if not outputs:
        raise NotAGraph(graph)
    best = _furthest(relation, rules, outputs, theory)
    if best is None or not best.fires:
        known = _found_when_compiled(relation, rules, outputs) if _is_graph(graph) else None
        return known or best or _nowhere(relation, rules, outputs)
    match, start = best, now()
    with suppress(OutOfTime), limited(SECONDS):
        best = best.although(_left_as_it_was(relation, best.place))
        if best.fires and _is_graph(graph):
            best = best.gone(_made_before(relation, rules, outputs, theory))
    if now() - start >= SECONDS:
        return match.gone(f"what a compilation makes of it was not found out in {SECONDS:g} s")
    return best


def _furthest(
    relation: Relation, rules: Sequence[Rule], outputs: Sequence[Graph], theory: Theory
) -> Explanation | None:
    """The furthest partial match of all that there are in some graphs."""
    search = _Furthest(relation, Terms(theory, numbers_in(r.pattern for r in rules)))
    heads = [(rule, roots_of(rule)) for rule in rules]
    places = [
        (out, asked)
        for node in nodes_within(outputs)
        if (asked := [rule for rule, names in heads if name_of(node.op) in names])
        for out in node.outputs
    ]
    best: Explanation | None = None
    seen = 0
    with suppress(OutOfTime), limited(SECONDS):
        for out, asked in places:
            tried = [found for found in (search.at(out, rule) for rule in asked) if found]
            # Of equally near equations the first as written, of equally near places the last.
            here = max(tried, key=attrgetter("rank"), default=None)
            if here is not None and (best is None or here.rank >= best.rank):
                best = here
            seen += 1
    if best is None and seen < len(places):
        pattern, first = show(rules[0].pattern), places[0][0]
        best = Explanation(relation, first, pattern, "", "there was no time to look at any place")
    return best and replace(best, unseen=len(places) - seen)


def _is_graph(given: object) -> bool:
    """Tell whether something is what is compiled, and not what came of that."""
    return isinstance(given, Variable | Sequence)


def _found_when_compiled(
    relation: Relation, rules: Sequence[Rule], outputs: Sequence[Graph]
) -> Explanation | None:
    """Where compilation follows a relation, in what Aesara and the relation make of the graph."""
    with suppress(OutOfTime), limited(SECONDS):
        fired = _fired(relation, registry.canonical(outputs))
        if fired is not None:
            return Explanation(relation, fired.before, show(rules[0].pattern), "").matches()
    return None


def _fired(relation: Relation, graphs: Sequence[Graph]) -> Event | None:
    """The first time that the pass of a relation follows it."""
    with trace() as steps:
        _passed(relation, graphs)
    return next((e for e in steps.fired_events if e.name == relation.name), None)


def _made_before(
    relation: Relation, rules: Sequence[Rule], outputs: Sequence[Graph], theory: Theory
) -> str:
    """What Aesara makes of a match before relations are tried, empty where it still is one."""
    there = registry.canonical(outputs)
    if _fired(relation, there) is not None:
        return ""
    best = _furthest(relation, rules, there, theory)
    but = f", where {best.reason}" if best is not None and best.reason else ""
    place = there[0] if best is None else best.place
    return f"Aesara makes {brief(place)} of it before relations are tried{but}"


def _left_as_it_was(relation: Relation, place: Graph) -> str:
    """Why the pass that compilation runs leaves a match as it was, empty where it does not."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RelationWarning)
        unchanged = alike(place, _passed(relation, [place])[0])
    reasons = (str(w.message) for w in told if issubclass(w.category, RelationWarning))
    return next(reasons, "what it makes is read as what is there, and is no smaller" * unchanged)


def _passed(relation: Relation, outputs: Sequence[Graph]) -> Sequence[Graph]:
    """What the pass that compilation runs makes of graphs."""
    inputs = dict.fromkeys(x for x in graph_inputs(outputs) if not isinstance(x, Constant))
    fgraph = FunctionGraph(list(inputs), list(outputs), clone=True, copy_inputs=False)
    # The library's relations work together: what one of them makes of a form is built by others.
    others = registry.usual() if relation.bundled else ()
    pass_of(tuple(dict.fromkeys([*others, relation]))).apply(fgraph)
    return list(fgraph.outputs)


def _nowhere(relation: Relation, rules: Sequence[Rule], outputs: Sequence[Graph]) -> Explanation:
    """No node has the operator of the pattern's root."""
    heads = " or ".join(sorted({str(rule.pattern[0].name) for rule in rules}))
    reason = f"no operator of the graph can be read as {heads}"
    pattern = show(rules[0].pattern)
    return Explanation(relation, outputs[0], pattern, "", reason)


def _near(demand: Demand, found: Any) -> int:
    """How many of the operators that a demand names occur below what was found."""
    if not isinstance(found, Variable):
        return 0
    below = {name_of(node.op) for node in io_toposort([], [found])}
    return len(below & set(operators_of(demand.part)))


def _units(bindings: Mapping[Any, Any]) -> int:
    """How many parameters stand for a number that could be added or multiplied with anywhere."""
    return sum(map(_is_unit, bindings.values()))


def _fewest_units(every: Iterator[dict[Any, Any]]) -> dict[Any, Any] | None:
    """The first of those with fewest units; what comes after one that has none is not asked for."""
    best, least = None, 0
    for bindings in every:
        units = _units(bindings)
        if best is None or units < least:
            best, least = bindings, units
        if not least:
            break
    return best


def _is_unit(value: Any) -> bool:
    if isinstance(value, Constant):
        value = value.data.item() if value.data.size == 1 else None
    return isinstance(value, int | float) and value in (0, 1)


def _is_written(unit: Any, place: Graph) -> bool:
    """Whether somebody has written a number at or below a place, or only the theory has."""
    number = unit.data.item() if isinstance(unit, Constant) else unit
    return any(
        isinstance(x, Constant) and _is_unit(x) and x.data.item() == number
        for node in io_toposort([], [place])
        for x in node.inputs
    )


class _Furthest:
    """The furthest partial match at one variable at a time."""

    def __init__(self, relation: Relation, terms: Terms):
        self.relation = relation
        self.terms = terms
        # A rewrite reads graphs by what the library says that operators mean, unless it is asked
        # for by name; one order for all relations, as to prepare another one takes a while.
        usual = [r for r in registry.usual() if r == relation or r.name != relation.name]
        readings = usual if relation in usual else [relation, *usual]
        self.moves = RelationMoves([relation], "simplify", terms, Report(), readings)
        self._matchers: dict[Any, Matcher] = {}
        self._given_up: set[tuple[int, Graph]] = set()
        self._fires: dict[Graph, bool] = {}
        self._ground: dict[int, Any] = {}

    def _match(self, rule: Rule, kept: frozenset[Path], variable: Graph) -> dict[Any, Any] | None:
        """The bindings of a match of a weakened pattern: of the first with fewest operands added.

        An operand that the pattern has and the graph has not stands for 0 or 1.
        """
        key = (id(rule.pattern), kept)
        if key not in self._matchers:
            pattern = signed_pattern(weakened(rule.pattern, kept))
            self._matchers[key] = compile_pattern(pattern, self.terms.theory)
        if (id(rule), variable) in self._given_up:
            return None
        matches = self._matchers[key].extend(self.terms.read(variable), written=True)
        try:
            every = islice((bindings for bindings, _ in matches), ANSWERS)
            known = (found for found in every if is_known(found, self._ground))
            return _fewest_units(known)
        except Incomplete:  # a search that is given up has found nothing, nor will the next one
            self._given_up.add((id(rule), variable))
            return None

    def at(self, variable: Graph, rule: Rule) -> Explanation | None:
        """How far a rule comes at a variable; None where not even its root is there."""
        if variable not in self._fires:
            self._fires[variable] = any(move is not None for move in self.moves(variable))
        if self._fires[variable]:
            return Explanation(self.relation, variable, show(rule.pattern), "").matches()
        kept: frozenset[Path] = frozenset()
        found = self._match(rule, kept, variable)
        if found is None:
            return None
        missing: list[tuple[Demand, dict[Any, Any]]] = []
        wanted = demands(rule.pattern)
        for demand in wanted:
            parent = demand.path[:-1]
            if parent and parent not in kept:
                continue
            further = self._match(rule, kept | {demand.path}, variable)
            if further is None:
                missing.append((demand, found))
            else:
                kept, found = kept | {demand.path}, further
        # What is read as x + 0 or x * 1 only to be a sum or a product has nothing of the pattern.
        units = sum(_is_unit(x) and not _is_written(x, variable) for x in found.values())
        share = max(1 + len(kept) - units, 0) / (1 + len(wanted))
        matched = show(weakened(rule.pattern, kept))
        whole = Explanation(self.relation, variable, show(rule.pattern), matched, share=share)
        if missing:
            return self._differs(whole, found, missing[0][0])
        return self._refused(whole, rule, variable)

    def _differs(
        self,
        whole: Explanation,
        bindings: dict[Any, Any],
        demand: Demand,
    ) -> Explanation:
        there = self._graph(bindings.get(hole(demand.path)))
        if demand.repeats is not None:
            first = self._graph(bindings.get(demand.part))
            reason = (
                f"{demand.part} stands for {spelled(first)} in one place and for {spelled(there)} "
                "in another"
            )
        else:
            label = f"{demand.setting}=" if demand.setting else ""
            there_is = f"{label}{spelled(there)}"
            if not demand.setting and _is_unit(there) and not _is_written(there, whole.place):
                there_is = "nothing in its place"
            reason = f"{label}{show(demand.part)} is wanted, the graph has {there_is}"
        return whole.because(reason, hint_for(demand, there), there, _near(demand, there))

    def _graph(self, value: Any) -> Any:
        return value if value is None else self.terms.graph(value)

    def _refused(self, whole: Explanation, rule: Rule, variable: Graph) -> Explanation:
        """Everything is there: a guard or the type may still stand against it."""
        for bindings in self._all(rule, variable):
            graphs = {p: self.terms.graph(value) for p, value in bindings.items()}
            for condition in rule.conditions:
                if not condition.holds(graphs):
                    values = ", ".join(
                        f"{v} = {spelled(graphs.get(v))}" for v in condition.variables
                    )
                    return whole.because(f"the guard {condition} fails for {values}")
        return whole.because("what it would put there has another type, or is there already")

    def _all(self, rule: Rule, variable: Graph) -> Iterator[dict[Any, Any]]:
        matcher = compile_pattern(signed_pattern(rule.pattern), self.terms.theory)
        try:
            for bindings, _ in islice(
                matcher.extend(self.terms.read(variable), written=True), ANSWERS
            ):
                if is_known(bindings, self._ground):
                    yield bindings
        except Incomplete:
            return
