"""Whether a number is right: against the exact one, on the scale of the output.

A result is wrong if it is not finite where the exact one is, or farther from it than the tolerance
on the scale of what the output is at everyday inputs, and farther than the function itself moves
when its inputs are changed by a rounding error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mpf

from kanrewrite.audit.blocks import in_blocks
from kanrewrite.audit.inputs import Array, Graph
from kanrewrite.reference import evaluate, round_to

#: Relative errors beyond which digits are lost.
TOLERANCE = {"float64": 1e-10, "float32": 1e-4, "float16": 4e-3}
#: How many times what a change of the inputs by rounding does is no error.
SLACK = 4.0
#: Of so many terms a sum rounds as much as its terms do; of more, as the root of how many more.
_FEW = 16
#: How often the inputs are changed by rounding, as long as that explains no result.
_NUDGES = 4
#: Inputs beyond it count as measured, not as chosen.
LARGE = 4.0


@dataclass(frozen=True)
class Fault:
    """One output that is wrong at some inputs.

    Attributes
    ----------
    output : int
        Which.
    where : tuple of int
        The element that is worst.
    found : float
        What it is computed to be.
    truth : float
        What it is, rounded; infinite where no float is as large.
    digits : float
        How many decimal digits are wrong.
    inherent : bool
        Whether no way to compute it helps: the exact number is no float.
    """

    output: int
    where: tuple[int, ...]
    found: float
    truth: float
    digits: float
    inherent: bool = False


class Judge:
    """Compares outputs with the exact ones.

    Parameters
    ----------
    outputs : sequence of Variable
        What is meant, as it was written.
    dtypes : iterable of str
        Of the inputs: no output is known better than the coarsest of them.
    """

    def __init__(self, outputs: Sequence[Graph], dtypes: Iterable[str] = ()):
        self.outputs = list(outputs)
        self.coarsest = max((TOLERANCE.get(dtype, 0.0) for dtype in dtypes), default=0.0)
        self.scales = [0.0] * len(self.outputs)

    def exact(self, known: Mapping[Graph, Array]) -> list[Array]:
        """The exact outputs.

        Raises
        ------
        KanrewriteError
            See `kanrewrite.reference.evaluate`.
        """
        return evaluate(self.outputs, known)

    def learn(self, truth: Sequence[Array]) -> None:
        """Take what outputs are at everyday inputs for their scale."""
        for n, values in enumerate(truth):
            if np.asarray(values).dtype == object:
                rounded = np.abs(round_to(values, "float64"))
                finite = rounded[np.isfinite(rounded)]
                self.scales[n] = max(self.scales[n], float(finite.max(initial=0.0)))

    def faults(
        self, results: Sequence[Array], truth: Sequence[Array], known: Mapping[Graph, Array]
    ) -> list[Fault]:
        """What is wrong in the results."""
        found = [
            fault
            for n, (result, exact) in enumerate(zip(results, truth, strict=True))
            if (fault := self._fault(n, np.asarray(result), exact)) is not None
        ]
        doubtful = [f for f in found if np.isfinite(f.found) and not f.inherent]
        if not doubtful:
            return found
        excused = set()
        slack = SLACK * _as_sums_round(known.values())
        gap = dict.fromkeys((f.output for f in doubtful), 0.0)
        for salt in range(_NUDGES):
            left = [f for f in doubtful if f.output not in excused]
            if not left:
                break
            for f, moved in zip(left, self._moved(left, salt, truth, known), strict=True):
                gap[f.output] = max(gap[f.output], moved)
                if abs(f.found - f.truth) <= slack * gap[f.output]:
                    excused.add(f.output)
        return [f for f in found if f.output not in excused]

    def _fault(self, n: int, result: Array, exact: Array) -> Fault | None:
        if result.dtype.kind != "f":
            return None
        truth = round_to(exact, result.dtype)
        wide, rounded = result.astype("float64"), truth.astype("float64")
        if wide.shape != rounded.shape or not wide.size:
            return None
        dtype = str(result.dtype)
        tolerance = max(self.coarsest, TOLERANCE[dtype])
        tiny = float(np.finfo(result.dtype).tiny)
        with np.errstate(all="ignore"):
            fine = np.isfinite(rounded)
            error = np.where(fine & np.isfinite(wide), np.abs(wide - rounded), np.inf)
            same = ~fine & ((wide == rounded) | np.isnan(rounded))
            allowed = tolerance * (np.abs(rounded) + (self.scales[n] or 1.0)) + tiny
            wrong = ~same & ~(error <= allowed)
            relative = np.where(same, 0.0, error / np.maximum(np.abs(rounded), tiny))
        if wrong.any():
            badness = np.where(wrong, np.where(np.isnan(relative), np.inf, relative), -1.0)
            where = tuple(int(k) for k in np.unravel_index(np.argmax(badness), badness.shape))
            lost = digits_lost(float(badness[where]), dtype)
            return Fault(n, where, float(wide[where]), float(rounded[where]), lost)
        if fine.all():
            return None
        where = tuple(int(k) for k in np.argwhere(~fine)[0])
        if _is_pole(exact[where]):
            return None
        lost = digits_lost(math.inf, dtype)
        return Fault(n, where, float(wide[where]), float(rounded[where]), lost, inherent=True)

    def _moved(
        self,
        faults: Sequence[Fault],
        salt: int,
        truth: Sequence[Array],
        known: Mapping[Graph, Array],
    ) -> list[float]:
        """How far the exact elements at fault move when the inputs do by rounding."""
        graphs = [self.outputs[f.output] for f in faults]
        near = evaluate(graphs, {v: nudged(x, salt) for v, x in known.items()})
        return [
            _distance(value[f.where], np.asarray(truth[f.output])[f.where])
            for f, value in zip(faults, near, strict=True)
        ]


def _as_sums_round(values: Iterable[Array]) -> float:
    """How many times more than a term the longest sum rounds, were its errors independent.

    References
    ----------
    N. J. Higham, T. Mary, "A new approach to probabilistic rounding error analysis", SIAM Journal
    on Scientific Computing 41(5), 2019.
    """
    longest = max((n for value in values for n in np.shape(value)), default=0)
    return math.sqrt(max(longest / _FEW, 1.0))


def digits_lost(relative: float, dtype: str) -> float:
    """How many decimal digits a relative error takes away, of those that the dtype has."""
    eps = float(np.finfo(dtype).eps)
    most = -math.log10(eps)
    if not relative > eps:
        return 0.0 if relative == relative else most
    return min(most, math.log10(relative / eps) if math.isfinite(relative) else most)


def nudged(values: Array, salt: int, beyond: float = LARGE) -> Array:
    """Large floats changed by a unit in the last place: by so much nobody knows them.

    Small ones may be what a graph compares with.
    """
    values = np.asarray(values)
    if values.dtype.kind != "f":
        return values
    eps = float(np.finfo(values.dtype).eps)
    wide = values.astype("float64")
    rng = np.random.default_rng(salt)
    signs = in_blocks(lambda shape: rng.choice([-eps, eps], shape), values.shape)
    with np.errstate(all="ignore"):
        moved = wide + wide * signs
    return np.where((np.abs(wide) > beyond) & np.isfinite(moved), moved, wide)


def _is_pole(value: Any) -> bool:
    """Whether the exact number is an infinity, as ``1 / 0`` is."""
    return value in (mpf("inf"), mpf("-inf"))


def _distance(a: Any, b: Any) -> float:
    if a == b or (a != a and b != b):
        return 0.0
    gap = abs(a - b)
    return float(gap) if gap == gap else math.inf
