"""Rests: what a form is beside the exponential of its level, between two numbers.

A form is ``exp(level) * rest``.  Of a sum of exponentials the level is the largest exponent, so the
rest is at least 1; of a share the rest is then at most 1, and so is the share where its level is
bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum, nearest_float, remembered
from kanrewrite.view.heat import hot
from kanrewrite.view.reach import reach
from kanrewrite.view.zeros import is_unsigned

#: What has the elements of its operand, or some of them, and their levels.
_MOVED = {T.dimshuffle, T.subtensor}


@remembered
def most(form: Form) -> float:
    """A number that the magnitude of the rest is at most, infinity where none is known."""
    if not hot(form):
        low, high = reach(form)
        return max(abs(low), abs(high))
    if isinstance(form, Prod):
        return _product(form, most, least, inf)
    if isinstance(form, Sum | Lin):
        return sum(nearest_float(abs(c)) * most(m) for m, c in form.terms)
    if isinstance(form, App) and form.op in _MOVED:
        return most(form.args[0])
    return inf


@remembered
def least(form: Form) -> float:
    """A number that the rest is at least, 0 where none above it is known."""
    if not hot(form):
        return max(reach(form).low, 0.0)
    if isinstance(form, Prod):
        return _product(form, least, most, 0.0) if form.coeff > 0 else 0.0
    if isinstance(form, Sum):
        grows = all(c > 0 and is_unsigned(m, form.home) for m, c in form.terms)
        # The largest is one of them, whichever it is.
        return min(nearest_float(abs(c)) * least(m) for m, c in form.terms) if grows else 0.0
    if isinstance(form, App) and form.op is T.sum:
        return least(form.args[0]) if is_unsigned(form.args[0], form.home) else 0.0
    if isinstance(form, App) and form.op in _MOVED:
        return least(form.args[0])
    return 0.0


def _product(
    form: Prod,
    rising: Callable[[Form], float],
    other: Callable[[Form], float],
    unknown: float,
) -> float:
    """The bound of a product: of what divides it counts the other bound."""
    found = nearest_float(abs(form.coeff))
    for f, k in form.factors:
        base = rising(f) if k > 0 else other(f)
        if k < 0 and base == 0:
            return inf
        found *= base ** float(k)
    return unknown if isnan(found) else found
