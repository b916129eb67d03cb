"""Places: what sums that leave a part of another sum out have left out, and what they have not.

Each says of what it divides by how a whole sum is put together of what is left and what is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.forms import ONE, ZERO, App, Axes, Form, Sum
from kanrewrite.view.heat import is_mask, is_others
from kanrewrite.view.moves import Move

#: What rearranges a tensor.
MOVES = (T.dimshuffle, T.subtensor)

#: Which dimension comes to lie where.
Order = tuple[int, ...]
Parts = list[tuple[Form, Fraction]]


class Parting(Protocol):
    """How sums are told apart where what is left of one divides."""

    def parted(self, form: Form, a: Any) -> Parts | None:
        """The parts of a sum, None for what is none."""

    def is_whole(self, form: Form, a: Any) -> bool:
        """Tell whether a form is the sum of which something is left."""

    def size(self, form: Form, a: Any) -> Fraction:
        """How often a form is divided by what is as small as what is left."""


class Place(NamedTuple):
    """A sum that leaves one term out, and how it was moved."""

    others: App
    moves: tuple[Move, ...]

    def at(self, form: Form, a: Any) -> Form | None:
        """What a form is there, None where it is not moved as the others were."""
        for move in self.moves:
            if form.bcast and move.restricted(form.bcast) is None:
                return None
            form = a.move(form, move)
        return form

    def parted(self, form: Form, a: Any) -> Parts | None:
        """A sum along the same axes as its own term and the others, None for what is none."""
        found = self._told_apart(form, a)
        return None if found is None else [(f, ONE) for f in found]

    def _told_apart(self, form: Form, a: Any) -> list[Form] | None:
        (moves, total), axes = moved(form), self.others.args[1]
        if not (isinstance(total, App) and total.op is T.sum and total.args[1] == axes):
            return None
        if self.moves and not moves and is_others(self.others):
            body, here = total.args[0], self.at(self.others, a)
            if here is not None and a.same_lengths.same(body, here):
                return [body, a.app(T.others, body, axes, bcast=body.bcast)]
        found = self._parts(total, a)
        one = all(form.bcast) and all(total.bcast)
        if found is None or (not one and self.at(total, a) is not form):
            return None
        parts = [self.at(f, a) for f in found]
        return [f for f in parts if f is not None] if all(f is not None for f in parts) else None

    def _parts(self, total: App, a: Any) -> list[Form] | None:
        """A sum as what the others leave out, before all are moved, and what they do not."""
        body, axes = total.args
        if not a.same_lengths.same(body, self.others.args[0]):
            return None  # a sum of some of them has other terms
        if is_others(self.others):
            return [body, a.app(T.others, body, axes, bcast=body.bcast)]
        known = left_by(self.others, a)
        if left_by(total, a):
            return None  # what is left itself
        left = a.sum(a.mul(body, *(mask for mask, _ in known)), axes)
        found = [*(_taken(body, total, move, a) for _, move in known), left]
        return None if any(f is None for f in found) else found

    def unmoved(self) -> Place:
        """The same, of what was not moved."""
        return Place(self.others, ())

    def is_whole(self, form: Form, a: Any) -> bool:
        """Tell whether a form is the sum of which one term was left out."""
        parts = self._told_apart(form, a)
        return parts is not None and parts[-1] is self.at(self.others, a)

    def size(self, form: Form, a: Any) -> Fraction:
        """How often a form is divided by what is, or may be, as small as the others are."""
        factors = a.parts(form)[2]
        found = [n for f, n in divisions(form, a) if self._is_others(f, a)]
        sums = [-k for f, k in factors if k < 0 and isinstance(f, Sum) and self._is_within(f, a)]
        return sum([*found, *sums], ZERO)

    def _is_others(self, form: Form, a: Any) -> bool:
        moves, inner = moved(form)
        return moves == self.moves and self._is_small(inner, a)

    def _is_within(self, form: Sum, a: Any) -> bool:
        """Tell whether a sum is what the others are times, beside what may be negligible."""
        factors = (item for m, _ in form.terms for item in a.parts(m)[2])
        return any(k > 0 and self._is_others(f, a) for f, k in factors)

    def _is_small(self, form: Form, a: Any) -> bool:
        if not (isinstance(form, App) and form.op is self.others.op):
            return False
        alike = is_others(form) or left_by(form, a) == left_by(self.others, a)
        return alike and bool(form.args[1] == self.others.args[1])


def divisions(form: Form, a: Any) -> Iterator[tuple[Form, Fraction]]:
    """What a product divides by, how often, and what it is multiplied with, less than never.

    A power that is no number divides, for all that is known.
    """
    for f, k in a.parts(form)[2]:
        if isinstance(f, App) and f.op is T.pow:
            yield f.args[0], abs(k)
        else:
            yield f, -k


class Beside(NamedTuple):
    """What others leave, with more beside it: ``k*sum(b) == k*b + (k*others(b) + c) - c``."""

    divisor: Sum
    place: Place
    times: Fraction

    def parted(self, form: Form, a: Any) -> Parts | None:
        """The parts of a sum, or of the others in it, by the divisor; None for what is none."""
        left = self.place.at(self.place.others, a)
        if (whole := self._whole(form, a)) is not None:
            return whole
        parts = [(form, ONE)] if form is left else self.place.parted(form, a)
        if parts is None:
            return None
        rest = [(m, -c) for m, c in self.divisor.terms if m is not left]
        by: Parts = [(m, c / self.times) for m, c in ((self.divisor, ONE), *rest)]
        return [(f, c * d) for m, c in parts for f, d in (by if m is left else [(m, ONE)])]

    def _whole(self, form: Form, a: Any) -> Parts | None:
        """What is all of the divisor, by a number, as that and what was left out of it."""
        own, total = self._own(a)
        if own is None or not isinstance(form, Sum):
            return None
        numbers = all(form.bcast) and all(self.divisor.bcast)  # of whatever dimensions
        terms, divisor = (
            {moved(m)[1] if numbers else m: c for m, c in f.terms} for f in (form, self.divisor)
        )
        left = self.place.at(self.place.others, a)
        total, left = (moved(f)[1] if numbers and f is not None else f for f in (total, left))
        if total not in terms or left not in divisor:
            return None
        by = self.times / terms.pop(total)
        divisor.pop(left)
        beside = {m: by * terms.get(m, ZERO) - divisor.get(m, ZERO) for m in {**terms, **divisor}}
        more = beside.pop(own, ZERO) + self.times
        return None if any(beside.values()) else [(self.divisor, 1 / by), (own, more / by)]

    def _own(self, a: Any) -> tuple[Form | None, Form | None]:
        """What was left out of the others, and the sum that it was left out of."""
        left = self.place.others
        taken = left_by(left, a)
        body, axes = left.args
        if len(taken) > 1:
            return None, None
        body = a.div(body, taken[0][0]) if taken else body
        total = a.sum(body, axes)
        own = _taken(body, total, taken[0][1], a) if taken else body
        return None if own is None else self.place.at(own, a), self.place.at(total, a)

    def is_whole(self, form: Form, a: Any) -> bool:
        """Tell whether a form is the sum of which something is left, maybe with more beside it."""
        return self._whole(form, a) is not None or self.place.is_whole(form, a)

    def size(self, form: Form, a: Any) -> Fraction:
        """How often a form is divided by what is as small as what is left."""
        _, expo, factors = a.parts(form)
        found = [-k for f, k in factors if f is self.divisor]
        shown = dict(expo.terms)
        for m, _ in self.divisor.terms:  # none of which is larger than the divisor
            _, own, others = a.parts(m)
            if len(own.terms) == 1 and not others:
                ((x, c),) = own.terms
                found.append(-max(shown.get(x, ZERO) / c, ZERO))
        return sum(found, self.place.size(form, a))


def beside(form: Form) -> Beside | None:
    """The others, and what is added to them, in a sum; None where there are none."""
    for m, c in form.terms if isinstance(form, Sum) else ():
        moves, inner = moved(m)
        if c > 0 and is_left(inner, form.home):
            return Beside(form, Place(inner, moves), c)  # type: ignore[arg-type]
    return None


def masks(form: Form, a: Any) -> list[App]:
    """The factors that hide, or keep, what an index points to."""
    return [
        f
        for f, k in a.parts(form)[2]
        if k == 1 and is_mask(f) and isinstance(f.args[0], App) and f.args[0].op is T.unpicked
    ]


def left_by(form: Form, a: Any) -> list[tuple[App, Move]]:
    """The masks of a sum of what indices do not take along its axes, and the indices.

    No element is taken by two of them.
    """
    if not (isinstance(form, App) and form.op is T.sum):
        return []
    body, axes = form.args
    found = [(mask, mask.args[0].args[1]) for mask in masks(body, a) if mask.args[1]]
    for place, (_, move) in enumerate(found):
        if body.bcast != move.whole or not (move.takes_of(axes) or axes in move.picks()):
            return []
        if not all(move.is_apart(other) for _, other in found[:place]):
            return []
    return found


def _taken(body: Form, total: Form, move: Move, a: Any) -> Form | None:
    """What an index takes of what is summed, where the sum is; None where that is not told."""
    axes = total.args[1]  # type: ignore[attr-defined]
    if move.takes_of(axes):
        return a.sum(a.move(body, move), axes)  # type: ignore[no-any-return]
    number = all(total.bcast)  # of any dimensions
    if not number and a.undrop(a.move(total, move), axes) is not total:
        return None
    return a.undrop(a.move(body, move), axes)  # type: ignore[no-any-return]


def is_left(form: Form, a: Any) -> TypeGuard[App]:
    """Tell whether a form is the sum of others, or of all that indices do not take."""
    return is_others(form) or bool(left_by(form, a))


class Squares(NamedTuple):
    """What squares leave of the square of a sum: ``sum(e)**2 - sum(e**2) == sum(e*others(e))``."""

    left: App
    moves: tuple[Move, ...]
    #: Whether there is a place for each e, of which sums are it and the others.
    each: bool = False

    def parted(self, form: Form, a: Any) -> Parts | None:
        """``sum(e**2 * w)`` as ``sum(e)*sum(e*w) - sum(e*w*others(e))``; None for other sums."""
        total, base = moved(form)[1], squared(self.left, a)
        if not (isinstance(total, App) and total.op is T.sum and base is not None):
            return None
        body, axes = total.args
        if axes != self.left.args[1] or self._at(total, a) is not form:
            return None
        if not a.same_lengths.same(body, base):
            return None
        weighted = a.div(body, base)
        if not a.parts(weighted)[1].terms:
            return self._with_own(body, axes, a) if self.each else None
        if a.parts(a.div(weighted, base))[1].terms:
            return None
        left = a.sum(a.mul(weighted, a.app(T.others, base, axes, bcast=base.bcast)), axes)
        sums = [(a.one, ONE)]
        for f in (base, weighted):
            parts = self._with_own(f, axes, a) if self.each else [(a.sum(f, axes), ONE)]
            sums = [(a.mul(m, n), ONE) for m, _ in sums for n, _ in parts]
        return [*((self._at(m, a), c) for m, c in sums), (self._at(left, a), -ONE)]

    def _with_own(self, body: Form, axes: Axes, a: Any) -> Parts:
        return [(body, ONE), (a.app(T.others, body, axes, bcast=body.bcast), ONE)]

    def _at(self, form: Form, a: Any) -> Form:
        for move in self.moves:
            form = a.move(form, move)
        return form

    def unmoved(self) -> Squares:
        """The same, of what was not moved."""
        return self._replace(moves=())

    def is_whole(self, form: Form, a: Any) -> bool:
        """Tell whether a form is the sum, where it is taken to be each of its terms and others."""
        base = squared(self.left, a)
        return (
            self.each and base is not None and form is self._at(a.sum(base, self.left.args[1]), a)
        )

    def size(self, form: Form, a: Any) -> Fraction:
        """How often a form is divided by what is as small as what squares leave."""
        factors = ((k, *moved(f)) for f, k in a.parts(form)[2])
        found = [-k for k, moves, f in factors if self._is_small(f, moves, a)]
        return sum(found, ZERO)

    def _is_small(self, form: Form, moves: tuple[Move, ...], a: Any) -> bool:
        if not isinstance(form, App) or form.op not in (T.sum, T.others):
            return False
        if form.args[1] != self.left.args[1]:
            return False
        if is_others(form):
            return self.each and not moves
        base = squared(self.left, a)
        factors = a.parts(form.args[0])[2]
        return moves == self.moves and any(is_others(f) and f.args[0] is base for f, _ in factors)


def squared(form: Form, a: Any) -> Form | None:
    """The e of a form that is ``sum(e*others(e))``, None for others."""
    if isinstance(form, App) and form.op is T.sum:
        body, axes = form.args
        for f, k in a.parts(body)[2]:
            if k == 1 and is_others(f) and f.args[1] == axes and a.div(body, f) is f.args[0]:
                return f.args[0]  # type: ignore[no-any-return]
    return None


def moved(form: Form) -> tuple[tuple[Move, ...], Form]:
    """How a form was moved, first things first, and what was moved."""
    moves: list[Move] = []
    while isinstance(form, App) and form.op in MOVES:
        moves.insert(0, form.args[1])
        form = form.args[0]
    return tuple(moves), form


def turned(forms: Iterable[Form]) -> tuple[Order, Order] | None:
    """The order that all of some forms were transposed into, and that back; None for others."""
    moves = {f.args[1] if isinstance(f, App) and f.op is T.dimshuffle else None for f in forms}
    turns = {None if move is None else (move.order, move.inverse()) for move in moves}
    turn = turns.pop() if len(turns) == 1 else None
    return None if turn is None or turn[1] is None else turn
