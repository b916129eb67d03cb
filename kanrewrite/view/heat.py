"""Heat: whether exponentials show in a form."""

from __future__ import annotations

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Lin, Prod, Sum

#: Operators through which an exponential still shows.
LINEAR = {
    T.sum, T.prod, T.max, T.min, T.dot, T.batched_dot, T.dimshuffle, T.drop, T.subtensor, T.scatter,
    T.switch, T.cumsum, T.join, T.abs, T.pow,
    T.others,
}  # fmt: skip


def hot(form: Form) -> bool:
    """Tell whether an exponential in it can take the value out of the range of floats."""
    if isinstance(form, Prod):
        return bool(form.expo.terms) or any(hot(f) for f, _ in form.factors)
    if isinstance(form, Sum):
        return any(hot(m) for m, _ in form.terms)
    if isinstance(form, App) and form.op in LINEAR:
        return any(hot(f) for f in form.forms)
    return isinstance(form, App) and form.op is T.expm1


def exponents(form: Form) -> set[Form]:
    """The terms of all exponents in a form that show."""
    found: set[Form] = set()
    stack = [form]
    while stack:
        part = stack.pop()
        if isinstance(part, Lin):
            found.update(m for m, _ in part.terms)
        elif isinstance(part, Prod):
            stack.extend([part.expo, *(f for f, _ in part.factors)])
        elif isinstance(part, Sum):
            stack.extend(m for m, _ in part.terms)
        elif isinstance(part, App) and part.op is T.expm1:
            found.update(part.args[0].home.terms_of(part.args[0]))
        elif isinstance(part, App) and part.op in LINEAR:
            stack.extend(f for f in part.forms if not isinstance(f, Lin))
    return found
