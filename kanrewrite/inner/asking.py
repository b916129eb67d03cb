"""Whether somebody asks for the size of a tensor: takes its log, or divides by it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, cast

import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.fg import FunctionGraph
from aesara.ifelse import IfElse
from aesara.scan.op import Scan
from aesara.tensor.basic import Alloc, Join, MakeVector, Split
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import Dot, Max, MaxAndArgmax, Min, Prod, Sum
from aesara.tensor.shape import Reshape, SpecifyShape, Unbroadcast
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    IncSubtensor,
    Subtensor,
)

from kanrewrite.inner.moving import ends, is_zero
from kanrewrite.terms import T, operator_of

Graph = Variable[Any, Any]

#: What is large or small when its operands are.
_OPS = (
    Sum, Prod, Max, MaxAndArgmax, Dot, BatchedDot, CumOp, DimShuffle, Reshape, SpecifyShape,
    Unbroadcast, Alloc, Join, MakeVector, Split, Subtensor, AdvancedSubtensor, AdvancedSubtensor1,
    IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1,
)  # fmt: skip
#: Elementwise operators of that kind, and by which of their operands.
_ELEMENTWISE: dict[Any, tuple[int, ...] | None] = {
    T.mul: None, T.neg: None, T.abs: None, T.sqr: None, T.sqrt: None, T.maximum: None,
    T.minimum: None, T.true_div: (0,), T.pow: (0,), T.fill: (1,), T.switch: (1, 2),
    T.add: None, T.sub: None,
}  # fmt: skip
_LOGS = (T.log, T.log2, T.log10)
_EXPONENTIALS = (T.exp, T.exp2, T.sigmoid, T.softplus)
FLOATS = ("float32", "float64")


def passes(node: Apply[Any], place: int) -> bool:
    """Whether what a node makes grows and vanishes with one of its operands.

    A sum with a number that is not zero does not vanish.
    """
    if isinstance(node.op, IfElse):
        return place > 0
    if not isinstance(node.op, Elemwise):
        return isinstance(node.op, _OPS)
    op = operator_of(node.op)
    if op not in _ELEMENTWISE:
        return False
    if op in (T.add, T.sub) and any(map(_is_number, node.inputs)):
        return False
    places = _ELEMENTWISE[op]
    return places is None or place in places


def numbered(fgraph: FunctionGraph, variables: Sequence[Graph]) -> Iterator[Graph]:
    """The sums with numbers that variables enter, or what grows and vanishes with them.

    What is divided by something that grows and vanishes alike does neither.
    """
    large = _grown(fgraph, variables)
    divisors = [n for v in large for n, place in _clients(fgraph, v) if _inverts(n, place)]
    small = _grown(fgraph, [n.outputs[0] for n in divisors if n.inputs[0] not in large])
    free = {n.outputs[0] for n in divisors}
    free |= {v for v in large & small if v.owner is not None}
    for node, _ in _walked(fgraph, variables, free):
        if is_sum(node) and any(map(_is_number, node.inputs)):
            yield node.outputs[0]


def terms_of(total: Graph) -> tuple[list[Any], list[Graph]]:
    """The numbers in a sum with numbers, and what is summed beside them, over axes too."""
    numbers, others = [], []
    for v in map(_source_of, total.owner.inputs):
        if _is_number(v):
            numbers.append(cast(Constant[Any], v).data)
        else:
            over_axes = v.owner is not None and isinstance(v.owner.op, Sum)
            others.append(v.owner.inputs[0] if over_axes else v)
    return numbers, others


def is_sum(node: Apply[Any]) -> bool:
    """Whether a node adds or subtracts."""
    return isinstance(node.op, Elemwise) and operator_of(node.op) in (T.add, T.sub)


def _is_number(v: Graph) -> bool:
    found = _source_of(v)
    return isinstance(found, Constant) and bool(np.any(found.data))


def _source_of(v: Graph) -> Graph:
    """The variable whose dimensions are in another order, or more, in this one."""
    while v.owner is not None and isinstance(v.owner.op, DimShuffle):
        v = v.owner.inputs[0]
    return v


def asks(node: Apply[Any], place: int, division: bool = True) -> bool:
    """Whether a node takes the log of an operand, or divides by it."""
    if not isinstance(node.op, Elemwise):
        return False
    return operator_of(node.op) in _LOGS or (division and _inverts(node, place))


def _inverts(node: Apply[Any], place: int) -> bool:
    """Whether what a node makes vanishes where one of its operands grows."""
    if not isinstance(node.op, Elemwise):
        return False
    op = operator_of(node.op)
    if op is T.pow and place == 0:
        power = node.inputs[1]
        while power.owner is not None and isinstance(power.owner.op, DimShuffle):
            power = power.owner.inputs[0]
        return isinstance(power, Constant) and bool(np.all(power.data < 0))
    return op is T.reciprocal or (op is T.true_div and place == 1)


def divisors(fgraph: FunctionGraph) -> int:
    """How many operands of a graph are divided by, numbers aside."""
    return sum(
        _inverts(node, place) and not _is_number(v)
        for node in fgraph.apply_nodes
        for place, v in enumerate(node.inputs)
    )


def is_asked(fgraph: FunctionGraph, variable: Graph, division: bool = True) -> bool:
    """Whether the log of a variable, or of what grows and vanishes with it, is asked for.

    Parameters
    ----------
    fgraph
        The graph around; what enters loops is followed into their steps.
    variable
        One of its variables.
    division
        Whether to divide by it counts too.
    """
    return any(
        asks(node, place, division) or _asks_inside(node, place, division)
        for node, place in users(fgraph, variable)
    )


def users(fgraph: FunctionGraph, variable: Graph) -> Iterator[tuple[Apply[Any], int]]:
    """The nodes that use a variable, or what grows and vanishes with it, and as which operand."""
    return _walked(fgraph, [variable])


def _walked(
    fgraph: FunctionGraph, variables: Iterable[Graph], stops: Collection[Graph] = ()
) -> Iterator[tuple[Apply[Any], int]]:
    stack = deque(variables)
    seen = {*stack, *stops}
    while stack:
        for node, place in _clients(fgraph, stack.popleft()):
            yield node, place
            new = [v for v in grown_by(node, place) if v not in seen]
            seen.update(new)
            stack.extend(new)


def grown_by(node: Apply[Any], place: int) -> Iterator[Graph]:
    """What grows and vanishes with an operand of a node, through the steps of a loop too.

    What derives loops is not heeded.
    """
    if isinstance(node.op, IfElse):
        yield from node.outputs[(place - 1) % node.op.n_outs :][: bool(place)]
    elif isinstance(node.op, OpFromGraph):
        inside = _grown(node.op.fgraph, entering(node, place))
        made = zip(node.outputs, node.op.inner_outputs, strict=True)
        yield from (out for out, v in made if v in inside)
    elif passes(node, place):
        yield from node.outputs
    elif isinstance(node.op, Scan) and not node.op.info.n_mit_mot:
        op, places = node.op, node.op.get_oinp_iinp_iout_oout_mappings()
        made, read = places["inner_out_from_outer_out"], places["inner_inp_from_outer_out"]
        inner, found, count = entering(node, place), list[int](), -1
        while count < (count := len(found)):
            grown = _grown(op.fgraph, inner)
            found = [n for n in made if any(op.inner_outputs[k] in grown for k in made[n])]
            inner += [op.inner_inputs[k] for n in found for k in read[n]]
        yield from (node.outputs[n] for n in found)


def _clients(fgraph: FunctionGraph, v: Graph) -> Iterator[tuple[Apply[Any], int]]:
    return ((node, n) for node, n in fgraph.clients.get(v, ()) if isinstance(node, Apply))


def _grown(fgraph: FunctionGraph, variables: Sequence[Graph]) -> set[Graph]:
    """Variables, and what grows and vanishes with them."""
    walked = _walked(fgraph, variables)
    return {*variables, *(v for node, n in walked for v in grown_by(node, n))}


def grow_into(fgraph: FunctionGraph, variables: Sequence[Graph], results: Sequence[Graph]) -> bool:
    """Whether some results grow and vanish with some variables."""
    return not _grown(fgraph, variables).isdisjoint(results)


def sources_of(variables: Iterable[Graph], inverted: bool = False) -> Iterator[Graph]:
    """Variables, and all that they grow and vanish with; or what they are divided by, too."""
    stack = list(variables)
    seen = set(stack)
    while stack:
        v = stack.pop()
        yield v
        if v.owner is not None:
            node = v.owner
            new = [
                i
                for n, i in enumerate(node.inputs)
                if i not in seen and (passes(node, n) or (inverted and asks(node, n)))
            ]
            stack.extend(new)
            seen.update(new)


def _asks_inside(node: Apply[Any], place: int, division: bool) -> bool:
    """Whether an inner graph asks for the size of what enters it.

    What derives loops is not heeded.
    """
    op = node.op
    if not isinstance(op, Scan | OpFromGraph) or (isinstance(op, Scan) and op.info.n_mit_mot):
        return False
    return any(is_asked(op.fgraph, v, division) for v in entering(node, place))


def is_extreme(variable: Graph) -> bool:
    """Whether a variable is a product with an exponential or a divisor, or a sum of them."""
    made = (v.owner for v in sources_of([variable]) if v.owner is not None)
    return any(is_exponential(node) or _divides(node) for node in made)


def _divides(node: Apply[Any]) -> bool:
    """Whether a node divides by something else than a number."""
    return any(_inverts(node, n) and not _is_number(v) for n, v in enumerate(node.inputs))


def is_met(node: Apply[Any], place: int) -> bool:
    """Whether a node multiplies an operand by something extreme."""
    if isinstance(node.op, SoftmaxGrad):
        return place == 0
    if not isinstance(node.op, Elemwise) or operator_of(node.op) is not T.mul:
        return False
    return any(is_extreme(v) for n, v in enumerate(node.inputs) if n != place)


def is_float(v: Graph) -> bool:
    """Whether a variable holds floats."""
    return getattr(v.type, "dtype", None) in FLOATS


def entering(node: Apply[Any], place: int) -> list[Graph]:
    """What an operand of a node is in its inner graph."""
    op: Any = node.op
    if isinstance(op, OpFromGraph):
        return [op.inner_inputs[place]]
    inner = op.get_oinp_iinp_iout_oout_mappings()["inner_inp_from_outer_inp"].get(place, ())
    return [op.inner_inputs[n] for n in inner]


def compares(fgraph: FunctionGraph, variables: Collection[Graph]) -> bool:
    """Whether some variables are asked to be equal to others to the last digit.

    As exponentials they are so no more.  What is zero stays zero, and the largest of some stays one
    of them.
    """
    return any(_is_equality(node, variables) for node in fgraph.apply_nodes)


def _is_equality(node: Apply[Any], variables: Collection[Graph]) -> bool:
    if not isinstance(node.op, Elemwise) or operator_of(node.op) not in (T.eq, T.neq):
        return False
    if any(map(is_zero, node.inputs)) or _is_of_largest(*map(_source_of, node.inputs)):
        return False
    return any(v in variables for side in node.inputs for v in ends(side))


def _is_of_largest(one: Graph, other: Graph) -> bool:
    """Whether one of two is the largest, or the smallest, of the elements of the other one."""
    return any(
        a.owner is not None
        and isinstance(a.owner.op, Max | MaxAndArgmax | Min)
        and a is a.owner.outputs[0]
        and a.owner.inputs[0] is b
        for a, b in ((one, other), (other, one))
    )


def is_exponential(node: Apply[Any]) -> bool:
    """Whether a node makes exponentials."""
    if isinstance(node.op, Elemwise):
        return operator_of(node.op) in _EXPONENTIALS
    return isinstance(node.op, Softmax | LogSoftmax)
