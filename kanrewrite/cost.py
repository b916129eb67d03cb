"""What a graph costs, as plain functions: operators, arithmetic, measured error.

A cost is any function from a graph to a number.  Those that need more than the graph are fixed
with `functools.partial`: ``partial(flops, shapes={x: (64, 10)})``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Apply, Constant, Variable, io_toposort
from aesara.scalar.basic import Composite, ScalarOp
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from aesara.tensor.exceptions import ShapeError
from aesara.tensor.math import Dot
from aesara.tensor.shape import Reshape, Shape, Shape_i
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad
from aesara.tensor.subtensor import Subtensor

from kanrewrite.errors import UnknownShape
from kanrewrite.reference import evaluate, ulps
from kanrewrite.structure import Structure, outputs_of
from kanrewrite.terms import operator_of

Graph = Variable[Any, Any]
Cost = Callable[[Any], float]
Dims = tuple[int, ...]

_TRANSCENDENTAL = (
    "exp exp2 expm1 log log2 log10 log1p log1mexp pow sin cos tan tanh sinh cosh arcsin arccos "
    "arctan arctan2 arcsinh arccosh arctanh sigmoid softplus erf erfc gammaln gamma psi"
)
#: Arithmetic operations that one application counts as. Everything not listed counts as one.
#: The ratios are those of latencies on current processors, in round numbers.
WEIGHTS: dict[str, int] = {
    **dict.fromkeys(("identity", "second", "cast", "switch"), 0),
    **dict.fromkeys(("true_div", "reciprocal", "sqrt", "int_div", "mod"), 8),
    **dict.fromkeys(_TRANSCENDENTAL.split(" "), 20),
}
_EXP, _DIVIDE = WEIGHTS["exp"], WEIGHTS["true_div"]


def node_count(graph: Any) -> int:
    """How many operators a graph has, equal subgraphs and the steps of loops counted once.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        What to count.

    Returns
    -------
    int

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.matrix("x")
    >>> node_count(at.exp(x) / at.exp(x).sum(axis=1, keepdims=True))
    4
    """
    structure = Structure(opened=True)
    below = structure.below(structure.add(outputs_of(graph)))
    return sum(structure.variables[number].owner is not None for number in below)


def flops(graph: Any, shapes: Mapping[Graph, Sequence[int]]) -> int:
    """How many arithmetic operations a graph takes for inputs of given shapes.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        What to count; equal subgraphs count once.
    shapes : Mapping
        The shape of every input; shared variables have that of their value.

    Returns
    -------
    int
        An addition counts 1, a division or root 8, a transcendental function 20 (`WEIGHTS`); a
        dot product counts 2 for each multiplication with its addition, moving elements counts 0.

    Raises
    ------
    UnknownShape
        If a shape follows neither from the given ones nor from the types.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x, w = at.matrix("x"), at.matrix("w")
    >>> flops(at.dot(x, w), {x: (64, 100), w: (100, 10)})
    128000
    """
    outputs = outputs_of(graph)
    structure = Structure()
    structure.add(outputs)
    known = _Shapes(shapes)
    counted: dict[int, int] = {}
    for node in io_toposort([], outputs):
        known.add(node)
        counted[structure[node.outputs[0]]] = _operations(node, known)
    return sum(counted.values())


class _Shapes:
    """Shapes as numbers, each node's from those of its operands."""

    def __init__(self, given: Mapping[Graph, Sequence[int]]):
        self.known: dict[Graph, Dims] = {v: tuple(map(int, s)) for v, s in given.items()}

    def __getitem__(self, variable: Graph) -> Dims:
        if variable not in self.known:
            self.known[variable] = self._leaf(variable)
        return self.known[variable]

    def _leaf(self, variable: Graph) -> Dims:
        if isinstance(variable, Constant):
            return np.shape(variable.data)
        if isinstance(variable, SharedVariable):
            return np.shape(variable.get_value(borrow=True))
        declared = getattr(variable.type, "shape", None)
        if declared is None:
            return ()
        if None in declared:
            raise UnknownShape(variable)
        return tuple(declared)

    def add(self, node: Apply[Any]) -> None:
        """Add the shapes of a node's outputs, as far as its Op tells them."""
        infer = getattr(node.op, "infer_shape", None)
        if infer is None:
            return
        operands = [tuple(at.constant(n, dtype="int64") for n in self[x]) for x in node.inputs]
        try:
            inferred = infer(None, node, operands)
        except (ShapeError, NotImplementedError):
            return  # the Op cannot tell: its type may, or nobody asks
        for output, shape in zip(node.outputs, inferred, strict=True):
            if shape is not None:
                self.known.setdefault(output, tuple(int(self.value(n)) for n in shape))

    def value(self, variable: Any) -> Any:
        """What a symbolic length is, with the known shapes put in."""
        if not isinstance(variable, Variable):
            return variable
        if isinstance(variable, Constant):
            return variable.data
        node = variable.owner
        if node is None:
            raise UnknownShape(variable)
        if isinstance(node.op, Shape_i):
            return self[node.inputs[0]][node.op.i]
        if isinstance(node.op, Shape):
            return self[node.inputs[0]]
        return evaluate([variable], {x: self.value(x) for x in node.inputs})[0]


