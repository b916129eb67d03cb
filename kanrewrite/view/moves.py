"""Moves: operators that only rearrange elements (DimShuffle, Subtensor, Reshape).

A move passes every elementwise operator: ``move(f(a, b)) == f(move(a), move(b))``.  An operand
that is broadcast along some dimensions is moved by what the move does to the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache, reduce
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.tensor.basic import ARange, ExtractDiag, MakeVector
from aesara.tensor.elemwise import DimShuffle
from aesara.tensor.subtensor import indices_from_subtensor
from aesara.tensor.type import TensorType
from aesara.tensor.type_other import NoneTypeT, SliceType

from kanrewrite.guards.lengths import left_by_index, length_of
from kanrewrite.view.forms import Bcast


class Move:
    """A rearrangement of elements; equal moves have equal keys."""

    key: Hashable
    #: The broadcast pattern of what is moved as a whole.
    whole: Bcast

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Move) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def restricted(self, bcast: Bcast) -> Move | None:
        """The move of an operand with this broadcast pattern, or None where there is none."""
        return self if bcast == self.whole else None

    def uses(self) -> list[Variable[Any, Any]]:
        """The variables that tell where elements are taken from."""
        return []

    def spans(self, bcast: Bcast) -> bool:
        """Tell whether an operand has no length that the whole lacks."""
        if len(bcast) != len(self.whole):
            return not bcast
        return all(b or not one for b, one in zip(bcast, self.whole, strict=True))

    def fits(self, bcast: Bcast) -> bool:
        """Tell whether an operand has no length that the whole lacks, and can be moved."""
        if len(bcast) != len(self.whole):
            return not bcast
        return self.spans(bcast) and self.restricted(bcast) is not None

    def is_identity(self) -> bool:
        """Tell whether it leaves everything in its place."""
        return False

    def back(self, axes: tuple[int, ...]) -> tuple[int | str, ...] | None:
        """The order that puts what was moved into its place, but for the position along some axes.

        None where the move does not leave all other axes as they are.
        """
        return None

    def along(self, axes: tuple[int, ...]) -> tuple[int, ...] | None:
        """Where axes that it leaves as they are come to lie, None where it does not leave them."""
        return None

    def picks(self) -> list[tuple[int, ...]]:
        """The axes along which it takes one element for each place along the others.

        As a sum over these axes does: the places are all there, in their order.
        """
        return []

    def takes_of(self, axes: tuple[int, ...]) -> bool:
        """Tell whether it takes some of the elements along axes, none twice, and all else."""
        return False

    def is_apart(self, other: Move) -> bool:
        """Tell whether it takes no element that another move takes, for sure."""
        return False

    def takes_several(self) -> bool:
        """Tell whether it takes elements from several places along an axis."""
        return False

    def once(self) -> Move | None:
        """The move itself where it takes no element twice, None where that is not known."""
        return None

    def unpicked(self, var: Any) -> Any:
        """Where it does not take the elements of a variable, true; where it does, false."""
        raise NotImplementedError(type(self).__name__)

    def leaves(self, bcast: Bcast) -> bool:
        """Tell whether an operand with this broadcast pattern stays what it is."""
        mine = self.restricted(bcast)
        return mine is not None and mine.is_identity()

    def result(self) -> Bcast:
        """The broadcast pattern of what was moved."""
        return _dummy_result(self)

    def apply(self, var: Any) -> Any:
        """The moved variable."""
        raise NotImplementedError(type(self).__name__)


class Shuffle(Move):
    """DimShuffle: permute, insert and drop dimensions."""

    def __init__(self, order: tuple[int | str, ...], whole: Bcast):
        self.order, self.whole = order, whole
        self.key = ("shuffle", order, whole)

    def __repr__(self) -> str:
        return str(list(self.order))

    def __iter__(self) -> Iterator[int | str]:
        return iter(self.order)

    def restricted(self, bcast: Bcast) -> Move:
        """The same order, of other lengths."""
        return Shuffle(_without_waste(self.order, bcast), bcast)

    def is_identity(self) -> bool:
        """Tell whether the order is that of the dimensions."""
        return self.order == tuple(range(len(self.whole)))

    def inverse(self) -> tuple[int, ...] | None:
        """The order that puts the dimensions back, None where some were dropped or put in."""
        return inverse(self.order, len(self.whole))

    def result(self) -> Bcast:
        """The broadcast pattern in the new order."""
        return tuple(True if o == "x" else self.whole[int(o)] for o in self.order)

    def apply(self, var: Any) -> Any:
        """The shuffled variable; a shuffle of a shuffle is one."""
        node, order = var.owner, self.order
        if node is None or not isinstance(node.op, DimShuffle):
            return var.dimshuffle(order)
        (source,) = node.inputs
        order = tuple("x" if o == "x" else node.op.new_order[int(o)] for o in order)
        return source if order == tuple(range(source.type.ndim)) else source.dimshuffle(order)

    def dropped(self) -> list[int]:
        """The dimensions that are left out."""
        return [d for d in range(len(self.whole)) if d not in self.order]

    def after(self, first: Shuffle) -> Shuffle:
        """Give this shuffle after another one, where a dropped dimension may serve as a new one."""
        order = tuple(first.order[o] if o != "x" else "x" for o in self.order)  # type: ignore[index]
        return Shuffle(_without_waste(order, first.whole), first.whole)


def inverse(order: Sequence[int | str], ndim: int) -> tuple[int, ...] | None:
    """The order that puts dimensions back, None where some were dropped or put in.

    Examples
    --------
    >>> inverse((2, 0, 1), 3)
    (1, 2, 0)
    >>> inverse((0, "x"), 1) is None
    True
    """
    if set(order) != set(range(ndim)):
        return None
    return tuple(order.index(d) for d in range(ndim))


def _without_waste(order: tuple[int | str, ...], bcast: Bcast) -> tuple[int | str, ...]:
    """An order that drops no dimension of length 1 where it inserts another.

    It stays behind those that were before it, as it does where it is not dropped in between:
    ``(0, 1)`` without 1 is put in front of and behind others as ``("x", 0, 1)``. Of one number all
    orders are one.
    """
    found: list[int | str] = ["x"] * len(order) if all(bcast) else list(order)
    for d in (d for d in range(len(bcast)) if d not in found):
        places = [place for place, o in enumerate(found) if o == "x"]
        if not places:
            break
        last = max((p for p, o in enumerate(found) if isinstance(o, int) and o < d), default=-1)
        found[next((place for place in places if place > last), places[0])] = d
    return tuple(found)


class Index(Move):
    """Subtensor and AdvancedSubtensor: integers, slices and index tensors, a dimension each."""

    def __init__(self, entries: tuple[Any, ...], whole: Bcast):
        full = entries + (slice(None),) * (len(whole) - len(entries))
        self.entries, self.whole = full, whole
        self.key = ("index", tuple(map(_entry_key, full)), whole)

    def __repr__(self) -> str:
        return ", ".join(map(str, self.entries))

    def uses(self) -> list[Variable[Any, Any]]:
        """The index tensors."""
        return [e for e in self.entries if isinstance(e, Variable)]

    def is_identity(self) -> bool:
        """Tell whether every entry is a whole slice."""
        return all(e == slice(None) for e in self.entries if isinstance(e, slice)) and all(
            isinstance(e, slice) for e in self.entries
        )

    def _keeps_order(self) -> bool:
        """Tell whether the dimensions that are left are in their order: of tensors one is alone."""
        ranks = [_ndim(e) for e in self.entries if not isinstance(e, slice)]
        return ranks == [1] or not any(ranks)

    def _kept(self) -> list[int]:
        """The dimensions that are left, in their order."""
        return [d for d, e in enumerate(self.entries) if isinstance(e, slice) or _ndim(e)]

    def back(self, axes: tuple[int, ...]) -> tuple[int | str, ...] | None:
        """The dimensions that were indexed away come back with length 1."""
        if not self._keeps_order():
            return None
        others = [e for d, e in enumerate(self.entries) if d not in axes]
        if any(not isinstance(e, slice) or e != slice(None) for e in others):
            return None
        left = iter(range(len(self.entries)))
        kept = self._kept()
        return tuple(next(left) if d in kept else "x" for d in range(len(self.entries)))

    def along(self, axes: tuple[int, ...]) -> tuple[int, ...] | None:
        """Dimensions that are not indexed stay, and those after an integer move up."""
        if not self._keeps_order():
            return None
        if any(self.entries[d] != slice(None) for d in axes):
            return None
        return tuple(map(self._kept().index, axes))

    def source(self, axis: int) -> int | None:
        """The dimension that is whole as one of the result, None where none is."""
        origin = self.taken(axis)
        return origin if origin is not None and self.entries[origin] == slice(None) else None

    def taken(self, axis: int) -> int | None:
        """The dimension that one of the result is a slice of, None where it is of none."""
        if not self._keeps_order():
            return None
        origin = self._kept()[axis]
        return origin if isinstance(self.entries[origin], slice) else None

    def leaves(self, bcast: Bcast) -> bool:
        """Tell whether only dimensions of length 1 are indexed, and all dimensions stay."""
        ranks = [_ndim(e) for e in self.entries if not isinstance(e, slice)]
        if ranks not in ([], [1]) or len(bcast) != len(self.entries):
            return False
        return all(one or e == slice(None) for e, one in zip(self.entries, bcast, strict=True))

    def picks(self) -> list[tuple[int, ...]]:
        """What is indexed, but for one axis of which an index counts the places."""
        indexed = [d for d, e in enumerate(self.entries) if not isinstance(e, slice)]
        if any(
            self.entries[d] != slice(None) for d in range(len(self.entries)) if d not in indexed
        ):
            return []
        rank = max((_ndim(self.entries[d]) for d in indexed), default=0)
        if rank != 1:
            return [] if rank else [tuple(indexed)]
        found = []
        for counted in (d for d in indexed if _counts(self.entries[d])):
            axes = tuple(d for d in indexed if d != counted)
            if axes and sum(d not in axes for d in range(counted)) == self.left().index(None):
                found.append(axes)
        return found

    def takes_each(self, axes: tuple[int, ...]) -> bool:
        """Tell whether it takes one element along axes of each that it takes along the others."""
        if any(_ndim(e) > 1 for e in self.entries):
            return False
        along = [self.entries[d] for d in axes]
        others = [e for d, e in enumerate(self.entries) if d not in axes]
        if not others or any(isinstance(e, slice) for e in along):
            return False
        return not any(map(_ndim, along)) or not all(isinstance(e, slice) for e in others)

    def alike(self) -> tuple[tuple[Any, ...], Any]:
        """The entries with all lists as long as the longest, and a list that counts the places.

        A number is such a list beside others; without any the second is None.
        """
        lists = [e for e in self.entries if _ndim(e)]
        if not lists or self._keeps_order():
            return self.entries, lists[0] if lists else None
        nothing: Any = reduce(at.add, map(at.zeros_like, lists))
        entries = tuple(
            e if isinstance(e, slice) else at.add(at.as_tensor_variable(e), nothing)
            for e in self.entries
        )
        known = nothing.type.shape[0]
        return entries, at.arange(nothing.shape[0] if known is None else known)

    def left(self) -> list[int | None]:
        """The dimensions that are left, as they come to lie: None is that of the lists."""
        return left_by_index(self.entries)

    def after(self, first: Index, lengths: Sequence[Any]) -> Index | None:
        """The one index that takes what this one takes of what another one has taken.

        Of something with some lengths; None where no one index does.
        """
        left, before = first.left(), dict(enumerate(first.alike()[0]))
        found = dict(before)
        listed = self.entries[left.index(None)] if None in left else None
        if isinstance(listed, slice) and any(map(_ndim, self.entries)):
            return None  # each of one list with each of another
        for d, entry in zip(left, self.entries, strict=True):
            if entry == slice(None):
                continue
            if isinstance(entry, slice) and d is not None and found[d] != slice(None):
                return None
            if d is None:
                found |= {
                    n: e if _same_places(entry, e) else e[entry]
                    for n, e in before.items() if not isinstance(e, slice)
                }  # fmt: skip
            else:
                whole = found[d] == slice(None)
                found[d] = entry if whole else at.arange(lengths[d])[found[d]][entry]
        composed = Index(tuple(found.values()), first.whole)
        order = [None if n is None else left[n] for n in self.left()]
        return composed if composed.left() == order else None

    def index(self) -> tuple[Any, ...]:
        """The entries up to the last that takes less than all.

        Aesara infers another shape where slices that take all follow a list.
        """
        last = max((d for d, e in enumerate(self.entries) if e != slice(None)), default=-1)
        return self.entries[: last + 1]

    def is_apart(self, other: Move) -> bool:
        """Numbers along one axis are different, where all others take the same, one by one."""
        if not isinstance(other, Index) or len(other.entries) != len(self.entries):
            return False
        pairs = list(zip(self.entries, other.entries, strict=True))
        unlike = [(d, p) for d, p in enumerate(pairs) if _entry_key(p[0]) != _entry_key(p[1])]
        if len(unlike) != 1:
            return False
        ((axis, (mine, theirs)),) = unlike
        counted = [e for d, e in enumerate(self.entries) if d != axis and _ndim(e)]
        ranks = {_ndim(mine), _ndim(theirs), *map(_ndim, counted)}
        if not (_is_number(mine) and _is_number(theirs)) or len(ranks) != 1:
            return False
        if ranks == {1} and not any(map(_counts, counted)):
            return False  # the same place may be paired with several
        a, b = (np.asarray(_known(e)) for e in (mine, theirs))
        alike = bool(np.all(a >= 0) and np.all(b >= 0)) or bool(np.all(a < 0) and np.all(b < 0))
        return alike and a.shape == b.shape and bool(np.all(a != b))

    def takes_of(self, axes: tuple[int, ...]) -> bool:
        """Slices do, and a list of places along one of them."""
        entries = [e for d, e in enumerate(self.entries) if d in axes]
        whole = all(e == slice(None) for d, e in enumerate(self.entries) if d not in axes)
        kept = all(isinstance(e, slice) or _ndim(e) == 1 for e in entries)
        return whole and kept and self.once() is not None and not self.is_identity()

    def takes_several(self) -> bool:
        """Those that a tensor names."""
        return any(_ndim(e) for e in self.entries if not isinstance(e, slice))

    def once(self) -> Move | None:
        """Numbers and slices take no element twice, nor does a list of different places."""
        listed = [e for e in self.entries if _ndim(e)]
        return self if len(listed) < 2 and all(map(_differ, listed)) else None

    def unpicked(self, var: Any) -> Any:
        """Ones, and zeros set at the index."""
        ones: Any = at.ones_like(var, dtype="bool")
        return at.set_subtensor(ones[self.index()], np.bool_(False))

    def restricted(self, bcast: Bcast) -> Move | None:
        """The entries of what has length 1 in some dimensions: 0 there, or everything.

        A list that no other is paired with takes the same of what is the same everywhere.
        """
        entries = []
        alone = self._keeps_order()
        for e, one, whole in zip(self.entries, bcast, self.whole, strict=False):
            if one and not whole:
                e = slice(None) if isinstance(e, slice) or (alone and _ndim(e) == 1) else 0
            entries.append(e)
        tensors = [e for e in self.entries if _ndim(e) and not alone]
        left = [e for e in entries if _ndim(e)]
        if max(map(_ndim, tensors), default=0) > max(map(_ndim, left), default=0):
            return None  # the shape of the result would come from an index that is gone
        if all(_takes_all(e, one) for e, one in zip(entries, bcast, strict=True)):
            kept = (d for d, e in enumerate(entries) if isinstance(e, slice))
            return Shuffle(tuple(kept), bcast)
        return Index(tuple(entries), bcast)

    def result(self) -> Bcast:
        """Dimensions that are not indexed keep their length, though Aesara forgets which is 1."""
        ranks = {_ndim(e) for e in self.entries if not isinstance(e, slice)}
        if 1 not in ranks or max(ranks) > 1:
            return super().result()
        one = all(e.type.broadcastable[0] for e in self.entries if _ndim(e))
        return tuple(
            one if d is None else self.whole[d] and self.entries[d] == slice(None)
            for d in self.left()
        )

    def apply(self, var: Any) -> Any:
        """The indexed variable.

        Of a constant it is one, so that its type has its lengths: where Aesara divides ones out it
        keeps no others.
        """
        found = with_shape(var[self.index()], self.result())
        if isinstance(var, Constant) and all(map(_is_known, self.entries)):
            piece = at.constant(var.data[tuple(map(_known, self.entries))])
            if piece.type.broadcastable == found.type.broadcastable:
                return piece
        return found


class Reshape(Move):
    """Reshape: only an operand of the whole shape can be moved.

    Tensors of other lengths can have the same new shape, which may even be known in part only:
    moves are equal where what they are moves of has the lengths of the same form.
    """

    def __init__(self, shape: Variable[Any, Any], ndim: int, whole: Bcast, like: Hashable = None):
        self.shape, self.ndim_out, self.whole = shape, ndim, whole
        self.key = ("reshape", _entry_key(shape), ndim, whole, like)

    def of(self, like: Hashable) -> Reshape:
        """The same move of what has the lengths of a form."""
        return Reshape(self.shape, self.ndim_out, self.whole, like)

    def __repr__(self) -> str:
        return str(self.shape)

    def apply(self, var: Any) -> Any:
        """The reshaped variable."""
        return at.reshape(var, self.shape, ndim=self.ndim_out)


class Diagonal(Move):
    """The diagonal of two axes."""

    def __init__(self, op: ExtractDiag, whole: Bcast):
        self.op, self.whole = op, whole
        self.key = ("diagonal", op.offset, op.axis1, op.axis2, whole)

    def __repr__(self) -> str:
        return f"diagonal {self.op.offset}"

    def picks(self) -> list[tuple[int, ...]]:
        """The rows or the columns of a matrix."""
        return [] if self.op.offset or len(self.whole) != 2 else [(0,), (1,)]

    def unpicked(self, var: Any) -> Any:
        """Ones, with zeros on the diagonal."""
        return at.fill_diagonal(at.ones_like(var, dtype="bool"), np.bool_(False))

    def apply(self, var: Any) -> Any:
        """The diagonal of a variable."""
        return self.op(var)


class Piece(Move):
    """One of the pieces that Split cuts along an axis."""

    def __init__(self, node: Apply[Any], number: int, whole: Bcast):
        axis: Any = node.inputs[1]
        self.node, self.number, self.whole = node, number, whole
        self.axis = int(axis.data) % len(whole)
        self.key = ("piece", _entry_key(node.inputs[2]), self.axis, number, whole)

    def __repr__(self) -> str:
        return f"piece {self.number} of {self.node.op.len_splits}"

    def restricted(self, bcast: Bcast) -> Move:
        """What has length 1 along the axis stays as it is."""
        if bcast[self.axis] and not self.whole[self.axis]:
            return Shuffle(tuple(range(len(bcast))), bcast)
        return Piece(self.node, self.number, bcast)

    def lengths(self) -> list[Any]:
        """The length of each piece, or nothing where they are not known apart."""
        splits = self.node.inputs[2]
        if isinstance(splits, Constant):
            return [at.constant(int(n)) for n in np.asarray(splits.data)]
        made = splits.owner is not None and isinstance(splits.owner.op, MakeVector)
        return list(splits.owner.inputs) if made else []

    def _is_one(self) -> bool:
        lengths = self.lengths()
        mine: Any = lengths[self.number] if lengths else None
        return isinstance(mine, Constant) and int(mine.data) == 1

    def result(self) -> Bcast:
        """A piece of length 1 is known to be one."""
        one = self._is_one()
        return tuple(one if d == self.axis else b for d, b in enumerate(self.whole))

    def apply(self, var: Any) -> Any:
        """The piece of a variable."""
        _, axis, splits = self.node.inputs
        pieces: Any = self.node.op(var, axis, splits)
        return with_shape(pieces[self.number], self.result())


def with_shape(var: Any, bcast: Bcast) -> Any:
    """A variable whose type says which of its dimensions have length 1."""
    if all(known or not one for known, one in zip(var.type.broadcastable, bcast, strict=True)):
        return var
    shape: Any = tuple(1 if one else None for one in bcast)
    return at.specify_shape(var, shape)


def dimshuffle(op: Any, _: Any, whole: Bcast) -> Move:
    """The move of a DimShuffle."""
    return Shuffle(tuple(op.new_order), whole)


def subtensor(op: Any, index: list[Any], whole: Bcast) -> Move:
    """The move of a Subtensor, or of what sets or adds to one."""
    return Index(tuple(indices_from_subtensor(index, op.idx_list)), whole)


def advanced(_: Any, index: list[Variable[Any, Any]], whole: Bcast) -> Move | None:
    """The move of an AdvancedSubtensor; masks and new dimensions are not read."""
    entries: list[Any] = []
    for i in index:
        if isinstance(i.type, SliceType):
            if not isinstance(i, Constant):
                return None
            entries.append(i.data)
        elif isinstance(i.type, NoneTypeT) or getattr(i.type, "dtype", "bool") == "bool":
            return None
        else:
            entries.append(i)
    return Index(tuple(entries), whole)


def diagonal(op: Any, _: Any, whole: Bcast) -> Move:
    """The move of an ExtractDiag."""
    return Diagonal(op, whole)


def reshape(op: Any, index: list[Variable[Any, Any]], whole: Bcast) -> Move:
    """The move of a Reshape."""
    return Reshape(index[0], op.ndim, whole)


@lru_cache(maxsize=1024)
def _dummy_result(move: Move) -> Bcast:
    dummy: Any = TensorType("float64", shape=tuple(1 if b else None for b in move.whole))()
    moved = dummy[move.entries] if isinstance(move, Index) else move.apply(dummy)
    result: Bcast = tuple(moved.type.broadcastable)
    return result


def _takes_all(entry: Any, one: bool) -> bool:
    """Tell whether an entry takes all there is along a dimension (of length 1)."""
    if isinstance(entry, slice):
        return entry == slice(None)
    return one and isinstance(entry, int) and entry == 0


def _ndim(entry: Any) -> int:
    return entry.type.ndim if isinstance(entry, Variable) and hasattr(entry.type, "ndim") else 0


def _is_known(entry: Any) -> bool:
    """Tell whether an entry of an index is made of numbers alone."""
    parts = (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,)
    return all(not isinstance(p, Variable) or isinstance(p, Constant) for p in parts)


def _is_number(entry: Any) -> bool:
    """Tell whether an entry of an index is a number, or several, that are known."""
    return not isinstance(entry, slice) and _is_known(entry)


def _known(entry: Any) -> Any:
    if isinstance(entry, slice):
        return slice(_known(entry.start), _known(entry.stop), _known(entry.step))
    return entry.data if isinstance(entry, Constant) else entry


def _counts(entry: Any) -> bool:
    """Tell whether an index counts what there is along a dimension: 0, 1, 2, ..."""
    if not _ndim(entry) or entry.type.broadcastable == (True,):
        return False  # what has length 1 may be broadcast
    if isinstance(entry, Constant):
        return bool(np.array_equal(entry.data, np.arange(len(entry.data))))
    if entry.owner is None or not isinstance(entry.owner.op, ARange):
        return False
    start, _, step = entry.owner.inputs
    return all(
        isinstance(i, Constant) and int(i.data) == value for i, value in ((start, 0), (step, 1))
    )


def _same_places(entry: Any, listed: Any) -> bool:
    """Tell whether an index counts the places of a list."""
    return _counts(entry) and bool(length_of(entry, 0) & length_of(listed, 0))


def _differ(entry: Any) -> bool:
    """Tell whether the places of a list are different for sure, whatever the length is."""
    if not isinstance(entry, Constant) or entry.type.ndim != 1:
        return False
    places = np.asarray(entry.data)
    alike = bool(np.all(places >= 0) or np.all(places < 0))
    return alike and len(np.unique(places)) == len(places)


def _entry_key(entry: Any) -> Hashable:
    if isinstance(entry, slice):
        return ("slice", _entry_key(entry.start), _entry_key(entry.stop), _entry_key(entry.step))
    if isinstance(entry, Constant):
        return ("constant", entry.signature())
    if isinstance(entry, Variable):
        return entry
    return entry if entry is None else int(entry)
