"""What a maximum is the largest of: exponents, those that their own maxima are of, and stacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.elements import LARGEST
from kanrewrite.view.forms import App, Form, Lin


def sources(top: App, a: Algebra) -> Iterator[Lin]:
    """The exponents that a maximum is the largest of, and those whose own maxima are among them.

    Of exponents that are joined along the axis of the maximum it is that of each.
    """
    lins = [f for f in top.forms if isinstance(f, Lin)]
    yield from lins
    for m, c in (lin.terms[0] for lin in lins if len(lin.terms) == 1):
        if c > 0 and isinstance(m, App):
            yield from (a.lin({n: c * d for n, d in e.terms}) for e in _inner(m, top, a))


def _inner(form: App, top: App, a: Algebra) -> Iterator[Lin]:
    """The exponents of which a form that a maximum is the largest of is the largest itself."""
    if form.op in LARGEST:
        yield from sources(form, a)
    else:
        yield from (a.lin(a.terms_of(p)) for p in _joined(form, top))


def _joined(form: Form, top: App) -> list[Form]:
    """What is joined along an axis of a maximum, one element of each."""
    if not isinstance(form, App) or form.op is not T.join or top.op is T.maximum:
        return []
    axis = form.args[-1]
    return [p for p in form.forms if axis in top.args[1] and p.bcast and p.bcast[axis]]


def as_joined(exponent: Form, top: Form, a: Algebra) -> Form:
    """An exponent as what is joined, if it is: what is added in another order is rounded anew."""
    if not isinstance(top, App):
        return exponent
    terms = chain.from_iterable(f.terms for f in top.forms if isinstance(f, Lin))
    parts = chain.from_iterable(_joined(m, top) for m, c in terms if c == 1)
    return next((p for p in parts if a.lin(a.terms_of(p)) is exponent), exponent)
