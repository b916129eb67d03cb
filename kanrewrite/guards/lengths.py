"""Lengths: whether a number is that of the elements which a reduction goes over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, singledispatch
from itertools import chain
from math import prod
from typing import Any

import numpy as np
from aesara.graph.basic import Constant, Variable
from aesara.raise_op import Assert
from aesara.scalar.basic import Abs, Cast, Mul, ScalarOp
from aesara.tensor.basic import Alloc, ARange, MakeVector, ScalarFromTensor, TensorFromScalar
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.extra_ops import BroadcastTo, CumOp
from aesara.tensor.math import Dot, Prod
from aesara.tensor.shape import Shape, Shape_i
from aesara.tensor.special import LogSoftmax, Softmax
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
    get_idx_list,
)
from aesara.tensor.type_other import MakeSlice, NoneTypeT
from unification import isvar

from kanrewrite.guards.values import (
    Axes,
    broadcastable_of,
    constant_of,
    dtype_of,
    normal_axes,
)

#: What is known of a length: dimensions of variables that are as long, and numbers.
Length = frozenset[Any]
NOTHING: Length = frozenset()
ONE: Length = frozenset({1})
#: What leaves a number as it is.
_CARRYING = (DimShuffle, TensorFromScalar, ScalarFromTensor, Assert)
#: What has the shape of its first input.
_SHAPED_LIKE = (Softmax, LogSoftmax, IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)


def is_share(share: Any, axis: Axes, *operands: Any) -> bool:
    """Tell whether a number is known to be one over that of the elements along some axes."""
    count = _inverse(share)
    return count is not None and is_count(count, axis, *operands)


def is_joint_share(share: Any, axis: Axes, *operands: Any) -> bool:
    """Tell whether a number is known to be the product of the shares of each operand."""
    count = _inverse(share)
    return count is not None and count == prod(_number(_along(x, axis)) or 0 for x in operands)


def _inverse(share: Any) -> int | None:
    """The whole number that a number is one over, as it is rounded."""
    given = constant_of(share)
    if given is None or np.size(given) != 1 or not np.all(given):
        return None
    kind = dtype_of(share) or "float64"
    precision = float(np.finfo(kind if kind.startswith("float") else "float64").eps)
    count = 1 / float(np.ravel(given)[0])
    return round(count) if np.isclose(count, round(count), rtol=4 * precision, atol=0) else None


def _along(x: Any, axis: Axes) -> Length:
    """The number of the elements of an operand along some axes, where it is known."""
    pattern = broadcastable_of(x) or ()
    lengths = [ONE if pattern[a] else length_of(x, a) for a in normal_axes(axis, len(pattern))]
    numbers = [_number(length) for length in lengths]
    return NOTHING if None in numbers else frozenset({prod(numbers)})


def is_count(count: Any, axis: Axes, *operands: Any) -> bool:
    """Tell whether a number is known to be that of the elements along some axes.

    Parameters
    ----------
    count : Variable or number
        As a graph computes it, whichever way: a length, a product of lengths, cast and shaped.
    axis : int, tuple of int or None
        What is reduced.
    *operands : Variable or other value
        What is broadcast together and then reduced.
    """
    known = [(x, pattern) for x in operands if (pattern := broadcastable_of(x)) is not None]
    if len(known) < len(operands) or isvar(axis):
        return False
    ndim = max((len(pattern) for _, pattern in known), default=0)
    whole = [(x, pattern) for x, pattern in known if len(pattern) == ndim]
    given, left = list(factors_of(count)), []
    for a in normal_axes(axis, ndim):
        spanning = [x for x, pattern in whole if not pattern[a]]
        length = NOTHING.union(*(length_of(x, a) for x in spanning)) if spanning else ONE
        found = next((n for n in given if n & length), None)
        if found is None:
            left.append(length)
        else:
            given.remove(found)
    numbers, wanted = ([_number(n) for n in lengths] for lengths in (given, left))
    return None not in (*numbers, *wanted) and prod(numbers) == prod(wanted)


def _number(length: Length) -> Any:
    return next((n for n in length if isinstance(n, int)), None)


@singledispatch
def length_of(value: object, axis: int) -> Length:  # noqa: ARG001  # the fallback
    """What is known of a dimension's length; nothing where it may be broadcast."""
    return NOTHING


@length_of.register(Variable)
def _(value: Variable[Any, Any], axis: int) -> Length:
    return _lengths(value, axis, sliced_too=True)


