"""What is asked of the parts of a loop, around it and in its step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.scan.op import Scan

from kanrewrite.inner.asking import compares, entering, grow_into, is_asked, is_met, users
from kanrewrite.inner.complements import Difference, differences
from kanrewrite.inner.slots import Slot

Graph = Variable[Any, Any]


class Demands:
    """Who takes the log of something of a loop, or divides by it, or compares it.

    Parameters
    ----------
    fgraph
        The graph around.
    node
        The loop's.
    states
        The states of the loop.

    Attributes
    ----------
    less : list of tuple
        Where a state is taken from a number around the loop: what that is, the state, the number.
    """

    def __init__(self, fgraph: FunctionGraph, node: Apply[Any], states: Sequence[Slot]):
        self.fgraph, self.step = fgraph, node.op.fgraph
        made = {v: s for s in states for v in (*s.inside, *s.made)}
        self._less_inside = [(v, made[d.of]) for v, d in differences(self.step.apply_nodes, made)]
        self.less = [(v, s, d.number) for s in states for v, d in self.less_outside(s.result)]

    def less_outside(self, value: Any) -> Iterable[tuple[Graph, Difference]]:
        """Where a value of the loop is taken from numbers around it."""
        return differences((node for node, _ in users(self.fgraph, value)), {value})

    def outside(self, slot: Slot, division: bool = True) -> bool:
        """Whether the log of what a loop hands out, or of what that lacks, is asked for.

        Dividing by it counts too, if it is to.
        """
        found: list[Any] = [slot.result, *(v for v, s, _ in self.less if s is slot)]
        return any(is_asked(self.fgraph, v, division) for v in found)

    def handed_on(self, results: list[Slot], large: list[Slot]) -> list[Slot]:
        """Of what is only collected that of which the size is asked, and what may meet it.

        To divide by what is large asks for its size; what is large is then divided by it.
        """
        asked = [s for s in results if self.outside(s, s in large) or self.in_derivatives(s)]
        met = [s for s in results if self._is_met(s)]
        return list(dict.fromkeys([*asked, *met, *(large if asked else [])]))

    def entering(self, states: list[Slot], results: list[Slot]) -> list[Slot]:
        """The states that some results grow and vanish with."""
        made = [v for s in results for v in s.made]
        return [s for s in states if grow_into(self.step, s.inside, made)]

    def _is_met(self, slot: Slot) -> bool:
        """Whether what a loop hands out is multiplied by what may bring it back into range."""
        result: Any = slot.result
        return any(is_met(node, place) for node, place in users(self.fgraph, result))

    def inside(self, slot: Slot, paired: Collection[Slot]) -> bool:
        """Whether a step asks for the log of a state, or of what it lacks.

        Of what it makes it asks where that is a complement, one of the paired; the derivative of a
        step reads what the step has made as a state, and asks the same of it.
        """
        made = slot.made if slot in paired or self._is_derived(slot) else ()
        lacking = [v for v, s in self._less_inside if s is slot]
        return any(is_asked(self.step, v) for v in (*slot.inside, *made, *lacking))

    def of_lacks(self) -> bool:
        """Whether the log of what a state lacks is asked for around the loop."""
        return any(is_asked(self.fgraph, v) for v, *_ in self.less)

    def is_compared(self, slots: Sequence[Slot]) -> bool:
        """Whether this loop, or one that it enters, compares what is carried to the last digit.

        The derivative of a maximum does: with what its operands are in a step, where the maximum is
        a state.
        """
        if compares(self.step, {v for s in slots for v in s.inside}):
            return True
        results = [s.result for s in slots if s.result is not None]
        after = (user for v in results for user in users(self.fgraph, v))
        loops = ((node, place) for node, place in after if isinstance(node.op, Scan))
        return any(compares(node.op.fgraph, entering(node, place)) for node, place in loops)

    def _is_derived(self, slot: Slot) -> bool:
        """Whether the derivative of a loop reads a state."""
        return any(self._derivatives(slot))

    def in_derivatives(self, slot: Slot) -> bool:
        """Whether the derivative of a loop reads what it hands out, and asks for its log."""
        return any(is_asked(step, v) for step, inside in self._derivatives(slot) for v in inside)

    def _derivatives(self, slot: Slot) -> Iterator[tuple[FunctionGraph, list[Graph]]]:
        """The steps of derivatives that read what a loop hands out, and what it is in them."""
        result: Any = slot.result
        for node, place in users(self.fgraph, result):
            if isinstance(node.op, Scan) and node.op.info.n_mit_mot:
                yield node.op.fgraph, entering(node, place)
