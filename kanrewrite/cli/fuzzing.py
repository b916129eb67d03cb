"""What ``kanrewrite fuzz`` shows and saves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console

from kanrewrite.cli.progress import Progress
from kanrewrite.fuzz.campaign import Campaign, fuzz


@contextmanager
def executor(jobs: int) -> Iterator[Executor | None]:
    """Some processes of this machine; None for one."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        yield None
        return
    # Not forked: threads of this process, as that of a status line, would be lost holding locks.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield pool


class Shown:
    """Prints and saves each finding once, as soon as it is known.

    Parameters
    ----------
    console : rich.console.Console
    progress : Progress
        Says how many programs were judged.
    folder : Path, optional
        Where tests are put.
    """

    def __init__(self, console: Console, progress: Progress, folder: Path | None):
        self.console = console
        self.progress = progress
        self.folder = folder
        self.count = 0

    def __call__(self, found: Campaign) -> None:
        """Show what is new."""
        self.progress.step(f"{found.programs} programs, {len(found.findings)} wrong")
        for finding in found.findings[self.count :]:
            self.console.print(f"{finding}\n")
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
                name = re.sub(r"\W", "_", finding.seed)
                (self.folder / f"test_program_{name}.py").write_text(
                    finding.source(), encoding="utf-8"
                )
        self.count = len(found.findings)


def run(
    n: int,
    seed: int,
    seconds: float | None,
    jobs: int,
    save: Path | None,
    lines: bool,
    grammar: str,
) -> bool:
    """Judge random graphs, show each that fails, and tell whether none does."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    with executor(jobs) as pool, Progress(Console(stderr=True)) as progress:
        found = fuzz(n, seed, seconds, pool, lines, Shown(console, progress, save), grammar)
    console.print(str(found))
    return not found.findings
