"""What would have helped: the relation that makes a result right, or why none does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aesara.graph.basic import io_toposort

from kanrewrite import registry
from kanrewrite.audit.compiling import rewritten, runner
from kanrewrite.audit.inputs import Graph
from kanrewrite.audit.judging import Judge
from kanrewrite.audit.result import Risk
from kanrewrite.clock import now
from kanrewrite.errors import KanrewriteError, NoSuchStep
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.relation import Relation
from kanrewrite.rewriter.heads import name_of, operators_of
from kanrewrite.trace import Event, trace
from kanrewrite.why import Explanation, why_not

#: How many risks are explained, the worst first.
_MOST = 4
#: Operators that anything can be read with: sharing them does not make a relation near.
_ARITHMETIC = frozenset({"add", "sub", "mul", "true_div", "neg", "reciprocal", "dimshuffle", "sum"})
#: From this share of its pattern on, a relation comes near.
NEARLY = 0.5


def explained(risks: Sequence[Risk], scales: Judge, seconds: float) -> list[Risk]:
    """Risks with what would have helped.

    Parameters
    ----------
    risks : sequence of Risk
        The worst first; those that no rewrite can help stay as they are.
    scales : Judge
        Knows the outputs and their scales.
    seconds : float
        For how long it is tried.
    """
    end = now() + seconds
    found = []
    for n, risk in enumerate(risks):
        if risk.inherent or n >= _MOST:
            found.append(risk)
        else:
            try:
                with limited(end - now()):
                    found.append(replace(risk, help=_help(risk, scales, end)))
            except OutOfTime:
                found.append(replace(risk, help="there was no time to find what helps"))
    return found


def _help(risk: Risk, scales: Judge, end: float) -> str:
    asked = _Compiled(risk, scales)
    with registry.disabled():
        if not asked.is_wrong():
            return "compiled it is right, by Aesara's own rewrites"
    for families in ((), tuple(registry.BY_NAME)):
        event = asked.relation_that_helps(families)
        if event is not None:
            relation = registry.registered().get(event.name)
            place = f" ({relation.source})" if relation is not None else ""
            call = f"kanrewrite.enable({', '.join(map(repr, families))})"
            return f"with {call} it is right: {event.name}{place} makes it so"
    nearest = _nearest(risk, end)
    if nearest is None:
        return "no relation comes near"
    near = f"{nearest.relation.name} ({nearest.relation.source}) comes nearest"
    hint = f"; {nearest.hint}" if nearest.hint else ""
    return f"no relation helps; {near}, but {nearest.reason}{hint}"


class _Compiled:
    """The output that a risk is about, compiled again and judged at its witness."""

    def __init__(self, risk: Risk, scales: Judge):
        self.output = risk.output
        self.witness = risk.witness
        place = next(n for n, out in enumerate(scales.outputs) if out is risk.output)
        self.judge = Judge([risk.output])
        self.judge.coarsest = scales.coarsest
        self.judge.scales = [scales.scales[place]]
        self.truth = self.judge.exact(risk.witness)

    def is_wrong(self) -> bool:
        """Whether it is wrong with the relations that are enabled."""
        inputs = list(self.witness)
        graph = rewritten(inputs, [self.output], None)
        results, _ = runner(inputs, graph)(list(self.witness.values()))
        return results is None or bool(self.judge.faults(results, self.truth, self.witness))

    def relation_that_helps(self, families: Sequence[str]) -> Event | None:
        """The rewrite with which it becomes right, of all relations and of some families."""
        with registry.disabled():
            registry.enable()
            if families:
                registry.enable(*families)
            try:
                return trace.bisect(self.is_wrong)
            except NoSuchStep:
                return None


def _nearest(risk: Risk, end: float) -> Explanation | None:
    """The relation that comes furthest below the operator at fault."""
    found: list[Explanation] = []
    graphs: list[Graph] = [risk.operator]
    there = {name_of(node.op) for node in io_toposort([], graphs)} - _ARITHMETIC
    for relation in registry.enabled() or registry.relations():
        if now() > end:
            break
        if _is_asked(relation) and _operators(relation) <= there:
            try:
                explanation = why_not(relation, graphs)
            except KanrewriteError:  # how near it comes would take too long to say
                continue
            if not explanation.fires and explanation.share >= NEARLY:
                found.append(explanation)
    return max(found, key=lambda e: e.rank, default=None)


def _operators(relation: Relation) -> set[str]:
    """What a relation is about."""
    rules = relation.rules(relation.direction or "forward")
    found = {name for rule in rules for name in operators_of(rule.pattern)}
    return (found - _ARITHMETIC) or found


def _is_asked(relation: Relation) -> bool:
    return bool(relation.direction) and not relation.is_goal and not relation.states_derivatives
