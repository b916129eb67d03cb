"""What is proved of each part of a graph, by interval arithmetic from the inputs to the outputs.

One interval holds all elements of a tensor.  What is known beyond that: ``x - max(x)`` is not
positive, and normalised exponentials sum to one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from aesara.compile.ops import DeepCopyOp, ViewOp
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Apply, Constant, io_toposort
from aesara.raise_op import CheckAndRaise
from aesara.scalar.basic import ScalarType
from aesara.tensor import basic, extra_ops, subtensor
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.math import Argmax, Dot, Max, MaxAndArgmax, Min, Prod, Sum
from aesara.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape, Unbroadcast
from aesara.tensor.special import LogSoftmax, Softmax
from aesara.tensor.type import TensorType

from kanrewrite.audit.elementwise import reaches, rule_of
from kanrewrite.audit.inputs import Graph, Input
from kanrewrite.audit.intervals import (
    ANY,
    MOST,
    Interval,
    add,
    from_values,
    hull,
    mul,
    total,
    widened,
)
from kanrewrite.audit.result import Part
from kanrewrite.display import operator_text
from kanrewrite.ops import Supremum
from kanrewrite.ranges import limits

Rule = Callable[[Any, "Apply[Any]", list[Interval]], Interval]

#: What an operator does to the intervals of its operands, by its class.
RULES: dict[type, Rule] = {}


def _rule(*kinds: type) -> Callable[[Rule], Rule]:
    def decorate(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(kinds, rule))
        return rule

    return decorate


@dataclass(frozen=True)
class _Found:
    interval: Interval
    why: str = ""


def proved(inputs: Sequence[Input], outputs: Sequence[Graph]) -> list[Part]:
    """A verdict for each variable that a graph computes, operands first.

    Parameters
    ----------
    inputs : sequence of Input
    outputs : sequence of Variable
    """
    known = {i.variable: _Found(Interval(i.low, i.high)) for i in inputs}
    parts = []
    for node in io_toposort(list(known), list(outputs)):
        operands = [_of(v, known) for v in node.inputs]
        for out in node.outputs:
            known[out] = found = _result(node, out, operands)
            if isinstance(out.type, TensorType):
                i = found.interval
                parts.append(
                    Part(out, "proved", i.low, i.high)
                    if i.finite
                    else Part(out, "searched", why=found.why)
                )
    return parts


def _of(variable: Graph, known: dict[Graph, _Found]) -> _Found:
    if variable not in known:
        known[variable] = _Found(_leaf(variable))
    return known[variable]


def _leaf(variable: Graph) -> Interval:
    if isinstance(variable, Constant):
        value = variable.data
    elif isinstance(variable, SharedVariable):
        value = variable.get_value(borrow=True)
    else:
        return ANY
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" or not array.size:
        return ANY
    return from_values([float(array.min()), float(array.max())])


def _result(node: Apply[Any], out: Graph, operands: list[_Found]) -> _Found:
    dtype = getattr(out.type, "dtype", "")
    if not isinstance(out.type, TensorType | ScalarType) or np.dtype(dtype).kind not in "fiub":
        return _Found(ANY, f"{out.type} holds no real numbers")
    name = operator_text(node.op)
    intervals = [o.interval for o in operands]
    rule = next((RULES[k] for k in type(node.op).__mro__ if k in RULES), None)
    if isinstance(node.op, MaxAndArgmax) and out is node.outputs[1]:
        rule = _index
    if rule is None:
        return _Found(ANY, f"nothing is stated about {name}")
    found = _fitted(rule(node.op, node, intervals), dtype)
    if found.finite:
        return _Found(found)
    return _Found(found, _reason(found, name, operands))


def _fitted(found: Interval, dtype: str) -> Interval:
    """What a dtype holds of an interval: floats overflow, integers wrap."""
    least, most = limits(dtype)
    if np.dtype(dtype).kind == "f":
        low = -np.inf if found.low < least else found.low
        high = np.inf if found.high > most else found.high
        return Interval(min(low, most), max(high, least), found.nan)
    if found.low < least or found.high > most or found.nan:
        return Interval(least, most)
    return found


def _reason(found: Interval, name: str, operands: list[_Found]) -> str:
    below = next((o.why for o in operands if o.why), "")
    if below:
        return below
    if found.nan:
        return f"{name} may be nan"
    return f"{name} may be {'-inf' if found.low == -np.inf else 'inf'}"


@_rule(Elemwise)
def _elemwise(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    stated = rule_of(op.scalar_op)
    if stated is None:
        return ANY
    rule, units, low, high = stated
    found = reaches(rule, operands)
    dtype = np.dtype(cast(Any, node.outputs[0].type).dtype)
    if units and dtype.kind == "f":
        info = np.finfo(dtype)
        found = widened(found, float(info.eps), float(info.tiny), units)
    found = found.meet(low, high)
    return found.meet(high=0.0) if _less_maximum(node) else found


def _less_maximum(node: Apply[Any]) -> bool:
    """Whether it is ``x - max(x)``: not positive, in floats too."""
    if operator_text(node.op) != "sub":
        return False
    maker = _undressed(node.inputs[1]).owner
    if maker is None or not isinstance(maker.op, Max | MaxAndArgmax | Supremum):
        return False
    axes = getattr(maker.op, "axis", None)
    if maker.inputs[0] is not node.inputs[0]:
        return False
    # The maximum stands where the axes were that it is over: beside its own elements.
    return axes is None or _put_back(node.inputs[1], maker.outputs[0], maker)


def _put_back(operand: Graph, largest: Graph, maker: Apply[Any]) -> bool:
    ndim = cast(Any, maker.inputs[0].type).ndim
    given = maker.op.axis
    axes = {int(a) % ndim for a in (given if isinstance(given, tuple | list) else (given,))}
    if operand is largest:
        return bool(len(axes) == ndim)
    node = operand.owner
    if node is None or not isinstance(node.op, DimShuffle) or node.inputs[0] is not largest:
        return False
    kept = iter(range(ndim - len(axes)))
    wanted = tuple("x" if a in axes else next(kept) for a in range(ndim))
    order: tuple[Any, ...] = tuple(node.op.new_order)
    return order == wanted


def _undressed(variable: Graph) -> Graph:
    while variable.owner is not None and isinstance(variable.owner.op, DimShuffle):
        variable = variable.owner.inputs[0]
    return variable


@_rule(
    DimShuffle, Reshape, SpecifyShape, Unbroadcast, DeepCopyOp, ViewOp, CheckAndRaise,
    extra_ops.BroadcastTo, extra_ops.Repeat, basic.Alloc, basic.ScalarFromTensor,
    basic.TensorFromScalar, subtensor.Subtensor, subtensor.AdvancedSubtensor,
    subtensor.AdvancedSubtensor1, basic.ExtractDiag, basic.Split,
)  # fmt: skip
def _moved(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    return operands[0]


@_rule(basic.AllocDiag)
def _diagonal(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    return hull([operands[0], Interval(0.0, 0.0)])


@_rule(basic.Join)
def _joined(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    return hull(operands[1:])


@_rule(basic.MakeVector)
def _stacked(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    return hull(operands)


@_rule(subtensor.IncSubtensor, subtensor.AdvancedIncSubtensor1, subtensor.AdvancedIncSubtensor)
def _put(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    x, y = operands[:2]
    if op.set_instead_of_inc:
        return hull([x, y])
    most = 1.0 if isinstance(op, subtensor.IncSubtensor) else MOST
    info = np.finfo("float32" if cast(Any, node.outputs[0].type).dtype == "float32" else "float64")
    if most > 1 and info.bits < 64:
        return ANY  # so many sums in floats of 24 bits
    return widened(add(x, total(y, 0.0, most)), float(info.eps), float(info.tiny))


@_rule(Shape, Shape_i, Argmax, basic.ARange)
def _index(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del node
    if isinstance(op, basic.ARange):
        return hull(operands[:2])
    return Interval(0.0 if isinstance(op, Argmax | MaxAndArgmax) else 1.0, MOST)


@_rule(Max, Min, MaxAndArgmax, Supremum)
def _extreme(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    return operands[0]


def _count(variable: Graph, axes: Any) -> tuple[float, float]:
    """How many elements of a tensor are along some axes, at least and at most."""
    shape = cast(Any, variable.type).shape
    chosen = range(len(shape)) if axes is None else [a % len(shape) for a in axes]
    lengths = [shape[a] for a in chosen]
    known = float(np.prod([n for n in lengths if n is not None], initial=1.0))
    return known, (MOST if None in lengths else known)


@_rule(Sum)
def _sum(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    if np.dtype(op.acc_dtype or "float64") == np.float32:
        return ANY
    found = total(operands[0], *_count(node.inputs[0], op.axis))
    return _rounded(found, node)


def _rounded(found: Interval, node: Apply[Any]) -> Interval:
    dtype = np.dtype(cast(Any, node.outputs[0].type).dtype)
    if dtype.kind != "f":
        return found
    return widened(found, float(np.finfo(dtype).eps), float(np.finfo(dtype).tiny))


@_rule(extra_ops.CumOp)
def _cumulative(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    if op.mode != "add" or cast(Any, node.outputs[0].type).dtype != "float64":
        return ANY
    least, most = _count(node.inputs[0], None if op.axis is None else (op.axis,))
    return total(operands[0], min(least, 1.0), most)


@_rule(Dot, BatchedDot)
def _dot(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op
    if cast(Any, node.outputs[0].type).dtype != "float64":
        return ANY
    least, most = _count(node.inputs[0], (-1,)) if cast(Any, node.inputs[0].type).ndim else (1, 1)
    terms = widened(mul(*operands), 2.0**-52, float(np.finfo("float64").tiny))
    return total(terms, least, most)


@_rule(Softmax)
def _softmax(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    del op, node
    x = operands[0]
    # The distance to the maximum may overflow to -inf, whose exponential is 0.
    return Interval(0.0, 1.0 + 1e-6, x.nan or not x.finite)


@_rule(LogSoftmax)
def _log_softmax(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    x = operands[0]
    count = _count(node.inputs[0], None if op.axis is None else (op.axis,))[1]
    low = x.low - x.high - np.log(count)
    return _rounded(Interval(low, 0.0, x.nan or not x.finite), node).meet(high=1e-6)


@_rule(Prod, CAReduce)
def _reduced(op: Any, node: Apply[Any], operands: list[Interval]) -> Interval:
    x = operands[0]
    if isinstance(op, Prod) and x.low >= 0.0 and x.high <= 1.0:
        return Interval(0.0, 1.0, x.nan)
    if str(cast(Any, node.outputs[0].type).dtype) == "bool":
        return Interval(0.0, 1.0)
    return ANY
