"""Merging: where sums along the same axes are one, because terms of one meet terms of the other.

The derivative of ``sum(t * log(s))`` in t is a sum of logs less a sum of averages: each of them
grows with the exponents, and they cancel element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Prod, Sum, remembered
from kanrewrite.view.heat import hot
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.totals import Total, same_lengths, totals


def merged(form: Form, a: Lifting, gains: Callable[[Form], bool]) -> Form | None:
    """A sum in which two terms that are sums over axes are one, if that gains; or a multiple."""
    if isinstance(form, Sum):
        return _merged(form, a, gains)
    for f, k in form.factors if isinstance(form, Prod) else ():
        inner = _merged(f, a, gains) if k == 1 and isinstance(f, Sum) else None
        if inner is not None:
            return a.mul(a.div(form, f), inner)
    return None


def _merged(form: Sum, a: Lifting, gains: Callable[[Form], bool]) -> Form | None:
    found = {m: list(_totals(m, a)) for m, _ in form.terms}
    for m, n in combinations([m for m in found if found[m]], 2):
        if not (holds_log(m) or holds_log(n)):
            continue
        for one, other in product(found[m], found[n]):
            if not same_lengths(one, other):
                continue
            terms = dict(form.terms)
            first = a.mul(a.const(terms[m]), one.body)
            second = a.mul(a.const(terms[n]), other.body)
            if any(gains(f) for f, _ in a.parts(a.add(first, second))[2]):
                total = a.sums_as_one(first, second, one.axes)
                if total is None:
                    return None  # nobody says so
                total = a.drop(total, one.axes) if one.drops else total
                rest = {t: c for t, c in terms.items() if t not in (m, n)}
                return a.add(total, a.add_terms(rest)) if rest else total
    return None


def _totals(term: Form, a: Lifting) -> Iterator[Total]:
    """The ways to see a term as a sum over axes, some of which are summed before."""
    for total in totals(term, a) if hot(term) or holds_log(term) else ():
        yield from _parted(total, a)


def _parted(total: Total, a: Lifting) -> Iterator[Total]:
    term, body, axes, drops = total
    for size in range(len(axes)):
        for first in combinations(axes, size):
            part = a.sum(body, first) if first else body
            left = tuple(d for d in axes if d not in first)
            if first and drops:
                part = a.drop(part, first)
                left = tuple(d - sum(e < d for e in first) for d in left)
            yield Total(term, part, left, drops)


@remembered
def holds_log(form: Form) -> bool:
    """Tell whether the log of an exponential shows in a form."""
    if isinstance(form, App):
        if form.op is T.log and hot(form.args[0]):
            return True
        return form.op in (T.sum, T.dimshuffle) and holds_log(form.args[0])
    if isinstance(form, Prod):
        return any(holds_log(f) for f, _ in form.factors)
    return isinstance(form, Sum) and any(holds_log(m) for m, _ in form.terms)
