"""Powers: ``exp(a * t) * r**t == (exp(a) * r)**t``, the way back where r has exponentials itself.

What has left a mixture such as ``exp(a)*g + exp(b)*h`` is large though the mixture is not: times t
it would be subtracted of what is left, after both were rounded.
"""

from __future__ import annotations

from fractions import Fraction

from kanrewrite.terms import T
from kanrewrite.view.forms import ONE, App, Form, Prod, Totals
from kanrewrite.view.heat import exponents, hot
from kanrewrite.view.lifting import Lifting


def gathered(form: Prod, a: Lifting) -> Form:
    """A product whose powers have taken in the exponentials that their bases share."""
    powers = [f for f, k in form.factors if k == 1 and is_power(f)]
    if not powers or not form.expo.terms:
        return form
    left, kept = Totals(form.expo.terms), dict(form.factors)
    for f in powers:
        base, power = f.args  # type: ignore[attr-defined]
        inner = {}
        for m, c in tuple(left.items()):
            root, number = _root(m, power, a)
            if root in exponents(base):
                inner[root] = c * number
                del left[m]
        if inner:
            del kept[f]
            whole = a.mul(a.prod(ONE, a.lin(inner), {}), base)
            kept[a.app(T.pow, whole, power)] = ONE
    return a.prod(form.coeff, a.lin(left), kept)


def is_power(form: Form) -> bool:
    """Tell whether a form is something with exponentials, to a power that is no number."""
    return isinstance(form, App) and form.op is T.pow and hot(form)


def _root(exponent: Form, power: Form, a: Lifting) -> tuple[Form, Fraction]:
    """What a term of an exponent is without a power as its factor, and a number."""
    number, expo, factors = a.parts(a.div(exponent, power))
    return a.prod(ONE, expo, dict(factors)), number
