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

from collections.abc import Sequence

from aesara.graph.basic import Apply, Constant, Variable, equal_computations
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import HasInnerGraph, Op
from aesara.graph.rewriting.basic import copy_stack_trace

from kanrewrite.gradient.marks import Mark, held
from kanrewrite.gradient.ops import Derivative
from kanrewrite.gradient.path import connections, continuous, path_nodes
from kanrewrite.gradient.rules import override


def open_derivatives(fgraph: FunctionGraph) -> None:
    """Open all derivatives of a graph that no rewrite has touched yet.

    Parameters
    ----------
    fgraph
        The graph, changed in place.
    """
    nodes = [n for n in fgraph.toposort() if isinstance(n.op, Derivative) and not n.op.is_open]
    # All are judged before one is changed: a derivative may lie on the path of another.
    faithful = [is_faithful(node) for node in nodes]
    for node, keeps in zip(nodes, faithful, strict=True):
        new = opened(fgraph, node) if keeps else node.op.written_out(node.inputs)
        substitute(fgraph, node, new, "open_derivative")


def substitute(
    fgraph: FunctionGraph, node: Apply, new: Sequence[Variable], reason: str
) -> None:
    """Replace a node's outputs, stack traces and names included."""
    for old, result in zip(node.outputs, new, strict=True):
        copy_stack_trace(old, result)
        fgraph.replace(old, result, reason=reason, import_missing=True)


def is_faithful(node: Apply) -> bool:
    """Whether the graph around a derivative still is what the user differentiated."""
    path = node.op.path
    entering, trail, _, _ = node.op.split(node.inputs)
    outer = dict(zip((*path.inputs, *path.trail), entering + trail, strict=True))
    return all(_same_node(inner, outer) for inner in path.nodes)


def _same_node(inner: Apply, outer: dict[Variable, Variable]) -> bool:
    made = [outer[v] for v in inner.outputs]
    owner = made[0].owner
    return (
        owner is not None
        and list(owner.outputs) == made
        and _same_op(inner.op, owner.op)
        and len(inner.inputs) == len(owner.inputs)
        and all(_same(outer.get(i, i), o) for i, o in zip(inner.inputs, owner.inputs))
    )


def _same(a: Variable, b: Variable) -> bool:
    if a is b:
        return True
    return isinstance(a, Constant) and isinstance(b, Constant) and bool(a.equals(b))


def _same_op(a: Op, b: Op) -> bool:
    if a == b:
        return True
    if type(a) is not type(b) or not isinstance(a, HasInnerGraph):
        return False
    return bool(
        equal_computations(a.inner_outputs, b.inner_outputs, a.inner_inputs, b.inner_inputs)
    )


def opened(fgraph: FunctionGraph, node: Apply) -> list[Variable]:
    """The outputs of an open derivative for this one.

    Parameters
    ----------
    fgraph
        The graph, which is only read.
    node
        A derivative whose path is intact.
    """
    path = node.op.path
    entering, trail, point, _ = node.op.split(node.inputs)
    outer = dict(zip((*path.inputs, *path.trail), entering + trail, strict=True))
    outputs = [outer.get(v, v) for v in path.outputs]
    wrt = [outer.get(v, v) for v in path.wrt]
    outputs, wrt = _Way(fgraph, entering, outputs, wrt).protected()
    outputs, wrt = override(outputs, wrt)
    op = node.op.opened(len(outputs) + len(wrt))
    new: list[Variable] = op.make_node(*entering, *point, *outputs, *wrt).outputs
    return new


class _Way:
    """The way from `wrt` to `outputs` in a graph, and what on it needs protection."""

    def __init__(
        self,
        fgraph: FunctionGraph,
        entering: Sequence[Variable],
        outputs: Sequence[Variable],
        wrt: Sequence[Variable],
    ):
        self.outputs, self.wrt, self.leaves = list(outputs), list(wrt), set(entering)
        moving = _moving(fgraph, wrt)
        self.unsafe_roots = {v for v in wrt if v.owner is not None or isinstance(v, Constant)}
        self.stops = {
            v for v in entering if v in moving and v not in wrt and v.owner is not None
        }
        self.nodes = path_nodes(outputs, wrt, self.leaves, connections)
        self.env: dict[Variable, Variable] = {}
        self.marked: dict[Variable, Variable] = {}

    def protected(self) -> tuple[list[Variable], list[Variable]]:
        """Outputs and variables of the way, marked where that is needed."""
        for node in self.nodes:
            self._visit(node)
        wrt = [self._read(v) if v in self.unsafe_roots else v for v in self.wrt]
        return [self.env.get(v, v) for v in self.outputs], wrt

    def _visit(self, node: Apply) -> None:
        inputs = [self._read(v) for v in node.inputs]
        op = held(node.op)
        if op is not node.op:
            outputs = op.make_node(*inputs).outputs
        elif any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            outputs = node.clone_with_new_inputs(inputs).outputs
        else:
            return
        self.env.update(zip(node.outputs, outputs, strict=True))

    def _read(self, v: Variable) -> Variable:
        """A variable as the nodes of the way shall read it."""
        if v not in self.unsafe_roots and v not in self.stops:
            return v if v in self.leaves else self.env.get(v, v)
        if v not in self.marked:
            stop = v in self.stops
            self.marked[v] = Mark(stop)(v if v in self.leaves else self.env.get(v, v))
        return self.marked[v]


def _moving(fgraph: FunctionGraph, wrt: Sequence[Variable]) -> set[Variable]:
    """What depends on `wrt` through continuous values."""
    moving, todo = set(wrt), list(wrt)
    while todo:
        for client, _ in fgraph.clients.get(todo.pop(), ()):
            if isinstance(client, Apply):
                new = [v for v in client.outputs if v not in moving and continuous(v)]
                moving.update(new)
                todo.extend(new)
    return moving
