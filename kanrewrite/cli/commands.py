"""The commands and their options; what does the work is imported when one is run.

``kanrewrite --help`` answers without importing Aesara.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kanrewrite.errors import KanrewriteError

app = typer.Typer(
    name="kanrewrite",
    help="Relational rewriting of Aesara graphs.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

Target = Annotated[
    str,
    typer.Argument(
        metavar="FILE.py:NAME",
        help="A script, and in it a variable, a list of variables, or a function that returns "
        "them. The script is run; relations that it registers take part.",
        show_default=False,
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        "-i",
        metavar="NAME=VALUE",
        help="The value of an input, a Python literal or a .npy file. Inputs without a value "
        "get generated ones.",
        show_default=False,
    ),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        "-r",
        metavar="NAME=LOW:HIGH",
        help="Where an input is, -1e3:1e3 say; can be given repeatedly. Without a range it may be "
        "any finite number.",
        show_default=False,
    ),
]
Script = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.py", help="Run a script first: the relations that it registers are known."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs to read.")]


@contextmanager
def reported() -> Iterator[None]:
    """Turn kanrewrite's own errors into one message and exit code 2."""
    try:
        yield
    except KanrewriteError as error:
        from rich.console import Console

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
        from rich.console import Console

        from kanrewrite import demo as demonstration

        right = demonstration.run(Console())
    raise typer.Exit(0 if right else 1)


@app.command("list")
def list_relations(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAMES]...", help="Relations or families to show; without any, all of them."
        ),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(help="The same as a name; can be given repeatedly."),
    ] = None,
    rules: Annotated[
        bool,
        typer.Option(
            "--rules",
            help="Show the rules too, and those that completion derives, with the pair of each.",
        ),
    ] = False,
    script: Script = None,
    as_json: Json = False,
) -> None:
    """Every relation: its family, its equations, where it is written, whether it is enabled."""
    with reported():
        from kanrewrite.cli import listing

        listing.run([*(names or []), *(family or [])], rules, script, as_json)


@app.command()
def stabilize(
    target: Target,
    inputs: Inputs = None,
    scale: Annotated[
        list[float], typer.Option(help="How large generated values are; can be given repeatedly.")
    ] = [1.0, 1000.0],  # noqa: B006  # typer reads it and does not change it
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="RELATION", help="Enable only these relations or families."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the generated values.")] = 0,
    graph: Annotated[
        bool, typer.Option("--graph", help="Show the graph before and after as trees, too.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Audit the result; exit code 1 if it is wrong anywhere."),
    ] = False,
    ranges: Ranges = None,
    as_json: Json = False,
) -> None:
    """Rewrite a graph of your own: the numbers before and after, and what fired where."""
    with reported():
        from kanrewrite.cli import stabilizing

        found = stabilizing.stabilized(
            target, inputs or [], scale, only or [], seed, ranges or ([] if strict else None)
        )
        stabilizing.show(found, graph, as_json)
    raise typer.Exit(1 if strict and not found.right else 0)


@app.command()
def audit(
    target: Target,
    ranges: Ranges = None,
    gradient: Annotated[
        bool, typer.Option("--gradient", help="Audit the derivatives in all inputs, too.")
    ] = False,
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Audit the graph as it is, not as compiled.")
    ] = False,
    stock: Annotated[
        bool, typer.Option("--no-relations", help="Compile as Aesara does without the library.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="RELATION", help="Enable only these relations or families."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A picture, ending in .html or .svg.", show_default=False
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="How many inputs are tried.")] = 64,
    seconds: Annotated[float, typer.Option(min=0, help="How long they are tried at most.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Of the inputs.")] = 0,
    as_json: Json = False,
) -> None:
    """Is a graph safe: inputs at which it is wrong, and what is proved; exit code 1 if not."""
    with reported():
        from kanrewrite.cli import auditing

        right = auditing.run(
            target,
            ranges or [],
            only or [],
            stock,
            output,
            as_json,
            gradient=gradient,
            as_written=as_written,
            samples=samples,
            seconds=seconds,
            seed=seed,
        )
    raise typer.Exit(0 if right else 1)


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RELATION]...", help="Relations or families; all of them by default."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Settings tried for each equation.")] = 48,
    seed: Annotated[int, typer.Option(help="Of the settings.")] = 0,
    script: Script = None,
    as_json: Json = False,
) -> None:
    """Check relations in high precision; exit code 1 if one of them is refused."""
    with reported():
        from kanrewrite.cli import verifying

        right = verifying.run(names or [], samples, seed, script, as_json)
    raise typer.Exit(0 if right else 1)


@app.command()
def report(
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page that is written, ending in .html.")
    ] = Path("report.html"),
    inputs: Inputs = None,
    ranges: Ranges = None,
    as_json: Json = False,
) -> None:
    """Write a page: which relations fired where, errors, whether it is safe, what nearly matched.

    Given values are scaled as generated ones are if they are floats.
    """
    with reported():
        from kanrewrite.cli import reporting

        reporting.run(target, output, inputs or [], as_json, ranges or [])


@app.command()
def improve(
    target: Target,
    ranges: Ranges = None,
    seconds: Annotated[float, typer.Option(min=0, help="How long is searched at most.")] = 10.0,
    points: Annotated[int, typer.Option(min=1, help="At how many inputs forms are measured.")] = 96,
    seed: Annotated[int, typer.Option(help="Of the points.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The plot, ending in .html or .svg.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Search forms of a formula that lose fewer digits, and what each costs."""
    with reported():
        from kanrewrite.cli import improving

        improving.run(target, ranges or [], (seconds, points), seed, output, as_json)


@app.command()
def fuzz(
    n: Annotated[int, typer.Option("--n", min=1, help="How many random graphs.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the graphs.")] = 0,
    seconds: Annotated[
        float | None, typer.Option(help="No graph is begun after it.", show_default=False)
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 for one on each processor.")] = 1,
    save: Annotated[
        Path | None,
        typer.Option(help="A folder into which each failure is put as a test.", show_default=False),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Count the lines of the engine that are reached.")
    ] = False,
    grammar: Annotated[
        str,
        typer.Option(help="What graphs are made of: operators, idioms, both in turn, or graphs."),
    ] = "both",
) -> None:
    """Judge random graphs against stock Aesara and high precision; exit code 1 if one is wrong."""
    with reported():
        from kanrewrite.cli import fuzzing

        right = fuzzing.run(n, seed, seconds, jobs, save, lines, grammar)
    raise typer.Exit(0 if right else 1)
