"""Making a counterexample small."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from aesara.graph.basic import Variable

Array = np.ndarray[Any, Any]
Values = Mapping[Variable[Any, Any], Array]

#: Not more than this many attempts to make a counterexample smaller.
ATTEMPTS = 150


def shrunk(values: Values, fails: Callable[[Values], bool]) -> Values:
    """Values that still fail: first smaller arrays, then simpler numbers.

    Parameters
    ----------
    values : mapping from Variable to ndarray
        They fail.
    fails : callable
        Whether others do.

    Returns
    -------
    mapping from Variable to ndarray
    """
    attempts = iter(range(ATTEMPTS))
    improved = True
    while improved:
        improved = False
        for simpler in _simpler(values):
            if next(attempts, None) is None:
                return values
            if fails(simpler):
                values, improved = simpler, True
                break
    return values


def _simpler(values: Values) -> Iterator[Values]:
    yield from _shorter(values)
    for variable, value in values.items():
        for where in np.ndindex(value.shape):
            for number in _numbers(value[where]):
                changed = value.copy()
                changed[where] = number
                yield {**values, variable: changed}


def _shorter(values: Values) -> Iterator[Values]:
    """Half, or one entry less, along a dimension, counted from the last as broadcasting does."""
    longest = max((value.ndim for value in values.values()), default=0)
    for axis in range(1, longest + 1):
        lengths = {v.shape[-axis] for v in values.values() if v.ndim >= axis} - {1}
        if len(lengths) == 1 and (n := lengths.pop()) > 1:
            half = n // 2
            for kept in (slice(0, half), slice(half, n), slice(0, n - 1), slice(1, n)):
                yield {v: _cut(value, axis, kept) for v, value in values.items()}


def _cut(value: Array, axis: int, kept: slice) -> Array:
    if value.ndim < axis or value.shape[-axis] == 1:
        return value
    index = [slice(None)] * value.ndim
    index[-axis] = kept
    return value[tuple(index)]


def _numbers(value: Any) -> Iterator[Any]:
    """Simpler numbers than one, the simplest first."""
    if value.dtype.kind == "b" or value == 0:
        return
    simple = [0, 1, -1, 2, -2]
    known = next((i for i, n in enumerate(simple) if n == value), len(simple))
    yield from simple[:known]
    if known == len(simple) and np.isfinite(value):
        yield from (n for n in (np.trunc(value), np.trunc(value / 2)) if abs(n) < abs(value))
