"""Norms, losses and distances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanrewrite import Axis, Eq, Float, T, eq
from tests.benchmarks.strangers.common import (
    S3,
    T3,
    A,
    B,
    C,
    F,
    G,
    W,
    X,
    Y,
    Z,
    around_two,
    at,
    elementwise,
    reduced,
    scalar,
    stranger,
)


def _norm(x: Any, **along: Any) -> Any:
    return at.sqrt((x**2).sum(**along))


@stranger(
    [
        *reduced(_norm), at.sqrt((A * A).sum(axis=1)), at.square(A).sum(axis=1) ** 0.5,
        at.sqrt(at.dot(X, X)), X / at.sqrt((X**2).sum()), (at.abs(A) ** 2).sum(axis=1) ** 0.5,
    ],
    [at.sqrt((A**3).sum(axis=1)), at.sqrt((A * B).sum(axis=1)), (A**2).sum(axis=1)],
)  # fmt: skip
def euclidean_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(
        T.sqrt(T.sum(x**2, axis)),
        T.max(T.abs(x), axis)
        * T.sqrt(T.sum((x / T.max(T.abs(x), axis, keepdims=True)) ** 2, axis)),
    )


@stranger(
    [
        *reduced(lambda x, **a: at.abs(x).sum(**a)), at.abs(A).sum(axis=1) / 2,
        (at.abs(A) * Y[0]).sum(axis=1),
    ],
    [at.abs(A.sum(axis=1)), at.abs(A).max(axis=1)],
)  # fmt: skip
def taxicab_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(T.abs(x), axis), T.sum(T.maximum(x, -x), axis))


@stranger(
    [
        ((X - Y) ** 2).mean(), ((A - B) ** 2).mean(axis=1), at.square(A - B).mean(axis=-1),
        at.mean(at.square(Y - X)), ((A - B) ** 2).sum(axis=1) / A.shape[1],
        0.5 * ((A - B) ** 2).mean(), ((A - B) * (A - B)).mean(axis=0),
        ((A - X) ** 2).mean(axis=0, keepdims=True), ((F - G) ** 2).mean(),
        ((S3 - T3) ** 2).mean(axis=(0, 2)),
    ],
    [((X - Y) ** 2).sum(), ((X - Y) ** 4).mean()],
)  # fmt: skip
def mean_squared_error(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean((x - y) ** 2, axis), T.mean(T.abs(x - y) * T.abs(y - x), axis))


@stranger(
    [
        at.abs(X - Y).mean(), at.abs(Y - X).mean(), at.abs(A - B).mean(axis=-1),
        2 * at.abs(A - B).mean(axis=0), at.abs(A - X).mean(axis=0, keepdims=True),
        at.mean(abs(A - B.T)), at.abs(A - B).sum(axis=1) / A.shape[1], at.abs(F - G).mean(),
        1 - at.abs(A - B).mean(axis=(0, 1)),
    ],
    [at.abs(X - Y).sum()],
)  # fmt: skip
def mean_absolute_error(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(T.abs(x - y), axis), T.mean(T.maximum(x - y, y - x), axis))


def _bce(t: Any, p: Any) -> Any:
    return -(t * at.log(p) + (1 - t) * at.log(1 - p))


BCE = elementwise(lambda t, p: 0.0 - t * scalar.log(p) - (1.0 - t) * scalar.log1p(-p), 2)


@stranger(
    [
        _bce(X, Y), -X * at.log(Y) - (1 - X) * at.log(1 - Y), _bce(A, B).mean(),
        _bce(A, B).sum(axis=1), X * at.log(Y) + (1 - X) * at.log(1 - Y), Z * _bce(X, Y),
        -(X * at.log(Y) + (1 - X) * at.log1p(-Y)), (X - 1) * at.log(1 - Y) - X * at.log(Y),
        _bce(A, X)[1:], _bce(F, G), 3 + _bce(X * Z, Y),
    ],
    [X * at.log(Y) + (1 - Z) * at.log(1 - Y), X * at.log(Y) + (1 - X) * at.log(1 - Z)],
    "unit",
)  # fmt: skip
def binary_cross_entropy(t: Float, p: Float) -> Iterator[Eq]:
    yield eq(-(t * T.log(p) + (1 - t) * T.log(1 - p)), T.of(BCE)(t, p))


HINGE = elementwise(lambda t, y: scalar.scalar_maximum(0.0, 1.0 - t * y), 2)


@stranger(
    [
        *around_two(lambda t, y: at.maximum(0, 1 - t * y)), at.maximum(1 - X * Y, 0.0),
        at.maximum(-X * Y + 1, 0),
    ],
    [at.maximum(0, 2 - X * Y), at.minimum(0, 1 - X * Y)],
)  # fmt: skip
def hinge(t: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.maximum(0, 1 - t * y), T.of(HINGE)(t, y))


HUBER = elementwise(lambda d: scalar.switch(scalar.le(abs(d), 1.0), 0.5 * d * d, abs(d) - 0.5))


def _huber(d: Any) -> Any:
    return at.switch(at.abs(d) <= 1, 0.5 * d**2, at.abs(d) - 0.5)


@stranger(
    [
        _huber(X), _huber(X - Y), at.switch(abs(X) <= 1, X * X / 2, abs(X) - 0.5),
        _huber(A).mean(axis=1), 3 * _huber(X), Y * _huber(X) - Z, _huber(A.T), _huber(F),
        at.dot(_huber(A), B), _huber(X)[:-1],
        at.switch(at.le(at.abs(X), 1), at.square(X) * 0.5, -0.5 + at.abs(X)),
    ],
    [
        at.switch(at.abs(X) <= 1, 0.5 * X**2, at.abs(X) - 1),
        at.switch(at.abs(X) <= 1, 0.5 * Y**2, at.abs(X) - 0.5),
    ],
)  # fmt: skip
def huber(d: Float) -> Iterator[Eq]:
    yield eq(T.switch(T.abs(d) <= 1, 0.5 * d**2, T.abs(d) - 0.5), T.of(HUBER)(d))


@stranger(
    [
        (X * (at.log(X) - at.log(Y))).sum(), (X * at.log(X / Y)).sum(),
        (A * at.log(A / B)).sum(axis=1), -(X * at.log(Y / X)).sum(),
        (A * (at.log(A) - at.log(B))).sum(axis=-1, keepdims=True),
        (X * at.log(X) - X * at.log(Y)).sum(), (A * at.log(A / X)).sum(axis=0).mean(),
        (F * at.log(F / G)).sum(), 2 * (A * at.log(A / B)).sum(),
        (A.T * at.log(A.T / B)).sum(axis=0),
    ],
    [(X * at.log(Y / Z)).sum(), (X * at.log(X * Y)).sum()],
    "positive",
)  # fmt: skip
def relative_entropy(p: Float, q: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(p * T.log(p / q), axis), T.sum(p * T.log1p((p - q) / q), axis))


@stranger(
    [
        1 - (X * Y).sum() / (_norm(X) * _norm(Y)), 1 - at.dot(X, Y) / (_norm(X) * _norm(Y)),
        1 - (A * B).sum(axis=1) / (_norm(A, axis=1) * _norm(B, axis=1)),
        1 - (A * B).sum(axis=-1) / _norm(A, axis=-1) / _norm(B, axis=-1),
        1 - (A * B).sum(axis=0) / at.sqrt((A**2).sum(axis=0) * (B**2).sum(axis=0)),
        (1 - (A * B).sum(axis=1) / (_norm(A, axis=1) * _norm(B, axis=1))).mean(),
        2 - 2 * (A * B).sum(axis=1) / (_norm(A, axis=1) * _norm(B, axis=1)),
        (A * B).sum(axis=1) / (_norm(A, axis=1) * _norm(B, axis=1)) - 1,
    ],
    [1 - (X * Y).sum() / (_norm(X) * _norm(Z)), 1 - (X * Y).sum() / _norm(X)],
)  # fmt: skip
def cosine_distance(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    lengths = T.sqrt(T.sum(x**2, axis)) * T.sqrt(T.sum(y**2, axis))
    yield eq(1 - T.sum(x * y, axis) / lengths, (lengths - T.sum(x * y, axis)) / lengths)


@stranger(
    [
        at.log(2 * np.pi * Z) / 2 + (X - Y) ** 2 / (2 * Z),
        0.5 * (at.log(2 * np.pi * Z) + (X - Y) ** 2 / Z),
        (0.5 * at.log(2 * np.pi * Z) + 0.5 * (Y - X) ** 2 / Z).sum(),
        -0.5 * at.log(2 * np.pi * Z) - (X - Y) ** 2 / (2 * Z),
        0.5 * at.log(2 * np.pi * Z) + at.square(X - Y) / Z / 2,
        W + 0.5 * at.log(2 * np.pi * Z) + (X - Y) ** 2 / (2 * Z),
        0.5 * at.log(2 * np.pi * A) + (B - C) ** 2 / (2 * A),
        0.5 * at.log(2 * np.pi * Z**2) + (X - Y) ** 2 / (2 * Z**2),
    ],
    [
        0.5 * at.log(2 * np.pi * Z) + (X - Y) ** 2 / (2 * W),
        0.5 * at.log(np.pi * Z) + (X - Y) ** 2 / (2 * Z),
    ],
    "positive",
)  # fmt: skip
def gaussian_surprise(x: Float, m: Float, v: Float) -> Iterator[Eq]:
    nll = elementwise(lambda a, b, c: 0.5 * (scalar.log(2 * np.pi * c) + (a - b) * (a - b) / c), 3)
    yield eq(0.5 * T.log(2 * np.pi * v) + (x - m) ** 2 / (2 * v), T.of(nll)(x, m, v))


@stranger(
    [
        2 * (A * B).sum(axis=1) / (A.sum(axis=1) + B.sum(axis=1)),
        2 * (X * Y).sum() / (X.sum() + Y.sum()), 1 - 2 * (A * B).sum() / (A.sum() + B.sum()),
        (A * B).sum(axis=0) * 2 / (B.sum(axis=0) + A.sum(axis=0)),
        (A * B).sum(axis=1) / (0.5 * (A.sum(axis=1) + B.sum(axis=1))),
        (A * B).sum(axis=1) / (A.sum(axis=1) + B.sum(axis=1)),
        2 * at.dot(X, Y) / (X.sum() + Y.sum()),
        2 * (A * B).sum(-1, keepdims=True) / (A.sum(-1, keepdims=True) + B.sum(-1, keepdims=True)),
    ],
    [2 * (X * Y).sum() / (X.sum() + Z.sum()), 2 * (X * Y).sum() / (X.sum() * Y.sum())],
    "positive",
)  # fmt: skip
def dice(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    total = T.sum(x, axis) + T.sum(y, axis)
    yield eq(2 * T.sum(x * y, axis) / total, 2 * T.sum(x * y, axis) / T.sum(x + y, axis))


@stranger(
    [
        -(X * at.log(X)).sum(), -(A * at.log(A)).sum(axis=1), (A * at.log(A)).sum(axis=0),
        (-A * at.log(A)).sum(axis=-1, keepdims=True), at.sum(A * at.log(1 / A), axis=1),
        -2 * (A * at.log(A)).sum(), Y - (A * at.log(A)).sum(axis=1), -(F * at.log(F)).sum(),
        -(A.T * at.log(A.T)).sum(axis=0).mean(), -at.dot(X, at.log(X)),
    ],
    [-(X * at.log(Y)).sum(), -(X + at.log(X)).sum()],
    "positive",
)  # fmt: skip
def entropy_of(p: Float, axis: Axis) -> Iterator[Eq]:
    xlogx = elementwise(lambda i: scalar.switch(scalar.gt(i, 0.0), i * scalar.log(i), 0.0))
    yield eq(-T.sum(p * T.log(p), axis), -T.sum(T.of(xlogx)(p), axis))


def _pinball(d: Any, q: Any = 0.3) -> Any:
    return at.maximum(q * d, (q - 1) * d)


@stranger(
    [
        _pinball(X), _pinball(X - Y), at.maximum((0.3 - 1) * X, 0.3 * X), _pinball(A).mean(axis=1),
        _pinball(X, Y), Z * _pinball(X, Y), at.maximum(X * Y, X * (Y - 1)), _pinball(A, X),
        _pinball(F, 0.5), 2 - _pinball(X, 0.9), at.maximum(0.3 * X, -0.7 * X),
    ],
    [at.maximum(0.3 * X, -0.6 * X), at.maximum(X * Y, (Z - 1) * X)],
)  # fmt: skip
def pinball(d: Float, q: Float) -> Iterator[Eq]:
    yield eq(T.maximum(q * d, (q - 1) * d), q * d + T.maximum(0, -d))


@stranger(
    [
        at.exp(-((A - B) ** 2).sum(axis=1) / 2), at.exp(-0.5 * ((A - B) ** 2).sum(axis=-1)),
        1 / at.exp(((A - B) ** 2).sum(axis=0) / 2), Y * at.exp(-((A - X) ** 2).sum(axis=1) / 2),
        at.exp(-((B - A) * (B - A)).sum(axis=1) * 0.5), at.exp(-at.square(X - Y).sum() / 2),
        at.dot(at.exp(-((A - B) ** 2).sum(axis=1) / 2), X), at.exp(-((F - G) ** 2).sum() / 2),
    ],
    [at.exp(-((A - B) ** 2).sum(axis=1)), at.exp(((A - B) ** 2).sum(axis=1) / 2)],
)  # fmt: skip
def radial_basis(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(-T.sum((x - y) ** 2, axis) / 2), T.prod(T.exp(-((x - y) ** 2) / 2), axis))


@stranger(
    [
        *reduced(lambda x, **a: at.abs(x - 1.5).max(**a)), at.max(at.abs(A - B), axis=1),
        at.abs(X - Y).max(), at.abs(B - A).max(axis=(0, 1)),
    ],
    [at.abs(A - B).sum(axis=1), at.max(A - B, axis=1)],
)  # fmt: skip
def chebyshev(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.max(T.abs(x - y), axis), T.maximum(T.max(x - y, axis), T.max(y - x, axis)))


def _pairs(x: Any, y: Any) -> Any:
    return (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :] - 2 * at.dot(x, y.T)


@stranger(
    [
        _pairs(A, B), (A * A).sum(1, keepdims=True) + (B * B).sum(1) - 2 * A @ B.T,
        (A**2).sum(1, keepdims=True) - 2 * A.dot(B.T) + (B**2).sum(1)[None], -_pairs(A, B) / 2,
        at.exp(-_pairs(A, B)), at.sqrt(_pairs(A, B) + 1), _pairs(A, B).sum(axis=1),
        _pairs(2 * A, B - C), _pairs(A, A),
    ],
    [
        (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=0)[None, :] - 2 * at.dot(A, B.T),
        (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1)[None, :] + 3 * at.dot(A, B.T),
    ],
)  # fmt: skip
def pairwise_distances(x: Float, y: Float) -> Iterator[Eq]:
    over = T.dimshuffle(T.sum(x**2, 1), (0, "x")) + T.dimshuffle(T.sum(y**2, 1), ("x", 0))
    apart = T.dimshuffle(x, (0, "x", 1)) - T.dimshuffle(y, ("x", 0, 1))
    yield eq(over - 2 * T.dot(x, T.dimshuffle(y, (1, 0))), T.sum(apart**2, 2))