def _operations(node: Apply[Any], shapes: _Shapes) -> int:
    op = node.op
    size = math.prod(shapes[node.outputs[0]]) if node.outputs else 0
    if isinstance(op, Elemwise):
        return size * _scalar(op.scalar_op)
    if isinstance(op, CAReduce):
        return math.prod(shapes[node.inputs[0]]) * _scalar(op.scalar_op)
    if isinstance(op, Dot | BatchedDot):
        return 2 * size * shapes[node.inputs[0]][-1]
    if isinstance(op, Softmax | LogSoftmax):
        # Both subtract a maximum, exponentiate and sum; the rest is a division or a subtraction.
        return size * (_EXP + 3 + (_DIVIDE if isinstance(op, Softmax) else 1))
    if isinstance(op, SoftmaxGrad):
        return size * 4
    if isinstance(op, DimShuffle | Reshape | Subtensor | Shape | Shape_i):
        return 0
    return size


def _scalar(op: ScalarOp) -> int:
    if isinstance(op, Composite):
        return sum(_scalar(node.op) for node in op.fgraph.apply_nodes)
    return WEIGHTS.get(operator_of(Elemwise(op)).name, 1)


def numerical_error(
    graph: Any, inputs: Mapping[Graph, Any], truth: Sequence[Any] | None = None
) -> float:
    """The largest error of a graph on given inputs, measured against high precision.

    Parameters
    ----------
    graph : Variable, Apply, FunctionGraph, or a sequence of them
        It is run as it is, without rewrites.
    inputs : Mapping
        The value of every input.
    truth : sequence of ndarray, optional
        The exact outputs, from `kanrewrite.reference.evaluate`; those of the graph itself unless
        given, so that many graphs can be measured against what one of them means.

    Returns
    -------
    float
        In units in the last place of the truth; infinite where the truth is a number and the
        result is not, or the other way round.

    Notes
    -----
    The truth is the graph itself evaluated in growing precision until two answers agree
    (`kanrewrite.reference.evaluate`): what is measured is rounding and overflow.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.dvector("x")
    >>> unsafe, safe = at.log(at.exp(x).sum()), at.logsumexp(x)
    >>> numerical_error(unsafe, {x: [800.0, 0.0]})
    inf
    """
    outputs = outputs_of(graph)
    given = {v: np.asarray(value, v.type.dtype) for v, value in inputs.items()}
    exact_outputs = evaluate(outputs, given) if truth is None else truth
    function = aesara.function(
        list(given), outputs, mode=Mode("py", "merge"), on_unused_input="ignore"
    )
    with np.errstate(all="ignore"):
        results = function(*given.values())
    errors = [
        ulps(result, exact, output.type.dtype)
        for result, exact, output in zip(results, exact_outputs, outputs, strict=True)
        if output.type.dtype.startswith("float")
    ]
    return max((float(error.max()) for error in errors if error.size), default=0.0)
