"""Moments, means, scales and shares of data; rates, powers and steps of a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanrewrite import Axis, Eq, Float, T, eq
from tests.benchmarks.strangers.common import (
    S3,
    A,
    B,
    Own,
    X,
    Y,
    Z,
    around,
    around_two,
    at,
    elementwise,
    reduced,
    scalar,
    stranger,
)
from tests.benchmarks.strangers.models import Like


class Standardised(Like):
    def of(self, *values: Any) -> Any:
        (x,) = values
        return (x - x.mean(self.axis, keepdims=True)) / x.std(self.axis, keepdims=True)


def _standardised(x: Any, axis: Any) -> Any:
    return (x - x.mean(axis=axis, keepdims=True)) / at.sqrt(x.var(axis=axis, keepdims=True))


@stranger(
    [
        _standardised(A, 0), _standardised(A, 1), _standardised(A, -1) * 3,
        _standardised(S3, (0, -1)), (A - A.mean(axis=0)) / A.std(axis=0),
        (A - A.mean(axis=0)) / A.std(axis=0) * X + Y, (A.T - A.mean(axis=1)) / A.std(axis=1),
        at.dot(_standardised(A, 0), B), (A - A.mean(axis=0)) * A.var(axis=0) ** -0.5,
    ],
    [(A - A.mean(axis=0)) / A.std(axis=1, keepdims=True)],
)  # fmt: skip
def standardised(x: Float, axis: Axis) -> Iterator[Eq]:
    centred = x - T.mean(x, axis, keepdims=True)
    yield eq(
        centred / T.sqrt(T.mean(centred**2, axis, keepdims=True)),
        T.of(Standardised)(x, axis=axis),
    )


class Ranged(Like):
    def of(self, *values: Any) -> Any:
        (x,) = values
        low, high = x.min(self.axis, keepdims=True), x.max(self.axis, keepdims=True)
        return (x - low) / (high - low)


def _ranged(x: Any, axis: Any) -> Any:
    low, high = x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)
    return (x - low) / (high - low)


@stranger(
    [
        _ranged(A, 0), _ranged(A, 1), 2 * _ranged(A, -1) - 1, _ranged(S3, (1, 2)),
        (A - A.min(axis=0)) / (A.max(axis=0) - A.min(axis=0)), (X - X.min()) / (X.max() - X.min()),
        (A.T - A.min(axis=1)) / (A.max(axis=1) - A.min(axis=1)), at.dot(_ranged(A, 0), B),
    ],
    [(A - A.min(axis=0)) / (A.max(axis=0) - B.min(axis=0))],
)  # fmt: skip
def ranged(x: Float, axis: Axis) -> Iterator[Eq]:
    low, high = T.min(x, axis, keepdims=True), T.max(x, axis, keepdims=True)
    yield eq((x - low) / (high - low), T.of(Ranged)(x, axis=axis))


class Shares(Like):
    def of(self, *values: Any) -> Any:
        (x,) = values
        return x / abs(x).sum(self.axis, keepdims=True)


@stranger(
    [
        A / at.abs(A).sum(axis=1, keepdims=True), A / at.abs(A).sum(axis=0),
        (A.T / at.abs(A).sum(axis=1)).T, X / at.abs(X).sum(), 3 * Y * X / at.abs(X).sum(),
        at.dot(A / at.abs(A).sum(axis=0), B), A * at.abs(A).sum(axis=0) ** -1,
        S3 / at.abs(S3).sum(axis=(0, 1)),
    ],
    [A / at.abs(A).max(axis=0), A / at.abs(B).sum(axis=0)],
)  # fmt: skip
def shares_of_sizes(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(x / T.sum(T.abs(x), axis, keepdims=True), T.of(Shares)(x, axis=axis))


class PowerMean(Own):
    def of(self, *values: Any) -> Any:
        x, p = values
        return (x**p).mean(self.axis) ** (1 / p)


@stranger(
    [
        (A**3).mean(axis=1) ** (1 / 3), (A ** Y[0]).mean(axis=1) ** (1 / Y[0]),
        ((A**3).sum(axis=1) / A.shape[1]) ** (1 / 3), (A**-1).mean(axis=0) ** -1,
        2 * (A**3).mean(axis=0) ** (1 / 3), at.sqrt((A**2).mean(axis=1)),
        ((A + B) ** 4).mean(axis=0) ** 0.25, (A**-2).mean(axis=0) ** -0.5,
    ],
    [(A**3).mean(axis=1) ** 0.25],
    "positive",
)  # fmt: skip
def power_mean(x: Float, p: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(x**p, axis) ** (1 / p), T.of(PowerMean)(x, p, axis=axis))


class Geometric(Own):
    def of(self, *values: Any) -> Any:
        return np.exp(np.log(values[0]).mean(self.axis))


@stranger(
    [
        *reduced(lambda x, **along: at.exp(at.log(x).mean(**along))),
        at.exp(at.log(A).sum(axis=0) / A.shape[0]),
    ],
    [at.exp(at.log(A).sum(axis=1))],
    "positive",
)  # fmt: skip
def geometric_mean(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.mean(T.log(x), axis)), T.of(Geometric)(x, axis=axis))


class WeightedVariance(Own):
    def of(self, *values: Any) -> Any:
        w, x = values
        total = w.sum(self.axis, keepdims=True)
        centred = x - (w * x).sum(self.axis, keepdims=True) / total
        return (w * centred**2 / total).sum(self.axis)


def _weighted(w: Any, x: Any, axis: Any) -> Any:
    m = (w * x).sum(axis=axis, keepdims=True) / w.sum(axis=axis, keepdims=True)
    return (w * (x - m) ** 2).sum(axis=axis) / w.sum(axis=axis)


@stranger(
    [
        _weighted(B, A, 0), _weighted(B, A, 1), _weighted(Y, X, 0), at.sqrt(_weighted(B, A, -1)),
        (B * (A - (A * B).sum(axis=0) / B.sum(axis=0)) ** 2).sum(axis=0) / B.sum(axis=0),
        3 * _weighted(B, A, 0) - X,
    ],
    [(B * (A - A.mean(axis=0)) ** 2).sum(axis=0) / B.sum(axis=0)],
    "positive",
)  # fmt: skip
def weighted_variance(w: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    m = T.sum(w * x, axis, keepdims=True) / T.sum(w, axis, keepdims=True)
    yield eq(
        T.sum(w * (x - m) ** 2, axis) / T.sum(w, axis), T.of(WeightedVariance)(w, x, axis=axis)
    )


class Skewness(Own):
    def of(self, *values: Any) -> Any:
        centred = values[0] - values[0].mean(self.axis, keepdims=True)
        return (centred**3).mean(self.axis) / (centred**2).mean(self.axis) ** 1.5


def _skewness(x: Any, axis: Any) -> Any:
    centred = x - x.mean(axis=axis, keepdims=True)
    return (centred**3).mean(axis=axis) / (centred**2).mean(axis=axis) ** 1.5


@stranger(
    [
        _skewness(A, 0), _skewness(A, 1), _skewness(X, 0), -_skewness(S3, -1),
        ((A - A.mean(axis=0)) ** 3).mean(axis=0) / A.std(axis=0) ** 3,
        ((A - A.mean(axis=0)) ** 3).mean(axis=0) / A.var(axis=0) ** 1.5,
    ],
    [((A - A.mean(axis=0)) ** 3).mean(axis=0) / A.var(axis=0)],
)  # fmt: skip
def skewness(x: Float, axis: Axis) -> Iterator[Eq]:
    centred = x - T.mean(x, axis, keepdims=True)
    yield eq(
        T.mean(centred**3, axis) / T.mean(centred**2, axis) ** 1.5, T.of(Skewness)(x, axis=axis)
    )


class Dispersion(Own):
    def of(self, *values: Any) -> Any:
        return values[0].var(self.axis) / values[0].mean(self.axis)


@stranger(
    [
        A.var(axis=0) / A.mean(axis=0), A.var(axis=1) / A.mean(axis=1), X.var() / X.mean(),
        3 * A.var(axis=0) / A.mean(axis=0), A.mean(axis=0) ** -1 * A.var(axis=0),
        ((A - A.mean(axis=0)) ** 2).mean(axis=0) / A.mean(axis=0),
        ((A - A.mean(axis=0)) ** 2).sum(axis=0) / A.sum(axis=0),
    ],
    [A.var(axis=0) / A.mean(axis=1)],
    "positive",
)  # fmt: skip
def dispersion(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.var(x, axis) / T.mean(x, axis), T.of(Dispersion)(x, axis=axis))


class Deviation(Own):
    def of(self, *values: Any) -> Any:
        return abs(values[0] - values[0].mean(self.axis, keepdims=True)).mean(self.axis)


@stranger(
    [
        at.abs(A - A.mean(axis=0)).mean(axis=0), at.abs(A.mean(axis=0) - A).mean(axis=0),
        at.abs(A - A.mean(axis=1, keepdims=True)).mean(axis=1), 2 * at.abs(X - X.mean()).mean(),
    ],
    [at.abs(A - A.mean(axis=0)).mean(axis=1)],
)  # fmt: skip
def mean_deviation(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(T.abs(x - T.mean(x, axis, keepdims=True)), axis), T.of(Deviation)(x, axis=axis))


@stranger(
    [
        (A - A.mean(axis=0)).sum(axis=0), (A - A.mean(axis=1, keepdims=True)).mean(axis=1),
        (X - X.mean()).sum(), 3 * (A - A.mean(axis=0)).sum(axis=0) + Y,
    ],
    [(A - A.mean(axis=0)).sum(axis=1)],
)  # fmt: skip
def nothing_left(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(x - T.mean(x, axis, keepdims=True), axis), 0 * T.sum(x, axis))


@stranger(
    [
        at.log(A.prod(axis=0)), at.log(A.prod(axis=1)), at.log(X.prod()),
        2 * at.log(A.prod(axis=1)), at.log((A * B).prod(axis=0)),
        at.log(A.prod(axis=0, keepdims=True)), Y - at.log(A.prod(axis=0)),
    ],
    [at.log(A.sum(axis=0))],
    "positive",
)  # fmt: skip
def log_of_product(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.prod(x, axis)), T.sum(T.log(x), axis))


class RunningTotal(Like):
    def of(self, *values: Any) -> Any:
        return np.logaddexp.accumulate(values[0], self.axis)


@stranger(
    [
        at.log(at.cumsum(at.exp(A), axis=1)), at.log(at.cumsum(at.exp(A), axis=0)),
        2 * at.log(at.cumsum(at.exp(A), axis=-1)), at.log(at.cumsum(at.exp(X))),
        at.log(at.cumsum(at.exp(A - B), axis=1)), at.log(at.cumsum(at.exp(A), axis=1))[:, -1],
    ],
    [at.cumsum(at.exp(A), axis=1)],
)  # fmt: skip
def running_total(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.cumsum(T.exp(x), axis)), T.of(RunningTotal)(x, axis=axis))


SERIES = elementwise(lambda r, n: (1 - r**n) / (1 - r), 2)


@stranger(
    [
        *around_two(lambda r, n: (1 - r**n) / (1 - r)), (Y**Z - 1) / (Y - 1), (1 - Y**3) / (1 - Y),
        X * (1 - Y**Z) / (1 - Y),
    ],
    [(1 - X**Y) / (1 - Z)],
    "unit",
)  # fmt: skip
def geometric_series(r: Float, n: Float) -> Iterator[Eq]:
    yield eq((1 - r**n) / (1 - r), T.of(SERIES)(r, n))


HILL = elementwise(lambda x, k, n: x**n / (x**n + k**n), 3)


@stranger(
    [
        X**Z / (Y**Z + X**Z), X**2 / (Y**2 + X**2), 3 * X**Z / (Y**Z + X**Z),
        1 - X**Z / (X**Z + Y**Z), X * X / (X * X + Y * Y), X**3 / (Y**3 + X**3),
    ],
    [X**Z / (Y**Z + X**Y)],
    "positive",
)  # fmt: skip
def hill(x: Float, k: Float, n: Float) -> Iterator[Eq]:
    yield eq(x**n / (k**n + x**n), T.of(HILL)(x, k, n))


SATURATED = elementwise(lambda x, k: x / (k + x), 2)


@stranger(
    [
        *around_two(lambda x, k: x / (k + x)), Z * X / (X + Y), X / (X + 2), 1 / (1 + Y / X),
        1 - Y / (X + Y),
    ],
    [X / (Z + Y)],
    "positive",
)  # fmt: skip
def saturated(x: Float, k: Float) -> Iterator[Eq]:
    yield eq(x / (k + x), T.of(SATURATED)(x, k))


RADIATED = elementwise(lambda x: x**3 / scalar.expm1(x))


@stranger(
    [
        *around(lambda x: x**3 / (at.exp(x) - 1)), X**3 / at.expm1(X), X * X * X / (at.exp(X) - 1),
        X**3 * at.exp(-X) / (1 - at.exp(-X)),
    ],
    [X**2 / (at.exp(X) - 1)],
    "positive",
)  # fmt: skip
def radiated(x: Float) -> Iterator[Eq]:
    yield eq(x**3 / (T.exp(x) - 1), T.of(RADIATED)(x))


@stranger(
    [
        *around_two(lambda x, y: at.maximum(x, y) + at.minimum(x, y)),
        at.minimum(Y, X) + at.maximum(X, Y), at.maximum(A, 0) + at.minimum(A, 0),
    ],
    [at.maximum(X, Y) + at.minimum(X, Z), at.maximum(X, Y) - at.minimum(X, Y)],
)  # fmt: skip
def both_of_two(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, y) + T.minimum(x, y), x + y)


SPREAD = elementwise(lambda x, y: abs(x - y), 2)


@stranger(
    around_two(lambda x, y: at.maximum(x, y) - at.minimum(x, y)),
    [at.maximum(X, Y) - at.minimum(X, Z)],
)
def spread(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, y) - T.minimum(x, y), T.of(SPREAD)(x, y))


@stranger(
    [*around(lambda x: (x + at.abs(x)) / 2), 0.5 * X + 0.5 * at.abs(X), (at.abs(X) + X) * 0.5],
    [(X + at.abs(Y)) / 2],
)
def positive_part(x: Float) -> Iterator[Eq]:
    yield eq((x + T.abs(x)) / 2, T.maximum(x, 0))


REMAINDER = elementwise(lambda x, m: x % m, 2)


@stranger(
    [
        *around_two(lambda x, m: x - m * at.floor(x / m)), X - 2 * at.floor(X / 2),
        X - at.floor(X / Y) * Y,
    ],
    [X - Y * at.ceil(X / Y), X - Y * at.floor(X / Z)],
    "positive",
)  # fmt: skip
def remainder(x: Float, m: Float) -> Iterator[Eq]:
    yield eq(x - m * T.floor(x / m), T.of(REMAINDER)(x, m))


SIGNED = elementwise(lambda x: scalar.sgn(x) * scalar.log1p(abs(x)))


@stranger(
    [
        *around(lambda x: at.sgn(x) * at.log(1 + at.abs(x))), at.sgn(X) * at.log1p(at.abs(X)),
        at.log1p(at.abs(X)) * at.sgn(X),
    ],
    [at.sgn(Y) * at.log1p(at.abs(X))],
)  # fmt: skip
def signed_log(x: Float) -> Iterator[Eq]:
    yield eq(T.sgn(x) * T.log(1 + T.abs(x)), T.of(SIGNED)(x))


ROUNDED = elementwise(lambda x, d: d**2 * (scalar.sqrt(1 + (x / d) ** 2) - 1), 2)


@stranger(
    [
        *around_two(lambda x, d: d**2 * (at.sqrt(1 + (x / d) ** 2) - 1)),
        4 * (at.sqrt(1 + (X / 2) ** 2) - 1), 2.25 * (at.sqrt(1 + (X / 1.5) ** 2) - 1),
        at.square(Y) * (at.sqrt(1 + at.square(X / Y)) - 1),
        Y**2 * at.sqrt(1 + (X / Y) ** 2) - Y**2, 9 * at.sqrt(1 + (X / 3) ** 2) - 9,
    ],
    [Z**2 * (at.sqrt(1 + (X / Y) ** 2) - 1)],
    "positive",
)  # fmt: skip
def rounded_size(x: Float, d: Float) -> Iterator[Eq]:
    yield eq(d**2 * (T.sqrt(1 + (x / d) ** 2) - 1), T.of(ROUNDED)(x, d))


WELSCH = elementwise(lambda x: -scalar.expm1(-x * x / 2))


@stranger(
    [
        *around(lambda x: 1 - at.exp(-(x**2) / 2)), 1 - at.exp(-0.5 * X**2),
        1 - at.exp(-(X * X) / 2), -at.expm1(-(X**2) / 2), 1 - 1 / at.exp(X**2 / 2),
        1 - at.exp(-0.5 * at.square(X - Y)),
    ],
    [1 - at.exp(-(X**2))],
)  # fmt: skip
def welsch(x: Float) -> Iterator[Eq]:
    yield eq(1 - T.exp(-(x**2) / 2), T.of(WELSCH)(x))


SNAKE = elementwise(lambda x, a: x + scalar.sin(a * x) ** 2 / a, 2)


@stranger(
    [
        *around_two(lambda x, a: x + at.sin(a * x) ** 2 / a), X + at.sin(2 * X) ** 2 / 2,
        at.square(at.sin(Y * X)) / Y + X, X + 1 / Y * at.sin(X * Y) ** 2,
    ],
    [X + at.sin(Z * X) ** 2 / Y],
    "positive",
)  # fmt: skip
def snake(x: Float, a: Float) -> Iterator[Eq]:
    yield eq(x + T.sin(a * x) ** 2 / a, T.of(SNAKE)(x, a))


CAUCHY = elementwise(lambda x: scalar.log1p(x * x))


@stranger(
    [
        *around(lambda x: at.log(1 + x**2)), at.log1p(at.square(X)), at.log(X * X + 1),
        -at.log(1 / (1 + X**2)), at.log(1 + (X - Y) ** 2).sum(),
    ],
    [at.log(1 + X**3), at.log(2 + X**2)],
)  # fmt: skip
def cauchy(x: Float) -> Iterator[Eq]:
    yield eq(T.log(1 + x**2), T.of(CAUCHY)(x))


BUMP = elementwise(lambda x, d: scalar.exp(-((x / d) ** 2)) / d**2, 2)


@stranger(
    [
        *around_two(lambda x, d: at.exp(-((x / d) ** 2)) / d**2), at.exp(-((X / 2) ** 2)) / 4,
        at.exp(-((X / 3) ** 2)) / 9, at.exp(-(X**2) / 9) / 9,
    ],
    [at.exp(-((X / Z) ** 2)) / Y**2],
    "positive",
)  # fmt: skip
def bump(x: Float, d: Float) -> Iterator[Eq]:
    yield eq(T.exp(-((x / d) ** 2)) / d**2, T.of(BUMP)(x, d))
