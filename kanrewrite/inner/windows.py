r"""Loops that read and write a state at several places, as loops that hand each place on.

The loops that derive other ones read and write one buffer at several places in each step.  A
buffer $x$ of which step $t$ reads and writes the places $t, \ldots, t + w$ is a recursion over the
first $w$ of them, to which each step brings the next one:

.. math:: (p_0, \ldots, p_{w-1})_{t+1} = (q_1, \ldots, q_w), \qquad
    q = f((p_0, \ldots, p_{w-1})_t, x_{t+w}).

Aesara's derivative of the first form counts what a step overwrites twice; that of the second one is
right.
"""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Variable
from aesara.scan.utils import expand_empty
from aesara.tensor.shape import unbroadcast

from kanrewrite.inner.slots import Slot, loop_of, slots_of

Graph = Variable[Any, Any]


def has_windows(op: Any) -> bool:
    """Whether a loop reads and writes a state at several places, and can be written otherwise."""
    info = op.info
    places = zip(info.mit_mot_in_slices, info.mit_mot_out_slices, strict=True)
    # What is at the first place is not written any more: it is what is handed out.
    free = all(min(reads) < min(writes) for reads, writes in places)
    return bool(info.n_mit_mot) and free and not info.as_while


def windowed(node: Apply[Any]) -> list[Graph]:
    """What has the values of a loop that `has_windows`, made by one that has none.

    Parameters
    ----------
    node : Apply
        Of the loop.

    Returns
    -------
    list of Variable
        One for each output.
    """
    steps: Any = node.inputs[0]
    slots = slots_of(node)
    parts = {s: _parts(s, steps) if s.kind == "mit_mot" else [s] for s in slots}
    flat = [part for s in slots for part in parts[s]]
    made = loop_of(node.op, steps, flat, [])
    result_of = dict(zip([s for s in flat if s.made], made, strict=True))
    results = {
        s.result: _whole(s, parts[s], result_of, steps) if s.kind == "mit_mot" else result_of[s]
        for s in slots
        if s.result is not None
    }
    return [results[v] for v in node.outputs]


def _parts(slot: Slot, steps: Any) -> list[Slot]:
    """A state for each place but the last, which is a sequence."""
    outer: Any = slot.outer
    first = min(slot.reads)
    width = max(*slot.reads, *slot.writes) - first
    read = {tap - first: v for tap, v in zip(slot.reads, slot.inside, strict=True)}
    written = {tap - first: v for tap, v in zip(slot.writes, slot.made, strict=True)}
    inside = [read[n] if n in read else slot.inside[0].type() for n in range(width + 1)]
    states = [
        Slot(
            "sit_sot",
            expand_empty(unbroadcast(outer[n : n + 1], 0), steps),
            (inside[n],),
            (written.get(n + 1, inside[n + 1]),),
            (-1,),
            (0,),
        )
        for n in range(width)
    ]
    return [Slot("sequence", outer[width : width + steps], (inside[width],)), *states]


def _whole(slot: Slot, parts: list[Slot], result_of: dict[Slot, Any], steps: Any) -> Graph:
    """The state as it is in the end, put together from its places."""
    outer: Any = slot.outer
    first, *others = [result_of[p] for p in parts[1:]]
    rest = outer[len(parts) - 1 + steps :]
    whole: Graph = at.concatenate([first, *(p[-1:] for p in others), rest])
    return whole
