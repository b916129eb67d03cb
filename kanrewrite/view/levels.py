"""Levels: how large a form can be, as a formal exponent.

The level of a form is the exponent that building it takes out.  Where it is bounded, as that of a
softmax is, ``x - max(x)``, the form cannot overflow although exponentials show in it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kanrewrite.terms import T
from kanrewrite.view.forms import ONE, App, Form, Lin, Prod, Sum, Totals
from kanrewrite.view.heat import hot

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


def overflows(form: Form, a: Lifting) -> bool:
    """Tell whether an exponential that nothing cancels can take the value out of range."""
    if not hot(form):
        return False
    expo = level(form, a)
    return expo is None or not bounded(expo, a)


def level(form: Form, a: Lifting) -> Lin | None:
    """The exponent of a form, None where it has none that is simple."""
    if not hot(form):
        return a.no_exponent
    if form not in a.levels:
        a.levels[form] = _level(form, a)
    return a.levels[form]


def _level(form: Form, a: Lifting) -> Lin | None:
    if isinstance(form, Prod):
        return _of_product(form, a)
    if isinstance(form, Sum):
        return _of_sum(form, a)
    assert isinstance(form, App)
    if form.op is T.sum:
        inner = level(form.args[0], a)
        return None if inner is None else _summed(inner, form.args[1], a)
    if form.op in (T.dimshuffle, T.subtensor):
        inner = level(form.args[0], a)
        move = form.args[1]
        if inner is None or any(
            m.bcast and move.restricted(m.bcast) is None for m, _ in inner.terms
        ):
            return None
        return a.lin(a.terms_of(a.move(inner, form.args[1])))
    return None


def _of_product(form: Prod, a: Lifting) -> Lin | None:
    total = Totals(form.expo.terms)
    for f, k in form.factors:
        inner = level(f, a)
        if inner is None:
            return None
        for m, c in inner.terms:
            total[m] += c * k
    return a.lin(total)


def _of_sum(form: Sum, a: Lifting) -> Lin | None:
    """The largest level of the terms."""
    levels = {level(m, a) for m, _ in form.terms}
    known = {e for e in levels if e is not None}
    if len(known) < len(levels):
        return None
    if len(known) == 1:
        return known.pop()
    return a.lin({a.app(T.maximum, *sorted(known, key=lambda e: e.uid)): ONE})


def _summed(inner: Lin, axes: tuple[int, ...], a: Lifting) -> Lin:
    moving = a.lin({m: c for m, c in inner.terms if not m.constant_along(axes)})
    out = Totals((m, c) for m, c in inner.terms if m.constant_along(axes))
    if moving.terms:
        for m, c in a.terms_of(a.max(moving, axes)).items():
            out[m] += c
    return a.lin(out)


def bounded(expo: Lin, a: Lifting, depth: int = 6) -> bool:
    """Tell whether an exponent is at most 0: maxima are subtracted of what it adds."""
    if not expo.terms:
        return True
    if depth == 0:
        return False
    for top, c in expo.terms:
        if c < 0 and isinstance(top, App) and top.op in (T.shift, T.max, T.maximum):
            for source in top.forms:
                if not isinstance(source, Lin):
                    continue
                if bounded(_exchanged(expo, top, source, c, a), a, depth - 1):
                    return True
    return False


def _exchanged(expo: Lin, top: Form, source: Lin, c: Fraction, a: Lifting) -> Lin:
    """A maximum replaced by one of the things that it is the largest of."""
    out = Totals(expo.terms)
    del out[top]
    for m, d in source.terms:
        out[m] += d * c
    return a.lin(out)
