"""The library's own operators in JAX, for modes that compile with it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from kanrewrite.ops import ScaledCumsum, ScaledDot, Supremum


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
    Supremum: _supremum,
}
