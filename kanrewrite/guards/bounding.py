"""The bounds of what is computed, as floats: of every element, whatever the inputs are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aesara.scalar.basic as scalars
import numpy as np
from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.op import HasInnerGraph
from aesara.ifelse import IfElse
from aesara.tensor.basic import Alloc, Join, ScalarFromTensor, Split, TensorFromScalar
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import Dot, Max, MaxAndArgmax, Min, Prod, Sum
from aesara.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape, Unbroadcast
from aesara.tensor.special import LogSoftmax, Softmax
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)

from kanrewrite.guards.bounds import (
    DOWN,
    NONE,
    SHARE,
    UP,
    Bounds,
    applied,
    assumed,
    common,
    multiplied,
    of_data,
    raised,
    settled,
    squared,
)
from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]
#: What moves elements of its first operand.
_MOVES = (
    Subtensor, AdvancedSubtensor, AdvancedSubtensor1, DimShuffle, Reshape, SpecifyShape,
    Unbroadcast, Alloc, Split, TensorFromScalar, ScalarFromTensor, Max, Min,
)  # fmt: skip
_PUTS = (IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)
#: What makes no other numbers, so that whole numbers do not wrap around.
_CHOOSING = (T.maximum, T.minimum, T.clip, T.switch, T.fill)


Results = Callable[[Apply[Any], "BoundsOf"], Sequence[Bounds]]


class BoundsOf:
    """Bounds of variables, each worked out once.

    Parameters
    ----------
    results
        Tells the bounds of what an Op with an inner graph makes.
    given
        The bounds of some variables.
    """

    def __init__(
        self,
        results: Results = lambda node, _: [NONE] * len(node.outputs),
        given: Mapping[Graph, Bounds] | None = None,
    ):
        self._results = results
        self._known: dict[Graph, Bounds] = dict(given or {})

    def __call__(self, variable: Graph) -> Bounds:
        """What is known of a variable."""
        stack = [variable]  # graphs are deeper than Python's stack
        while stack:
            v = stack[-1]
            left = [i for i in _operands(v) if i not in self._known]
            stack.extend(left)
            if not left:
                self._work_out(stack.pop())
        return self._known[variable]

    def _work_out(self, v: Graph) -> None:
        node = v.owner
        if v in self._known:
            return
        if node is None:
            self._known[v] = _of_input(v)
        elif assumed(v) != NONE:
            self._known[v] = assumed(v)
        elif isinstance(node.op, HasInnerGraph) and not isinstance(node.op, Elemwise):
            self._known |= zip(node.outputs, self._results(node, self), strict=True)
        else:
            self._known |= {out: self._made(node, out) for out in node.outputs}

    def _made(self, node: Apply[Any], out: Graph) -> Bounds:
        dtype = _dtype(out)
        if dtype == "bool":
            return SHARE
        if dtype.startswith("uint") or isinstance(node.op, Shape | Shape_i):
            return UP
        operands = [self._known[v] for v in node.inputs]
        if isinstance(node.op, MaxAndArgmax):
            return operands[0] if out is node.outputs[0] else UP
        if isinstance(node.op, Elemwise):
            return _of_elementwise(node, operands, dtype)
        if isinstance(node.op, _MOVES):
            return operands[0]
        if isinstance(node.op, Join | IfElse):
            return common(operands[1:])
        if isinstance(node.op, _PUTS):
            return (common if node.op.set_instead_of_inc else _together)(operands[:2])
        if isinstance(node.op, Dot | BatchedDot):
            return _together([multiplied(operands)])
        if isinstance(node.op, Sum | Prod | CumOp):
            product = isinstance(node.op, Prod) or getattr(node.op, "mode", "") == "mul"
            return raised(operands[0], UP) if product else _together(operands[:1])
        rules: dict[type, Bounds] = {Softmax: SHARE, LogSoftmax: DOWN}
        return rules.get(type(node.op), NONE)


def _operands(v: Graph) -> Sequence[Graph]:
    return () if v.owner is None else v.owner.inputs


def _dtype(v: Graph) -> str:
    return str(getattr(v.type, "dtype", ""))


def _of_input(v: Graph) -> Bounds:
    if isinstance(v, Constant):
        return of_data(v.data)
    return UP if _dtype(v).startswith(("uint", "bool")) else assumed(v)


def _together(each: Sequence[Bounds]) -> Bounds:
    """What is known of a sum of any number of what is bounded, of none too."""
    found = common(each)
    return Bounds(0.0 if found.low >= 0 else -np.inf, 0.0 if found.high <= 0 else np.inf)


def _of_elementwise(node: Apply[Any], operands: Sequence[Bounds], dtype: str) -> Bounds:
    op = operator_of(node.op)
    if isinstance(node.op.scalar_op, scalars.Cast):
        return settled(operands[0], dtype) if _is_float(dtype) else NONE
    if not _is_float(dtype) and op not in _CHOOSING:
        return NONE  # it may wrap around
    if op is T.mul and len(operands) == 2 and node.inputs[0] is node.inputs[1]:
        return settled(squared(operands[0]), dtype)
    if op is T.true_div and operands[0].low >= 0 and _is_sum_of(*node.inputs):
        return SHARE
    if op is T.pow:
        return raised(operands[0], operands[1], _is_even(node.inputs[1]))
    return applied(op, operands, dtype)


def _is_sum_of(v: Graph, total: Graph) -> bool:
    """Whether a variable is the sum of another one, along some axes."""
    while total.owner is not None and isinstance(total.owner.op, DimShuffle):
        total = total.owner.inputs[0]
    return total.owner is not None and isinstance(total.owner.op, Sum) and total.owner.inputs == [v]


def _is_float(dtype: str) -> bool:
    return dtype.startswith("float")


def _is_even(power: Graph) -> bool:
    while power.owner is not None and isinstance(power.owner.op, DimShuffle):
        power = power.owner.inputs[0]
    return isinstance(power, Constant) and bool(np.all(np.mod(power.data, 2) == 0))
