"""Loops that end by themselves, as loops of so many steps as they take.

Aesara's derivative of a loop that ends by itself takes the length of its first result for how many
steps there were.  Where that is a state, its first values count too: sequences are read at the
wrong places, or the derivative cannot be computed.
"""

from __future__ import annotations

from typing import Any

from aesara.graph.basic import Apply, Variable

from kanrewrite.inner.slots import STATES, loop_of, replace, slots_of

Graph = Variable[Any, Any]


def is_miscounted(op: Any) -> bool:
    """Whether Aesara's derivative of a loop counts first values of a state as steps."""
    info = op.info
    states = info.n_mit_sot + info.n_sit_sot
    return bool(info.as_while and info.n_seqs and states and not info.n_mit_mot)


def counted(node: Apply[Any]) -> list[Graph]:
    """What has the values of a loop that ends by itself, made by one that is told when.

    Parameters
    ----------
    node : Apply
        Of the loop.

    Returns
    -------
    list of Variable
        One for each output.
    """
    slots = slots_of(node)
    first: Any = next(s for s in slots if s.kind in STATES)
    steps = first.result.shape[0] + min(first.reads)
    cut = []
    for slot in slots:
        outer: Any = slot.outer
        if slot.kind == "nit_sot":
            outer = steps
        elif slot.kind == "sequence" or slot.kind in STATES:
            outer = outer[: steps - min(slot.reads, default=0)]
        cut.append(replace(slot, outer=outer))
    return loop_of(node.op, steps, cut, [])
