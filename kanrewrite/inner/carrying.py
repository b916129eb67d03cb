r"""Loops whose states are carried as whole exponents, and what is left of them.

A state that is multiplied in each step, as the probability of all that was seen so far, leaves the
range of floats after some hundred steps, and its log is -inf.  With $s = r e^n$, where $n$ is the
whole number next to the log of its size, the same loop is

.. math:: \mathrm{scan}(f, s_0) = r e^n, \qquad
    (n, r) = \mathrm{scan}(\langle\log|f|\rangle, f e^{-\langle\log|f|\rangle}),

with $f$ of $r e^n$ inside, where the library finds exponentials under a log, and outside a product
with an exponential, which a log or a divisor there cancels.  Of what derives such a loop the
states are carried alike: what the steps before divide by is as small as they are large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from time import perf_counter
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Apply, Variable, ancestors
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.ifelse import IfElse
from aesara.scan.op import Scan

from kanrewrite.guards.bounds import SHARE, Bounds
from kanrewrite.inner.asking import (
    is_exponential,
    is_float,
    numbered,
    sources_of,
    terms_of,
)
from kanrewrite.inner.branches import rewrite_branches
from kanrewrite.inner.complements import Lack, known_outside, with_complements
from kanrewrite.inner.demands import Demands
from kanrewrite.inner.graphs import with_inner
from kanrewrite.inner.knowing import bounds_inside
from kanrewrite.inner.largest import by_logs
from kanrewrite.inner.levels import LACKS, Lacking, Level, Levels
from kanrewrite.inner.moving import ends, is_zero, moved
from kanrewrite.inner.opening import open_all
from kanrewrite.inner.recording import NAME, replaced
from kanrewrite.inner.slots import STATES, Slot, loop_of, replace, slots_of
from kanrewrite.inner.stepping import Step
from kanrewrite.inner.waiting import Later

Graph = Variable[Any, Any]
#: Whether a tensor is made of products with exponentials, whether it is positive, and large.
Reading = Callable[[Graph], tuple[bool, bool, bool]]


#: How many times a number those may be that are added to it, for their logs to be as exact.
_BESIDE = 4.0


class LevelsPass(GraphRewriter):
    """Has loops carry the exponents of what they multiply, where somebody asks for its log.

    Parameters
    ----------
    reading
        Makes what tells the size and the sign of a tensor.
    levels
        How tensors are carried.
    """

    name = NAME

    def __init__(self, reading: Callable[[], Reading], levels: Levels):
        super().__init__()
        self.reading, self.levels = reading, levels

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite the loops of a function graph, those first that others are made of."""
        if not any(isinstance(node.op, Later) for node in fgraph.apply_nodes):
            rewrite_loops(fgraph, self.reading, self.levels, {})


def rewrite_loops(
    fgraph: FunctionGraph,
    reading: Callable[[], Reading],
    levels: Levels,
    carried: dict[Graph, Level],
) -> None:
    """Have the loops of a graph carry logs, in which some variables are carried already."""
    lacks: dict[Graph, Lack] = {}
    for node in fgraph.toposort():
        if isinstance(node.op, Scan):
            Loop(fgraph, node, reading, levels, carried, lacks).rewrite()
        elif isinstance(node.op, IfElse):
            rewrite_branches(fgraph, node, reading(), levels, carried)


