"""Comparing what is replaced with what replaces it, and making a counterexample small."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Variable
from mpmath import isinf, isnan, ldexp, mpmathify

from kanrewrite import reference
from kanrewrite.errors import BeyondReference, NotConverged
from kanrewrite.relation import substitute
from kanrewrite.terms import Operator, T, Term
from kanrewrite.unify import as_graph

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Values = Mapping[Graph, Array]

SAME = 66  # bits: two exact values that agree so far, some 20 digits, are one number
#: Not more than this many attempts to make a counterexample smaller.
ATTEMPTS = 150


class Undecided(Exception):  # an outcome, never seen outside
    """The reference cannot tell the values."""


def build(term: Any, bindings: Mapping[Any, Any], like: str) -> Graph:
    """A side of an equation as a graph.

    Softmax over several axes, which Aesara's Op does not take, is built as its definition; a
    number alone becomes a constant of dtype `like`.
    """
    built = as_graph(_spelled_out(substitute(term, bindings)))
    return built if isinstance(built, Variable) else at.constant(np.asarray(built, dtype=like))


def _spelled_out(term: Any) -> Any:
    if not isinstance(term, Term):
        return term
    head, *operands = (_spelled_out(part) for part in term)
    if not (isinstance(head, Operator) and isinstance(operands[-1], tuple)):
        return Term((head, *operands))
    if head is T.softmax:
        x, axes = operands
        return T.exp(x) / T.sum(T.exp(x), axes, keepdims=True)
    if head is T.log_softmax:
        x, axes = operands
        return x - T.log(T.sum(T.exp(x), axes, keepdims=True))
    if head is T.softmax_grad:
        g, p, axes = operands
        return p * (g - T.sum(g * p, axes, keepdims=True))
    return Term((head, *operands))


def exact(outputs: Sequence[Graph], values: Values) -> list[Array]:
    """The values of graphs.

    Raises
    ------
    Undecided
        The reference does not converge, or meets what it cannot write down.
    """
    try:
        return reference.evaluate(outputs, values, max_digits=800, saturate=False)
    except (BeyondReference, NotConverged) as error:
        raise Undecided from error


class Comparison:
    """How the values of two graphs compare, element by element.

    Attributes
    ----------
    why : str
        The first difference, empty if there is none.
    compared, finite, undefined : int
        Elements that were compared, those of them that are finite, and those that were not
        compared as the first graph has no value there.
    """

    def __init__(self, old: Array, new: Array) -> None:
        self.why = ""
        self.compared = self.finite = self.undefined = 0
        try:
            fits = np.broadcast_shapes(old.shape, new.shape) == old.shape
        except ValueError:
            fits = False
        if not fits:
            self.why = f"the shape {old.shape} becomes {new.shape}"
            return
        new = np.broadcast_to(new, old.shape)
        for where in np.ndindex(old.shape):
            x, y = _number(old[where]), _number(new[where])
            if isnan(x):
                self.undefined += 1
                continue
            self.compared += 1
            self.finite += not isinf(x)
            if not self.why and not _same(x, y):
                place = f" at {list(where)}" if where else ""
                self.why = f"the value {_text(x)}{place} becomes {_text(y)}"


def _number(value: Any) -> Any:
    return mpmathify(value.item() if isinstance(value, np.generic) else value)


def _text(value: Any) -> str:
    return str(value.real if hasattr(value, "_mpf_") else value)


def _same(x: Any, y: Any) -> bool:
    if x == y:
        return True
    if isnan(y) or isinf(x) or isinf(y):
        return False
    return bool(abs(x - y) <= ldexp(max(abs(x), abs(y)), -SAME))


def type_difference(old: Graph, new: Graph) -> str:
    """What a replacement changes of the type: dtype, broadcast pattern, known lengths."""
    patterns = [getattr(variable.type, "broadcastable", None) for variable in (old, new)]
    if old.type == new.type or (patterns[0] == patterns[1] and old.type.is_super(new.type)):
        return ""
    return f"the type {old.type} becomes {new.type}"


def errors_in_ulps(graphs: Sequence[Graph], values: Values, truth: Array) -> list[float]:
    """The largest error of each graph, run in its own dtype; inf where it overflows.

    Parameters
    ----------
    graphs : sequence of Variable
        Different graphs of one value.
    values : mapping from Variable to ndarray
        The inputs.
    truth : ndarray of mpf
        The value. Where it is nan there is nothing to measure.
    """
    mode = Mode(linker="py", optimizer="merge")
    function = aesara.function(list(values), list(graphs), mode=mode, on_unused_input="ignore")
    with np.errstate(all="ignore"):
        results = function(*values.values())
    defined = np.array([not isnan(v) for v in truth.ravel()], dtype=bool).reshape(truth.shape)
    return [
        float(
            reference.ulps(
                np.broadcast_to(result, truth.shape)[defined], truth[defined], graph.type.dtype
            ).max(initial=0)
        )
        for graph, result in zip(graphs, results, strict=True)
    ]


def shrunk(values: Values, fails: Callable[[Values], bool]) -> Values:
    """Values that still fail: first smaller arrays, then simpler numbers.

    Parameters
    ----------
    values : mapping from Variable to ndarray
        They fail.
    fails : callable
        Whether others do.

    Returns
    -------
    mapping from Variable to ndarray
    """
    attempts = iter(range(ATTEMPTS))
    improved = True
    while improved:
        improved = False
        for simpler in _simpler(values):
            if next(attempts, None) is None:
                return values
            if fails(simpler):
                values, improved = simpler, True
                break
    return values


def _simpler(values: Values) -> Iterator[Values]:
    yield from _shorter(values)
    for variable, value in values.items():
        for where in np.ndindex(value.shape):
            for number in _numbers(value[where]):
                changed = value.copy()
                changed[where] = number
                yield {**values, variable: changed}


def _shorter(values: Values) -> Iterator[Values]:
    """One entry less along a dimension, counted from the last as broadcasting does."""
    longest = max((value.ndim for value in values.values()), default=0)
    for axis in range(1, longest + 1):
        lengths = {v.shape[-axis] for v in values.values() if v.ndim >= axis} - {1}
        if len(lengths) == 1 and (n := lengths.pop()) > 1:
            for kept in (slice(0, 1), slice(0, n - 1), slice(1, n)):
                yield {v: _cut(value, axis, kept) for v, value in values.items()}


def _cut(value: Array, axis: int, kept: slice) -> Array:
    if value.ndim < axis or value.shape[-axis] == 1:
        return value
    index = [slice(None)] * value.ndim
    index[-axis] = kept
    return value[tuple(index)]


def _numbers(value: Any) -> Iterator[Any]:
    """Simpler numbers than one, the simplest first."""
    if value.dtype.kind == "b" or value == 0:
        return
    simple = [0, 1, -1, 2, -2]
    known = next((i for i, n in enumerate(simple) if n == value), len(simple))
    yield from simple[:known]
    if known == len(simple) and np.isfinite(value):
        yield from (n for n in (np.trunc(value), np.trunc(value / 2)) if abs(n) < abs(value))
