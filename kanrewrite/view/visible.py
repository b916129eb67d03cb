"""What is not a number stays visible where the symbol for it has cancelled.

``v / (v + v)`` is 1/2 whatever v is, and not a number where v is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable
from aesara.tensor.elemwise import Elemwise

from kanrewrite.terms import T, operator_of
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, pieces, walked, within
from kanrewrite.view.heat import hot, is_mask

#: Operators that are nan wherever one of their operands is.
SHOWING = {
    T.add, T.sub, T.mul, T.true_div, T.neg, T.reciprocal, T.exp, T.expm1, T.log, T.log1p, T.sqr,
    T.sqrt, T.abs, T.sigmoid, T.softplus, T.tanh, T.sinh, T.cosh, T.maximum, T.minimum,
}  # fmt: skip


def with_nan(
    new: Variable[Any, Any],
    var: Variable[Any, Any],
    operands: Iterable[Form],
    form: Form,
    computed: Callable[[Form], Variable[Any, Any] | None],
) -> Variable[Any, Any]:
    """A result with nan where what its elements were made of, and are no longer, is nan.

    Parameters
    ----------
    new, var
        The result, and what it replaces.
    operands
        What the node of the latter was read from.
    form
        What the latter was read as.
    computed
        What computes a form in the graph, as it is.
    """
    if var.owner is None or not isinstance(var.owner.op, Elemwise):
        return new
    # What is multiplied with a choice between a value and zero is not chosen itself.
    shows = operator_of(var.owner.op) in SHOWING
    elements = dict.fromkeys(part for form in operands for part in _elements(form))
    for part in _gone(elements, form, is_unmasked if shows else lambda part: True):
        value = _value(part, computed)
        if value is not None and _is_spread(value, var):
            new = at.switch(at.isnan(value), value, new)
    return new


def _value(
    part: Form, computed: Callable[[Form], Variable[Any, Any] | None]
) -> Variable[Any, Any] | None:
    """What a part is worth in the graph, in its place; None where that is not computed."""
    value = part.var if isinstance(part, Leaf) else computed(part)
    if value is None and isinstance(part, App) and part.op is T.max:
        axes = part.args[1]  # the graph may have it without them
        order = tuple(d for d in range(part.ndim) if d not in axes)
        kept: Any = computed(part.home.shuffle(part, order))
        back = ("x" if d in axes else order.index(d) for d in range(part.ndim))
        value = None if kept is None else kept.dimshuffle(*back)
    return value if isinstance(value, Variable) else None


def _gone(parts: Iterable[Form], form: Form, opens: Callable[[Form], bool]) -> list[Form]:
    """Those of some parts that are not in a form, which is walked until all others are found."""
    left = dict.fromkeys(parts)
    for part in walked(form, opens=opens) if left else ():
        left.pop(part, None)
        if not left:
            break
    return list(left)


def _is_spread(leaf: Variable[Any, Any], var: Variable[Any, Any]) -> bool:
    """Tell whether each element of a variable can be made of one of a leaf's."""
    if leaf.type.dtype != var.type.dtype or leaf.type.ndim not in (0, var.type.ndim):
        return False
    lengths = zip(leaf.type.broadcastable, var.type.broadcastable, strict=False)
    return all(one or not other for one, other in lengths)


def _elements(form: Form) -> Iterator[Form]:
    """What the elements of a form are made of, where nothing can hide them."""
    for part in within(form, opens=_shows):
        if isinstance(part, Leaf) or not (_shows(part) or hot(part) or is_mask(part)):
            yield part


def is_unmasked(form: Form) -> bool:
    """Tell whether a form is no product with a mask, which may hide what is not a number."""
    return not (isinstance(form, Prod) and any(map(is_mask, pieces(form))))


def _shows(form: Form) -> bool:
    """Tell whether a form is nan wherever one of its elements is."""
    if isinstance(form, App):
        return form.op is T.log
    return isinstance(form, Lin | Sum | Prod) and is_unmasked(form)
