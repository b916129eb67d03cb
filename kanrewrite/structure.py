"""Graphs by structure: equal subgraphs have one number, whoever built them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from aesara.compile.function.types import Function
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Apply, Constant, Variable, graph_inputs, io_toposort
from aesara.graph.fg import FunctionGraph
from aesara.tensor.elemwise import Elemwise

from kanrewrite.errors import NotAGraph
from kanrewrite.insides import inside

Graph = Variable[Any, Any]

#: What can be iterated over and holds no graphs in an order.
_NO_LISTS = (str, bytes, Mapping, np.ndarray)


def outputs_of(graph: Any) -> list[Graph]:
    """The output variables of anything that is or holds a graph.

    Raises
    ------
    NotAGraph
        If something else is there.
    """
    if isinstance(graph, Function):
        graph = graph.maker.fgraph
    if isinstance(graph, FunctionGraph | Apply):
        return list(graph.outputs)
    if isinstance(graph, Variable):
        return [graph]
    if isinstance(graph, _NO_LISTS) or not isinstance(graph, Iterable):
        raise NotAGraph(graph)
    return [variable for part in graph for variable in outputs_of(part)]


def computable(graph: Any) -> list[Graph]:
    """The output variables of a graph, without operators that overwrite their operands.

    A compilation makes those, and takes none.

    Raises
    ------
    NotAGraph
        If something else is there, or nothing.
    """
    outputs = outputs_of(graph)
    if not outputs:
        raise NotAGraph(graph)
    env: dict[Graph, Graph] = {}
    for node in io_toposort([], outputs):
        inputs = [env.get(v, v) for v in node.inputs]
        if node.op.destroy_map or inputs != node.inputs:
            new = _not_in_place(node.op).make_node(*inputs)
            env.update(zip(node.outputs, new.outputs, strict=True))
    return [env.get(v, v) for v in outputs]


def copied(inputs: Iterable[Graph], outputs: Sequence[Graph]) -> FunctionGraph:
    """A copy of a graph, to be rewritten, over the same inputs and shared variables.

    Examples
    --------
    >>> import aesara, aesara.tensor as at
    >>> x, w = at.dvector("x"), aesara.shared(1.5, "w")
    >>> copied([x], [x * w]).inputs
    [x, w]
    """
    shared = (v for v in graph_inputs(outputs) if isinstance(v, SharedVariable))
    over = list(dict.fromkeys([*inputs, *shared]))
    return FunctionGraph(over, list(outputs), clone=True, copy_inputs=False)


def _not_in_place(op: Any) -> Any:
    """The operator that computes the same into memory of its own, where there is one."""
    if not op.destroy_map:
        return op
    if isinstance(op, Elemwise):
        return Elemwise(op.scalar_op, name=op.name)
    flags = {"inplace": False, "destructive": False}
    given = {name: flags.get(name, getattr(op, name)) for name in getattr(op, "__props__", ())}
    return type(op)(**given) if flags.keys() & given.keys() else op


def downwards(before: Graph, after: Graph) -> Iterator[tuple[Graph, Graph]]:
    """Two graphs, then where they differ below: in the first of the operands that do, and so on.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x, y = at.dvectors("x", "y")
    >>> [str(old) for old, _ in downwards(at.exp(x) + 1, at.exp(y) + 1)]
    ['Elemwise{add,no_inplace}.0', 'Elemwise{exp,no_inplace}.0', 'x']
    """
    structure = Structure()
    old, new = structure.add([before, after])
    yield before, after
    while below := structure.different(old, new):
        old, new = below[0]
        yield structure.variables[old], structure.variables[new]


class Structure:
    """Numbers for subgraphs: equal structure, equal number.

    Parameters
    ----------
    same : Mapping, optional
        Inputs of another graph and the inputs here that they stand for.
    opened : bool
        Whether what a loop computes in a step is among its operands, after its inputs.
    """

    def __init__(self, same: Mapping[Graph, Graph] | None = None, opened: bool = False):
        self._same, self._opened = same or {}, opened
        self._numbers: dict[Hashable, int] = {}
        self._of: dict[Graph, int] = {}
        self._operands: dict[int, list[int]] = {}
        #: One variable of each number.
        self.variables: dict[int, Graph] = {}

    def add(self, outputs: Sequence[Graph]) -> list[int]:
        """Number a graph and everything below it; the numbers of its outputs."""
        todo = list(outputs)
        while todo:
            variable = todo[-1]
            node = variable.owner
            if variable in self._of or node is None:
                todo.pop()
            elif waiting := [x for x in self._below(variable) if x.owner and x not in self._of]:
                todo.extend(waiting)
            else:
                todo.pop()
                operands = tuple(self[x] for x in node.inputs)
                for index, output in enumerate(node.outputs):
                    self._give(output, (node.op, operands, index))
        return [self[output] for output in outputs]

    def __getitem__(self, variable: Graph) -> int:
        if variable not in self._of:
            self._give(variable, self._leaf(variable))
        return self._of[variable]

    def _leaf(self, variable: Graph) -> Hashable:
        if isinstance(variable, Constant):
            return ("constant", variable.signature())
        return self._same.get(variable, variable)

    def _give(self, variable: Graph, key: Hashable) -> None:
        number = self._numbers.setdefault(key, len(self._numbers))
        self._of[variable] = number
        self.variables.setdefault(number, variable)

    def operands(self, number: int) -> list[int]:
        """The numbers of the operands of a number."""
        known = self._operands.get(number)
        if known is None:
            known = self._operands[number] = [self[x] for x in self._below(self.variables[number])]
        return known

    def _below(self, variable: Graph) -> list[Graph]:
        node = variable.owner
        inputs = [] if node is None else list(node.inputs)
        return [*inputs, *inside(variable)] if self._opened else inputs

    def steps(self, number: int) -> list[int]:
        """Those of the operands of a number that are inside of it."""
        return [self[x] for x in inside(self.variables[number])] if self._opened else []

    def below(self, roots: Iterable[int], most: int | None = None) -> list[int]:
        """Every number at or below some roots, nearest first, at most so many."""
        order = list(dict.fromkeys(roots))
        seen = set(order)
        for number in order:
            for operand in self.operands(number):
                if operand not in seen and (most is None or len(order) < most):
                    seen.add(operand)
                    order.append(operand)
        return order

    def narrowed(self, old: int, new: int) -> tuple[int, int]:
        """The subgraphs in which two numbers differ: below operators that differ in one operand."""
        while len(differ := self.different(old, new)) == 1:
            ((old, new),) = differ
        return old, new

    def different(self, old: int, new: int) -> list[tuple[int, int]]:
        """The operands in which two numbers of one operator differ, none where it is not one."""
        left, right = self.variables[old].owner, self.variables[new].owner
        if left is None or right is None or left.op != right.op:
            return []
        if len(left.inputs) != len(right.inputs):
            return []
        pairs = zip(self.operands(old), self.operands(new), strict=False)
        return [pair for pair in pairs if pair[0] != pair[1]]

    def replaced(self, roots: Sequence[int], old: int, new: int) -> list[int]:
        """The roots with one subgraph in place of another, everything above it built anew.

        Parameters
        ----------
        roots : sequence of int
            The outputs.
        old, new : int
            Numbers of this structure; types may differ in what is known of the shape.

        Returns
        -------
        list of int
        """
        now = {old: new}
        # Ascending numbers are bottom up.
        for number in sorted(self.below(roots)):
            if number not in now and any(x in now for x in self.operands(number)):
                variable = self.variables[number]
                node = variable.owner
                inputs = [self.variables[now.get(x, x)] for x in self.operands(number)]
                again = node.clone_with_new_inputs(inputs, strict=False)
                (now[number],) = self.add([again.outputs[node.outputs.index(variable)]])
        return [now.get(root, root) for root in roots]
