"""Elementwise nodes of very many operands that Python computes.

NumPy's ufuncs take fewer than 32 operands, so Aesara makes none for a node that has more, and such
a node fails where there is no C compiler.  Fusion makes them out of long sums and of the lengths
of nested loops.  Here they get a function that computes what the ufunc would.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.tensor.elemwise import Elemwise

#: As many operands, with results, as a ufunc takes.
MOST = 32


class Wide:
    """A scalar function over arrays that are broadcast, as `numpy.frompyfunc` makes them.

    Parameters
    ----------
    scalar_op : ScalarOp
        It computes one element.
    """

    def __init__(self, scalar_op: Any):
        self.scalar_op = scalar_op
        self.nout: int = scalar_op.nout

    def __call__(self, *arrays: Any) -> Any:
        """An array of objects, of the shape that broadcasting gives; a tuple of many results."""
        shape = np.broadcast_shapes(*(np.shape(a) for a in arrays))
        columns = [np.broadcast_to(a, shape).astype(object).ravel() for a in arrays]
        rows = [self.scalar_op.impl(*row) for row in zip(*columns, strict=True)]
        if self.nout == 1:
            return _array(rows, shape)
        return tuple(_array([row[n] for row in rows], shape) for n in range(self.nout))


def _array(values: list[Any], shape: tuple[int, ...]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)


class WidePass(GraphRewriter):
    """Gives nodes with too many operands for a ufunc something to be computed by."""

    name = "kanrewrite_wide"

    def apply(self, fgraph: FunctionGraph) -> None:
        """Tag the nodes of a function graph, which stays what it is."""
        for node in fgraph.apply_nodes:
            if isinstance(node.op, Elemwise) and len(node.inputs) >= MOST:
                node.tag.ufunc = Wide(node.op.scalar_op)
