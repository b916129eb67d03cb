"""What a graph is worth at some inputs, exactly and in floats, and whether two results differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kanrewrite.audit.compiling import runner
from kanrewrite.audit.inputs import Graph
from kanrewrite.audit.judging import TOLERANCE, Judge
from kanrewrite.errors import KanrewriteError
from kanrewrite.reference import evaluate, round_to

Array = Any
Values = Mapping[Graph, Array]


def exact(outputs: Sequence[Graph], values: Values) -> list[Array] | None:
    """The exact outputs, rounded; None where nothing says what they are."""
    try:
        found = evaluate(list(outputs), values)
    except KanrewriteError:
        return None
    except (ValueError, IndexError, AssertionError):  # shapes that do not fit
        return None
    return [
        round_to(value, out.type.dtype) if np.asarray(value).dtype == object else value
        for value, out in zip(found, outputs, strict=True)
    ]


def computed(outputs: Sequence[Graph], values: Values) -> list[Array] | None:
    """The outputs in floats, as the graph stands; None if it raises."""
    return runner(list(values), outputs)(list(values.values()))[0]


def differ(before: Sequence[Array] | None, after: Sequence[Array] | None) -> bool:
    """Whether two results are not the same but for rounding; what is not known does not differ."""
    if before is None or after is None:
        return False
    return any(_differ(np.asarray(a), np.asarray(b)) for a, b in zip(before, after, strict=True))


def _differ(a: Array, b: Array) -> bool:
    if a.shape != b.shape:
        return True
    if a.dtype.kind != "f":
        return not bool((a == b).all())
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        finite = np.abs(a[np.isfinite(a)])
        room = TOLERANCE[str(a.dtype)] * (np.abs(a) + finite.max(initial=0.0))
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= room)
    return not bool((same | near).all())


def is_wrong(results: Sequence[Array] | None, outputs: Sequence[Graph], values: Values) -> bool:
    """Whether results in floats are not what the outputs are exactly."""
    if results is None:
        return True
    judge = Judge(outputs, (str(v.type.dtype) for v in values if v.type.dtype.startswith("float")))
    try:
        truth = judge.exact(values)
        judge.learn(truth)
        return any(not fault.inherent for fault in judge.faults(results, truth, values))
    except KanrewriteError:
        return False
