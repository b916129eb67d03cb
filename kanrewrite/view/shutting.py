"""Shut sums: ``sum(switch(c, a*b, 0)) == switch(any(c), a, 1) * sum(switch(c, b, 0))``.

Over nothing the left side is 0 whatever a is; without its choice the right side is not where a is
infinite, as the reciprocal of another sum over nothing is.  An axis of length 0 leaves nothing too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import aesara.tensor as at
from aesara.graph.basic import Variable

from kanrewrite.guards.lengths import NOTHING, Length, is_dimension, length_of
from kanrewrite.terms import T
from kanrewrite.view.contraction import Side, sides_of
from kanrewrite.view.forms import App, Axes, Bcast, Form, Prod, Sum, remembered
from kanrewrite.view.heat import hot, is_mask
from kanrewrite.view.moves import Shuffle
from kanrewrite.view.zeros import may_vanish

if TYPE_CHECKING:
    from kanrewrite.view.bench import Bench


def kept_beside(divisor: Form, form: Prod, bcast: Bcast, b: Bench) -> Variable[Any, Any] | None:
    """Where choices leave something of what is divided; None where they hide none of it.

    It is told along the dimensions that have length 1 in a pattern.  A product that a choice hides
    itself is hidden anyway.
    """
    above = [f for f, k in form.factors if k > 0]
    if not hot(divisor) or any(_hides(f, b) for f in above):
        return None
    kept = [_kept(f, bcast, b) for f in above] if may_vanish(divisor) else []
    return _all([*kept, *_lasting(divisor, above, b)], b)


def kept_in(form: Form, b: Bench) -> Variable[Any, Any] | None:
    """Where choices leave something of what is divided by what may be 0 there."""
    if not isinstance(form, Prod):
        return None
    return _all([kept_beside(f, form, form.bcast, b) for f, k in form.factors if k < 0], b)


def _hides(form: Form, b: Bench) -> bool:
    """Tell whether a factor is a choice, which hides even what is not a number."""
    return is_mask(form) and not b.multiplies(form)


def _kept(form: Form, bcast: Bcast, b: Bench) -> Variable[Any, Any] | None:
    """Where choices leave something of a form, along the dimensions that have length 1 there.

    Forms share their parts: each is looked into once, also where nothing is hidden.
    """
    return b.reuse.once((_kept, form, bcast), lambda: (_kept_of(form, bcast, b),))[0]


def _kept_of(form: Form, bcast: Bcast, b: Bench) -> Variable[Any, Any] | None:
    if isinstance(form, Sum):
        return _any([_kept(m, bcast, b) for m, _ in form.terms], b)
    if isinstance(form, Prod):
        above = [f for f, k in form.factors if k > 0]
        # Two choices may each leave something, and both nothing: they meet before it is told.
        found = (_condition(f, b) if _hides(f, b) else _kept(f, form.bcast, b) for f in above)
        return _along(_all(list(found), b), bcast, b)
    if not isinstance(form, App):
        return None
    if _hides(form, b):
        return _along(_condition(form, b), bcast, b)
    if form.op is T.sum:
        body, axes = form.args
        return _kept(body, _shorter(bcast, axes), b) if len(bcast) == body.ndim else None
    if form.op is T.dimshuffle:
        inner, move = form.args
        return _along(_moved(_kept(inner, inner.bcast, b), move, b), bcast, b)
    if form.op in (T.dot, T.batched_dot):
        return _all([_along(_side(side, b), bcast, b) for side in sides_of(form)], b)
    return None


def _lasting(divisor: Form, above: list[Form], b: Bench) -> Iterator[Variable[Any, Any]]:
    """Whether there is anything along axes that a divisor and what is above it are summed over."""
    around = [length for f in above for length in _summed_over(f)]
    for length in _summed_over(divisor):
        places = [x for other in around for x in length & other if not isinstance(x, int)]
        if places:
            var, axis = min(places, key=_by_name)
            sizes: Any = b.make(at.shape, var)
            size = sizes[axis]
            yield b.make(at.gt, size, at.constant(0, dtype=size.type.dtype))


def may_be_empty(form: Form) -> bool:
    """Tell whether a form is summed over axes of which one may have length 0."""
    return any(_summed_over(form))


def _by_name(place: tuple[Any, int]) -> tuple[bool, str, int]:
    """Inputs come first."""
    var, axis = place
    return var.owner is not None, var.name or "", axis


@remembered
def _summed_over(form: Form) -> list[Length]:
    """The lengths of which one that is 0 makes a form 0, where they are not known."""
    if isinstance(form, Prod):
        return [length for f, k in form.factors if k > 0 for length in _summed_over(f)]
    if isinstance(form, Sum):
        first, *others = (_summed_over(m) for m, _ in form.terms)
        return [x for x in first if all(any(x & y for y in other) for other in others)]
    if isinstance(form, App) and form.op is T.dimshuffle:
        return _summed_over(form.args[0])
    if not isinstance(form, App) or form.op is not T.sum:
        return []
    body, axes = form.args
    return [*(_length(body, d) for d in axes), *_summed_over(body)]


def _length(body: Form, axis: int) -> Length:
    """The dimensions that have the length of an axis, and the number, where it may be 0."""
    found = frozenset(x for x in length_of(body, axis) if isinstance(x, int) or is_dimension(x))
    return NOTHING if any(isinstance(x, int) and x for x in found) else found


def _side(side: Side, b: Bench) -> Variable[Any, Any] | None:
    """Where choices leave something of one side of a dot product."""
    left = _kept(side.form, _shorter(side.form.bcast, (side.axis,)), b)
    return _moved(left, Shuffle(side.order, side.form.bcast), b)


def _shorter(bcast: Bcast, axes: Axes) -> Bcast:
    return tuple(one or d in axes for d, one in enumerate(bcast))


def _condition(form: Form, b: Bench) -> Variable[Any, Any]:
    """What a choice keeps, as a truth value."""
    cond, kept = form.args  # type: ignore[attr-defined]
    var = b.raw(cond)
    zero = at.constant(0, dtype=var.type.dtype)
    if var.type.dtype == "bool":
        return var if kept else b.make(at.invert, var)
    return b.make(at.neq if kept else at.eq, var, zero)


# -- truth values, of which none stands for what is true everywhere ----------------------------


def _all(found: list[Variable[Any, Any] | None], b: Bench) -> Variable[Any, Any] | None:
    out: Variable[Any, Any] | None = None
    for var in dict.fromkeys(v for v in found if v is not None):
        out = var if out is None else b.both(out, var)
    return out


def _any(found: list[Variable[Any, Any] | None], b: Bench) -> Variable[Any, Any] | None:
    out: Variable[Any, Any] | None = None
    for var in dict.fromkeys(found):
        if var is None:
            return None
        out = var if out is None else b.either(out, var)
    return out


def _along(var: Variable[Any, Any] | None, bcast: Bcast, b: Bench) -> Variable[Any, Any] | None:
    """Whether it is true anywhere along the dimensions that have length 1 in a pattern."""
    if var is None or not var.type.ndim:
        return var
    if var.type.ndim != len(bcast):
        return None
    long = zip(bcast, var.type.broadcastable, strict=True)
    axes = tuple(d for d, (one, mine) in enumerate(long) if one and not mine)
    return b.make(at.any, var, axis=axes, keepdims=True) if axes else var


def _moved(var: Variable[Any, Any] | None, move: Shuffle, b: Bench) -> Variable[Any, Any] | None:
    if var is None or not var.type.ndim:
        return var
    return b.make(move.restricted(tuple(var.type.broadcastable)).apply, var)
