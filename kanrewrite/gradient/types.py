"""The types of gradients, known without building the gradients."""

from __future__ import annotations

import aesara.scalar as aes
from aesara.scalar.math import Sigmoid, Softplus
from aesara.tensor.basic import Alloc
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.math import Dot, Sum
from aesara.tensor.shape import Reshape
from aesara.tensor.special import LogSoftmax, Softmax
from aesara.tensor.subtensor import Subtensor

from kanrewrite.gradient.names import Node
from kanrewrite.gradient.ops import Derivative
from kanrewrite.gradient.path import Path, continuous

#: Elementwise functions whose gradients exist, have the dtype of their arguments, and whose
#: gradients' gradients do too.
REGULAR_SCALARS = (
    aes.Add,
    aes.Mul,
    aes.Sub,
    aes.TrueDivide,
    aes.Neg,
    aes.Exp,
    aes.Expm1,
    aes.Log,
    aes.Log1p,
    aes.Log2,
    aes.Sqrt,
    aes.Sqr,
    aes.Reciprocal,
    aes.Pow,
    aes.Sin,
    aes.Cos,
    aes.Sinh,
    aes.Cosh,
    aes.Tanh,
    aes.Abs,
    aes.ScalarMaximum,
    aes.ScalarMinimum,
    Sigmoid,
    Softplus,
    aes.Second,
)

#: Other Ops of the same kind. (Join and Switch forget static shapes in their gradients.)
REGULAR_OPS = (Sum, DimShuffle, Dot, Reshape, Subtensor, Softmax, LogSoftmax, Alloc)


def gradients_are_like_variables(path: Path) -> bool:
    """Whether every gradient certainly exists and has the type of its variable.

    That is so when the path consists of Ops that are known to be regular and is of one
    floating dtype throughout. (With two, Aesara's gradient of ``x * y`` in a float32 ``x`` is
    float64 and that of ``x + y`` is float32.)

    Parameters
    ----------
    path
        What is differentiated with respect to what.

    Returns
    -------
    bool
        False if nothing is known without building the gradient.
    """
    found = {
        v.type.dtype
        for node in path.nodes
        for v in (*node.inputs, *node.outputs)
        if continuous(v) and hasattr(v.type, "dtype")
    }
    ends = (*path.outputs, *path.wrt)
    found.update(str(getattr(v.type, "dtype", None)) for v in ends)
    return len(found) == 1 and found.pop().startswith("float") and all(map(_regular, path.nodes))


def _regular(node: Node) -> bool:
    op = node.op
    if isinstance(op, Elemwise):
        return isinstance(op.scalar_op, REGULAR_SCALARS)
    if isinstance(op, Derivative):
        return gradients_are_like_variables(op.path)
    return type(op) in REGULAR_OPS
