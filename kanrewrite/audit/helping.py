"""What would have helped: the relation that makes a result right, or why none does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanrewrite import registry
from kanrewrite.audit.compiling import Run, rewritten, runner
from kanrewrite.audit.inputs import Array, Graph
from kanrewrite.audit.judging import Judge
from kanrewrite.audit.result import Risk
from kanrewrite.clock import wall
from kanrewrite.errors import NoSuchStep
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.relation import Relation
from kanrewrite.trace import Event, trace
from kanrewrite.why import Explanation
from kanrewrite.why.nearest import nearest

#: How many risks are explained, the worst first.
_MOST = 4


def explained(
    risks: Sequence[Risk],
    scales: Judge,
    seconds: float,
    is_compiled: bool = False,
    stock: Run | None = None,
) -> list[Risk]:
    """Risks with what would have helped.

    Parameters
    ----------
    risks : sequence of Risk
        The worst first; those that no rewrite can help stay as they are.
    scales : Judge
        Knows the outputs and their scales.
    seconds : float
        For how long it is tried.
    is_compiled : bool
        Whether the risks are those of a compilation with the relations that are enabled, which
        need not be tried again then.
    stock : callable, optional
        Computes the outputs without relations; then other relations than those that are enabled,
        which take seconds to compile with, are not tried.
    """
    end = wall() + seconds
    asked = [risk for risk in risks[:_MOST] if not risk.inherent]
    wrong = _names(registry.enabled()) if is_compiled else None
    tried = _Tried(scales.outputs, wrong, stock)
    found = []
    for risk in risks:
        if not any(risk is one for one in asked):
            found.append(risk)
        else:
            try:
                with limited(end - wall(), wall):
                    found.append(replace(risk, help=_help(risk, scales, tried, end)))
            except OutOfTime:
                found.append(replace(risk, help="there was no time to find what helps"))
    return found


def _help(risk: Risk, scales: Judge, tried: _Tried, end: float) -> str:
    judged = _Judged(risk, scales)
    with registry.disabled():
        if tried.helps(judged):
            return "compiled it is right, by Aesara's own rewrites"
    for families in () if tried.is_brief else ((), tuple(registry.BY_NAME)):
        event = _relation_that_helps(judged, tried, families)
        if event is not None:
            relation = registry.registered().get(event.name)
            place = f" ({relation.source})" if relation is not None else ""
            call = f"kanrewrite.enable({', '.join(map(repr, families))})"
            return f"with {call} it is right: {event.name}{place} makes it so"
    closest = _nearest(risk, end)
    which = " that is enabled" * tried.is_brief
    if closest is None:
        return f"no relation{which} comes near"
    near = f"{closest.relation.name} ({closest.relation.source}) comes nearest"
    hint = f"; {closest.hint}" if closest.hint else ""
    return f"no relation{which} helps; {near}, but {closest.reason}{hint}"


def _relation_that_helps(judged: _Judged, tried: _Tried, families: Sequence[str]) -> Event | None:
    """The rewrite with which a result becomes right, of all relations and of some families."""
    with registry.disabled():
        registry.enable()
        if families:
            registry.enable(*families)
        if not tried.helps(judged):
            return None
        try:
            return trace.bisect(judged.is_wrong_alone)
        except NoSuchStep:
            return None


def _names(relations: Sequence[Relation]) -> frozenset[str]:
    return frozenset(relation.name for relation in relations)


class _Judged:
    """The output that a risk is about, judged at its witness."""

    def __init__(self, risk: Risk, scales: Judge):
        self.output = risk.output
        self.witness = risk.witness
        place = next(n for n, out in enumerate(scales.outputs) if out is risk.output)
        self.judge = Judge([risk.output])
        self.judge.coarsest = scales.coarsest
        self.judge.scales = [scales.scales[place]]
        self.truth = self.judge.exact(risk.witness)

    def is_wrong(self, result: Array | None) -> bool:
        """Whether a result is wrong, or none."""
        return result is None or bool(self.judge.faults([result], self.truth, self.witness))

    def is_wrong_alone(self) -> bool:
        """Whether it is wrong where nothing else is compiled, with what is enabled."""
        inputs = list(self.witness)
        graph = rewritten(inputs, [self.output], None)
        results, _ = runner(inputs, graph)(list(self.witness.values()))
        return self.is_wrong(results[0] if results else None)


class _Tried:
    """All outputs, compiled once for each choice of relations."""

    def __init__(
        self, outputs: Sequence[Graph], known_wrong: frozenset[str] | None, stock: Run | None
    ):
        self.outputs = list(outputs)
        self.known_wrong = known_wrong
        self.is_brief = stock is not None
        self._runs: dict[frozenset[str], Run] = {frozenset(): stock} if stock else {}

    def helps(self, judged: _Judged) -> bool:
        """Whether an output is right with the relations that are enabled."""
        chosen = _names(registry.enabled())
        if chosen == self.known_wrong:
            return False
        inputs = list(judged.witness)
        if chosen not in self._runs:
            self._runs[chosen] = runner(inputs, rewritten(inputs, self.outputs, None))
        results, _ = self._runs[chosen](list(judged.witness.values()))
        place = next(n for n, out in enumerate(self.outputs) if out is judged.output)
        return not judged.is_wrong(results[place] if results else None)


def _nearest(risk: Risk, end: float) -> Explanation | None:
    """The relation that comes furthest below the operator at fault."""
    asked = registry.enabled() or registry.relations()
    return next(iter(nearest(asked, [risk.operator], end - wall(), shared=1.0)), None)
