"""Heat: whether exponentials show in a form."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum, operators_within, pieces, remembered

#: Operators through which an exponential still shows.
LINEAR = {
    T.sum, T.prod, T.max, T.min, T.dot, T.batched_dot, T.dimshuffle, T.drop, T.subtensor, T.scatter,
    T.switch, T.cumsum, T.join, T.abs, T.pow,
    T.others,
}  # fmt: skip

#: Operators whose value vanishes with that of their operand.
FADING = {T.sum, T.cumsum, T.dimshuffle, T.subtensor}


def is_mask(form: Form) -> TypeGuard[App]:
    """Tell whether a form keeps or hides what it is multiplied with."""
    return isinstance(form, App) and form.op is T.mask


def is_choice(form: Form) -> TypeGuard[App]:
    """Tell whether a form is one of two forms, which are no exponents."""
    return isinstance(form, App) and form.op is T.switch and not isinstance(form.args[1], Lin)


def is_others(form: Form) -> TypeGuard[App]:
    """Tell whether a form is a sum that leaves one term out."""
    return isinstance(form, App) and form.op is T.others


def holds_others(form: Form) -> bool:
    """Tell whether there is a sum in a form that leaves one term out."""
    return T.others in operators_within(form)


def shows(form: App) -> bool:
    """Tell whether an exponential in the operands of an operator still shows."""
    return form.op in LINEAR or form.op in form.home.passed


@remembered
def hot(form: Form) -> bool:
    """Tell whether an exponential in it can take the value out of the range of floats."""
    if isinstance(form, Prod):
        return bool(form.expo.terms) or any(hot(f) for f, _ in form.factors)
    if isinstance(form, Sum):
        return any(hot(m) for m, _ in form.terms)
    if isinstance(form, App) and shows(form):
        return any(hot(f) for f in form.forms)
    return isinstance(form, App) and form.op is T.expm1


@remembered
def exponents(form: Form) -> frozenset[Form]:
    """The terms of all exponents in a form that show."""
    if isinstance(form, Lin):
        return frozenset(m for m, _ in form.terms)
    if isinstance(form, App) and form.op is T.expm1:
        return frozenset(form.home.terms_of(form.args[0]))
    if isinstance(form, Prod):
        parts = [form.expo, *(f for f, _ in form.factors)]
    elif isinstance(form, Sum):
        parts = [m for m, _ in form.terms]
    elif isinstance(form, App) and shows(form):
        parts = [f for f in form.forms if not isinstance(f, Lin)]
    else:
        parts = []
    return frozenset().union(*map(exponents, parts))


def summed(exponent: Form, factors: Iterable[tuple[Form, Fraction]]) -> bool:
    """Tell whether an exponent is in a sum among some factors, or in its size.

    It is no multiple of what joins several positions: ``exp(a) + exp(x_j)`` reads as ``exp(a) *
    (1 + exp(x_j - a))``, of which exp(a) may be far below all others.
    """
    sums = (f for f, _ in factors if isinstance(f, Sum) or (isinstance(f, App) and f.op is T.abs))
    return any(exponent in exponents(f) for f in sums)


@remembered
def slopes(form: Form) -> frozenset[tuple[Form, bool]]:
    """The terms of all exponents in a form that show, and whether it grows with each."""
    if isinstance(form, Lin):
        return frozenset((m, c > 0) for m, c in form.terms)
    if isinstance(form, Prod):
        parts = [slopes(form.expo)]
        for f, k in form.factors:
            parts.append(frozenset((m, grows == (k > 0)) for m, grows in slopes(f)))
        return frozenset().union(*parts)
    if isinstance(form, Sum):
        return frozenset().union(*(slopes(m) for m, _ in form.terms))
    return frozenset((m, grows) for m in exponents(form) for grows in (True, False))


def is_softplus(form: Form) -> bool:
    """Tell whether a form is ``log(1 + exp(a))``, which vanishes as ``exp(a)`` does."""
    if not (isinstance(form, App) and form.op is T.log and isinstance(form.args[0], Sum)):
        return False
    terms = form.args[0].terms
    if len(terms) != 2 or any(c != 1 or not isinstance(m, Prod) or m.factors for m, c in terms):
        return False
    return sum(bool(m.expo.terms) for m, _ in terms) == 1  # type: ignore[attr-defined]


@remembered
def fades(form: Form) -> bool:
    """Tell whether a form is positive and vanishes as softpluses do, of which it is made.

    In it no exponential shows, but it has an exponent of its own.
    """
    if isinstance(form, Prod):
        bare = (
            form.coeff > 0
            and not form.expo.terms
            and all(f.nonneg or fades(f) for f, _ in form.factors)
        )
        return bare and any(k > 0 and fades(f) for f, k in form.factors)
    if isinstance(form, Sum | Lin):
        return all(c > 0 and fades(m) for m, c in form.terms)
    if isinstance(form, App) and form.op in FADING:
        return fades(form.args[0])
    return is_softplus(form)


@remembered
def fading(form: Form) -> frozenset[Form]:
    """The terms of the exponents of all softpluses that a form vanishes with."""
    if is_softplus(form):
        return exponents(form.args[0])  # type: ignore[attr-defined]
    if isinstance(form, Prod):
        return frozenset().union(*(fading(f) for f, k in form.factors if k > 0))
    if isinstance(form, Sum):
        each = [fading(m) for m, _ in form.terms]
        return frozenset().union(*each) if all(each) else frozenset()
    moved = isinstance(form, App) and form.op in FADING
    return fading(form.args[0]) if moved else frozenset()  # type: ignore[attr-defined]


@remembered
def vanishing(form: Form) -> frozenset[Form]:
    """The terms of all exponents that show in a form, and of those that softpluses in it hold."""
    if is_softplus(form):
        return exponents(form.args[0])  # type: ignore[attr-defined]
    if isinstance(form, Prod):
        return exponents(form.expo).union(*(vanishing(f) for f, _ in form.factors))
    if isinstance(form, Sum):
        return frozenset().union(*(vanishing(m) for m, _ in form.terms))
    if isinstance(form, App) and shows(form):
        return frozenset().union(*(vanishing(f) for f in form.forms if not isinstance(f, Lin)))
    return exponents(form)


@remembered
def sums_in(form: Form) -> frozenset[Form]:
    """The sums in a form in which exponentials show."""
    if not hot(form):
        return frozenset()
    parts = [] if isinstance(form, Lin) else pieces(form)
    own = [form] if isinstance(form, Sum) else []
    return frozenset(own).union(*map(sums_in, parts))


def over_softplus(form: Form) -> bool:
    """Tell whether a form is a quotient of two that vanish, as that of a sigmoid and a softplus."""
    factors = form.factors if isinstance(form, Prod) else ()
    below = [f for f, k in factors if k < 0 and fading(f)]
    if not below:
        return False
    above = exponents(form).union(*(fading(f) for f, k in factors if k > 0))
    return any(above & fading(f) for f in below)
