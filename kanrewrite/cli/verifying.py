"""``kanrewrite verify``: relations in high precision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from kanrewrite import registry
from kanrewrite.cli import output
from kanrewrite.cli.progress import Progress
from kanrewrite.cli.script import run_script
from kanrewrite.verify import Report
from kanrewrite.verify import verify as check


def run(names: Sequence[str], samples: int, seed: int, script: Path | None, as_json: bool) -> bool:
    """Check relations, and print what was found; whether all of them hold.

    Parameters
    ----------
    names : sequence of str
        Relations or families, all if there is none.
    samples, seed : int
        How many settings are tried for each equation, and which.
    script : Path, optional
        A script that registers relations.
    as_json : bool
        Whether a program reads it.

    Raises
    ------
    UnknownRelation, ScriptError
        For a name that is none, and a script that cannot be run.
    """
    console = output.console()
    found = []
    with Progress(Console(stderr=True)) as progress:
        if script is not None:
            run_script(script)
        progress.step("loading the relations")
        registry.enable(*names)
        for relation in registry.some(names) if names else registry.enabled():
            progress.step(f"checking {relation.name}")
            report = check(relation, seed=seed, samples=samples, view=registry.view_of(relation))
            found.append(report)
            if not as_json:
                style = "" if report.ok else "red"
                console.print(str(report), style=style, markup=False)
    if as_json:
        output.print_json([_entry(report) for report in found])
    return all(report.ok for report in found)


def _entry(report: Report) -> dict[str, Any]:
    failure = report.failure
    return {
        "name": report.name,
        "source": report.source,
        "ok": report.ok,
        "reversible": report.reversible,
        "settings": report.settings,
        "elements": report.elements,
        "rewrites": report.rewrites,
        "ulps_before": report.ulps_before,
        "ulps_after": report.ulps_after,
        "problem": report.problem,
        "counterexample": None
        if failure is None
        else {"rule": failure.rule, "why": failure.why, "bindings": failure.bindings},
    }
