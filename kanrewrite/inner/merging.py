"""Equal loops over the same inputs become one; equal modulo what a reading of their steps knows.

Two states of loops are equal when they start alike and a step makes alike things of them, given
that equal states were equal before: the coarsest such partition is found by refining one in which
all that start alike are equal (Hopcroft 1971; of recursions, bisimulation).  All loops are refined
together, each looked at once a round, and none is compared with another one.

References
----------
J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, MergeOptimizer, copy_stack_trace
from aesara.scan.op import Scan
from aesara.tensor.elemwise import Elemwise

from kanrewrite.inner.canonical import Numbers, Reading, reading_modulo, settings, ways
from kanrewrite.inner.graphs import is_replaceable
from kanrewrite.inner.parts import Parts, State
from kanrewrite.inner.waiting import Later
from kanrewrite.terms import T, operator_of
from kanrewrite.theory import Theory

Graph = Variable[Any, Any]
Label = Callable[[Graph], Hashable]
Keyed = Iterator[tuple[Hashable, Graph]]

#: What lengths obey: two sequences have the same shortest length in either order.
LENGTHS = Theory("lengths").ac(T.add).ac(T.mul).ac(T.minimum).ac(T.maximum)
#: What no algebra of numbers tells of steps: maxima, minima and conditions have no order.
ORDER = Theory("order").ac(T.maximum).ac(T.minimum).ac(T.and_).ac(T.or_).c(T.eq).c(T.neq)
INTEGERS = ("int8", "int16", "int32", "int64")

NAME = "kanrewrite_merge_loops"


class Partition:
    """Which outputs of some loops are equal.

    Parameters
    ----------
    nodes
        The loops.
    numbers
        By which their steps are numbered.
    label
        What an outer variable is known by.
    """

    def __init__(self, nodes: list[Apply[Any]], numbers: Numbers, label: Label):
        self.numbers = numbers
        self.loops = [Parts(node, label) for node in nodes]
        self._colours: dict[Hashable, int] = {}
        self.colour = {s.outside: self._enter(s.start) for s in self._states()}
        self.rounds, count = 0, -1
        while count < (count := len(set(self.colour.values()))):
            self._made = {loop: self._numbered(loop) for loop in self.loops}
            refined = {
                s.outside: self._enter((self.colour[s.outside], *self._updates(loop, s)))
                for loop in self.loops
                for s in loop.states
            }
            self.colour = refined
            self.rounds += 1

    def _states(self) -> Iterator[State]:
        return (state for loop in self.loops for state in loop.states)

    def _enter(self, key: Hashable) -> int:
        return self._colours.setdefault(key, len(self._colours))

    def _updates(self, loop: Parts, state: State) -> list[int]:
        return [self._made[loop][v] for v in state.updates]

    def _numbered(self, loop: Parts) -> dict[Graph, int]:
        """The numbers of what a step makes, its states being those of their colour."""
        given: dict[Graph, Hashable] = dict(loop.fixed)
        for state in loop.states:
            for n, v in enumerate(state.inside):
                given[v] = "state", self.colour[state.outside], n
        outputs = loop.node.op.inner_outputs
        return dict(zip(outputs, self.numbers.of(outputs, given), strict=True))

    def keys(self, loop: Parts) -> Keyed:
        """What each output of a loop is known by, and the output."""
        made, node = self._made[loop], loop.node
        end = tuple(made[v] for v in loop.condition)
        way = ways(node.op), loop.steps, end
        for state in loop.states:
            yield (way, state.start[0], self.colour[state.outside]), state.outside
        for length, inner, outer in loop.results:
            yield (way, length, made[inner]), outer


class MergePass(GraphRewriter):
    """Merges equal loops, and equal Ops made from graphs.

    Parameters
    ----------
    reading
        Makes what steps are read by; None compares them as they are written.

    Attributes
    ----------
    visited : int
        How many nodes of inner graphs the last graph had looked at.
    """

    name = NAME

    def __init__(self, reading: Callable[[], Reading | None]):
        super().__init__()
        self.reading = reading
        self.visited = 0

    def apply(self, fgraph: FunctionGraph) -> None:
        """Merge, until nothing is equal any more."""
        self.visited = 0
        while self._merged(fgraph):
            # What was computed from two loops is computed from one now: twice.
            MergeOptimizer().rewrite(fgraph)

    def _merged(self, fgraph: FunctionGraph) -> bool:
        nodes = [node for node in fgraph.toposort() if is_replaceable(node.op)]
        if len(nodes) < 2 or any(isinstance(node.op, Later) for node in fgraph.apply_nodes):
            return False
        numbers, label = Numbers(_modulo_order(self.reading())), _labels(nodes)
        equal: dict[Hashable, list[Graph]] = defaultdict(list)
        partition = Partition([n for n in nodes if isinstance(n.op, Scan)], numbers, label)
        for loop in partition.loops:
            for key, out in partition.keys(loop):
                equal[key, out.type].append(out)
        for node in nodes:
            if not isinstance(node.op, Scan):
                for key, out in _keys_of_op(node, numbers, label):
                    equal[key, out.type].append(out)
        self.visited += numbers.visited
        merged = [_merge(fgraph, outs) for outs in equal.values() if len(outs) > 1]
        return any(merged)


def _modulo_order(reading: Reading | None) -> Reading | None:
    """A reading that knows `ORDER`, too, where nothing else is known of a variable."""
    if reading is None:
        return None
    modulo = reading_modulo(ORDER)

    def read(v: Graph) -> Hashable:
        found = reading(v)
        return found if found is not None or not _is_ordered(v) else modulo(v)

    return read


def _is_ordered(v: Graph) -> bool:
    op = v.owner.op
    return isinstance(op, Elemwise) and ORDER.properties(operator_of(op)).commutative


def _labels(nodes: list[Apply[Any]]) -> Label:
    """Numbers of what enters loops and Ops; of the lengths of loops, modulo `LENGTHS`."""
    modulo = reading_modulo(LENGTHS)

    def read(v: Graph) -> Hashable:
        return modulo(v) if getattr(v.type, "dtype", None) in INTEGERS else None

    inputs = [v for node in nodes for v in node.inputs]
    made = {out: out for node in nodes for out in node.outputs}
    return dict(zip(inputs, Numbers(read).of(inputs, made), strict=True)).__getitem__


def _keys_of_op(node: Apply[Any], numbers: Numbers, label: Label) -> Keyed:
    op: Any = node.op
    given = {v: label(o) for v, o in zip(op.inner_inputs, node.inputs, strict=True)}
    for out, number in zip(node.outputs, numbers.of(op.inner_outputs, given), strict=True):
        yield (settings(op), number), out


def _merge(fgraph: FunctionGraph, equal: list[Graph]) -> bool:
    """Put one of several equal outputs, the one that is least work, for the others."""
    used = [out for out in equal if fgraph.clients.get(out)]
    changed = False
    first = min(equal, key=lambda out: len(out.owner.op.fgraph.apply_nodes))
    for out in used:
        if out is not first and not _depends(first.owner, out.owner):
            copy_stack_trace(out, first)
            fgraph.replace(out, first, reason=NAME, import_missing=True)
            changed = True
    return changed


def _depends(node: Apply[Any], on: Apply[Any]) -> bool:
    """Whether a node is computed from what another one gives."""
    stack, seen = [node], {node}
    while stack:
        for v in stack.pop().inputs:
            if v.owner is on and node is not on:
                return True
            if v.owner is not None and v.owner not in seen:
                seen.add(v.owner)
                stack.append(v.owner)
    return False