class Loop:
    """A loop, and how it would carry logs.

    Parameters
    ----------
    fgraph
        The graph around.
    node
        The loop's.
    reading
        Makes what tells sizes and signs.
    levels
        How tensors are carried.
    carried
        What loops before it carry as logs.
    lacks
        What loops before it carry the complements of.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        node: Apply[Any],
        reading: Callable[[], Reading],
        levels: Levels,
        carried: dict[Graph, Level],
        lacks: dict[Graph, Lack],
    ):
        self.fgraph, self.node, self.carried, self.lacks = fgraph, node, carried, lacks
        self.reading, self.read_outside, self.levels = reading, reading(), levels
        self.slots, self._nodes = slots_of(node), node.op.fgraph.apply_nodes
        self.states = [s for s in self.slots if s.kind in STATES and is_float(s.outer)]
        self.given = [
            s for s in self.slots if s.kind in ("sequence", "shared") and is_float(s.outer)
        ]
        self.results = [s for s in self.slots if s.kind == "nit_sot" and is_float(s.made[0])]
        self.twins: dict[Slot, Slot] = {}
        self._lacking: set[Graph] = set()  # what a step makes of complements
        self.demands = Demands(fgraph, node, self.states)
        self.made: dict[Graph, Graph] = {}  # what has taken the place of what the loop hands out

    # -- whether it is worth it -----------------------------------------------------------

    def rewrite(self) -> bool:
        """Replace the loop by one that carries logs, where it is asked for; tell whether it was."""
        start = perf_counter()
        derived = self._derives()
        if not (derived or self._may_be_asked()):
            return False
        given = [s for s in self.given if self._is_exponential(s.outer)]
        states = self._multiplied(given)
        made = self._inside(dict.fromkeys([*states, *given], True)).made
        read = self.reading()
        results = [s for s in self.results if read(made[s.made[0]])[0]]
        if not derived and not self._wanted(states, given):
            if self._is_hot(given) and self._beside(self.states):
                return True
            large = [s for s in results if read(made[s.made[0]])[2]]
            results = self.demands.handed_on(results, large)
            states = self.demands.entering(states, results)
            given = self._needed(given, results)
        carried = [*given, *states, *results]
        if not carried or self.demands.is_compared(carried):
            return False
        if (derived or self._shares(given)) and self._beside(given):
            return True
        signed = self._signed(carried)
        if any(signed.get(s, True) for s in self.twins):
            return False
        if not derived:
            cancels = self._cancels(signed, states)
            if (cancels or self.demands.of_lacks()) and self._beside(states):
                return True
            if cancels:
                return False
        return self._replace(signed, start)

    def _shares(self, given: list[Slot]) -> bool:
        """Find what sequences lack that a step takes from numbers; tell whether any is a share."""
        outside = {v: s.outer for s in given if s.kind == "sequence" for v in s.inside}
        if self.levels.lacking is None or not outside:
            return False
        nodes, shares = self.node.op.fgraph.toposort(), dict[Graph, Lack]()
        for v, lack in known_outside(nodes, outside, self.levels.lacking):
            known = self.lacks.get(v, lack)
            if known.number == lack.number and all(self.read_outside(known.value)[:2]):
                shares[v] = known
        self.lacks |= shares
        return bool(shares)

    def _beside(self, parts: list[Slot]) -> bool:
        """Carry logs where complements of some parts are carried too; tell whether that is done."""
        lacking = self.levels.lacking
        if self.twins or lacking is None:
            return False
        parts = [s for s in parts if s.kind in ("sequence", "mit_sot", "sit_sot")]
        return any(self._with_complements(parts, lacking, turned) for turned in (False, True))

    def _with_complements(self, parts: list[Slot], lacking: Lacking, turned: bool) -> bool:
        outside = [(s.made[0], number) for _, s, number in self.demands.less if s in parts]
        found = with_complements(self.node, self.slots, parts, self.lacks, lacking, outside, turned)
        if found is None:
            return False
        pairs = list(found.results.items())
        self.fgraph.replace_all(pairs, reason=NAME, import_missing=True)
        loop = Loop(self.fgraph, found.node, self.reading, self.levels, self.carried, self.lacks)
        loop.pair(found.lacks)
        if not loop.rewrite():
            self.fgraph.replace_all(
                [(new, old) for old, new in pairs], reason=NAME, import_missing=True
            )
            return False
        for state, lack in found.lacks.items():
            value = loop.made.get(lack.value)
            if value in self.carried:
                self._lacks(loop.made[state], Lack(lack.number, value))
        return True

    def _lacks(self, value: Graph, lack: Lack) -> None:
        """Put what a value lacks where it is taken from the number."""
        self.lacks[value] = lack
        for v, d in list(self.demands.less_outside(value)):
            if d.number == lack.number:
                self.fgraph.replace(v, d.written(lambda _: lack.value), NAME, import_missing=True)

    def pair(self, lacks: Mapping[Graph, Lack]) -> None:
        """Have states and their complements carried as logs together, or not at all."""
        slot_of = {s.result: s for s in self.states}
        for value, lack in lacks.items():
            one, other = slot_of[value], slot_of[lack.value]
            self.twins |= {one: other, other: one}
            self._lacking.update(other.made)

    def _needed(self, given: list[Slot], results: list[Slot]) -> list[Slot]:
        """What enters a step as logs where no state is carried."""
        return given if results or any(map(self._asked_inside, given)) else []

    def _may_be_asked(self) -> bool:
        outside = any(map(self.demands.outside, [*self.states, *self.results]))
        derived = any(map(self.demands.in_derivatives, self.results))
        return outside or derived or any(map(self._asked_inside, [*self.states, *self.given]))

    def _asked_inside(self, slot: Slot) -> bool:
        return self.demands.inside(slot, self.twins)

    def _wanted(self, states: list[Slot], given: list[Slot]) -> bool:
        """Whether states leave the range of floats and somebody asks for their logs."""
        if any(map(self.demands.outside, states)):
            return True
        hot = self._is_hot(given) or any(self._is_exponential(s.outer) for s in states)
        return hot and any(map(self._asked_inside, states))

    def _is_hot(self, given: list[Slot]) -> bool:
        """Whether exponentials enter a step, or are made in it, or in a loop in it."""
        bodies = with_inner(self.node.op.fgraph)
        return bool(given) or any(is_exponential(n) for body in bodies for n in body.apply_nodes)

    def _derives(self) -> bool:
        """Whether the size of something carried enters this loop.

        What another loop has only collected does so where something else is made of it.
        """
        entering = [v for s in (*self.states, *self.given) for v in ends(s.outer)]
        if not self.carried or not any(v in self.carried for v in sources_of(entering)):
            return False
        made = [v for v in entering if not (v in self.carried and self.carried[v].is_collected)]
        beside = any(v in self.carried for v in sources_of(made, inverted=True))
        return beside or len(made) == len(entering)

    def _is_exponential(self, outer: Graph) -> bool:
        return any(v in self.carried or self.read_outside(v)[0] for v in ends(outer))

    def _multiplied(self, given: list[Slot]) -> list[Slot]:
        """The states each term of whose new values is a product with an exponential, or one."""
        states = self.states
        while True:
            made = self._inside(dict.fromkeys([*states, *given], True)).made
            read = self.reading()
            alone = {s for s in states if all(read(made[v])[0] for v in s.made)}
            kept = [s for s in states if s in alone or self.twins.get(s) in alone]
            if len(kept) == len(states):
                return states
            states = kept

    def _signed(self, slots: list[Slot]) -> dict[Slot, bool]:
        """Which of some parts may be negative, or zero."""
        signed = {s: bool(s.inside) and not self._is_positive(s) for s in slots}
        while True:
            made = self._inside({s: sign for s, sign in signed.items() if s.inside}).made
            read = self.reading()
            found = [
                s for s in slots if not signed[s] and not all(read(made[v])[1] for v in s.made)
            ]
            if not found:
                return signed
            signed |= dict.fromkeys(found, True)

    def _cancels(self, signed: Mapping[Slot, bool], states: list[Slot]) -> bool:
        """Whether a sum of a state and a number may cancel, which is exact in numbers alone.

        The log of a share tells no less of a sum, beside a number of its size, than the share does.
        """
        fgraph, inside = self.node.op.fgraph, [v for s in states for v in s.inside]
        # Those of which nothing but a complement is made are a part of it, which is positive.
        seen = set(ancestors([v for v in fgraph.outputs if v not in self._lacking], self._lacking))
        sums = [v for v in numbered(fgraph, inside) if v in seen]
        if sums and self._are_shares(inside, sums):
            return False
        made = self._inside({s: sign for s, sign in signed.items() if s.inside}, sums).made
        read = self.reading()
        return not all(read(made[v])[1] for v in sums)

    def _are_shares(self, inside: list[Graph], sums: list[Graph]) -> bool:
        """Whether states are from 0 to 1, and added to numbers of that size, for sure."""
        bounds = bounds_inside(self.node)

        def beside(total: Graph) -> bool:
            numbers, others = terms_of(total)
            most = _BESIDE * min(float(np.min(np.abs(n))) for n in numbers)
            within = Bounds(-most, most)
            return all(bounds(v) | within == within for v in others)

        return all(bounds(v) | SHARE == SHARE for v in inside) and all(map(beside, sums))

    def _is_positive(self, slot: Slot) -> bool:
        """Whether what enters the loop is positive; what a state lacks may be nothing."""
        return all(
            self.carried[v].positive
            if v in self.carried
            else self.read_outside(v)[1] or (slot in self.twins and is_zero(v))
            for v in ends(slot.outer)
        )

    # -- what is written in its place -----------------------------------------------------

    def _inside(self, signed: Mapping[Slot, bool], others: Sequence[Graph] = ()) -> Step:
        """The step with some parts as logs, maybe with signs; its loops carry what they derive."""
        outputs = [*self.node.op.inner_outputs, *others]
        step = Step.of(self.node.op, signed, outputs, self.levels)
        if any(isinstance(node.op, Scan | IfElse | OpFromGraph) for node in self._nodes):
            entering = [v for parts in step.inputs.values() for v in parts]
            body = FunctionGraph(entering, [step.made[v] for v in outputs], clone=False)
            open_all(body)
            rewrite_loops(body, self.reading, self.levels, step.carried)
            step = step._replace(made=dict(zip(outputs, body.outputs, strict=True)))
        return step

    def _replace(self, signed: dict[Slot, bool], start: float) -> bool:
        """Put the loop in which some parts are carried as logs, maybe with signs, in its place.

        Not where it tells which of some is the largest, of any sign.
        """
        op: Any = self.node.op
        logs = self._inside({s: sign for s, sign in signed.items() if s.inside})
        step = by_logs(logs, self.reading())
        if step is None:
            return False
        new: list[Slot] = []
        for slot in self.slots:
            outs = tuple(step.made[v] for v in slot.made)
            sign = signed.get(slot)
            levels = [(v,) if sign is None else self.levels.of(v, sign).parts for v in outs]
            count = 1 if sign is None else self.levels.count(sign)
            carried_in = sign is not None and slot.inside
            entering = self._outside(slot, bool(sign)) if carried_in else [slot.outer] * count
            for part, outer in enumerate(entering):
                inside = tuple(step.inputs[v][part] for v in slot.inside)
                made = tuple(parts[part] for parts in levels)
                new.append(replace(slot, outer=outer, inside=inside, made=made))
        condition = [step.made[op.inner_outputs[-1]]] if op.info.as_while else []
        results = iter(loop_of(op, self.node.inputs[0], new, condition))
        pairs, carried = [], {}
        for slot in self.slots:
            if slot.result is None:
                continue
            if slot in signed:
                level = self.levels.made(results, signed[slot])
                value = self.levels.value(level)
                carried[value] = level
            else:
                value = next(results)
            pairs.append((slot.result, value))
        if not replaced(self.fgraph, pairs, carried, start, self._followed()):
            return False
        self.made = dict(pairs)
        self.carried.update(carried)
        return True

    def _followed(self) -> tuple[str, ...]:
        """The relations by which its parts are carried."""
        return (*self.levels.names, LACKS) if self.twins else self.levels.names

    def _outside(self, slot: Slot, signed: bool) -> list[Graph]:
        """What enters the loop in the place of an outer input: its log, and the rest."""
        count = self.levels.count(signed)

        @cache
        def level(v: Graph) -> Level:
            if v not in self.carried:
                v = v if is_float(v) else at.cast(v, slot.outer.type.dtype)
                return self.levels.of(v, signed)
            known = self.carried[v]
            if known.rest is None and count > 1:
                return self.levels.of(self.levels.value(known), signed)
            return known

        def part(n: int, v: Graph) -> Graph:
            return level(v).parts[n]

        return [moved(slot.outer, partial(part, n)) for n in range(count)]
