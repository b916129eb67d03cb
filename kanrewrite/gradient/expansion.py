"""Expansion: from derivatives that wait in a rewritten graph to explicit ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, groupby
from typing import Any

from aesara.gradient import NullTypeGradError
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.scan.op import Scan
from aesara.tensor.rewriting.shape import ShapeFeature

from kanrewrite.gradient.inner_graphs import fresh_inner_graph
from kanrewrite.gradient.jax_native import SEALED, sealed
from kanrewrite.gradient.marks import Identity, release
from kanrewrite.gradient.memory import Memory, forget
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.opening import can_be_opened, open_derivatives, substitute
from kanrewrite.gradient.ops import Derivative, Gradient
from kanrewrite.gradient.path import substituted
from kanrewrite.inner.graphs import rebuilt

#: Rewrites a graph in place: canonicalization, and the library where it is enabled.
Passes = Callable[[FunctionGraph], None]


def has_derivatives(nodes: Iterable[Node]) -> bool:
    """Whether a derivative waits in the graph, loops not looked into."""
    return any(isinstance(node.op, Derivative) for node in nodes)


def expand(fgraph: FunctionGraph, passes: Passes, native: bool = False) -> None:
    """Write out every derivative of a graph that was rewritten once, inner ones first.

    Parameters
    ----------
    fgraph
        The graph, changed in place.
    passes
        Run between the orders of derivatives, so that the second one differentiates the
        stabilized first one, and at the end.
    native
        Whether to leave to the backend what it can differentiate itself.
    """
    memory = forget(fgraph)
    open_derivatives(fgraph)
    if not _waiting_or_marked(fgraph):
        return
    while ready := _innermost(fgraph):
        ready = [node for node in ready if not (native and _left_to_jax(fgraph, node, memory))]
        for _, nodes in groupby(sorted(ready, key=_rank(ready)), key=_rank(ready)):
            _expand_together(fgraph, list(nodes), memory)
        if ready and has_derivatives(fgraph.apply_nodes):
            passes(fgraph)
            memory = forget(fgraph)
    release(fgraph)
    passes(fgraph)


def _waiting_or_marked(fgraph: FunctionGraph) -> bool:
    return any(isinstance(n.op, Derivative | Identity) for n in fgraph.apply_nodes)


def _innermost(fgraph: FunctionGraph) -> list[Node]:
    """The derivatives that are made of no other derivative."""
    behind: set[Var] = set()
    found = []
    for node in fgraph.toposort():
        covered = any(v in behind for v in node.inputs)
        waits = isinstance(node.op, Derivative) and node.op.handles != SEALED
        if waits and not covered:
            found.append(node)
        if covered or waits:
            behind.update(node.outputs)
    return found


def _left_to_jax(fgraph: FunctionGraph, node: Node, memory: Memory | None) -> bool:
    ends = node.op.held(node.inputs)
    # What JAX differentiates it also runs: it can be given the safe graph or the smooth one.
    pieces = memory is not None and memory.smooth(*ends) != ends
    new = None if pieces else sealed(node)
    if new is not None:
        substitute(fgraph, node, new, "leave_derivative_to_jax")
    return new is not None


def _rank(ready: list[Node]) -> Callable[[Node], int]:
    """Numbers that are equal for derivatives of the same outputs at the same point."""
    ranks: dict[tuple[object, ...], int] = {}
    rank_of = {node: ranks.setdefault(_what(node), len(ranks)) for node in ready}
    return rank_of.__getitem__


def _what(node: Node) -> tuple[object, ...]:
    """Equal for derivatives that one sweep computes: in reverse mode, whatever `wrt` are."""
    op = node.op
    outputs, wrt, stops = op.held(node.inputs)
    point = op.split(node.inputs)[2]
    fixed = outputs if isinstance(op, Gradient) else [*outputs, *wrt]
    return (type(op), *map(id, fixed), "", *map(id, stops), *map(_identity, point))


def _identity(v: Var) -> object:
    return (v.type, v.data.tobytes()) if hasattr(v, "data") and v.ndim == 0 else id(v)


def _expand_together(fgraph: FunctionGraph, nodes: list[Node], memory: Memory | None) -> None:
    """Write out derivatives of the same outputs at the same point in one sweep."""
    try:
        news = _in_one_sweep(nodes, memory)
    except (NotImplementedError, NullTypeGradError):
        # A rewrite of the forward graph has brought in an Op without a gradient. What the user
        # wrote has one: it was looked for when the derivative was asked for.
        news = [node.op.written_out(node.inputs) for node in nodes]
    for node, new in zip(nodes, news, strict=True):
        substitute(fgraph, node, node.op.of_declared_type(new), "expand_derivative")


def _in_one_sweep(nodes: list[Node], memory: Memory | None) -> list[list[Var]]:
    first = nodes[0]
    outputs, wrt, stops = first.op.held(first.inputs)
    point = first.op.split(first.inputs)[2]
    roots = [node.op.held(node.inputs)[1] for node in nodes]
    if isinstance(first.op, Gradient):
        wrt = list(dict.fromkeys(chain(*roots)))
    made = (outputs, wrt, stops) if memory is None else memory.smooth(outputs, wrt, stops)
    found = first.op.explicit(made[0], made[1], point, made[2])
    if not isinstance(first.op, Gradient):
        return [found] * len(nodes)
    result_of = dict(zip(wrt, found, strict=True))
    return [[result_of[v] for v in vs] for vs in roots]


# -- inner graphs of loops


def expand_in_loops(fgraph: FunctionGraph, passes: Passes) -> None:
    """Write out the derivatives inside loops, before Aesara moves computations out of them.

    Parameters
    ----------
    fgraph
        The outer graph, changed in place.
    passes
        Run on a derivative's own forward graph before and after its expansion.
    """
    for node in fgraph.toposort():
        if isinstance(node.op, Scan) and _holds_derivatives(node.op):
            op = _expanded_loop(node.op, passes)
            substitute(fgraph, node, op.make_node(*node.inputs).outputs, "expand_in_loop")


def _holds_derivatives(op: Any) -> bool:
    ops = [node.op for node in op.fgraph.apply_nodes]
    return any(
        isinstance(o, Derivative) or (isinstance(o, Scan) and _holds_derivatives(o)) for o in ops
    )


def _expanded_loop(op: Scan, passes: Passes) -> Op:
    inner = FunctionGraph(*fresh_inner_graph(op, op.inner_outputs), clone=False)
    expand_in_loops(inner, passes)
    nodes = [node for node in inner.toposort() if isinstance(node.op, Derivative)]
    faithful = [can_be_opened(node) for node in nodes]
    for node, keeps in zip(nodes, faithful, strict=True):
        written = _expanded_apart if keeps else _written_out
        substitute(inner, node, written(node, passes), "expand_derivative")
    return rebuilt(op, inner.inputs, inner.outputs)


def _written_out(node: Node, _: Passes) -> list[Var]:
    return list(node.op.written_out(node.inputs))


def _expanded_apart(node: Node, passes: Passes) -> list[Var]:
    """A derivative expanded in a graph of its own, in terms of the node's inputs.

    The rest of a loop's inner graph is left as it is: Aesara's rewrites of loops expect it so.
    """
    op = node.op
    entering, _, point, _ = op.split(node.inputs)
    roots = [*op.path.inputs, *(t() for t in op.point_types)]
    point_roots = roots[len(op.path.inputs) :]
    results = op.make_node(*op.path.inputs, *op.path.trail, *point_roots).outputs
    fgraph = FunctionGraph(roots, results, clone=True, copy_inputs=False)
    fgraph.attach_feature(ShapeFeature())
    expand_in_loops(fgraph, passes)
    open_derivatives(fgraph)
    passes(fgraph)
    expand(fgraph, passes)
    given = dict(zip(fgraph.inputs, [*entering, *point], strict=True))
    return substituted(fgraph.outputs, given)
