"""Loops taken apart into what they read, hand on and collect, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from aesara.compile.mode import Mode
from aesara.graph.basic import Apply, Variable
from aesara.scan.op import Scan, ScanInfo

from kanrewrite.inner.graphs import mode_of, writing

Graph = Variable[Any, Any]
#: In the order in which a Scan has its inner inputs: sequences, states that are read and written at
#: several places, at several, at one; what is only collected; updates; what all steps share.
Kind = Literal["sequence", "mit_mot", "mit_sot", "sit_sot", "nit_sot", "update", "shared"]
STATES: tuple[Kind, ...] = ("mit_mot", "mit_sot", "sit_sot")


@dataclass(frozen=True, eq=False)
class Slot:
    """One thing that a loop reads, hands on from step to step, or collects.

    Attributes
    ----------
    kind : str
        Which sort of thing it is.
    outer : Variable
        What enters the loop: a sequence, the first values of a state, how many are collected.
    inside : tuple of Variable
        The inner inputs, one for each tap.
    made : tuple of Variable
        The inner outputs.
    reads, writes : tuple of int
        The taps of a state.
    result : Variable, optional
        The output of the loop.
    """

    kind: Kind
    outer: Graph
    inside: tuple[Graph, ...] = ()
    made: tuple[Graph, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    result: Graph | None = None


def slots_of(node: Apply[Any]) -> list[Slot]:
    """The parts of a loop, in the order of its inner inputs.

    Parameters
    ----------
    node : Apply
        Of a Scan.
    """
    op, info, outer = node.op, node.op.info, node.inputs
    inside, made = iter(op.inner_inputs), iter(op.inner_outputs)
    results = iter(node.outputs)

    def take(source: Iterator[Graph], count: int) -> tuple[Graph, ...]:
        return tuple(islice(source, count))

    slots = [Slot("sequence", v, take(inside, 1)) for v in op.outer_seqs(outer)]
    for v, reads, writes in zip(
        op.outer_mitmot(outer), info.mit_mot_in_slices, info.mit_mot_out_slices, strict=True
    ):
        parts = take(inside, len(reads)), take(made, len(writes))
        slots.append(Slot("mit_mot", v, *parts, tuple(reads), tuple(writes), next(results)))
    for kind, outers, taps in (
        ("mit_sot", op.outer_mitsot(outer), info.mit_sot_in_slices),
        ("sit_sot", op.outer_sitsot(outer), info.sit_sot_in_slices),
    ):
        for v, reads in zip(outers, taps, strict=True):
            parts = take(inside, len(reads)), take(made, 1)
            slots.append(Slot(kind, v, *parts, tuple(reads), (0,), next(results)))  # type: ignore[arg-type]
    slots += [
        Slot("nit_sot", v, made=take(made, 1), result=next(results)) for v in op.outer_nitsot(outer)
    ]
    slots += [
        Slot("update", v, take(inside, 1), take(made, 1), result=next(results))
        for v in op.outer_shared(outer)
    ]
    slots += [Slot("shared", v, take(inside, 1)) for v in op.outer_non_seqs(outer)]
    return slots


@lru_cache(maxsize=32)
def without_inplace(mode: Mode) -> Mode:
    """A mode in which a step does not write one state into the memory of another one.

    Aesara lets a step overwrite what it reads of a state that is read and written at several
    places.  Where two such states have the same type, it may write each into the other's place.
    """
    found: Mode = writing(mode).excluding("inplace")
    return found


def loop_of(
    op: Scan, steps: Graph, slots: Sequence[Slot], condition: Sequence[Graph]
) -> list[Graph]:
    """The results of a loop with other parts.

    Parameters
    ----------
    op : Scan
        Which is like it otherwise.
    steps
        How many there are.
    slots
        The parts, in any order.
    condition
        The inner output that ends the loop, if there is one.

    Returns
    -------
    list of Variable
        For each slot that has a result, in their order.
    """
    of: Callable[..., list[Slot]] = lambda *kinds: [s for k in kinds for s in slots if s.kind == k]  # noqa: E731
    entering = of("sequence", *STATES, "update", "shared")
    leaving = of(*STATES, "nit_sot", "update")
    info = ScanInfo(
        n_seqs=len(of("sequence")),
        mit_mot_in_slices=tuple(s.reads for s in of("mit_mot")),
        mit_mot_out_slices=tuple(s.writes for s in of("mit_mot")),
        mit_sot_in_slices=tuple(s.reads for s in of("mit_sot")),
        sit_sot_in_slices=tuple(s.reads for s in of("sit_sot")),
        n_nit_sot=len(of("nit_sot")),
        n_shared_outs=len(of("update")),
        n_non_seqs=len(of("shared")),
        as_while=bool(condition),
    )
    made = Scan(
        [v for s in entering for v in s.inside],
        [*(v for s in leaving for v in s.made), *condition],
        info,
        mode=without_inplace(mode_of(op)) if op.info.n_mit_mot else op.mode,
        truncate_gradient=op.truncate_gradient,
        name=op.name,
        profile=op.profile,
        allow_gc=op.allow_gc,
        strict=op.strict,
    )
    ordered = of("sequence", *STATES, "update", "nit_sot", "shared")
    results = made.make_node(steps, *(s.outer for s in ordered)).outputs
    result_of = {id(s): out for s, out in zip(leaving, results, strict=True)}
    return [result_of[id(s)] for s in slots if id(s) in result_of]


__all__ = ["Graph", "Slot", "loop_of", "replace", "slots_of"]
