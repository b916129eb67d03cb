"""Ops with a graph inside: OpFromGraph and Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.scan.op import Scan

from kanrewrite.reference.evaluation import run
from kanrewrite.reference.registry import Node, Values, dtype_of, lift, objects, register
from kanrewrite.reference.scales import Arithmetic


def _inner(op: Any, inputs: Sequence[Any], arithmetic: Arithmetic) -> list[Any]:
    graph = op.fgraph
    return run(graph.outputs, dict(zip(graph.inputs, inputs, strict=True)), arithmetic)


@register(OpFromGraph)
def op_from_graph(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """What the inner graph means."""
    del node
    return _inner(op, inputs, arithmetic)


class _Tape:
    """The buffer of one output of a Scan: a ring that starts with the initial values."""

    def __init__(self, values: Any, taps: Sequence[int], zero: Any) -> None:
        self.values = values
        self.zero = zero
        self.taps = taps
        self.before = -min(taps) if taps else 0

    def read(self, step: int) -> list[Any]:
        places = ((self.before + step + t) % len(self.values) for t in self.taps)
        return [self.values[n, ...] for n in places]

    def write(self, step: int, offset: int, value: Any) -> None:
        at = (self.before + step + offset) % len(self.values)
        self.values[at : at + 1] = np.asarray(value)[None]

    def unrolled(self, steps: int, stopped: bool) -> Any:
        """The oldest entry first; what a loop that was stopped wrote, or zeros after that."""
        written = self.before + steps
        if written > len(self.values):
            return np.roll(self.values, -(written % len(self.values)), axis=0)
        if stopped:
            return self.values[:written]
        self.values[written:] = self.zero
        return self.values


@register(Scan)
def scan(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The inner graph, once for each step.

    The tapes are those of Aesara's Scan: `mit_mot` are read and written at several offsets,
    `mit_sot` and `sit_sot` read the past, `nit_sot` are only written.
    """
    info = op.info
    inputs = list(inputs)
    steps = int(inputs[0])
    outs = node.outputs
    starts = [*op.outer_mitmot(inputs), *op.outer_mitsot(inputs), *op.outer_sitsot(inputs)]
    tapes = [
        _Tape(lift(start, dtype_of(out), arithmetic).copy(), taps, _zeros((), out, arithmetic))
        for start, taps, out in zip(starts, info.tap_array, outs, strict=False)
    ]
    lengths = [int(n) for n in op.outer_nitsot(inputs)]
    collected: list[list[Any]] = [[] for _ in lengths]
    shared = list(op.outer_shared(inputs))
    sequences, others = op.outer_seqs(inputs), op.outer_non_seqs(inputs)
    done = 0
    for step in range(steps):
        past = [value for tape in tapes for value in tape.read(step)]
        current = [sequence[step, ...] for sequence in sequences]  # arrays, of no dimension too
        results = iter(_inner(op, [*current, *past, *shared, *others], arithmetic))
        for tape, offsets in zip(tapes, info.mit_mot_out_slices, strict=False):
            for offset in offsets:
                tape.write(step, offset, next(results))
        for tape in tapes[info.n_mit_mot :]:
            tape.write(step, 0, next(results))
        for values in collected:
            values.append(next(results))
        shared = [next(results) for _ in shared]
        done = step + 1
        if info.as_while and bool(next(results)):
            break
    kept = [tape.values for tape in tapes[: info.n_mit_mot]]
    kept += [tape.unrolled(done, done < steps) for tape in tapes[info.n_mit_mot :]]
    nit = outs[len(tapes) : len(tapes) + len(lengths)]
    for values, length, out in zip(collected, lengths, nit, strict=True):
        if values and done == steps:  # a truncated gradient has more room than steps
            values += [_zeros(np.shape(values[0]), out, arithmetic)] * (length - done)
    kept += [
        _stack(values[-length:] if length else [], dtype_of(out), arithmetic, out.type.ndim)
        for values, length, out in zip(collected, lengths, nit, strict=True)
    ]
    return [*kept, *shared]


def _stack(values: Sequence[Any], dtype: str, arithmetic: Arithmetic, ndim: int) -> Any:
    if not values:
        return np.empty((0,) * ndim, dtype=object if dtype.startswith(("f", "c")) else dtype)
    arrays = [lift(value, dtype, arithmetic) for value in values]
    if np.asarray(arrays[0]).dtype != object:
        return np.stack(arrays)
    return objects([v for array in arrays for v in array.ravel()], (len(values), *arrays[0].shape))


def _zeros(shape: Any, out: Any, arithmetic: Arithmetic) -> Any:
    return lift(np.zeros(shape, dtype_of(out)), dtype_of(out), arithmetic)
