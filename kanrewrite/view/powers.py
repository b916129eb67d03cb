"""Powers: what has left the base of one goes back into it, where that has exponentials itself.

What has left a mixture such as ``exp(a)*g + exp(b)*h`` is large though the mixture is not: times t
it would be subtracted of what is left, after both were rounded.
"""

from __future__ import annotations

from kanrewrite.terms import T
from kanrewrite.view.following import stated
from kanrewrite.view.forms import ONE, App, Form, Prod, Totals
from kanrewrite.view.heat import exponents, hot
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.lifting import Lifting


def gathered(form: Prod, a: Lifting) -> Form:
    """A product whose powers have taken in the exponentials that their bases share."""
    powers = [f for f, k in form.factors if k == 1 and is_power(f)]
    if not powers or not form.expo.terms:
        return form
    left, kept = Totals(form.expo.terms), dict(form.factors)
    gathered_powers = []
    for f in powers:
        base, power = f.args  # type: ignore[attr-defined]
        roots = exponents(base)
        inner = {m: c for m, c in left.items() if _root(m, power, a) in roots}
        whole = _back(base, power, a.add_terms(inner), a) if inner else None
        if whole is not None:
            left = Totals((m, c) for m, c in left.items() if m not in inner)
            gathered_powers.append(whole)
            del kept[f]
    return a.mul(a.prod(form.coeff, a.lin(left), kept), *gathered_powers)


def _back(base: Form, power: Form, exponent: Form, a: Lifting) -> Form | None:
    """A power that an exponential has gone back into; made anew it would leave again."""
    found = stated((T.mul, T.pow, T.exp), ((T.pow, base, power), (T.exp, exponent)), a)
    if found is None:
        return None
    right, bindings = found
    if right[0] is not T.pow:
        return instantiate(right, bindings, a)  # type: ignore[no-any-return]
    return a.app(T.pow, *(instantiate(part, bindings, a) for part in right[1:]))


def is_power(form: Form) -> bool:
    """Tell whether a form is something with exponentials, to a power that is no number."""
    return isinstance(form, App) and form.op is T.pow and hot(form)


def _root(exponent: Form, power: Form, a: Lifting) -> Form:
    """What a term of an exponent is without a power as its factor, and without a number."""
    _, expo, factors = a.parts(a.div(exponent, power))
    return a.prod(ONE, expo, dict(factors))
