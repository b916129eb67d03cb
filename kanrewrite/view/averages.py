"""Averages: ``b - p*sum(b)`` as ``b*others(e)/sum(e) - p*others(b)`` for ``p == e/sum(e)``.

So are slopes of losses of shares: each term less what the shares of all are of it.  Where p is 1
and b divides by what p leaves of 1, both are as large as that is small, and nearly the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from kanrewrite.terms import T
from kanrewrite.view.distributing import expanded
from kanrewrite.view.forms import ONE, App, Form, Sum, Terms, added_up, operators_within
from kanrewrite.view.heat import holds_others, is_others
from kanrewrite.view.left_out import LeftOut, left_in, opened_at_others
from kanrewrite.view.moves import Move
from kanrewrite.view.takes import added, scatters
from kanrewrite.view.vanishing import vanish

#: A sum of more terms is not searched.
MANY = 6
#: What is left of two terms and their coefficients, None where they do not meet.
Meeting = Callable[[Form, Fraction, Form, Fraction, Any], Form | None]


def without_shares(terms: Terms, a: Any) -> Terms | None:
    """Terms of which two are ``b - p*sum(b)``, without what cancels in these."""
    divided = [m for m in terms if any(left_in(m, a))]
    all_at_once = _without_average(terms, a) if len(divided) > 1 else None
    found = all_at_once or _met(terms, _without_share, a) or _without_average(terms, a)
    return found or without_put(terms, a)


def _without_average(terms: Terms, a: Any) -> Terms | None:
    """The same of a b of several terms, all of which are there, in whatever way it is written."""
    for n, d in terms.items():
        for g in (g for g, k in a.parts(n)[2] if k == 1 and isinstance(g, App) and g.op is T.sum):
            body, axes = g.args
            for left_out in _left_in_all(opened_at_others(body, a), a):
                outer = a.div(n, a.mul(left_out.share(a), g))
                still = outer.constant_along(axes)
                b, around = (a.mul(outer, body), a.one) if still else (body, outer)
                if left_out.axes != axes or b.bcast != body.bcast:
                    continue
                rest = _less(terms, n, a.mul(a.const(d), around, b), a)
                if rest is not None:
                    left = a.mul(a.const(-d), around, _beside_average(b, left_out, a))
                    return added(rest, left, a)
    return None


def _less(terms: Terms, n: Form, b: Form, a: Any) -> Terms | None:
    """What is left of all terms but one with a form, of which something is gone; else None."""
    own = added_up(expanded(b, a, cold=False))
    others = {m: c for m, c in terms.items() if m is not n}
    rest = added_up((t, c * e) for m, c in others.items() for t, e in expanded(m, a, cold=False))
    if 1 < len(own) <= MANY and all(rest[t] == -c for t, c in own.items()):
        return {t: c for t, c in rest.items() if t not in own and c}
    return {} if len(others) > 1 and vanish({**others, b: ONE}, a) else None


def _left_in_all(terms: Terms, a: Any) -> dict[LeftOut, None]:
    """What is left out of the others that terms divide by, each once."""
    return dict.fromkeys(left_out for m in terms for left_out in left_in(m, a))


def _beside_average(b: Form, left_out: LeftOut, a: Any) -> Form:
    """``b*others(e)/sum(e) - p*others(b)``, which is ``b - p*sum(b)``."""
    own = (a.mul(a.const(c), t, left_out.left) for t, c in opened_at_others(b, a).items())
    others = a.app(T.others, b, left_out.axes, bcast=b.bcast)
    found: Form = a.sub(a.div(a.add(*own), left_out.whole), a.mul(left_out.share(a), others))
    return found


def _without_share(m: Form, c: Fraction, n: Form, d: Fraction, a: Any) -> Form | None:
    """The same of a b that is one term beside others in the sum, which stay in it.

    Where p is 1, both terms are as large as ``1/others(e)``, which is a factor of b.
    """
    for left_out in left_in(m, a):
        share, axes = left_out.share(a), left_out.axes
        for g, j in a.parts(n)[2]:
            if j != 1 or not (isinstance(g, App) and g.op is T.sum and g.args[1] == axes):
                continue
            outer = a.div(n, a.mul(share, g))
            still = outer.constant_along(axes)
            inside = opened_at_others(g.args[0], a)
            for t, b in inside.items():
                whole, around = (m, a.one) if still else (t, outer)  # what is summed with it
                apart = a.mul(outer, t) is not m or b * d != -c
                if apart or whole.bcast != g.args[0].bcast:
                    continue
                left: Form = a.mul(a.const(c), around, _beside_average(whole, left_out, a))
                if len(inside) > 1:
                    rest = a.add_terms({u: e for u, e in inside.items() if u is not t})
                    kept = a.sum(a.spread(rest, g.args[0]), axes)
                    left = a.add(left, a.mul(a.const(d), outer, share, kept))
                return left
    return None


def without_put(terms: Terms, a: Any) -> Terms | None:
    """The same of what was put somewhere, before it is told what there is and what elsewhere.

    What divides by others more often, as curvature does, is told apart.
    """
    if not 1 < len(terms) <= MANY or not any(T.scatter in operators_within(m) for m in terms):
        return None
    divided = [m for m in terms if any(map(holds_others, _divisors(m, a)))]
    return _met(terms, _without_taken_back, a) if len(divided) <= 2 else None


def _divisors(form: Form, a: Any) -> Iterator[Form]:
    """What a product divides by, in factors that are sums, and in what is put somewhere, too."""
    for f, k in a.parts(form)[2]:
        if k < 0:
            yield f
        elif isinstance(f, Sum):
            yield from (g for m, _ in f.terms for g in _divisors(m, a))
        elif isinstance(f, App) and f.op is T.scatter:
            yield from _divisors(f.args[0], a)


def _met(terms: Terms, meet: Meeting, a: Any) -> Terms | None:
    """Terms of which two have met, None where no two do."""
    for (m, c), (n, d) in permutations(terms.items(), 2):
        left = meet(m, c, n, d, a)
        if left is not None:
            rest = (a.mul(a.const(b), t) for t, b in terms.items() if t not in (m, n))
            met: Terms = a.terms_of(a.add(left, *rest))
            return met
    return None


def _without_taken_back(m: Form, c: Fraction, n: Form, d: Fraction, a: Any) -> Form | None:
    """The same of a b that was put somewhere, of which the sum is that of what was put there."""
    if T.scatter not in operators_within(m):
        return None
    m = _taken_out(m, a)
    for left_out in _left_in_all(opened_at_others(m, a), a):
        if m.constant_along(left_out.axes):
            continue
        summed = a.mul(a.const(-c), left_out.share(a), a.sum(m, left_out.axes))
        rest = added_up((t, b * d) for t, b in expanded(n, a, cold=False))
        taken = added_up(expanded(summed, a, cold=False))
        if taken and all(rest[t] == b for t, b in taken.items()):
            put = a.mul(a.const(c), _beside_average(m, left_out, a))
            kept = (a.mul(a.const(b), t) for t, b in rest.items() if t not in taken)
            found: Form = a.add(put, *kept)
            return found
    return None


def _taken_out(form: Form, a: Any) -> Form:
    """``scatter(others(e)[index] * v, index)`` as ``others(e) * scatter(v, index)``."""
    for f in scatters(form, a):
        values, move, like = f.args
        found = ((g, _taken_of(g, move, a), k) for g, k in a.parts(values)[2])
        taken = [(g, whole, k) for g, whole, k in found if whole is not None]
        if taken and not _is_listed_beside_slices(move):
            left = a.div(values, a.prod(ONE, a.no_exponent, {g: k for g, _, k in taken}))
            left = a.spread(left, a.move(like, move))
            put = a.app(T.scatter, left, move, like, bcast=like.bcast)
            a.left_by.add(put)
            form = a.mul(a.div(form, f), *(a.pow(whole, k) for _, whole, k in taken), put)
    for total in [f for f, k in a.parts(form)[2] if k == 1 and isinstance(f, Sum)]:
        terms = (a.mul(a.const(c), _taken_out(m, a)) for m, c in total.terms)
        form = a.mul(a.div(form, total), a.add(*terms))
    return form


def _taken_of(form: Form, move: Move, a: Any) -> Form | None:
    """The others, or the others and a number, that a move takes a form of; None for no such."""
    if isinstance(form, App) and form.op is T.subtensor and form.args[1] == move:
        whole: Form = form.args[0]
        return whole if is_others(whole) else None
    if not isinstance(form, Sum):
        return None
    found = {m if m is a.one else _taken_of(m, move, a): c for m, c in form.terms}
    known = None not in found and len(found) == len(form.terms)
    return a.add_terms(found) if known else None


def _is_listed_beside_slices(move: Move) -> bool:
    """Tell whether an index has lists beside slices.

    Where ones are put by such a one Aesara expects another shape than NumPy's, and fails.
    """
    entries = getattr(move, "entries", ())
    sliced = any(isinstance(e, slice) and e != slice(None) for e in entries)
    return move.takes_several() and sliced and any(getattr(e, "ndim", 0) for e in entries)
