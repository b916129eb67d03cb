"""What a model is given: at everyday inputs, at large ones, and at extreme ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import crc32

import aesara
import numpy as np

from tests.view.common import at

#: Regimes, and how often numbers are drawn in each.
DRAWS = [("everyday", 0), ("everyday", 1), *(("large", n) for n in range(3))]
DRAWS += [("extreme", n) for n in range(3)]
KINDS = ("value", "slopes", "products")
#: Where logistic functions change their character.
TURNS = np.array(
    [-900, -745.25, -709.75, -100, -36.5, -20, -1.5, 0.5, 2.25, 15, 20, 36.75, 100, 709.75, 800]
)

Draw = Callable[[np.random.Generator, str, int], Any]


class Input(NamedTuple):
    """An operand of a model."""

    draw: Draw
    shape: tuple[int, ...]
    wrt: bool
    dtype: str = "float64"


class Model(NamedTuple):
    """A function of graphs, and what it is given."""

    name: str
    build: Callable[..., Any]
    inputs: tuple[Input, ...]


MODELS: list[Model] = []


def model(*inputs: Input) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function of graphs among the models."""

    def added(build: Callable[..., Any]) -> Callable[..., Any]:
        MODELS.append(Model(build.__name__, build, inputs))
        return build

    return added


def _short(values: Any) -> Any:
    """Numbers of a few bits, whose sums and differences are not rounded."""
    return np.round(np.asarray(values) * 64) / 64


def _shape(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Lengths, which may be given as one tuple."""
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple) else shape


def _flat(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows, and their length."""
    return (int(np.prod(shape[:-1])), shape[-1]) if shape else (1, 1)


def logits(*shape: Any, lim: float = 1e6, axis: int | None = -1) -> Input:
    """What is exponentiated and summed: near each other, or far from 0, or with ties."""
    lengths = _shape(shape)

    def draw(rng: np.random.Generator, regime: str, n: int) -> Any:
        rows, length = _flat(lengths)
        near = rng.normal(size=(rows, length))
        if regime == "everyday":
            found = near
        elif n < 2:
            at_most = 850.0 if regime == "large" else lim
            level = at_most * (1 if regime == "large" else rng.uniform(0.2, 1, size=(rows, 1)))
            found = (level if n == 0 else -level) + 2 * near
        else:
            found = rng.uniform(-1000, 780, size=near.shape) * (
                1 if regime == "large" else lim / 1e3
            )
            top = 800.0 if regime == "large" else 0.9 * lim
            for row in found:
                places = rng.permutation(length)
                row[places[:2]] = [top, top - 0.5][: min(2, length)]
        return _short(found).reshape(lengths)

    return Input(draw, lengths, wrt=True)


def elements(*shape: Any, lim: float = 1e6) -> Input:
    """What goes into a function of each element alone."""
    lengths = _shape(shape)

    def draw(rng: np.random.Generator, regime: str, n: int) -> Any:
        count = int(np.prod(lengths))
        signs = rng.choice([-1.0, 1.0], size=count) if n == 2 else np.full(count, 1.0 - 2 * n)
        if regime == "everyday":
            found = rng.normal(size=count) * (1 + 2 * n)
        elif regime == "large":
            turns = rng.choice(TURNS, size=count) + rng.uniform(0, 0.25, size=count)
            found = turns if n == 2 else signs * rng.uniform(700, 1000, size=count)
            found = np.clip(found, -lim, lim)
        else:
            found = signs * 10 ** rng.uniform(min(4, np.log10(lim) - 1), np.log10(lim), size=count)
        return _short(found).reshape(lengths)

    return Input(draw, lengths, wrt=True)


def features(*shape: Any, scale: tuple[int, int, int] = (0, 5, 10), wrt: bool = True) -> Input:
    """Features whose products become exponents; the powers of 2 that they are multiplied with."""
    lengths = _shape(shape)

    def draw(rng: np.random.Generator, regime: str, n: int) -> Any:
        power = scale[("everyday", "large", "extreme").index(regime)]
        return (np.round(rng.normal(size=lengths) * 8) + 0.5) / 8 * 2.0**power

    return Input(draw, lengths, wrt)


def given(everyday: Any, large: Any, extreme: Any, wrt: bool = False) -> Input:
    """The numbers of each regime."""
    values = {"everyday": everyday, "large": large, "extreme": extreme}
    return Input(lambda rng, regime, n: np.asarray(values[regime]), np.shape(everyday), wrt)


def _harmless(draw: Callable[[np.random.Generator, tuple[int, ...]], Any]) -> Callable[..., Input]:
    """An input that is the same at all regimes."""

    def kind(*shape: Any, wrt: bool = False) -> Input:
        lengths = _shape(shape)
        return Input(lambda rng, regime, number: draw(rng, lengths), lengths, wrt)

    return kind


def _one_hot(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.eye(shape[-1])[rng.integers(0, shape[-1], size=shape[:-1])]


def _both(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Zeros and ones, of which there are both in each row."""
    found = (rng.random(size=shape) < 0.6).astype(float)
    found[..., 0] = 1.0
    found[..., -1] = 0.0
    return found


numbers = _harmless(lambda rng, shape: _short(rng.normal(size=shape)))
positive = _harmless(lambda rng, shape: _short(rng.uniform(0.25, 4, size=shape)))
unit = _harmless(lambda rng, shape: rng.integers(4, 61, size=shape) / 64)
temperature = _harmless(lambda rng, shape: rng.choice([0.25, 0.5, 2.0], size=shape))
one_hot = _harmless(_one_hot)
bits = _harmless(_both)


def labels(*shape: Any, n: int) -> Input:
    """Which of n it is."""
    lengths = _shape(shape)
    return Input(
        lambda rng, regime, number: rng.integers(0, n, size=lengths), lengths, False, "int64"
    )


def built(m: Model, kind: str) -> tuple[list[Any], list[Any]]:
    """The variables and outputs of a model: value, slopes, or products of the Hessian."""
    variables = [
        at.TensorType(i.dtype, shape=(None,) * len(i.shape))(f"v{n}")
        for n, i in enumerate(m.inputs)
    ]
    value = m.build(*variables)
    if kind == "value":
        return variables, [value]
    wrt = [v for v, i in zip(variables, m.inputs, strict=True) if i.wrt]
    slopes: Any = aesara.grad((value * _uneven(value)).sum(), wrt, disconnected_inputs="ignore")
    if kind == "slopes":
        return variables, slopes
    along: Any = sum((s * (0.5 + 0.25 * n) * _uneven(s)).sum() for n, s in enumerate(slopes))
    products: Any = aesara.grad(along, wrt, disconnected_inputs="ignore")
    return variables, products


def _uneven(of: Any) -> Any:
    """Weights of elements: with equal ones the products of whatever may be shifted are all 0."""
    if not of.ndim:
        return 1
    return at.cos(at.arange(at.cast(at.prod(of.shape), "int64"))).reshape(of.shape)


def values(m: Model, regime: str, n: int) -> list[Any]:
    """The same numbers in each run."""
    found = []
    for place, i in enumerate(m.inputs):
        rng = np.random.default_rng(crc32(f"{m.name}|{place}|{regime}|{n}".encode()))
        found.append(np.asarray(i.draw(rng, regime, n), i.dtype))
    return found
