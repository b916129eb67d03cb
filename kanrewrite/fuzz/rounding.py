"""How far rounding can carry the result of a graph, by perturbing each of its operations.

Each result of an arithmetic operation is changed by a few units in the last place, in high
precision, and the outputs are compared with the exact ones.  Equal results of one operation are
changed alike: what ties in exact arithmetic does in floating point.

References
----------
D. S. Parker, "Monte Carlo arithmetic: exploiting randomness in floating-point arithmetic",
technical report CSD-970002, UCLA, 1997.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aesara.graph.basic import io_toposort
from aesara.scalar.basic import (
    Abs,
    Cast,
    Clip,
    Identity,
    LogicalComparison,
    Neg,
    ScalarMaximum,
    ScalarMinimum,
    Second,
    Sgn,
    Switch,
)
from aesara.scan.op import Scan
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import Dot, Prod, ProdWithoutZeros, Sum
from aesara.tensor.special import LogSoftmax, Softmax, SoftmaxGrad

from kanrewrite.fuzz.programs import Array, Graph
from kanrewrite.reference import Arithmetic, Real, evaluate, round_to, run
from kanrewrite.reference.alike import each
from kanrewrite.reference.registry import objects
from kanrewrite.reference.scales import is_special, real

#: Elementwise operators whose results need no rounding.
_EXACT = (
    Abs, Cast, Clip, Identity, Neg, ScalarMaximum, ScalarMinimum, Second, Sgn, Switch,
)  # fmt: skip
#: Others whose results are rounded.
_ROUNDED = (
    Sum, Dot, BatchedDot, CumOp, Prod, ProdWithoutZeros, Softmax, LogSoftmax, SoftmaxGrad, Scan,
)  # fmt: skip
#: Operators by which an error in an operand grows with its size.
_GROWING = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sinh", "cosh")
DIGITS = 60
#: Inputs beyond it count as measured, not as chosen.
LARGE = 4.0
#: Beyond such a power of two nothing is left of an exponential's digits.
_MOST = 2**50


def spread(
    outputs: Sequence[Graph], inputs: Mapping[Graph, Array], count: int = 2
) -> tuple[list[Array], list[Array]]:
    """What a graph is worth exactly, and how far rounding may carry it.

    Parameters
    ----------
    outputs : sequence of Variable
        Float outputs.
    inputs : mapping from Variable to array
        The values of the inputs.
    count : int
        How many times all operations are perturbed.

    Returns
    -------
    list of ndarray, list of ndarray
        For each output an array of ``mpf``, and one of floats: the largest distance from the first.

    Raises
    ------
    KanrewriteError
        What :func:`kanrewrite.reference.evaluate` raises.
    """
    exact = evaluate(list(outputs), inputs)
    apart = [np.zeros(np.shape(e)) for e in exact]
    for salt in range(count):
        for place, found in enumerate(perturbed(outputs, inputs, salt)):
            gap = [
                _distance(a, b) for a, b in zip(found.ravel(), exact[place].ravel(), strict=True)
            ]
            apart[place] = np.maximum(apart[place], np.reshape(gap, apart[place].shape))
    return exact, apart


def _distance(a: Any, b: Any) -> float:
    if a == b or (a != a and b != b):
        return 0.0
    gap = abs(a - b)
    return float(gap) if gap == gap else np.inf


def perturbed(outputs: Sequence[Graph], inputs: Mapping[Graph, Array], salt: int) -> list[Array]:
    """The outputs in high precision, each operation changed as rounding might have changed it."""
    arithmetic = Arithmetic(DIGITS)
    values: dict[Graph, Any] = {v: _nudged(x, f"{salt}") for v, x in inputs.items()}
    for node in io_toposort(list(inputs), list(outputs)):
        known = {i: values[i] for i in node.inputs if i in values}
        if _compares(node):
            known = {i: _rounded(i, v, arithmetic) for i, v in known.items()}
        results = run(node.outputs, known, arithmetic)
        size = _amount(node)
        for out, result in zip(node.outputs, results, strict=True):
            values[out] = result
            if size is not None and out.type.dtype.startswith("float"):
                eps = float(np.finfo(out.type.dtype).eps)
                values[out] = _changed(result, eps, size, f"{salt}{node.op}", arithmetic)
    found = [values[o] if o in values else run([o], {}, arithmetic)[0] for o in outputs]
    return [numbers(v, arithmetic) for v in found]


def _compares(node: Any) -> bool:
    return isinstance(node.op, Elemwise) and isinstance(node.op.scalar_op, LogicalComparison)


def _rounded(variable: Graph, value: Any, arithmetic: Arithmetic) -> Any:
    """What is compared: numbers that differ by less than rounding may be equal."""
    dtype = str(variable.type.dtype)
    return round_to(numbers(value, arithmetic), dtype) if dtype.startswith("float") else value


def _nudged(values: Array, salt: str) -> Array:
    """Large inputs changed by a unit in the last place: by so much nobody knows them.

    Small ones may be what a graph compares with.
    """
    if values.dtype.kind != "f":
        return values
    coins = [zlib.crc32(f"{salt}{v}".encode()) / 2**31 - 1 for v in values.ravel().tolist()]
    steps = np.reshape(coins, values.shape) * float(np.finfo(values.dtype).eps) * values
    with np.errstate(all="ignore"):
        return np.where(np.abs(values) > LARGE, values.astype("float64") + steps, values)


def numbers(value: Any, arithmetic: Arithmetic) -> Array:
    """An array of numbers as arrays of ``mpf``; what is no `Real` stays."""

    def number(one: Any) -> Any:
        return arithmetic.number(one) if isinstance(one, Real) else one

    return objects(each(number, np.asarray(value).ravel()), np.shape(value))


def _amount(node: Any) -> bool | None:
    """None for what is not rounded; whether its error grows with the size of its operand."""
    if isinstance(node.op, Elemwise):
        narrower = isinstance(node.op.scalar_op, Cast) and node.inputs[0].type.dtype == "float64"
        if isinstance(node.op.scalar_op, _EXACT) and not narrower:
            return None
        return type(node.op.scalar_op).__name__.lower() in _GROWING
    return False if isinstance(node.op, _ROUNDED) else None


def _changed(values: Array, eps: float, grows: bool, salt: str, arithmetic: Arithmetic) -> Array:
    out = np.empty(values.shape, dtype=object)
    for where in np.ndindex(values.shape):
        out[where] = _moved(values[where], eps, grows, salt, arithmetic)
    return out


def _moved(value: Any, eps: float, grows: bool, salt: str, arithmetic: Arithmetic) -> Any:
    if not isinstance(value, Real) or is_special(value) or not value.parts:
        return value
    size = float(min(max(1, abs(_log2(value))), _MOST)) if grows else 1.0
    coin = zlib.crc32(f"{salt}{value.parts[0]}".encode()) / 2**31 - 1
    step = arithmetic.mul(value, real(eps * size * coin))
    return arithmetic.add(value, step)


def _log2(value: Real) -> int:
    part = value.parts[0]
    return int(part[2] + part[3])
