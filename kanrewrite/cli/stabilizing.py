"""``kanrewrite stabilize``: a graph of one's own, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from aesara.graph.basic import Variable
from rich.console import Console

from kanrewrite import registry
from kanrewrite.audit import Audit, audit
from kanrewrite.cli import auditing, output, script, tables, values
from kanrewrite.cli.progress import Progress
from kanrewrite.cli.values import Comparison
from kanrewrite.display import brief
from kanrewrite.draw.diff import diff
from kanrewrite.draw.text import diff_text
from kanrewrite.trace import Event, Recorder, trace

Graph = Variable[Any, Any]


class Stabilized(NamedTuple):
    """What became of a graph: outputs by name, before and after, the rewrites, the numbers."""

    names: list[str]
    before: list[Graph]
    after: list[Graph]
    steps: Recorder
    comparisons: list[Comparison]
    audited: Audit | None = None

    @property
    def right(self) -> bool:
        """Whether no audit was asked for, or it found nothing."""
        return self.audited is None or self.audited.ok


def stabilized(
    target: str,
    inputs: Sequence[str],
    scales: Sequence[float],
    only: Sequence[str],
    seed: int,
    ranges: Sequence[str] | None = None,
) -> Stabilized:
    """Rewrite a graph and evaluate it before and after.

    Parameters
    ----------
    target : str
        ``FILE.py:NAME``.
    inputs : sequence of str
        ``NAME=VALUE`` for inputs whose values are given.
    scales : sequence of float
        How large generated values are.
    only : sequence of str
        Relations or families, all if there is none.
    seed : int
        Of the generated values.
    ranges : sequence of str, optional
        ``NAME=LOW:HIGH`` for an audit of the result; without it there is none.

    Raises
    ------
    ScriptError, UnknownRelation
        If the graph, a value or a relation cannot be had.
    """
    with Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        names = _names(target.rpartition(":")[2], outputs)
        fixed = values.given(inputs, values.inputs_of(outputs))
        progress.step("loading the relations")
        registry.enable(*only)
        progress.step("rewriting")
        with trace(refusals=False) as steps:
            after = registry.stabilize(outputs)
        progress.step("comparing with stock Aesara and with high precision")
        comparisons = values.compare(outputs, fixed, scales, seed)
        audited = None
        if ranges is not None:
            progress.step("auditing")
            known = values.ranges_of(ranges, values.inputs_of(outputs))
            audited = audit(outputs, known)
    return Stabilized(names, outputs, after, steps, comparisons, audited)


def _names(asked: str, outputs: Sequence[Graph]) -> list[str]:
    """What outputs are called: as they are named, or as they were asked for."""
    if len(outputs) == 1:
        return [outputs[0].name or asked]
    return [out.name or f"{asked}[{n}]" for n, out in enumerate(outputs)]


def show(found: Stabilized, graph: bool, as_json: bool) -> None:
    """Print it: the numbers first, then what fired, then the trees where they are wanted."""
    if as_json:
        output.print_json(_entry(found))
        return
    console = output.console()
    for comparison in found.comparisons:
        for name, value in comparison.inputs.items():
            console.print(f"{name} = {tables.numbers(value)}", markup=False, highlight=False)
        console.print(tables.comparison_table(comparison, found.names), "")
    console.print(tables.fired_table(found.steps))
    if found.audited is not None:
        console.print("")
        auditing.show(found.audited, as_json=False)
    if graph:
        for tree in diff_text(diff(found.before, found.after)):
            # What is in both is written in one line, which is not to be cut.
            output.wide().print("", tree, sep="\n")


def _entry(found: Stabilized) -> dict[str, Any]:
    return {
        "fired": [_fired(event) for event in found.steps.fired_events],
        "before": [brief(graph) for graph in found.before],
        "after": [brief(graph) for graph in found.after],
        "comparisons": [_compared(c, found.names) for c in found.comparisons],
        "audit": None if found.audited is None else auditing.entry(found.audited),
    }


def _fired(event: Event) -> dict[str, Any]:
    return {
        "relation": event.name,
        "where": event.where,
        "before": brief(event.before),
        "after": None if event.after is None else brief(event.after),
        "source": event.source,
        "seconds": event.seconds,
    }


def _compared(comparison: Comparison, names: Sequence[str]) -> dict[str, Any]:
    unknown = comparison.truth if isinstance(comparison.truth, str) else None
    outputs = []
    for n, name in enumerate(names):
        stock, ours = comparison.stock[n], comparison.ours[n]
        entry: dict[str, Any] = {"name": name, "stock": stock, "kanrewrite": ours}
        if not isinstance(comparison.truth, str):
            truth = comparison.truth[n]
            entry["truth"] = tables.rounded(truth, ours)
            entry["stock_error_ulps"] = tables.worst_error(stock, truth)
            entry["error_ulps"] = tables.worst_error(ours, truth)
        outputs.append(entry)
    return {
        "inputs": dict(comparison.inputs),
        "chosen": comparison.title,
        "truth_unknown": unknown,
        "outputs": outputs,
    }
