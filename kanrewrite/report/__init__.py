"""`report`: one page about a graph of one's own, for reading offline and passing on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from aesara.graph.basic import Variable

from kanrewrite import registry
from kanrewrite.audit import Audit, examined
from kanrewrite.audit.compiling import linked, rewritten, running
from kanrewrite.audit.inputs import inputs_of, needed
from kanrewrite.border import checked, page_at
from kanrewrite.display import brief, cut
from kanrewrite.errors import NothingRan
from kanrewrite.ranges import ByInput, shapes_for
from kanrewrite.report.measure import Curve, Generate, curves, generated
from kanrewrite.report.page import render
from kanrewrite.structure import computable
from kanrewrite.trace import Recorder, trace
from kanrewrite.why import Explanation
from kanrewrite.why.nearest import nearest

__all__ = ["Comparison", "Curve", "GraphReport", "compared", "report"]

Graph = Variable[Any, Any]

#: How long it is audited, what helps is looked for, and what nearly matched.
_AUDITING, _EXPLAINING, _NEARING = 2.0, 1.0, 1.0
#: Characters of the outputs in a title.
_TITLE = 60


@dataclass(frozen=True)
class GraphReport:
    """What kanrewrite makes of a graph.

    Attributes
    ----------
    title : str
        Of the page.
    before, after : list of Variable
        The graph as it was written, and as the relations leave it.
    steps : Recorder
        Every rewrite.
    curves : list of Curve
        The error over the size of the inputs, without and with the relations.
    near : list of Explanation
        What nearly matched in the graph as it was written.
    stock_seconds, seconds : float
        How long compilation takes, without and with the relations.
    audit : Audit or NothingRan
        Whether what the relations leave is safe; or that it ran at none of the inputs.
    """

    title: str
    before: list[Graph]
    after: list[Graph]
    steps: Recorder
    curves: list[Curve]
    near: list[Explanation]
    stock_seconds: float
    seconds: float
    audit: Audit | NothingRan

    @property
    def html(self) -> str:
        """The page; it needs nothing besides itself."""
        return render(self)

    def save(self, path: str | Path) -> None:
        """Write the page.

        Parameters
        ----------
        path : str or Path
            Ends in ``.html``.

        Raises
        ------
        NoSuchFolder, UnknownPictureFormat
            Where there is no such folder, and for every other ending.
        """
        page_at(Path(path), [".html"]).write_text(self.html, encoding="utf-8")


@checked
def report(
    graph: Any,
    title: str | None = None,
    generate: Generate | None = None,
    scales: Sequence[float] | None = None,
    ranges: ByInput | None = None,
) -> GraphReport:
    """Rewrite a graph, and measure it before and after against high precision.

    Parameters
    ----------
    graph : Variable or sequence of Variable
        What to report on; it is not changed.
    title : str, optional
        Of the page; by default what the outputs are named, or are.
    generate : callable
        Makes values of the inputs at a scale: ``generate(inputs, scale)`` gives one array for each;
        by default normal numbers, in axes that are long enough for the graph.
    scales : sequence of float, optional
        How large inputs are, by default from 0.01 to 10,000.
    ranges : Mapping, optional
        In which ranges inputs are audited, see `kanrewrite.audit`.

    Returns
    -------
    GraphReport

    Notes
    -----
    Measured with the relations that are enabled, or all known ones if none is.  Which relations
    are enabled is the same afterwards.
    """
    outputs = computable(graph)
    inputs = needed(outputs)
    if generate is None:
        generate = partial(generated, shapes=shapes_for(outputs, inputs))
    shapes = dict(zip(inputs, map(np.shape, generate(inputs, 1.0)), strict=True))
    chosen = registry.enabled() or registry.usual()
    with registry.disabled():
        registry.enable(*(relation.name for relation in chosen))
        found = compared(outputs, generate, scales)
        audited: Audit | NothingRan
        try:
            known = inputs_of(outputs, ranges, shapes)
            audited = examined(
                known,
                outputs,
                found.compiled,
                _AUDITING,
                explaining=_EXPLAINING,
                stock=running(found.stock),
            )
        except NothingRan as error:
            audited = error
    fired = {event.name for event in found.steps.fired_events}
    others = [relation for relation in chosen if relation.name not in fired]
    near = nearest(others, outputs, _NEARING)
    after, _, _, steps, measured, stock_seconds, seconds = found
    if title is None:
        names = ", ".join(x.name or brief(x, 3) for x in outputs)
        title = f"kanrewrite report: {cut(names, _TITLE)}"
    return GraphReport(
        title, outputs, after, steps, measured, near, stock_seconds, seconds, audited
    )


class Comparison(NamedTuple):
    """A graph without the relations that are enabled and with them.

    Attributes
    ----------
    after, compiled : list of Variable
        What it is rewritten to, and what the whole compilation makes of it.
    stock : Function
        Computes it without the relations.
    steps : Recorder
        By which relations.
    curves : list of Curve
        The errors of both.
    stock_seconds, seconds : float
        How long compiling each took.
    """

    after: list[Graph]
    compiled: list[Graph]
    stock: Any
    steps: Recorder
    curves: list[Curve]
    stock_seconds: float
    seconds: float


def compared(
    outputs: Sequence[Graph],
    generate: Generate = generated,
    scales: Sequence[float] | None = None,
) -> Comparison:
    """Rewrite and measure a graph with what is enabled, and measure it without.

    Parameters
    ----------
    outputs : sequence of Variable
    generate, scales
        As for `report`.
    """
    inputs = needed(outputs)
    with registry.disabled():
        _, stock, stock_seconds = _compiled(inputs, outputs)
    compiled, ours, seconds = _compiled(inputs, outputs)
    with trace(refusals=False) as steps:
        after = registry.stabilize(list(outputs))
    functions = {"stock Aesara": stock, "kanrewrite": ours}
    measured = curves(outputs, inputs, functions, generate, scales)
    return Comparison(after, compiled, stock, steps, measured, stock_seconds, seconds)


def _compiled(inputs: Sequence[Graph], outputs: Sequence[Graph]) -> tuple[list[Graph], Any, float]:
    start = perf_counter()
    graph = rewritten(inputs, outputs, None)
    return graph, linked(inputs, graph), perf_counter() - start
