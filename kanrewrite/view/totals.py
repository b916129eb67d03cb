"""Totals: terms that are sums over axes, with the factors around them inside.

``sum(a + b) - sum(a)`` is ``sum(b)``: of two sums along the same axes the terms cancel, whatever
was taken out of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Axes, Form, Sum, Terms, Totals
from kanrewrite.view.heat import hot
from kanrewrite.view.lengths import spanning

#: A sum of more terms is not searched.
MANY = 12


class Total(NamedTuple):
    """A term that is a sum over axes, with its factors inside."""

    term: Form
    body: Form
    axes: Axes
    #: Whether the summed dimensions are dropped.
    drops: bool


def totals(term: Form, a: Any) -> Iterator[Total]:
    """The ways to see a term as a sum over axes."""
    coeff, expo, factors = a.parts(term)
    for f, k in factors:
        inner = f.args[0] if isinstance(f, App) and f.op is T.dimshuffle else f
        if k != 1 or not (isinstance(inner, App) and inner.op is T.sum):
            continue
        body, axes = inner.args
        if not isinstance(axes, tuple):
            continue  # those of a pattern
        outer = a.prod(coeff, expo, {g: j for g, j in factors if g is not f})
        drops = inner is not f
        kept = tuple(d for d in range(body.ndim) if d not in axes)
        if isinstance(f, App) and drops and f.args[1].order != kept:
            continue
        if outer.bcast and drops:
            if outer.ndim != f.ndim:
                continue
            outer = a.undrop(outer, axes)
        if not outer.constant_along(axes):
            continue  # it is multiplied with the sum, not with what is summed
        yield Total(term, a.mul(outer, body), axes, drops)


def same_lengths(one: Total, other: Total) -> bool:
    """Tell whether both sum over the same axes: something in both has their lengths."""
    if one.axes != other.axes or one.drops != other.drops or one.body.ndim != other.body.ndim:
        return False
    return bool(spanning(one.body, one.axes) & spanning(other.body, other.axes))


def without_common(terms: Terms, a: Any) -> Terms | None:
    """``sum(a + b) - sum(a)`` as ``sum(b)``; None where no terms of two sums cancel."""
    if not 1 < len(terms) <= MANY or len({c > 0 for c in terms.values()}) < 2:
        return None
    found = {m: [t for t in totals(m, a) if _is_sum(t.body, a)] for m in terms if hot(m)}
    others = {m: list(totals(m, a)) for m in terms if any(found.values()) and hot(m)}
    for m, n in combinations(others, 2):
        if not (terms[m] * terms[n] < 0 and (found[m] or found[n])):
            continue
        for one, other in product(others[m], others[n]):
            left = _less(one, other, terms[m], terms[n], a) if same_lengths(one, other) else None
            if left is not None:
                out = Totals((t, c) for t, c in terms.items() if t not in (m, n))
                for t, c in a.terms_of(left).items():
                    out[t] += c
                return {t: c for t, c in out.items() if c}
    return None


def _is_sum(form: Form, a: Any) -> bool:
    """Tell whether a product holds a sum to be multiplied out."""
    return any(isinstance(f, Sum) and k == 1 for f, k in a.parts(form)[2])


def _terms(form: Form, a: Any) -> Totals:
    """A product multiplied out."""
    terms = Totals()
    for m, k in a.expand(form):
        terms[m] += k
    return terms


def _less(one: Total, other: Total, c: Fraction, d: Fraction, a: Any) -> Form | None:
    """What is left of two sums of which terms cancel, None where none do."""
    first, second = (a.mul(a.const(k), t.body) for t, k in ((one, c), (other, d)))
    met = _terms(second, a)
    if not any(met[m] == -k != 0 for m, k in _terms(first, a).items()):
        return None
    total: Form | None = a.sums_as_one(first, second, one.axes)
    if total is not None and one.drops:
        total = a.drop(total, one.axes)
    return total
