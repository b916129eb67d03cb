"""What the library has rewritten, remembered until derivatives are expanded.

A derivative is taken of the graph that the library has rewritten, so that recognised operators
contribute their own gradients. But what the library writes out to be safe, with maxima, absolute
values and cases, has the value of the original and not its derivative: where two exponents tie,
``max(a, b) + log1p(exp(-|a - b|))`` would send all of the gradient to one of them. So where a
derivative would pass through a case distinction that rewriting has brought in, it passes through
what was there before. The library sees the result again, as it sees any other graph.
"""

from __future__ import annotations

from typing import Any

import aesara.scalar as aes
from aesara.graph.features import Feature
from aesara.graph.fg import FunctionGraph
from aesara.tensor.elemwise import CAReduce, Elemwise
from aesara.tensor.math import MaxAndArgmax

from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.path import connected_inputs, dependence, path_nodes

Ends = tuple[list[Var], list[Var], list[Var]]

#: Elementwise functions that are made of pieces.
PIECEWISE = (
    aes.ScalarMaximum,
    aes.ScalarMinimum,
    aes.Abs,
    aes.Sgn,
    aes.Switch,
)


class Memory(Feature):
    """How a graph was before it was rewritten.

    Attached to a graph before it is rewritten; `smooth` is asked afterwards.
    """

    def on_attach(self, fgraph: FunctionGraph) -> None:
        """Remember the nodes, with the inputs that they have now."""
        self._inputs: dict[Node, list[Var]] = {n: list(n.inputs) for n in fgraph.apply_nodes}
        self.before = {v for node in self._inputs for v in node.outputs} | set(fgraph.inputs)
        self._replaced: dict[Var, Var] = {}

    def on_change_input(
        self, fgraph: FunctionGraph, node: Node, i: int, old: Var, new: Var, reason: Any = None
    ) -> None:
        """Remember what took the place of what."""
        self._replaced[old] = new
        # What is put back is no longer replaced; so chains of replacements end.
        self._replaced.pop(new, None)

    def smooth(self, outputs: list[Var], wrt: list[Var], stops: list[Var]) -> Ends:
        """What is differentiated, without the pieces that rewriting has brought in.

        Parameters
        ----------
        outputs, wrt, stops
            Of the graph as it is now.

        Returns
        -------
        outputs, wrt, stops : list of Variable
            The very same ones where nothing was brought in.
        """
        if not self._replaced:
            return outputs, wrt, stops
        place = _Place(self, outputs, wrt, stops)
        return tuple([place.made(v) for v in vs] for vs in (outputs, wrt, stops))  # type: ignore[return-value]

    def now(self, v: Var) -> Var:
        """What has come for a variable; itself if nothing has."""
        while v in self._replaced:
            v = self._replaced[v]
        return v

    def originals(self) -> dict[Var, Var]:
        """From variables that have come to those that they have replaced."""
        pairs = ((self.now(v), v) for v in self.before)
        return {now: v for now, v in pairs if now not in self.before}

    def inputs(self, node: Node) -> list[Var]:
        """The inputs of a node, as they are now."""
        return [self.now(v) for v in self._inputs.get(node, node.inputs)]


class _Place:
    """A derivative in a graph that was rewritten."""

    def __init__(self, memory: Memory, outputs: list[Var], wrt: list[Var], stops: list[Var]):
        self.memory = memory
        self.original = memory.originals()
        self.passed = set(path_nodes(outputs, wrt, stops))
        dependent = path_nodes(outputs, wrt, (), dependence)
        self.dependent = {*wrt, *(v for node in dependent for v in node.outputs)}
        self.known: dict[Var, Var] = {}

    def made(self, v: Var) -> Var:
        """A variable, made of what has a derivative."""
        stack = [v]
        while stack:
            top = stack[-1]
            source = self._source(top)
            inputs = [] if source.owner is None else self.memory.inputs(source.owner)
            waiting = [i for i in inputs if i not in self.known]
            if waiting:
                stack.extend(waiting)
                continue
            self.known[top] = _remade(source, [self.known[i] for i in inputs])
            stack.pop()
        return self.known[v]

    def _source(self, v: Var) -> Var:
        """The variable by whose node this one is made: itself, or the one that it has replaced."""
        return self.original[v] if v in self.original and self._has_pieces(v) else v

    def _has_pieces(self, top: Var) -> bool:
        """Whether the derivative passes cases among what has come for a variable."""
        stack, seen = [top], set[Var]()
        while stack:
            v = stack.pop()
            known = v in self.memory.before or (v is not top and v in self.original)
            if v in seen or known or v.owner not in self.passed:
                continue
            if is_piecewise(v.owner.op) and not self._is_fixed(v.owner):
                return True
            seen.add(v)
            stack.extend(connected_inputs(v))
        return False

    def _is_fixed(self, node: Node) -> bool:
        """Whether a case is chosen by what does not depend on what is differentiated in."""
        return is_switch(node.op) and node.inputs[0] not in self.dependent


def _remade(v: Var, inputs: list[Var]) -> Var:
    if v.owner is None or all(a is b for a, b in zip(inputs, v.owner.inputs, strict=True)):
        return v
    return v.owner.clone_with_new_inputs(inputs).outputs[v.owner.outputs.index(v)]


def is_switch(op: Any) -> bool:
    """Whether an Op chooses by its first input."""
    return isinstance(op, Elemwise) and isinstance(op.scalar_op, aes.Switch)


def is_piecewise(op: Any) -> bool:
    """Whether an Op computes by case distinctions, so that its gradient does."""
    if isinstance(op, Elemwise):
        return isinstance(op.scalar_op, PIECEWISE)
    if isinstance(op, CAReduce):
        return isinstance(op.scalar_op, aes.ScalarMaximum | aes.ScalarMinimum)
    return isinstance(op, MaxAndArgmax)


def remember(fgraph: FunctionGraph) -> None:
    """Remember a graph as it is, in place of what was remembered of it before."""
    forget(fgraph)
    fgraph.attach_feature(Memory())


def forget(fgraph: FunctionGraph) -> Memory | None:
    """What was remembered of a graph; from now on nothing is."""
    found = next((f for f in fgraph._features if isinstance(f, Memory)), None)
    if found is not None:
        fgraph.remove_feature(found)
    return found
