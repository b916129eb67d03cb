"""Turning: a reduction in another orientation, in which it may have been built already.

Gradients of products of matrices hold each reduction with its dimensions in several orders, and
with dimensions of length 1 put in.  Where none is built, what is transposed is built as it was
before: others reduce it so.
"""

from __future__ import annotations

from itertools import permutations

from kanrewrite.terms import T
from kanrewrite.view.context import Context, Masks
from kanrewrite.view.forms import App, Form, Lin, is_elementwise, remembered, walked
from kanrewrite.view.lifting import ALONG, REDUCING, Lifting
from kanrewrite.view.orders import DIMENSIONS, Order, places, shuffled, turned


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


def upright(form: App, order: Order) -> bool:
    """Tell whether a reduction has fewer dimensions in another order, or less is transposed."""
    if len(order) < form.ndim:
        return True
    now = _transposed(form.args[0])
    if not now or _transposed(form.args[0], order) >= now:
        return False
    # In another order terms may be written another way: what is turned is never turned back.
    other, _ = turned(form, order, form.home)
    return isinstance(other, App) and other.op is form.op and _transposed(other.args[0]) < now


def _transposed(form: Form, order: Order | None = None) -> int:
    """How many parts of a form are transposed where its dimensions are in an order."""
    count = 0
    for part in _parts(form):
        found = (part[d] for d in (range(len(part)) if order is None else order))
        places = [place for place in found if place is not None]
        count += places != sorted(places)
    return count


@remembered
def _parts(form: Form) -> list[tuple[int | None, ...]]:
    """Which dimensions of each part of what is elementwise are along those of a form.

    What is reduced is no part: it is reduced along other dimensions in another order.
    """
    parts = []
    for f in walked(form, opens=_opens):
        if _opens(f) or f.ndim != form.ndim or (isinstance(f, App) and f.op in REDUCING):
            continue
        places = tuple(range(f.ndim))
        if isinstance(f, App) and f.op is T.dimshuffle:
            places = f.args[1].order
        parts.append(tuple(None if f.bcast[d] else places[d] for d in range(f.ndim)))
    return parts


def _opens(form: Form) -> bool:
    return is_elementwise(form) or (isinstance(form, App) and form.op in ALONG)


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
                met.update(a.terms_of(shuffled(m, order, a)))
            masks[a.lin(met), axes] = groups
            continue
        parts = [g for g in (f, *(g for group in groups for g in group)) if g.bcast]
        if any(g.ndim != form.ndim for g in parts):
            return None
        short = set(axes) <= set(order) and all(g.constant_along(left_out) for g in parts)
        mine = order if short else (*order, *left_out)  # as what is reduced is before it is dropped
        masks[shuffled(f, mine, a), places(axes, mine)] = frozenset(
            tuple(shuffled(g, mine, a) for g in group) for group in groups
        )
    return where._replace(masks=masks)


__all__ = ["turned", "turned_around", "turns", "upright"]
