"""Zeros: the factors that may vanish somewhere, and so hide what they are multiplied with."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kanrewrite.guards.bounds import assumed
from kanrewrite.guards.lengths import factors_of
from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import App, Form, Leaf, Prod, Sum, remembered
from kanrewrite.view.heat import fades, is_mask
from kanrewrite.view.places import moved

#: Operators whose value is never zero.
NEVER_ZERO = {T.softmax, T.sigmoid, T.exp, T.ones_like, T.softplus, T.defined}
#: Operators whose value is never infinite, nor undefined.
FINITE = {T.mask, T.ones_like, T.eq, T.neq, T.lt, T.le, T.gt, T.ge}


def hiding(form: Form, a: Algebra) -> tuple[Form, ...]:
    """The factors of what is summed that may hide its largest exponential."""
    return tuple(f for f, _ in a.parts(form)[2] if may_vanish(f))


@remembered
def may_vanish(form: Form) -> bool:
    """Tell whether a factor may be zero somewhere, so that it hides the largest exponential.

    A softplus is not, though its value may be: it has an exponent of its own.
    """
    if fades(form):
        return False
    if isinstance(form, Leaf):
        data = getattr(form.var, "data", None)
        if data is None:
            return assumed(form.var).low <= 0
        return not bool(np.all(np.asarray(data)))
    if isinstance(form, Prod):
        return not form.coeff or any(k > 0 and may_vanish(f) for f, k in form.factors)
    if isinstance(form, Sum):
        return not form.nonneg or all(may_vanish(m) for m, _ in form.terms)
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        return may_vanish(form.args[0])
    if isinstance(form, App) and form.op in (T.sum, T.pow):
        inner: Form = form.args[0]
        return not inner.nonneg or may_vanish(inner)
    return not isinstance(form, App) or form.op not in NEVER_ZERO


def is_unsigned(form: Form, a: Algebra) -> bool:
    """Tell whether a form is never negative by its factors, of which lengths are not."""
    coeff, _, factors = a.parts(form)
    each = (f.nonneg or k.numerator % 2 == 0 or _is_length(f) for f, k in factors)
    return coeff >= 0 and all(each)


def _is_length(form: Form) -> bool:
    """Tell whether a form counts elements."""
    lengths = list(factors_of(form))
    return all(n and not any(isinstance(m, int) and m < 0 for m in n) for n in lengths)


def sums_kept(form: Form) -> bool:
    """Tell whether a factor is a sum of what masks keep, which is nothing where none does."""
    return not is_mask(form) and _keeps(form)


def _keeps(form: Form) -> bool:
    """Tell whether a factor of each term is a mask, or such a sum."""
    if isinstance(form, Sum):
        return all(_keeps(m) for m, _ in form.terms)
    if isinstance(form, Prod):
        return any(k > 0 and _keeps(f) for f, k in form.factors)
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor, T.sum):
        return _keeps(form.args[0])
    return is_mask(form)


def is_finite(form: Form, power: Fraction) -> bool:
    """Tell whether a power of a factor, a constant or a truth value, is finite for sure."""
    if power < 0 and may_vanish(form):
        return False
    form = moved(form)[1]
    if isinstance(form, Leaf):
        data = getattr(form.var, "data", None)
        return data is not None and bool(np.all(np.isfinite(data)))
    return isinstance(form, App) and form.op in FINITE


def quotient(part: Form, whole: Form, a: Algebra) -> Form | None:
    """``part / whole``, of which ``whole`` times it is ``part`` where ``whole`` is zero too.

    None where it divides by what may vanish.
    """
    found = a.div(part, whole)
    return None if any(k < 0 and may_vanish(f) for f, k in a.parts(found)[2]) else found


def vanishes(form: Form) -> bool:
    """Tell whether a factor is zero somewhere for sure, as a constant mask is."""
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        return vanishes(form.args[0])
    return isinstance(form, Leaf) and hasattr(form.var, "data") and may_vanish(form)
