"""Heat: whether exponentials show in a form."""

from __future__ import annotations

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Prod, Sum

#: Operators through which an exponential still shows.
LINEAR = {
    T.sum, T.prod, T.max, T.min, T.dot, T.batched_dot, T.dimshuffle, T.drop, T.subtensor, T.scatter,
    T.switch, T.cumsum, T.join, T.abs,
}  # fmt: skip


def hot(form: Form) -> bool:
    """Can the value leave the range of floats because an exponential is in it?"""
    if isinstance(form, Prod):
        return bool(form.expo.terms) or any(hot(f) for f, _ in form.factors)
    if isinstance(form, Sum):
        return any(hot(m) for m, _ in form.terms)
    if isinstance(form, App) and form.op in LINEAR:
        return any(hot(f) for f in form.forms)
    return isinstance(form, App) and form.op is T.expm1
