"""Cofactors: ``a + g*log(s) - g*x == a + g*(log(s) - x)``, where the log meets what it cancels.

Derivatives of products with a log, as of focal losses, hold such sums: what the terms have in
common is not common to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Sum, Terms, Totals
from kanrewrite.view.heat import exponents, hot
from kanrewrite.view.lifting import Lifting


class Group(NamedTuple):
    """Some terms of a sum: what they have in common, what is left of them, the other terms."""

    cofactor: Form
    inner: Form
    rest: Terms


def groups(form: Sum, a: Lifting) -> Iterator[Group]:
    """The terms that a log of exponentials may cancel with, with all that it is multiplied by."""
    terms = dict(form.terms)
    for m in terms:
        for log, k in a.parts(m)[2]:
            if m is log or k != 1 or not is_hot_log(log):
                continue
            cofactor = a.div(m, log)
            large = exponents(log.args[0])  # type: ignore[attr-defined]
            left = {n: a.div(n, cofactor) for n in terms}
            mine = Totals()
            for n, h in left.items():
                if h is log or h in large:
                    mine[h] += terms[n]
            if len(mine) > 1:
                rest = {n: c for n, c in terms.items() if left[n] not in mine}
                yield Group(cofactor, a.add_terms(mine), rest)


def joined(group: Group, inner: Form, a: Lifting) -> Form:
    """The whole sum again, with something else for what was left of some terms."""
    whole = a.mul(group.cofactor, inner)
    return a.add(whole, *(a.mul(a.prod(c, a.no_exponent, {}), n) for n, c in group.rest.items()))


def is_hot_log(form: Form) -> bool:
    """Tell whether a form is the log of exponentials."""
    return isinstance(form, App) and form.op is T.log and hot(form.args[0])
