"""``kanrewrite report``: one page about a graph of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from aesara.graph.basic import Variable
from rich.console import Console

from kanrewrite.cli import script, values
from kanrewrite.cli.commands import app, reported
from kanrewrite.cli.progress import Progress
from kanrewrite.report import report as report_on
from kanrewrite.report.measure import generated


@app.command()
def report(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:NAME",
            help="A script, and in it a variable, a list of variables, or a function that returns "
            "them. The script is run.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page that is written, ending in .html.")
    ] = Path("report.html"),
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="NAME=VALUE",
            help="The value of an input, scaled as generated ones are if it is a float: a Python "
            "literal or a .npy file.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a page: which relations fired where, before and after, errors, what nearly matched."""
    with reported(), Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        named = values.inputs_of(outputs)
        fixed = {named[name]: value for name, value in values.given(inputs or [], named).items()}

        def generate(variables: Sequence[Variable[Any, Any]], scale: float) -> list[Any]:
            made = generated(variables, scale)
            return [
                value if v not in fixed else fixed[v] * _factor(fixed[v], scale)
                for v, value in zip(variables, made, strict=True)
            ]

        progress.step("rewriting, and comparing with high precision")
        report_on(outputs, Path(target.rpartition(":")[0]).name, generate).save(output)
        Console().print(f"wrote {output}", markup=False, highlight=False)


def _factor(value: Any, scale: float) -> Any:
    """What a given value is multiplied by; whole numbers mean what they are."""
    return value.dtype.type(scale) if value.dtype.kind == "f" else value.dtype.type(1)
