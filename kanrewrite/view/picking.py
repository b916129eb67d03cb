"""Picks: ``sum(b) - b[index]`` is what is left of the sum without what the index takes of b.

The index takes one element along the summed axes for each place along the others, as the diagonal
does and ``b[arange(n), y]``.  Where that element is nearly all of the sum, nothing is left of the
difference but rounding errors.  Its gradient leaves out the same elements:
``b - scatter(b[index]) == b * m``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.algebra import is_ones, is_weight
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Axes,
    Form,
    Prod,
    Sum,
    Terms,
    is_elementwise,
)
from kanrewrite.view.heat import exponents, holds_others, hot, is_mask
from kanrewrite.view.joining import age
from kanrewrite.view.lengths import fills, operands, spanning
from kanrewrite.view.moves import Move, inverse
from kanrewrite.view.takes import added, beside_rows, cancelling, scatters
from kanrewrite.view.zeros import quotient

#: Coefficients that differ by less are the same number, rounded: 1/3, and what divides by 3.
ROUNDING = Fraction(1, 2**50)

#: A sum of what was put to more places is left: what it is at one is asked for at the others.
FEW = 2

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


def without_picks(terms: Terms, a: Lifting) -> Terms | None:
    """A sum in which terms have met the picks of them that they leave out, None where none can."""
    if len(terms) < 2 or not any(hot(m) for m in terms):
        return None
    before = terms
    for without in _WAYS:
        while (left := without(terms, a)) is not None:
            terms = left
    return None if terms is before else terms


def _without_picked(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(b) - b[index]`` as ``sum(b * m)``."""
    for n, move, axes in _picked(terms, a):
        keeps = n.ndim == len(move.whole)
        body = spread(a.drop(n, axes) if keeps else n, move, axes, a)
        if body.bcast != move.whole:
            continue
        whole = a.sum(body, axes)
        rest = _without(terms, whole if keeps else a.drop(whole, axes), n, a)
        if rest is not None:
            kept = (T.switch, picks(body, move, body, a), body, a.zero)
            totals = (T.sum, body, axes), (T.sum, kept, axes)
            left = becomes((T.sub, T.sum, T.sum), totals, a)
            if left is None:
                return None
            left = left if keeps else a.drop(left, axes)
            return added(rest, a.mul(a.const(-terms[n]), left), a)
    return None


def _picked(terms: Terms, a: Lifting) -> Iterator[tuple[Form, Move, Axes]]:
    """The terms that a move may have picked of what another term adds up, with move and axes.

    What both are multiplied by cancels in their quotient: the exponents left are moved ones.
    """
    if not (min(terms.values()) < 0 < max(terms.values()) or any(map(_may_turn, terms))):
        return  # what is taken out is subtracted
    totals = [(m, f) for m in terms for f, _ in a.parts(m)[2] if _is_total(f) and hot(f)]
    for n, c in terms.items():
        turns = _may_turn(n)
        mine = [(m, f) for m, f in totals if m is not n and (turns or (terms[m] > 0) != (c > 0))]
        for move, axes in dict.fromkeys(pick for m, f in mine for pick in _moves(n, m, f, a)):
            if any(_is_pick(n, m, f, move, axes, a) for m, f in mine):
                yield n, move, axes


def _may_turn(form: Form) -> bool:
    """Tell whether a product may be found with another sign: a sum is written with either."""
    factors = form.factors if isinstance(form, Prod) else [(form, ONE)]
    return any(c < 0 for f, _ in factors if isinstance(f, Sum) for _, c in f.terms)


def _moves(n: Form, m: Form, total: App, a: Lifting) -> Iterator[tuple[Move, Axes]]:
    """The moves that give an exponent of a term that is not in that of a total, with their axes.

    A graph has as many moves as nodes: each form knows those that it comes from.
    """
    if not a.given_by:
        return
    quotient = a.mul(a.div(n, m), total)
    for move in _giving(exponents(quotient), a):
        if len(move.whole) != n.ndim:
            yield from ((move, axes) for axes in move.picks())
    along = a.picked_along.get(n.ndim, ())
    for axes in (axes for axes in along if all(quotient.bcast[d] for d in axes if quotient.bcast)):
        for move in _giving(exponents(a.drop(quotient, axes)), a):
            if len(move.whole) == n.ndim and axes in move.picks():
                yield move, axes


