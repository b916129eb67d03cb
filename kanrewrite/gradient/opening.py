"""Opening: from a derivative that the user holds to one inside a graph under rewriting.

Between the beginning of a compilation and the expansion of derivatives, Aesara and the library
rewrite the forward graph. A derivative must see the result, and must not be misled by it: two
equal variables are merged, an identity with a special gradient is removed, a product is
rearranged around the intermediate variable that is differentiated. So, first of all, before any
rewrite,

- a derivative whose path is still the user's reads the graph that is being rewritten, through
  handles; and where something on the way is not safe from rewriting, it reads a copy of the way
  in which marks hold it, until the marks are released after expansion;
- a derivative whose path was altered (``givens`` for an intermediate variable) is written out,
  in terms of the values given, as it would have been by ``aesara.grad``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any

from aesara.graph.basic import Apply, Constant, equal_computations
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import HasInnerGraph
from aesara.graph.rewriting.basic import copy_stack_trace

from kanrewrite.gradient.marks import Mark, held
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.ops import Derivative
from kanrewrite.gradient.override import override
from kanrewrite.gradient.path import connected, connections, continuous, path_nodes


def open_derivatives(fgraph: FunctionGraph) -> None:
    """Open all derivatives of a graph that no rewrite has touched yet.

    Parameters
    ----------
    fgraph
        The graph, changed in place.
    """
    nodes = [n for n in fgraph.toposort() if isinstance(n.op, Derivative) and not n.op.is_open]
    # All are looked at before one is changed: a derivative may lie on the path of another.
    stops = [_stops(fgraph, node) if can_be_opened(node) else None for node in nodes]
    used = (n.op.number for n in fgraph.apply_nodes if isinstance(n.op, Mark))
    # From the graph, not from a global count: DebugMode compiles twice and compares.
    numbers = count(max(used, default=0) + 1)
    for node, closed in zip(nodes, stops, strict=True):
        if closed is None:
            new = node.op.written_out(node.inputs)
        else:
            new = _opened(fgraph, node, closed, numbers)
        substitute(fgraph, node, new, "open_derivative")


def substitute(fgraph: FunctionGraph, node: Node, new: Sequence[Var], reason: str) -> None:
    """Replace a node's outputs, stack traces and names included."""
    for old, result in zip(node.outputs, new, strict=True):
        copy_stack_trace(old, result)
        fgraph.replace(old, result, reason=reason, import_missing=True)


def can_be_opened(node: Node) -> bool:
    """Whether a derivative may read the graph around it.

    Not if that is no longer what the user differentiated. Nor if the user declared something
    constant on the path of another derivative: whether that one's formula reads the constant or
    what it was made of depends on how it is written, and Aesara's way of writing it is the
    agreed one.
    """
    if node.op.path.cut and any(isinstance(n.op, Derivative) for n in node.op.path.nodes):
        return False
    path = node.op.path
    entering, trail, _, _ = node.op.split(node.inputs)
    outer = dict(zip((*path.inputs, *path.trail), entering + trail, strict=True))
    return all(_same_node(inner, outer) for inner in path.nodes)


def _same_node(inner: Node, outer: dict[Var, Var]) -> bool:
    made = [outer[v] for v in inner.outputs]
    owner = made[0].owner
    return (
        owner is not None
        and list(owner.outputs) == made
        and _same_op(inner.op, owner.op)
        and len(inner.inputs) == len(owner.inputs)
        and all(_same(outer.get(i, i), o) for i, o in zip(inner.inputs, owner.inputs, strict=True))
    )


def _same(a: Var, b: Var) -> bool:
    if a is b:
        return True
    return isinstance(a, Constant) and isinstance(b, Constant) and bool(a.equals(b))


def _same_op(a: Any, b: Any) -> bool:
    if a == b:
        return True
    if type(a) is not type(b) or not isinstance(a, HasInnerGraph):
        return False
    inner: list[list[Any]] = [a.inner_outputs, b.inner_outputs, a.inner_inputs, b.inner_inputs]
    return bool(equal_computations(*inner))


