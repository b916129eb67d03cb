"""The search for inputs at which a graph is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from kanrewrite.audit.compiling import runner
from kanrewrite.audit.draws import moved, samples
from kanrewrite.audit.inputs import Array, Graph, Input
from kanrewrite.audit.judging import Fault, Judge, nudged
from kanrewrite.audit.locating import Kind, Localised
from kanrewrite.audit.result import Risk, Witness
from kanrewrite.clock import wall
from kanrewrite.errors import KanrewriteError, NothingRan
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.reference import evaluate

#: Inputs tried first, by which the scale of the outputs is known.
EVERYDAY = 3
#: Results alike in what is not finite, of which so many are compared with exact ones.
_ALIKE = 2
#: Seconds that the first comparison has at least, and the part of the time that locating one has.
_FIRST, _LOCATING = 1.0, 0.25

#: Of what kind inputs are, they themselves, and the results.
_Tried: TypeAlias = tuple[str, list[Array], Sequence[Array]]


class Search:
    """Inputs tried one after another, and what was found.

    Parameters
    ----------
    inputs : sequence of Input
    written : sequence of Variable
        What is meant.
    audited : sequence of Variable
        What is computed.
    count : int
        How many inputs are tried.
    seconds : float
        For how long at most.
    most : int
        How many risks are enough.
    kept : float
        Of the seconds, those that are not used once there is something to explain.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        written: Sequence[Graph],
        audited: Sequence[Graph],
        seconds: float,
        most: int,
        kept: float = 0.0,
    ):
        self.inputs = inputs
        self.written = list(written)
        self.audited = list(audited)
        self.most = most
        self.seconds = seconds
        self.kept = kept
        self._last = wall() + seconds
        self.run = runner([i.variable for i in inputs], audited)
        self.judge = Judge(written, (str(i.dtype) for i in inputs if i.is_float))
        self.found: dict[tuple[Graph, str], Risk] = {}
        self.bits: dict[Graph, float] = {}
        self.tried = self.judged = 0
        self.stopped = "all of them were tried"
        self._seen: dict[Any, int] = {}
        #: Whether it is told that an exact number is no float: only where ranges are given.
        self.inherent = any(i.given for i in inputs)

    @property
    def end(self) -> float:
        """When nothing more is compared."""
        return self._last - (self.kept if self.found else 0.0)

    def search(self, count: int, seed: int) -> None:
        """Try inputs, those at which a result is not finite first.

        Raises
        ------
        NothingRan
            If the graph raises at all of them.
        """
        ran, error = self._ran(count, seed)
        if not ran:
            raise NothingRan(error)
        everyday, rest = ran[:EVERYDAY], ran[EVERYDAY:]
        rest.sort(key=self._likely)
        for place, (kind, values, results) in enumerate([*everyday, *rest]):
            if sum(not risk.harmless for risk in self.found.values()) >= self.most:
                self.stopped = f"{self.most} risks are enough"
                return
            if self._is_new(results):
                try:
                    faults = self._compared(values, results, learn=self.judged < len(everyday))
                except OutOfTime:
                    self.stopped = self._out_of_time(len(ran) - place)
                    return
                if faults:
                    self._take(kind, Witness(self._known(values)), faults)

    def _likely(self, tried: _Tried) -> float:
        """A key by which those results come first that rounding moves most."""
        _, values, results = tried
        if not all(np.isfinite(r).all() for r in results):
            return -math.inf
        near = (
            None if wall() > self.end else self.run([nudged(v, 0, beyond=0.0) for v in values])[0]
        )
        if near is None:
            return 0.0
        return -max(map(_moved, results, near, self.judge.scales), default=0.0)

    def _out_of_time(self, left: int) -> str:
        if not self.judged:
            return "it ran out of time before one of them was"
        return f"it ran out of time, with {left} of them left"

    def _ran(self, count: int, seed: int) -> tuple[list[_Tried], object]:
        ran: list[_Tried] = []
        last: object = "nothing was tried"
        for kind, values in self._drawn(count, seed):
            if len(ran) >= EVERYDAY and wall() > self.end:
                break
            results, error = self.run(values)
            last = last if error is None else error
            if results is not None:
                ran.append((kind, values, results))
        self.tried = len(ran)
        return ran, last

    def _drawn(self, count: int, seed: int) -> Iterator[tuple[str, list[Array]]]:
        # Without free inputs there is one thing to try.
        free = any(i.low < i.high for i in self.inputs)
        yield from samples(self.inputs, count if free else 1, seed)

    def _is_new(self, results: Sequence[Array]) -> bool:
        """Whether a result is finite, or not in the way that others are."""
        bad = tuple(n for n, r in enumerate(results) if not np.isfinite(r).all())
        if not bad:
            return True
        self._seen[bad] = self._seen.get(bad, 0) + 1
        wrong = any(self.audited[n] in {o for o, _ in self._outputs} for n in bad)
        return self._seen[bad] <= (_ALIKE if wrong else 4 * _ALIKE)

    @property
    def _outputs(self) -> set[tuple[Graph, str]]:
        return {(self.audited[self.written.index(r.output)], r.kind) for r in self.found.values()}

    def _known(self, values: Sequence[Array]) -> dict[Graph, Array]:
        return {i.variable: v for i, v in zip(self.inputs, values, strict=True)}

    def _compared(
        self, values: Sequence[Array], results: Sequence[Array], learn: bool
    ) -> list[Fault]:
        """What is wrong with results, as far as it is told."""
        known = self._known(values)
        try:
            with limited(max(self.end - wall(), 0.0 if self.judged else _FIRST), wall):
                truth = self.judge.exact(known)
                self.judged += 1
                if learn:
                    self.judge.learn(truth)
                faults = self.judge.faults(results, truth, known)
                return [f for f in faults if self._is_told(f, known)]
        except KanrewriteError:  # nothing says what is true there
            return []

    def _is_told(self, fault: Fault, known: Mapping[Graph, Array]) -> bool:
        """Whether it is a risk that there is no float, or no number: not at single points."""
        if not fault.inherent:
            return True
        if not self.inherent or not np.isnan(fault.truth):
            return self.inherent
        rng = np.random.default_rng(0)
        near = {i.variable: moved(i, known[i.variable], rng) for i in self.inputs}
        try:
            (exact,) = evaluate([self.written[fault.output]], near)
        except KanrewriteError:
            return False
        return any(value != value for value in exact.ravel())

    def _take(self, kind: str, witness: Witness, faults: Sequence[Fault]) -> None:
        try:
            with limited(max(self.end - wall(), _LOCATING * self.seconds), wall):
                localised = Localised(self.audited, witness)
                risks = [self._risk(kind, witness, fault, localised) for fault in faults]
        except (KanrewriteError, OutOfTime):  # that it is wrong is known, if not where
            risks = [self._risk(kind, witness, fault, None) for fault in faults]
        else:
            for variable, local in localised.local.items():
                self.bits[variable] = max(self.bits.get(variable, 0.0), local.bits)
        for risk in risks:
            known = self.found.get((risk.variable, risk.kind))
            if known is None or (risk.silent and not known.silent):
                self.found[risk.variable, risk.kind] = risk

    def _risk(
        self, chosen: str, witness: Witness, fault: Fault, localised: Localised | None
    ) -> Risk:
        output = self.audited[fault.output]
        variable, operator, bits = output, output, 0.0
        kind: Kind = "wrong"
        if localised is not None and fault.inherent:
            variable, kind = localised.origin(output)
        elif localised is not None:
            variable, operator, kind, bits = localised.blamed(output, fault.where)
        return Risk(
            variable=variable,
            kind=kind,
            witness=witness,
            output=self.written[fault.output],
            found=fault.found,
            truth=fault.truth,
            digits=fault.digits,
            error=bits,
            operator=operator,
            inherent=fault.inherent,
            chosen=chosen,
        )


def _moved(result: Array, near: Array, scale: float) -> float:
    """How far a result is from another, beside what it is and what the output is every day."""
    if result.dtype.kind != "f" or result.shape != near.shape or not result.size:
        return 0.0
    with np.errstate(all="ignore"):
        a, b = result.astype("float64"), near.astype("float64")
        share = np.abs(a - b) / (np.abs(a) + (scale or 1.0))
    return float(np.nan_to_num(share, nan=math.inf, posinf=math.inf).max())
