"""``kanrewrite improve``: forms of a formula of one's own that lose fewer digits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from kanrewrite.cli import output, script, values
from kanrewrite.cli.progress import Progress
from kanrewrite.improve import improve


def run(
    target: str,
    ranges: Sequence[str],
    budgets: tuple[float, int],
    seed: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """Search, and print what was found.

    Parameters
    ----------
    target : str
        ``FILE.py:NAME``.
    ranges : sequence of str
        ``NAME=LOW:HIGH`` for inputs that are not any finite number.
    budgets : tuple of float and int
        Seconds, and at how many points forms are measured.
    seed : int
        Of the points.
    page : Path or None
        Where the plot is written, if it is.
    as_json : bool
        Whether a program reads what is printed.

    Raises
    ------
    ScriptError, UnknownPictureFormat
        If the graph or a range cannot be had, or the plot cannot be written there.
    """
    output.check_page(page)
    with Progress(Console(stderr=True)) as progress:
        progress.step(f"running {target}")
        outputs = script.load(target)
        bounds = values.ranges_of(ranges, values.inputs_of(outputs))
        progress.step("searching")
        seconds, points = budgets
        found = improve(outputs, bounds, seconds=seconds, points=points, seed=seed, progress=False)
    if page is not None:
        found.save(page)
    if as_json:
        output.print_json(found.entry())
        return
    output.console().print(found.picture())
    if page is not None:
        Console().print(f"wrote {page}", markup=False, highlight=False, soft_wrap=True)
