"""Activation functions, by the formulas in papers and the code that people write for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanrewrite import Eq, Float, T, eq
from tests.benchmarks.strangers.common import (
    A,
    B,
    F,
    X,
    Y,
    Z,
    around,
    around_two,
    at,
    elementwise,
    scalar,
    stranger,
)

SILU = elementwise(lambda x: x * scalar.sigmoid(x))
MISH = elementwise(lambda x: x * scalar.tanh(scalar.softplus(x)))
SOFTSIGN = elementwise(lambda x: x / (1.0 + abs(x)))


def _silu(x: Any) -> Any:
    return x * at.sigmoid(x)


@stranger(
    [*around(_silu), X / (1 + at.exp(-X)), at.exp(X) * X / (1 + at.exp(X))],
    [X * at.sigmoid(Y), X + at.sigmoid(X)],
)  # fmt: skip
def silu(x: Float) -> Iterator[Eq]:
    yield eq(x * T.sigmoid(x), T.of(SILU)(x))


def _mish(x: Any) -> Any:
    return x * at.tanh(at.softplus(x))


@stranger(
    [*around(_mish), X * at.tanh(at.log(1 + at.exp(X))), at.tanh(at.log1p(at.exp(X))) * X],
    [X * at.tanh(at.softplus(Y)), X * at.tanh(X)],
)  # fmt: skip
def mish(x: Float) -> Iterator[Eq]:
    yield eq(x * T.tanh(T.log1p(T.exp(x))), T.of(MISH)(x))


def _softsign(x: Any) -> Any:
    return x / (1 + at.abs(x))


@stranger(
    [*around(_softsign), X * (at.abs(X) + 1) ** -1, X * at.reciprocal(1 + at.abs(X))],
    [X / (1 + at.abs(Y)), X / (2 + at.abs(X)), at.abs(X) / (1 + at.abs(X))],
)  # fmt: skip
def softsign(x: Float) -> Iterator[Eq]:
    yield eq(x / (1 + T.abs(x)), T.of(SOFTSIGN)(x))


HARD_SIGMOID = elementwise(lambda x: scalar.clip(0.2 * x + 0.5, 0.0, 1.0))


def _hard_sigmoid(x: Any) -> Any:
    return at.clip(0.2 * x + 0.5, 0, 1)


@stranger(
    [
        *around(_hard_sigmoid), at.clip(0.5 + X / 5, 0, 1),
        at.minimum(1, at.maximum(0, 0.2 * X + 0.5)), at.maximum(at.minimum(0.5 + 0.2 * X, 1), 0),
    ],
    [at.clip(0.2 * X + 0.4, 0, 1), at.clip(0.2 * X + 0.5, 0, 2)],
)  # fmt: skip
def hard_sigmoid(x: Float) -> Iterator[Eq]:
    yield eq(T.clip(0.2 * x + 0.5, 0, 1), T.of(HARD_SIGMOID)(x))


def _leaky(x: Any) -> Any:
    return at.switch(x > 0, x, 0.01 * x)


@stranger(
    [*around(_leaky), at.switch(X > 0, X, X * 0.01), at.switch(at.gt(X, 0), X, X / 100)],
    [at.switch(X > 0, X, 0.01 * Y), at.switch(X > 1, X, 0.01 * X)],
)  # fmt: skip
def leaky_relu(x: Float) -> Iterator[Eq]:
    yield eq(T.switch(x > 0, x, 0.01 * x), T.maximum(x, 0.01 * x))


@stranger(
    [
        at.switch(X > 0, X, Y * X), at.switch(X > 0, X, X * Y), at.switch(X > 0, X, 0.2 * X),
        Z * at.switch(X > 0, X, Y * X), at.switch(A > 0, A, X * A),
        at.switch(X * Y > 0, X * Y, Z * X * Y), at.switch(X > 0, X, Y * X).sum(),
        at.switch(F > 0, F, 0.5 * F),
    ],
    [at.switch(X > 0, X, Y * Z), at.switch(X > 0, Y, Y * X)],
)  # fmt: skip
def prelu(x: Float, a: Float) -> Iterator[Eq]:
    yield eq(T.switch(x > 0, x, a * x), T.maximum(x, 0) + a * T.minimum(x, 0))


ROOT = float(np.sqrt(2 / np.pi))


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + at.tanh(ROOT * (x + 0.044715 * x**3)))


@stranger(
    [
        *around(_tanh_gelu), X / 2 * (1 + at.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X * X * X))),
        0.5 * (X + X * at.tanh(ROOT * (0.044715 * at.power(X, 3) + X))),
        X * (0.5 + 0.5 * at.tanh(ROOT * X * (1 + 0.044715 * X**2))),
    ],
    [0.5 * X * (1 + at.tanh(ROOT * (X + 0.05 * X**3))), 0.5 * X * (1 + at.tanh(X + X**3))],
)  # fmt: skip
def tanh_gelu(x: Float) -> Iterator[Eq]:
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    yield eq(0.5 * x * (1 + T.tanh(inner)), x * T.sigmoid(2 * inner))


def _selu(x: Any) -> Any:
    return 1.0507 * at.switch(x > 0, x, 1.67326 * (at.exp(x) - 1))


@stranger(
    [
        *around(_selu), 1.0507 * at.switch(X > 0, X, 1.67326 * at.expm1(X)),
        1.0507 * at.switch(X > 0, X, 1.67326 * at.exp(X) - 1.67326),
    ],
    [1.0507 * at.switch(X > 0, X, 1.5 * (at.exp(X) - 1))],
)  # fmt: skip
def selu(x: Float) -> Iterator[Eq]:
    scale, alpha = 1.0507, 1.67326
    yield eq(
        scale * T.switch(x > 0, x, alpha * (T.exp(x) - 1)),
        scale * T.maximum(x, 0) + scale * alpha * T.expm1(T.minimum(x, 0)),
    )


def _relu6(x: Any) -> Any:
    return at.minimum(at.maximum(x, 0), 6)


@stranger(
    [*around(_relu6), at.minimum(6, at.maximum(0, X)), at.clip(X, 0, 6)],
    [at.minimum(at.maximum(X, 1), 6), at.minimum(at.maximum(X, 0), 5)],
)  # fmt: skip
def relu6(x: Float) -> Iterator[Eq]:
    yield eq(T.minimum(T.maximum(x, 0), 6), (T.abs(x) - T.abs(x - 6)) / 2 + 3)


HARD_SWISH = elementwise(lambda x: x * scalar.clip(x + 3.0, 0.0, 6.0) / 6.0)


def _hard_swish(x: Any) -> Any:
    return x * at.clip(x + 3, 0, 6) / 6


@stranger(
    [
        *around(_hard_swish), X * at.minimum(at.maximum(X + 3, 0), 6) / 6,
        X / 6 * at.clip(3 + X, 0, 6), 2 * X * at.clip(X + 3, 0, 6),
    ],
    [X * at.clip(X + 3, 0, 5) / 6, X * at.clip(Y + 3, 0, 6) / 6],
)  # fmt: skip
def hard_swish(x: Float) -> Iterator[Eq]:
    yield eq(x * T.clip(x + 3, 0, 6) / 6, T.of(HARD_SWISH)(x))


def _sharp(x: Any, b: Any = 3.0) -> Any:
    return at.log(1 + at.exp(b * x)) / b


@stranger(
    [
        *around(_sharp), _sharp(X, Y), at.log1p(at.exp(Y * X)) / Y, Z * at.softplus(X * Y) / Y,
        at.reciprocal(Y) * at.log(at.exp(X * Y) + 1),
    ],
    [at.log(1 + at.exp(X * Y)) / Z, at.log(2 + at.exp(X * Y)) / Y],
)  # fmt: skip
def sharp_softplus(x: Float, b: Float) -> Iterator[Eq]:
    yield eq(
        T.log(1 + T.exp(b * x)) / b, T.maximum(b * x, 0) / b + T.log1p(T.exp(-T.abs(b * x))) / b
    )


GLU = elementwise(lambda a, b: a * scalar.sigmoid(b), 2)


@stranger(
    [
        *around_two(lambda a, b: a * at.sigmoid(b)), X / (1 + at.exp(-Y)), at.sigmoid(Y) * X * Z,
        X * Y * at.sigmoid(Z),
    ],
    [X + at.sigmoid(Y), X * at.tanh(Y)],
)  # fmt: skip
def gated(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(a * T.sigmoid(b), T.of(GLU)(a, b))


@stranger(
    [
        *around(lambda x: x - at.tanh(x)), at.tanh(-X) + X, X + Y - at.tanh(X),
        2 * X - 2 * at.tanh(X),
    ],
    [X - at.tanh(Y), X + at.tanh(X)],
)  # fmt: skip
def tanhshrink(x: Float) -> Iterator[Eq]:
    yield eq(x - T.tanh(x), T.of(elementwise(lambda i: i - scalar.tanh(i)))(x))


HARD_SHRINK = elementwise(lambda i: scalar.switch(scalar.gt(abs(i), 0.5), i, 0.0))


@stranger(
    [
        *around(lambda x: at.switch(at.abs(x) > 0.5, x, 0)),
        at.switch(at.gt(at.abs(X), 0.5), X, 0.0), at.switch(at.abs(X) > 0.5, X, 0),
    ],
    [at.switch(at.abs(X) > 0.4, X, 0), at.switch(at.abs(X) > 0.5, Y, 0)],
)  # fmt: skip
def hardshrink(x: Float) -> Iterator[Eq]:
    yield eq(T.switch(T.abs(x) > 0.5, x, 0), T.of(HARD_SHRINK)(x))


@stranger(
    [
        *around(lambda x: at.sgn(x) * at.maximum(at.abs(x) - 0.5, 0)),
        at.maximum(0, at.abs(X) - 0.5) * at.sgn(X), at.sgn(X) * at.maximum(at.abs(X) - Y, 0),
    ],
    [at.sgn(Y) * at.maximum(at.abs(X) - 0.5, 0), at.maximum(at.abs(X) - 0.5, 0)],
)  # fmt: skip
def softshrink(x: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.sgn(x) * T.maximum(T.abs(x) - b, 0), T.switch(T.abs(x) > b, x - b * T.sgn(x), 0))


@stranger(
    [
        *around(lambda x: at.exp(-(x**2) / 2), also=False), at.exp(-X * X / 2), at.exp(-0.5 * X**2),
        1 / at.exp(X**2 / 2), at.exp(-at.square(X) * 0.5) * Y, at.exp(-((X - Y) ** 2) / 2),
    ],
    [at.exp(-(X**2)), at.exp(X**2 / 2), at.exp(-X * Y / 2)],
)  # fmt: skip
def bell(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(-(x**2) / 2), T.of(elementwise(lambda i: scalar.exp(-0.5 * i * i)))(x))


@stranger(
    [
        at.log(X / (1 - X)), at.log(X) - at.log(1 - X), at.log(X) - at.log1p(-X),
        Y * at.log(X / (1 - X)), -at.log((1 - X) / X), -at.log(1 / X - 1),
        at.log(A / (1 - A)).sum(axis=1), at.log(F / (1 - F)), 2 * at.log(X) - 2 * at.log(1 - X),
        at.log(X * Y / (1 - X * Y)),
    ],
    [at.log(X / (1 - Y)), at.log(X / (1 + X))],
    "unit",
)  # fmt: skip
def logit_of(p: Float) -> Iterator[Eq]:
    yield eq(T.log(p / (1 - p)), T.of(elementwise(lambda i: scalar.log(i) - scalar.log1p(-i)))(p))


@stranger(
    [
        at.maximum(X, 0) + Y * at.minimum(X, 0), at.minimum(X, 0) * Y + at.maximum(0, X),
        at.maximum(A, 0) + 0.1 * at.minimum(A, 0), Z * (at.maximum(X, 0) + Y * at.minimum(X, 0)),
        at.maximum(X, 0) + 0.25 * at.minimum(X, 0) - Z,
        at.maximum(X - Y, 0) + Z * at.minimum(X - Y, 0),
        (at.maximum(A, 0) + B * at.minimum(A, 0)).sum(axis=0),
        at.maximum(F, 0) - 2 * at.minimum(F, 0),
    ],
    [at.maximum(X, 0) + Y * at.minimum(Z, 0), at.maximum(X, 1) + Y * at.minimum(X, 0)],
)  # fmt: skip
def split_at_zero(x: Float, a: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0) + a * T.minimum(x, 0), T.switch(x > 0, x, a * x))


@stranger(
    [
        at.exp(X * np.log(2.0)), at.exp(np.log(2) * X), Y * at.exp(X * np.log(2)),
        at.exp(-np.log(2) * X), at.exp(np.log(2) * A).sum(axis=0), at.exp(np.log(2) * (X + Y)),
        3 / at.exp(np.log(2) * X), at.exp(np.log(2) * A)[0],
    ],
    [at.exp(X), at.exp(X * Y)],
)  # fmt: skip
def power_of_two(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(x * np.log(2)), T.exp2(x))
