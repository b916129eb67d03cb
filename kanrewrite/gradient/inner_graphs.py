"""Ops with a graph inside: loops, and Ops made from a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesara.graph.basic import io_toposort
from aesara.scan.op import Scan

from kanrewrite.gradient.names import Var
from kanrewrite.gradient.path import continuous, substituted


def fresh_inner_graph(op: Any, outputs: Sequence[Var]) -> tuple[list[Var], list[Var]]:
    """`outputs`, made of an Op's inner inputs, in terms of new variables."""
    inputs = [v.type() for v in op.inner_inputs]
    given = dict(zip(op.inner_inputs, inputs, strict=True))
    return inputs, substituted(list(outputs), given)


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
