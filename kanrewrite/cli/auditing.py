"""``kanrewrite audit``: is a graph of one's own safe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from kanrewrite import registry
from kanrewrite.audit import Audit, Risk
from kanrewrite.audit import audit as audit_of
from kanrewrite.cli import output, script, values
from kanrewrite.cli.progress import Progress
from kanrewrite.display import brief, named


def run(
    target: str,
    ranges: Sequence[str],
    only: Sequence[str],
    stock: bool,
    picture: Path | None,
    as_json: bool,
    **options: Any,
) -> bool:
    """Audit a graph and print what was found; whether it is safe.

    Parameters
    ----------
    target : str
        ``FILE.py:NAME``.
    ranges : sequence of str
        ``NAME=LOW:HIGH``.
    only : sequence of str
        Relations or families, all if there is none.
    stock : bool
        Do without relations.
    picture : Path, optional
        Where the picture is written.
    as_json : bool
        Whether a program reads what is printed.
    **options
        Of `kanrewrite.audit`.

    Raises
    ------
    ScriptError, UnknownPictureFormat, KanrewriteError
        If the graph or a range cannot be had, the picture cannot be written there, or nothing could
        be tried.
    """
    output.check_page(picture)
    with Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        known = values.ranges_of(ranges, values.inputs_of(outputs))
        progress.step("auditing")
        with registry.disabled():
            if not stock:
                registry.enable(*only)
            found = audit_of(outputs, known, **options)
    if picture is not None:
        found.save(picture)
    show(found, as_json)
    return found.ok


def show(found: Audit, as_json: bool) -> None:
    """Print an audit."""
    if as_json:
        output.print_json(entry(found))
    else:
        output.console().print(str(found), markup=False, highlight=False)


def entry(found: Audit) -> dict[str, Any]:
    """What JSON says of an audit."""
    return {
        "ok": found.ok,
        "risks": [_risk(risk) for risk in found.risks],
        "parts": [
            {
                "variable": brief(part.variable),
                "verdict": part.verdict,
                "low": part.low,
                "high": part.high,
                "error_bits": part.error,
                "why": part.why,
            }
            for part in found.parts
        ],
        "ranges": {named(v): bounds for v, bounds in found.inputs.items()},
        "tried": found.tried,
        "judged": found.judged,
        "stopped": found.stopped,
    }


def _risk(risk: Risk) -> dict[str, Any]:
    return {
        "kind": risk.kind,
        "variable": brief(risk.variable),
        "source": risk.source,
        "witness": {named(v): value for v, value in risk.witness.items()},
        "output": risk.output.name or brief(risk.output),
        "found": risk.found,
        "truth": risk.truth,
        "digits": risk.digits,
        "error_bits": risk.error,
        "operator": brief(risk.operator),
        "silent": risk.silent,
        "harmless": risk.harmless,
        "help": risk.help,
    }
