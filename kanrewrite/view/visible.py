"""What is not a number stays visible where the symbol for it has cancelled.

``v / (v + v)`` is 1/2 whatever v is, and not a number where v is none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable
from aesara.tensor.elemwise import Elemwise

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, pieces
from kanrewrite.view.heat import is_mask


def with_nan(
    new: Variable[Any, Any],
    var: Variable[Any, Any],
    operands: Iterable[Form],
    left: Collection[Variable[Any, Any]],
) -> Variable[Any, Any]:
    """A result with nan where what its elements were made of, and are no longer, is nan.

    Parameters
    ----------
    new, var
        The result, and what it replaces.
    operands
        What the node of the latter was read from.
    left
        What the result is made of.
    """
    if var.owner is None or not isinstance(var.owner.op, Elemwise):
        return new
    known = set(left)
    for leaf in dict.fromkeys(v for form in operands for v in _elements(form)):
        if leaf not in known and leaf.type == var.type:
            new = at.switch(at.isnan(leaf), leaf, new)
    return new


def _elements(form: Form) -> Iterator[Variable[Any, Any]]:
    """The variables of whose elements those of a form are made, where nothing can hide them."""
    stack, seen = [form], set[Form]()
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, Leaf) and isinstance(part.var, Variable):
            yield part.var
        elif _shows(part):
            stack.extend(pieces(part))


def _shows(form: Form) -> bool:
    """Tell whether a form is nan wherever one of its elements is."""
    if isinstance(form, App):
        return form.op is T.log
    masks = (f for f in pieces(form) if is_mask(f))
    return isinstance(form, Lin | Sum | Prod) and not any(masks)
