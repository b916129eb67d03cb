"""Shut sums: ``a * sum(b*m) / sum(c*m)`` is a sum over nothing where a choice m hides all there is.

``sum(b * d*m) == d * sum(b*m)`` for a d that is constant along the axes holds there for a finite d
only; the reciprocal of a sum over nothing is not.
"""

from __future__ import annotations

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Axes, Form, Prod, Sum
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Move

#: What hides all of a sum: conditions, the summed axes, and what was moved after it was summed.
Shutter = tuple[frozenset[Form], Axes, "Move | None"]


def is_shut(divisor: Form, form: Prod, a: Lifting) -> bool:
    """Tell whether a product is a sum over nothing where what divides it is one.

    A product that a choice hides itself is hidden anyway.
    """
    shutter = _shutter(divisor, a)
    if shutter is None:
        return False
    factors = [f for f, k in form.factors if k > 0]
    return not shutter[0].intersection(factors) and any(_shuts(shutter, f, a) for f in factors)


def _shutter(form: Form, a: Lifting) -> Shutter | None:
    """The conditions that hide all that is summed, None where none does."""
    move: Move | None = None
    if isinstance(form, App) and form.op is T.dimshuffle:
        form, move = form.args
    if not (isinstance(form, App) and form.op is T.sum):
        return None
    body, axes = form.args
    found = frozenset(f for f, k in a.parts(body)[2] if k > 0 and _is_choice(f, a))
    return (found, axes, move) if found else None


def _is_choice(form: Form, a: Lifting) -> bool:
    return isinstance(form, App) and form.op is T.mask and form.args[0] in a.conditions


def _shuts(shutter: Shutter, form: Form, a: Lifting) -> bool:
    """Tell whether a form is 0 where all that a sum is of is hidden."""
    conditions, axes, move = shutter
    if isinstance(form, Sum):
        return all(_shuts(shutter, m, a) for m, _ in form.terms)
    if isinstance(form, Prod):
        return any(k > 0 and _shuts(shutter, f, a) for f, k in form.factors)
    other = _shutter(form, a)
    if other is not None:
        return other[1:] == (axes, move) and not conditions.isdisjoint(other[0])
    return move is None and form in conditions
