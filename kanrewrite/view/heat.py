"""Heat: whether exponentials show in a form."""

from __future__ import annotations

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum, remembered

#: Operators through which an exponential still shows.
LINEAR = {
    T.sum, T.prod, T.max, T.min, T.dot, T.batched_dot, T.dimshuffle, T.drop, T.subtensor, T.scatter,
    T.switch, T.cumsum, T.join, T.abs, T.pow,
    T.others,
}  # fmt: skip


@remembered
def hot(form: Form) -> bool:
    """Tell whether an exponential in it can take the value out of the range of floats."""
    if isinstance(form, Prod):
        return bool(form.expo.terms) or any(hot(f) for f, _ in form.factors)
    if isinstance(form, Sum):
        return any(hot(m) for m, _ in form.terms)
    if isinstance(form, App) and form.op in LINEAR:
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
    elif isinstance(form, App) and form.op in LINEAR:
        parts = [f for f in form.forms if not isinstance(f, Lin)]
    else:
        parts = []
    return frozenset().union(*map(exponents, parts))


def is_softplus(form: Form) -> bool:
    """Tell whether a form is ``log(1 + exp(a))``, which vanishes as ``exp(a)`` does."""
    if not (isinstance(form, App) and form.op is T.log and isinstance(form.args[0], Sum)):
        return False
    terms = form.args[0].terms
    if len(terms) != 2 or any(c != 1 or not isinstance(m, Prod) or m.factors for m, c in terms):
        return False
    return sum(bool(m.expo.terms) for m, _ in terms) == 1  # type: ignore[attr-defined]


def over_softplus(form: Form) -> bool:
    """Tell whether a form is a quotient of two that vanish, as that of a sigmoid and a softplus."""
    factors = form.factors if isinstance(form, Prod) else ()
    below = [f for f, k in factors if k < 0 and is_softplus(f)]
    return any(exponents(form) & exponents(f.args[0]) for f in below)  # type: ignore[attr-defined]
