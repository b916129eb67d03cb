"""Sinking: ``a * scatter(b, index) == scatter(a[index] * b, index)``, for a scatter is 0 elsewhere.

What is scattered may be out of range where the factor outside would bring it back.
"""

from __future__ import annotations

from fractions import Fraction

from kanrewrite.terms import T
from kanrewrite.view.forms import ONE, App, Form, Prod, Sum
from kanrewrite.view.heat import hot
from kanrewrite.view.lifting import Lifting


def sunk(form: Prod, a: Lifting) -> list[tuple[Fraction, Form]] | None:
    """A product as a sum of terms, none of which overflows inside a scatter, or None."""
    for f, k in form.factors:
        if k != 1 or not (is_hot_scatter(f, a) or holds_scatter(f, a)):
            continue
        outer = a.prod(form.coeff, form.expo, {g: j for g, j in form.factors if g is not f})
        if not hot(outer):
            continue
        parts = list(f.terms) if isinstance(f, Sum) else [(f, ONE)]
        terms = [(c, inside(a.mul(outer, m), a)) for m, c in parts]
        found = [(c, t) for c, t in terms if t is not None and not a.overflows(t)]
        if len(found) == len(terms):
            return found
    return None


def inside(form: Form, a: Lifting) -> Form | None:
    """A product with all that is hot in it inside its scatter, None where it cannot go there."""
    coeff, expo, factors = a.parts(form)
    scatters = [f for f, k in factors if k == 1 and is_hot_scatter(f, a)]
    if len(scatters) != 1:
        return form if not scatters else None
    inner, move, like = scatters[0].args  # type: ignore[attr-defined]
    hots = {f: k for f, k in factors if hot(f) and f is not scatters[0]}
    cold = {f: k for f, k in factors if not hot(f)}
    pieces = [*(m for m, _ in expo.terms), *hots]
    if any(p.bcast and move.restricted(p.bcast) is None for p in pieces):
        return None
    entering = a.move(a.prod(ONE, expo, hots), move)
    whole = a.app(T.scatter, a.mul(inner, entering), move, like, bcast=like.bcast)
    return a.mul(a.prod(coeff, a.no_exponent, cold), whole)


def is_hot_scatter(form: Form, a: Lifting) -> bool:
    """Tell whether what a form scatters is out of range by itself."""
    return isinstance(form, App) and form.op is T.scatter and a.overflows(form.args[0])


def holds_scatter(form: Form, a: Lifting) -> bool:
    """Tell whether a form is a sum with such a scatter in it."""
    if not isinstance(form, Sum):
        return False
    return any(is_hot_scatter(f, a) for m, _ in form.terms for f, _ in a.parts(m)[2])
