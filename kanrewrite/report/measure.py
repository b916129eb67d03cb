"""Errors over a range of inputs, against high precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, cast

import numpy as np
from aesara.graph.basic import Variable
from mpmath import mpf

from kanrewrite.errors import KanrewriteError
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.ranges import LENGTHS
from kanrewrite.reference import evaluate, round_to

Graph = Variable[Any, Any]
Generate = Callable[[Sequence[Graph], float], list[Any]]

#: How long it is measured.
SECONDS = 5.0
SCALES = tuple(float(f"{10**k:.3g}") for k in np.arange(-2, 4.01, 0.5))


@dataclass(frozen=True)
class Curve:
    """The errors of one way to compute a graph.

    Attributes
    ----------
    name : str
        Which way.
    scales : tuple of float
        How large the inputs were.
    errors : tuple of float
        The largest error at each, see `normwise`.
    note : str
        Why scales are missing, where they are.
    sizes : tuple of float
        The largest exact element of the output with that error.
    """

    name: str
    scales: tuple[float, ...]
    errors: tuple[float, ...]
    note: str = ""
    sizes: tuple[float, ...] = ()


def generated(
    inputs: Sequence[Graph], scale: float, shapes: Mapping[Graph, tuple[int, ...]] | None = None
) -> list[Any]:
    """Normal numbers times a scale, small counts for integers; the same numbers each time.

    Parameters
    ----------
    inputs : sequence of Variable
    scale : float
        The standard deviation.
    shapes : Mapping, optional
        Of the inputs; by default axes whose length is not known are short.
    """
    rng = np.random.default_rng(0)
    values = []
    for variable in inputs:
        kind = cast(Any, variable.type)
        short = [LENGTHS[0] if n is None else n for n in kind.shape]
        shape = short if shapes is None else shapes[variable]
        whole = np.dtype(kind.dtype).kind in "biu"
        value = rng.integers(0, 2, shape) if whole else rng.normal(size=shape) * scale
        values.append(np.asarray(value).astype(kind.dtype))
    return values


def curves(
    outputs: Sequence[Graph],
    inputs: Sequence[Graph],
    functions: Mapping[str, Any],
    generate: Generate,
    scales: Sequence[float] | None,
) -> list[Curve]:
    """The errors of some compiled functions of one graph, over the scale of its inputs.

    Parameters
    ----------
    outputs, inputs : sequence of Variable
        The graph; its exact values come from `kanrewrite.reference.evaluate`.
    functions : Mapping
        What is measured, by name.
    generate, scales
        As for `report`.
    """
    end = perf_counter() + SECONDS
    found: dict[float, dict[str, tuple[float, float]]] = {}
    note = ""
    for scale in _spread(sorted(SCALES if scales is None else scales)):
        values = generate(inputs, scale)
        try:
            # That a function overflows is what is measured.
            with limited(end - perf_counter()), np.errstate(all="ignore"):
                truth = evaluate(outputs, dict(zip(inputs, values, strict=True)))
                found[scale] = {name: _worst(f(*values), truth) for name, f in functions.items()}
        except OutOfTime:
            note = f"at {len(found)} scales in {SECONDS:g} s, more were not measured"
            break
        except KanrewriteError as error:
            note = f"not measured at inputs of size {scale:g}: {error}"
        except Exception as error:  # noqa: BLE001  # what an Op raises at values that do not fit it
            note = f"cannot be run at inputs of size {scale:g}: {error}".splitlines()[0]
    points = sorted(found)
    return [
        Curve(
            name,
            tuple(points),
            tuple(found[scale][name][0] for scale in points),
            note,
            tuple(found[scale][name][1] for scale in points),
        )
        for name in functions
    ]


def _spread(scales: Sequence[float]) -> list[float]:
    """All of them, first those that are far from each other."""
    return [*scales[::4], *scales[2::4], *scales[1::2]]


def _worst(results: Sequence[Any], truth: Sequence[Any]) -> tuple[float, float]:
    """The largest error of all outputs, and the largest exact element of the one that has it."""
    found = [(0.0, 0.0)]
    for result, exact in zip(results, truth, strict=True):
        result = np.asarray(result)
        if result.dtype.kind == "f" and result.size:
            rounded = np.abs(round_to(exact, result.dtype))
            largest = np.max(rounded[np.isfinite(rounded)], initial=0.0)
            found.append((normwise(result, exact), float(largest)))
    return max(found)


def normwise(result: Any, truth: Any) -> float:
    """The largest error of an output, in units in the last place of its largest exact element.

    An element that cancels nearly to nothing beside large ones has no digits to get right: what
    uses the output next adds such elements up (Higham, *Accuracy and Stability of Numerical
    Algorithms*, section 1.2).

    Parameters
    ----------
    result : ndarray of float
        What was computed.
    truth : ndarray of mpf
        What it is exactly, of the same shape.

    Returns
    -------
    float
        Infinite for a nan or infinity that ought not to be, or that is missing.

    Examples
    --------
    >>> from mpmath import mpf
    >>> normwise(np.array([1.0 + 2.0**-52, 1e-20]), np.array([mpf(1), mpf(0)]))
    1.0
    """
    rounded = round_to(truth, result.dtype)
    finite = np.isfinite(rounded)
    alike = np.where(finite, np.isfinite(result), (result == rounded) | np.isnan(result + rounded))
    if not np.all(alike):
        return float("inf")
    largest = np.max(np.abs(rounded[finite]), initial=np.finfo(result.dtype).tiny)
    exact = np.asarray(truth, dtype=object)[finite]
    errors = [abs(mpf(float(x)) - t) for x, t in zip(result[finite], exact, strict=True)]
    return float(max(errors, default=mpf(0)) / mpf(float(np.spacing(largest))))
