"""Rests: what a form is beside the exponential of its level, between two numbers.

A form is ``exp(level) * rest``.  Of a sum of exponentials the level is the largest exponent, so the
rest is at least 1; of a share the rest is then at most 1, and so is the share where its level is
bounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from kanrewrite.guards.bounds import Bounds, multiplied
from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum, nearest_float, remembered
from kanrewrite.view.heat import hot
from kanrewrite.view.reach import reach
from kanrewrite.view.zeros import is_unsigned


@remembered
def rest(form: Form) -> Bounds:
    """Between which numbers the magnitude of the rest is: from 0 to infinity, if none are known."""
    if not hot(form):
        low, high = reach(form)
        return Bounds(max(low, 0.0), max(abs(low), abs(high)))
    if isinstance(form, Prod):
        whole = multiplied([_number(form.coeff), *(_raised(rest(f), k) for f, k in form.factors)])
        return whole if form.coeff > 0 else Bounds(0.0, whole.high)
    if isinstance(form, Sum | Lin):
        terms = [multiplied([_number(c), rest(m)]) for m, c in form.terms]
        grows = all(c > 0 and is_unsigned(m, form.home) for m, c in form.terms)
        # The largest is one of them, whichever it is.
        return Bounds(min(t.low for t in terms) if grows else 0.0, sum(t.high for t in terms))
    if isinstance(form, App) and form.op is T.sum:
        unsigned = is_unsigned(form.args[0], form.home)
        return Bounds(rest(form.args[0]).low if unsigned else 0.0, inf)
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        return rest(form.args[0])
    return Bounds(0.0, inf)


def _number(number: Fraction) -> Bounds:
    value = nearest_float(abs(number))
    return Bounds(value, value)


def _raised(bounds: Bounds, power: Fraction) -> Bounds:
    """The bounds of a power, of which that of 0, or one that no float holds, is infinite."""
    with np.errstate(all="ignore"):
        low, high = sorted(np.power(np.array(bounds), float(power)).tolist())
    return Bounds(low, high)
