"""Comparing what is replaced with what replaces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.basic import Constant, Variable, ancestors, clone_replace
from aesara.tensor.elemwise import Elemwise
from mpmath import frexp, inf, isinf, isnan, mpf, mpmathify, nstr, pi, workdps

from kanrewrite import reference
from kanrewrite.errors import BeyondReference, NotConverged
from kanrewrite.guards import normal_axes
from kanrewrite.ops import Supremum
from kanrewrite.relation import substitute
from kanrewrite.terms import T, Term, operator_of
from kanrewrite.unify import as_graph

Graph = Variable[Any, Any]
Array = np.ndarray[Any, Any]
Values = Mapping[Graph, Array]

SAME = 66  # bits: two exact values that agree so far, some 20 digits, are one number
DIGITS = 800  # decimal ones, with which the reference gives up
CERTAIN = 300  # to how many digits pi is taken
RANGE = 1100  # beyond two to this power, and its reciprocal, no float is
ROUNDED = 1 + 2.0**-10  # what a number is multiplied with so as to be a rounded one
SIMPLE = 12  # the largest denominator of a part of a turn


class Undecided(Exception):  # an outcome, never seen outside
    """The reference cannot tell the values."""


#: The lowest and the highest values that elements can have.
Interval = tuple[Array, Array]


def build(term: Any, bindings: Mapping[Any, Any], like: str, rounded: bool = False) -> Graph:
    """A side of an equation as a graph.

    Softmax over several axes, which Aesara's Op does not take, is built as its definition; a
    number alone becomes a constant of dtype `like`.  A copy is what its operand is rounded to:
    where it is `rounded`, that is another number, for which an equation has to hold as well.
    """
    built = as_graph(_spelled_out(substitute(term, bindings), {}, rounded))
    return built if isinstance(built, Variable) else at.constant(np.asarray(built, dtype=like))


def _spelled_out(term: Any, known: dict[int, Any], rounded: bool) -> Any:
    if not isinstance(term, Term):
        return term
    if id(term) not in known:
        spelled = _spelled(*(_spelled_out(part, known, rounded) for part in term))
        if rounded and term[0] is T.tensor_copy:
            spelled = spelled[1] * ROUNDED
        known[id(term)] = spelled
    return known[id(term)]


def _spelled(head: Any, *operands: Any) -> Any:
    if head is T.shift:
        return _shift(*operands)
    if head in _OF_ONE_AXIS and isinstance(operands[-1], tuple):
        return _OF_ONE_AXIS[head](*operands)
    return Term((head, *operands))


def _shift(term: Any, axis: Any) -> Graph:
    """The largest value along axes, kept; 0 where that is infinite, or of nothing."""
    x = as_graph(term)
    axes = normal_axes(axis, x.type.ndim)
    order = iter(range(x.type.ndim))
    largest: Any = Supremum(axes)(x)
    top = largest.dimshuffle(["x" if d in axes else next(order) for d in range(x.ndim)])
    return cast(Graph, at.switch(at.isinf(top), np.asarray(0, dtype=x.type.dtype), top))


def _softmax(x: Any, axes: Any) -> Any:
    return T.exp(x) / T.sum(T.exp(x), axes, keepdims=True)


def _log_softmax(x: Any, axes: Any) -> Any:
    return x - T.log(T.sum(T.exp(x), axes, keepdims=True))


def _softmax_grad(g: Any, p: Any, axes: Any) -> Any:
    return p * (g - T.sum(g * p, axes, keepdims=True))


_OF_ONE_AXIS: dict[Any, Callable[..., Any]] = {
    T.softmax: _softmax,
    T.log_softmax: _log_softmax,
    T.softmax_grad: _softmax_grad,
}


def exact(outputs: Sequence[Graph], values: Values) -> list[Array]:
    """The values of graphs.

    Raises
    ------
    Undecided
        The reference does not converge, or meets what it cannot write down.
    """
    try:
        return reference.evaluate(outputs, values, max_digits=DIGITS, saturate=False)
    except (BeyondReference, NotConverged) as error:
        raise Undecided from error


class Comparison:
    """How the values of two graphs compare, element by element.

    Parameters
    ----------
    old, new : Interval
        What each element can be; both ends are equal where no constant is rounded.
    error : float
        How far apart they may be, relative to the first.
    poles : bool
        Whether an infinity may be of either sign: numbers here have no zero of a sign to divide by.
    floats : bool
        Whether what is beyond all floats is an infinity, or 0.

    Attributes
    ----------
    why : str
        The first difference, empty if there is none.
    compared, finite, undefined : int
        Elements that were compared, those of them that are finite, and those that were not
        compared as the first graph has no value there.
    """

    def __init__(
        self,
        old: Interval,
        new: Interval,
        error: float = 0.0,
        poles: bool = False,
        floats: bool = False,
    ) -> None:
        self.why = ""
        read = _in_range if floats else _number
        self._error, self._poles = max(error, 2.0**-SAME), poles
        self.compared = self.finite = self.undefined = 0
        shape = old[0].shape
        try:
            fits = np.broadcast_shapes(shape, new[0].shape) == shape
        except ValueError:
            fits = False
        if not fits:
            self.why = f"the shape {shape} becomes {new[0].shape}"
            return
        ends = [np.broadcast_to(end, shape) for end in (*old, *new)]
        for where in np.ndindex(shape):
            self._element(where, *[read(end[where]) for end in ends])

    def _element(self, where: tuple[int, ...], x: Any, high: Any, y: Any, high_y: Any) -> None:
        if isnan(x):
            self.undefined += 1
            return
        self.compared += 1
        self.finite += not isinf(x)
        if not self.why and not (self._same(x, y) or _meet(x, high, y, high_y)):
            place = f" at {list(where)}" if where else ""
            digits = 15 if _text(x, 15) != _text(y, 15) else 25
            self.why = f"the value {_text(x, digits)}{place} becomes {_text(y, digits)}"

    def _same(self, x: Any, y: Any) -> bool:
        if x == y or (self._poles and isinf(x) and isinf(y)):
            return True
        if isnan(y) or isinf(x) or isinf(y):
            return False
        return bool(abs(x - y) <= max(abs(x), abs(y)) * self._error)


def compare(
    old: Graph,
    new: Graph,
    values: Values,
    known: Array | None = None,
    error: float = 0.0,
    floats: bool = False,
) -> Comparison:
    """How the values of two graphs compare.

    A float constant of many digits stands for a number that rounds to it, such as log(2): graphs
    with such constants are evaluated with their neighbours too, if they seem to differ, and with
    exact parts of a turn for what is rounded from them.

    Parameters
    ----------
    old, new : Variable
        The matched side, and what replaces it.
    values : mapping from Variable to ndarray
        The inputs.
    known : ndarray of mpf, optional
        The values of `old`.
    error : float
        How far apart they may be, relative to the value of `old`.
    floats : bool
        Whether they are floats, so that what is beyond the range of all dtypes is infinite, or 0.

    Raises
    ------
    Undecided
        As `exact`.
    """
    if known is None:
        before, after = exact([old, new], values)
    else:
        before, after = known, exact([new], values)[0]
    allowed = (error, _divides(old), floats)
    comparison = Comparison((before, before), (after, after), *allowed)
    rounded = _rounded_constants([old, new])
    if not comparison.why or not rounded:
        return comparison
    neighbours = [_moved([old, new], rounded, towards) for towards in (-np.inf, np.inf)]
    low, high = exact(neighbours[0], values), exact(neighbours[1], values)
    near = Comparison((low[0], high[0]), (low[1], high[1]), *allowed)
    angles = [_parts_of_turn(rounded, side) for side in (-1, 1)]
    if not near.why or not angles[0]:
        return near
    low, high = (exact([old, new], {**values, **known}) for known in angles)
    return Comparison((low[0], high[0]), (low[1], high[1]), *allowed)


_DIVIDING = frozenset({T.true_div, T.reciprocal, T.pow})


def _divides(graph: Graph) -> bool:
    """Whether a graph may divide by a zero, whose sign an infinity then has."""
    ops = (v.owner.op for v in ancestors([graph]) if v.owner is not None)
    return any(isinstance(op, Elemwise) and operator_of(op) in _DIVIDING for op in ops)


def _parts_of_turn(constants: Sequence[Any], side: int) -> dict[Any, Array]:
    """The multiples of pi that constants are rounded from, all but exact: a little to one side."""
    found = {}
    for constant in constants:
        dtype, value = constant.type.dtype, np.ravel(constant.data)[0]
        times = Fraction(float(value) / np.pi).limit_denominator(SIMPLE)
        if not times or np.asarray(float(times) * np.pi, dtype) != value:
            continue
        with workdps(DIGITS):
            part = pi * times.numerator / times.denominator * (1 + side * mpf(10) ** -CERTAIN)
        found[constant] = np.full(np.shape(constant.data), part, dtype=object)
    return found


def _rounded_constants(graphs: Sequence[Graph]) -> list[Any]:
    """Float constants that use most of their significand, as no short decimal fraction does."""
    found = []
    for variable in dict.fromkeys(ancestors(graphs)):
        if isinstance(variable, Constant) and _dtype(variable).startswith("float"):
            bits = np.finfo(variable.type.dtype).nmant + 1
            mantissa = np.frexp(np.asarray(variable.data, dtype="float64"))[0] * 2.0 ** (bits - 12)
            if np.any(np.isfinite(mantissa) & (mantissa != np.round(mantissa))):
                found.append(variable)
    return found


def _dtype(variable: Graph) -> str:
    return str(getattr(variable.type, "dtype", ""))


def _moved(graphs: Sequence[Graph], constants: Sequence[Any], towards: float) -> list[Graph]:
    """The graphs with each constant replaced by its neighbour in its dtype."""
    ends = {c: np.asarray(towards, dtype=c.type.dtype) for c in constants}
    moved = {c: type(c)(c.type, np.nextafter(c.data, end)) for c, end in ends.items()}
    return list(clone_replace(list(graphs), moved))


def _number(value: Any) -> Any:
    return mpmathify(value.item() if isinstance(value, np.generic) else value)


def _in_range(value: Any) -> Any:
    number = _number(value)
    if not number or isnan(number) or isinf(number) or abs(frexp(number)[1]) < RANGE:
        return number
    return number * 0 if abs(number) < 1 else mpf(1 if number > 0 else -1) * inf


def _text(value: Any, digits: int) -> str:
    return str(nstr(value, digits))


def _meet(x: Any, high_x: Any, y: Any, high_y: Any) -> bool:
    """Whether the interval between two values meets that between two others."""
    ends = (x, high_x, y, high_y)
    if (x == high_x and y == high_y) or any(isnan(end) for end in ends):
        return False
    return bool(min(x, high_x) <= max(y, high_y) and min(y, high_y) <= max(x, high_x))


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
