"""The smallest inputs at which two graphs still differ: shorter axes, then rounder numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kanrewrite.audit.result import Witness
from kanrewrite.clock import now

Shows = Callable[[Witness], bool]


def shrunk(values: Witness, shows: Shows, seconds: float) -> Witness:
    """Smaller inputs that still show it.

    Parameters
    ----------
    values : Witness
        Inputs that do.
    shows : callable
        Whether some inputs do.
    seconds : float
        For how long it is tried.
    """
    end = now() + seconds
    for smaller in (_shorter, _rounder):
        again = True
        while again and now() < end:
            again = False
            for candidate in smaller(values):
                if now() > end:
                    break
                if shows(candidate):
                    values, again = candidate, True
                    break
    return values


def _shorter(values: Witness) -> Iterator[Witness]:
    """Axes of one length cut, all at once: those of different inputs may have to agree."""
    free = [
        (v, axis, a.shape[axis])
        for v, a in values.items()
        for axis, length in enumerate(v.type.shape)
        if length is None
    ]
    lengths = sorted({n for _, _, n in free if n > 1}, reverse=True)
    for length in lengths:
        for new in dict.fromkeys((1, length // 2, length - 1)):
            for start in dict.fromkeys((0, length - new)):
                cut = Witness(values)
                for v, axis, n in free:
                    if n == length:
                        cut[v] = np.take(cut[v], range(start, start + new), axis=axis)
                yield cut
    for v, axis, n in free:  # and one axis alone
        if n > 1:
            yield Witness({**values, v: np.take(values[v], range(1), axis=axis)})


def _rounder(values: Witness) -> Iterator[Witness]:
    for v, array in values.items():
        if array.size > 1 and np.any(array != array.ravel()[0]):
            yield Witness({**values, v: np.full_like(array, array.ravel()[0])})
        for where in np.ndindex(array.shape):
            for simple in _simpler(array[where]):
                changed = array.copy()
                changed[where] = simple
                yield Witness({**values, v: changed})


def _simpler(number: Any) -> list[Any]:
    if not np.isfinite(number) or number in (0, 1):
        return []
    tries = [0, 1, *(f(float(number)) for f in (round, _short))]
    return [t for t in tries if _length(t) < _length(number)]


def _short(number: float) -> float:
    return float(f"{number:.2g}")


def _length(number: Any) -> int:
    return len(f"{float(number):.17g}".replace("-", ""))
