"""Indices of indices: an index takes of what another one has taken what one index takes.

``b[i][j, y] == b[i[j], y]`` and ``b[:-1][j, y] == b[arange(n)[:-1][j], y]``.  What is put into a
part of zeros that is put into others is put there at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

from aesara.graph.basic import Variable

from kanrewrite.guards.lengths import length_of
from kanrewrite.terms import T
from kanrewrite.view.chosen import under
from kanrewrite.view.forms import App, Form, Leaf
from kanrewrite.view.lengths import operands
from kanrewrite.view.moves import Index, Move, Shuffle, inverse
from kanrewrite.view.orders import DIMENSIONS, turned
from kanrewrite.view.takes import put_among, scatters, source_of


class Untaken(NamedTuple):
    """What an index has taken a form of, the index, and a leaf with the lengths of the whole."""

    form: Form
    move: Index
    of: Leaf


def untaken(form: Form, a: Any) -> Untaken | None:
    """What an index has taken the whole of a form of, None where it was not taken so."""
    for move in dict.fromkeys(map(_index, sorted(operands(form), key=lambda f: f.uid))):
        if move is None:
            return None
        if form.bcast != move.result():
            continue  # of what has length 1 where the whole has not
        of = a.witness.get(move)
        source = source_of(form, move, of, a) if isinstance(of, Leaf) else None
        if source is not None and isinstance(of, Leaf):
            return Untaken(source, move, of)
    return None


def _index(form: Form) -> Index | None:
    """The index that has taken a form."""
    move = form.args[1] if isinstance(form, App) and form.op is T.subtensor else None
    return move if isinstance(move, Index) else None


def put_once(form: Form, move: Move, like: Leaf, a: Any) -> Form | None:
    """A scatter of scatters as those by one index each, None where there is something else."""
    base: Any = like.var.owner.inputs[0]
    found = []
    for n, c in a.terms_of(form).items():
        put = next((f for f in scatters(n, a) if f.bcast == form.bcast), None)
        outer = None if put is None else a.div(n, put)
        one = None if put is None else as_one(base, put.args[1], move, a)
        if put is None or outer is None or one is None or not put.args[1].fits(outer.bcast):
            return None
        values, inner, inner_like = put.args
        whole = a.leaf(put_among(base, one), like.bcast)
        a.lengths[whole] = a.lengths.get(like, like)
        taken = a.mul(a.const(c), under(values, a.move(outer, inner), a))
        found.append(a.scatter(a.spread(taken, a.move(inner_like, inner)), one, whole))
    return a.add(*found) if found else None


def taken_of_transposed(form: Form, index: Move, a: Any) -> Form | None:
    """What an index takes of something transposed, taken before; None of anything else.

    Dimensions may be put in or left out, too, where the index has no list.  Of a sum or of others,
    which have the dimensions in the order of what is summed, that is so for the order that was met
    first.
    """
    if not isinstance(form, App) or not isinstance(index, Index):
        return None
    if form.op in (T.sum, T.others):
        found = _met_first(form, a)
        return None if found is None else _taken_before(*found, index, a)
    if form.op is not T.dimshuffle:
        return None
    inner, move = form.args
    listed, put_in = index.takes_several(), _put_in(move.order, index)
    if move.inverse() is None and (listed or not all(e == slice(None) for e in put_in)):
        return None
    return _taken_before(inner, move.order, index, a)


def _met_first(form: App, a: Any) -> tuple[Form, tuple[int | str, ...]] | None:
    """A sum, or others, in the order of dimensions that was met first, and the way back."""
    orders = permutations(range(form.ndim)) if form.ndim <= DIMENSIONS else ()
    found = (turned(form, order, a) for order in orders)
    sums = [(f, back.order) for f, back in found if isinstance(f, App) and f.op is form.op]
    first = min(sums, key=lambda each: each[0].uid, default=None)
    return None if first is None or first[0] is form else first


def _taken_before(inner: Form, order: tuple[int | str, ...], index: Index, a: Any) -> Form:
    """What an index takes of something in an order of its dimensions, put in order after that."""
    entries = [index.entries[order.index(d)] if d in order else 0 for d in range(inner.ndim)]
    before = Index(tuple(entries), inner.bcast)
    if index in a.witness:
        a.witnessed(before, inner)
    left = before.left()
    kept: Iterator[Any] = (None if d is None else order[d] for d in index.left())
    places = tuple("x" if d == "x" else left.index(d) for d in kept)
    taken: Form = a.shuffle(a.move(inner, before), places)
    return taken


def _put_in(order: tuple[int | str, ...], index: Index) -> list[slice]:
    """What an index takes along the dimensions that an order puts in, and keeps."""
    pairs = zip(order, index.entries, strict=True)
    return [e for d, e in pairs if d == "x" and isinstance(e, slice)]


def put_into_transposed(form: App, move: Shuffle, a: Any) -> Form | None:
    """A transposed scatter as a scatter into what is transposed, None for other moves."""
    values, index, like = form.args
    back = inverse(move.order, like.ndim)
    if not isinstance(index, Index) or back is None:
        return None
    order: list[Any] = list(move.order)
    turned = Index(tuple(index.entries[d] for d in order), move.result())
    before = [None if d is None else back[d] for d in index.left()]
    whole = a.turned.get((like, move))
    if whole is None:
        base: Any = like.var.owner.inputs[0]
        whole = a.leaf(put_among(base.dimshuffle(order), turned), turned.whole)
        a.lengths[whole] = a.move(a.lengths.get(like, like), move)
        a.turned |= {(like, move): whole, (whole, Shuffle(back, move.result())): like}
    inner = a.shuffle(values, tuple(before.index(d) for d in turned.left()))
    placed: Form = a.app(T.scatter, inner, turned, whole, bcast=whole.bcast)
    if form in a.left_by:
        a.left_by.add(placed)
    return placed


def as_one(var: Variable[Any, Any], move: Move, first: Move | None, a: Any) -> Index | None:
    """The index of what a variable is that takes as much as a move does of what an index takes."""
    if not isinstance(move, Index) or not isinstance(first, Index) or not a.counts:
        return None
    axes = [d for d, e in enumerate(first.entries) if isinstance(e, slice) and e != slice(None)]
    lengths = [length_of(var, d) for d in axes]
    whole: Any = var
    made = a.indices.setdefault((move, first), [])
    found: Index | None = a.same_lengths.once(made, lengths, lambda: move.after(first, whole.shape))
    return found
