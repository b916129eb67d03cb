"""Complements: where ``1 - mean(a)``, ``sum(w) - sum(w * a)`` and ``1 - prod(a)`` are followed.

Where a is near 1 nothing is left of the left sides; the complement of a sigmoid is another one, and
the log of a product of sigmoids is a sum of softpluses.  And where quotients are 1 and more.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import gcd, lcm
from typing import TYPE_CHECKING

from kanrewrite.guards.lengths import is_count
from kanrewrite.terms import T
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import ONE, App, Form, Lin, Sum, Terms, Totals
from kanrewrite.view.heat import hot, is_others
from kanrewrite.view.takes import added

#: The weights of an average are at most so many factors of what is averaged.
PARTS = 3

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


def without_mean(terms: Terms, a: Lifting) -> Terms | None:
    """``c - c*mean(b)`` as ``c*mean(1 - b)``, where b and 1 - b are products; None elsewhere."""
    if len(terms) < 2:
        return None
    for m, d in terms.items():
        for f, k in a.parts(m)[2]:
            inner = f.args[0] if isinstance(f, App) and f.op is T.dimshuffle else f
            if k != 1 or not hot(f) or not (isinstance(inner, App) and inner.op is T.sum):
                continue
            body, axes = inner.args
            left, rest = a.sub(a.one, body), a.div(m, f)
            if len(a.terms_of(left)) > 1:
                continue
            for whole in (t for t, c in terms.items() if c + d == 0):
                if is_count(a.div(whole, rest), axes, body):
                    ones = (T.sum, a.one, axes), (T.sum, a.neg(body), axes)
                    total = becomes((T.add, T.sum, T.sum), ones, a)
                    if total is None:
                        return None
                    total = total if inner is f else a.drop(total, axes)
                    left_over = {t: c for t, c in terms.items() if t not in (m, whole)}
                    return added(left_over, a.mul(a.const(-d), rest, total), a)
    return None


def without_average(terms: Terms, a: Lifting) -> Terms | None:
    """``c - c*sum(w*b)/sum(w)`` as ``c*sum(w*(1 - b))/sum(w)``, where 1 - b is a product."""
    if len(terms) < 2:
        return None
    for m, d in terms.items():
        factors = a.parts(m)[2]
        sums = [f for f, k in factors if k == 1 and hot(f) and _total(f) is not None]
        for f, (g, _) in product(sums, [t for t in factors if t[1] == -1 and hot(t[0])]):
            whole = a.div(a.mul(m, g), f)
            left = _below_average(f, g, a) if terms.get(whole) == -d else None
            if left is not None:
                rest = {t: c for t, c in terms.items() if t not in (m, whole)}
                return added(rest, a.mul(a.const(-d), a.div(m, f), left), a)
    return None


def _total(form: Form) -> App | None:
    """A sum along axes, which may have been dropped."""
    inner = form.args[0] if isinstance(form, App) and form.op is T.dimshuffle else form
    return inner if isinstance(inner, App) and inner.op is T.sum else None


def _below_average(total: Form, weights: Form, a: Lifting) -> Form | None:
    """``sum(w) - sum(w*b)`` as ``sum(w*(1 - b))`` for the two sums, None where it is none."""
    inner = _total(total)
    assert inner is not None
    body, axes = inner.args
    _, expo, factors = a.parts(body)
    parts = [a.exp(a.lin({m: c})) for m, c in expo.terms] + [a.pow(f, k) for f, k in factors]
    for number in range(1, min(len(parts), PARTS) + 1):
        for w in (a.mul(*chosen) for chosen in combinations(parts, number)):
            mine = a.sum(w, axes)
            if w.constant_along(axes) or weights not in (mine, a.drop(mine, axes)):
                continue
            left = a.sub(a.one, a.div(body, w))
            if len(a.terms_of(left)) == 1:
                totals = (T.sum, w, axes), (T.sum, body, axes)
                found = becomes((T.sub, T.sum, T.sum), totals, a)
                return found if found is None or inner is total else a.drop(found, axes)
    return None


def as_exponential(form: Sum, a: Lifting) -> Sum:
    """``1 - prod(b)`` as one less the exponential that relations say it is, and ``1 - b**k``."""
    one = dict(form.terms).get(a.one)
    others = [(m, c) for m, c in form.terms if m is not a.one]
    if one is None or len(others) != 1 or others[0][1] != -one:
        return form
    expo = exponent_of_product(others[0][0], a) or exponent_of_root(others[0][0], a)
    if expo is None:
        return form
    return a.sum_of({a.one: one, a.prod(ONE, expo, {}): -one})


def exponent_of_root(form: Form, a: Lifting) -> Lin | None:
    """``-k*log(1 + (1 - b)/b)`` for ``b**k``, of what is at most 1; None for others.

    A whole power is multiplied out.  Of more than 1 the exponent has fewer digits than the power.
    And where 1 - b is others of a sum, slopes add up quotients by ``1 - b**k`` that cancel.
    """
    found = _root(form, a)
    if found is None or any(is_others(f) for f, _ in a.parts(found[2])[2]):
        return None
    base, k, left = found
    log = a.app(T.log, a.sum_of({a.one: ONE, **a.terms_of(a.div(left, base))}))
    return a.lin({log: -k})


def _root(form: Form, a: Lifting) -> tuple[Form, Fraction, Form] | None:
    """``b``, ``k`` and the product that ``1 - b`` is, for ``b**k``; None where it is none."""
    coeff, expo, factors = a.parts(form)
    if coeff != 1 or all(k.denominator == 1 for _, k in factors) or not form.nonneg:
        return None
    k = Fraction(gcd(*(k.numerator for _, k in factors)), lcm(*(k.denominator for _, k in factors)))
    whole = a.lin({m: c / k for m, c in expo.terms})
    base = a.prod(ONE, whole, {f: e / k for f, e in factors})
    left = a.sub(a.one, base)
    return (base, k, left) if left.nonneg and len(a.terms_of(left)) == 1 else None


def without_root(terms: Terms, a: Lifting) -> Terms | None:
    """``c - c*sqrt(b)`` as ``c*(1 - b)/(1 + sqrt(b))``, None where 1 - b is no product."""
    number = terms.get(a.one)
    if number is None:
        return None
    for m, c in terms.items():
        found = _root(m, a) if c + number == 0 and m is not a.one else None
        if found is None or found[1] != Fraction(1, 2):
            continue
        left = becomes((T.sub, 1, T.sqrt), (a.one, (T.sqrt, found[0])), a)
        if left is None:
            return None
        a.taken.setdefault(left, {m: ONE})
        rest = {t: d for t, d in terms.items() if t not in (m, a.one)}
        return added(rest, a.mul(a.const(number), left), a)
    return None


def exponent_of_product(form: Form, a: Lifting) -> Lin | None:
    """The exponent of what is a product along axes, None for what is none."""
    coeff, expo, factors = a.parts(form)
    out = Totals(expo.terms)
    if coeff != 1 or not factors:
        return None
    for f, k in factors:
        inner = f.args[0] if isinstance(f, App) and f.op is T.dimshuffle else f
        if not (isinstance(inner, App) and inner.op is T.prod):
            return None
        left = becomes((T.sub, 1, T.prod), (a.one, inner), a)
        if left is None:
            return None
        number, total, others = a.parts(a.sub(a.one, left))
        if number != 1 or others:
            return None
        moved = total if inner is f else a.move(total, f.args[1])  # type: ignore[attr-defined]
        for m, c in a.terms_of(moved).items():
            out[m] += c * k
    return a.lin(out)


def beside_one(form: Form, a: Lifting) -> tuple[Fraction, Terms] | None:
    """What a quotient of sums is more than 1, and 1; or its inverse is, and -1; None for others.

    Beside 1 that may be negligible: ``log(d + a) - log(d)`` loses it, ``log(1 + a/d)`` does not.
    """
    if all(k < 0 for _, k in a.parts(form)[2]):
        return None  # an exponential is its own log
    less = a.taken.get(form) or _less_than_one(form, a)
    if not less:
        return None
    sign, more = -ONE, Totals(less)
    if all(m.nonneg and c < 0 for m, c in less.items()):
        sign, more = ONE, Totals((m, -c) for m, c in less.items())
    elif len(less) == 1 and all(m.nonneg and c > 0 for m, c in less.items()):
        more = Totals(a.terms_of(a.div(a.add_terms(less), form)))
    else:
        return None
    return None if a.one in more else (sign, more)  # what is no less than 1 is not beside it


def _less_than_one(form: Form, a: Lifting) -> Terms | None:
    """What a quotient of sums is less than 1, as terms over its denominator; None for others."""
    sign, expo, factors = a.parts(form)
    below = {f: k for f, k in factors if k < 0}
    above = a.prod(sign, expo, {f: k for f, k in factors if k > 0})
    if not below or any(k.denominator != 1 for _, k in factors):
        return None
    left = Totals()
    if all(isinstance(f, Sum) for f, _ in factors):
        whole = a.prod(ONE, a.no_exponent, {f: -k for f, k in below.items()})
        if not (a.expands(above) and a.expands(whole)):
            return None
        for m, c in a.expand(whole):
            left[m] += c
        for m, c in a.expand(above):
            left[m] -= c
        terms: Terms = {m: c for m, c in left.items() if c}
        simple = len(terms) == 1 or all(c < 0 for c in terms.values())
        return a.terms_of(a.div(a.add_terms(terms), whole)) if terms and simple else None
    return _less_than_all(form, a) or without_average({a.one: ONE, form: -ONE}, a)


def _less_than_all(form: Form, a: Lifting) -> Terms | None:
    """What ``(1 - p)*r`` is less than 1, for a share p; None for others, or p alone."""
    for f, k in a.parts(form)[2]:
        if k != 1 or not is_others(f):
            continue
        body, axes = f.args
        total = a.sum(body, axes)
        rest, share = a.mul(a.div(form, f), total), a.div(body, total)
        if rest is a.one or not a.expands(rest):
            return None
        left = Totals({a.one: ONE})
        for m, c in a.expand(rest):
            left[m] -= c
            left[a.mul(m, share)] += c
        return {m: c for m, c in left.items() if c}
    return None
