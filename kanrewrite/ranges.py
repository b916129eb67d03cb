"""Ranges of inputs, as people give them: ``{x: (low, high)}``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.errors import NoSuchInput, UnusableRange

Graph = Variable[Any, Any]


def by_variable(given: Mapping[Any, Any], known: Sequence[Graph]) -> dict[Graph, Any]:
    """What is given for inputs, or for their names, by input.

    Raises
    ------
    NoSuchInput
        If something is given for what is none.
    """
    names = {v.name: v for v in known if v.name}
    found = {}
    for key, value in given.items():
        variable = names.get(key) if isinstance(key, str) else key
        if variable not in known:
            raise NoSuchInput(key, [str(v) for v in known])
        found[cast(Graph, variable)] = value
    return found


def limits(dtype: Any) -> tuple[float, float]:
    """The smallest and the largest number of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    if dtype.kind in "iu":
        return float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
    return 0.0, 1.0


def between(variable: Graph, given: Any) -> tuple[float, float]:
    """A range of an input, cut to what its dtype can hold.

    Raises
    ------
    UnusableRange
        If it is no pair of numbers, is empty, or holds nothing of the dtype.
    """
    dtype = np.dtype(cast(Any, variable.type).dtype)
    least, most = limits(dtype)
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError):
        raise UnusableRange(variable, given, "it is no pair of numbers") from None
    if math.isnan(low) or math.isnan(high) or low > high:
        raise UnusableRange(variable, given, "it is empty")
    low, high = max(low, least), min(high, most)
    if low > high:
        raise UnusableRange(variable, given, f"no {dtype} is in it")
    return low, high
