r"""Loops that carry, beside a state, what it lacks to a number.

A step that takes a probability $p$ from 1 knows nothing of $1 - p$ any more where that is below the
last digit of 1.  With $k = 1 - p$ the same loop is

.. math:: \mathrm{scan}(f, p_0) = p, \qquad
    (p, k) = \mathrm{scan}(f, 1 - f) \text{ from } (p_0, 1 - p_0),

where $f$ reads $k$ for $1 - p$.  Both may be products with exponentials, and have logs.  A product
as $f = pq$ does not read $1 - p$: there $1 - f$ of $p = 1 - k$ is $k + (1 - q)(1 - k)$.  Another
number less a line in $p$ is a mean, $l(p) = k\,l(0) + p\,l(1)$, if neither end is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable, clone_get_equiv, clone_replace
from aesara.tensor.elemwise import DimShuffle, Elemwise

from kanrewrite.inner.asking import is_sum
from kanrewrite.inner.levels import Lacking
from kanrewrite.inner.moving import ends, moved
from kanrewrite.inner.slots import STATES, Slot, loop_of, replace
from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]

#: How deep sums of what is computed of the same variable are looked for.
_DEPTH = 4


class Lack(NamedTuple):
    """What a tensor lacks to a number.

    Attributes
    ----------
    number
        The number.
    value
        The number without the tensor.
    """

    number: float
    value: Graph


class _Line(NamedTuple):
    """``slope * of + offset``."""

    slope: float
    offset: float
    of: Graph


class Beside(NamedTuple):
    """A loop like another one, in which complements are carried too.

    Attributes
    ----------
    node
        Of the new loop.
    results
        From what the old loop hands out to the same of the new one.
    lacks
        What the states of the new loop lack.
    """

    node: Apply[Any]
    results: dict[Graph, Graph]
    lacks: dict[Graph, Lack]


class Difference(NamedTuple):
    """What is taken from a number.

    Attributes
    ----------
    of
        A part of a loop of which something is taken from it, or its new value.
    number
        The number.
    line
        How the difference is computed.
    """

    of: Graph
    number: float
    line: _Line

    def written(self, lack: Callable[[Graph], Graph]) -> Graph:
        """The difference as what parts lack."""
        of = self.line.of
        return at.mul(np.asarray(-self.line.slope, of.type.dtype), moved(of, lack))  # type: ignore[no-any-return]

    def is_between(self, number: float) -> bool:
        """Whether the difference is never negative where the part is from 0 to a number."""
        return self.line.offset >= 0 and self.line.slope * number + self.line.offset >= 0

    def mixed(self, number: float, lack: Callable[[Graph], Graph]) -> Graph:
        """The difference as a mean of its values where the part, and what that lacks, is 0."""
        of, dtype = self.line.of, self.line.of.type.dtype
        at_0, at_number = self.line.offset / number, self.line.slope + self.line.offset / number
        shares = (np.asarray(at_0, dtype) * moved(of, lack), np.asarray(at_number, dtype) * of)
        return at.add(*shares)  # type: ignore[no-any-return]


def differences(
    nodes: Iterable[Apply[Any]], parts: Collection[Graph]
) -> Iterator[tuple[Graph, Difference]]:
    """Of some nodes those that are a number less one of some parts, and what they are."""
    for v in (n.outputs[0] for n in nodes if is_sum(n)):
        line = _line(v)
        source = list(ends(line.of))
        if len(source) == 1 and source[0] in parts and line.of.type.ndim == v.type.ndim:
            number = -line.offset / line.slope
            if number > 0:
                yield v, Difference(source[0], number, line)


def known_outside(
    nodes: Iterable[Apply[Any]], outside: Mapping[Graph, Graph], lacking: Lacking
) -> Iterator[tuple[Graph, Lack]]:
    """What those parts lack that a step takes from numbers, as it is written around the loop.

    There ``1 - p`` is what is left of 1, as of a sigmoid; in the step that is gone.

    Parameters
    ----------
    nodes
        Of the step.
    outside
        From parts in the step to what they are around the loop.
    lacking
        How complements are taken.
    """
    for _, d in differences(nodes, outside):
        for v in ends(outside[d.of]):
            yield v, Lack(d.number, lacking.lack(d.number, v))


def with_complements(
    node: Apply[Any],
    slots: Sequence[Slot],
    parts: Iterable[Slot],
    lacks: Mapping[Graph, Lack],
    lacking: Lacking,
    outside: Sequence[tuple[Graph, float]] = (),
    turned: bool = False,
) -> Beside | None:
    """The loop that carries what some of its parts lack to numbers that a step takes them from.

    Parameters
    ----------
    node
        Of the loop.
    slots
        Its parts.
    parts
        Those of them that are asked for: states and sequences.
    lacks
        What is known of the complements of what enters the loop.
    lacking
        How complements are taken.
    outside
        New values of parts, and numbers that these are taken from outside.
    turned
        Whether a step makes complements of complements alone.

    Returns
    -------
    Beside, optional
        None if nothing is taken from a number.
    """
    part_of = {v: s for s in parts for v in (*s.inside, *s.made)}
    numbers = {part_of[w]: number for w, number in reversed(outside)}
    taken = dict(differences(node.op.fgraph.toposort(), part_of))
    for d in taken.values():
        numbers.setdefault(part_of[d.of], d.number)
    starts = {s: _entering(s, number, lacks, lacking) for s, number in numbers.items()}
    new: dict[Slot, Slot] = {}
    lack_of: dict[Graph, Graph] = {}
    for s, start in starts.items():
        if start is not None:
            inside = tuple(v.type() for v in s.inside)
            given = dict(zip(s.inside, inside, strict=True))
            instead = {v: lacking.value(numbers[s], k) for v, k in given.items()} if turned else {}
            made = clone_replace(list(s.made), instead, rebuild_strict=False) if instead else s.made
            less = tuple(lacking.lack(numbers[s], v) for v in made)
            lack_of |= {**given, **dict(zip(s.made, less, strict=True))}
            new[s] = Slot(s.kind, start, inside, less, s.reads, s.writes)
    if not new:
        return None
    written: dict[Graph, Graph] = {}
    for v, d in ((v, d) for v, d in taken.items() if d.of in lack_of):
        number = numbers[part_of[d.of]]
        if d.number == number:
            written[v] = d.written(lack_of.__getitem__)
        elif d.is_between(number):
            written[v] = d.mixed(number, lack_of.__getitem__)
    return _joined(node, slots, {s: (k, numbers[s]) for s, k in new.items()}, written)


def _joined(
    node: Apply[Any],
    slots: Sequence[Slot],
    new: Mapping[Slot, tuple[Slot, float]],
    written: Mapping[Graph, Graph],
) -> Beside:
    """The loop with new parts beside others, in whose step some variables are written anew."""
    op: Any = node.op
    entering = [*op.inner_inputs, *(v for k, _ in new.values() for v in k.inside)]
    step: dict[Any, Any] = {v: v.type(name=v.name) for v in entering}

    def copy(outputs: list[Graph]) -> None:
        clone_get_equiv(entering, outputs, copy_inputs=False, copy_orphans=False, memo=step)

    for v, instead in written.items():  # in the order of the step
        copy([instead])
        step[v] = step[instead]
    copy([*op.inner_outputs, *(v for k, _ in new.values() for v in k.made)])

    def placed(slot: Slot) -> Slot:
        inside, made = (tuple(step[v] for v in part) for part in (slot.inside, slot.made))
        return replace(slot, inside=inside, made=made)

    whole = [placed(part) for s in slots for part in ((s, new[s][0]) if s in new else (s,))]
    condition = [step[op.inner_outputs[-1]]] if op.info.as_while else []
    handed = iter(loop_of(op, node.inputs[0], whole, condition))
    results, lacks = {}, {}
    for slot in slots:
        if slot.result is not None:
            results[slot.result] = value = next(handed)
            if slot in new:
                lacks[value] = Lack(new[slot][1], next(handed))
    (loop,) = {v.owner for v in results.values()}
    return Beside(loop, results, lacks)


def _entering(
    slot: Slot, number: float, lacks: Mapping[Graph, Lack], lacking: Lacking
) -> Graph | None:
    """What enters the loop for the complement of a part; of a sequence, if a loop has made it."""
    known = {
        v: lacks[v].value for v in ends(slot.outer) if v in lacks and lacks[v].number == number
    }
    if slot.kind not in STATES and not known:
        return None
    return moved(slot.outer, lambda v: known[v] if v in known else lacking.lack(number, v))


def _line(v: Graph, depth: int = _DEPTH) -> _Line:
    """How a variable is computed of another one with numbers."""
    node = v.owner
    op = operator_of(node.op) if node is not None and isinstance(node.op, Elemwise) else None
    if op not in (T.add, T.sub, T.neg, T.mul, T.true_div):
        return _Line(1.0, 0.0, v)
    numbers = list(map(_value, node.inputs))
    places = [n for n, number in enumerate(numbers) if number is None]
    known = [number for number in numbers if number is not None]
    if len(places) > 1 and depth and op in (T.add, T.sub):
        lines = [_line(node.inputs[n], depth - 1) for n in places]
        return _lines_added(v, lines, op is T.sub, sum(known))
    if len(places) != 1:
        return _Line(1.0, 0.0, v)
    (place,) = places
    slope, offset, of = _line(node.inputs[place], depth)
    if op is T.add:
        return _Line(slope, offset + sum(known), of)
    if op is T.sub:
        return (
            _Line(-slope, known[0] - offset, of) if place else _Line(slope, offset - known[0], of)
        )
    if op is T.neg:
        return _Line(-slope, -offset, of)
    with np.errstate(all="ignore"):
        factor = float(np.prod(known) if op is T.mul else np.reciprocal(known[0]))
    if (op is T.true_div and place) or not factor or not np.isfinite(factor):
        return _Line(1.0, 0.0, v)
    return _Line(factor * slope, factor * offset, of)


def _lines_added(v: Graph, lines: Sequence[_Line], less: bool, number: float) -> _Line:
    """A sum of what is computed of the same variable, and a number; or one less the other."""
    (slope, offset, of), *others = lines
    sign = -1.0 if less else 1.0
    slope += sign * sum(line.slope for line in others)
    offset += sign * sum(line.offset for line in others) + number
    same = all(line.of is of for line in others)
    return _Line(slope, offset, of) if same and slope else _Line(1.0, 0.0, v)


def _value(v: Graph) -> float | None:
    """The number that a variable is everywhere, if it is one."""
    while v.owner is not None and isinstance(v.owner.op, DimShuffle):
        v = v.owner.inputs[0]
    data = np.unique(v.data) if isinstance(v, Constant) else np.empty(0)
    return float(data[0]) if data.size == 1 and np.isfinite(data).all() else None
