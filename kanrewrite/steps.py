"""Steps: each replacement evaluated before and after, while ``config.check_steps`` is on.

A wrong number of a compiled function says that something is false.  This says which replacement:
the first whose two sides differ at random everyday inputs.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.tensor.type import TensorType

from kanrewrite.config import config
from kanrewrite.display import brief
from kanrewrite.errors import FalseStep
from kanrewrite.guards.bounds import Bounds, assumed

Graph = Variable[Any, Any]
Array = Any

#: How many random inputs a replacement is tried at.
TRIES = 3
#: The length of an axis that no type states.
LENGTH = 3
#: Both sides are computed as they are written.
_PLAIN: dict[str, Any] = {"linker": "py", "optimizer": None}
_MODE = Mode(**_PLAIN)


def check(names: Iterable[str], equations: Iterable[str], before: Graph, after: Graph) -> None:
    """Compare what is replaced with what replaces it, if that is asked for.

    Parameters
    ----------
    names : iterable of str
        The relations by which it is replaced.
    equations : iterable of str
        What they state.
    before, after : Variable
        Float tensors; others are not compared.

    Raises
    ------
    FalseStep
        Both are numbers at everyday inputs, and not the same.

    Notes
    -----
    Inputs for which the first graph has no shapes or no numbers say nothing, and neither do those
    where it changes a lot when they change by rounding.
    """
    if not config.check_steps or not _is_compared(before):
        return
    found = difference(before, after)
    if found is not None:
        raise FalseStep(list(names), list(equations), brief(before), brief(after), *found)


def _is_compared(variable: Graph) -> bool:
    return isinstance(variable.type, TensorType) and variable.type.dtype in ("float32", "float64")


def difference(before: Graph, after: Graph) -> tuple[Mapping[str, Array], Array, Array] | None:
    """Inputs at which two graphs differ, and what they are worth there; None if none were found."""
    roots = [
        v for v in graph_inputs([before, after]) if not isinstance(v, Constant | SharedVariable)
    ]
    if not all(isinstance(v.type, TensorType) for v in roots):
        return None
    compute = _function(roots, [before, after])
    for n in range(TRIES):
        rng = np.random.default_rng([n, zlib.crc32(brief(before).encode())])
        values = [_drawn(v, rng) for v in roots]
        old, new = compute(values) or (None, None)
        if old is None or not np.isfinite(old).all() or _same(old, new, before):
            continue
        if all(_same(old, value, before) for value in _around(compute, values, rng)):
            given = zip(roots, values, strict=True)
            return {v.name or f"input {i}": a for i, (v, a) in enumerate(given)}, old, new
    return None


def _around(
    compute: Callable[[list[Array]], list[Array] | None],
    values: list[Array],
    rng: np.random.Generator,
) -> Iterator[Array]:
    """What the first graph is worth near some inputs: a comparison of equals falls either way."""
    for _ in range(4):
        near = compute([_nudged(v, rng) for v in values])
        if near is not None:
            yield near[0]


def _function(roots: list[Graph], outputs: list[Graph]) -> Callable[[list[Array]], Any]:
    made = aesara.function(roots, outputs, mode=_MODE, on_unused_input="ignore")

    def compute(values: list[Array]) -> list[Array] | None:
        with np.errstate(all="ignore"):
            try:
                return [np.asarray(v) for v in made(*values)]
            except (ValueError, IndexError, AssertionError, TypeError, ZeroDivisionError):
                return None  # the shapes drawn do not fit

    return compute


def _drawn(variable: Graph, rng: np.random.Generator) -> Array:
    shape = [LENGTH if length is None else length for length in variable.type.shape]
    dtype = np.dtype(variable.type.dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 2, shape).astype(dtype)
    return np.asarray(_within(assumed(variable), rng.normal(size=shape) * 0.7)).astype(dtype)


def _within(known: Bounds, values: Array) -> Array:
    """Numbers folded into bounds: what is rewritten in a step relies on what is known of it."""
    low, high = known
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) / (1 + np.exp(-values))
    if np.isfinite(low):
        return low + np.abs(values)
    return high - np.abs(values) if np.isfinite(high) else values


def _nudged(value: Array, rng: np.random.Generator) -> Array:
    if value.dtype.kind != "f":
        return value
    step = 1e5 * float(np.finfo(value.dtype).eps) ** (1.0 if value.itemsize > 4 else 1.3)
    return np.asarray(value * (1 + step * rng.normal(size=value.shape))).astype(value.dtype)


def _same(old: Array, new: Array, variable: Graph) -> bool:
    """Whether two results are the same but for rounding, which everyday inputs keep small."""
    if old.shape != new.shape:
        return False
    tolerance = 1e-7 if variable.type.dtype == "float64" else 1e-2
    size = float(np.abs(old).max(initial=0.0))
    return bool((np.abs(old - new) <= tolerance * (np.abs(old) + 1e-2 * size + 1e-30)).all())
