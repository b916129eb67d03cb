"""Regions: a sum told apart by where an index points, and each part of it cancelled by itself.

``b + scatter(v, index)`` is ``b[index] + v`` where the index points to, and b elsewhere.  In a
product of a Hessian with a loss of a picked share both nearly cancel, and so do terms of each,
which divide by the others: multiplied out they do as symbols.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

from kanrewrite.view.forms import ZERO, App, Axes, Form, Leaf, Terms, Totals, remembered, within
from kanrewrite.view.lengths import fills, operands
from kanrewrite.view.moves import Move
from kanrewrite.view.own_terms import cancelled, expanded, places
from kanrewrite.view.picking import hidden, picks, put_in, scatters, where_picked
from kanrewrite.view.places import Place, Squares, is_left, squared

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
    moves = {f.args[1]: f.args[2] for f in put_in(terms, a)}
    for move, like in moves.items():
        for axes in move.picks() or _along(move):
            found = _at(terms, move, axes, like, a)
            if found is not None:
                return found
    where = [_of_each(place, terms, a) for place in _places(terms, a) if not moves]
    left = _cancelled(list(terms.items()), terms, where, a)
    return None if left is None else cast(Form, a.add_terms(left))


def _at(terms: Terms, move: Move, axes: Axes, like: Leaf, a: Any) -> Form | None:
    """Terms told apart by where one index points to, None where nothing cancels."""
    placed = [n for n in terms if any(f.args[1] == move for f in scatters(n, a))]
    beside = {n: c for n, c in terms.items() if n not in placed}
    if any(n.bcast != move.whole for n in placed) or not all(map(move.fits, _lengths(beside))):
        return None
    found = ((where_picked(n, move, axes, a), c) for n, c in terms.items())
    pieces = [(m, c * d) for n, c in found for m, d in expanded(n, a)]
    there = _collected(pieces)
    if not fills(a.add_terms(there), like, a.lengths, set().union(*map(operands, terms))):
        return None
    mine = _cancelled(pieces, there, [Place(f, ()) for f in _divisors(pieces, a)], a)
    left = _cancelled(list(beside.items()), beside, _places(beside, a), a)
    if mine is None and left is None:
        return None
    mask = picks(a.mul(*terms), move, like, a)
    rest = [(hidden(m, mask, a), c) for m, c in (beside if left is None else left).items()]
    if any(m is None for m, _ in rest):
        return None  # nobody says what is left by a mask
    shown = a.choice(mask, a.add_terms(there if mine is None else mine), a.zero)
    whole: Form = a.add(shown, *(a.mul(a.const(c), m) for m, c in rest))
    return whole


def _places(terms: Terms, a: Any) -> list[Place | Squares]:
    return list(dict.fromkeys(places(terms, a)))


def _of_each(place: Place | Squares, terms: Terms, a: Any) -> Place | Squares:
    """A place of squares as one of each of their terms, where all terms have their lengths."""
    base = squared(place.left, a) if isinstance(place, Squares) else None
    each = base is not None and all(m.bcast == base.bcast for m in terms)
    return place._replace(each=True) if each and isinstance(place, Squares) else place


def _lengths(terms: Terms) -> Iterator[tuple[bool, ...]]:
    return (m.bcast for m in terms)


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


def _divisors(pieces: Pieces, a: Any) -> Iterator[App]:
    """What products divide by that leaves a part of a sum out."""
    found = (f for m, _ in pieces for f, k in a.parts(m)[2] if k < 0)
    return iter(dict.fromkeys(f for f in found if is_left(f, a)))


def _cancelled(pieces: Pieces, terms: Terms, where: list[Place | Squares], a: Any) -> Terms | None:
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
