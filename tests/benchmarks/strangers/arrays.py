"""Statistics, running sums, shapes, joins, orders; random variables, Ops of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor.random
import numpy as np
from aesara.graph.basic import Apply
from aesara.tensor.sort import SortOp

from kanrewrite import Axis, Eq, Float, Ndim, T, eq
from tests.benchmarks.strangers.common import (
    S3,
    A,
    B,
    C,
    F,
    G,
    K,
    L,
    Own,
    X,
    Y,
    Z,
    at,
    elementwise,
    reduced,
    scalar,
    stranger,
)


@stranger(
    [
        *reduced(lambda x, **a: (x**2).mean(**a) - x.mean(**a) ** 2),
        (A * A).mean(1) - A.mean(1) * A.mean(1), A.mean(0) ** 2 - (A**2).mean(0),
        at.square(X).mean() - at.square(X.mean()), 2 * (X**2).mean() - 2 * X.mean() ** 2,
        (A**2).sum(1) / A.shape[1] - (A.sum(1) / A.shape[1]) ** 2,
    ],
    [(X**2).mean() - Y.mean() ** 2, (X**2).mean() + X.mean() ** 2, (A**2).mean(1) - A.mean(0) ** 2],
)  # fmt: skip
def variance_of_moments(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.mean(x**2, axis) - T.mean(x, axis) ** 2, T.var(x, axis))


@stranger(
    [
        (X * Y).mean() - X.mean() * Y.mean(), (A * B).mean(1) - A.mean(1) * B.mean(1),
        (A * B).mean(-1, keepdims=True) - B.mean(-1, keepdims=True) * A.mean(-1, keepdims=True),
        X.mean() * Y.mean() - (X * Y).mean(), 2 * (A * B).mean(0) - 2 * A.mean(0) * B.mean(0),
        (A * B).mean() - A.mean() * B.mean() + 1, (F * G).mean() - F.mean() * G.mean(),
        ((A * B).mean(0) - A.mean(0) * B.mean(0)).sum(),
    ],
    [(X * Y).mean() - X.mean() * Z.mean(), (X * Y).mean() + X.mean() * Y.mean()],
)  # fmt: skip
def covariance(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    centred = (x - T.mean(x, axis, keepdims=True)) * (y - T.mean(y, axis, keepdims=True))
    yield eq(T.mean(x * y, axis) - T.mean(x, axis) * T.mean(y, axis), T.mean(centred, axis))


class Weighted(Own):
    """The mean with weights."""

    def of(self, *values: Any) -> Any:
        return np.sum(values[0] * values[1], self.axis) / np.sum(values[0], self.axis)


@stranger(
    [
        (X * Y).sum() / X.sum(), (A * B).sum(1) / A.sum(1), (A * B).sum(-1) * A.sum(-1) ** -1,
        (A * B).sum((0, 1)) / A.sum((0, 1)), 3 * (A * B).sum(0) / A.sum(0),
        (B * A).sum(axis=0) / B.sum(axis=0) - X, at.dot(X, Y) / X.sum(),
        (X * (A * B).sum(1) / A.sum(1)).sum(), (F * G).sum() / F.sum(), (A * B.T).sum(1) / A.sum(1),
    ],
    [(X * Y).sum() / Z.sum(), (A * B).sum(1) / A.sum(0)],
    "positive",
)  # fmt: skip
def weighted_mean(w: Float, x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(w * x, axis) / T.sum(w, axis), T.of(Weighted)(w, x, axis=axis))


POISSON = elementwise(lambda k, m: k * scalar.log(m) - m - scalar.gammaln(k + 1.0), 2)


@stranger(
    [
        X * at.log(Y) - Y - at.gammaln(X + 1), -Y + X * at.log(Y) - at.gammaln(1 + X),
        (A * at.log(B) - B - at.gammaln(A + 1)).sum(), Y + at.gammaln(X + 1) - X * at.log(Y),
        2 * (X * at.log(Y) - Y - at.gammaln(X + 1)), Z + X * at.log(Y) - Y - at.gammaln(X + 1),
        at.exp(X * at.log(Y) - Y - at.gammaln(X + 1)), F * at.log(G) - G - at.gammaln(F + 1),
    ],
    [X * at.log(Y) - Z - at.gammaln(X + 1), X * at.log(Y) - Y - at.gammaln(X + 2)],
    "positive",
)  # fmt: skip
def poisson(k: Float, m: Float) -> Iterator[Eq]:
    yield eq(k * T.log(m) - m - T.gammaln(k + 1), T.of(POISSON)(k, m))


@stranger(
    [
        at.cumsum(X) + at.cumsum(Y), at.cumsum(A, 1) + at.cumsum(B, 1),
        at.cumsum(A, -1) - at.cumsum(B, 1), 2 * at.cumsum(A, 0) + 2 * at.cumsum(B, 0),
        C + at.cumsum(A, 0) + at.cumsum(B, 0), at.cumsum(A * C, 0) + at.cumsum(B, 0),
        (at.cumsum(A, 0) + at.cumsum(B, 0))[-1], at.cumsum(F) + at.cumsum(G),
        at.cumsum(X, 0) + 3 * at.cumsum(Y, 0),
    ],
    [at.cumsum(A, 0) + at.cumsum(B, 1), at.cumsum(A, 0) + at.cumprod(B, 0)],
)  # fmt: skip
def running_sums_add(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.cumsum(x, axis) + T.cumsum(y, axis), T.cumsum(x + y, axis))


@stranger(
    [
        at.cumprod(X) * at.cumprod(Y), at.cumprod(A, 1) * at.cumprod(B, 1),
        2 * at.cumprod(A, -1) * at.cumprod(B, -1), at.cumprod(A, 0) * C * at.cumprod(B, 0),
        (at.cumprod(A, 0) * at.cumprod(B, 0)).sum(1), at.cumprod(A, 0) * at.cumprod(B, 0) / C,
        at.cumprod(F) * at.cumprod(G), (at.cumprod(A, 0) * at.cumprod(B, 0))[1:],
    ],
    [at.cumprod(A, 0) * at.cumprod(B, 1), at.cumprod(A, 0) * at.cumsum(B, 0)],
)  # fmt: skip
def running_products_multiply(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.cumprod(x, axis) * T.cumprod(y, axis), T.cumprod(x * y, axis))


SORT = SortOp("quicksort", None)


@stranger(
    [
        at.sort(at.sort(X)), 2 * at.sort(at.sort(X)), at.sort(at.sort(A, 1), 1),
        at.sort(at.sort(A)), at.sort(at.sort(X + Y))[::-1], at.sort(at.sort(A, 0), 0).sum(1),
        Y - at.sort(at.sort(X)), at.sort(at.sort(F)), at.sort(at.sort(K)),
    ],
    [at.sort(X), at.sort(at.sort(A, 0), 1)],
)  # fmt: skip
def sorted_twice(x: Any, axis: Any) -> Iterator[Eq]:
    sort = T.of(SORT)
    yield eq(sort(sort(x, axis), axis), sort(x, axis))


@stranger(
    [
        at.argmax(2 * X), at.argmax(2 * A, axis=1), at.argmax(A * 2, axis=-1),
        at.argmax(3 * A, axis=0), X[at.argmax(2 * X)], at.argmax(A + A, axis=0),
        at.argmax(0.5 * (A - B)), at.argmax(A / 2, axis=1),
    ],
    [at.argmax(-2 * X), at.argmax(X * Y), at.argmax(X)],
)  # fmt: skip
def place_of_scaled(x: Float, axis: Axis) -> Iterator[Eq]:
    for number in (2, 3, 0.5):
        yield eq(T.argmax(number * x, axis), T.argmax(x, axis))


@stranger(
    [
        -at.max(-A, axis=1), -at.max(-X), 2 * -at.max(-A, axis=0),
        -(-A).max(axis=-1, keepdims=True), Y - at.max(-A, axis=1), -at.max(-(A - B), axis=1),
        -at.max(-S3, axis=(0, 2)), -at.max(-F), X + -at.max(-A, axis=0),
    ],
    [at.max(A, axis=1)],
)  # fmt: skip
def smallest(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(-T.max(-x, axis), T.min(x, axis))


@stranger(
    [
        at.concatenate([X, Y])[::-1], 2 * at.concatenate([X, Y])[::-1],
        at.concatenate([X + Z, Y])[::-1], at.concatenate([X * Y, Y])[::-1] / 2,
        at.concatenate([X, Y])[::-1] ** 2, at.exp(at.concatenate([X, Y])[::-1]),
        at.concatenate([F, G])[::-1], at.concatenate([K, L])[::-1],
    ],
    [at.concatenate([X, Y]), at.concatenate([X, Y])[::2]],
)  # fmt: skip
def joined_and_turned(x: Ndim[1], y: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    back = (slice(None, None, -1),)
    yield eq(
        T.subtensor(T.join(x, y, axis=0), back),
        T.join(T.subtensor(y, back), T.subtensor(x, back), axis=0),
    )


@stranger(
    [
        X[::-1].sum(), 2 * X[::-1].sum(), (X * Y)[::-1].sum(), X[::-1].sum() - 1, Y / X[::-1].sum(),
        X[::-1].sum(axis=0, keepdims=True), F[::-1].sum(), K[::-1].sum(), (X[::-1] * 3).sum(),
    ],
    [X[::2].sum(), X[::-1].max()],
)  # fmt: skip
def sum_of_turned(x: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.sum(T.subtensor(x, (slice(None, None, -1),))), T.sum(x))


@stranger(
    [
        at.stack([X, Y]).max(axis=0), 2 * at.stack([X, Y]).max(axis=0),
        at.max(at.stack([Y, X]), axis=0), at.stack([X + Z, Y]).max(axis=0)[1:],
        at.stack([X, Y]).max(axis=0).sum(), Z - at.stack([X, Y]).max(axis=0),
        at.stack([F, G]).max(axis=0), at.stack([X, 2 * Y], axis=0).max(axis=0),
    ],
    [at.stack([X, Y]).max(axis=1), at.stack([X, Y]).sum(axis=0)],
)  # fmt: skip
def largest_of_stacked(x: Ndim[1], y: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    rows = T.join(T.dimshuffle(x, ("x", 0)), T.dimshuffle(y, ("x", 0)), axis=0)
    yield eq(T.max(rows, 0), T.maximum(x, y))


@stranger(
    [
        at.concatenate([at.log(X), at.log(Y)]), 2 * at.concatenate([at.log(X), at.log(Y)]),
        at.concatenate([at.log(X), at.log(Y)])[1:], at.concatenate([at.log(X), at.log(Y)]).sum(),
        at.concatenate([at.log(X * Z), at.log(Y)]), at.concatenate([at.log(F), at.log(G)]),
        at.concatenate([at.log(X), at.log(Y)])[::-1] - 1,
        at.concatenate([at.log(A), at.log(B)], axis=0),
    ],
    [at.concatenate([at.log(X), at.exp(Y)]), at.concatenate([X, Y])],
    "positive",
)  # fmt: skip
def joined_logs(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.join(T.log(x), T.log(y), axis=0), T.log(T.join(x, y, axis=0)))


@stranger(
    [
        A.flatten().sum(), 2 * A.reshape((-1,)).sum(), (A * B).flatten().sum(),
        A.flatten().sum() - X, A.reshape((A.size,)).sum(), A.ravel().sum(),
        S3.reshape((S3.shape[0], -1)).sum(), A.flatten().sum(axis=0, keepdims=True),
    ],
    [A.flatten().max(), A.reshape((3, -1)).sum(axis=0)],
)  # fmt: skip
def sum_of_reshaped(x: Any, shape: Any) -> Iterator[Eq]:
    yield eq(T.sum(T.reshape(x, shape)), T.sum(x))


@stranger(
    [
        at.switch(X < Y, X, Y), at.switch(Y > X, X, Y), 2 * at.switch(X < Y, X, Y),
        at.switch(A < B, A, B).sum(axis=0), at.switch(at.lt(X, Y), X, Y)[1:],
        Z / at.switch(X < Y, X, Y), at.switch(X < 3.0, X, 3.0), at.switch(K < L, K, L),
        at.switch(A.T < B, A.T, B),
    ],
    [at.switch(X < Y, Y, X), at.switch(X < Y, X, Z)],
)  # fmt: skip
def smaller_by_choice(x: Any, y: Any) -> Iterator[Eq]:
    yield eq(T.switch(T.lt(x, y), x, y), T.minimum(x, y))


@stranger(
    [
        at.maximum(X, -X), at.maximum(-X, X), 2 * at.maximum(X, -X), at.maximum(X - Y, Y - X),
        at.maximum(A, -A).sum(axis=1), at.maximum(F, -F), at.dot(at.maximum(A, -A), X),
        Y - at.maximum(X, -X), at.maximum(2 * X, -2 * X), at.maximum(K, -K),
    ],
    [at.maximum(X, -Y), at.minimum(X, -X)],
)  # fmt: skip
def size_by_choice(x: Any) -> Iterator[Eq]:
    yield eq(T.maximum(x, -x), T.abs(x))


@stranger(
    [
        at.minimum(X, at.maximum(X, Y)), at.minimum(at.maximum(Y, X), X),
        2 * at.minimum(X, at.maximum(X, Y)), at.minimum(A, at.maximum(A, X)).sum(axis=0),
        at.minimum(X, at.maximum(X, Y))[0], at.minimum(X - Z, at.maximum(X - Z, Y)),
        at.minimum(K, at.maximum(K, L)), Y - at.minimum(X, at.maximum(Y, X)),
    ],
    [at.minimum(X, at.maximum(Y, Z)), at.maximum(X, at.minimum(Y, Z))],
)  # fmt: skip
def absorbed_in_order(x: Any, y: Any) -> Iterator[Eq]:
    yield eq(T.minimum(x, T.maximum(x, y)), T.fill(x + y, x))


RNG = aesara.shared(np.random.default_rng(3), name="rng", borrow=True)
normal: Any = aesara.tensor.random.normal
NORMAL: Any = normal(0.0, 1.0, rng=RNG).owner.op


def _draw(size: Any = (3,)) -> Any:
    return normal(0.0, 1.0, size=size, rng=RNG)


@stranger(
    [
        at.exp(_draw()), 2 * at.exp(_draw()), X * at.exp(_draw()), at.exp(_draw()).sum(),
        at.exp(_draw()) + Y, at.exp(_draw((2, 3))), at.exp(_draw())[1:], at.exp(_draw((2, 3))).T,
    ],
    [at.exp(normal(0.0, 2.0, size=(3,), rng=RNG)), at.cos(_draw())],
)  # fmt: skip
def log_normal(rng: Any, size: Any, dtype: Any) -> Iterator[Eq]:
    draw = T.of(NORMAL)
    yield eq(
        T.exp(draw(rng, size, dtype, 0.0, 1.0)),
        T.exp2(draw(rng, size, dtype, 0.0, 1.0) / np.log(2)),
    )


class Halves(Own):
    """The lower and the upper half along the last axis: two outputs."""

    __props__ = ()

    def __init__(self) -> None:
        super().__init__()

    def make_node(self, *inputs: Any) -> Any:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [x.type(), x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any = None) -> None:
        for storage, half in zip(
            output_storage, np.array_split(inputs[0], 2, axis=-1), strict=True
        ):
            storage[0] = np.array(half)


HALVES: Any = Halves()


def _halves(x: Any) -> Any:
    return at.concatenate(HALVES(x), axis=0)


@stranger(
    [
        _halves(X), 2 * _halves(X), _halves(X + Y), _halves(X).sum(), Z - _halves(X)[:3],
        at.exp(_halves(X)), _halves(F), _halves(X)[::-1],
    ],
    [at.concatenate([HALVES(X)[1], HALVES(X)[0]]), at.concatenate([HALVES(X)[0], HALVES(Y)[1]])],
)  # fmt: skip
def halves_joined(x: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    halves = T.of(HALVES)
    yield eq(T.join(halves(x, output=0), halves(x, output=1), axis=0), x)


class Top(Own):
    """The largest value along axes, an own reduction with parameters."""

    def of(self, *values: Any) -> Any:
        return np.max(values[0], self.axis)


def _top(x: Any, axis: Any = (0,)) -> Any:
    return Top(axis)(x)


@stranger(
    [
        _top(at.exp(A)), 2 * _top(at.exp(A)), at.log(_top(at.exp(A))), _top(at.exp(A), (1,)),
        _top(at.exp(A), (0, 1)), _top(at.exp(A - B)), X + _top(at.exp(A)), _top(at.exp(A))[1:],
        _top(at.exp(A.T)),
    ],
    [_top(at.cos(A)), at.exp(_top(A))],
)  # fmt: skip
def top_of_exponentials(x: Float, axis: Any) -> Iterator[Eq]:
    top = T.of(Top)
    yield eq(top(T.exp(x), axis=axis), T.exp(top(x, axis=axis)))


@stranger(
    [
        at.floor(-X), 2 * at.floor(-X), at.floor(-A).sum(axis=1), Y + at.floor(-X), -at.floor(-X),
        at.floor(-(X - Y)), at.floor(-F), at.dot(at.floor(-A), B),
    ],
    [at.floor(X), at.ceil(-X)],
)  # fmt: skip
def floor_of_negative(x: Float) -> Iterator[Eq]:
    yield eq(T.floor(-x), -T.ceil(x))


@stranger(
    [
        2 / (1 / X + 1 / Y), 2 * X * Y / (X + Y), 1 / (0.5 * (1 / X + 1 / Y)),
        Z * 2 / (1 / X + 1 / Y), 2 / (at.reciprocal(X) + Y**-1), (2 / (1 / A + 1 / B)).sum(axis=1),
        4 / (1 / X + 1 / Y), 1 / (1 / X + 1 / Y), 2 / (1 / F + 1 / G), (2 / (1 / A + 1 / X))[0],
    ],
    [2 / (X + 1 / Y)],
    "positive",
)  # fmt: skip
def harmonic_mean(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(2 / (1 / x + 1 / y), 2 * x * (y / (x + y)))


@stranger(
    [
        (A - A.mean(1, keepdims=True)).sum(1), (X - X.mean()).sum(), 2 * (A - A.mean(0)).sum(0),
        (A - A.mean(0, keepdims=True)).sum(0), (A * B - (A * B).mean(1, keepdims=True)).sum(1),
        (F - F.mean()).sum(), (A - A.mean(-1, keepdims=True)).sum(-1) + X,
        (A.mean(1, keepdims=True) - A).sum(1),
    ],
    [(A - B.mean(1, keepdims=True)).sum(1), (A - A.mean(1, keepdims=True)).max(1)],
)  # fmt: skip
def centred_sum(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(x - T.mean(x, axis, keepdims=True), axis), 0)
