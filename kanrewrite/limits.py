"""Limits of time for what a user wrote, or what may explode.

A relation or a guard may sleep or never end.  It is interrupted by a timer where there is one, that
is in the main thread of systems with ``setitimer``.  Elsewhere what comes back late has still used
up its time, and is not asked again.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kanrewrite.clock import now

#: Seconds until an interruption that was swallowed is repeated.
AGAIN = 0.5
#: Seconds until one is that came while something was being forgotten, which takes no time.
SOON = 1e-3
#: Modules, and names of functions, whose code runs when something is forgotten.
_FORGETTING = frozenset({"weakref", "_weakrefset"})
_FINALIZERS = frozenset({"__del__", "_free"})
#: When the limits end that hold now, each inside the one before, and by which clock.
_ends: list[tuple[Callable[[], float], float]] = []


class OutOfTime(BaseException):
    """What is interrupted; no ``Exception``, which rewriters and relations catch."""


def _interrupt(_signal: int, frame: FrameType | None) -> None:
    if _ends and _left() > 0:
        _wind()  # the machine was busy with something else
    elif _is_finalizing(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
    else:
        raise OutOfTime


def _is_finalizing(frame: FrameType | None) -> bool:
    """Tell whether something is being forgotten, where what is raised is lost."""
    told = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module in _FORGETTING or frame.f_code.co_name in _FINALIZERS or frame.f_code in told:
            return True
        frame = frame.f_back
    return False


def _has_timer() -> bool:
    """Whether there is a timer that nobody else has set."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and (bool(_ends) or signal.getitimer(signal.ITIMER_REAL)[0] == 0)
    )


def _left() -> float:
    """Seconds until the limit that ends first."""
    return min(end - clock() for clock, end in _ends)


def _wind() -> None:
    """Set the timer to the limit that ends first."""
    left = max(_left(), 1e-6) if _ends else 0.0
    signal.setitimer(signal.ITIMER_REAL, left, AGAIN if _ends else 0.0)


@contextmanager
def limited(seconds: float, clock: Callable[[], float] = now) -> Iterator[None]:
    """Let what is inside last so many seconds, and no longer than a limit around it.

    Parameters
    ----------
    seconds : float
        No more than 0 is out of time at once.
    clock : callable
        Which tells the time: by default that of this thread alone.

    Raises
    ------
    OutOfTime
        After that time, or, where there is no timer, when what is inside has ended too late.

    Examples
    --------
    >>> with limited(10):
    ...     sum(range(10))
    45
    """
    if seconds <= 0:
        raise OutOfTime
    if not _has_timer():
        end = clock() + seconds
        yield
        if clock() > end:
            raise OutOfTime
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    _ends.append((clock, clock() + seconds))
    try:
        _wind()
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _ends.pop()
        signal.signal(signal.SIGALRM, before)
        _wind()


def within_outer_limits() -> None:
    """Go on after an interruption, if it was the innermost limit that had ended.

    Raises
    ------
    OutOfTime
        Where a limit around it is over: then nothing that is inside of that was too slow by itself.
    """
    if _ends and _left() <= 0:
        raise OutOfTime
