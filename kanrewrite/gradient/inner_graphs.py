"""Ops with a graph inside: loops, and Ops made from a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import io_toposort
from aesara.graph.op import Op
from aesara.scan.op import Scan

from kanrewrite.gradient.names import Var
from kanrewrite.gradient.path import continuous, substituted


def has_inner_graph(op: Op) -> bool:
    """Whether this is a loop or an Op made from a graph."""
    return isinstance(op, Scan | OpFromGraph)


def fresh_inner_graph(op: Any, outputs: Sequence[Var]) -> tuple[list[Var], list[Var]]:
    """`outputs`, made of an Op's inner inputs, in terms of new variables."""
    inputs = [v.type() for v in op.inner_inputs]
    given = dict(zip(op.inner_inputs, inputs, strict=True))
    return inputs, substituted(list(outputs), given)


def rebuilt(op: Any, inputs: Sequence[Var], outputs: Sequence[Var]) -> Op:
    """The same Op around another inner graph.

    Parameters
    ----------
    op : Scan or OpFromGraph
        The original.
    inputs, outputs
        The new inner graph.
    """
    if isinstance(op, Scan):
        return Scan(
            list(inputs),
            list(outputs),
            op.info,
            mode=op.mode,
            truncate_gradient=op.truncate_gradient,
            name=op.name,
            profile=op.profile,
            allow_gc=op.allow_gc,
            strict=op.strict,
        )
    return OpFromGraph(
        list(inputs),
        list(outputs),
        inline=op.is_inline,
        lop_overrides=op.lop_overrides,
        grad_overrides=op.grad_overrides,
        rop_overrides=op.rop_overrides,
        name=op.name,
        **op.kwargs,
    )


def moving_inside(op: Any, inputs: Sequence[Var], moving: set[Var]) -> set[Var]:
    """The inner inputs that depend on something outside.

    Parameters
    ----------
    op : Scan or OpFromGraph
        The Op.
    inputs
        Those of its node.
    moving
        What moves outside.

    Returns
    -------
    set of Variable
        With the results of one step of a loop that enter the next one.
    """
    if not isinstance(op, Scan):
        pairs = zip(op.inner_inputs, inputs, strict=True)
        return {inner for inner, outer in pairs if outer in moving}
    mappings = op.get_oinp_iinp_iout_oout_mappings()
    outer_of = mappings["outer_inp_from_inner_inp"]
    inside = {v for i, v in enumerate(op.inner_inputs) if inputs[outer_of[i]] in moving}
    return _closed_under_steps(op, mappings["inner_inp_from_inner_out"], inside)


def _closed_under_steps(op: Any, enters: dict[int, list[int]], inside: set[Var]) -> set[Var]:
    while True:
        reached = set(inside)
        for node in io_toposort([], op.inner_outputs):
            if not reached.isdisjoint(node.inputs):
                reached.update(filter(continuous, node.outputs))
        entered = {
            op.inner_inputs[i]
            for o, inner in enters.items()
            if op.inner_outputs[o] in reached
            for i in inner
        }
        if entered <= inside:
            return inside
        inside = inside | entered