def _stops(fgraph: FunctionGraph, node: Node) -> list[int]:
    """Which of the inputs of a path derivatives must not pass, although they could."""
    path = node.op.path
    entering, trail, _, _ = node.op.split(node.inputs)
    outer = dict(zip((*path.inputs, *path.trail), entering + trail, strict=True))
    roots = {outer[v] for v in path.wrt}
    moving = _moving(fgraph, roots)
    passing = set(connected(path.outputs, path.inputs))
    return [
        i
        for i, (inner, v) in enumerate(zip(path.inputs, entering, strict=True))
        if inner in passing and v in moving and v not in roots and v.owner is not None
    ]


def _opened(
    fgraph: FunctionGraph, node: Node, stops: Sequence[int], numbers: Iterator[int]
) -> list[Var]:
    """The outputs of an open derivative for this one."""
    path = node.op.path
    entering, trail, point, _ = node.op.split(node.inputs)
    outer = dict(zip((*path.inputs, *path.trail), entering + trail, strict=True))
    outputs = [outer.get(v, v) for v in path.outputs]
    wrt = [outer[v] for v in path.wrt]
    inputs = {outer[v] for v in path.wrt if v in path.inputs}
    leaves = inputs | {entering[i] for i in stops}
    way = _Way(outputs, wrt, leaves, _moving(fgraph, wrt), numbers)
    handles = override(*way.protected())
    op = node.op.opened(*map(len, handles))
    return list(op.make_node(*entering, *point, *chain(*handles)).outputs)


class _Way:
    """The way from `wrt` to `outputs` in a graph, and what on it needs protection.

    Parameters
    ----------
    outputs, wrt
        The ends.
    leaves
        What is not differentiated through.
    moving
        What depends on `wrt`, by whichever way.
    numbers
        Those of the next marks.
    """

    def __init__(
        self,
        outputs: Sequence[Var],
        wrt: Sequence[Var],
        leaves: set[Var],
        moving: set[Var],
        numbers: Iterator[int],
    ):
        self.numbers = numbers
        self.outputs, self.wrt = outputs, wrt
        self.roots = set(wrt)
        self.nodes = path_nodes(outputs, wrt, leaves)
        self.made = {v for node in self.nodes for v in node.outputs} - leaves
        # What enters the way and depends on `wrt` does so by a way that is closed to
        # derivatives; rewriting must not open it.
        self.moving = moving - self.made
        self.env: dict[Var, Var] = {}
        self.marked: dict[Var, Var] = {}

    def protected(self) -> tuple[list[Var], list[Var], list[Var]]:
        """Outputs, variables and stops of the way, marked where that is needed."""
        for node in self.nodes:
            self._visit(node)
        wrt = [self._read(v) for v in self.wrt]
        outputs = [self.env.get(v, v) for v in self.outputs]
        return outputs, wrt, [mark for v, mark in self.marked.items() if v not in self.made]

    def _visit(self, node: Node) -> None:
        slots = zip(node.inputs, connections(node), strict=True)
        inputs = [self._read(v) if any(row) else v for v, row in slots]
        op = held(node.op)
        if op is not node.op:
            outputs = op.make_node(*inputs).outputs
        elif any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            outputs = node.clone_with_new_inputs(inputs).outputs
        else:
            return
        self.env.update(zip(node.outputs, outputs, strict=True))

    def _read(self, v: Var) -> Var:
        """A variable as the nodes of the way shall read it."""
        own = self.env.get(v, v) if v in self.made else v
        enters = v in self.moving and v.owner is not None
        if not enters and not (v in self.roots and (v.owner or isinstance(v, Constant))):
            return own
        if v not in self.marked:
            self.marked[v] = Mark(next(self.numbers))(own)
        return self.marked[v]


def _moving(fgraph: FunctionGraph, wrt: Iterable[Var]) -> set[Var]:
    """What depends on `wrt` through continuous values."""
    moving, todo = set(wrt), list(wrt)
    while todo:
        for client, _ in fgraph.clients.get(todo.pop(), ()):
            if isinstance(client, Apply):
                new = [v for v in client.outputs if v not in moving and continuous(v)]
                moving.update(new)
                todo.extend(new)
    return moving
