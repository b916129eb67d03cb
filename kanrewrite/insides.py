"""What is inside of loops and of Ops made from graphs, for whoever walks or shows a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aesara.graph.basic import Apply, Constant, Variable, io_toposort
from aesara.graph.op import HasInnerGraph
from aesara.scalar.basic import ScalarOp
from aesara.scan.op import Scan
from aesara.tensor.subtensor import IncSubtensor, Subtensor

Graph = Variable[Any, Any]


def has_inside(op: Any) -> bool:
    """Whether an Op is a loop or made from a graph of tensors; made from scalars it is one."""
    return isinstance(op, HasInnerGraph) and not isinstance(op, ScalarOp)


def inside(variable: Graph) -> list[Graph]:
    """What a step of a loop, or an Op made from a graph, computes for a variable; else nothing."""
    node = variable.owner
    if node is None or not has_inside(node.op):
        return []
    name_inputs(node)
    index = node.outputs.index(variable)
    if not isinstance(node.op, Scan):
        return [node.op.inner_outputs[index]]
    places = node.op.get_oinp_iinp_iout_oout_mappings()["inner_out_from_outer_out"][index]
    return [node.op.inner_outputs[n] for n in places]


def nodes_within(outputs: Sequence[Graph]) -> Iterator[Apply[Any]]:
    """The nodes of a graph and of the graphs inside its Ops, operands first."""
    seen: list[Any] = []
    for node in io_toposort([], list(outputs)):
        if has_inside(node.op) and not any(node.op is op for op in seen):
            seen.append(node.op)
            name_inputs(node)
            yield from nodes_within(node.op.inner_outputs)
        yield node


def name_inputs(node: Apply[Any]) -> None:
    """Name what a step reads after what it is outside: ``x[t]``, or ``s[t-1]`` for a state.

    What Aesara, or a user, has named keeps its name.
    """
    op: Any = node.op
    for inner, text in _texts(node) if isinstance(op, Scan) else _pairs(op, node):
        if inner.name is None and not isinstance(inner, Constant):
            inner.name = text


def _pairs(op: Any, node: Apply[Any]) -> Iterator[tuple[Graph, str | None]]:
    for inner, outer in zip(op.inner_inputs, node.inputs, strict=False):
        yield inner, outer.name


def _texts(node: Apply[Any]) -> Iterator[tuple[Graph, str | None]]:
    op: Any = node.op
    inner = op.inner_inputs
    for v, outer in zip(op.inner_seqs(inner), op.outer_seqs(node.inputs), strict=True):
        yield v, f"{_name(outer) or 'sequence'}[t]"
    for v, outer in zip(op.inner_non_seqs(inner), op.outer_non_seqs(node.inputs), strict=True):
        yield v, outer.name
    info = op.info
    taps = (*info.mit_mot_in_slices, *info.mit_sot_in_slices, *info.sit_sot_in_slices)
    reads = iter(inner[info.n_seqs :])
    for number, state in enumerate(taps):
        for tap in state:
            yield next(reads), f"state{number or ''}[t{tap:+}]"


def _name(outer: Graph) -> str | None:
    """The name of what is handed over, slices and places of a buffer aside."""
    while outer.name is None and outer.owner is not None:
        if not isinstance(outer.owner.op, Subtensor | IncSubtensor):
            return None
        outer = outer.owner.inputs[0]
    return None if outer.name is None else outer.name.removesuffix("[0:]")
