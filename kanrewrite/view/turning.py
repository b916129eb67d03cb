"""Turning: a reduction in another orientation, in which it may have been built already.

Gradients of products of matrices hold each reduction with its dimensions in several orders, and
with dimensions of length 1 put in.
"""

from __future__ import annotations

from itertools import permutations

from kanrewrite.terms import T
from kanrewrite.view.context import Context, Masks
from kanrewrite.view.forms import App, Axes, Form, Lin
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Shuffle

#: Up to how many dimensions all their orders are tried.
DIMENSIONS = 3
Order = tuple[int, ...]


def turns(form: App) -> list[Order]:
    """The orders of the dimensions of a reduction, without those that nothing in it has.

    That without such dimensions alone, where there are any.
    """
    hidden = form.args[2] if form.op is T.shift else ()
    parts = [f for f in (form.args[0], *hidden) if f.bcast]
    kept = [d for d in range(form.ndim) if d in form.args[1] or not all(f.bcast[d] for f in parts)]
    if len(kept) < form.ndim:
        return [tuple(kept)]
    return list(permutations(kept))[1:] if len(kept) <= DIMENSIONS else []


def turned(form: App, order: Order, a: Lifting) -> tuple[Form, Shuffle]:
    """A reduction with its dimensions in another order, and the way back."""
    inner, axes = a.shuffle(form.args[0], order), _places(form.args[1], order)
    if form.op is T.shift:
        hidden = tuple(_shuffled(f, order, a) for f in form.args[2])
        other: Form = a.shift(a.lin(a.terms_of(inner)), axes, hidden)
    else:
        other = a.sum(inner, axes)
    back = tuple(order.index(d) if d in order else "x" for d in range(form.ndim))
    return other, Shuffle(back, other.bcast)


def turned_around(where: Context, form: App, order: Order, a: Lifting) -> Context | None:
    """Where a reduction is built in another order of its dimensions, None where that is not known.

    It is not where sums of other dimensions divide around it.
    """
    left_out = tuple(d for d in range(form.ndim) if d not in order)
    masks: Masks = {}
    for (f, axes), groups in where.masks.items():
        if not axes and isinstance(f, Lin):  # of what is met, each as it is and as it is turned
            met = dict(f.terms)
            for m in (m for m, _ in f.terms if m.ndim == form.ndim and m.constant_along(left_out)):
                met.update(a.terms_of(_shuffled(m, order, a)))
            masks[a.lin(met), axes] = groups
            continue
        parts = [g for g in (f, *(g for group in groups for g in group)) if g.bcast]
        if any(g.ndim != form.ndim for g in parts):
            return None
        short = set(axes) <= set(order) and all(g.constant_along(left_out) for g in parts)
        mine = order if short else (*order, *left_out)  # as what is reduced is before it is dropped
        masks[_shuffled(f, mine, a), _places(axes, mine)] = frozenset(
            tuple(_shuffled(g, mine, a) for g in group) for group in groups
        )
    return where._replace(masks=masks)


def _places(axes: Axes, order: Order) -> Axes:
    return tuple(sorted(order.index(d) for d in axes))


def _shuffled(form: Form, order: Order, a: Lifting) -> Form:
    found = a.shuffle(form, order) if form.bcast else form
    return a.lin(a.terms_of(found)) if isinstance(form, Lin) else found