def _lengths(value: Variable[Any, Any], axis: int, sliced_too: bool) -> Length:
    stack, found = [(value, axis)], set[Any]()
    while stack:
        variable, a = stack.pop()
        shape = getattr(variable.type, "shape", ())
        if (variable, a) in found or a >= len(shape):
            continue
        found.add((variable, a))
        if shape[a] is not None:
            found.add(int(shape[a]))
        if variable.owner is not None:
            stack += _below(variable.owner, a)
            found |= _counted(variable.owner) | _filled(variable.owner, a)
            found |= listed(variable, a)
            found |= cut(variable, a) if sliced_too else NOTHING
    return frozenset(found)


def _counted(node: Any) -> Length:
    """The length up to which a node counts: 0, 1, 2, ..."""
    if not isinstance(node.op, ARange):
        return NOTHING
    start, stop, step = node.inputs
    if constant_of(start) != 0 or constant_of(step) != 1:
        return NOTHING
    return _length(stop)


def _filled(node: Any, axis: int) -> Length:
    """The length of a dimension of what is filled into a shape."""
    if not isinstance(node.op, Alloc | BroadcastTo):
        return NOTHING
    return _length(node.inputs[1 + axis])


def cut(variable: Variable[Any, Any], axis: int) -> Length:
    """The length of a dimension that a variable is a slice of, but not of a slice of a slice."""
    node = variable.owner
    taken = None if node is None else _taken(node)
    if taken is None or (found := taken[axis]) is None:
        return NOTHING
    origin, entry = found
    return sliced(entry, _lengths(node.inputs[0], origin, sliced_too=False))


def _taken(node: Any) -> list[tuple[int, slice] | None] | None:
    """Which dimension each one of what an index takes is a slice of, None for that of lists.

    None for what is no index, or one of masks, of new dimensions or of tables of places.
    """
    entries: list[Any]
    if isinstance(node.op, Subtensor):
        entries = list(get_idx_list(node.inputs, node.op.idx_list))
    elif isinstance(node.op, AdvancedSubtensor | AdvancedSubtensor1):
        entries = [_entry(e) for e in node.inputs[1:]]
    else:
        return None
    entries += [slice(None)] * (node.inputs[0].type.ndim - len(entries))
    lists = [d for d, e in enumerate(entries) if getattr(e, "ndim", 0)]
    if any(e is None for e in entries) or any(entries[d].ndim > 1 for d in lists):
        return None
    return [None if d is None else (d, entries[d]) for d in left_by_index(entries)]


def left_by_index(entries: Sequence[Any]) -> list[int | None]:
    """The dimensions that an index leaves, as they come to lie: None is that of its lists."""
    indexed = [d for d, e in enumerate(entries) if not isinstance(e, slice)]
    left: list[int | None] = [d for d in range(len(entries)) if d not in indexed]
    if any(getattr(entries[d], "ndim", 0) for d in indexed):
        together = len(indexed) == indexed[-1] - indexed[0] + 1
        left.insert(indexed[0] if together else 0, None)
    return left


def _entry(index: Any) -> Any:
    """A list of places, a number or a known slice of an index; None for what else there is."""
    if isinstance(index, Constant) and isinstance(index.data, slice):
        return index.data
    if index.owner is not None and isinstance(index.owner.op, MakeSlice):
        return slice(*map(_end, index.owner.inputs))
    kind = getattr(index.type, "dtype", "bool")
    return index if kind != "bool" else None


def _end(value: Any) -> Any:
    """An end of a slice, None where there is none."""
    if isinstance(value.type, NoneTypeT):
        return None
    carried = value.owner is not None and isinstance(value.owner.op, _CARRYING)
    return value.owner.inputs[0] if carried else value


def below(variable: Variable[Any, Any], axis: int) -> Length:
    """What a dimension is as long as, one operator below: dimensions, slices of them, lists."""
    node = variable.owner
    if node is None:
        return NOTHING
    return frozenset(_below(node, axis)) | cut(variable, axis) | listed(variable, axis)


def listed(variable: Variable[Any, Any], axis: int) -> Length:
    """The length of a dimension along which a variable was taken from places in lists."""
    node = variable.owner
    taken = None if node is None else _taken(node)
    if taken is None or taken[axis] is not None:
        return NOTHING
    lists = [e for e in map(_entry, node.inputs[1:]) if getattr(e, "ndim", 0)]
    if len(lists) > 1:  # one of length 1 is broadcast
        lists = [e for e in lists if isinstance(e, Constant) and e.data.size > 1]
    return NOTHING.union(*(length_of(e, 0) for e in lists if not e.type.broadcastable[0]))


def is_dimension(entry: object) -> bool:
    """Tell whether what is known of a length is a variable's, and no number or slice of one."""
    return isinstance(entry, tuple) and isinstance(entry[0], Variable)


