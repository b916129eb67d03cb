"""A choice between forms, by thresholds of one input, where each is better on its part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import aesara.tensor as at
import numpy as np

from kanrewrite.improve.measuring import measured
from kanrewrite.improve.points import Array, Graph, Points, exact, from_ordinal, ordinal
from kanrewrite.improve.result import Form

#: By how many bits each part of a choice must make it better.
GAIN = 0.25
#: Into how many parts the gap between two points is divided to look for a threshold.
TRIED = 16
#: Of how many forms choices are made, and of how many parts.
BEST, PARTS = 12, 5


class Pieces(NamedTuple):
    """Forms that are used each between two thresholds of an input.

    Attributes
    ----------
    forms : tuple of Form
        The first below all thresholds, the last above.
    place : int
        Which input.
    thresholds : tuple of float
        From each on the next form is used.
    error : float
        What is lost at the points.
    """

    forms: tuple[Form, ...]
    place: int
    thresholds: tuple[float, ...]
    error: float

    def described(self, name: str) -> str:
        """In words."""
        parts = [
            f"#{form.number} where {name} < {at:g}"
            for form, at in zip(self.forms, self.thresholds, strict=False)
        ]
        return ", ".join([*parts, f"else #{self.forms[-1].number}"])


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


def choices(forms: Sequence[Form], points: Points) -> Iterator[Pieces]:
    """The best choice by each input, by what was measured at the points, the best first.

    Parameters
    ----------
    forms : sequence of Form
        Measured at the points.
    points : Points
        Where they were measured.
    """
    candidates = _promising(forms)
    least = min(form.error for form in forms)
    found = []
    for place, variable in enumerate(points.inputs):
        if not str(variable.type.dtype).startswith("float"):
            continue
        values = values_of(place, points)
        if values is not None:
            best = _best(candidates, place, values)
            if len(best.forms) > 1 and best.error < least - GAIN:
                found.append(best)
    yield from sorted(found, key=lambda pieces: pieces.error)


def _promising(forms: Sequence[Form]) -> list[Form]:
    """The most accurate form, and those that add most to what is chosen, one after another."""
    lost = np.stack([form.lost.ravel() for form in forms])
    first = min(range(len(forms)), key=lambda n: (forms[n].error, n))
    taken, least = [first], lost[first]
    while len(taken) < min(BEST, len(forms)):
        gains = np.maximum(least - lost, 0).sum(axis=1)
        most = int(np.argmax(gains))
        if gains[most] <= 0:
            break
        taken.append(most)
        least = np.minimum(least, lost[most])
    return [forms[n] for n in taken]


def _best(forms: Sequence[Form], place: int, values: Array) -> Pieces:
    """The cheapest way through the sorted points, where a change of the form has a price."""
    order = np.argsort(values.ravel(), kind="stable")
    line = values.ravel()[order]
    lost = np.stack([form.lost.ravel()[order] for form in forms], axis=1)
    price = GAIN * len(line)
    cost = np.full((PARTS, len(forms)), np.inf)
    cost[0] = lost[0]
    came = np.zeros((len(line), PARTS, len(forms)), dtype=int)  # from which form
    came[0] = np.arange(len(forms))
    for n in range(1, len(line)):
        before = cost.copy()
        came[n] = np.arange(len(forms))
        if line[n] > line[n - 1]:
            for part in range(1, PARTS):
                other = int(np.argmin(before[part - 1]))
                changed = before[part - 1, other] + price
                moved = changed < before[part]
                cost[part, moved] = changed
                came[n, part, moved] = -1 - other
        cost += lost[n]
    part, form = map(int, np.unravel_index(int(np.argmin(cost)), cost.shape))
    error = (cost[part, form] - price * part) / len(line)
    return _traced(forms, place, line, came, (part, form), float(error))


def _traced(
    forms: Sequence[Form],
    place: int,
    line: Array,
    came: Array,
    end: tuple[int, int],
    error: float,
) -> Pieces:
    part, form = end
    used = [forms[form]]
    thresholds: list[float] = []
    for n in range(len(line) - 1, 0, -1):
        source = int(came[n, part, form])
        if source < 0:
            part, form = part - 1, -1 - source
            used.insert(0, forms[form])
            thresholds.insert(0, float(line[n]))
    return Pieces(tuple(used), place, tuple(thresholds), error)


def refined(pieces: Pieces, outputs: Sequence[Graph], points: Points) -> Pieces:
    """A choice with each threshold looked for between the points beside it.

    Parameters
    ----------
    pieces : Pieces
        Its thresholds are the least values at which the next form was better.
    outputs : sequence of Variable
        The formula.
    points : Points
        Its other inputs are those of the point at the threshold.
    """
    values = values_of(pieces.place, points)
    if values is None or points.values[0][pieces.place].ndim:
        return pieces
    found = [
        _between((below, above), threshold, pieces.place, values, outputs, points)
        for (below, above), threshold in zip(pairwise(pieces.forms), pieces.thresholds, strict=True)
    ]
    return pieces._replace(thresholds=tuple(found))


def _between(
    forms: tuple[Form, Form],
    threshold: float,
    place: int,
    values: Array,
    outputs: Sequence[Graph],
    points: Points,
) -> float:
    """Where the second form begins to be better, between two of the points."""
    flat = values.ravel()
    dtype = str(points.inputs[place].type.dtype)
    column = int(np.argmax((values == threshold).any(axis=0)))
    ends = np.array([flat[flat < threshold].max(), threshold], dtype)
    low, high = map(int, ordinal(ends))
    steps = [low + (high - low) * k // TRIED for k in range(1, TRIED)]
    there = Points(points.inputs, [], [])
    for value in from_ordinal(np.array(sorted({*steps} - {low, high}), np.int64), dtype):
        inputs = list(points.values[column])
        inputs[place] = np.asarray(value)
        truth = exact(outputs, points.inputs, inputs)
        if truth is not None:
            there.values.append(inputs)
            there.truth.append(truth)
    if not there.values:
        return threshold
    first, second = (measured((form.outputs, there)).errors.mean(axis=0) for form in forms)
    lost = np.concatenate([[0.0], np.cumsum(first - second)])
    cuts = [float(inputs[place]) for inputs in there.values] + [threshold]
    return cuts[int(np.argmin(lost))]


def choice(pieces: Pieces, points: Points) -> tuple[Graph, ...]:
    """The graph of a choice."""
    variable = points.inputs[pieces.place]
    *others, chosen = (form.outputs for form in pieces.forms)
    for threshold, outputs in reversed(list(zip(pieces.thresholds, others, strict=True))):
        limit = at.constant(np.asarray(threshold, variable.type.dtype))
        below = at.lt(variable, limit)
        chosen = tuple(at.switch(below, a, b) for a, b in zip(outputs, chosen, strict=True))
    return chosen