def _giving(forms: Iterable[Form], a: Lifting) -> list[Move]:
    """The moves that give all of some forms."""
    found = sorted(forms, key=lambda f: f.uid)
    first, *others = [a.given_by.get(e, {}) for e in found] or [{}]
    return [move for move in first if all(move in given for given in others)]


def _is_pick(n: Form, m: Form, total: App, move: Move, axes: Axes, a: Lifting) -> bool:
    """Tell whether only moved exponents of a total are in a term and not in that of the total."""
    summed = set(exponents(total))
    if total.op is T.dimshuffle:  # what was dropped was put behind what is kept
        order = (*(d for d in range(len(move.whole)) if d not in axes), *axes)
        back = inverse(order, len(order))
        summed |= {a.shuffle(e, back) for e in summed if back and e.ndim == len(back)}
    moved = {a.moved.get((move, e)) for e in summed}
    quotient = a.mul(a.div(n, m), total)
    if n.ndim == len(move.whole):
        quotient = a.drop(quotient, axes)
    return hot(quotient) and exponents(quotient) <= moved


def _without_scattered(terms: Terms, a: Lifting) -> Terms | None:
    """``b - scatter(b[index])`` as ``b * m``."""
    for n in terms:
        for f in scatters(n, a):
            values, move, like = f.args
            for axes in move.picks():
                body = a.mul(a.div(n, f), spread(values, move, axes, a))
                rest = _without(terms, body, n, a) if move.spans(body.bcast) else None
                if rest is not None:
                    left = hidden(body, picks(body, move, like, a), a)
                    if left is None:
                        return None
                    return added(rest, a.mul(a.const(-terms[n]), left), a)
    return None


def _beside_scattered(terms: Terms, a: Lifting) -> Terms | None:
    """``b + scatter(v, index)`` as ``b`` where the index does not point, and what both are there.

    Where they nearly cancel: ``p*(p[i] - d_ij)/(1 - p[i])``, the slope of ``-log(1 - p[i])``.
    """
    moves = {f.args[1]: f.args[2] for f in put_in(terms, a)}
    # (The slope of log(p[i]) is left: one less a share has the digits that it needs.)
    if len(moves) > FEW or not any(map(holds_others, terms)):
        return None
    for move, like in moves.items():
        placed = [n for n in terms if _is_put(n, move, a)]
        beside = [m for m in terms if m not in placed and move.fits(m.bcast)]
        beside = [m for m in beside if not any(f.args[1] == move for f, _ in unpicked(m, a))]
        if not beside or any(n.bcast != move.whole for n in placed):
            continue
        pairs = [[*placed, m] for m in beside if len(placed) == 1]
        for axes, group in product(move.picks(), [[*placed, *beside], *pairs]):
            found = [a.mul(a.const(terms[t]), where_picked(t, move, axes, a)) for t in group]
            there = a.add(*found)
            gains = cancelling([there], a) < cancelling(found, a)
            given = set().union(*map(operands, group))
            if not (gains and fills(there, like, a.lengths, given)):
                continue
            mask = picks(a.mul(*group), move, like, a)
            rest = {t: c for t, c in terms.items() if t not in group}
            for m in (t for t in group if t not in placed):
                left = hidden(m, mask, a)
                if left is None:
                    return None
                rest = added(rest, a.mul(a.const(terms[m]), left), a)
            return added(rest, a.choice(mask, there, a.zero), a)
    return None


def unpicked(term: Form, a: Lifting) -> Iterator[tuple[App, bool]]:
    """The factors of a term that tell where an index points to, and whether that is hidden."""
    for f, k in a.parts(term)[2]:
        if k <= 0 or not is_mask(f):
            continue
        given, hidden = f.args
        if isinstance(given, App) and given.op is T.unpicked:
            yield given, bool(hidden)


