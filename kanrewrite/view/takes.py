"""Takes: an index takes an element of each of some rows, and of a row as often as it is told.

What it takes of ``b`` is one element of each row of ``b[rows]``.  Where elements nearly cancel with
what their rows have, both are written as what is put into those rows, one for each time that a row
is taken, ``scatter(v, (i, y)) == scatter(scatter(v, (arange(n), y)), i)`` and
``a * scatter(v, i) == scatter(a[i] * v, i)``, and cancel there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import aesara.tensor as at

from kanrewrite.guards.lengths import length_of
from kanrewrite.terms import ELEMENTWISE, T
from kanrewrite.view.forms import ONE, ZERO, App, Axes, Form, Leaf, Lin, Prod, Sum, Terms, pieces
from kanrewrite.view.heat import is_others
from kanrewrite.view.moves import Index, Move


class Takes(NamedTuple):
    """What an index takes along some axes, of what it takes along the others.

    The index of the rows alone, of what has length 1 along the axes, and a scatter by it; that of
    whole rows, and a scatter by it; the order that gives what is taken the axes, with length 1; the
    index that takes an element of each of those rows, and a scatter by it; the axes; the index
    itself, and a scatter by it.
    """

    alone: Index
    alone_like: Leaf
    rows: Index
    rows_like: Leaf
    order: tuple[int | str, ...]
    each: Index
    each_like: Leaf
    axes: Axes
    move: Index
    like: Leaf

    def of_rows(self, form: Form, a: Any) -> Form:
        """What a form of the whole is of its rows, of which are sums along the axes too."""
        if isinstance(form, Lin | Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE):
            found: Form = a.map(form, lambda part: self.of_rows(part, a))
            return found
        if not form.bcast:  # what is one element may be what the index takes
            return self.of_each(form, a)
        if all(form.bcast):
            number: Form = a.shuffle(form, ("x",) * len(self.order))
            return number
        if isinstance(form, App) and form.op in (T.sum, T.others) and form.args[1] == self.axes:
            body, along = self.of_rows(form.args[0], a), self.along()
            if body.bcast == self.rows.result():
                whole: Form = (
                    a.sum(body, along)
                    if form.op is T.sum
                    else a.app(T.others, body, along, bcast=body.bcast)
                )
                return whole
        moved: Form = a.move(form, self.rows)
        return moved

    def along(self) -> Axes:
        """The axes of the rows along which an element of each is taken."""
        return tuple(n for n, d in enumerate(self.rows.left()) if d in self.axes)

    def of_each(self, form: Form, a: Any) -> Form:
        """What the index has taken, as taken of the rows."""
        if isinstance(form, Lin | Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE):
            found: Form = a.map(form, lambda part: self.of_each(part, a))
            return found
        source = a.came_from(form, self.move)
        if source is None and not all(form.bcast):
            source = source_of(form, self.move, self.like, a)
        if source is None:
            return form
        taken: Form = a.move(self.of_rows(source, a), self.each)
        return taken


def over_takes(form: App, rest: Form, axes: Axes, a: Any) -> Form | None:
    """``sum(a * scatter(b, index), axes) == scatter(a[index] * b, rows)``."""
    values, move, like = form.args
    takes = takes_of(move, like, axes, a)
    if takes is None or not move.fits(rest.bcast, move in a.witness):
        return None
    taken = a.spread(a.mul(values, a.move(rest, move)), a.move(like, move))
    found: Form = a.scatter(taken, takes.alone, takes.alone_like, move)
    return found


def takes_of(move: Move, like: Leaf, axes: Axes, a: Any) -> Takes | None:
    """What an index takes along axes of what it takes along the others, None where it does not."""
    if not isinstance(move, Index) or not move.takes_each(axes) or not a.counts:
        return None
    if a.takes_all(move, like, axes):
        return None
    known: list[tuple[Any, Takes | None]] = a.takes.setdefault((move, axes), [])
    same = a.same_lengths
    lengths = tuple(length_of(like, d) for d in range(like.ndim))
    for others, takes in known:
        pairs = zip(like.bcast, lengths, others, strict=True)
        if all(one or same.of(m) & same.of(n) for one, m, n in pairs):
            return takes
    made = _takes(move, like, axes, a)
    found = made if made.along() in made.each.picks() else None  # lists apart change places
    known.append((lengths, found))
    return found


def _takes(move: Index, like: Leaf, axes: Axes, a: Any) -> Takes:
    base: Any = like.var.owner.inputs[0]
    ones = tuple(one or d in axes for d, one in enumerate(like.bcast))
    zeros = at.zeros([1 if one else base.shape[d] for d, one in enumerate(ones)], dtype=a.dtype)
    entries, count = move.alike()
    nothing = 0 if count is None else at.zeros_like(count)
    alone = Index(tuple(nothing if d in axes else e for d, e in enumerate(entries)), ones)
    rows = Index(tuple(slice(None) if d in axes else e for d, e in enumerate(entries)), move.whole)
    left = rows.left()
    mine: Any = at.zeros_like(rows.apply(base))
    taken = (count if d is None else entries[d] if d in axes else slice(None) for d in left)
    each = Index(tuple(taken), rows.result())
    after = each.left()
    order = tuple(
        "x" if d in axes else after.index(None if d is None else n) for n, d in enumerate(left)
    )
    each_like = a.leaf(put_among(mine, each), rows.result())
    a.witnessed(each, a.leaf(mine, rows.result()))
    if move in a.witness:
        a.witnessed(rows, a.witness[move])
    found = Takes(
        alone, a.leaf(put_among(zeros, alone), ones),
        rows, a.leaf(put_among(base, rows), like.bcast),
        order, each, each_like, axes, move, like,
    )  # fmt: skip
    a.lengths[each_like] = a.leaf(mine, rows.result())
    a.lengths[found.alone_like] = a.leaf(zeros, ones)
    a.lengths[found.rows_like] = a.lengths.get(like, like)
    return found


def put_among(zeros: Any, move: Index) -> Any:
    """Something that an index puts among zeros."""
    return at.inc_subtensor(zeros[move.index()], at.ones((), dtype=zeros.dtype))


def beside_rows(terms: Terms, a: Any) -> Terms | None:
    """Terms in which what an index takes has met what the rows have that it takes it of."""
    for f in dict.fromkeys(f for n in terms for f in scatters(n, a)):
        _, move, like = f.args
        for takes in _taken_along(move, like, a):
            told = _told_apart(terms, move, like, takes, a)
            if told is not None:
                return told
    return None


def _taken_along(move: Move, like: Leaf, a: Any) -> Iterator[Takes]:
    """What an index takes along the axes of sums of what it has put somewhere."""
    for axes in [axes for other, axes in a.takes if other == move]:
        takes = takes_of(move, like, axes, a)
        if takes is not None:
            yield takes


class _Put(NamedTuple):
    """A term in which values are put somewhere, and what they are multiplied with."""

    outer: Form
    scatter: App


def _told_apart(terms: Terms, move: Move, like: Leaf, takes: Takes, a: Any) -> Terms | None:
    placed, beside, moves = list[_Put](), list[_Put](), (move, takes.alone)
    rest: Terms = {}
    for n, c in (pair for m, d in terms.items() for pair in _opened(m, d, moves, a)):
        put = {f.args[1]: f for f in scatters(n, a)}
        one = put.get(move, put.get(takes.alone))
        if one is None:
            rest[n] = rest.get(n, ZERO) + c
        else:
            kind = placed if one.args[1] == move else beside
            kind.append(_Put(a.mul(a.const(c), a.div(n, one)), one))
    group = [*placed, *beside]
    if not (placed and beside):
        return None
    if not all(move.fits(t.outer.bcast, move in a.witness) for t in group):
        return None
    apart = [a.mul(t.scatter.args[0], a.move(t.outer, move)) for t in group]
    if cancelling([_taken_of_sum(apart, move, like, a)], a) >= cancelling(apart, a):
        return None
    found = [_of_rows(t, takes, a) for t in group]
    whole = a.spread(a.add(*found), takes.each_like)
    return added(rest, a.scatter(whole, takes.rows, takes.rows_like), a)


def _of_rows(term: _Put, takes: Takes, a: Any) -> Form:
    """A term of which an index takes elements, as one of what the rows have."""
    values = takes.of_each(term.scatter.args[0], a)
    if term.scatter.args[1] == takes.move:
        values = a.spread(values, a.move(takes.each_like, takes.each))
        inner = a.scatter(values, takes.each, takes.each_like)
    else:
        inner = a.shuffle(values, takes.order)
    whole: Form = a.mul(takes.of_rows(term.outer, a), inner)
    return whole


def _opened(
    form: Form, c: Fraction, moves: tuple[Move, Move], a: Any
) -> Iterator[tuple[Form, Fraction]]:
    """A product as terms, where a factor is a sum with something in it that a move has put."""
    for f, k in a.parts(form)[2]:
        if isinstance(f, Sum) and k == 1 and _has_put(f, moves, a):
            outer = a.div(form, f)
            for m, d in f.terms:
                yield from _opened(a.mul(outer, m), c * d, moves, a)
            return
    yield form, c


def _has_put(form: Form, moves: tuple[Move, Move], a: Any) -> bool:
    if isinstance(form, Sum):
        return any(_has_put(m, moves, a) for m, _ in form.terms)
    if any(f.args[1] in moves for f in scatters(form, a)):
        return True
    return any(_has_put(f, moves, a) for f, k in a.parts(form)[2] if isinstance(f, Sum) and k == 1)


def _taken_of_sum(forms: list[Form], move: Move, like: Leaf, a: Any) -> Form:
    """A sum of what a move has taken as what it takes of a sum, in which terms may cancel.

    What divides is taken apart where less cancels then.
    """
    ways = (_sum_taken(forms, move, like, divided, a) for divided in (True, False))
    return min(ways, key=lambda form: cancelling([form], a))


def _sum_taken(forms: list[Form], move: Move, like: Leaf, divided: bool, a: Any) -> Form:
    groups: dict[Form, list[Form]] = {}
    expanded = (a.expand(f) if a.expands(f) else [(f, ONE)] for f in forms)
    for n, c in chain.from_iterable(expanded):
        coeff, expo, factors = a.parts(n)
        own, whole = a.one, [a.const(c * coeff)]
        for f, k in [(a.exp(a.lin({m: d})), ONE) for m, d in expo.terms] + [*factors]:
            source = source_of(f, move, like, a)
            if source is None or (k < 0 and is_others(source) and not divided):
                own = a.mul(own, a.pow(f, k))
            else:
                whole.append(a.pow(source, k))
        groups.setdefault(own, []).append(a.mul(*whole))
    total: Form = a.add(*(a.mul(own, a.move(a.add(*found), move)) for own, found in groups.items()))
    return total


def source_of(form: Form, move: Move, like: Form, a: Any) -> Form | None:
    """What a move has taken a form of, None where it was not taken."""
    found: Form | None
    if all(form.bcast):  # one number
        found = a.shuffle(form, ("x",) * like.ndim) if form.bcast else form
    elif isinstance(form, App) and form.op is T.subtensor and form.args[1] == move:
        found = form.args[0]
    else:
        found = a.came_from(form, move)
        if found is None and form.ndim == like.ndim and move.leaves(form.bcast):
            found = form
    spans = isinstance(form, App) and form.op in ELEMENTWISE
    if found is not None or not (spans or isinstance(form, Lin | Prod | Sum)):
        return found
    if any(source_of(part, move, like, a) is None for part in pieces(form)):
        return None
    found = a.map(form, lambda part: source_of(part, move, like, a))
    return found


def cancelling(terms: list[Form], a: Any) -> int:
    """How many of the products in some terms, multiplied out, others may cancel."""
    products = [(n, d) for m in terms for n, d in a.terms_of(m).items()]
    parts = ((a.expand(n) if a.expands(n) else [(n, ONE)], d) for n, d in products)
    signs = [c * d > 0 for found, d in parts for _, c in found]
    return min(signs.count(True), signs.count(False))


def scatters(term: Form, a: Any) -> list[App]:
    """The scatters that are factors of a term."""
    factors = (f for f, k in a.parts(term)[2] if k == 1)
    return [f for f in factors if isinstance(f, App) and f.op is T.scatter]


def added(terms: Terms, form: Form, a: Any) -> Terms:
    """Terms with those of a form, added in place."""
    for t, b in a.terms_of(form).items():
        terms[t] = terms.get(t, ZERO) + b
    return terms
