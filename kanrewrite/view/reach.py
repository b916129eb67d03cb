"""Reach: between which numbers a form is, of what is known of its leaves and operators.

Of an exponent that reaches no further than some units nothing can overflow, nor vanish, so that
what is clipped needs no maximum.  What is read as exponentials, as a tanh is, cancels others: of it
nothing is told.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from typing import Any, cast

import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.guards.bounds import (
    NONE,
    RULES,
    Bounds,
    added,
    applied,
    common,
    multiplied,
    raised,
)
from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, nearest_float, remembered

#: How far an exponent may reach for what is made of it to keep most of its digits.
FAR = 12.0
#: What has the elements of its operand, or some of them.
MOVED = {T.dimshuffle, T.drop, T.subtensor, T.reshape, T.alloc, T.max, T.min, T.kept}


def is_near(expo: Lin) -> bool:
    """Tell whether an exponent is so small that nothing is lost by it."""
    return expo.terms == () or reach(expo).high <= min(FAR, _room(expo.home.dtype))


def _room(dtype: str) -> float:
    """A quarter of what an exponent may be in a dtype."""
    return log(float(np.finfo(dtype).max)) / 4


@remembered
def reach(form: Form) -> Bounds:
    """Between which numbers a form is for sure."""
    if isinstance(form, Leaf):
        return _of_variable(form.home, form.var) if isinstance(form.var, Variable) else NONE
    if isinstance(form, Lin | Sum):
        return added([_times(reach(m), c) for m, c in form.terms]) if form.terms else _ZERO
    if isinstance(form, Prod):
        powers = [_raised(reach(f), k) for f, k in form.factors]
        power = applied(T.exp, [reach(form.expo)], form.home.dtype)
        return _times(multiplied([power, *powers]), form.coeff)
    return _of_operator(form) if isinstance(form, App) else NONE


_ZERO = Bounds(0.0, 0.0)


def _of_variable(algebra: Any, v: Variable[Any, Any]) -> Bounds:
    return cast(Bounds, algebra.bounds_of(v))


def _of_operator(form: App) -> Bounds:
    if form.op in MOVED:
        return reach(form.forms[0])
    if form.op is T.shift:  # it is 0 where all is hidden
        return reach(form.forms[0]) | _ZERO
    operands = [f for f in form.forms if not _is_mark(f)]
    found = [reach(f) for f in operands]
    if len(operands) < len(form.forms) or any(_is_kept(f) for f in operands):
        return Bounds(-inf, common(found).high)  # what is hidden may be the largest of them
    if form.op not in RULES or len(found) < len(form.args):
        return NONE
    return applied(form.op, found, form.home.dtype)


def _is_mark(form: Form) -> bool:
    """Tell whether an operand of a maximum says no more than that another one may be hidden."""
    return isinstance(form, Leaf) and isinstance(form.var, tuple)


def _is_kept(form: Form) -> bool:
    return isinstance(form, App) and form.op is T.kept


def _times(bounds: Bounds, number: Fraction) -> Bounds:
    value = nearest_float(number)
    return multiplied([bounds, Bounds(value, value)])


def _raised(bounds: Bounds, power: Fraction) -> Bounds:
    """The bounds of a power, whose sign alone is known where it is not 1."""
    if power == 1:
        return bounds
    even = power.denominator == 1 and power.numerator % 2 == 0
    return raised(bounds, Bounds(float(power), float(power)), is_even=even)
