"""Where digits are lost: each operator in floating point, on exact operands.

An operator's local error is the difference between what it computes from the exact operands,
rounded, and what it is exactly: errors that come in from below are not its own.

References
----------
P. Panchekha, A. Sanchez-Stern, J. R. Wilcox, Z. Tatlock, "Automatically improving accuracy for
floating point expressions", PLDI 2015, section 4.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from aesara.graph.basic import Apply, Constant, io_toposort
from aesara.scalar.basic import Add, Sub
from aesara.tensor.blas import BatchedDot
from aesara.tensor.elemwise import CAReduce, Elemwise
from aesara.tensor.extra_ops import CumOp
from aesara.tensor.math import Dot

from kanrewrite.audit.inputs import Array, Graph
from kanrewrite.audit.performing import performed
from kanrewrite.errors import KanrewriteError
from kanrewrite.fuzz.rounding import numbers
from kanrewrite.reference import Arithmetic, round_to, run
from kanrewrite.reference.registry import perform

Kind = Literal["overflow", "vanishing", "cancellation", "invalid", "wrong"]

DIGITS = 60
#: The local error, in bits, of a number that is not finite and should be.
WHOLE = 64.0
#: Below so many bits an operator has done what it can.
_BLAMELESS = 4.0
#: Operators whose effect on an output is computed.
_TRIED = 16


@dataclass(frozen=True)
class Local:
    """One variable at some inputs.

    Attributes
    ----------
    bits : float
        The local error of the operator that makes it, on the scale of its largest element.
    elementwise : float
        That of one element, on the scale of that element: what is small beside others counts, too.
    where : tuple of int
        The element at which it is largest.
    found, truth : float
        That element, computed from exact operands and exact.
    """

    bits: float
    elementwise: float
    where: tuple[int, ...]
    found: float
    truth: float


class Localised:
    """Every variable of a graph at some inputs: exact, rounded, and its local error.

    Parameters
    ----------
    outputs : sequence of Variable
    known : mapping from Variable to array
        The values of the inputs.

    Raises
    ------
    KanrewriteError
        Where an Op has no meaning in high precision.
    """

    def __init__(self, outputs: Sequence[Graph], known: Mapping[Graph, Array]):
        self.order = io_toposort(list(known), list(outputs))
        self.rounded: dict[Graph, Any] = dict(known)
        self.exact: dict[Graph, Any] = {}
        self.local: dict[Graph, Local] = {}
        self.known = dict(known)
        self.results: dict[Graph, Array] = {}
        arithmetic = Arithmetic(DIGITS)
        values: dict[Graph, Any] = dict(known)
        for node in self.order:
            operands = {i: values[i] for i in node.inputs if i in values}
            for out, value in zip(
                node.outputs, run(node.outputs, operands, arithmetic), strict=True
            ):
                values[out] = value
                self._take(out, value, arithmetic)
            self._measure(node)

    def _take(self, variable: Graph, value: Any, arithmetic: Arithmetic) -> None:
        value = np.asarray(value) if _is_float(variable) else value
        if _is_float(variable) and value.dtype == object:
            self.exact[variable] = numbers(value, arithmetic)
            self.rounded[variable] = round_to(self.exact[variable], variable.type.dtype)
        else:
            self.rounded[variable] = value

    def value(self, variable: Graph) -> Any:
        """What a variable is, rounded to its dtype."""
        if variable not in self.rounded and isinstance(variable, Constant):
            return variable.data
        return self.rounded.get(variable)

    def _measure(self, node: Apply[Any]) -> None:
        operands = [self.value(i) for i in node.inputs]
        floats = [o for o in node.outputs if o in self.exact]
        if not floats or any(o is None for o in operands):
            return
        with np.errstate(all="ignore"):
            try:
                results = perform(performed(node), operands)
            except Exception:  # noqa: BLE001  # what an Op raises at operands it never meets
                return
        for out, result in zip(node.outputs, results, strict=True):
            if out in self.exact:
                self.results[out] = np.asarray(result)
                self.local[out] = _local(self.results[out], self.rounded[out])

    def dominant(self, output: Graph, where: tuple[int, ...]) -> Graph | None:
        """The variable below an output whose local error is largest, the lowest of equals.

        Parameters
        ----------
        output : Variable
        where : tuple of int
            The element that is wrong.  If no error is large beside the largest element of its
            tensor, the error counts that changes this element most.
        """
        below = [v for n in io_toposort([], [output]) for v in n.outputs if v in self.local]
        large = [v for v in below if self.local[v].bits >= _BLAMELESS]
        if large:
            return max(large, key=lambda v: self.local[v].bits)
        small = [v for v in below if self.local[v].elementwise >= _BLAMELESS or self._is_lossy(v)]
        effects = {v: self._effect(v, output, where) for v in small[:_TRIED]}
        worst = max(effects, key=lambda v: effects[v], default=None)
        return worst if worst is not None and effects[worst] > 0 else None

    def _is_lossy(self, variable: Graph) -> bool:
        return any(self._has(variable, is_lost) for is_lost in _LOST.values())

    def _effect(self, variable: Graph, output: Graph, where: tuple[int, ...]) -> float:
        """How far an element moves if one operator is computed in floats, all others exactly."""
        given = {**self.known, variable: self.results[variable]}
        try:
            (moved,) = run([output], given, Arithmetic(DIGITS))
            gap = abs(
                numbers(np.asarray(moved), Arithmetic(DIGITS))[where] - self.exact[output][where]
            )
        except (KanrewriteError, IndexError):
            return 0.0
        return float(gap) if gap == gap else math.inf

    def blamed(self, output: Graph, where: tuple[int, ...]) -> tuple[Graph, Graph, Kind, float]:
        """Where an output goes wrong, by which operator, how, and that operator's local error."""
        worst = self.dominant(output, where)
        if worst is None or worst.owner is None:
            bits = self.local[output].bits if output in self.local else 0.0
            return output, output, "wrong", bits
        local = self.local[worst]
        error = max(local.bits, local.elementwise)
        for kind, is_lost in _LOST.items():
            if error < _BLAMELESS and self._has(worst, is_lost):
                return self._origin(worst, is_lost), worst, kind, error
            for operand in worst.owner.inputs:
                if self._has(operand, is_lost, local.where, worst):
                    return self._origin(operand, is_lost), worst, kind, error
        return worst, worst, _kind(worst.owner, local), error

    def origin(self, output: Graph) -> tuple[Graph, Kind]:
        """Where an output leaves the floats, or the reals, though it is computed rightly."""
        if self._has(output, _is_undefined):
            return self._origin(output, _is_undefined), "invalid"
        return self._origin(output, _overflows), "overflow"

    def _has(
        self, variable: Graph, is_lost: Any, where: tuple[int, ...] | None = None, at: Any = None
    ) -> bool:
        """Whether some elements are out of range; of an elementwise operand, the one meant."""
        if variable not in self.exact:
            return False
        exact, rounded = self.exact[variable], self.rounded[variable]
        elementwise = at is not None and isinstance(at.owner.op, Elemwise)
        if elementwise and where is not None and exact.ndim == len(where):
            place = tuple(0 if n == 1 else k for k, n in zip(where, exact.shape, strict=True))
            return bool(is_lost(exact[place], rounded[place]))
        flat, floats = exact.ravel(), np.ravel(rounded)
        return any(
            is_lost(flat[n], floats[n]) for n in {id(v): n for n, v in enumerate(flat)}.values()
        )

    def _origin(self, variable: Graph, is_lost: Any) -> Graph:
        """The lowest variable from which numbers out of range come."""
        while variable.owner is not None:
            lower = next((i for i in variable.owner.inputs if self._has(i, is_lost)), None)
            if lower is None:
                break
            variable = lower
        return variable


