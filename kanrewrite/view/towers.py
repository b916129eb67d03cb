"""Towers: exponentials as terms of exponents, and the levels that they are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from kanrewrite.terms import T
from kanrewrite.view.elements import LARGEST
from kanrewrite.view.forms import ONE, App, Form, Lin, Totals, content, remembered
from kanrewrite.view.heat import hot
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.places import moved


def is_level(form: Form) -> bool:
    """Tell whether a form is the largest of several, which may have been moved."""
    form = moved(form)[1]
    return isinstance(form, App) and form.op in LARGEST


def unmoved(form: Form) -> Form:
    """What was moved to give a form."""
    while isinstance(form, App) and form.op is T.dimshuffle:
        form = form.args[0]
    return form


def of_one(form: Form, a: Lifting) -> tuple[Fraction, Form]:
    """A largest multiple as a number times the largest: both are rounded alike."""
    if not (isinstance(form, App) and form.op is T.shift and isinstance(form.args[0], Lin)):
        return ONE, form
    lin, axes, hidden = form.args
    c = content(lin)
    part = a.lin({m: d / c for m, d in lin.terms})
    return c, form if c == 1 else a.shift(part, axes, hidden)


def of_ones(terms: Iterable[tuple[Form, Fraction]], a: Lifting) -> Totals:
    """Terms of an exponent, of which no two are multiples of one maximum."""
    found = Totals()
    for m, c in terms:
        times, one = of_one(m, a)
        found[one] += c * times
    return Totals((m, c) for m, c in found.items() if c)


def only_source(form: Form) -> Form | None:
    """What a form is the largest of, if that is one term, as it was before it was moved."""
    if not (isinstance(form, App) and form.op in LARGEST and len(form.forms) == 1):
        return None
    source = form.args[0]
    terms = source.terms if isinstance(source, Lin) else ()
    return unmoved(terms[0][0]) if len(terms) == 1 and terms[0][1] == 1 else None


def tall(expo: Lin, a: Lifting) -> Lin:
    """The part of an exponent that is exponentials itself, and the largest of some."""
    return a.lin({m: c for m, c in expo.terms if is_tower(m)})


@remembered
def is_tower(form: Form) -> bool:
    """Tell whether a term of an exponent is an exponential itself, or the largest of some."""
    if isinstance(form, Lin):
        return any(is_tower(m) for m, _ in form.terms)
    if isinstance(form, App) and form.op in (*LARGEST, T.kept, T.dimshuffle, T.subtensor):
        return any(map(is_tower, form.forms))
    return hot(form)
