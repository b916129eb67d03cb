"""Maxima in exponents: what they are of, and those over what some factors do not hide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kanrewrite.terms import T
from kanrewrite.view.forms import ONE, App, Form, Leaf, Lin, Totals
from kanrewrite.view.moves import Move
from kanrewrite.view.places import moved


def maximised(form: Form) -> Lin | None:
    """What a form, which may have been moved, is the maximum of."""
    form = moved(form)[1]
    found = form.args[0] if isinstance(form, App) and form.op in (T.max, T.shift) else None
    return found if isinstance(found, Lin) else None


def is_hidden(form: Form) -> bool:
    """Tell whether a form is a maximum, maybe moved, over what some factors do not hide."""
    form = moved(form)[1]
    if not isinstance(form, App) or form.op not in (T.shift, T.maximum):
        return False
    if form.op is T.shift:
        return bool(form.args[2])
    return not all(isinstance(f, Lin) for f in form.args)


def is_mark(form: Form) -> bool:
    """Tell whether an operand of a maximum only says that another one may be hidden."""
    return isinstance(form, Leaf)


def moved_exponent(inner: Lin, move: Move, a: Any) -> Lin:
    """An exponent with each of its terms moved, or at its place if it has lost its dimensions."""
    out = Totals()
    for m, c in inner.terms:
        fits = not m.bcast or move.restricted(m.bcast) is not None
        for n, d in a.terms_of(a.move(m, move) if fits else a.filled(m, move)).items():
            out[n] += c * d
    moved_terms: Lin = a.lin(out)
    return moved_terms


def exchanged(expo: Lin, top: Form, source: Lin, c: Fraction, a: Any) -> Lin:
    """A maximum, or c of it, replaced by one of the things that it is the largest of."""
    out = Totals(expo.terms)
    out[top] -= c
    for m, d in source.terms:
        out[m] += d * c
    left: Lin = a.lin(out)
    return left


def loosened(expo: Lin, a: Any) -> Lin:
    """An exponent in which zeros hide no maximum: it is at least as large."""
    while (looser := _looser(expo, a)) is not expo:
        expo = looser
    return expo


def _looser(expo: Lin, a: Any) -> Lin:
    """An exponent in which each hidden maximum is replaced by one that less hides."""
    out = Totals()
    for m, c in expo.terms:
        upper = _upper(m, expo, a) if c > 0 else None
        for n, d in (a.terms_of(upper) if upper is not None else {m: ONE}).items():
            out[n] += d * c
    looser: Lin = a.lin(out)
    return looser


def _upper(form: Form, expo: Lin, a: Any) -> Form | None:
    """The maximum that a hidden maximum, which may have been moved, is at most."""
    if not isinstance(form, App):
        return None
    if form.op in (T.dimshuffle, T.subtensor):
        inner = _upper(form.args[0], expo, a)
        return None if inner is None else moved_exponent(a.lin(a.terms_of(inner)), form.args[1], a)
    if not is_hidden(form):
        return None
    if form.op is T.maximum:
        largest = {_bare(f, a) for f in form.args if not is_mark(f)}
        if len(largest) == 1:
            (only,) = largest
            return only if isinstance(only, Form) else None
        several: Form = a.app(T.maximum, *sorted(largest, key=lambda e: e.uid))
        return several
    lin, axes, hidden = form.args
    shifts = (m for m, _ in expo.terms if isinstance(m, App) and m.op is T.shift)
    for other in shifts:  # of what fewer factors hide the maximum is at least as large
        if other.args[:2] == (lin, axes) and set(other.args[2]) < set(hidden):
            return other
    bare: Form = a.max(lin, axes)
    return bare


def _bare(form: Form, a: Any) -> Form:
    """An operand of a maximum, which may have been moved, without what hides it."""
    if isinstance(form, App) and form.op is T.kept:
        bare: Form = form.args[0]
        return bare
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        return moved_exponent(a.lin(a.terms_of(_bare(form.args[0], a))), form.args[1], a)
    return form
