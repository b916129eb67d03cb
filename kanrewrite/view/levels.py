"""Levels: how large a form can be, as a formal exponent.

The level of a form is the exponent that building it takes out.  Where it is bounded, as that of a
softmax is, ``x - max(x)``, the form cannot overflow although exponentials show in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from kanrewrite.terms import T
from kanrewrite.view.contraction import sides_of
from kanrewrite.view.forms import ONE, App, Form, Lin, Prod, Sum, Totals
from kanrewrite.view.heat import hot
from kanrewrite.view.moves import Move

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
    if form.op is T.abs:
        return level(form.args[0], a)
    if form.op is T.scatter:
        return None if overflows(form.args[0], a) else a.no_exponent
    if form.op is T.pow:
        inner = level(form.args[0], a)
        return None if inner is None else a.lin(a.terms_of(a.mul(inner, form.args[1])))
    if form.op is T.switch and not isinstance(form.args[1], Lin):
        return _largest(form.args[1:], a)
    if form.op in (T.dimshuffle, T.subtensor):
        inner = level(form.args[0], a)
        return None if inner is None else _moved(inner, form.args[1], a)
    return _of_dot(form, a) if form.op in (T.dot, T.batched_dot) else None


def _moved(inner: Lin, move: Move, a: Lifting) -> Lin:
    out = Totals()
    for m, c in inner.terms:
        fits = not m.bcast or move.restricted(m.bcast) is not None
        for n, d in a.terms_of(a.move(m, move) if fits else a.filled(m, move)).items():
            out[n] += c * d
    return a.lin(out)


def _of_dot(form: App, a: Lifting) -> Lin | None:
    """The level of each side along the contracted axis, where the result has it."""
    out = Totals()
    for side, axis, order in sides_of(form):
        inner = level(side, a)
        if inner is None:
            return None
        for m, c in _summed(inner, (axis,), a).terms:
            for n, d in a.terms_of(a.shuffle(m, order) if m.bcast else m).items():
                out[n] += c * d
    return a.lin(out)


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
    return _largest([m for m, _ in form.terms], a)


def _largest(forms: Iterable[Form], a: Lifting) -> Lin | None:
    """The largest level of some forms."""
    levels = {level(m, a) for m in forms}
    known = {e for e in levels if e is not None}
    if len(known) < len(levels):
        return None
    largest = dominant(known, a)
    return largest[0] if len(largest) == 1 else a.lin({a.app(T.maximum, *largest): ONE})


def dominant(exponents: Collection[Lin], a: Lifting) -> list[Lin]:
    """The exponents that no other one is known to be at least as large as."""
    left = sorted(exponents, key=lambda e: e.uid)
    for e in left[:]:
        if len(left) > 1 and any(bounded(difference(e, f, a), a) for f in left if f is not e):
            left.remove(e)
    return left


def difference(e: Lin, f: Lin, a: Lifting) -> Lin:
    """``e - f``."""
    out = Totals(e.terms)
    for m, c in f.terms:
        out[m] -= c
    return a.lin(out)


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
