"""Takes: an index takes an element of each of some rows, and of a row as often as it is told.

What it takes of ``b`` is one element of each row of ``b[rows]``.  Where elements nearly cancel with
what their rows have, both are written as what is put into those rows, one for each time that a row
is taken, ``scatter(v, (i, y)) == scatter(scatter(v, (arange(n), y)), i)`` and
``a * scatter(v, i) == scatter(a[i] * v, i)``, and cancel there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, cast

import aesara.tensor as at

from kanrewrite.guards.lengths import is_dimension, length_of
from kanrewrite.terms import T
from kanrewrite.view.chosen import under
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Axes,
    Form,
    Leaf,
    Sum,
    Terms,
    is_elementwise,
    pieces,
)
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
        if is_elementwise(form):
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
        if is_elementwise(form):
            found: Form = a.map(form, lambda part: self.of_each(part, a))
            return found
        source = a.came_from(form, self.move)
        if source is None and not all(form.bcast):
            source = source_of(form, self.move, self.like, a)
        if source is None:
            return form
        taken: Form = a.move(self.of_rows(source, a), self.each)
        return taken

    def put(self, values: Form, a: Any) -> Form:
        """What the index takes of each row, put into the rows."""
        spread = a.spread(values, a.move(self.each_like, self.each))
        placed: Form = a.scatter(spread, self.each, self.each_like)
        return placed


def over_takes(form: App, rest: Form, axes: Axes, a: Any) -> Form | None:
    """``sum(a * scatter(b, index), axes) == scatter(a[index] * b, rows)``."""
    values, move, like = form.args
    takes = takes_of(move, like, axes, a)
    if takes is None or not a.can_move(rest, move):
        return None
    taken = a.spread(under(values, a.move(rest, move), a), a.move(like, move))
    found: Form = a.scatter(taken, takes.alone, takes.alone_like, move)
    return found


def takes_of(move: Move, like: Leaf, axes: Axes, a: Any) -> Takes | None:
    """What an index takes along axes of what it takes along the others, None where it does not."""
    if not isinstance(move, Index) or not move.takes_each(axes) or not a.counts:
        return None
    if a.takes_all(move, like, axes):
        return None
    lengths = [length_of(like, d) for d, one in enumerate(like.bcast) if not one]
    made = a.takes.setdefault((move, axes), [])
    found: Takes | None = a.same_lengths.once(made, lengths, lambda: _takes(move, like, axes, a))
    return found


def _takes(move: Index, like: Leaf, axes: Axes, a: Any) -> Takes | None:
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
    return found if found.along() in each.picks() else None  # lists apart change places


def put_among(zeros: Any, move: Index) -> Any:
    """Something that an index puts among zeros."""
    return at.inc_subtensor(zeros[move.index()], at.ones((), dtype=zeros.dtype))


def as_long(like: Leaf, move: Move, axes: Axes, form: Form, a: Any) -> Leaf | None:
    """What a scatter is like that is along axes as long as a form is, None where that is not known.

    The index takes all there is along them.
    """
    mine, shape = a.same_lengths.of, a.lengths.get(like, like)
    lengths = [length_of(form, d) for d in axes]
    pairs = [
        (length_of(like, d) | length_of(shape, d), n) for d, n in zip(axes, lengths, strict=True)
    ]
    if all(mine(theirs) & mine(n) for theirs, n in pairs):
        return like
    entries = [next(filter(is_dimension, n), None) for n in lengths]
    if None in entries or not isinstance(move, Index):
        return None
    made = a.longer.setdefault((move, like, axes), [])
    found: Leaf = a.same_lengths.once(made, lengths, lambda: _as_long(like, move, axes, entries, a))
    return found


def _as_long(like: Leaf, move: Index, axes: Axes, entries: list[Any], a: Any) -> Leaf:
    base: Any = like.var.owner.inputs[0]
    shape = [1 if one else base.shape[d] for d, one in enumerate(like.bcast)]
    for d, (variable, axis) in zip(axes, entries, strict=True):
        shape[d] = variable.shape[axis]
    zeros = at.zeros(shape, dtype=a.dtype)
    found: Leaf = a.leaf(put_among(zeros, move), like.bcast)
    a.lengths[found] = a.leaf(zeros, like.bcast)
    return found


def beside_rows(terms: Terms, a: Any) -> Terms | None:
    """Terms in which what an index takes has met what the rows have that it takes it of."""
    for f in dict.fromkeys(f for n in terms for f in scatters(n, a)):
        _, move, like = f.args
        for takes in _taken_along(move, like, a):
            told = _told_apart(terms, takes, a)
            if told is not None:
                return told
    return None


def _taken_along(move: Move, like: Leaf, a: Any) -> Iterator[Takes]:
    """What an index takes along the axes of sums of what it has put somewhere."""
    for axes in [axes for other, axes in a.takes if other == move]:
        takes = takes_of(move, like, axes, a)
        if takes is not None:
            yield takes


def _told_apart(terms: Terms, takes: Takes, a: Any) -> Terms | None:
    moves = takes.move, takes.alone
    put: dict[Move, list[tuple[Form, Form]]] = {move: [] for move in moves}
    rest: Terms = {}
    for n, c in (pair for m, d in terms.items() for pair in _opened(m, d, moves, a)):
        found = {f.args[1]: f for f in scatters(n, a)}
        move = next((move for move in moves if move in found), None)
        if move is None:
            rest[n] = rest.get(n, ZERO) + c
        else:
            put[move].append((a.mul(a.const(c), a.div(n, found[move])), found[move].args[0]))
    if not all(put.values()):
        return None
    if not all(a.can_move(outer, takes.move) for kind in put.values() for outer, _ in kind):
        return None
    taken, beside = (
        [(takes.of_rows(outer, a), takes.of_each(values, a)) for outer, values in kind]
        for kind in put.values()
    )
    there = [under(values, a.move(outer, takes.each), a) for outer, values in (*taken, *beside)]
    if cancelling([a.add(*there)], a) >= cancelling(there, a):
        return None
    rows = [a.mul(outer, takes.put(values, a)) for outer, values in taken]
    rows += [a.mul(outer, a.shuffle(values, takes.order)) for outer, values in beside]
    whole = a.spread(a.add(*rows), takes.each_like)
    return added(rest, a.scatter(whole, takes.rows, takes.rows_like), a)


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


def source_of(form: Form, move: Move, like: Form, a: Any) -> Form | None:
    """What a move has taken a form of, None where it was not taken."""
    found: Form | None = None
    if isinstance(form, App) and form.op is T.subtensor and _is_of(form, move):
        return cast(Form, form.args[0])
    if not all(form.bcast):
        found = a.came_from(form, move)
        if found is None and form.ndim == like.ndim and move.leaves(form.bcast):
            found = form
    if found is None and is_elementwise(form):
        known = all(source_of(part, move, like, a) is not None for part in pieces(form))
        found = a.map(form, lambda part: source_of(part, move, like, a)) if known else None
    if found is None and all(form.bcast):  # one number
        found = a.shuffle(form, ("x",) * like.ndim) if form.bcast else form
    return found


def _is_of(taken: App, move: Move) -> bool:
    """Tell whether something was taken by a move, as far as it has the lengths of its whole."""
    inner, mine = taken.args
    return bool(mine == move or (move.spans(inner.bcast) and mine == move.restricted(inner.bcast)))


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
