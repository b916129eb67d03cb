"""Evaluate a graph at one precision, then at the double of it until two answers agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from aesara.compile.sharedvalue import SharedVariable
from aesara.graph.basic import Constant, io_toposort
from aesara.tensor.var import TensorConstant
from mpmath import libmp

from kanrewrite.errors import NotConverged, NoValue
from kanrewrite.reference.alike import each, each_object
from kanrewrite.reference.registry import (
    AnyVariable,
    Array,
    Values,
    dtype_of,
    lift,
    meaning,
    objects,
)
from kanrewrite.reference.scales import SCALES, Arithmetic, Real, magnitude

DIGITS = 50
AGREE = 84  # bits: two answers agree when they differ by 2**-84, some 5e-26, of their size
LEAST = -1100  # 2**-1100 is below all floats
DOUBT = 400  # digits from which a zero that may be as large as a float asks for more scales

Where = tuple[int, tuple[int, ...]]  # an output, and the indices of an element of it


def run(
    outputs: Sequence[AnyVariable], known: Mapping[AnyVariable, Any], arithmetic: Arithmetic
) -> list[Any]:
    """The outputs at one precision.

    Parameters
    ----------
    outputs : sequence of Variable
        What to compute.
    known : mapping from Variable to ndarray
        Values of inputs, or of anything on the way: arrays of numbers, of ``Real`` or of ``mpc``.
    arithmetic : Arithmetic
        The precision.

    Returns
    -------
    list of ndarray
        Object arrays of ``Real`` or ``mpc``, integer and bool arrays.

    Raises
    ------
    NoValue
        An input has no value.
    NoMeaning
        An Op has no registered meaning.
    """
    values = {v: lift(value, dtype_of(v), arithmetic) for v, value in known.items()}

    def value_of(variable: AnyVariable) -> Any:
        if variable not in values:
            values[variable] = lift(_given(variable), dtype_of(variable), arithmetic)
        return values[variable]

    # What a gradient writes again is computed once: the same Op of the same operands.
    first: dict[AnyVariable, AnyVariable] = {}
    done: dict[Any, list[AnyVariable]] = {}
    for node in io_toposort(list(known), list(outputs)):
        if all(out in values for out in node.outputs):
            continue
        key = (node.op, *(_identity(first.get(v, v), known) for v in node.inputs))
        again = done.get(key)
        if again is None:
            results: Values = meaning(node.op, node, [value_of(v) for v in node.inputs], arithmetic)
            for out, result in zip(node.outputs, results, strict=True):
                values.setdefault(out, lift(result, dtype_of(out), arithmetic))
            if not any(out in known for out in node.outputs):
                done[key] = node.outputs
            continue
        for out, same in zip(node.outputs, again, strict=True):
            values.setdefault(out, values[same])
            first[out] = same
    return [value_of(variable) for variable in outputs]


def _identity(variable: AnyVariable, known: Mapping[AnyVariable, Any]) -> Any:
    """What is the same for constants of one type and value."""
    if isinstance(variable, TensorConstant) and variable not in known:
        return variable.signature()
    return variable


def _given(variable: AnyVariable) -> Any:
    if isinstance(variable, Constant):
        return variable.data
    if isinstance(variable, SharedVariable):
        return variable.get_value(borrow=True)
    raise NoValue(variable)


def evaluate(
    outputs: Sequence[AnyVariable],
    inputs: Mapping[AnyVariable, Any],
    digits: int | None = None,
    max_digits: int = 2000,
    saturate: bool = True,
) -> list[Array]:
    """Evaluate a graph as mathematics, every input float taken for the number it is.

    Parameters
    ----------
    outputs : sequence of Variable
        What to compute.
    inputs : mapping from Variable to array_like
        The values of the inputs, or of any variables on the way. A shared variable that is not
        among them has its own value.
    digits : int, optional
        The first precision tried, in decimal digits; 50 if not given.
    max_digits : int, optional
        The precision to give up at.
    saturate : bool, optional
        ``exp(x)`` of a finite ``abs(x) > 2**16384`` cannot be written down. True takes it for
        infinity or zero, which is what it rounds to in every dtype but not always what a function
        of it does; False raises.

    Returns
    -------
    list of ndarray
        For each output an object array of ``mpf`` (``mpc`` if it is complex), or an array of
        integers or bools.

    Raises
    ------
    NoValue, NoMeaning
        See :func:`run`.
    NotConverged
        Two precisions still disagree at `max_digits`, or agree on a zero below which there may be
        more.
    BeyondReference
        A number cannot be written down.

    Notes
    -----
    Casts to a float dtype and the dtypes of intermediate results are the identity; Ops on integers
    keep the machine's integers. Infinities and nan follow IEEE 754 but zero has no sign:
    ``1 / 0`` is inf. Exponents are unbounded, and a number keeps several scales (see
    :mod:`kanrewrite.reference.scales`), so ``1 + exp(-1e18)`` is not 1. The precision doubles
    until two answers agree to 25 digits; then the scales double while a zero is only what is left
    above those that were kept, and may be as large as a float. Agreement is strong evidence and no
    proof: it would take interval arithmetic, and to decide what is zero, to have one.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> x = at.dscalar("x")
    >>> evaluate([at.log(1 - 1 / (1 + at.exp(-x)))], {x: 1e6})[0].item()
    mpf('-1000000.0')
    """
    digits = min(DIGITS if digits is None else digits, max_digits)
    scales = SCALES
    before, _ = _shown(outputs, inputs, Arithmetic(digits, saturate, scales))
    while True:
        more = min(2 * digits, max_digits)
        now, hidden = _shown(outputs, inputs, Arithmetic(more, saturate, scales))
        apart = _disagreement(before, now)
        where = apart or hidden
        if where is None:
            return [_public(value) for value in now]
        if more == max_digits:
            raise _not_converged(outputs, more, where, (before, now) if apart else ())
        if apart is None and more >= DOUBT:
            scales *= 2
        digits, before = more, now


def _shown(
    outputs: Sequence[AnyVariable], inputs: Mapping[AnyVariable, Any], arithmetic: Arithmetic
) -> tuple[list[Array], Where | None]:
    """Each output with its numbers as raw ``mpf`` or ``mpc``, and where a zero is not known."""
    values = [np.asarray(value) for value in run(outputs, inputs, arithmetic)]
    flat = [
        objects(each(lambda v: _flat(v, arithmetic), value.ravel()), value.shape)
        if value.dtype == object
        else value
        for value in values
    ]
    return flat, _first(values, _may_be_more)


def _first(values: Sequence[Array], holds: Callable[[Any], bool]) -> Where | None:
    """The first element of all for which something holds."""
    for i, value in enumerate(values):
        found = next((n for n, v in enumerate(value.ravel()) if holds(v)), None)
        if found is not None:
            return i, _place(found, value.shape)
    return None


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(flat, shape))


def _may_be_more(value: Any) -> bool:
    """Whether a zero is only what is left above the scales that were kept."""
    floor = value.floor if isinstance(value, Real) and not value.parts else None
    return floor is not None and floor > LEAST


def _flat(value: Any, arithmetic: Arithmetic) -> Any:
    return mpmath.mp.make_mpf(arithmetic.collapse(value)) if isinstance(value, Real) else value


def _disagreement(before: Sequence[Any], now: Sequence[Any]) -> Where | None:
    for i, (old, new) in enumerate(zip(before, now, strict=True)):
        if old.shape != new.shape:
            return i, ()
        is_exact = old.dtype != object or new.dtype != object
        alike = (each if is_exact else each_object)(_agree, old.ravel(), new.ravel())
        if not all(alike):
            return i, _place(alike.index(False), new.shape)
    return None


def _agree(x: Any, y: Any) -> bool:
    if hasattr(x, "_mpc_"):
        return bool(abs(x - y) <= mpmath.ldexp(max(abs(x), abs(y)), -AGREE) or (x != x and y != y))
    if not hasattr(x, "_mpf_"):
        return bool(x == y)
    a, b = x._mpf_, y._mpf_
    if a == b:
        return True
    if not a[1] or not b[1]:
        return False
    gap = libmp.mpf_sub(a, b, 64, "n")
    return not gap[1] or magnitude(gap) <= max(magnitude(a), magnitude(b)) - AGREE


def _public(value: Array) -> Array:
    if value.dtype != object:
        return value
    flat = value.ravel()
    return objects(
        each_object(lambda v: mpmath.mpmathify(v) if _is_mpc(v) else v, flat), value.shape
    )


def _is_mpc(value: Any) -> bool:
    return hasattr(value, "_mpc_")


def _not_converged(
    outputs: Sequence[AnyVariable], digits: int, at: Where, values: Sequence[Sequence[Any]]
) -> NotConverged:
    i, where = at
    texts = [str(np.asarray(value[i][where])) for value in values]
    return NotConverged(outputs[i], where, digits, texts)