def _without_weighted(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(b) - sum(b * w)`` as ``sum(b * (1 - w))``; and ``1 - sum(b * w)/sum(b)``."""
    totals = {m: f for m in terms for f, k in a.parts(m)[2] if k == 1 and _is_total(f) and hot(f)}
    coefficients = set(terms.values())
    for n, g in totals.items():
        if -terms[n] not in coefficients:
            continue
        outer = a.div(n, g)
        divisors = [f for f, k in a.parts(n)[2] if k < 0 and _is_total(f) and hot(f)]
        for f in dict.fromkeys([*totals.values(), *divisors]):
            m = a.mul(outer, f)
            left = _below(f, g, a) if m is not n and terms.get(m) == -terms[n] else None
            if left is not None:
                rest = {t: c for t, c in terms.items() if t not in (m, n)}
                return added(rest, a.mul(a.const(terms[m]), outer, left), a)
    return None


def _without_shares(terms: Terms, a: Lifting) -> Terms | None:
    """``w*sum(b) - sum(w*b)`` as ``w*r - (1-w)*sum(w*b)``, over ``r == sum((1-w)*b)``.

    The gradient of the log of r, which is small where w is 1 where b is large.
    """
    for n in terms:
        factors = [(f, k) for f, k in a.parts(n)[2] if _is_total(f) and hot(f)]
        parts = [f for f, k in factors if k == 1]
        divisors = [f for f, k in factors if k < 0]
        for part, (total, left) in product(parts, permutations(divisors, 2)):
            if _below(total, part, a) is not left:
                continue
            weight = a.div(_body(part), _body(total))
            around = a.div(n, part)
            m = a.mul(around, total, weight)
            if m is not n and terms.get(m) == -terms[n]:
                rest = {t: c for t, c in terms.items() if t not in (m, n)}
                hidden = a.mul(around, a.sub(a.one, weight), part)
                shown = a.sub(a.mul(around, weight, left), hidden)
                return added(rest, a.mul(a.const(terms[m]), shown), a)
    return None


def _body(total: App) -> Form:
    """What a sum along axes, which may have been dropped, is of."""
    inner: App = total.args[0] if total.op is T.dimshuffle else total
    body: Form = inner.args[0]
    return body


def _below(total: App, weighted: App, a: Lifting) -> Form | None:
    """A sum less another one in which weights are factors, None where it is no such thing."""
    whole, part = (t.args[0] if t.op is T.dimshuffle else t for t in (total, weighted))
    if whole.args[1] != part.args[1]:
        return None
    weight = quotient(part.args[0], whole.args[0], a)
    if weight is None or not is_weight(weight):
        return None
    if any(whole.args[0].bcast[d] and not part.args[0].bcast[d] for d in whole.args[1]):
        return None  # the weights are more than what they weigh
    if spanning(weight, ()) & spanning(a.parts(whole.args[0])[1], ()):
        return None  # an average, whose terms cancel in another way
    body, axes = whole.args
    kept = (T.switch, weight, body, a.zero) if is_mask(weight) else part.args[0]
    left = becomes((T.sub, T.sum, T.sum), ((T.sum, body, axes), (T.sum, kept, axes)), a)
    return left if left is None or whole is total else a.drop(left, axes)


def _without_masked(terms: Terms, a: Lifting) -> Terms | None:
    """``b - b * m`` as ``b`` times what m hides."""
    for n in terms:
        for mask in (f for f, k in a.parts(n)[2] if k == 1 and is_mask(f)):
            whole = a.div(n, mask)
            if whole.bcast == n.bcast and terms.get(whole) == -terms[n]:
                rest = {t: b for t, b in terms.items() if t not in (whole, n)}
                left = hidden(whole, mask, a)
                if left is None:
                    return None
                return added(rest, a.mul(a.const(terms[whole]), left), a)
    return None


_WAYS = (
    _without_scattered, beside_rows, _beside_scattered, _without_picked, _without_masked,
    _without_weighted, _without_shares,
)  # fmt: skip


def hidden(whole: Form, mask: Form, a: Lifting) -> Form | None:
    """What is left of a form without what a mask keeps of it, as relations say."""
    return becomes((T.sub, None, T.switch), (whole, (T.switch, mask, whole, a.zero)), a)


def _without(terms: Terms, whole: Form, part: Form, a: Lifting) -> Terms | None:
    """What stays when a term and minus the whole that it is a part of leave, None if it is not."""
    shown = {_without_ones(t, a): t for t in terms if t is not part}
    left = {t: b for t, b in terms.items() if t is not part}
    for t, c in a.terms_of(whole).items():
        own = shown.get(_without_ones(t, a))
        if own is None or abs(left.pop(own, ZERO) + c * terms[part]) > ROUNDING * abs(c):
            return None
    return left


def _without_ones(term: Form, a: Lifting) -> Form:
    """A term without what is there only for its lengths, which its part has too."""
    coeff, expo, factors = a.parts(term)
    if not any(is_ones(f) for f, _ in factors):
        return term
    return a.prod(coeff, expo, {f: k for f, k in factors if not is_ones(f)})


def spread(form: Form, move: Move, axes: Axes, a: Lifting) -> Form:
    """What a move picks a form of: what it has not moved is the same along the axes."""

    @cache
    def whole(part: Form) -> Form:
        if isinstance(part, App) and part.op is T.subtensor and part.args[1] == move:
            inner: Form = part.args[0]
            return inner
        source = a.came_from(part, move)
        if source is not None:
            return source
        if is_elementwise(part):
            return a.map(part, whole)
        return a.undrop(part, axes)

    return whole(form)


def where_picked(form: Form, move: Move, axes: Axes, a: Lifting) -> Form:
    """What a form is at the elements that a move picks, those that were moved in their places.

    Of ``sum(a * scatter(b, index), axes)`` that is ``a * b``.
    """

    @cache
    def there(part: Form) -> Form:
        if is_elementwise(part):
            return a.map(part, there)
        if isinstance(part, App) and part.op is T.scatter and part.args[1] == move:
            return spread(part.args[0], move, axes, a)
        if isinstance(part, App) and part.op is T.sum and {*part.args[1]} <= {*axes}:
            inner: Form = part.args[0]
            if _is_put(inner, move, a):
                return there(inner)
        if is_ones(part):
            return a.one  # the whole has all lengths
        if not axes or not part.constant_along(axes):
            return part
        return spread(a.drop(part, axes) if part.bcast else part, move, axes, a)

    return there(form)


def put_in(forms: Iterable[Form], a: Lifting) -> Iterator[App]:
    """The scatters that are factors of forms, or of terms of their factors."""
    stack, seen = [*forms], set[Form]()
    while stack:
        form = stack.pop(0)
        if form not in seen:
            seen.add(form)
            yield from scatters(form, a)
            sums = (f for f, k in a.parts(form)[2] if k == 1 and isinstance(f, Sum))
            stack.extend(m for f in sums for m, _ in f.terms)


def _is_put(form: Form, move: Move, a: Lifting) -> bool:
    """Tell whether all of a form was put where an index points to."""
    if isinstance(form, Sum):
        return all(_is_put(m, move, a) for m, _ in form.terms)
    factors = [f for f, k in a.parts(form)[2] if k == 1]
    found = any(f.args[1] == move for f in scatters(form, a))
    return found or any(isinstance(f, Sum) and _is_put(f, move, a) for f in factors)


def _is_total(form: Form) -> TypeGuard[App]:
    """Tell whether a form is a sum along axes, which may have been dropped."""
    if isinstance(form, App) and form.op is T.dimshuffle:
        form = form.args[0]
    return isinstance(form, App) and form.op is T.sum


def picks(body: Form, move: Move, like: Form, a: Lifting) -> Form:
    """What keeps the elements that a move takes of a form, with the lengths of another one."""
    axes = tuple(d for d, one in enumerate(move.whole) if not one)
    known, shape = a.picked.setdefault(move, {}), a.lengths.get(like, like)
    whole = spanning(body, axes) | spanning(shape, axes)
    powers = (a.prod(ONE, a.parts(f)[1], {}) for f in (body, shape))
    form = next((f for f in known if f in whole), None) or min(whole, key=age, default=None)
    form = form or next((p for p in powers if p.bcast == move.whole), like)
    known[form] = None
    return a.app(T.mask, a.app(T.unpicked, form, move, bcast=move.whole), False)
