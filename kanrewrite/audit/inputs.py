"""What inputs can be: their ranges, shapes and dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.tensor.type import TensorType

from kanrewrite.display import type_text
from kanrewrite.errors import UnusableRange
from kanrewrite.ranges import LENGTHS, between, by_variable, limits, shapes_for

Graph = Variable[Any, Any]
Array = Any

#: Integers whose range is not given: an index into the shortest axis.
_INDEX = (0, LENGTHS[0] - 1)


@dataclass(frozen=True)
class Input:
    """An input, and what it can be.

    Attributes
    ----------
    variable : Variable
    low, high : float
        Its elements are between them, both included.
    shape : tuple of int
        Of the values that are tried.
    given : bool
        Whether the caller has given the range.
    """

    variable: Graph
    low: float
    high: float
    shape: tuple[int, ...]
    given: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its values."""
        return np.dtype(cast(Any, self.variable.type).dtype)

    @property
    def is_float(self) -> bool:
        """Whether its values are real numbers."""
        return self.dtype.kind == "f"


def needed(outputs: Sequence[Graph]) -> list[Graph]:
    """The inputs that need a value, in the order of their first use."""
    return [
        v
        for v in dict.fromkeys(graph_inputs(list(outputs)))
        if not isinstance(v, Constant | SharedVariable)
    ]


def inputs_of(
    outputs: Sequence[Graph], ranges: Mapping[Any, Any] | None, shapes: Mapping[Any, Any] | None
) -> list[Input]:
    """The inputs of a graph with their ranges and shapes.

    Parameters
    ----------
    outputs : sequence of Variable
    ranges : Mapping, optional
        Variables, or their names, to ``(low, high)``.
    shapes : Mapping, optional
        Variables, or their names, to tuples of integers.

    Raises
    ------
    NoSuchInput, UnusableRange
        If something else is given.
    """
    found = needed(outputs)
    wanted = by_variable(ranges or {}, found)
    given = by_variable(shapes or {}, found)
    allowed = {v: _range(v, wanted.get(v)) for v in found}
    asked = {v: _shape(v, shape) for v, shape in given.items()}
    values = {v: np.ones(shape, cast(Any, v.type).dtype) for v, shape in asked.items()}
    fitting = shapes_for(outputs, found, values)
    return [Input(v, *allowed[v], fitting[v], v in wanted) for v in found]


def _range(variable: Graph, given: Any) -> tuple[float, float]:
    dtype = getattr(variable.type, "dtype", None)
    if not isinstance(variable.type, TensorType) or np.dtype(dtype).kind not in "fiub":
        kind = type_text(variable.type)
        raise UnusableRange(variable, given, f"only real tensors are audited, not {kind}")
    if given is None:
        return limits(dtype) if np.dtype(dtype).kind in "fb" else _INDEX
    return between(variable, given)


def _shape(variable: Graph, given: Any) -> tuple[int, ...]:
    known = cast(Any, variable.type).shape
    shape = tuple(int(n) for n in given)
    if len(shape) != len(known) or any(
        k is not None and k != n for k, n in zip(known, shape, strict=True)
    ):
        kind = type_text(variable.type)
        raise UnusableRange(variable, given, f"as a shape it is not one of {kind}")
    return shape
