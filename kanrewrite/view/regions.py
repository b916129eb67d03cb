"""Regions: a sum told apart by where an index points, and each part of it cancelled by itself.

``b + scatter(v, index)`` is ``b[index] + v`` where the index points to, and b elsewhere.  In a
product of a Hessian with a loss of a picked share both nearly cancel, and so do terms of each,
which divide by the others: multiplied out they do as symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple, cast

from kanrewrite.terms import T
from kanrewrite.view.distributing import expanded
from kanrewrite.view.forms import (
    ZERO,
    App,
    Axes,
    Form,
    Leaf,
    Terms,
    Totals,
    pieces,
    remembered,
    within,
)
from kanrewrite.view.heat import is_others
from kanrewrite.view.lengths import fills, operands
from kanrewrite.view.moves import Move
from kanrewrite.view.own_terms import Told, cancelled, places, within_sums
from kanrewrite.view.picking import hidden, picks, put_in, where_picked
from kanrewrite.view.places import (
    Beside,
    Parting,
    Parts,
    Place,
    Squares,
    beside,
    divisions,
    is_left,
    left_by,
    masks,
    squared,
)
from kanrewrite.view.rows import Rows, rows_of
from kanrewrite.view.takes import scatters

#: A sum of more products is not told apart.
MANY = 40

Pieces = list[tuple[Form, Fraction]]


@remembered
def told_apart(form: Form) -> Form | None:
    """A form whose terms have cancelled where an index points to and elsewhere, None if none do."""
    a = form.home
    if not _leaves_some(form):
        return None
    terms = _collected(list(expanded(form, a)))
    if not 1 < len(terms) <= MANY:
        return None
    indices = {f.args[1]: f.args[2] for f in put_in(terms, a)}
    if not indices:
        return _by_masks(terms, a)
    for move, like in indices.items():
        if (found := _in_rows(terms, move, like, a)) is not None:
            return found
    asked = _asked(terms, a)
    indices = {move: like for move, like in indices.items() if move in asked} or indices
    ways = [[(move, axes) for axes in move.picks() or _along(move)] for move in indices]
    if any(not m.is_apart(n) for m, n in combinations(indices, 2)):
        # What is put at one of them is among the others where none cancels but there.
        return next(filter(None, (_at(terms, [w], indices, a) for way in ways for w in way)), None)
    return next(filter(None, (_at(terms, [*w], indices, a) for w in product(*ways))), None)


@remembered
def _leaves_some(form: Form) -> bool:
    """Tell whether there is a sum of others in a form, or what squares leave of one."""
    own = is_left(form, form.home) or squared(form, form.home) is not None
    return own or any(map(_leaves_some, pieces(form)))


def _asked(terms: Terms, a: Any) -> set[Move]:
    """The indices that tell what is left where something divides, and all of it beside more."""
    parts = within(*terms)
    found = {f.args[1] for f in parts if isinstance(f, App) and _is_picked_of_others(f)}
    found.update(move for f in parts for _, move in left_by(f, a))
    more = (e for f in parts if beside(f) for e in within(f) if isinstance(e, App))
    found.update(e.args[1] for e in more if e.op is T.subtensor)
    return found


def _is_picked_of_others(form: App) -> bool:
    return form.op is T.subtensor and is_others(form.args[0])


def _shown(form: Form, a: Any) -> set[Move]:
    """The indices of which a product is nothing but where they point to."""
    return {mask.args[0].args[1] for mask in masks(form, a) if not mask.args[1]}


def _bare(form: Form, moves: set[Move], a: Any) -> Form:
    """A product without the masks of where some indices do not point to."""
    away = [m for m in masks(form, a) if m.args[1] and m.args[0].args[1] in moves]
    return a.div(form, a.mul(*away)) if away else form


def _there_only(form: Form, move: Move, a: Any) -> Form:
    """A product where an index points to, of which masks hide all, or nothing."""
    for mask in masks(form, a):
        index, kept = mask.args[0].args[1], mask.args[1]
        if index == move or index.is_apart(move):
            form = a.zero if kept == (index == move) else a.div(form, mask)
    return form


def _by_masks(terms: Terms, a: Any) -> Form | None:
    """Terms that masks have told apart already, None where nothing cancels in any part."""
    groups: dict[frozenset[Form], Terms] = {}
    for n, c in terms.items():
        m, mine = _without_masks_elsewhere(n, a)
        groups.setdefault(mine, Totals())[m] += c
    left: list[tuple[Form, Fraction]] = []
    gains = False
    for group in groups.values():
        where = [_of_each(place, group, a) for place in _places(group, a)]
        found = _cancelled(list(group.items()), group, where, a)
        gains = gains or found is not None
        left.extend((group if found is None else found).items())
    if not gains:
        return None
    return cast(Form, a.add(*(a.mul(a.const(c), m) for m, c in left)))


def _without_masks_elsewhere(form: Form, a: Any) -> tuple[Form, frozenset[Form]]:
    """A product without masks of where other indices point to than where it is, and those left."""
    mine = masks(form, a)
    here = [mask.args[0].args[1] for mask in mine if not mask.args[1]]
    away = {m for m in mine if m.args[1] and any(m.args[0].args[1].is_apart(i) for i in here)}
    return a.div(form, a.mul(*away)), frozenset(m for m in mine if m not in away)


def _at(
    terms: Terms, where: list[tuple[Move, Axes]], likes: dict[Move, Leaf], a: Any
) -> Form | None:
    """Terms told apart by where indices point to, None where nothing cancels."""
    put = {n: {f.args[1] for f in scatters(n, a)} | _shown(n, a) for n in terms}
    moves = {move for move, _ in where}
    around = _collected([(_bare(n, moves, a), c) for n, c in terms.items() if not put[n] & moves])
    if any(n.bcast != move.whole for n in terms if put[n] & moves for move in moves):
        return None
    if not all(move.fits(n.bcast) for n in around for move in moves):
        return None
    left = _cancelled(list(around.items()), around, _places(around, a), a)
    parts: list[Form] = []
    rest = [(m, c) for m, c in (around if left is None else left).items()]
    gains = left is not None
    for move, axes in where:
        mine = {n: c for n, c in terms.items() if not put[n] & (moves - {move})}
        like = likes[move]
        mask = picks(a.mul(*terms), move, like, a)
        there = _where_picked(mine, move, axes, like, mask, a)
        if there is None:
            return None
        parts.append(there.form)
        gains = gains or there.gains
        kept = [(hidden(m, mask, a), c) for m, c in rest]
        rest = [(m, c) for m, c in kept if m is not None]
        if len(rest) < len(kept):
            return None  # nobody says what is left by a mask
    if not gains:
        return None
    whole: Form = a.add(*parts, *(a.mul(a.const(c), m) for m, c in rest))
    return whole


def _in_rows(terms: Terms, move: Move, like: Leaf, a: Any) -> Form | None:
    """What an index has put into some rows, as one scatter in which own terms have cancelled.

    ``a * scatter(v, i) == scatter(a[i] * v, i)``, in sums along the rows too, however often a row
    is taken; None where nothing cancels.
    """
    rows = rows_of(move, like, _summed_along(terms), a)
    if rows is None:
        return None
    put = {n: _put(n, rows, a) for n in terms}
    rest = [(n, c) for n, c in terms.items() if put[n] is None]
    if len(rest) == len(terms):
        return None
    found = [(v, terms[n]) for n, v in put.items() if v is not None]
    there = _collected([(m, c * d) for v, c in found for m, d in expanded(v, a)])
    whole = a.add_terms(there)
    left = told_apart(whole)
    if left is None and _collected(list(expanded(whole, a))) == there:
        return None
    left = whole if left is None else left
    placed = a.scatter(a.spread(left, a.move(like, rows.rows)), rows.rows, rows.like)
    return cast(Form, a.add(placed, *(a.mul(a.const(c), n) for n, c in rest)))


def _put(form: Form, rows: Rows, a: Any) -> Form | None:
    """What an index has put into rows, of which a product is the scatter; None for others."""
    for f, k in a.parts(form)[2]:
        if k != 1 or not isinstance(f, App):
            continue
        v: Form | None = None
        if f.op is T.scatter and f.args[1] == rows.move:
            v = rows.put(f.args[0], a)
        elif f.op is T.sum and (axes := rows.rows.along(f.args[1])) is not None:
            v = _put(f.args[0], rows, a)
            v = None if v is None else a.sum(a.spread(v, a.move(rows.of, rows.rows)), axes)
        outer = a.one if v is None else a.div(form, f)
        if v is not None and a.can_move(outer, rows.rows):
            return cast(Form, a.mul(v, rows.taken(outer, a)))
    return None


def _summed_along(terms: Terms) -> set[int]:
    """The axes of sums in terms."""
    sums = (f for f in within(*terms) if isinstance(f, App) and f.op in (T.sum, T.others))
    return {d for f in sums for d in f.args[1]}


class Part(NamedTuple):
    """A part of a sum, nothing elsewhere, and whether anything in it has cancelled."""

    form: Form
    gains: bool


def _where_picked(
    terms: Terms, move: Move, axes: Axes, like: Leaf, mask: Form, a: Any
) -> Part | None:
    """Terms where an index points to, None where they may have other lengths."""
    if not axes:
        return _where_taken(terms, move, like, a)
    found = ((where_picked(n, move, axes, a), c) for n, c in terms.items())
    pieces = [(m, c * d) for n, c in found for m, d in expanded(_there_only(n, move, a), a)]
    there = _collected(pieces)
    if not fills(a.add_terms(there), like, a.lengths, set().union(*map(operands, terms))):
        return None
    fewer = _cancelled(pieces, there, _there(pieces, move, axes, a), a)
    left = a.add_terms(there if fewer is None else fewer)
    return Part(a.choice(mask, left, a.zero), fewer is not None)


def _where_taken(terms: Terms, move: Move, like: Leaf, a: Any) -> Part | None:
    """The same of an index that takes several of those of a sum: they are where they are put."""
    shapes = like, a.lengths.get(like, like)
    around = (n for n in terms if not any(f.args[1] == move for f in scatters(n, a)))
    if not all(any(a.same_lengths.spans(n, shape) for shape in shapes) for n in around):
        return None
    found = ((_there_only(n, move, a), c) for n, c in terms.items())
    pieces = [(m, c * d) for n, c in found for m, d in expanded(a.move(n, move), a)]
    there = _collected(pieces)
    fewer = _cancelled(pieces, there, _places(dict(pieces), a), a)
    taken = a.add_terms(there if fewer is None else fewer)
    return Part(a.scatter(a.spread(taken, a.move(like, move)), move, like), fewer is not None)


def _places(terms: Terms, a: Any) -> list[Told]:
    return list(dict.fromkeys(places(terms, a)))


def _of_each(place: Told, terms: Terms, a: Any) -> Told:
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

    place: Place | Beside
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
    divisors = dict.fromkeys(f for m, _ in pieces for f, n in divisions(m, a) if n > 0)
    found = (Place(f, ()) if is_left(f, a) else beside(f) for f in divisors)
    return [There(place, move, axes) for place in found if place is not None]


def _cancelled(pieces: Pieces, terms: Terms, where: Sequence[Parting], a: Any) -> Terms | None:
    """Terms, of which those that are largest have cancelled, None where they have not.

    Some may have when the pieces were added up, and some in sums.
    """
    fewer = within_sums(terms, a)
    terms = terms if fewer is None else fewer
    for place in where:
        found = cancelled(terms, place, a)
        if found is not None:
            return found
        before = max((place.size(m, a) for m, _ in pieces), default=ZERO)
        if max((place.size(m, a) for m in terms), default=ZERO) < before:
            return terms
    return fewer
