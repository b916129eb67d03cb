"""Rows: a scatter of what an index takes of some is one of all, of which others are hidden.

``scatter(b[rows, y], (rows, y)) == switch(m, scatter(b[:, u], (:, u)), 0)``, where m tells the
rows and u has y in them.  The right side has the lengths of the whole, beside which sums are taken
along the columns, as those of a softmax are: ``p[arange(y.shape[0]), y]`` may be of fewer rows
than there are.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, cast

import aesara.tensor as at
import numpy as np

from kanrewrite.guards.lengths import length_of
from kanrewrite.terms import ELEMENTWISE, T
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, pieces
from kanrewrite.view.lengths import fills
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Index, Move, Rows


def put_back(form: Form, move: Move, like: Leaf, a: Lifting) -> Form:
    """A scatter, over all rows where it is one by an index of some."""
    whole = _over_all_rows(form, move, like, a) if a.counts else None
    return a.scatter(form, move, like) if whole is None else whole


def _over_all_rows(form: Form, move: Move, like: Leaf, a: Lifting) -> Form | None:
    """A scatter by an index of some rows as one of all, None where it is no such index."""
    partial = move.partial() if isinstance(move, Index) else None
    if not partial or any(a.takes_all(move, like, axes) for axes in move.picks()):
        return None
    if a.rows and move not in a.rows:  # terms that are hidden in several ways do not meet
        return None
    rows = _known_rows(cast(Index, move), partial, like, a)
    whole = Spread(move, rows, [cast(Index, move).places()[d] for d in partial], like, a).of(form)
    return a.mul(rows.kept, a.scatter(whole, rows.whole, rows.like))


class Spread:
    """What an index of some rows gives as what one of all gives.

    What was taken of something with all rows is known there; all else is 0, as a whole: of the
    reciprocal of a weight there is nothing, and not the reciprocal of nothing.
    """

    def __init__(self, move: Move, rows: Rows, places: list[int], like: Leaf, a: Lifting):
        self.move, self.rows, self.places, self.like, self.a = move, rows, places, like, a
        self._sources: dict[Form, Form | None] = {}

    def of(self, form: Form) -> Form:
        """A form over all rows."""
        a, found = self.a, self._source(form)
        if found is not None:
            return found
        if isinstance(form, Sum):
            return a.add(*(a.mul(a.const(c), self.of(m)) for m, c in form.terms))
        coeff, expo, factors = a.parts(form)
        parts = [a.exp(a.lin({m: c})) for m, c in expo.terms] + [a.pow(f, k) for f, k in factors]
        known = [self._source(f) for f in parts]
        rest = a.mul(*(f for f, g in zip(parts, known, strict=True) if g is None))
        whole = self.of(rest) if isinstance(rest, Sum) else self._placed(rest)
        return a.mul(a.const(coeff), whole, *(g for g in known if g is not None))

    def _placed(self, form: Form) -> Form:
        return self.a.scatter(form, self.rows.alone, self.rows.alone_like)

    def _source(self, form: Form) -> Form | None:
        if form not in self._sources:
            self._sources[form] = self._found(form)
        return self._sources[form]

    def _found(self, form: Form) -> Form | None:
        """What a form is of all rows, None where it was not taken of such."""
        if not form.bcast or all(form.bcast[d] for d in self.places):
            return form
        whole = self.a.came_from(form, self.move)
        if isinstance(form, App) and form.op is T.subtensor and form.args[1] == self.move:
            whole = form.args[0]
        if whole is not None and self.a.same_lengths.fills(whole, self.like):
            self._tell(whole)
            return self.a.move(whole, self.rows.whole)
        spans = isinstance(form, App) and form.op in ELEMENTWISE
        if not (spans or isinstance(form, Lin | Prod | Sum)):
            return None
        if None in map(self._source, pieces(form)):
            return None
        return self.a.map(form, lambda f: cast(Form, self._source(f)))

    def _tell(self, whole: Form) -> None:
        """Take the lengths from what has them, where zeros of a shape do not tell whose it is."""
        like, lengths = self.rows.like, self.a.lengths
        if whole.bcast == like.bcast and like not in self.a.told:
            self.a.told.add(like)
            if not fills(whole, like, lengths):
                lengths[like] = whole


def _known_rows(move: Index, partial: dict[int, Any], like: Leaf, a: Lifting) -> Rows:
    """The rows of an index, which are the same in what has the same lengths."""
    same, known = a.same_lengths, a.rows.setdefault(move, [])
    lengths = tuple(length_of(like, d) for d in range(like.ndim))
    for others, rows in known:
        pairs = zip(like.bcast, lengths, others, strict=True)
        if all(one or same.of(m) & same.of(n) for one, m, n in pairs):
            return rows
    rows = _rows(move, partial, like, a)
    known.append((lengths, rows))
    return rows


def _rows(move: Index, partial: dict[int, Any], like: Leaf, a: Lifting) -> Rows:
    base: Any = like.var.owner.inputs[0]
    lengths = [1 if one else base.shape[d] for d, one in enumerate(base.type.broadcastable)]
    axis, places = move.listed(), move.places()
    whole = Index(
        tuple(_in_all(d, e, axis, move, lengths) for d, e in enumerate(move.entries)), move.whole
    )
    if move in a.witness:
        a.witnessed(whole, a.witness[move])
    like_whole = a.leaf(_put(base, whole), like.bcast)
    a.lengths[like_whole] = a.lengths.get(like, like)
    taken: list[Any] = [slice(None)] * len(move.result())
    for d, entry in partial.items():
        taken[places[d]] = entry
    bcast = tuple(
        one and d not in [places[p] for p in partial] for d, one in enumerate(move.result())
    )
    alone = Index(tuple(taken), bcast)
    zeros = at.zeros_like(whole.apply(base))
    kept: Any = reduce(at.mul, (_taken(e, d, lengths) for d, e in partial.items()))
    shown = a.leaf(at.cast(kept, a.dtype), tuple(kept.type.broadcastable), nonneg=True)
    a.kept.add(shown)
    return Rows(whole, like_whole, alone, a.leaf(_put(zeros, alone), bcast), shown)


def _taken(entry: Any, d: int, lengths: list[Any]) -> Any:
    """1 where an entry of an index takes a place along an axis: Aesara's C sets no truth values."""
    no: Any = at.zeros((lengths[d],), dtype="int8")
    there: Any = at.set_subtensor(no[entry], np.int8(1))
    return there.dimshuffle([0 if p == d else "x" for p in range(len(lengths))])


def _in_all(d: int, entry: Any, axis: int | None, move: Index, lengths: list[Any]) -> Any:
    """An entry of an index of some rows as one of all, with 0 at the others."""
    if isinstance(entry, slice):
        return slice(None)
    if axis is None or not getattr(entry, "ndim", 0):
        return entry
    if d == axis:
        return at.arange(lengths[d])
    zeros: Any = at.zeros((lengths[axis],), dtype=entry.dtype)
    return at.set_subtensor(zeros[move.entries[axis]], entry)


def _put(zeros: Any, move: Index) -> Any:
    """Something that an index puts among zeros."""
    return at.inc_subtensor(zeros[move.index()], at.ones((), dtype=zeros.dtype))