def _kind(node: Apply[Any], local: Local) -> Kind:
    """What an operator does wrong whose operands are in range."""
    if math.isnan(local.found):
        return "invalid"
    if math.isinf(local.found):
        return "overflow"
    if _adds(node):
        return "cancellation"
    return "vanishing" if local.found == 0.0 else "wrong"


def _adds(node: Apply[Any]) -> bool:
    """Whether operands can cancel in it."""
    op = node.op.scalar_op if isinstance(node.op, Elemwise | CAReduce) else node.op
    return isinstance(op, Add | Sub | Dot | BatchedDot | CumOp)


def _overflows(exact: Any, rounded: Any) -> bool:
    return bool(np.isinf(rounded)) and not _is_infinite(exact)


def _vanishes(exact: Any, rounded: Any) -> bool:
    return bool(exact != 0 and abs(rounded) < np.finfo(rounded.dtype).tiny)


def _is_undefined(exact: Any, rounded: Any) -> bool:
    del rounded
    return bool(exact != exact)


def _is_infinite(exact: Any) -> bool:
    return bool(abs(exact) == math.inf)


_LOST: dict[Kind, Any] = {"overflow": _overflows, "vanishing": _vanishes}


def _is_float(variable: Graph) -> bool:
    return str(getattr(variable.type, "dtype", "")).startswith("float")


def _local(result: Array, truth: Array) -> Local:
    if result.shape != truth.shape or not truth.size:
        return Local(0.0, 0.0, (), 0.0, 0.0)
    with np.errstate(all="ignore"):
        a, b = result.astype("float64"), truth.astype("float64")
        finite = np.abs(b[np.isfinite(b)])
        single = _bits(a, b, np.abs(b), truth.dtype)
        whole = _bits(a, b, np.full(b.shape, finite.max(initial=0.0)), truth.dtype)
    worst = whole if whole.max() >= _BLAMELESS else single
    where = tuple(int(k) for k in np.unravel_index(np.argmax(worst), worst.shape))
    return Local(float(whole.max()), float(single.max()), where, float(a[where]), float(b[where]))


def _bits(a: Array, b: Array, scale: Array, dtype: Any) -> Array:
    """How many bits are wrong, given what the numbers are compared with."""
    info = np.finfo(dtype)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    units = np.abs(a - b) / (float(info.eps) * np.maximum(scale, float(info.tiny)))
    bits = np.where(np.isfinite(units), np.log2(1 + units), WHOLE)
    return np.where(same, 0.0, np.minimum(bits, WHOLE))
