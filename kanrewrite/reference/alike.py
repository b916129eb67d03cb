"""Numbers that are the same object are computed once: large arrays that are tried hold few of them.

A `Real` is equal to no other one, so that what is found again is the very operand, and nothing is
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

Value = TypeVar("Value")

#: Fewer terms are added up as fast one by one.
_FEW = 8


def each(function: Callable[..., Value], *columns: Iterable[Any]) -> list[Value]:
    """A function of each element of columns, called once for those that are the same.

    Parameters
    ----------
    function : callable
        Takes as many elements as there are columns; the same ones always make the same.
    *columns : iterable
        Of one length, of hashable elements.

    Examples
    --------
    >>> asked = []
    >>> each(lambda x: asked.append(x) or 2 * x, [1, 2, 1, 1]), asked
    ([2, 4, 2, 2], [1, 2])
    """
    if len(columns) == 1:
        keys: list[Any] = list(columns[0])
        one = {key: function(key) for key in dict.fromkeys(keys)}
        return [one[key] for key in keys]
    found: dict[Any, Value] = {}
    values = []
    for key in zip(*columns, strict=True):  # a list of all keys would be walked by the collector
        if key not in found:
            found[key] = function(*key)
        values.append(found[key])
    return values


def each_object(function: Callable[..., Value], *arrays: np.ndarray[Any, Any]) -> list[Value]:
    """`each` of arrays of objects that are dear to compare or to hash, as those of mpmath are."""
    rows = zip(*arrays, strict=True)
    found: dict[Any, Value] = {}
    values = []
    for key in zip(*(map(id, array) for array in arrays), strict=True):
        row = next(rows)
        if key not in found:
            found[key] = function(*row)
        values.append(found[key])
    return values


def each_row(function: Callable[..., Value], *tables: Iterable[Iterable[Any]]) -> list[Value]:
    """A function of each row of tables, called once for those of the same elements."""
    return each(function, *(map(tuple, table) for table in tables))


def distinct(table: Iterable[Iterable[Any]]) -> tuple[list[tuple[Any, ...]], list[int]]:
    """The rows of a table without those of the same elements, and where each one is among them.

    Examples
    --------
    >>> distinct([[1, 2], [3, 4], [1, 2]])
    ([(1, 2), (3, 4)], [0, 1, 0])
    """
    places: dict[tuple[Any, ...], int] = {}
    where = [places.setdefault(tuple(row), len(places)) for row in table]
    return list(places), where


def counted(terms: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    """Each of some terms once, and how often it is there, in their order."""
    if len(terms) < _FEW:
        return ((term, 1) for term in terms)
    count: dict[Any, int] = {}
    for term in terms:
        count[term] = count.get(term, 0) + 1
    return iter(count.items())
