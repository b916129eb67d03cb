"""The others: ``sum(e) - e == others(e)``, a sum that leaves one term out.

Where that term is nearly all of the sum, as in ``1 - softmax(x)``, nothing is left of the
difference but rounding errors; the sum of the others has all its digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

from kanrewrite.terms import T
from kanrewrite.view.averages import MANY, without_shares
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import (
    HALF,
    ONE,
    ZERO,
    App,
    Axes,
    Form,
    Sum,
    Terms,
    Totals,
    added_up,
    is_parameter,
)
from kanrewrite.view.heat import exponents, hot, is_others
from kanrewrite.view.indices import untaken
from kanrewrite.view.left_out import leaving, opened_at_others
from kanrewrite.view.lengths import operands
from kanrewrite.view.moves import Index, inverse
from kanrewrite.view.picking import picks
from kanrewrite.view.places import turned
from kanrewrite.view.takes import added

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

#: A term, its sum, and how something is moved as they are.
Before = tuple[Form, Form, Callable[[Form], Form]]
#: The highest power of a share, or of a root of one, that is taken from 1.
POWERS = 8
#: Coefficients that differ by no more, as 0.3 and 1 - 0.7 do, nearly cancel.
NEAR = Fraction(1, 1024)
#: So many shares are taken from 1 together, of which the log is stated.
PICKS = 2


def without_one(terms: Terms, a: Lifting) -> Terms | None:
    """``c*m - c*m*e/sum(e)`` as ``c*m*others(e)/sum(e)``, None where no two terms are such."""
    if not 1 < len(terms) <= MANY or not any(map(_meets, terms)):
        return None
    if not any(_is_whole(f) for m in terms for f, _ in a.parts(m)[2]):
        return None
    shared = _shared(terms, a)
    if shared is not a.one:
        inside = without_one({a.div(m, shared): c for m, c in terms.items()}, a)
        return None if inside is None else a.terms_of(a.mul(shared, a.add_terms(inside)))
    whole = _without_whole(terms, a)
    if whole is not None:
        return whole
    given, terms = terms, _opened(terms, a)
    # ``sum(e)/others(e) - e/others(e)`` is 1
    fewer = terms if len(terms) < len(given) else _gathered(terms, a)
    fewer = fewer or without_shares(given, a)
    fewer = fewer or (without_shares(terms, a) if terms != given else None)
    if fewer is not None:
        return fewer
    for (m, c), (n, d) in permutations(terms.items(), 2):
        left = None if abs(c + d) > abs(c) * NEAR else _left_of_power(a.div(n, m), a)
        if left is not None:
            rest = {t: b for t, b in terms.items() if t not in (m, n)} | {n: c + d}
            rest = added(rest, a.mul(a.const(c), m, left), a)
            return {t: b for t, b in rest.items() if b}
    return None


def _shared(terms: Terms, a: Lifting) -> Form:
    """The sums that are factors of all terms."""
    first, *more = (a.parts(m)[2] for m in terms)
    found = {f: k for f, k in first if k > 0 and _total(f) is not None}
    for factors in more:
        known = dict(factors)
        found = {f: min(k, known.get(f, ZERO)) for f, k in found.items()}
    return a.prod(ONE, a.no_exponent, {f: k for f, k in found.items() if k > 0})


def together(terms: Terms, a: Lifting) -> Terms | None:
    """``others(e) + e`` as ``sum(e)``, over others too, None where no two terms are such."""
    for m, c in terms.items():
        for f, k in a.parts(m)[2]:
            if k != 1 or not is_others(f):
                continue
            around = a.div(m, f)
            n = a.mul(around, f.args[0])
            if terms.get(n) == c:
                rest = {t: b for t, b in terms.items() if t not in (m, n)}
                return added(rest, a.mul(a.const(c), around, a.sum(*f.args)), a)
    return _together_over(terms, a)


def _together_over(terms: Terms, a: Lifting) -> Terms | None:
    """``1 + e/others(e)`` as ``sum(e)/others(e)``, where that is all or cancels; None elsewhere."""
    for n in terms:
        for f in (f for f, k in a.parts(n)[2] if k < 0):
            left_out = leaving(f, a)
            m = None if left_out is None else a.div(a.mul(n, f), left_out.own)
            if left_out is None or m is None or terms.get(m) != terms[n]:
                continue
            rest = {t: b for t, b in terms.items() if t not in (m, n)}
            found = added(rest, a.mul(a.const(terms[n]), m, left_out.whole, a.pow(f, -ONE)), a)
            found = {t: b for t, b in found.items() if b}
            if len(found) == 1 or len(found) <= len(rest):
                return _kept_long(found, n, a)
    return None


def _kept_long(terms: Terms, like: Form, a: Lifting) -> Terms | None:
    """Terms, None where they have lost a length of those that have cancelled."""
    return terms if a.add_terms(terms).bcast == like.bcast else None


def _gathered(terms: Terms, a: Lifting) -> Terms | None:
    """``b + c - p*(b + c)`` as ``(b + c)*others(e)/sum(e)``, None where there is nothing of it."""
    factors = ((m, f) for m in terms for f, k in a.parts(m)[2] if k == 1 and isinstance(f, Sum))
    for (m, f), n in product(factors, terms):
        if len(f.terms) >= len(terms):
            continue
        first, d = f.terms[0]
        around, number = a.div(n, first), terms[n] / d
        whole = added_up((a.mul(around, t), number * e) for t, e in f.terms)
        if m in whole or any(terms.get(t) != e for t, e in whole.items()):
            continue
        left = a.add(a.mul(a.const(number), around), a.mul(a.const(terms[m]), a.div(m, f)))
        if len(a.terms_of(left)) == 1 and not any(isinstance(g, Sum) for g, _ in a.parts(left)[2]):
            rest = {t: e for t, e in terms.items() if t is not m and t not in whole}
            return added(rest, a.mul(left, f), a)
    return None


def _without_whole(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(b + c) - b - c`` as ``others(b + c)``, None where there is nothing of it."""
    if len(terms) < 3:
        return None
    for m, c in terms.items():
        for f, k in a.parts(m)[2]:
            total = _total(f) if k == 1 else None
            if total is None or not hot(total) or not a.expands(total.args[0]):
                continue
            body, around = total.args[0], a.div(m, f)
            if not 1 < len(a.expand(body)) < len(terms):
                continue
            moves = dict.fromkeys(move for n in terms for move in _moves(n))
            taken = (a.move(body, move) for move in moves if move.whole == body.bcast)
            for own in (body, *taken):
                parts = added_up(a.expand(a.mul(a.const(-c), around, own)))
                all_there = all(terms.get(t) == b for t, b in parts.items())
                left = _left(a.div(own, f), a) if all_there else None
                if left is not None:
                    rest = {t: b for t, b in terms.items() if t is not m and t not in parts}
                    return added(rest, a.mul(a.const(c), around, a.mul(left, f)), a)
    return None


