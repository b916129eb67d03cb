r"""Loops whose states are carried as logs of their sizes, and signs.

A state that is multiplied in each step, as the probability of all that was seen so far, leaves the
range of floats after some hundred steps, and its log is -inf.  With $s = r e^a$, where $a$ is the
log of its size and $r$ its sign, the same loop is

.. math:: \mathrm{scan}(f, s_0) = r e^a, \qquad
    (a, r) = \mathrm{scan}(\log|f|, \mathrm{sgn} f),

with $f$ of $r e^a$ inside, where the library finds exponentials under a log, and outside a product
with an exponential, which a log or a divisor there cancels.  Of what derives such a loop the
states are carried alike: what the steps before divide by is as small as they are large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Variable, clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace
from aesara.scan.op import Scan
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.special import LogSoftmax, Softmax

from kanrewrite.display import brief
from kanrewrite.inner.asking import is_asked, numbered, passes, users
from kanrewrite.inner.moving import Level, ends, is_zero, moved
from kanrewrite.inner.slots import STATES, Slot, loop_of, replace, slots_of
from kanrewrite.inner.waiting import Later
from kanrewrite.terms import T, operator_of
from kanrewrite.trace import trace

Graph = Variable[Any, Any]
#: Whether a tensor is made of products with exponentials, and whether it is positive.
Reading = Callable[[Graph], tuple[bool, bool]]

NAME = "kanrewrite_levels"
RELATION = "loop_levels"
FLOATS = ("float32", "float64")
_EXPONENTIALS = (T.exp, T.exp2, T.sigmoid, T.softplus)


class LevelsPass(GraphRewriter):
    """Has loops carry the logs of what they multiply, where somebody asks for them.

    Parameters
    ----------
    reading
        Makes what tells the size and the sign of a tensor.
    """

    name = NAME

    def __init__(self, reading: Callable[[], Reading]):
        super().__init__()
        self.reading = reading

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite the loops of a function graph, those first that others are made of."""
        if any(isinstance(node.op, Later) for node in fgraph.apply_nodes):
            return
        carried: dict[Graph, Level] = {}
        for node in fgraph.toposort():
            if isinstance(node.op, Scan):
                Loop(fgraph, node, self.reading, carried).rewrite()


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
    carried
        What loops before it carry as logs.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        node: Apply[Any],
        reading: Callable[[], Reading],
        carried: dict[Graph, Level],
    ):
        self.fgraph, self.node, self.carried = fgraph, node, carried
        self.reading, self.read_outside = reading, reading()
        self.slots, self._nodes = slots_of(node), node.op.fgraph.apply_nodes
        self.states = [s for s in self.slots if s.kind in STATES and _is_float(s.outer)]
        self.given = [
            s for s in self.slots if s.kind in ("sequence", "shared") and _is_float(s.outer)
        ]
        self.results = [s for s in self.slots if s.kind == "nit_sot" and _is_float(s.made[0])]

    # -- whether it is worth it -----------------------------------------------------------

    def rewrite(self) -> None:
        """Replace the loop by one that carries logs, where that is asked for."""
        start = perf_counter()
        derived = self._derives()
        if not (derived or self._may_be_asked()) or self._is_compared():
            return
        given = [s for s in self.given if self._is_exponential(s.outer)]
        states = self._multiplied(given)
        _, made = self._inside(dict.fromkeys([*states, *given], True))
        read = self.reading()
        results = [s for s in self.results if read(made[s.made[0]])[0]]
        if not derived and not self._wanted(states, given):
            results, states = [s for s in results if self._asked_outside(s)], []
        if not (states or results):
            return
        signed = self._signed([*given, *states, *results])
        if derived or not self._cancels(signed, states):
            self._replace(signed, start)

    def _may_be_asked(self) -> bool:
        outside = any(map(self._asked_outside, [*self.states, *self.results]))
        return outside or any(map(self._asked_inside, self.states))

    def _is_compared(self) -> bool:
        """Whether this loop, or one that it enters, compares numbers to the last digit.

        The derivative of a maximum does.
        """
        results = [s.result for s in (*self.states, *self.results)]
        after = (n for v in results if v is not None for n, _ in users(self.fgraph, v))
        loops = {self.node, *(n for n in after if isinstance(n.op, Scan))}
        return any(_is_equality(node) for loop in loops for node in loop.op.fgraph.apply_nodes)

    def _wanted(self, states: list[Slot], given: list[Slot]) -> bool:
        """Whether states leave the range of floats and somebody asks for their logs."""
        if any(map(self._asked_outside, states)):
            return True
        hot = bool(given) or any(map(_is_exponential_node, self._nodes))
        hot = hot or any(self._is_exponential(s.outer) for s in states)
        return hot and any(map(self._asked_inside, states))

    def _asked_outside(self, slot: Slot) -> bool:
        result: Any = slot.result
        return is_asked(self.fgraph, result, division=slot.kind in STATES)

    def _asked_inside(self, slot: Slot) -> bool:
        # The derivative of a step reads what the step has made as a state, and asks the same of it.
        asked = (*slot.inside, *(slot.made if self._is_derived(slot) else ()))
        return any(is_asked(self.node.op.fgraph, v) for v in asked)

    def _is_derived(self, slot: Slot) -> bool:
        """Whether the derivative of a loop reads a state."""
        result: Any = slot.result
        loops = (node.op for node, _ in users(self.fgraph, result) if isinstance(node.op, Scan))
        return any(op.info.n_mit_mot for op in loops)

    def _derives(self) -> bool:
        """Whether the size of something carried enters this loop."""
        if not self.carried:
            return False
        stack = [s.outer for s in (*self.states, *self.given)]
        seen = set(stack)
        while stack:
            v = stack.pop()
            if v in self.carried:
                return True
            if v.owner is not None:
                new = [i for n, i in enumerate(v.owner.inputs) if passes(v.owner, n)]
                stack.extend(i for i in new if i not in seen)
                seen.update(new)
        return False

    def _is_exponential(self, outer: Graph) -> bool:
        return any(v in self.carried or self.read_outside(v)[0] for v in ends(outer))

    def _multiplied(self, given: list[Slot]) -> list[Slot]:
        """The states each term of whose new values is a product with an exponential, or one."""
        states = self.states
        while True:
            _, made = self._inside(dict.fromkeys([*states, *given], True))
            read = self.reading()
            kept = [s for s in states if all(read(made[v])[0] for v in s.made)]
            if len(kept) == len(states):
                return states
            states = kept

    def _signed(self, slots: list[Slot]) -> dict[Slot, bool]:
        """Which of some parts may be negative, or zero."""
        signed = {s: bool(s.inside) and not self._is_positive(s.outer) for s in slots}
        while True:
            _, made = self._inside({s: sign for s, sign in signed.items() if s.inside})
            read = self.reading()
            found = [
                s for s in slots if not signed[s] and not all(read(made[v])[1] for v in s.made)
            ]
            if not found:
                return signed
            signed |= dict.fromkeys(found, True)

    def _cancels(self, signed: Mapping[Slot, bool], states: list[Slot]) -> bool:
        """Whether a sum of a state and a number may cancel, which is exact in numbers alone."""
        inside = [v for s in states for v in s.inside]
        sums = list(numbered(self.node.op.fgraph, inside))
        _, made = self._inside({s: sign for s, sign in signed.items() if s.inside}, sums)
        read = self.reading()
        return not all(read(made[v])[1] for v in sums)

    def _is_positive(self, outer: Graph) -> bool:
        return all(
            self.carried[v].sign is None if v in self.carried else self.read_outside(v)[1]
            for v in ends(outer)
        )

    # -- what is written in its place -----------------------------------------------------

    def _inside(
        self, signed: Mapping[Slot, bool], others: Sequence[Graph] = ()
    ) -> tuple[dict[Graph, tuple[Graph, ...]], dict[Graph, Graph]]:
        """The step with some of its inputs as logs and signs, and all inputs new.

        Returns
        -------
        dict
            From each inner input to those in its place: itself anew, or a log, maybe with a sign.
        dict
            From each inner output, and each of ``others`` in the step, to the new one.
        """
        op: Any = self.node.op
        inputs: dict[Graph, tuple[Graph, ...]] = {}
        values: dict[Any, Any] = {}
        levels = {v: sign for s, sign in signed.items() for v in s.inside}
        for v in op.inner_inputs:
            if v in levels:
                level = Level(v.type(), v.type() if levels[v] else None)
                inputs[v], values[v] = level.parts, level.value
            else:
                values[v] = v.type(name=v.name)
                inputs[v] = (values[v],)
        clone_get_equiv(
            op.inner_inputs, op.inner_outputs, copy_inputs=False, copy_orphans=False, memo=values
        )
        return inputs, {v: values[v] for v in (*op.inner_outputs, *others)}

    def _replace(self, signed: dict[Slot, bool], start: float) -> None:
        """Put the loop in which some parts are carried as logs, maybe with signs, in its place."""
        op: Any = self.node.op
        inputs, made = self._inside({s: sign for s, sign in signed.items() if s.inside})
        new: list[Slot] = []
        for slot in self.slots:
            for part in range(1 + signed.get(slot, False)):
                inside = tuple(inputs[v][part] for v in slot.inside)
                outs = tuple(made[v] for v in slot.made)
                outer = slot.outer
                if slot in signed:
                    outs = tuple(Level.of(v, signed[slot]).parts[part] for v in outs)
                    outer = self._outside(slot, part, signed[slot]) if inside else outer
                new.append(replace(slot, outer=outer, inside=inside, made=outs))
        condition = [made[op.inner_outputs[-1]]] if op.info.as_while else []
        results = iter(loop_of(op, self.node.inputs[0], new, condition))
        pairs = []
        for slot in self.slots:
            if slot.result is None:
                continue
            value = next(results)
            if slot in signed:
                level = Level(value, next(results) if signed[slot] else None)
                value = level.value
                self.carried[value] = level
            pairs.append((slot.result, value))
        if trace.recorder is not None:
            if not trace.recorder.allow():
                return
            old, value = next(p for p in pairs if p[1] in self.carried)
            seconds = perf_counter() - start
            trace.recorder.fired(RELATION, brief(old), old, value, {}, seconds)
        copy_stack_trace([old for old, _ in pairs], [value for _, value in pairs])
        self.fgraph.replace_all(pairs, reason=NAME, import_missing=True)

    def _outside(self, slot: Slot, part: int, signed: bool) -> Graph:
        """What enters the loop in the place of an outer input: its log, or its sign."""

        def taken(v: Graph) -> Graph:
            if v not in self.carried:
                v = v if _is_float(v) else at.cast(v, slot.outer.type.dtype)
                return Level.of(v, signed).parts[part]
            level = self.carried[v]
            if not part:
                return level.log
            return level.sign if level.sign is not None else at.ones_like(level.log)

        return moved(slot.outer, taken)


def _is_float(v: Graph) -> bool:
    return getattr(v.type, "dtype", None) in FLOATS


def _is_equality(node: Apply[Any]) -> bool:
    """Whether numbers are asked to be equal to the last digit, as they are no more as exponentials.

    What is zero stays zero.
    """
    if not isinstance(node.op, Elemwise) or operator_of(node.op) not in (T.eq, T.neq):
        return False
    return _is_float(node.inputs[0]) and not any(map(is_zero, node.inputs))


def _is_exponential_node(node: Apply[Any]) -> bool:
    if isinstance(node.op, Elemwise):
        return operator_of(node.op) in _EXPONENTIALS
    return isinstance(node.op, Softmax | LogSoftmax)
