"""Rows: an index takes some rows, and of each of them what it takes along other axes.

``scatter(v, (i, j)) == scatter(scatter(v, (all, j)), (i, all))``, so that what is put into rows
meets what they have in sums along them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import aesara.tensor as at

from kanrewrite.guards.lengths import length_of
from kanrewrite.terms import T
from kanrewrite.view.forms import App, Form, Leaf, is_elementwise
from kanrewrite.view.moves import Index, Move
from kanrewrite.view.takes import put_among, source_of


class Rows(NamedTuple):
    """The rows that an index takes something of.

    The index itself and something that it has put among zeros; the index of the whole rows, and a
    scatter by it; the index that takes of those rows, and a scatter by it, None where it takes all.
    """

    move: Index
    of: Leaf
    rows: Index
    like: Leaf
    each: Index | None
    each_like: Leaf | None

    def taken(self, form: Form, a: Any) -> Form:
        """What a form has in the rows, of which sums along them are sums too."""
        if is_elementwise(form):
            return cast(Form, a.map(form, lambda part: self.taken(part, a)))
        if isinstance(form, App) and form.op in (T.sum, T.others):
            body, axes = form.args[0], self.rows.along(form.args[1])
            if axes is not None and body.bcast == self.rows.whole:
                inner = self.taken(body, a)
                if form.op is T.sum:
                    return cast(Form, a.sum(inner, axes))
                return cast(Form, a.app(T.others, inner, axes, bcast=inner.bcast))
        return cast(Form, a.move(form, self.rows))

    def put(self, values: Form, a: Any) -> Form:
        """What the index takes of each row, put into the rows."""
        mine = self._of_each(values, a)
        if self.each is None or self.each_like is None:
            return mine
        spread = a.spread(mine, a.move(self.each_like, self.each))
        return cast(Form, a.scatter(spread, self.each, self.each_like))

    def _of_each(self, form: Form, a: Any) -> Form:
        """What the index has taken, as taken of the rows."""
        if is_elementwise(form):
            return cast(Form, a.map(form, lambda part: self._of_each(part, a)))
        source = a.came_from(form, self.move)
        if source is None and not all(form.bcast):
            source = source_of(form, self.move, self.of, a)
        if source is None:
            return form
        taken = self.taken(source, a)
        return taken if self.each is None else cast(Form, a.move(taken, self.each))


def rows_of(move: Move, like: Leaf, axes: set[int], a: Any) -> Rows | None:
    """The rows along axes that an index takes something of, None where it takes of all of them."""
    if not isinstance(move, Index):
        return None
    entries = [slice(None) if d in axes else e for d, e in enumerate(move.entries)]
    rows = Index(tuple(entries), move.whole)
    if rows.is_identity() or rows.along(tuple(sorted(axes))) is None:
        return None
    if rows == move:
        return Rows(move, like, move, like, None, None)
    if any(getattr(move.entries[d], "ndim", 0) for d in axes):
        return None  # lists are paired with those of the rows
    lengths = [length_of(like, d) for d, one in enumerate(like.bcast) if not one]
    made = a.rows.setdefault((move, tuple(sorted(axes))), [])
    found: Rows = a.same_lengths.once(made, lengths, lambda: _rows(move, like, rows, a))
    return found


def _rows(move: Index, like: Leaf, rows: Index, a: Any) -> Rows:
    base: Any = like.var.owner.inputs[0]
    mine: Any = at.zeros_like(rows.apply(base))
    left = rows.left()
    taken = (slice(None) if d is None else _of_rows(move, rows, d) for d in left)
    each = Index(tuple(taken), rows.result())
    each_like = a.leaf(put_among(mine, each), rows.result())
    a.witnessed(each, a.leaf(mine, rows.result()))
    if move in a.witness:
        a.witnessed(rows, a.witness[move])
    found = Rows(move, like, rows, a.leaf(put_among(base, rows), like.bcast), each, each_like)
    a.lengths[each_like] = a.leaf(mine, rows.result())
    a.lengths[found.like] = a.lengths.get(like, like)
    return found


def _of_rows(move: Index, rows: Index, axis: int) -> Any:
    """What an index takes of rows along one of their axes."""
    return move.entries[axis] if rows.entries[axis] == slice(None) else slice(None)
