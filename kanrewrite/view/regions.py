"""Regions: a sum told apart by where an index points, and each part of it cancelled by itself.

``b + scatter(v, index)`` is ``b[index] + v`` where the index points to, and b elsewhere.  In a
product of a Hessian with a loss of a picked share both nearly cancel, and so do terms of each,
which divide by the others: multiplied out they do as symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple, cast

from kanrewrite.view.forms import ZERO, App, Axes, Form, Leaf, Terms, Totals, remembered, within
from kanrewrite.view.lengths import fills, operands
from kanrewrite.view.moves import Move
from kanrewrite.view.own_terms import cancelled, expanded, places
from kanrewrite.view.picking import hidden, picks, put_in, scatters, where_picked
from kanrewrite.view.places import Parting, Parts, Place, Squares, is_left, squared

#: A sum of more products is not told apart.
MANY = 40

Pieces = list[tuple[Form, Fraction]]


@remembered
def told_apart(form: Form) -> Form | None:
    """A form whose terms have cancelled where an index points to and elsewhere, None if none do."""
    a = form.home
    if not any(is_left(f, a) or squared(f, a) is not None for f in within(form)):
        return None
    terms = _collected(list(expanded(form, a)))
    if not 1 < len(terms) <= MANY:
        return None
    indices = {f.args[1]: f.args[2] for f in put_in(terms, a)}
    if not indices:
        where = [_of_each(place, terms, a) for place in _places(terms, a)]
        left = _cancelled(list(terms.items()), terms, where, a)
        return None if left is None else cast(Form, a.add_terms(left))
    ways = [[(move, axes) for axes in move.picks() or _along(move)] for move in indices]
    if any(not m.is_apart(n) for m, n in combinations(indices, 2)):
        # What is put at one of them is among the others where none cancels but there.
        return next(filter(None, (_at(terms, [w], indices, a) for way in ways for w in way)), None)
    return next(filter(None, (_at(terms, [*w], indices, a) for w in product(*ways))), None)


def _at(
    terms: Terms, where: list[tuple[Move, Axes]], likes: dict[Move, Leaf], a: Any
) -> Form | None:
    """Terms told apart by where indices point to, None where nothing cancels."""
    put = {n: {f.args[1] for f in scatters(n, a)} for n in terms}
    moves = {move for move, _ in where}
    beside = {n: c for n, c in terms.items() if not put[n] & moves}
    if any(n.bcast != move.whole for n in terms if n not in beside for move in moves):
        return None
    if not all(move.fits(n.bcast) for n in beside for move in moves):
        return None
    left = _cancelled(list(beside.items()), beside, _places(beside, a), a)
    parts: list[Form] = []
    rest = [(m, c) for m, c in (beside if left is None else left).items()]
    gains = left is not None
    for move, axes in where:
        mine = {n: c for n, c in terms.items() if n in beside or move in put[n]}
        mine = {n: c for n, c in mine.items() if not put[n] & (moves - {move})}
        found = ((where_picked(n, move, axes, a), c) for n, c in mine.items())
        pieces = [(m, c * d) for n, c in found for m, d in expanded(n, a)]
        there = _collected(pieces)
        like = likes[move]
        if not fills(a.add_terms(there), like, a.lengths, set().union(*map(operands, terms))):
            return None
        fewer = _cancelled(pieces, there, _there(pieces, move, axes, a), a)
        gains = gains or fewer is not None
        mask = picks(a.mul(*terms), move, like, a)
        parts.append(a.choice(mask, a.add_terms(there if fewer is None else fewer), a.zero))
        kept = [(hidden(m, mask, a), c) for m, c in rest]
        rest = [(m, c) for m, c in kept if m is not None]
        if len(rest) < len(kept):
            return None  # nobody says what is left by a mask
    if not gains:
        return None
    whole: Form = a.add(*parts, *(a.mul(a.const(c), m) for m, c in rest))
    return whole


def _places(terms: Terms, a: Any) -> list[Place | Squares]:
    return list(dict.fromkeys(places(terms, a)))


def _of_each(place: Place | Squares, terms: Terms, a: Any) -> Place | Squares:
    """A place of squares as one of each of their terms, where all terms have their lengths."""
    base = squared(place.left, a) if isinstance(place, Squares) else None
    each = base is not None and all(m.bcast == base.bcast for m in terms)
    return place._replace(each=True) if each and isinstance(place, Squares) else place


def _along(move: Move) -> list[Axes]:
    """No axes at all for an index that takes some of several: they stay in their places."""
    indexed = tuple(d for d, e in enumerate(getattr(move, "entries", ())) if e != slice(None))
    return [()] if move.takes_of(indexed) else []


def _collected(pieces: Pieces) -> Terms:
    """Products added up, without those that cancel."""
    found = Totals()
    for m, c in pieces:
        found[m] += c
    return {m: c for m, c in found.items() if c}


class There(NamedTuple):
    """A place as it is where an index points to."""

    place: Place
    move: Move
    axes: Axes

    def parted(self, form: Form, a: Any) -> Parts | None:
        """The parts of a sum as they are there."""
        found = self.place.parted(form, a)
        if found is None:
            return None
        return [(where_picked(f, self.move, self.axes, a), c) for f, c in found]

    def is_whole(self, form: Form, a: Any) -> bool:
        """Tell whether a form is the sum of which something is left."""
        return self.place.is_whole(form, a)

    def size(self, form: Form, a: Any) -> Fraction:
        """How often a form is divided by what is as small as what is left."""
        return self.place.size(form, a)


def _there(pieces: Pieces, move: Move, axes: Axes, a: Any) -> list[There]:
    """What products divide by where an index points to."""
    return [There(Place(f, ()), move, axes) for f in _divisors(pieces, a)]


def _divisors(pieces: Pieces, a: Any) -> Iterator[App]:
    """What products divide by that leaves a part of a sum out."""
    found = (f for m, _ in pieces for f, k in a.parts(m)[2] if k < 0)
    return iter(dict.fromkeys(f for f in found if is_left(f, a)))


def _cancelled(pieces: Pieces, terms: Terms, where: Sequence[Parting], a: Any) -> Terms | None:
    """Terms, of which those that are largest have cancelled, None where they have not.

    Some may have when the pieces were added up.
    """
    for place in where:
        found = cancelled(terms, place, a)
        if found is not None:
            return found
        before = max((place.size(m, a) for m, _ in pieces), default=ZERO)
        if max((place.size(m, a) for m in terms), default=ZERO) < before:
            return terms
    return None
