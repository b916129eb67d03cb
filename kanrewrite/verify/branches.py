"""Inputs on both sides of every choice: there is no branch into which no sample falls.

One input at a time is moved along all floats, until what two operands are to each other changes;
each change is closed in upon, to neighbours.  Of what is compared all at once, every combination of
outcomes that is met has its own sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara import scalar
from aesara.compile.mode import Mode
from aesara.graph.basic import Variable, ancestors
from aesara.tensor.elemwise import Elemwise

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Points = Mapping[Graph, Array]
Point = tuple[Any, ...]

COMPARISONS = (scalar.LT, scalar.GT, scalar.LE, scalar.GE, scalar.EQ, scalar.NEQ)
CHOOSING = (*COMPARISONS, scalar.ScalarMaximum, scalar.ScalarMinimum)
#: From how many inputs lines are drawn, first, and then from outcomes that were met on the way.
BASES = 8
#: How many combinations of outcomes have samples of their own, and how many changes each input.
OUTCOMES, CHANGES = 48, 24


def around_choices(graphs: Sequence[Graph], values: Points, finite: bool = False) -> Points | None:
    """Inputs in every branch of graphs, and on both sides of where they choose.

    Parameters
    ----------
    graphs : sequence of Variable
        Of vectors, element by element.
    values : mapping from Variable to ndarray
        The inputs to begin with, vectors of one length.
    finite : bool
        Whether inputs stay finite.

    Returns
    -------
    mapping from Variable to ndarray
        Longer vectors. None if nothing is compared.
    """
    pairs = list(_compared(graphs))
    moved = [v for v in values if v.type.dtype.startswith("float")]
    if not pairs or not moved:
        return None
    search = _Search(values, pairs, [n for v in ancestors(graphs) for n in _numbers(v)], finite)
    bases = list(zip(*values.values(), strict=True))[:BASES]
    for _ in range(2):
        for base in bases:
            for v in moved:
                search.along(base, v)
        bases = list(search.met.values())[:BASES]
    samples = dict.fromkeys([*search.met.values(), *search.neighbours()])
    columns = zip(values, zip(*samples, strict=True), strict=True)
    return {v: np.array(column, dtype=v.type.dtype) for v, column in columns}


class _Search:
    """The outcomes of comparisons that are met along lines, and where they change."""

    def __init__(
        self,
        inputs: Iterable[Graph],
        pairs: Sequence[tuple[Graph, Graph]],
        numbers: list[float],
        finite: bool,
    ) -> None:
        self.inputs, self.numbers, self.finite = list(inputs), numbers, finite
        sides = [side for pair in pairs for side in pair]
        mode = Mode(linker="py", optimizer="merge")
        self.sides = aesara.function(self.inputs, sides, mode=mode, on_unused_input="ignore")
        #: An input for each combination of outcomes.
        self.met: dict[bytes, Point] = {}
        #: For each moved input, of a comparison that changes and the outcomes before it: where the
        #: line is, where the change, and what the outcome was.
        self.changes: dict[Graph, dict[tuple[int, bytes], tuple[Point, Any, Any, int]]] = {}

    def outcomes(self, columns: Sequence[Array]) -> Array:
        """What is less, equal, more or not comparable: a row a comparison, a column a point."""
        with np.errstate(all="ignore"):
            found = self.sides(*columns)
        rows = np.empty((len(found) // 2, len(columns[0])), dtype="int8")
        for row, a, b in zip(rows, found[::2], found[1::2], strict=True):
            row[:] = np.where(np.isnan(a) | np.isnan(b), 2, np.greater(a, b) - 1 * np.less(a, b))
        return rows

    def along(self, base: Point, v: Graph) -> None:
        """Moves one input along all floats."""
        i = self.inputs.index(v)
        line = _ladder(v.type.dtype, [*self.numbers, *map(float, base)])
        line = line[np.isfinite(line)] if self.finite else line
        columns = [np.full(len(line), number) for number in base]
        found = self.outcomes([*columns[:i], line, *columns[i + 1 :]])
        for k in np.unique(found, axis=1, return_index=True)[1]:
            if len(self.met) < OUTCOMES:
                point = (*base[:i], line[k], *base[i + 1 :])
                self.met.setdefault(found[:, k].tobytes(), point)
        changes = self.changes.setdefault(v, {})
        for j, k in np.argwhere(found[:, 1:] != found[:, :-1]):
            if len(changes) < CHANGES:
                change = (base, line[k], line[k + 1], found[j, k])
                changes.setdefault((j, found[:, k].tobytes()), change)

    def neighbours(self) -> Iterator[Point]:
        """The floats between which comparisons change, by halving those in between."""
        for v, changes in self.changes.items():
            if not changes:
                continue
            i, rows = self.inputs.index(v), np.array([j for j, *_ in changes])
            bases, low, high, before = zip(*changes.values(), strict=True)
            columns = [np.array(column) for column in zip(*bases, strict=True)]
            ends = [_ordinals(np.array(end)) for end in (low, high)]
            while (ends[1] - ends[0] > 1).any():
                middle = ends[0] // 2 + ends[1] // 2 + (ends[0] & ends[1] & 1)
                columns[i] = _floats(middle, v.type.dtype)
                same = self.outcomes(columns)[rows, np.arange(len(rows))] == np.array(before)
                ends = [np.where(same, middle, ends[0]), np.where(same, ends[1], middle)]
            for end in ends:
                columns[i] = _floats(end, v.type.dtype)
                yield from zip(*columns, strict=True)


def _compared(graphs: Sequence[Graph]) -> Iterator[tuple[Graph, Graph]]:
    """The operands of what compares, or takes the larger."""
    for v in dict.fromkeys(ancestors(graphs)):
        if v.owner is None or not isinstance(v.owner.op, Elemwise):
            continue
        op, operands = v.owner.op.scalar_op, v.owner.inputs
        if isinstance(op, CHOOSING):
            yield operands[0], operands[1]
        elif isinstance(op, scalar.IsInf):
            yield abs(operands[0]), at.constant(np.inf, dtype=operands[0].type.dtype)


def _numbers(variable: Graph) -> list[float]:
    """The finite numbers of a constant and their negatives."""
    data = np.ravel(getattr(variable, "data", ()))
    numbers = data[np.isfinite(data)] if data.dtype.kind in "fiu" else data[:0]
    return [sign * float(n) for n in numbers for sign in (1, -1)]


def _ladder(dtype: str, numbers: Sequence[float]) -> Array:
    """Floats of all sizes in order, some numbers among them, and the means of neighbours."""
    info = np.finfo(dtype)
    exponents = np.arange(info.minexp, info.maxexp)
    powers = np.ldexp(1.0, exponents[(abs(exponents) < 64) | (exponents % 16 == 0)])
    ends = (0.0, np.inf, -np.inf, float(info.max), float(info.min))
    with np.errstate(over="ignore"):
        line = np.unique(np.array([*powers, *-powers, *ends, *numbers], dtype=dtype))
        line = np.unique([*line, *(line[1:] / 2 + line[:-1] / 2)])
    found: Array = line[~np.isnan(line)].astype(dtype)
    return found


def _ordinals(floats: Array) -> Array:
    """Which ones of the floats in order some are, counted from 0."""
    bits = floats.view(f"i{floats.itemsize}")
    return np.where(bits < 0, np.iinfo(bits.dtype).min - bits, bits).astype("int64")


def _floats(ordinals: Array, dtype: str) -> Array:
    size = np.abs(ordinals).astype(f"i{np.dtype(dtype).itemsize}").view(dtype)
    return np.where(ordinals < 0, -size, size)
