"""Opening: sums without sums inside of their terms, ``x + y*(1 - z)`` as ``x + y - y*z``.

Only what is matched is read like this.  What is built keeps its factors, between which no digits
cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from kanrewrite.terms import T
from kanrewrite.view.algebra import LONGEST
from kanrewrite.view.forms import ONE, App, Form, Sum, Totals
from kanrewrite.view.moves import Move

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

Terms = list[tuple[Form, Fraction]]


def opened(form: Form, a: Lifting) -> Form:
    """A form as a sum that is multiplied out, sums along axes of its terms too.

    Parameters
    ----------
    form
        Any form.
    a
        Its algebra.

    Returns
    -------
    Form
        The same form where there is nothing to open, or too much.
    """
    found: Terms = []
    terms = a.terms_of(form)
    for m, c in terms.items():
        found += [(n, c * d) for n, d in _terms(m, a)]
        if len(found) > LONGEST:
            return form
    if len(found) == len(terms):
        return form
    totals = Totals()
    for n, d in found:
        totals[n] += d
    return a.add_terms({n: d for n, d in totals.items() if d})


def _terms(form: Form, a: Lifting) -> Terms:
    """What a term is the sum of, nothing of which is one itself."""
    parts = _parts(form, a)
    if len(parts) < 2:
        return [(form, ONE)]
    return [(n, c * d) for m, c in parts for n, d in _terms(m, a)]


def _parts(form: Form, a: Lifting) -> Terms:
    """What a term is the sum of at once."""
    inner = next(_sums(form), None)
    if inner is not None and a.expands(form):
        rest = a.div(form, inner)
        products = [(a.mul(rest, m), c) for m, c in inner.terms]
        return [(n, c * d) for m, c in products for n, d in a.terms_of(m).items()]
    moved = isinstance(form, App) and form.op is T.dimshuffle and isinstance(form.args[1], Move)
    if isinstance(form, App) and (moved or form.op in (T.sum, T.drop)):
        return _inside(form, a)
    return []


def _sums(form: Form) -> Iterator[Sum]:
    """The sums that are factors, once each."""
    yield from (f for f, k in form.home.parts(form)[2] if k == 1 and isinstance(f, Sum))


def _inside(form: App, a: Lifting) -> Terms:
    """The terms of what is summed along axes or moved, each by itself."""
    body = form.forms[0]
    found: Terms = []
    for m, c in _parts(body, a):
        whole = m if m.bcast == body.bcast else a.spread(m, body)
        found += [(n, c * d) for n, d in a.terms_of(_again(form, whole, a)).items()]
    return found


def _again(form: App, body: Form, a: Lifting) -> Form:
    """The operator of a form over something else."""
    if form.op is T.sum:
        return a.sum(body, *form.args[1:])
    return a.move(body, form.args[1]) if form.op is T.dimshuffle else a.drop(body, form.args[1])
