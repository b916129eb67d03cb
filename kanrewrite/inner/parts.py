"""The parts of a loop: what each inner input and output of a Scan is to the graph around it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from aesara.graph.basic import Apply, Variable

Graph = Variable[Any, Any]


class State(NamedTuple):
    """What a loop hands from step to step.

    Attributes
    ----------
    start
        What it is before the first step, with what sort of state it is and its taps.
    inside
        The inner inputs: what it was at each tap, the first one first.
    updates
        What a step makes of it.
    outside
        The output of the loop.
    """

    start: tuple[Hashable, ...]
    inside: tuple[Graph, ...]
    updates: tuple[Graph, ...]
    outside: Graph


class Parts:
    """A loop in its parts.

    Parameters
    ----------
    node : Apply
        Of a Scan.
    label
        What an outer variable is known by; equal ones by the same.

    Attributes
    ----------
    fixed : dict
        What the inner inputs that no step changes stand for: sequences, and what all steps share.
    states : list of State
        Recursions of every kind.
    results : list of tuple
        Of what is only collected: the length, the inner and the outer output.
    condition : list of Variable
        What ends the loop, if anything does.
    steps : Hashable
        How many there are at most.
    """

    def __init__(self, node: Apply[Any], label: Callable[[Graph], Hashable]):
        op, info = node.op, node.op.info
        inner, made = op.inner_inputs, op.inner_outputs
        self.node = node
        self.fixed: dict[Graph, Hashable] = {}
        for kind, insides, outsides in (
            ("sequence", op.inner_seqs(inner), op.outer_seqs(node.inputs)),
            ("shared", op.inner_non_seqs(inner), op.outer_non_seqs(node.inputs)),
        ):
            for v, outer in zip(insides, outsides, strict=True):
                self.fixed[v] = kind, label(outer)
        ends = [(0,)] * (info.n_mit_sot + info.n_sit_sot + info.n_shared_outs)
        past = [(-1,)] * info.n_shared_outs
        self.states = list(
            _states(
                [("mitmot", label(v)) for v in op.outer_mitmot(node.inputs)]
                + [("state", label(v)) for v in op.outer_mitsot(node.inputs)]
                + [("state", label(v)) for v in op.outer_sitsot(node.inputs)]
                + [("update", label(v)) for v in op.outer_shared(node.inputs)],
                [*info.mit_mot_in_slices, *info.mit_sot_in_slices, *info.sit_sot_in_slices, *past],
                inner[info.n_seqs :],
                [*info.mit_mot_out_slices, *ends],
                [
                    *op.inner_mitmot_outs(made),
                    *op.inner_mitsot_outs(made),
                    *op.inner_sitsot_outs(made),
                    *op.inner_shared_outs(made),
                ],
                [*node.outputs[: op.n_outs], *op.outer_shared_outs(node.outputs)],
            )
        )
        lengths = map(label, op.outer_nitsot(node.inputs))
        outside = op.outer_nitsot_outs(node.outputs)
        self.results = list(zip(lengths, op.inner_nitsot_outs(made), outside, strict=True))
        self.steps = label(node.inputs[0])
        self.condition = list(made[-1:]) if info.as_while else []


def _states(
    starts: Sequence[tuple[Hashable, ...]],
    taps: Sequence[tuple[int, ...]],
    inside: Sequence[Graph],
    offsets: Sequence[tuple[int, ...]],
    updates: Sequence[Graph],
    outside: Sequence[Graph],
) -> Iterator[State]:
    read, written = iter(inside), iter(updates)
    for start, tap, offset, out in zip(starts, taps, offsets, outside, strict=True):
        taken = sorted(zip(tap, islice(read, len(tap)), strict=True), key=itemgetter(0))
        yield State(
            (*start, tuple(sorted(tap)), tuple(offset)),
            tuple(v for _, v in taken),
            tuple(islice(written, len(offset))),
            out,
        )
