"""Inputs to try: magnitudes from everyday numbers to the largest floats, ties, masks and signs.

Most numbers have short significands, so that sums of a few of them are exact: what a graph then
gets wrong is the graph's doing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kanrewrite.audit.blocks import in_blocks
from kanrewrite.audit.inputs import Array, Input

Rng = np.random.Generator
Kind = Callable[[Rng, int], Array]

#: Where exponentials, their squares and their reciprocals stop being doubles or floats, and where
#: one plus them is one; beside each what is near it.
_EDGES = np.array(
    [-900, -745.25, -709.75, -104, -88.75, -40, -36.5, -20, -1.5, 0.5, 2.25, 15, 20, 33, 36.75,
     37.5, 88.75, 100, 354.75, 709.75, 745.25, 800.0]
)  # fmt: skip


def short(values: Array, bits: int = 10) -> Array:
    """Numbers with so many significant bits."""
    fraction, exponent = np.frexp(np.asarray(values, dtype="float64"))
    return np.ldexp(np.round(fraction * 2.0**bits) / 2.0**bits, exponent)


def _grid(values: Array, step: float) -> Array:
    return np.round(np.asarray(values) / step) * step


def _everyday(rng: Rng, n: int) -> Array:
    return _grid(rng.normal(size=n), 2.0**-8)


def _wider(rng: Rng, n: int) -> Array:
    return _grid(3 * rng.normal(size=n), 2.0**-8)


def _about(centre: float, width: float = 2.0) -> Kind:
    return lambda rng, n: centre + _grid(width * rng.normal(size=n), 2.0**-4)


def _mixed(rng: Rng, n: int) -> Array:
    """Far below, but two that are large and nearly equal, and one that is far below zero."""
    values = _grid(rng.uniform(-1000, 780, n), 0.125)
    places = rng.permutation(n)
    values[places[:1]] = 800.0 if n > 1 or rng.random() < 0.5 else -800.0
    values[places[1:2]] = 799.5
    values[places[2:3]] = -900.0
    return values


def _edges(rng: Rng, n: int) -> Array:
    return rng.choice(_EDGES, n, replace=n > len(_EDGES)) + _grid(rng.uniform(0, 0.25, n), 2.0**-6)


def _far(rng: Rng, n: int) -> Array:
    """Large exponents apart from each other, of both signs."""
    return short(10 ** rng.uniform(4, 18, n)) * rng.choice([-1.0, 1.0], n)


def _far_tied(rng: Rng, n: int) -> Array:
    """Two nearly equal ones above many that are far below."""
    values = -short(10 ** rng.uniform(4, 18, n))
    places = rng.permutation(n)
    values[places[:1]], values[places[1:2]] = 2.0**20, 2.0**20 - 0.5
    return values


def _sometimes_far(rng: Rng, n: int) -> Array:
    return np.where(rng.random(n) < 0.5, _everyday(rng, n), _far(rng, n))


def _scaled(kind: Kind, factor: float) -> Kind:
    return lambda rng, n: kind(rng, n) * factor


def _cluster(sign: float) -> Kind:
    """Large ones close to each other."""

    def values(rng: Rng, n: int) -> Array:
        base = short(rng.uniform(2e4, 1e5), 6)
        return sign * base + _grid(2 * rng.normal(size=n), 2.0**-4)

    return values


def _all_sizes(rng: Rng, n: int) -> Array:
    return short(10 ** rng.uniform(-18, 18, n)) * rng.choice([-1.0, 1.0], n)


def _near_one(rng: Rng, n: int) -> Array:
    """From a thousandth to a thousand."""
    return short(10 ** rng.uniform(-3, 3, n)) * rng.choice([-1.0, 1.0], n)


def _tiny(rng: Rng, n: int) -> Array:
    return short(10 ** rng.uniform(-18, -4, n)) * rng.choice([-1.0, 1.0], n)


def _ties(rng: Rng, n: int) -> Array:
    return np.full(n, rng.choice([0.0, 1.0, 2.0, -1.0]))


def _coins(rng: Rng, n: int) -> Array:
    return rng.integers(0, 2, n).astype("float64")


#: What numbers of all digits are close to: squares of them and their sums are rounded.
_CENTRE = 60000.0

#: In the order of how much they say: kinds of values, each from a generator and a length.
KINDS: dict[str, Kind] = {
    "everyday": _everyday,
    "wider": _wider,
    "near 800": _about(800.0),
    "near -900": _about(-900.0),
    "mixed within 1000": _mixed,
    "where exponentials end": _edges,
    "near 3e4 to 1e5": _cluster(1.0),
    "close, all digits": lambda rng, n: _CENTRE + rng.normal(size=n),
    "near -1e5": _cluster(-1.0),
    "two largest tied": _far_tied,
    "1e4 to 1e18": _far,
    "some everyday, some to 1e18": _sometimes_far,
    "near 30": _about(30.0, 8.0),
    "near -30": _about(-30.0, 8.0),
    "times 32": _scaled(_everyday, 32.0),
    "times 1024": _scaled(_everyday, 1024.0),
    "zeros and ones": _coins,
    "ties": _ties,
    "tiny": _tiny,
    "1e-18 to 1e18": _all_sizes,
    "1e-3 to 1e3": _near_one,
}


def _ends(rng: Rng, i: Input, shape: tuple[int, ...]) -> Array:
    """The ends of the range, and zero and one.

    What has none may be any float, but at the largest of all every sum overflows.
    """
    most = math.inf if i.given else _largest(i.dtype)
    low, high = max(i.low, -most), min(i.high, most)
    pool = [low, high, *(x for x in (0.0, 1.0) if low <= x <= high)]
    return rng.choice(np.array(pool), shape)


def _largest(dtype: np.dtype[Any]) -> float:
    """A float of which millions can be added, or that can be squared."""
    info = np.finfo(dtype)
    return max(2.0 ** (info.maxexp - 24), math.sqrt(info.max))


def drawn(i: Input, kind: str, rng: Rng) -> Array:
    """A value of an input, within its range.

    Parameters
    ----------
    i : Input
    kind : str
        One of `KINDS`, or ``ends`` for those of the range.
    rng : Generator
    """
    return np.asarray(in_blocks(lambda shape: _drawn(i, kind, rng, shape), i.shape))


def _drawn(i: Input, kind: str, rng: Rng, shape: tuple[int, ...]) -> Array:
    n = int(np.prod(shape)) if shape else 1
    if i.dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if i.dtype.kind in "iu":
        low, high = int(i.low), int(i.high)
        if kind in ("everyday", "wider"):
            low, high = max(low, min(high, -LARGEST_INT)), min(high, max(low, LARGEST_INT))
        return rng.integers(low, high, shape, endpoint=True).astype(i.dtype)
    if kind == "ends":
        return _ends(rng, i, shape).astype(i.dtype)
    values = np.reshape(KINDS[kind](rng, n), shape)
    if kind == "close, all digits":
        values = values * _reached(i)
    return _within(values, i, rng).astype(i.dtype)


def _reached(i: Input) -> float:
    """By how much numbers about the centre are to be multiplied to be in a range."""
    if i.low < _CENTRE / 2 and i.high > 2 * _CENTRE:
        return 1.0
    middle, far = (i.low + i.high) / 2, max(i.low, i.high, key=abs)
    return (middle + far) / 2 / _CENTRE


#: Everyday integers are no larger.
LARGEST_INT = 8


def moved(i: Input, value: Array, rng: Rng) -> Array:
    """A value moved a little into its range: away from where a function has no value."""
    if not i.is_float:
        return value
    low, high = max(i.low, -1000.0), min(i.high, 1000.0) + 1e-300
    target = in_blocks(lambda shape: rng.uniform(low, high, shape), value.shape)
    near = value + 1e-3 * (target - value)
    return np.clip(near, i.low, i.high).astype(value.dtype)


def _within(values: Array, i: Input, rng: Rng) -> Array:
    """What is outside of the range gives way to numbers in it, not to its ends alone."""
    if i.low >= 0:
        values = np.abs(values)
    elif i.high <= 0:
        values = -np.abs(values)
    outside = (values < i.low) | (values > i.high)
    if not outside.any():
        return values
    if (i.low, i.high) == (0.0, 1.0) and rng.random() < 0.5:  # a mask
        return rng.integers(0, 2, np.shape(values)).astype("float64")
    low, high = max(i.low, -1000.0), min(i.high, 1000.0)
    if low > high:  # the whole range is far from zero
        low, high = i.low, i.high
    scale = 2.0 ** -max(4, 12 - np.frexp(high - low)[1]) if high > low else 1.0
    inner = np.clip(_grid(rng.uniform(low, high, np.shape(values)), scale), low, high)
    return np.where(outside, inner, values)


def samples(inputs: Sequence[Input], count: int, seed: int) -> Iterator[tuple[str, list[Array]]]:
    """Inputs to try, each with what kind it is of.

    Parameters
    ----------
    inputs : sequence of Input
    count : int
        How many.
    seed : int
        Of the random numbers.

    Yields
    ------
    str, list of ndarray
        Everyday numbers first; then all inputs of one kind; then each input of a kind of its own.
    """
    rng = np.random.default_rng(seed)
    kinds = ["everyday", *KINDS, "ends"]
    for n in range(count):
        if n < len(kinds):
            yield kinds[n], [drawn(i, kinds[n], rng) for i in inputs]
            continue
        each = [kinds[k] for k in rng.integers(0, len(kinds), len(inputs))]
        if (n - len(kinds)) % 2:  # one that is not everyday
            odd = int(rng.integers(0, max(1, len(inputs))))
            each = [k if place == odd else "everyday" for place, k in enumerate(each)]
        yield (
            ", ".join(dict.fromkeys(each)),
            [drawn(i, k, rng) for i, k in zip(inputs, each, strict=True)],
        )
