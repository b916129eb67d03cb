"""Left out: what others, or others and more beside them, leave out of which sum."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Axes, Form, Sum, Terms, added_up
from kanrewrite.view.heat import is_choice, is_others
from kanrewrite.view.lengths import is_thin


class LeftOut(NamedTuple):
    """What others leave out, the sum that it is left out of, along which axes, and the others."""

    own: Form
    whole: Form
    axes: Axes
    left: Form


def leaving(form: Form, a: Any) -> LeftOut | None:
    """What the others, or the others and more beside them, as ``1 + others(e)``, leave out."""
    if is_others(form):
        body, axes = form.args
        return LeftOut(body, a.sum(body, axes), axes, form)
    if not isinstance(form, Sum):
        return None
    found = [(m, c) for m, c in form.terms if is_others(m)]
    if len(found) != 1:
        return None
    ((m, c),) = found
    body, axes = m.args
    rest = {n: d for n, d in form.terms if n is not m}
    if not all(n.constant_along(axes) for n in rest):
        return None
    whole = a.add_terms({**rest, a.sum(body, axes): c})
    return LeftOut(a.mul(a.const(c), body), whole, axes, form)


def divisor_left(form: Form, k: Fraction, a: Any) -> LeftOut | None:
    """What is left out of the others that a power divides by, or may, for all that is known.

    Others that are in a sum, too, beside what may be negligible.
    """
    if isinstance(form, App) and form.op is T.pow:
        return leaving(form.args[0], a)
    if k >= 0:
        return None
    found = leaving(form, a)
    if found is not None or not isinstance(form, Sum):
        return found
    parts = (leaving(g, a) for m, _ in form.terms for g, j in a.parts(m)[2] if j > 0)
    return next(filter(None, parts), None)


def left_in(terms: Terms, a: Any) -> Iterator[LeftOut]:
    """What is left out of the others that terms divide by."""
    found = (divisor_left(f, k, a) for m in terms for f, k in a.parts(m)[2])
    return (left_out for left_out in found if left_out is not None)


def opened_at_others(form: Form, a: Any) -> Terms:
    """A form as terms, multiplied out where others divide in one of them, or are added."""
    parts = _by_choice(form, a)
    if parts is not None:
        return added_up(item for part in parts for item in opened_at_others(part, a).items())
    for f, k in a.parts(form)[2]:
        if k == 1 and isinstance(f, Sum) and any(_has_others(m, a) for m, _ in f.terms):
            around = a.div(form, f)
            opened = ((opened_at_others(a.mul(around, m), a), c) for m, c in f.terms)
            return added_up((n, c * d) for terms, c in opened for n, d in terms.items())
    own: Terms = a.terms_of(form)
    return own


def _by_choice(form: Form, a: Any) -> list[Form] | None:
    """What a choice multiplies, for each of its two, where others divide in one of them."""
    for f, k in a.parts(form)[2]:
        if k == 1 and is_choice(f):
            cond, *either = f.args
            if any(_holds_others(g, a) for g in either) and not is_thin(cond):
                around = a.div(form, f)
                kept = (a.mul(a.chosen(cond, g is either[0]), a.spread(g, f)) for g in either)
                return [a.mul(around, g) for g in kept]
    return None


def _holds_others(form: Form, a: Any) -> bool:
    """Tell whether others divide in a term of a form, or in one of a factor of one."""
    terms = list(a.terms_of(form))
    sums = (f for m in terms for f, k in a.parts(m)[2] if k == 1 and isinstance(f, Sum))
    return any(_has_others(m, a) for m in (*terms, *(n for f in sums for n, _ in f.terms)))


def _has_others(form: Form, a: Any) -> bool:
    """Tell whether a term divides by others, or is a share of them."""
    factors = a.parts(form)[2]
    found = (leaving(f, a) for f, k in factors if k > 0)
    shares = (form is a.div(left_out.left, left_out.whole) for left_out in found if left_out)
    return any(divisor_left(f, k, a) for f, k in factors) or any(shares)
