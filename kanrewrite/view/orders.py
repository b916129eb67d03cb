"""Orders: a reduction with its dimensions in another order."""

from __future__ import annotations

from typing import Any

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Axes, Form, Lin
from kanrewrite.view.moves import Shuffle

#: Up to how many dimensions all their orders are tried.
DIMENSIONS = 3
Order = tuple[int, ...]


def turned(form: App, order: Order, a: Any) -> tuple[Form, Shuffle]:
    """A reduction with its dimensions in another order, and the way back."""
    inner, axes = a.shuffle(form.args[0], order), places(form.args[1], order)
    if form.op is T.shift:
        hidden = tuple(shuffled(f, order, a) for f in form.args[2])
        other: Form = a.shift(a.lin(a.terms_of(inner)), axes, hidden)
    elif form.op is T.others:
        other = a.app(T.others, inner, axes, bcast=inner.bcast)
    else:
        other = a.sum(inner, axes)
    back = tuple(order.index(d) if d in order else "x" for d in range(form.ndim))
    return other, Shuffle(back, other.bcast)


def places(axes: Axes, order: Order) -> Axes:
    """Where some axes are in another order of the dimensions."""
    return tuple(sorted(order.index(d) for d in axes))


def shuffled(form: Form, order: Order, a: Any) -> Form:
    """A form in another order of the dimensions, and an exponent as an exponent."""
    found: Form = a.shuffle(form, order) if form.bcast else form
    return a.lin(a.terms_of(found)) if isinstance(form, Lin) else found
