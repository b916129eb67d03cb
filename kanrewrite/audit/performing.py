"""Elementwise operators without C code: Python's functions, called once for alike operands.

Where NumPy has no such function, Aesara calls one of Python for each element: a softplus of 50,000
takes a second.  The arrays that an audit tries hold few numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from aesara.graph.basic import Apply
from aesara.tensor.elemwise import Elemwise

from kanrewrite.audit.blocks import MANY
from kanrewrite.audit.inputs import Array
from kanrewrite.registry.wide import MOST


class Once:
    """A function of elements, called once for those that are alike to the last bit.

    Parameters
    ----------
    function : ufunc
    """

    def __init__(self, function: np.ufunc):
        self.function = function
        self.nout = function.nout

    def __call__(self, *arrays: Array) -> Any:
        """An array of objects, or a tuple of them if there are many results."""
        shape = np.broadcast_shapes(*(np.shape(a) for a in arrays))
        if np.prod(shape, dtype=float) <= MANY:
            return self.function(*arrays)
        flat = [np.broadcast_to(a, shape).ravel() for a in arrays]
        first, where = _alike(flat)
        results = self.function(*(a[first] for a in flat))
        if self.nout == 1:
            return results[where].reshape(shape)
        return tuple(result[where].reshape(shape) for result in results)


def _alike(columns: Sequence[Array]) -> tuple[Array, Array]:
    """The first of the rows of each kind, and for each row of which kind it is."""
    kind = np.zeros(1, "int64")
    for column in columns:
        values, place = np.unique(column.view(f"u{column.itemsize}"), return_inverse=True)
        kind = kind * len(values) + place
    _, first, where = np.unique(kind, return_index=True, return_inverse=True)
    return first, where


def performed(node: Apply[Any]) -> Apply[Any]:
    """A node that computes the same as another one, faster where Python computes the elements."""
    op = node.op
    if not isinstance(op, Elemwise) or op.inplace_pattern or len(node.inputs) >= MOST - 1:
        return node
    native = getattr(op.scalar_op, "nfunc_spec", None)
    if (native and native[1] == len(node.inputs)) or not node.inputs or not _is_plain(node):
        return node
    own = Elemwise(op.scalar_op, name=op.name)
    own.ufunc = Once(np.frompyfunc(op.scalar_op.impl, len(node.inputs), op.scalar_op.nout))
    return Apply(own, node.inputs, [out.clone() for out in node.outputs])


def _is_plain(node: Apply[Any]) -> bool:
    """Whether all operands are real numbers: bits of 8 bytes at most."""
    return all(str(v.type.dtype).startswith(("float", "int", "uint", "bool")) for v in node.inputs)
