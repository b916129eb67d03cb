"""Indices and shapes as parameters of operators: what has a hash, and back."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any


@dataclass(frozen=True)
class Slice:
    """A slice of an index; Python's own have no hash."""

    start: Any
    stop: Any
    step: Any

    def __str__(self) -> str:
        return f"slice({self.start}, {self.stop}, {self.step})"


@dataclass(frozen=True)
class Held:
    """A computed variable that a parameter of an operator holds: it is not read as a term."""

    variable: Any

    def __str__(self) -> str:
        return str(self.variable)


def hashable(index: Any) -> Any:
    """An index as a tuple of what has a hash, one for all that take the same.

    Examples
    --------
    >>> hashable((slice(0, 2, 1), slice(None))) == hashable((slice(None, 2),))
    True
    """
    if isinstance(index, slice):
        return _sliced(index)
    if type(index) not in (tuple, list):
        return index
    found = [hashable(part) for part in index]
    while len(found) > 1 and found[-1] == Slice(None, None, None):
        found.pop()  # further axes are taken as they are
    return tuple(found)


def _sliced(index: slice) -> Slice:
    step = None if _is(index.step, 1) else index.step
    start = None if step is None and _is(index.start, 0) else index.start
    return Slice(start, index.stop, step)


def _is(value: Any, number: int) -> bool:
    return isinstance(value, Integral) and value == number


def plain_index(index: Any) -> Any:
    """An index, or a shape, as Python writes it."""
    if isinstance(index, Slice):
        return slice(*map(plain_index, (index.start, index.stop, index.step)))
    if isinstance(index, Held):
        return index.variable
    return tuple(map(plain_index, index)) if isinstance(index, tuple) else index
