"""What inputs can be: ranges as people give them, ``{x: (low, high)}``, and lengths of axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias, cast

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Variable
from aesara.tensor.type import TensorType

from kanrewrite.border import Asked
from kanrewrite.errors import NoSuchInput, UnusableRange

Graph = Variable[Any, Any]

#: How long an axis is whose length no type states: the first length that does.
LENGTHS = (3, 5, 9, 17)

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


def length_for(outputs: Sequence[Graph], inputs: Sequence[Graph]) -> int:
    """How long axes of unknown length have to be for a graph to find what it picks by number.

    Parameters
    ----------
    outputs, inputs : sequence of Variable
        A graph and what it needs values of.

    Returns
    -------
    int
        One of `LENGTHS`; the first where none of them does, or the graph cannot be run as it is.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.dvector("x")
    >>> length_for([x.sum()], [x]), length_for([x[4] - x[0]], [x])
    (3, 5)
    """
    kinds = [v.type for v in inputs]
    if not all(isinstance(kind, TensorType) for kind in kinds) or not any(
        None in cast(Any, kind).shape for kind in kinds
    ):
        return LENGTHS[0]
    run = aesara.function(
        list(inputs), list(outputs), mode=Mode("py", "None"), on_unused_input="ignore"
    )
    for length in LENGTHS:
        try:
            with np.errstate(all="ignore"):
                run(*(_ones(kind, length) for kind in kinds))
        except IndexError:
            continue
        except Exception:  # noqa: BLE001  # whoever uses the values tells what they do not fit
            break
        return length
    return LENGTHS[0]


def _ones(kind: Any, length: int) -> Any:
    return np.ones([length if n is None else n for n in kind.shape], dtype=kind.dtype)
