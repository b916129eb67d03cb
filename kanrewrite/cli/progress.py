"""Saying what takes so long, but only when it takes long."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.status import Status
from typing_extensions import Self


class Progress:
    """A status line that appears after a delay and follows the steps of a command.

    Parameters
    ----------
    console : rich.console.Console
        Where it appears; where that is no terminal, each step is a line of its own.
    delay : float
        Seconds without anything.
    """

    def __init__(self, console: Console, delay: float = 1.0):
        self._console = console
        self._status = Status("", console=console)
        self._timer = threading.Timer(delay, self._appear)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._visible = False
        self._text = ""

    def step(self, text: str) -> None:
        """Say what is being done from now on."""
        with self._lock:
            self._text = text
            if self._visible:
                self._say()

    def _say(self) -> None:
        if self._console.is_terminal:
            self._status.update(f"{self._text} ...")
        else:
            self._console.print(f"{self._text} ...", highlight=False, markup=False)

    def _appear(self) -> None:
        with self._lock:
            self._visible = True
            if self._console.is_terminal:
                self._status.start()
            if self._text:
                self._say()

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._visible = False
            self._status.stop()
