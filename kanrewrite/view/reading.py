"""Graphs read as forms, one variable at a time, for whoever wants to know what is equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite.laws import Laws
from kanrewrite.view.forms import Leaf
from kanrewrite.view.nodes import FLOATS
from kanrewrite.view.read import View


def forms(laws: Laws) -> Callable[[Variable[Any, Any]], Hashable]:
    """A reading by which variables are equal that have the same form.

    Parameters
    ----------
    laws
        What is followed when a graph is read.
    """
    view = View(laws)

    def read(variable: Variable[Any, Any]) -> Hashable:
        if getattr(variable.type, "dtype", None) not in FLOATS:
            return None
        try:
            form = view.read(variable)
        except Exception:  # noqa: BLE001  # what cannot be read is equal to itself
            view.read_as_leaf(variable)
            return None
        # A form has the lengths of what it is made of: zeros like this and like that are both 0.
        lengths = tuple(form.bcast) == tuple(variable.type.broadcastable)
        own = isinstance(form, Leaf) and form.var is variable
        return form if lengths and not own else None

    return read
