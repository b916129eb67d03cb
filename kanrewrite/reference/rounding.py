"""From exact numbers to floats, and the distance between the two."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import libmp, mpmathify

from kanrewrite.reference.alike import each_object
from kanrewrite.reference.registry import Array, objects
from kanrewrite.reference.scales import Raw, magnitude


def _format(dtype: Any) -> tuple[int, int, int]:
    """The bits of a significand, the exponent of the smallest number, of the first too large."""
    info = np.finfo(dtype)
    bits = info.nmant + 1
    return bits, int(info.minexp) - info.nmant, int(info.maxexp)


def _raw(value: Any) -> Raw:
    return mpmathify(value)._mpf_  # type: ignore[no-any-return]


def _round(raw: Raw, bits: int, lowest: int, highest: int) -> float:
    if not raw[1]:
        return float(libmp.to_float(raw))
    if magnitude(raw) > highest:
        return -np.inf if raw[0] else np.inf
    if magnitude(raw) < lowest:
        return 0.0
    step = max(magnitude(raw) - bits, lowest)
    count = int(libmp.to_int(libmp.mpf_shift(raw, -step), "n"))
    if abs(count) >> (highest - step):
        return -np.inf if raw[0] else np.inf
    return float(np.ldexp(float(count), step))


def round_to(values: Any, dtype: Any) -> Array:
    """The nearest floats, ties to even, with subnormal numbers and overflow as IEEE 754 has them.

    Parameters
    ----------
    values : array_like of mpf or mpc
        Exact numbers; arrays of integers or bools are converted by numpy.
    dtype : dtype
        A float or complex dtype, or that of integer values.

    Returns
    -------
    ndarray
        Of `dtype`, with the shape of `values`.

    Examples
    --------
    >>> from mpmath import mpf
    >>> round_to([mpf(1) / 3, mpf(10) ** 400, mpf(2) ** -1074], "float64")
    array([3.33333333e-001, inf, 4.94065646e-324])
    """
    values = np.asarray(values)
    dtype = np.dtype(dtype)
    if values.dtype != object or dtype.kind not in "fc":
        return np.asarray(values.astype(dtype))
    if dtype.kind == "c":
        part = np.finfo(dtype).dtype
        numbers = [mpmathify(v) for v in values.ravel()]
        real, imag = (round_to(objects(p, values.shape), part) for p in _parts(numbers))
        return np.asarray(real + 1j * imag, dtype=dtype)
    shape = _format(dtype)
    rounded = each_object(lambda v: _round(_raw(v), *shape), values.ravel())
    return np.array(rounded, dtype="float64").reshape(values.shape).astype(dtype)


def _parts(numbers: list[Any]) -> tuple[list[Any], list[Any]]:
    return [n.real for n in numbers], [n.imag for n in numbers]


def ulps(actual: Any, truth: Any, dtype: Any) -> Array:
    """The error of floats in units in the last place of the truth.

    Parameters
    ----------
    actual : array_like of float
        What a program computed.
    truth : array_like of mpf
        Exact numbers, of the same shape.
    dtype : dtype
        The float dtype whose ulp is meant.

    Returns
    -------
    ndarray of float64
        ``abs(actual - truth)`` over the ulp of ``max(abs(truth), smallest normal)``, the ulp
        of `x` being the distance between floats in the binade of `x`. An `actual` that is what the
        truth rounds to is measured too, so at most 0.5, and 0 where that is an infinity or nan;
        any other infinity or nan, in one but not in the other, is inf.

    Examples
    --------
    >>> from mpmath import mpf
    >>> ulps([1 + 2.0**-52, float("inf")], [mpf(1), mpf(10) ** 999], "float64")
    array([1., 0.])
    """
    actual, truth = np.asarray(actual), np.asarray(truth, dtype=object)
    actual, truth = np.broadcast_arrays(actual, truth)
    rounded = round_to(truth, dtype)
    bits, lowest, _ = _format(dtype)
    errors = [
        _ulp_error(float(got), float(nearest), _raw(exact), bits, lowest)
        for got, nearest, exact in zip(actual.flat, rounded.flat, truth.flat, strict=True)
    ]
    return np.array(errors, dtype="float64").reshape(actual.shape)


def _ulp_error(got: float, nearest: float, exact: Raw, bits: int, lowest: int) -> float:
    if not (np.isfinite(got) and np.isfinite(nearest)):
        return 0.0 if got == nearest or (np.isnan(got) and np.isnan(nearest)) else np.inf
    step = max(magnitude(exact) - bits, lowest) if exact[1] else lowest
    error = libmp.mpf_abs(libmp.mpf_sub(libmp.from_float(got), exact, 64, "n"))
    return float(libmp.to_float(libmp.mpf_shift(error, -step)))
