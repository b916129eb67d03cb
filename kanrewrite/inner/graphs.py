"""Ops with a graph inside, and the same Op around another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Variable, clone_get_equiv
from aesara.graph.fg import FunctionGraph
from aesara.graph.op import Op
from aesara.scan.op import Scan

Graph = Variable[Any, Any]


def has_inner_graph(op: Op) -> bool:
    """Whether this is a loop or an Op made from a graph."""
    return isinstance(op, Scan | OpFromGraph)


def copied(op: Any) -> FunctionGraph:
    """A copy of an Op's inner graph, over inputs of its own."""
    inputs = [v.type() for v in op.inner_inputs]
    given = dict(zip(op.inner_inputs, inputs, strict=True))
    clone_get_equiv(
        op.inner_inputs, op.inner_outputs, copy_inputs=False, copy_orphans=False, memo=given
    )
    return FunctionGraph(inputs, [given[v] for v in op.inner_outputs], clone=False)


def rebuilt(op: Any, inputs: Sequence[Graph], outputs: Sequence[Graph], mode: Any = None) -> Op:
    """The same Op around another inner graph.

    Parameters
    ----------
    op : Scan or OpFromGraph
        The original.
    inputs, outputs
        The new inner graph.
    mode : Mode, optional
        In which a loop's step is compiled, instead of the original's.
    """
    if isinstance(op, Scan):
        return Scan(
            list(inputs),
            list(outputs),
            op.info,
            mode=op.mode if mode is None else mode,
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
