"""Fitting: a result with the dimensions of what it replaces."""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable


def fitted(new: Variable[Any, Any], old: Variable[Any, Any]) -> Variable[Any, Any]:
    """Give a result the dimensions that cancelled away in it.

    ``x * (1/x)`` reads as 1; what replaces it has the shape of x all the same.
    """
    if new.type.ndim == old.type.ndim and new.type.broadcastable == old.type.broadcastable:
        return new
    if old.owner is None or new.type.ndim > old.type.ndim:
        return new
    for source in old.owner.inputs:
        same = getattr(source.type, "broadcastable", None) == old.type.broadcastable
        if same:
            return at.second(source, new)  # type: ignore[no-any-return]
    return at.second(old, new)  # type: ignore[no-any-return]