def without_squares(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(e)**2 - sum(e**2)`` as ``sum(e * others(e))``, both of them over anything."""
    for n, c in terms.items() if len(terms) > 1 else ():
        for f, body, axes in _squares(n, a):
            squares = a.mul(body, body)
            left = a.mul(body, a.app(T.others, body, axes, bcast=body.bcast))
            whole, squares, left = (a.sum(g, axes) for g in (body, squares, left))
            if isinstance(f, App) and f.op is T.dimshuffle:
                whole, squares, left = (a.move(g, f.args[1]) for g in (whole, squares, left))
            if squares is not f:
                continue
            around = a.div(n, f)
            m = a.mul(around, whole, whole)
            if terms.get(m) == -c:
                rest = Totals((t, b) for t, b in terms.items() if t not in (m, n))
                for t, b in a.terms_of(a.mul(around, left)).items():
                    rest[t] -= b * c
                return rest
    return None


def without_several(terms: Terms, a: Lifting) -> Terms | None:
    """``c*m - c*m*(e[i] + e[j])/sum(e)`` as ``c*m`` times what neither i nor j takes of the sum."""
    sums = {n: a.expand(n) for n in terms if any(map(_is_hot_sum, a.parts(n)[2]))}
    if not sums or len(terms) < 2:
        return None
    for n, pieces in sums.items():
        if len(pieces) != PICKS or any(d != 1 for _, d in pieces):
            continue
        for m in (m for m, c in terms.items() if c == -terms[n]):
            left = _untaken([a.div(t, m) for t, _ in pieces], a)
            if left is not None:
                rest = {t: c for t, c in terms.items() if t not in (m, n)}
                return added(rest, a.mul(a.const(terms[m]), m, left), a)
    return None


def _is_hot_sum(factor: tuple[Form, Fraction]) -> bool:
    form, k = factor
    return k == 1 and isinstance(form, Sum) and hot(form)


def _untaken(shares: list[Form], a: Lifting) -> Form | None:
    """One less shares that indices take of different places, None for what are none."""
    totals = (f for f, k in a.parts(shares[0])[2] if k == -1)
    for f, total in ((f, _total(f)) for f in totals):
        if total is None or not hot(total):
            continue
        body, axes = total.args
        taken = [_taking(a.mul(share, f), f, total, a) for share in shares]
        indices = [move for move in taken if move is not None]
        apart = all(m.is_apart(n) for m, n in combinations(indices, 2))
        if len(indices) == len(shares) and apart:
            for move in indices:
                kept = (T.switch, picks(body, move, body, a), body, a.zero)
                totals_of = (T.sum, body, axes), (T.sum, kept, axes)
                left = becomes((T.sub, T.sum, T.sum), totals_of, a)
                if not (isinstance(left, App) and left.op is T.sum):
                    return None
                body = left.args[0]
            return a.div(a.move(a.sum(body, axes), indices[0]), f)
    return None


def _taking(own: Form, whole: Form, total: App, a: Lifting) -> Index | None:
    """The index that took one term of a sum for each place, where the sum is; None for none."""
    body, axes = total.args
    for move in _moves(own):
        taken = axes in move.picks() and move.whole == body.bcast
        if taken and a.move(body, move) is own and a.move(total, move) is whole:
            return move
    return None


def _squares(form: Form, a: Lifting) -> Iterator[tuple[Form, Form, Axes]]:
    """The sums of squares of exponentials in a product, with what is squared."""
    for f, k in a.parts(form)[2]:
        total = f.args[0] if isinstance(f, App) and f.op is T.dimshuffle else f
        if k == 1 and hot(f) and isinstance(total, App) and total.op is T.sum:
            body, axes = total.args
            expo = a.parts(body)[1]
            if expo.terms and all(j.denominator == 1 and not j % 2 for _, j in expo.terms):
                yield f, a.pow(body, HALF), axes


def _opened(terms: Terms, a: Lifting) -> Terms:
    """``sum(e)/others(e)`` as ``1 + e/others(e)``, where that is a factor."""
    out: Terms = {}
    for m, c in terms.items():
        factors = dict(a.parts(m)[2])
        pieces = [m]
        for f, k in factors.items():
            left_out = leaving(f, a) if k < 0 else None
            if left_out is not None:
                body, total = left_out.own, left_out.whole
                if factors.get(total, ZERO) >= 1:
                    rest = a.div(m, total)
                    pieces = [a.mul(rest, f), a.mul(rest, body)]
                    break
        for piece in pieces:
            for n, d in opened_at_others(piece, a).items():
                out[n] = out.get(n, ZERO) + c * d
    return {m: c for m, c in out.items() if c}


def _left_of_power(ratio: Form, a: Lifting) -> Form | None:
    """What is left by a power of a share: ``1 - p**3`` as ``(1 - p)*(1 + p + p**2)``.

    And ``1 - p**1.5`` as that of the root, which is ``(1 - p)/(1 + sqrt(p))`` less than 1.
    """
    powers = [-k for f, k in a.parts(ratio)[2] if k < 0 and _is_whole(f)]
    power = min(powers, default=ONE)
    if power == 1:
        return _left(ratio, a)
    if max(power.numerator, power.denominator) > POWERS:
        return None
    root = a.pow(ratio, Fraction(1, power.numerator))
    left = _left(a.pow(root, Fraction(power.denominator)), a)
    above, below = (
        a.add(*(a.pow(root, Fraction(n)) for n in range(most)))
        for most in (power.numerator, power.denominator)
    )
    return None if left is None else a.div(a.mul(left, above), below)


def _is_whole(form: Form) -> bool:
    """Tell whether a form is what shares are of: a sum along axes, or such with more beside it."""
    terms = [m for m, _ in form.terms] if isinstance(form, Sum) else [form]
    return any(_total(m) is not None for m in terms)


def _left(ratio: Form, a: Lifting, upright: bool = False) -> Form | None:
    """``others(e)/sum(e)`` for the form ``e/sum(e)``, whatever was moved after it was summed.

    What was transposed is turned back once.
    """
    for f, k in a.parts(ratio)[2]:
        if k == -1 and isinstance(f, Sum) and (left := _left_beside(a.mul(ratio, f), f, a)):
            return a.div(left, f)
        total = _total(f)
        if k != -1 or total is None or not _meets(total.args[0]):
            continue
        body, axes = total.args
        own = a.mul(ratio, f)
        kept = _not_taken(own, total, f, a)
        if kept is not None:
            return a.div(kept, f)
        if own is body and (total is f or not f.bcast):  # or the sum of everything, as a scalar
            return a.div(a.app(T.others, body, axes, bcast=body.bcast), f)
        left = _left_taken(own, total, f, a)
        if left is not None:
            return a.div(left, f)
        taken = _before_taken(own, f, a)
        turned_back = None if upright else _before_turned(own, f, a)
        for before, turns in ((taken, upright), (turned_back, True)):
            if before is not None:
                term, whole, back = before
                left = _left(a.div(term, whole), a, turns)
                if left is not None:
                    return back(left)
    return None


def _left_beside(own: Form, whole: Sum, a: Lifting) -> Form | None:
    """``1 + others(e)`` for ``1 + sum(e)``, None where that is no sum of e and more."""
    for total, c in whole.terms:
        if c == 1 and isinstance(total, App) and total.op is T.sum and total.args[0] is own:
            left = a.app(T.others, *total.args, bcast=own.bcast)
            return a.add_terms({**{m: d for m, d in whole.terms if m is not total}, left: ONE})
    return None


def _left_taken(own: Form, total: App, moved: Form, a: Lifting) -> Form | None:
    """What an index takes of the others, for the term and the sum that it takes."""
    for move in _moves(own):
        for whole, along in _before_dropped(total, moved, move, a):
            if move.whole != whole.bcast or a.move(whole, move) is not own:
                continue
            summed = a.sum(whole, along)
            fits = move.restricted(summed.bcast) is not None
            if (a.move(summed, move) if fits else a.filled(summed, move)) is moved:
                left = a.app(T.others, whole, along, bcast=whole.bcast)
                return a.app(T.subtensor, left, move, bcast=move.result())
    return None


def _before_taken(own: Form, whole: Form, a: Lifting) -> Before | None:
    """A term and its sum before both were taken by an index, and how they are."""
    taken = untaken(own, a)
    if taken is None or taken.form is own:
        return None
    move = taken.move
    inner: Form | None = None
    if move.leaves(whole.bcast):
        inner = whole
    elif isinstance(whole, App) and whole.op is T.subtensor:
        inner = whole.args[0]
    if inner is None or not move.fits(inner.bcast) or a.move(inner, move) is not whole:
        return None
    return taken.form, inner, lambda left: a.move(left, move)


def _before_turned(own: Form, whole: Form, a: Lifting) -> Before | None:
    """A term and its sum before both were transposed, and how they are."""
    turn = turned(operands(own))
    if turn is None or whole.ndim != own.ndim:
        return None
    order, back = turn
    return a.shuffle(own, back), a.shuffle(whole, back), lambda left: a.shuffle(left, order)


def _before_dropped(
    total: App, moved: Form, move: Index, a: Lifting
) -> Iterator[tuple[Form, Axes]]:
    """What a sum may be of: where its axes were dropped, they were put behind what is kept."""
    body, axes = total.args
    yield body, axes
    if isinstance(moved, App) and moved.op is T.dimshuffle:
        for along in move.picks():
            order = (*(d for d in range(body.ndim) if d not in along), *along)
            back = inverse(order, body.ndim)
            if back is not None:
                yield a.shuffle(body, back), along


def _not_taken(part: Form, total: App, moved: Form, a: Lifting) -> Form | None:
    """``sum(b) - sum(b[index])`` as the sum of what the index does not take; None for others.

    Both sums may have been moved, alike.
    """
    inner = _total(part)
    body, axes = total.args
    if inner is None or inner.args[1] != axes:
        return None
    for move in _moves(inner.args[0]):
        taken = move.takes_of(axes) and move.whole == body.bcast
        if not (taken and a.move(body, move) is inner.args[0]):
            continue
        kept = (T.switch, picks(body, move, body, a), body, a.zero)
        left = becomes((T.sub, T.sum, T.sum), ((T.sum, body, axes), (T.sum, kept, axes)), a)
        if left is None:
            return None
        if part is inner and moved is total:
            return left
        outer = moved.args[1] if isinstance(moved, App) and moved is not total else None
        if outer is not None and a.move(a.sum(inner.args[0], axes), outer) is part:
            return a.move(left, outer)
    return None


def _meets(form: Form) -> bool:
    """Tell whether exponentials show in a form, or may in what a parameter stands for."""
    return hot(form) or is_parameter(form)


def _total(form: Form) -> App | None:
    """A sum along axes, whatever was moved after it was summed."""
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        form = form.args[0]
    return form if isinstance(form, App) and form.op is T.sum else None


def _moves(form: Form) -> set[Index]:
    """The moves that took the terms of exponents."""
    moves = {m.args[1] for m in exponents(form) if isinstance(m, App) and m.op is T.subtensor}
    return {m for m in moves if isinstance(m, Index)}
