"""The signs of what is computed, as floats: of every element, whatever the inputs are.

An exponential is never negative, but not positive: its value may be 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
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
from aesara.tensor.math import Dot, Max, Min, Prod, Sum
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

from kanrewrite.guards.values import Fact, Facts, assumed
from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]
Rule = Callable[[Sequence[Facts]], Facts]

NONE: Facts = Facts()
UP: Facts = frozenset({"nonnegative"})
OVER: Facts = frozenset({"nonnegative", "positive"})
DOWN: Facts = frozenset({"nonpositive"})
ZERO: Facts = UP | DOWN

#: What moves elements of its first operand.
_MOVES = (
    Subtensor, AdvancedSubtensor, AdvancedSubtensor1, DimShuffle, Reshape, SpecifyShape,
    Unbroadcast, Alloc, Split, TensorFromScalar, ScalarFromTensor, Max, Min,
)  # fmt: skip
_SUMS = (Sum, CumOp)
_PUTS = (IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)


#: What has the sign of its operand, and may vanish.
_KEEPING = {T.expm1, T.log1p, T.tanh, T.sinh, T.arcsinh, T.arctan, T.erf, T.sgn, T.reciprocal}
_UPWARDS = {T.abs, T.sqr, T.sigmoid, T.softplus, T.exp, T.exp2}


class Signs:
    """Signs of variables, each worked out once.

    Parameters
    ----------
    results
        Tells the signs of what an Op with an inner graph makes.
    """

    def __init__(self, results: Callable[[Apply[Any], Signs], Sequence[Facts]]):
        self._results = results
        self._known: dict[Graph, Facts] = {}

    def __call__(self, variable: Graph) -> Facts:
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
        elif isinstance(node.op, HasInnerGraph) and not isinstance(node.op, Elemwise):
            self._known |= zip(node.outputs, self._results(node, self), strict=True)
        else:
            self._known |= dict.fromkeys(node.outputs, self._made(node))

    def _made(self, node: Apply[Any]) -> Facts:
        if _is_unsigned(node.outputs[0]) or isinstance(node.op, Shape | Shape_i):
            return UP
        operands = [self._known[v] for v in node.inputs]
        if isinstance(node.op, Elemwise):
            return _of_elementwise(node, operands)
        if isinstance(node.op, _MOVES):
            return operands[0]
        if isinstance(node.op, Join | IfElse):
            return common(operands[1:])
        if isinstance(node.op, _SUMS):
            adds = isinstance(node.op, Sum) or node.op.mode == "add"
            return operands[0] & ZERO if adds else operands[0] & UP
        if isinstance(node.op, _PUTS):
            return common(operands[:2]) & (ZERO | OVER if node.op.set_instead_of_inc else ZERO)
        if isinstance(node.op, Dot | BatchedDot):
            return _product(operands)
        rules: dict[type, Facts] = {Softmax: UP, LogSoftmax: DOWN}
        return operands[0] & UP if isinstance(node.op, Prod) else rules.get(type(node.op), NONE)


def common(each: Iterable[Facts]) -> Facts:
    """What is known of all of some."""
    found = list(each)
    return reduce(Facts.intersection, found) if found else NONE


def _operands(v: Graph) -> Sequence[Graph]:
    return () if v.owner is None else v.owner.inputs


def _of_input(v: Graph) -> Facts:
    if not isinstance(v, Constant):
        return UP if _is_unsigned(v) else assumed(v)
    if not isinstance(v.data, np.ndarray | np.generic) or v.data.dtype.kind not in "fiub":
        return NONE
    data: Any = v.data
    asked: list[tuple[Fact, Any]] = [
        ("positive", data > 0), ("nonnegative", data >= 0), ("nonpositive", data <= 0)
    ]  # fmt: skip
    return Facts(fact for fact, holds in asked if np.all(holds))


def _is_unsigned(v: Graph) -> bool:
    return str(getattr(v.type, "dtype", "")).startswith(("uint", "bool"))


def _of_elementwise(node: Apply[Any], operands: Sequence[Facts]) -> Facts:
    op, first = operator_of(node.op), operands[0]
    if op in _RULES:
        return _RULES[op](operands)
    if op is T.mul:
        square = len(operands) == 2 and node.inputs[0] is node.inputs[1]
        return UP if square else _product(operands)
    if op in _UPWARDS:
        return OVER if op in (T.exp, T.exp2) and "nonnegative" in first else UP
    if op is T.pow:
        return UP if "nonnegative" in first or _is_even(node.inputs[1]) else NONE
    if op is T.log and _is_share(node.inputs[0]):
        return DOWN
    casts = isinstance(node.op.scalar_op, scalars.Cast)
    return first & ZERO if casts or op in _KEEPING else NONE


def _is_share(v: Graph) -> bool:
    """Whether a variable is a probability, as it is written."""
    if v.owner is None:
        return False
    sigmoid = isinstance(v.owner.op, Elemwise) and operator_of(v.owner.op) is T.sigmoid
    return sigmoid or isinstance(v.owner.op, Softmax)


def _is_even(power: Graph) -> bool:
    while power.owner is not None and isinstance(power.owner.op, DimShuffle):
        power = power.owner.inputs[0]
    return isinstance(power, Constant) and bool(np.all(np.mod(power.data, 2) == 0))


def _product(operands: Sequence[Facts]) -> Facts:
    if not all(facts & ZERO for facts in operands):
        return NONE
    if any(facts >= ZERO for facts in operands):
        return ZERO
    down = sum("nonpositive" in facts for facts in operands)
    return DOWN if down % 2 else UP


def _sum(operands: Sequence[Facts]) -> Facts:
    found = common(facts & ZERO for facts in operands)
    return OVER if "nonnegative" in found and _any_over(operands) else found


def _any_over(operands: Sequence[Facts]) -> bool:
    return any("positive" in facts for facts in operands)


def _negated(facts: Facts) -> Facts:
    turned: dict[Fact, Fact] = {"nonnegative": "nonpositive", "nonpositive": "nonnegative"}
    return Facts(turned[fact] for fact in facts & ZERO)


def _largest(operands: Sequence[Facts]) -> Facts:
    return reduce(Facts.union, operands) & OVER | common(operands) & DOWN


def _smallest(operands: Sequence[Facts]) -> Facts:
    return common(operands) & OVER | reduce(Facts.union, operands) & DOWN


_RULES: dict[Any, Rule] = {
    T.add: _sum,
    T.sub: lambda each: _sum([each[0], _negated(each[1])]),
    T.neg: lambda each: _negated(each[0]),
    T.true_div: _product,
    T.maximum: _largest,
    T.minimum: _smallest,
    T.clip: lambda each: common(each[1:]),
    T.switch: lambda each: common(each[1:]),
    T.fill: lambda each: each[1],
    T.sqrt: lambda each: each[0] & OVER,
    T.cosh: lambda each: OVER,  # it is at least 1
}
