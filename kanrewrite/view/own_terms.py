"""Own terms: ``sum(b) == b + others(b)``, beside what is divided by the others.

Beside ``1/others(e)``, which is large where e is nearly all of the sum, a value less its mean,
``v - sum(e*v)/sum(e)``, is as small as the others are.  Taken out of the sums, v cancels: what is
left, ``(v*others(e) - others(e*v))/sum(e)``, has all digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.algebra import HIGHEST, LONGEST, is_ones
from kanrewrite.view.forms import ONE, ZERO, App, Form, Sum, Terms, Totals, length
from kanrewrite.view.heat import is_mask, is_others
from kanrewrite.view.lengths import operands
from kanrewrite.view.moves import Move
from kanrewrite.view.picking import unpicked

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

#: What rearranges a tensor.
MOVES = (T.dimshuffle, T.subtensor)
#: A sum of more terms is not searched.
MANY = 12


class Place(NamedTuple):
    """A sum that leaves one term out, and how it was moved."""

    others: App
    moves: tuple[Move, ...]

    def at(self, form: Form, a: Lifting) -> Form | None:
        """What a form is there, None where it is not moved as the others were."""
        for move in self.moves:
            if form.bcast and move.restricted(form.bcast) is None:
                return None
            form = a.move(form, move)
        return form

    def parted(self, form: Form, a: Lifting) -> tuple[Form, Form] | None:
        """A sum along the same axes as its own term and the others, None for what is none."""
        (_, total), axes = _moved(form), self.others.args[1]
        if not (isinstance(total, App) and total.op is T.sum and total.args[1] == axes):
            return None
        found = self._parts(total, a)
        one = all(form.bcast) and all(total.bcast)
        if found is None or (not one and self.at(total, a) is not form):
            return None
        own, left = (self.at(f, a) for f in found)
        return None if own is None or left is None else (own, left)

    def _parts(self, total: App, a: Lifting) -> tuple[Form, Form] | None:
        """A sum as what the others leave out, before both are moved, and what they do not."""
        body, axes = total.args
        if is_others(self.others):
            if body.bcast != self.others.bcast:
                return None
            return body, a.app(T.others, body, axes, bcast=body.bcast)
        known = left_by(self.others, a)
        assert known is not None
        mask, move = known
        alike = operands(body) & operands(self.others.args[0])
        if not any(f.bcast == move.whole for f in alike) or mask in masks(body, a):
            return None  # of other lengths, or what is left itself
        return a.sum(a.move(body, move), axes), a.sum(a.mul(body, mask), axes)

    def is_whole(self, form: Form, a: Lifting) -> bool:
        """Tell whether a form is the sum of which one term was left out."""
        parts = self.parted(form, a)
        return parts is not None and parts[1] is self.at(self.others, a)

    def size(self, form: Form, a: Lifting) -> Fraction:
        """How often a form is divided by what is as small as the others are."""
        factors = ((k, *_moved(f)) for f, k in a.parts(form)[2])
        found = [-k for k, moves, f in factors if moves == self.moves and self._is_small(f, a)]
        return sum(found, ZERO)

    def _is_small(self, form: Form, a: Lifting) -> bool:
        if not (isinstance(form, App) and form.op is self.others.op):
            return False
        alike = is_others(form) or left_by(form, a) == left_by(self.others, a)
        return alike and bool(form.args[1] == self.others.args[1])


def masks(form: Form, a: Lifting) -> list[App]:
    """The factors that hide, or keep, what an index points to."""
    return [
        f
        for f, k in a.parts(form)[2]
        if k == 1 and is_mask(f) and isinstance(f.args[0], App) and f.args[0].op is T.unpicked
    ]


def left_by(form: Form, a: Lifting) -> tuple[App, Move] | None:
    """The mask of a sum of what an index does not take along its axes, and the index."""
    if isinstance(form, App) and form.op is T.sum:
        for mask in masks(form.args[0], a):
            given, kept = mask.args
            move = given.args[1]
            if kept and move.takes_of(form.args[1]) and form.args[0].bcast == move.whole:
                return mask, move
    return None


def is_left(form: Form, a: Lifting) -> TypeGuard[App]:
    """Tell whether a form is the sum of others, or of all that an index does not take."""
    return is_others(form) or left_by(form, a) is not None


def without_own(terms: Terms, a: Lifting) -> Terms | None:
    """A sum in which own terms have cancelled, None where they do not."""
    if not 1 < len(terms) <= MANY:
        return None
    for place in dict.fromkeys(places(terms, a)):
        there = {m: c for m, c in terms.items() if _is_only(m, place, a)}
        here = {m: c for m, c in terms.items() if m not in there}
        groups = [(here, place), (there, Place(place.others, ()))]
        found = [(group, cancelled(group, where, a)) for group, where in groups]
        if any(left is not None for _, left in found):
            out = Totals()
            for group, left in found:
                for m, c in (group if left is None else left).items():
                    out[m] += c
            return {m: c for m, c in out.items() if c}
    return None


def places(terms: Terms, a: Lifting) -> Iterator[Place]:
    """The sums that leave one term out, of those that terms divide by."""
    for m in terms:
        for f, k in a.parts(m)[2]:
            if k < 0:
                yield from _place(f, a)
            elif isinstance(f, Sum):
                for n, _ in f.terms:
                    for g, j in a.parts(n)[2]:
                        if j < 0:
                            yield from _place(g, a)


def _place(form: Form, a: Lifting) -> Iterator[Place]:
    """The place of a sum that leaves one term out, where sums take back what was put there.

    What they do not is read in another way, and differs by rounding.
    """
    moves, inner = _moved(form)
    if is_left(inner, a) and not is_others(inner):
        yield Place(inner, moves)
    elif is_others(inner) and moves:
        total = a.sum(*inner.args)
        if not any(m.takes_several() and a.all_picked(total, m) is None for m in moves):
            yield Place(inner, moves)


def _moved(form: Form) -> tuple[tuple[Move, ...], Form]:
    """How a form was moved, first things first, and what was moved."""
    moves: list[Move] = []
    while isinstance(form, App) and form.op in MOVES:
        moves.insert(0, form.args[1])
        form = form.args[0]
    return tuple(moves), form


def _is_only(form: Form, place: Place, a: Lifting) -> bool:
    """Tell whether nothing of a form is left but where it was picked."""
    return any(f.args[1] in place.moves and not hidden for f, hidden in unpicked(form, a))


def cancelled(terms: Terms, place: Place, a: Lifting) -> Terms | None:
    """Terms over what they divide by, with own terms taken out of sums, where the largest cancel.

    Those are the ones that are divided by the others most often.
    """
    if not terms or sum(map(length, terms)) > LONGEST:
        return None
    ones = dict[Form, None]()
    pieces = [(_bare(n, ones, a), c * d) for m, c in terms.items() for n, d in expanded(m, a)]
    divisors = (f for n, _ in pieces for f, k in a.parts(n)[2] if k < 0 and place.is_whole(f, a))
    total = next(divisors, a.one)
    powers = {dict(a.parts(n)[2]).get(total, ZERO) for n, _ in pieces}
    lowest = min(powers)
    if any((k - lowest).denominator > 1 or k - lowest > HIGHEST for k in powers):
        return None
    found = Totals()
    for n, c in pieces:
        for m, d in _parted(a.mul(n, a.pow(total, -lowest)), place, a):
            found[m] += c * d
            if len(found) > LONGEST:
                return None
    left: Terms = {m: c for m, c in found.items() if c}
    if left and max(place.size(m, a) for m in left) >= max(place.size(n, a) for n, _ in pieces):
        return None
    return a.terms_of(a.mul(a.pow(total, lowest), a.add_terms(left), *ones))


def expanded(form: Form, a: Lifting) -> Iterator[tuple[Form, Fraction]]:
    """A product multiplied out, with the sums in its sums, along axes too."""
    for n, c in a.expand(form):
        factors = a.parts(n)[2]
        summed = ((f, _summed(f, a)) for f, k in factors if k == 1 and isinstance(f, App))
        f, terms = next(((f, terms) for f, terms in summed if terms), (n, []))
        if terms:
            rest = a.div(n, f)
            yield from ((m, c * d * e) for t, d in terms for m, e in expanded(a.mul(rest, t), a))
        elif any(isinstance(f, Sum) and k in range(1, HIGHEST + 1) for f, k in factors):
            yield from ((m, c * d) for m, d in expanded(n, a))
        else:
            yield n, c


def _summed(form: App, a: Lifting) -> list[tuple[Form, Fraction]]:
    """The terms of a sum along axes of a product with sums, each summed and moved as it was."""
    moves, inner = _moved(form)
    if not (isinstance(inner, App) and inner.op is T.sum):
        return []
    body, axes = inner.args
    if not any(isinstance(f, Sum) and k == 1 for f, k in a.parts(body)[2]) or not a.expands(body):
        return []
    terms = [(a.sum(a.spread(m, body), axes), c) for m, c in a.expand(body)]
    for move in moves:
        terms = [(a.move(t, move), c) for t, c in terms]
    return terms


def _bare(form: Form, ones: dict[Form, None], a: Lifting) -> Form:
    """A product without what is there for its lengths only, which is put aside."""
    found = {f for f, _ in a.parts(form)[2] if is_ones(f)}
    ones.update(dict.fromkeys(found))
    return a.div(form, a.mul(*found)) if found else form


def _parted(form: Form, place: Place, a: Lifting) -> list[tuple[Form, Fraction]]:
    """A product with each sum in it as its own term and the others, multiplied out."""
    out = [(form, ONE)]
    for f, k in a.parts(form)[2]:
        parts = place.parted(f, a) if k in range(1, HIGHEST + 1) else None
        for _ in range(int(k)) if parts is not None else ():
            out = [(a.mul(a.div(n, f), p), c) for n, c in out for p in parts or ()]
    return out
