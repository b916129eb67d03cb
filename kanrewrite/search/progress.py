"""The progress bar of a long search."""

from __future__ import annotations

import sys
from time import perf_counter
from types import TracebackType

from rich.console import Console
from rich.progress import Progress, TaskID

#: A search shorter than this shows no bar.
PATIENCE = 1.0


class Bar:
    """A bar that appears once a search has taken a while.

    Parameters
    ----------
    total : int
        How many graphs would fill it.
    wanted : bool or None
        None shows it in terminals only.
    """

    def __init__(self, total: int, wanted: bool | None):
        self.total = total
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._since = 0.0

    def __enter__(self) -> None:
        self._since = perf_counter()

    def show(self, count: int) -> None:
        """Move it on to so many graphs."""
        if not self.wanted or perf_counter() - self._since < PATIENCE:
            return
        if self._progress is None:
            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task("graphs found", total=self.total)
            self._progress.start()
        if self._task is not None:
            self._progress.update(self._task, completed=count)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
