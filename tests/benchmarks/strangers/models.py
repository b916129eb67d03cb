"""What is written in models: norms of layers, losses of scores, rates, distances in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanrewrite import Axis, Eq, Float, Ndim, T, eq
from tests.benchmarks.strangers.common import (
    S3,
    A,
    B,
    C,
    D,
    Own,
    W,
    Whole,
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


def _layer(x: Any, axis: Any = -1) -> Any:
    m = x.mean(axis=axis, keepdims=True)
    return (x - m) / at.sqrt(((x - m) ** 2).mean(axis=axis, keepdims=True) + 1e-5)


class Like(Own):
    """Of the shape of what it is of."""

    def kind(self, *inputs: Any) -> Any:
        return inputs[0].type


class LayerNorm(Like):
    def of(self, *values: Any) -> Any:
        (x,) = values
        variance = x.var(self.axis, keepdims=True)
        return (x - x.mean(self.axis, keepdims=True)) / np.sqrt(variance + 1e-5)


@stranger(
    [
        _layer(A), _layer(A, axis=0), 2 * _layer(A) + X, _layer(S3), _layer(A.T), _layer(A + B),
        (A - A.mean(axis=1, keepdims=True)) / at.sqrt(A.var(axis=1, keepdims=True) + 1e-5),
        (A - A.mean(axis=1)[:, None]) * (A.var(axis=1) + 1e-5)[:, None] ** -0.5,
        at.dot(_layer(A), B), _layer(A)[:, 0], X * _layer(A) * Y,
    ],
    [(A - A.mean(axis=1, keepdims=True)) / at.sqrt(A.var(axis=0, keepdims=True) + 1e-5)],
)  # fmt: skip
def layer_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    m = T.mean(x, axis, keepdims=True)
    yield eq(
        (x - m) / T.sqrt(T.mean((x - m) ** 2, axis, keepdims=True) + 1e-5),
        T.of(LayerNorm)(x, axis=axis),
    )


def _root(x: Any, axis: Any = -1) -> Any:
    return x / at.sqrt((x**2).mean(axis=axis, keepdims=True) + 1e-6)


class RootNorm(Like):
    def of(self, *values: Any) -> Any:
        (x,) = values
        return x / np.sqrt((x**2).mean(self.axis, keepdims=True) + 1e-6)


@stranger(
    [
        _root(A), _root(A, 0), 3 * _root(A) * X, _root(S3), at.dot(_root(A), B),
        A * (at.square(A).mean(axis=1, keepdims=True) + 1e-6) ** -0.5,
        A / at.sqrt(at.mean(A * A, axis=1, keepdims=True) + 1e-6),
        A * at.sqrt(1 / (1e-6 + (A**2).mean(axis=1, keepdims=True))),
        (A.T / at.sqrt((A**2).mean(axis=1) + 1e-6)).T,
    ],
    [A / at.sqrt((A**2).mean(axis=1, keepdims=True) + 1e-3)],
)  # fmt: skip
def root_norm(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(x / T.sqrt(T.mean(x**2, axis, keepdims=True) + 1e-6), T.of(RootNorm)(x, axis=axis))


FOCAL = elementwise(lambda p: -((1 - p) ** 2) * scalar.log(p))


@stranger(
    [
        *around(lambda p: -((1 - p) ** 2) * at.log(p)), at.log(X) * -((1 - X) ** 2),
        -at.square(1 - X) * at.log(X), -((X - 1) ** 2) * at.log(X),
        (1 - X) * (X - 1) * at.log(X), (1 - X) ** 2 * at.log(1 / X),
    ],
    [-((1 - X) ** 3) * at.log(X), -((1 - X) ** 2) * at.log(Y)],
    "unit",
)  # fmt: skip
def focal(p: Float) -> Iterator[Eq]:
    yield eq(-((1 - p) ** 2) * T.log(p), T.of(FOCAL)(p))


SWISH = elementwise(lambda x, b: x / (1 + scalar.exp(-b * x)), 2)


@stranger(
    [
        X / (1 + at.exp(-Y * X)), X * at.sigmoid(Y * X), X * at.sigmoid(1.7 * X),
        X * at.sigmoid(X * Y) * 2, A * at.sigmoid(X * A), at.sigmoid(2 * A) * A,
        (X + Y) * at.sigmoid(Z * (X + Y)), X * at.exp(Y * X) / (1 + at.exp(Y * X)),
    ],
    [X * at.sigmoid(Y), Y * at.tanh(X * Y)],
)  # fmt: skip
def swish(x: Float, b: Float) -> Iterator[Eq]:
    yield eq(x * T.sigmoid(b * x), T.of(SWISH)(x, b))


ELU = elementwise(lambda x: scalar.switch(scalar.gt(x, 0), x, scalar.expm1(x)))


@stranger(
    [
        *around(lambda x: at.switch(x > 0, x, at.exp(x) - 1)), at.where(X > 0, X, at.expm1(X)),
        at.switch(X > 0, X, at.exp(X) - 1), at.switch(at.gt(A, 0), A, at.expm1(A)).sum(),
    ],
    [at.switch(X > 0, X, at.exp(X)), at.switch(Y > 0, X, at.expm1(X))],
)  # fmt: skip
def elu(x: Float) -> Iterator[Eq]:
    yield eq(T.switch(x > 0, x, T.exp(x) - 1), T.of(ELU)(x))


SCORES = elementwise(
    lambda t, x: t * scalar.log1p(scalar.exp(-x)) + (1 - t) * scalar.log1p(scalar.exp(x)), 2
)


def _of_scores(t: Any, x: Any) -> Any:
    p = 1 / (1 + at.exp(-x))
    return -(t * at.log(p) + (1 - t) * at.log(1 - p))


@stranger(
    [
        *around_two(_of_scores),
        -(Y * at.log(at.sigmoid(X)) + (1 - Y) * at.log(1 - at.sigmoid(X))),
        -Y * at.log(at.sigmoid(X)) - (1 - Y) * at.log1p(-at.sigmoid(X)),
        -at.log(at.sigmoid(X)) * Y - at.log(at.sigmoid(-X)) * (1 - Y),
        Y * at.softplus(-X) + (1 - Y) * at.softplus(X),
    ],
    [-(Y * at.log(at.sigmoid(X)) + (1 - Z) * at.log(1 - at.sigmoid(X)))],
)  # fmt: skip
def entropy_of_scores(t: Float, x: Float) -> Iterator[Eq]:
    yield eq(-(t * T.log(T.sigmoid(x)) + (1 - t) * T.log(1 - T.sigmoid(x))), T.of(SCORES)(t, x))


APART = elementwise(
    lambda a, b, s, t: scalar.log(t / s) + (s**2 + (a - b) ** 2) / (2 * t**2) - 0.5, 4
)


def _apart(a: Any, b: Any, s: Any, t: Any) -> Any:
    return at.log(t / s) + (s**2 + (a - b) ** 2) / (2 * t**2) - 0.5


@stranger(
    [
        _apart(X, Y, Z, W), _apart(A, B, C, D).sum(), _apart(X, Y, Z, W).mean(), _apart(Y, X, Z, W),
        at.log(W) - at.log(Z) + (Z**2 + (X - Y) ** 2) / (2 * W**2) - 0.5,
        at.log(W / Z) + 0.5 * Z**2 / W**2 + 0.5 * ((X - Y) / W) ** 2 - 0.5,
        at.log(W / Z) + 0.5 * (Z / W) ** 2 + 0.5 * (X - Y) ** 2 / W**2 - 0.5,
        at.log(W / Z) + 0.5 * ((Z / W) ** 2 + ((X - Y) / W) ** 2 - 1),
        at.log(W) - at.log(Z) + ((Z**2 + (X - Y) ** 2) / W**2 - 1) / 2,
    ],
    [at.log(W / Z) + (Z**2 + (X - Y) ** 2) / (2 * Z**2) - 0.5],
    "positive",
)  # fmt: skip
def divergence_of_gaussians(a: Float, b: Float, s: Float, t: Float) -> Iterator[Eq]:
    yield eq(T.log(t / s) + (s**2 + (a - b) ** 2) / (2 * t**2) - 0.5, T.of(APART)(a, b, s, t))


TRIPLET = elementwise(lambda p, n, m: scalar.scalar_maximum(p - n + m, 0), 3)


@stranger(
    [
        at.maximum(X - Y + Z, 0), at.maximum(X - Y + 1.0, 0).mean(), at.maximum(0, 1.0 + X - Y),
        at.maximum(0.2 - Y + X, 0.0), 2 * at.maximum(A - B + C, 0), at.maximum(0, Z - (Y - X)),
    ],
    [at.minimum(X - Y + Z, 0)],
)  # fmt: skip
def triplet(p: Float, n: Float, m: Float) -> Iterator[Eq]:
    yield eq(T.maximum(p - n + m, 0), T.of(TRIPLET)(p, n, m))


SUMMED = elementwise(
    lambda x, y: scalar.scalar_maximum(x, y) + scalar.log1p(scalar.exp(-abs(x - y))), 2
)


@stranger(
    [
        *around_two(lambda x, y: x + at.log(1 + at.exp(y - x))), at.log1p(at.exp(Y - X)) + X,
        X + at.softplus(Y - X), X - at.log(at.sigmoid(X - Y)),
    ],
    [Y + at.log(1 + at.exp(Y - X))],
)  # fmt: skip
def added_in_logs(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(x + T.log(1 + T.exp(y - x)), T.of(SUMMED)(x, y))


class FromScores(Own):
    def of(self, *values: Any) -> Any:
        t, x = values
        z = x - x.max(self.axis, keepdims=True)
        return -(t * (z - np.log(np.exp(z).sum(self.axis, keepdims=True)))).sum(self.axis)


def _from_scores(t: Any, x: Any, axis: Any) -> Any:
    p = at.exp(x) / at.exp(x).sum(axis=axis, keepdims=True)
    return -(t * at.log(p)).sum(axis=axis)


@stranger(
    [
        _from_scores(B, A, 1), _from_scores(B, A, 0), _from_scores(Y, X, 0),
        _from_scores(B, A, 1).mean(), _from_scores(B, A, -1) / 3,
        -(B * (A - at.log(at.exp(A).sum(axis=1, keepdims=True)))).sum(axis=1),
        -(at.log(at.exp(A) / at.exp(A).sum(axis=0)) * B).sum(axis=0),
    ],
    [-(B * at.log(at.exp(A) / at.exp(A).sum(axis=0))).sum(axis=1)],
)  # fmt: skip
def cross_entropy(t: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    p = T.exp(x) / T.sum(T.exp(x), axis, keepdims=True)
    yield eq(-T.sum(t * T.log(p), axis), T.of(FromScores)(t, x, axis=axis))


class Jaccard(Own):
    def of(self, *values: Any) -> Any:
        x, y = values
        both = (x * y).sum(self.axis)
        return both / (x.sum(self.axis) + y.sum(self.axis) - both)


def _jaccard(x: Any, y: Any, axis: Any = -1) -> Any:
    both = (x * y).sum(axis=axis)
    return both / (both + (x * (1 - y)).sum(axis=axis) + (y * (1 - x)).sum(axis=axis))


@stranger(
    [
        _jaccard(A, B), _jaccard(A, B, 0), 1 - _jaccard(A, B), _jaccard(X, Y),
        (A * B).sum(axis=1) / (A.sum(axis=1) + B.sum(axis=1) - (A * B).sum(axis=1)),
        (A * B).sum(axis=0) / (A.sum(axis=0) + (B * (1 - A)).sum(axis=0)),
    ],
    [(A * B).sum(axis=1) / (A.sum(axis=1) + B.sum(axis=1))],
    "unit",
)  # fmt: skip
def jaccard(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    both = T.sum(x * y, axis)
    yield eq(both / (T.sum(x, axis) + T.sum(y, axis) - both), T.of(Jaccard)(x, y, axis=axis))


class FreeEnergy(Own):
    def of(self, *values: Any) -> Any:
        e, t = values
        top = (-e / t).max(self.axis, keepdims=True)
        return (-t * (np.log(np.exp(-e / t - top).sum(self.axis, keepdims=True)) + top)).sum(
            self.axis
        )


@stranger(
    [
        -X[0] * at.log(at.exp(-A / X[0]).sum(axis=1)), -2 * at.log(at.exp(-A / 2).sum(axis=1)),
        -2 * at.log(at.exp(-A / 2).sum(axis=0)), -0.5 * at.log(at.exp(-2 * A).sum(axis=1)),
        -at.log(at.exp(-A / 3).sum(axis=1)) * 3, 2 * at.log(1 / at.exp(-A / 2).sum(axis=1)),
    ],
    [-2 * at.log(at.exp(A / 2).sum(axis=1) + 1)],
)  # fmt: skip
def free_energy(e: Float, t: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(-t * T.log(T.sum(T.exp(-e / t), axis)), T.of(FreeEnergy)(e, t, axis=axis))


class Weighted(Own):
    def of(self, *values: Any) -> Any:
        w, x = values
        top = x.max(self.axis, keepdims=True)
        total = np.log((w * np.exp(x - top)).sum(self.axis, keepdims=True)) + top
        return np.squeeze(total, self.axis)


@stranger(
    [
        at.log((B * at.exp(A)).sum(axis=1)), at.log((B * at.exp(A)).sum(axis=0)),
        at.log((X * at.exp(A)).sum(axis=1)), at.log((B / at.exp(A)).sum(axis=1)),
        3 - at.log((at.exp(A) * B).sum(axis=-1)), at.log((B * at.exp(A + C)).sum(axis=1)),
        at.log((B * at.exp(A)).sum(axis=1, keepdims=True)),
        at.log(at.dot(at.exp(A), X)), at.log(at.dot(X, at.exp(A))), 2 - at.log(X @ at.exp(A - B)),
    ],
    [at.log((B * at.exp(A)).sum(axis=1) + 1), at.log(at.dot(at.exp(A), B))],
    "positive",
)  # fmt: skip
def weighted_total(w: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.log(T.sum(w * T.exp(x), axis)), T.of(Weighted)(w, x, axis=axis))


class Form(Whole):
    def kind(self, *inputs: Any) -> Any:
        return at.dscalar().type

    def of(self, *values: Any) -> Any:
        x, p = values
        return x @ p @ x


@stranger(
    [
        at.dot(at.dot(X, A), X), at.dot(X, at.dot(A, X)), X.dot(A).dot(X),
        2 * at.dot(at.dot(X, A), X), at.dot(at.dot(X - Y, A), X - Y),
        -0.5 * at.dot(X - Y, at.dot(A, X - Y)), at.sqrt(at.dot(at.dot(X - Y, A), X - Y)),
        at.exp(-at.dot(X @ A, X) / 2),
    ],
    [at.dot(at.dot(X, A), Y)],
)  # fmt: skip
def quadratic_form(x: Ndim[1], p: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(T.dot(x, p), x), T.of(Form)(x, p))


@stranger(
    [
        (A[:, None, :] * B[None, :, :]).sum(axis=-1), 2 * (A[:, None, :] * B[None]).sum(axis=-1),
        (A.dimshuffle(0, "x", 1) * B.dimshuffle("x", 0, 1)).sum(axis=2),
        (B[None, :, :] * A[:, None, :]).sum(axis=2), (A[:, None, :] * B).sum(axis=-1),
    ],
    [(A[:, None, :] * B[None, :, :]).sum(axis=1)],
)  # fmt: skip
def as_product(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    left, right = T.dimshuffle(a, (0, "x", 1)), T.dimshuffle(b, ("x", 0, 1))
    yield eq(T.sum(left * right, 2), T.dot(a, T.dimshuffle(b, (1, 0))))


@stranger(
    [
        A.dot(B).dot(X), at.dot(at.dot(A, B), X), at.dot(at.dot(A, A.T), X),
        2 * at.dot(at.dot(A, B), X + Y), at.dot(at.dot(A, B), X) - Y,
        at.dot(at.dot(at.exp(A), B), X).sum(),
    ],
    [at.dot(A, at.dot(B, X)), at.dot(at.dot(A, B), C)],
)  # fmt: skip
def vector_first(a: Ndim[2], b: Ndim[2], x: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(T.dot(a, b), x), T.dot(a, T.dot(b, x)))


@stranger(
    [
        at.abs(X[1:] - X[:-1]).sum(), 2 * at.abs(X[1:] - X[:-1]).sum(),
        at.abs(X[1:] - X[:-1]).sum() / Y,
    ],
    [at.abs(X[2:] - X[:-2]).sum()],
)  # fmt: skip
def total_variation(x: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    after, before = (T.subtensor(x, (part,)) for part in (slice(1, None), slice(None, -1)))
    yield eq(
        T.sum(T.abs(after - before)), T.sum(T.maximum(after, before) - T.minimum(after, before))
    )
