"""The library's own operators in JAX, for modes that compile with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kanrewrite.ops import ScaledCumsum, ScaledDot, ScaledOthers, Supremum


def convert() -> None:
    """Add the operators to Aesara's table of conversions to JAX."""
    jax_funcify: Any = import_module("aesara.link.jax.dispatch.basic").jax_funcify
    for op, function in CONVERSIONS.items():
        if op not in jax_funcify.registry:
            jax_funcify.register(op)(function)


def _finite(np: Any, top: Any) -> Any:
    return np.where(np.isinf(top), 0, top)


def _cumsum(op: ScaledCumsum, **_: Any) -> Callable[..., Any]:
    jax: Any = import_module("jax")
    np = jax.numpy

    def scaled_cumsum(exponent: Any, weights: Any) -> Any:
        weights = np.broadcast_to(weights, exponent.shape)
        kept = np.where(weights != 0, exponent, -np.inf)
        highest = jax.lax.cummax(kept, axis=op.axis)
        level = _finite(np, highest)

        def joined(before: Any, after: Any) -> Any:
            fade = np.exp(before[0] - after[0])
            return after[0], np.where(before[1] != 0, before[1] * fade, 0) + after[1]

        terms = np.where(weights != 0, weights * np.exp(kept - level), 0)
        _, rest = jax.lax.associative_scan(joined, (level, terms), axis=op.axis)
        return np.where(np.isneginf(highest), highest, level), rest

    return scaled_cumsum


def _others(op: ScaledOthers, **_: Any) -> Callable[..., Any]:
    np: Any = import_module("jax.numpy")
    last = range(-len(op.axis), 0)

    def scaled_others(exponent: Any, weights: Any) -> Any:
        if not exponent.size:
            return exponent, exponent
        moved = np.moveaxis(exponent, op.axis, last)
        shape = moved.shape
        moved = moved.reshape(-1, math.prod(shape[-len(op.axis) :]))
        weights = np.moveaxis(np.broadcast_to(weights, exponent.shape), op.axis, last)
        weights = weights.reshape(moved.shape)
        kept = np.where(weights != 0, moved, -np.inf)
        largest = np.arange(kept.shape[1]) == kept.argmax(axis=1)[:, None]
        top = kept.max(axis=1, keepdims=True)
        second = np.where(largest, -np.inf, kept).max(axis=1, keepdims=True)

        def terms(of: Any, level: Any) -> Any:
            power = np.exp(np.where(of, kept - _finite(np, level), -np.inf))
            return np.where(weights != 0, weights * power, 0)

        every = terms(True, top)
        before = np.pad(np.cumsum(every[:, :-1], axis=1), ((0, 0), (1, 0)))
        behind = np.pad(np.cumsum(every[:, :0:-1], axis=1)[:, ::-1], ((0, 0), (0, 1)))
        alone = terms(~largest, second).sum(axis=1, keepdims=True)
        level = np.where(largest, second, top)
        found = np.where(np.isposinf(level), 0, level), np.where(largest, alone, before + behind)
        lost = np.isnan(top)
        return tuple(
            np.moveaxis(np.where(lost, np.nan, f).reshape(shape), last, op.axis) for f in found
        )

    return scaled_others


def _dot(_: ScaledDot, **__: Any) -> Callable[..., Any]:
    np: Any = import_module("jax.numpy")

    def scaled_dot(left: Any, weights_left: Any, right: Any, weights_right: Any) -> Any:
        def spread(a: Any, b: Any) -> Any:  # rows, columns, terms
            return a[..., :, None, :], np.swapaxes(b, -1, -2)[..., None, :, :]

        left, weights_left = np.broadcast_arrays(left, weights_left)
        right, weights_right = np.broadcast_arrays(right, weights_right)
        a, b = spread(left, right)
        r, s = spread(weights_left, weights_right)
        terms = np.where(r * s != 0, a + b, -np.inf)
        level = _finite(np, terms.max(axis=-1, initial=-np.inf))
        rest = (np.exp(terms - level[..., None]) * r * s).sum(axis=-1)
        return np.where(rest == 0, -np.inf, level), rest

    return scaled_dot


def _supremum(op: Supremum, **_: Any) -> Callable[..., Any]:
    np: Any = import_module("jax.numpy")
    return lambda x: np.max(x, axis=op.axis, initial=-np.inf)


#: The conversion of each operator that JAX does not know by the class that it is made of.
CONVERSIONS: dict[type, Callable[..., Callable[..., Any]]] = {
    ScaledCumsum: _cumsum,
    ScaledDot: _dot,
    ScaledOthers: _others,
    Supremum: _supremum,
}
