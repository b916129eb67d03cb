"""Limits: what an exponent is where an exponential in it has overflown.

``e - 2*max(0, e)`` is -inf where e is inf, though its terms leave nan: in the limit a maximum is
the operand in which e has the largest coefficient.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ONE, ZERO, App, Form, Lin, Terms, Totals, remembered
from kanrewrite.view.towers import is_level, is_tower


@remembered
def towers(form: Form) -> frozenset[Form]:
    """What may be infinite in an exponent: exponentials, and that of which no limit is known."""
    if isinstance(form, Lin):
        return frozenset().union(*(towers(m) for m, _ in form.terms))
    if _is_open(form):
        return frozenset().union(*map(towers, form.forms))
    return frozenset([form] if is_tower(form) else [])


def only_tower(form: Form) -> Form | None:
    """The exponential that alone can make a maximum infinite, None where there may be another."""
    found = towers(form) if _is_open(form) else frozenset()
    (only,) = found if len(found) == 1 else (None,)
    return None if only is None or is_level(only) else only


def conflicts(terms: Iterable[Fraction]) -> bool:
    """Tell whether inf and -inf are added."""
    signs = {c > 0 for c in terms if c}
    return len(signs) > 1


def slope(form: Form, tower: Form, up: bool) -> Fraction:
    """The coefficient of an exponential's size, where that is infinite, in an exponent."""
    if form is tower:
        return ONE if up else -ONE
    if tower not in towers(form):
        return ZERO
    if isinstance(form, Lin):
        return sum((c * slope(m, tower, up) for m, c in form.terms), ZERO)
    assert isinstance(form, App)
    return max(slope(f, tower, up) for f in form.forms)


def limit(form: Form, tower: Form, up: bool, a: Algebra) -> Lin:
    """An exponent as it is where an exponential is inf, or -inf; the exponential stays a term."""
    if isinstance(form, Lin):
        out = Totals()
        for m, c in form.terms:
            for n, d in limit(m, tower, up, a).terms:
                out[n] += c * d
        return a.lin(out)
    if form is tower or tower not in towers(form):
        return a.lin({form: ONE})
    assert isinstance(form, App)
    steepest = slope(form, tower, up)
    shared: Terms = {tower: steepest if up else -steepest} if steepest else {}
    left = {
        a.plus(limit(f, tower, up, a), a.lin(shared), -ONE)
        for f in form.forms
        if slope(f, tower, up) == steepest
    }
    if len(left) == 1:
        return a.plus(next(iter(left)), a.lin(shared), ONE)
    largest = a.app(T.maximum, *sorted(left, key=lambda e: e.uid))
    return a.lin({**shared, largest: ONE})


def _is_open(form: Form) -> TypeGuard[App]:
    """Tell whether a form is the largest of exponents of which none is hidden."""
    if not isinstance(form, App) or form.op is not T.maximum:
        return False
    return all(isinstance(f, Lin) for f in form.args)
