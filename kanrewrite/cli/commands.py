"""The commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from kanrewrite import demo as demonstration
from kanrewrite import registry
from kanrewrite.cli import script, tables, values
from kanrewrite.cli.progress import Progress
from kanrewrite.completion import derived
from kanrewrite.draw.diff import diff
from kanrewrite.draw.text import diff_text
from kanrewrite.errors import KanrewriteError
from kanrewrite.relation import Relation, Rule
from kanrewrite.trace import trace
from kanrewrite.verify import verify as check

app = typer.Typer(
    name="kanrewrite",
    help="Relational rewriting of Aesara graphs.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@contextmanager
def reported() -> Iterator[None]:
    """Turn kanrewrite's own errors into one message and exit code 2."""
    try:
        yield
    except KanrewriteError as error:
        Console(stderr=True, soft_wrap=True).print(f"Error: {error}", style="red", markup=False)
        raise typer.Exit(2) from error


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(sys.modules["kanrewrite"].__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # acts by its callback
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Relational rewriting of Aesara graphs: what people write by hand, made safe."""


@app.command()
def demo() -> None:
    """Hand-written softmaxes and a classifier: stock Aesara, kanrewrite and truth side by side."""
    with reported():
        right = demonstration.run(Console())
    raise typer.Exit(0 if right else 1)


@app.command("list")
def list_relations(
    family: Annotated[
        str | None, typer.Option(help="Only the relations of this family, or of this name.")
    ] = None,
    rules: Annotated[
        bool,
        typer.Option(
            "--rules",
            help="Show the rules too, and those that completion derives, with the pair of each.",
        ),
    ] = False,
) -> None:
    """Every relation: its family, its equations, where it is written, whether it is enabled."""
    with reported():
        registry.enable(*([family] if family else []))
        shown = [r for r in registry.relations() if family is None or family in (r.family, r.name)]
        known = registry.relations()

        def rules_of(relation: Relation) -> list[Rule]:
            return [*relation.rules(), *derived(relation, known)] if rules else []

        Console().print(tables.relation_table(shown, registry.enabled(), rules_of))


@app.command()
def stabilize(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:NAME",
            help="A script, and in it a variable, a list of variables, or a function that returns "
            "them. The script is run.",
            show_default=False,
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="NAME=VALUE",
            help="The value of an input, a Python literal or a .npy file. Inputs without a value "
            "get generated ones.",
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        list[float], typer.Option(help="How large generated values are; can be given repeatedly.")
    ] = [1.0, 1000.0],  # noqa: B006  # typer reads it and does not change it
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="RELATION", help="Enable only these relations or families."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the generated values.")] = 0,
) -> None:
    """Rewrite a graph of your own: what fired where, before and after, and the numbers."""
    console = Console()
    with reported(), Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        names = [output.name or f"output {n}" for n, output in enumerate(outputs)]
        fixed = values.given(inputs or [], values.inputs_of(outputs))
        progress.step("loading the relations")
        registry.enable(*(only or []))
        progress.step("rewriting")
        with trace(refusals=False) as steps:
            after = registry.stabilize(outputs)
        progress.step("comparing with stock Aesara and with high precision")
        comparisons = values.compare(outputs, fixed, scale, seed)
        progress.step("printing")
        console.print(tables.fired_table(steps), "")
        console.print(*diff_text(diff(outputs, after)), "", sep="\n")
        for comparison in comparisons:
            for name, value in comparison.inputs.items():
                console.print(f"{name} = {tables.numbers(value)}", markup=False, highlight=False)
            console.print(tables.comparison_table(comparison, names), "")


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RELATION]...", help="Relations or families; all of them by default."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(help="Settings tried for each equation.")] = 48,
    seed: Annotated[int, typer.Option(help="Of the settings.")] = 0,
) -> None:
    """Check relations in high precision; exit code 1 if one of them is refused."""
    console = Console()
    failed = 0
    with reported(), Progress(Console(stderr=True)) as progress:
        progress.step("loading the relations")
        registry.enable(*(names or []))
        for relation in registry.enabled():
            progress.step(f"checking {relation.name}")
            report = check(relation, seed=seed, samples=samples, view=registry.view_of(relation))
            failed += not report.ok
            console.print(str(report), style="" if report.ok else "red", markup=False)
    raise typer.Exit(1 if failed else 0)
