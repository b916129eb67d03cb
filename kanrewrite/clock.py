"""Time as limits count it: what a thread waited for a processor is not its own.

A relation that sleeps uses up its time, one on a busy machine does not: what is left out must not
depend on what else the machine does.  Nor does a full collection of garbage count, which goes
through all that the process holds, for a second and more where that is much, and comes to whoever
makes an object next.  What somebody waits for, as an audit, lasts as long as they
say by the clock on the wall.  Linux says how long a thread was ready and did not run; where
nobody says it, all time counts.
"""

from __future__ import annotations

import gc
import os
import threading
from contextlib import suppress
from time import perf_counter
from typing import Any

#: Of the thread that opens it: nanoseconds that it ran, that it waited, and how often.
_STATISTICS = "/proc/thread-self/schedstat"


class _Statistics:
    """What the system says of a thread, opened once."""

    def __init__(self) -> None:
        self.pid, self._file = os.getpid(), -1
        with suppress(OSError):
            self._file = os.open(_STATISTICS, os.O_RDONLY | os.O_CLOEXEC)

    def waited(self) -> float:
        """Seconds in which the thread was ready and did not run."""
        if self._file < 0:
            return 0.0
        return int(os.pread(self._file, 99, 0).split()[1]) * 1e-9

    def __del__(self) -> None:
        if self._file >= 0:
            os.close(self._file)


#: The generation of objects that is collected with all others.
_FULL = 2
#: When the collection that runs has begun, and how many seconds all have taken.
_collecting = [0.0, 0.0]
_own = threading.local()
#: Seconds, of which differences count, whatever else the machine does.
wall = perf_counter


def now() -> float:
    """Seconds, of which differences count, in which this thread ran or slept, but for collections.

    Examples
    --------
    >>> before = now()
    >>> now() >= before
    True
    """
    return _running() - _collecting[1]


def _running() -> float:
    """Seconds in which this thread ran or slept, whatever it did."""
    statistics: _Statistics | None = getattr(_own, "statistics", None)
    if statistics is None or statistics.pid != os.getpid():  # a fork's threads are others
        statistics = _own.statistics = _Statistics()
    return perf_counter() - statistics.waited()


def _collects(phase: str, info: dict[str, Any]) -> None:
    """What the collector of garbage tells, before and after it has run."""
    if info["generation"] == _FULL:
        if phase == "start":
            _collecting[0] = _running()
        else:
            _collecting[1] += _running() - _collecting[0]


gc.callbacks.append(_collects)