def sliced(entry: slice, length: Length) -> Length:
    """What is known of the length of a slice of a dimension of a known length."""
    if entry == slice(None):
        return length
    ends = (entry.start, entry.stop, entry.step)
    known = [None if end is None else constant_of(end) for end in ends]
    if any(end is not None and found is None for end, found in zip(ends, known, strict=True)):
        return NOTHING
    numbers = tuple(None if found is None else int(found) for found in known)
    return frozenset(("cut", numbers, dimension) for dimension in length)


def _length(count: object) -> Length:
    """The length that a number is, nothing if it is a product of some."""
    lengths = list(factors_of(count))
    return lengths[0] if len(lengths) == 1 else NOTHING


def _below(node: Any, axis: int) -> Iterator[tuple[Any, int]]:
    """The dimensions of its inputs that a dimension of what a node computes is as long as."""
    op = node.op
    if isinstance(op, Elemwise):
        yield from ((x, axis) for x in node.inputs if not x.type.broadcastable[axis])
    elif isinstance(op, _SHAPED_LIKE) or (isinstance(op, CumOp) and op.axis is not None):
        yield node.inputs[0], axis
    elif isinstance(op, DimShuffle) and op.new_order[axis] != "x":
        yield node.inputs[0], op.new_order[axis]
    elif isinstance(op, CAReduce) and op.axis is not None:
        gone = normal_axes(tuple(op.axis), node.inputs[0].type.ndim)
        kept = [a for a in range(node.inputs[0].type.ndim) if a not in gone]
        yield node.inputs[0], kept[axis]
    elif isinstance(op, Dot):
        left, right = node.inputs
        yield (left, axis) if axis < left.type.ndim - 1 else (right, right.type.ndim - 1)
    elif isinstance(op, AdvancedSubtensor | AdvancedSubtensor1):
        taken = _taken(node)
        origin = None if taken is None else taken[axis]
        if origin is not None and origin[1] == slice(None):
            yield node.inputs[0], origin[0]


@singledispatch
def factors_of(count: object) -> Iterator[Length]:
    """The lengths that a number is the product of, an empty one for what is no length."""
    number = constant_of(count)
    known = number is not None and np.size(number) == 1 and np.all(np.mod(number, 1) == 0)
    yield frozenset({int(np.ravel(number)[0])}) if known else NOTHING


@factors_of.register(Variable)
def _(count: Variable[Any, Any]) -> Iterator[Length]:
    node = count.owner
    if node is None or constant_of(count) is not None:
        yield from factors_of.dispatch(object)(count)
        return
    op, scalar = node.op, getattr(node.op, "scalar_op", None)
    if isinstance(op, _CARRYING) or isinstance(scalar, Cast | Abs):
        yield from factors_of(node.inputs[0])
    elif isinstance(scalar, Mul) and isinstance(op, Elemwise):
        yield from chain.from_iterable(map(factors_of, node.inputs))
    elif isinstance(op, Shape_i):
        yield length_of(node.inputs[0], op.i)
    elif isinstance(op, ScalarOp) and _is_common(op, len(node.inputs)):
        yield NOTHING.union(*map(_length, node.inputs))
    elif isinstance(op, Prod):
        yield from entries_of(node.inputs[0], None)
    elif isinstance(op, Subtensor):
        index = get_idx_list(node.inputs, op.idx_list)[0]
        yield from entries_of(node.inputs[0], index)
    else:
        yield NOTHING


def is_size(var: Variable[Any, Any]) -> bool:
    """Tell whether a variable is known to be a product of lengths, of which none is negative."""
    return var.owner is not None and all(
        known and all(n >= 0 for n in known if isinstance(n, int)) for known in factors_of(var)
    )


@lru_cache(maxsize=256)
def _is_common(op: ScalarOp, count: int) -> bool:
    """Tell whether a number is the length of what lengths are broadcast to: all equal, or 1."""
    cases = [(7,) * count, *([7 if n == k else 1 for n in range(count)] for k in range(count))]
    try:
        return all(op.impl(*(np.int64(n) for n in case)) == 7 for case in cases)
    except Exception:  # noqa: BLE001  # an Op that computes something else of something else
        return False


def entries_of(shape: Any, index: Any) -> Iterator[Length]:
    """An entry of a shape, or all of them."""
    node, place = shape.owner, constant_of(index)
    if node is None or (place is None and index is not None):
        yield NOTHING
    elif isinstance(getattr(node.op, "scalar_op", None), Cast):
        yield from entries_of(node.inputs[0], index)
    elif isinstance(node.op, Shape):
        (of,) = node.inputs
        axes = range(of.type.ndim)
        yield from (length_of(of, a) for a in (axes if place is None else [axes[int(place)]]))
    elif isinstance(node.op, MakeVector):
        chosen = node.inputs if place is None else [node.inputs[int(place)]]
        yield from chain.from_iterable(map(factors_of, chosen))
    else:
        yield NOTHING
