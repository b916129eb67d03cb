"""``kanrewrite report``: one page about a graph of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aesara.graph.basic import Variable
from rich.console import Console

from kanrewrite import registry
from kanrewrite.cli import auditing, output, script, values
from kanrewrite.cli.progress import Progress
from kanrewrite.errors import NothingRan
from kanrewrite.ranges import shapes_for
from kanrewrite.report import GraphReport
from kanrewrite.report import report as report_on
from kanrewrite.report.measure import generated


def run(
    target: str, page: Path, inputs: Sequence[str], as_json: bool, ranges: Sequence[str] = ()
) -> None:
    """Write the page.

    Parameters
    ----------
    target : str
        ``FILE.py:NAME``.
    page : Path
        Where it is written.
    inputs : sequence of str
        ``NAME=VALUE`` for inputs whose values are given.
    as_json : bool
        Whether a program reads what is printed.
    ranges : sequence of str
        ``NAME=LOW:HIGH`` for the audit.

    Raises
    ------
    ScriptError, UnknownPictureFormat
        If the graph or a value cannot be had, or the page cannot be written there.
    """
    output.check_page(page, [".html"])
    with Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        named = values.inputs_of(outputs)
        known = values.ranges_of(ranges, named)
        fixed = {named[name]: value for name, value in values.given(inputs, named).items()}
        shapes = shapes_for(outputs, list(named.values()), fixed)

        def generate(variables: Sequence[Variable[Any, Any]], scale: float) -> list[Any]:
            made = generated(variables, scale, shapes)
            return [
                value if v not in fixed else fixed[v] * _factor(fixed[v], scale)
                for v, value in zip(variables, made, strict=True)
            ]

        progress.step("rewriting, and comparing with high precision")
        file, _, name = target.rpartition(":")
        with registry.disabled():
            registry.enable()  # a script may have registered some of its own only
            found = report_on(outputs, f"{name} in {Path(file).name}", generate, ranges=known)
        found.save(page)
    if as_json:
        output.print_json(_entry(found, page))
    else:
        Console().print(f"wrote {page}", markup=False, highlight=False, soft_wrap=True)


def _factor(value: Any, scale: float) -> Any:
    """What a given value is multiplied by; whole numbers mean what they are."""
    return value.dtype.type(scale) if value.dtype.kind == "f" else value.dtype.type(1)


def _entry(found: GraphReport, page: Path) -> dict[str, Any]:
    return {
        "page": str(page),
        "title": found.title,
        "fired": Counter(event.name for event in found.steps.fired_events),
        "errors": [{"name": c.name, "scales": c.scales, "ulps": c.errors} for c in found.curves],
        "audit": (
            str(found.audit) if isinstance(found.audit, NothingRan) else auditing.entry(found.audit)
        ),
        "near": [explanation.relation.name for explanation in found.near],
        "stock_seconds": found.stock_seconds,
        "seconds": found.seconds,
    }
