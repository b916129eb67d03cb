"""Indices and shapes as parameters of operators: what has a hash, and back."""

from __future__ import annotations

from dataclasses import dataclass
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
    """An index as a tuple of what has a hash."""
    if isinstance(index, slice):
        return Slice(index.start, index.stop, index.step)
    return tuple(map(hashable, index)) if type(index) in (tuple, list) else index


def plain_index(index: Any) -> Any:
    """An index, or a shape, as Python writes it."""
    if isinstance(index, Slice):
        return slice(*map(plain_index, (index.start, index.stop, index.step)))
    if isinstance(index, Held):
        return index.variable
    return tuple(map(plain_index, index)) if isinstance(index, tuple) else index
