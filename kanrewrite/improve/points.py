"""Points at which forms are compared: drawn over all bit patterns, with the exact values there.

Floats are drawn by their number among the floats in order, so that each binade has its share, as
Herbie draws them (P. Panchekha et al., "Automatically improving accuracy for floating point
expressions", PLDI 2015).  Of some hundreds of such numbers one is next to the largest float, and
their sums and products are out of range: at every second point the elements of a tensor are of
one size, which is drawn like that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable, graph_inputs, io_toposort
from aesara.tensor.elemwise import Elemwise

from kanrewrite.clock import now
from kanrewrite.errors import KanrewriteError
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.ranges import shapes_for
from kanrewrite.reference import evaluate, round_to

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Ranges = Mapping[Graph, tuple[float, float]]

#: How many points are tried at a time, and how often.
BATCH, TRIES = 96, 24
#: How many points say enough where there is no time for more.
ENOUGH = 8
#: How many binades elements of one size may be away from it.
ALIKE = 2
_INTEGERS: dict[str, Any] = {"float64": np.int64, "float32": np.int32, "float16": np.int16}


class Points(NamedTuple):
    """Values of inputs, one list a point, and the rounded truth of each output there."""

    inputs: tuple[Graph, ...]
    values: list[list[Array]]
    truth: list[list[Array]]


def inputs_of(outputs: Sequence[Graph]) -> tuple[Graph, ...]:
    """The variables that a graph is computed from, constants left out."""
    found = dict.fromkeys(graph_inputs(outputs))
    return tuple(v for v in found if not isinstance(v, Constant) and not hasattr(v, "get_value"))


def ordinal(x: Array) -> Array:
    """The number of each float among the floats in order; 0 for both zeros.

    Examples
    --------
    >>> import numpy as np
    >>> ordinal(np.array([-5e-324, 0.0, 5e-324]))
    array([-1,  0,  1])
    """
    kind = _INTEGERS[str(x.dtype)]
    bits = np.ascontiguousarray(x).view(kind)
    return np.where(bits < 0, np.iinfo(kind).min - bits, bits)


def from_ordinal(n: Array, dtype: str) -> Array:
    """The float of a number."""
    kind = _INTEGERS[dtype]
    n = np.asarray(n, kind)
    return np.where(n < 0, np.iinfo(kind).min - n, n).astype(kind).view(dtype)


def bits_lost(result: Array, truth: Array) -> Array:
    """How many of the last bits are wrong: the logarithm of how many floats lie between.

    Parameters
    ----------
    result, truth : ndarray
        Of one float dtype; all bits are lost where one of the two is no number.
    """
    width = result.dtype.itemsize * 8
    apart = np.abs(ordinal(result).astype(np.longdouble) - ordinal(truth).astype(np.longdouble))
    same = np.isnan(result) & np.isnan(truth)
    lost = np.where(np.isnan(result) | np.isnan(truth), float(width), np.log2(apart + 1))
    return np.where(same, 0.0, lost).astype(float)


def drawn(
    variable: Graph,
    shape: tuple[int, ...],
    bounds: tuple[float, float] | None,
    rng: np.random.Generator,
    alike: bool = False,
) -> Array:
    """A value of an input, whose elements may be asked to be of one size."""
    dtype = str(variable.type.dtype)
    if dtype not in _INTEGERS:
        low, high = bounds or (0, 2)
        return rng.integers(int(low), int(high) + (bounds is not None), shape).astype(dtype)
    largest = float(np.finfo(dtype).max)
    low, high = bounds or (-largest, largest)
    ends = ordinal(np.array([max(low, -largest), min(high, largest)], dtype))
    if not (alike and shape):
        number = rng.integers(int(ends[0]), int(ends[1]), shape, endpoint=True)
        return from_ordinal(np.asarray(number), dtype)
    size = int(rng.integers(int(ends[0]), int(ends[1]), endpoint=True))
    width = ALIKE << np.finfo(dtype).nmant
    near = rng.integers(
        max(size - width, int(ends[0])), min(size + width, int(ends[1])), shape, endpoint=True
    )
    turned = np.where(rng.integers(0, 2, shape) > 0, near, -near)
    allowed = (turned >= ends[0]) & (turned <= ends[1])
    return from_ordinal(np.where(allowed, turned, near), dtype)


def exact(
    outputs: Sequence[Graph], inputs: Sequence[Graph], values: Sequence[Array]
) -> list[Array] | None:
    """The rounded values of a graph, None where one is no finite number."""
    truth = _rounded(outputs, inputs, values)
    return truth if truth and all(np.isfinite(value).all() for value in truth) else None


def _rounded(
    outputs: Sequence[Graph], inputs: Sequence[Graph], values: Sequence[Array]
) -> list[Array] | None:
    try:
        found = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    except KanrewriteError:
        return None  # there is no value there, or none that can be written down
    return [
        np.asarray(round_to(value, out.type.dtype), out.type.dtype)
        for value, out in zip(found, outputs, strict=True)
    ]


def as_vectors(
    outputs: Sequence[Graph], inputs: Sequence[Graph]
) -> tuple[list[Graph], list[Graph]] | None:
    """A graph of scalars as one of vectors, None where it is not elementwise throughout."""
    if not all(v.type.ndim == 0 and v.type.dtype in _INTEGERS for v in inputs):
        return None
    new: dict[Graph, Graph] = {v: at.vector(dtype=v.type.dtype) for v in inputs}
    for node in io_toposort([], outputs):
        if not isinstance(node.op, Elemwise):
            return None
        made: Any = node.op.make_node(*(new.get(x, x) for x in node.inputs))
        new.update(zip(node.outputs, made.outputs, strict=True))
    if not all(out in new and new[out].type.ndim == 1 for out in outputs):
        return None
    return [new[out] for out in outputs], [new[v] for v in inputs]


def _tried(
    outputs: Sequence[Graph],
    inputs: Sequence[Graph],
    batch: list[list[Array]],
    is_enough: Callable[[], bool],
) -> Iterator[tuple[list[Array], list[Array]]]:
    """The points of a batch at which a graph has finite values, with these."""
    vectors = as_vectors(outputs, inputs)
    if vectors is not None:
        columns = [np.array([values[n] for values in batch]) for n in range(len(inputs))]
        found = _rounded(*vectors, columns)
        if found is not None:
            for n, values in enumerate(batch):
                truth = [value[n, ...] for value in found]
                if np.isfinite(truth).all():
                    yield values, truth
            return
    for values in batch:
        if is_enough():
            return
        truth_there = exact(outputs, inputs, values)
        if truth_there is not None:
            yield values, truth_there


def sampled(
    outputs: Sequence[Graph],
    ranges: Ranges,
    count: int,
    seed: int,
    seconds: float,
    shapes: Mapping[Graph, tuple[int, ...]] | None = None,
    most: float | None = None,
) -> Points:
    """Points at which a graph has finite values.

    Parameters
    ----------
    outputs : sequence of Variable
        Of float dtypes.
    ranges : mapping of Variable to (low, high)
        Where inputs are; those that it lacks may be any finite number.
    count : int
        How many points are wanted.
    seed : int
        The same seed gives the same points.
    seconds : float
        How long is looked for them, once there are a few.
    shapes : mapping of Variable to tuple of int, optional
        Of the inputs; by default such at which the graph runs.
    most : float, optional
        For how many seconds at most, whatever there is then.
    """
    inputs = inputs_of(outputs)
    if shapes is None:
        shapes = shapes_for(outputs, inputs)
    points = Points(inputs, [], [])
    with suppress(OutOfTime), _within(most), np.errstate(all="ignore"):
        _fill(points, outputs, ranges, shapes, count, np.random.default_rng(seed), now() + seconds)
    found = min(count, len(points.values))  # the last truth may be one too many
    return Points(inputs, points.values[:found], points.truth[:found])


def _within(seconds: float | None) -> AbstractContextManager[None]:
    return nullcontext() if seconds is None else limited(seconds)


def _fill(
    points: Points,
    outputs: Sequence[Graph],
    ranges: Ranges,
    shapes: Mapping[Graph, tuple[int, ...]],
    count: int,
    rng: np.random.Generator,
    end: float,
) -> None:
    """Take points until there are enough, or a few and the time is over."""

    def is_enough() -> bool:
        return now() > end and len(points.values) >= ENOUGH

    for _ in range(TRIES):
        batch = [
            [drawn(v, shapes[v], ranges.get(v), rng, n % 2 > 0) for v in points.inputs]
            for n in range(min(count, BATCH))
        ]
        for values, truth in _tried(outputs, points.inputs, batch, is_enough):
            points.truth.append(truth)
            points.values.append(values)
        if len(points.values) >= count or now() > end:
            return
