"""The others: ``sum(e) - e == others(e)``, a sum that leaves one term out.

Where that term is nearly all of the sum, as in ``1 - softmax(x)``, nothing is left of the
difference but rounding errors; the sum of the others has all its digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanrewrite.terms import T
from kanrewrite.view.forms import ZERO, App, Form, Terms
from kanrewrite.view.heat import hot
from kanrewrite.view.moves import Index

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

#: A sum of more terms is not searched.
MANY = 6


def without_one(terms: Terms, a: Lifting) -> Terms | None:
    """``c*m - c*m*e/sum(e)`` as ``c*m*others(e)/sum(e)``, None where no two terms are such."""
    if not 1 < len(terms) <= MANY or not any(hot(m) for m in terms):
        return None
    if not any(_total(f) is not None for m in terms for f, _ in a.parts(m)[2]):
        return None
    terms = _opened(terms, a)
    for m, c in terms.items():
        for n, d in terms.items():
            if c + d or n is m:
                continue
            left = _left(a.div(n, m), a)
            if left is not None:
                rest = {t: b for t, b in terms.items() if t not in (m, n)}
                for t, b in a.terms_of(a.mul(m, left)).items():
                    rest[t] = rest.get(t, ZERO) + b * c
                return rest
    return None


def _opened(terms: Terms, a: Lifting) -> Terms:
    """``sum(e)/others(e)`` as ``1 + e/others(e)``, where a term has it more often than another."""
    out: Terms = {}
    powers = [dict(a.parts(m)[2]) for m in terms]
    for m, c in terms.items():
        factors = dict(a.parts(m)[2])
        pieces = [m]
        for f, k in factors.items():
            if k < 0 and isinstance(f, App) and f.op is T.others:
                body, axes = f.args
                total = a.sum(body, axes)
                mine = factors.get(total, ZERO)
                if mine >= 1 or any(p.get(total, ZERO) < mine for p in powers):
                    rest = a.div(m, total)
                    pieces = [a.mul(rest, f), a.mul(rest, body)]
                    break
        for piece in pieces:
            for n, d in a.terms_of(piece).items():
                out[n] = out.get(n, ZERO) + c * d
    return {m: c for m, c in out.items() if c}


def _left(ratio: Form, a: Lifting) -> Form | None:
    """``others(e)/sum(e)`` for the form ``e/sum(e)``, whatever was moved after it was summed."""
    for f, k in a.parts(ratio)[2]:
        total = _total(f)
        if k != -1 or total is None:
            continue
        body, axes = total.args
        if not hot(body):
            continue
        others: Form = a.app(T.others, body, axes, bcast=body.bcast)
        own = a.mul(ratio, f)
        if own is body and (total is f or not f.bcast):  # or the sum of everything, as a scalar
            return a.div(others, f)
        for move in _moves(own, a):
            fits = move.whole == body.bcast and move.restricted(total.bcast) is not None
            if fits and a.move(total, move) is f and a.move(body, move) is own:
                return a.div(a.app(T.subtensor, others, move, bcast=move.result()), f)
    return None


def _total(form: Form) -> App | None:
    """A sum along axes, whatever was moved after it was summed."""
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        form = form.args[0]
    return form if isinstance(form, App) and form.op is T.sum else None


def _moves(form: Form, a: Lifting) -> set[Index]:
    """The moves that took the terms of an exponent."""
    expo = a.parts(form)[1]
    moves = {m.args[1] for m, _ in expo.terms if isinstance(m, App) and m.op is T.subtensor}
    return {m for m in moves if isinstance(m, Index)}
