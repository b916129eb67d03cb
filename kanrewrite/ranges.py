"""What inputs can be: ranges as people give them, ``{x: (low, high)}``, and lengths of axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Annotated, Any, TypeAlias, cast

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Variable, graph_inputs
from aesara.tensor.type import TensorType

from kanrewrite.border import Asked
from kanrewrite.clock import now
from kanrewrite.errors import NoSuchInput, UnusableRange

Graph = Variable[Any, Any]

#: How long an axis is whose length no type states: the first length that does.
LENGTHS = (3, 5, 9, 17)
#: How many shapes are tried until a graph runs, and for how many seconds.
_TRIES, _SEARCHING = 300, 2.0
#: Whole numbers up to here may be lengths.
_LONGEST = 10_000

#: What is given for inputs, by variable or name.
ByInput: TypeAlias = Annotated[
    Mapping[Any, Any],
    Asked("{x: (0, 1)}, a dict from inputs or their names to ranges or shapes"),
]


def by_variable(given: ByInput, known: Sequence[Graph]) -> dict[Graph, Any]:
    """What is given for inputs, or for their names, by input.

    Raises
    ------
    NoSuchInput
        If something is given for what is none.
    """
    names = {v.name: v for v in known if v.name}
    found = {}
    for key, value in given.items():
        variable = names.get(key) if isinstance(key, str) else key
        if variable not in known:
            raise NoSuchInput(key, [str(v) for v in known])
        found[cast(Graph, variable)] = value
    return found


def limits(dtype: Any) -> tuple[float, float]:
    """The smallest and the largest number of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    if dtype.kind in "iu":
        return float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
    return 0.0, 1.0


def between(variable: Graph, given: Any) -> tuple[float, float]:
    """A range of an input, cut to what its dtype can hold.

    Raises
    ------
    UnusableRange
        If it is no pair of numbers, is empty, or holds nothing of the dtype.
    """
    dtype = np.dtype(cast(Any, variable.type).dtype)
    least, most = limits(dtype)
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError):
        raise UnusableRange(variable, given, "it is no pair of numbers") from None
    if math.isnan(low) or math.isnan(high) or low > high:
        raise UnusableRange(variable, given, "it is empty")
    low, high = max(low, least), min(high, most)
    if low > high:
        raise UnusableRange(variable, given, f"no {dtype} is in it")
    return low, high


def shapes_for(
    outputs: Sequence[Graph],
    inputs: Sequence[Graph],
    values: Mapping[Graph, Any] | None = None,
) -> dict[Graph, tuple[int, ...]]:
    """Shapes of inputs at which a graph runs, as far as they are found.

    Parameters
    ----------
    outputs, inputs : sequence of Variable
        A graph and what it needs values of.
    values : Mapping, optional
        Those that are given.

    Returns
    -------
    dict of Variable to tuple of int
        Axes whose length no type states have one of `LENGTHS`, the first at which the graph finds
        what it picks by number; where these do not fit, they are as long as what is known.

    Examples
    --------
    >>> import aesara, aesara.tensor as at
    >>> x, w = at.dvector("x"), aesara.shared(np.ones((7, 2)))
    >>> shapes_for([x.sum()], [x]), shapes_for([x[4] - x[0]], [x]), shapes_for([at.dot(x, w)], [x])
    ({x: (3,)}, {x: (5,)}, {x: (7,)})
    >>> m, y = at.dmatrix("m"), at.lvector("y")
    >>> shapes_for([m[at.arange(64), y]], [m, y])
    {m: (64, 3), y: (64,)}
    """
    given = {v: np.asarray(a) for v, a in (values or {}).items()}
    stated = {v: given[v].shape if v in given else _stated(v) for v in inputs}
    free = sum(n is None for shape in stated.values() for n in shape)
    first = _filled(stated, [LENGTHS[0]] * free)
    if not free or not all(isinstance(v.type, TensorType) for v in inputs):
        return first
    run = aesara.function(
        list(inputs), list(outputs), mode=Mode("py", "None"), on_unused_input="ignore"
    )
    known = _known(outputs, stated)
    end = now() + _SEARCHING
    for lengths in islice(_lengths(known, free), _TRIES):
        shapes = _filled(stated, lengths)
        kinds: list[tuple[Graph, Any]] = [(v, v.type) for v in inputs]
        try:
            with np.errstate(all="ignore"):
                run(*(given.get(v, np.ones(shapes[v], kind.dtype)) for v, kind in kinds))
        except Exception:  # noqa: BLE001  # whoever uses the values tells what they do not fit
            if now() > end:
                break
        else:
            return shapes
    return first


def _stated(variable: Graph) -> tuple[int | None, ...]:
    return tuple(getattr(variable.type, "shape", None) or ())


def _filled(
    stated: Mapping[Graph, tuple[int | None, ...]], lengths: Sequence[int]
) -> dict[Graph, tuple[int, ...]]:
    """Shapes whose open lengths are these, in their order."""
    rest = iter(lengths)
    return {v: tuple(next(rest) if n is None else n for n in s) for v, s in stated.items()}


def _known(outputs: Sequence[Graph], stated: Mapping[Graph, tuple[int | None, ...]]) -> list[int]:
    """Lengths that a graph has anyway: of the inputs whose shape is stated, and of its values.

    After these its whole numbers, as the rows in ``x[at.arange(64), y]``.
    """
    held: list[Any] = [v for v in graph_inputs(outputs) if v not in stated]
    values = [v.get_value(borrow=True) if hasattr(v, "get_value") else v.data for v in held]
    lengths = [n for shape in (*stated.values(), *map(np.shape, values)) for n in shape]
    whole = [int(x) for x in values if np.shape(x) == () and np.asarray(x).dtype.kind in "iu"]
    lengths += [n for n in whole if n <= _LONGEST]
    return list(dict.fromkeys(n for n in lengths if n is not None and n > 1))


def _lengths(known: Sequence[int], free: int) -> Iterator[Sequence[int]]:
    """What open lengths may be: all the same; then each one of those that are known."""
    yield from ([length] * free for length in LENGTHS)
    mixed = dict.fromkeys((LENGTHS[0], *known))
    if known:
        yield from product(mixed, repeat=free)
