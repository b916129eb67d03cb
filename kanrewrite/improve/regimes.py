"""A choice between two forms, by a threshold of one input, where each is better on its part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np

from kanrewrite.improve.measuring import chosen, errors
from kanrewrite.improve.points import Array, Graph, Points, exact, from_ordinal, ordinal
from kanrewrite.improve.result import Form

#: By how many bits a choice must be better than both.
GAIN = 0.25
#: How often the gap between two points is halved.
HALVINGS = 12
#: Of how many forms choices are made.
BEST = 8


class Split(NamedTuple):
    """A threshold of an input: one form below it, another one from there on."""

    below: Form
    above: Form
    place: int
    threshold: float
    error: float


def values_of(place: int, points: Points) -> Array | None:
    """The value of an input for each element at each point, None where it has none there."""
    columns = []
    for values, truth in zip(points.values, points.truth, strict=True):
        value = np.asarray(values[place])
        try:
            spread = [np.broadcast_to(value, out.shape).ravel() for out in truth]
        except ValueError:
            return None
        columns.append(np.concatenate(spread))
    stacked: Array = np.stack(columns, axis=1)
    return stacked


def splits(forms: Sequence[Form], points: Points) -> Iterator[Split]:
    """The best split of each input, by what was measured at the points.

    Parameters
    ----------
    forms : sequence of Form
        Measured at the points.
    points : Points
        Where they were measured.
    """
    candidates = _promising(forms)
    least = min(form.error for form in forms)
    for place, variable in enumerate(points.inputs):
        if not str(variable.type.dtype).startswith("float"):
            continue
        values = values_of(place, points)
        if values is None:
            continue
        best = min(
            (_split(a, b, place, values) for a in candidates for b in candidates if a is not b),
            key=lambda split: split.error,
            default=None,
        )
        if best is not None and best.error < least - GAIN:
            yield best


def _promising(forms: Sequence[Form]) -> list[Form]:
    """The most accurate forms, and those that are best at most points."""
    lost = np.stack([form.lost.ravel() for form in forms])
    wins = (lost <= lost.min(axis=0) + 0.5).sum(axis=1)
    ranked = sorted(range(len(forms)), key=lambda n: (forms[n].error, n))[: BEST // 2]
    ranked += sorted(range(len(forms)), key=lambda n: (-wins[n], n))[: BEST // 2]
    return [forms[n] for n in dict.fromkeys(ranked)]


def _split(below: Form, above: Form, place: int, values: Array) -> Split:
    order = np.argsort(values.ravel(), kind="stable")
    sorted_values = values.ravel()[order]
    low = np.concatenate([[0.0], np.cumsum(below.lost.ravel()[order])])
    high = np.concatenate([[0.0], np.cumsum(above.lost.ravel()[order][::-1])])[::-1]
    total = (low + high) / len(order)
    total[[0, -1]] = np.inf  # that is one of the two alone
    at_most = int(np.argmin(total))
    return Split(below, above, place, float(sorted_values[at_most]), float(total[at_most]))


def refined(split: Split, outputs: Sequence[Graph], points: Points) -> float:
    """A threshold, found by bisection between the points beside it.

    Parameters
    ----------
    split : Split
        Its threshold is the least value at which the second form was better.
    outputs : sequence of Variable
        The formula.
    points : Points
        Its other inputs are those of the point at the threshold.
    """
    values = values_of(split.place, points)
    if values is None or points.values[0][split.place].ndim:
        return split.threshold
    flat = np.sort(values.ravel())
    below = flat[flat < split.threshold]
    if not below.size:
        return split.threshold
    dtype = str(points.inputs[split.place].type.dtype)
    column = int(np.argmax((values == split.threshold).any(axis=0)))
    low, high = (int(ordinal(np.array([x], dtype))[0]) for x in (below[-1], split.threshold))
    for _ in range(HALVINGS):
        if high - low < 2:
            break
        middle = (low + high) // 2
        value = from_ordinal(np.array(middle), dtype)
        better = _is_better_below(split, outputs, points, column, value)
        low, high = (middle, high) if better else (low, middle)
    return float(from_ordinal(np.array(high), dtype))


def _is_better_below(
    split: Split, outputs: Sequence[Graph], points: Points, column: int, value: Any
) -> bool:
    values = list(points.values[column])
    values[split.place] = np.asarray(value)
    with np.errstate(all="ignore"):
        truth = exact(outputs, points.inputs, values)
    if truth is None:
        return False
    there = Points(points.inputs, [values], [truth])
    forms = (split.below, split.above)
    lost = [float(errors(form.outputs, there).mean()) for form in forms]
    return lost[0] <= lost[1]


def choice(split: Split, threshold: float, points: Points) -> tuple[Graph, ...]:
    """The graph of a choice."""
    variable = points.inputs[split.place]
    limit = at.constant(np.asarray(threshold, variable.type.dtype))
    return chosen(at.lt(variable, limit), split.below.outputs, split.above.outputs)
