"""Candidates: what of a graph has to be read, told by the heads of its nodes alone.

Reading takes some hundred microseconds a node.  A gradient is mostly dot products and moves below
the last place where exponentials could meet: none of them is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from aesara.graph.basic import Apply, Variable
from aesara.graph.fg import FunctionGraph
from aesara.scalar.basic import Cast
from aesara.tensor.basic import Split
from aesara.tensor.elemwise import DimShuffle, Elemwise
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.type import TensorType

from kanrewrite.terms import Operator, T, operator_of
from kanrewrite.view.nodes import head
from kanrewrite.view.readers import ELEMWISE, READERS

#: Elementwise operators that bring exponentials into a graph by themselves.
SOURCES = {T.exp, T.exp2, T.pow}
#: Operators whose value, compared with zero, an exponential can hide.
COMPARISONS = {T.eq, T.neq, T.lt, T.le, T.gt, T.ge, T.sgn}
#: Operators at which a single exponential is enough for rewriting to gain.
ALONE = COMPARISONS | {
    T.add, T.sub, T.true_div, T.reciprocal, T.pow, T.log, T.log2, T.log10, T.log1p, T.sqrt,
    T.exp, T.exp2, T.expm1,
}  # fmt: skip

#: Those that bring exponentials in and are not elementwise.
SOFTMAXES = Softmax | LogSoftmax

Graph = Variable[Any, Any]


def warm(
    fgraph: FunctionGraph, defined: Collection[Operator], own: Collection[Operator] = ()
) -> list[Graph]:
    """The variables that an exponential can show in, inputs first.

    Parameters
    ----------
    fgraph
        The graph.
    defined
        Operators that relations define, most of them by exponentials.
    own
        Operators of somebody's own that exponentials pass.
    """
    some = {id(node.op): node for node in fgraph.apply_nodes}
    from_here = {key for key, node in some.items() if _is_source(node, defined)}
    if not from_here:
        return []
    # It is the Op that tells, and most graphs have few.
    onwards = {key for key, node in some.items() if _is_read(node, defined, own)}
    splits = {key for key, node in some.items() if isinstance(node.op, Split)}
    found: dict[Graph, None] = {}
    for node in fgraph.toposort():
        key = id(node.op)
        if key not in onwards or not isinstance(node.outputs[0].type, TensorType):
            continue
        if key in from_here or not found.keys().isdisjoint(node.inputs):
            found.update(dict.fromkeys(node.outputs if key in splits else node.outputs[:1]))
    return list(found)


def to_read(variables: list[Graph], apart: Collection[Graph] = ()) -> list[Graph]:
    """Those of the warm variables at which exponentials can meet, and what they are made of.

    Parameters
    ----------
    variables
        All that are warm, inputs first; the result keeps their order.
    apart
        Those at which fused operators could meet, and do not.
    """
    candidates = set(variables)
    found = beside_exponents(variables)
    for var in reversed(variables):
        if var in apart:
            continue
        node = var.owner
        inputs = [i for i in node.inputs if i in candidates]
        if var in found or may_meet(node, len(inputs)):
            found.update((var, *inputs))
    return [var for var in variables if var in found]


def beside_exponents(variables: list[Graph]) -> set[Graph]:
    """The warm variables made of what exponents are made of, outside of them too.

    As ``p * (x - sum(p * x))`` is, they may be the same when that is shifted.
    """
    exponents = _elementwise_parts(
        i for var in variables if _is_exponential(var.owner) for i in var.owner.inputs
    )
    #: Whether what a variable is computed from is what an exponent is.
    shared: dict[Graph, bool] = {}
    found: set[Graph] = set()
    if not exponents:
        return found
    candidates = set(variables)
    for var in variables:
        inputs = var.owner.inputs
        if _is_exponential(var.owner) or not any(i in candidates for i in inputs):
            continue
        cold = (i for i in inputs if i not in candidates)
        if any(i in found for i in inputs) or any(_meet(i, exponents, shared) for i in cold):
            found.add(var)
    return found


def _elementwise_parts(variables: Iterable[Graph]) -> set[Graph]:
    """What tensors are computed from, one element of it for each of theirs."""
    found: set[Graph] = set()
    stack = list(variables)
    while stack:
        var = stack.pop()
        if var not in found and _has_elements(var):
            found.add(var)
            stack.extend(_elementwise_operands(var))
    return found


def _meet(var: Graph, parts: Collection[Graph], known: dict[Graph, bool]) -> bool:
    """Tell whether something is among the elementwise parts of a variable; each is asked once."""
    stack = [var]
    while stack:
        top = stack[-1]
        if top in known:
            stack.pop()
            continue
        operands = _elementwise_operands(top) if _has_elements(top) and top not in parts else []
        unknown = [i for i in operands if i not in known]
        if unknown:
            stack += unknown
            continue
        known[top] = any(known[i] for i in operands) or (top in parts and _has_elements(top))
    return known[var]


def _has_elements(var: Graph) -> bool:
    return isinstance(var.type, TensorType) and not all(var.type.broadcastable)


def _elementwise_operands(var: Graph) -> list[Graph]:
    node = var.owner
    return node.inputs if node is not None and isinstance(node.op, Elemwise | DimShuffle) else []


def _is_exponential(node: Apply[Any]) -> bool:
    op = head(node)
    return isinstance(node.op, SOFTMAXES) if op is None else op in SOURCES


def may_meet(node: Apply[Any], count: int) -> bool:
    """Tell whether a node with so many warm inputs may be worth rewriting.

    What `kanrewrite.view.events` finds to be an event is one of these.
    """
    op = head(node)
    if op is None and isinstance(node.op, SOFTMAXES):
        return True  # of what was shifted by hand, which needs no exponential
    if op is not None:
        alone = op in ALONE or isinstance(node.op.scalar_op, Cast)
        alone = alone or any(i.type.dtype == "bool" for i in node.inputs)  # a mask hides infinity
        return count > (0 if alone else 1)
    return count > (0 if isinstance(node.op, SoftmaxGrad) else 1)


def sources(fgraph: FunctionGraph, defined: Collection[Operator]) -> set[Any]:
    """The operators by which exponentials come into a graph."""
    found: set[Any] = set()
    for node in fgraph.apply_nodes:
        if _is_source(node, defined):
            found.add(operator_of(node.op) if isinstance(node.op, Elemwise) else type(node.op))
    return found


def _is_source(node: Apply[Any], defined: Collection[Operator]) -> bool:
    op = head(node)
    if op is not None:
        return op in SOURCES or op in defined
    if isinstance(node.op, Softmax | LogSoftmax | SoftmaxGrad):
        return True
    return type(node.op) not in READERS and operator_of(node.op) in defined


def _is_read(node: Apply[Any], defined: Collection[Operator], own: Collection[Operator]) -> bool:
    """Tell whether a node is more than a leaf to a reader, or compared with zero."""
    op = head(node)
    if op is None:
        if type(node.op) in READERS or isinstance(node.op, Split):
            return True
        op = operator_of(node.op)
        return op in own or op in defined
    known = op in ELEMWISE or op in defined or op in COMPARISONS
    return known or isinstance(node.op.scalar_op, Cast)
