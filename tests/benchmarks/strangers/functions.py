"""Special functions, addition theorems, polynomials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanrewrite import Eq, Float, T, eq
from tests.benchmarks.strangers.common import (
    A,
    B,
    F,
    G,
    W,
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


@stranger(
    [
        *around(lambda x: at.exp(at.gammaln(x))), 1 / at.exp(-at.gammaln(X)),
        at.exp(at.gammaln(X) + Y),
    ],
    [at.exp(at.gamma(X)), at.gammaln(at.exp(X))],
    "positive",
)  # fmt: skip
def gamma_of_log(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.gammaln(x)), T.gamma(x))


@stranger(
    [
        *around(lambda x: at.log(at.gamma(x)), also=False), 2 * at.log(at.gamma(X)),
        at.log(at.gamma(F)),
    ],
    [at.log(at.gammaln(X)), at.gamma(at.log(X))],
    "positive",
)  # fmt: skip
def log_of_gamma(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.gamma(x)), T.gammaln(x))


BETALN = elementwise(lambda a, b: scalar.gammaln(a) + scalar.gammaln(b) - scalar.gammaln(a + b), 2)


@stranger(
    [
        *around_two(lambda a, b: at.gammaln(a) + at.gammaln(b) - at.gammaln(a + b)),
        at.gammaln(X + Y) - at.gammaln(X) - at.gammaln(Y),
        -at.gammaln(Y + X) + at.gammaln(Y) + Z + at.gammaln(X),
    ],
    [
        at.gammaln(X) + at.gammaln(Y) - at.gammaln(X + Z),
        at.gammaln(X) + at.gammaln(Y) + at.gammaln(X + Y),
    ],
    "positive",
)  # fmt: skip
def beta_of_gammas(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.gammaln(a) + T.gammaln(b) - T.gammaln(a + b), T.of(BETALN)(a, b))


@stranger(
    [
        *around(lambda x: at.exp(x**2) * at.erfc(x)), at.erfc(X) * at.exp(at.square(X)),
        at.erfc(X) / at.exp(-X * X),
    ],
    [at.exp(X**2) * at.erfc(Y), at.exp(X) * at.erfc(X), at.exp(-(X**2)) * at.erfc(X)],
)  # fmt: skip
def scaled_erfc(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(x**2) * T.erfc(x), T.erfcx(x))


@stranger(
    [*around(lambda x: at.erfinv(at.erf(x))), at.erfinv(at.erf(X + Y)) * 3],
    [at.erf(at.erfinv(X)), at.erfinv(at.erfc(X))],
)  # fmt: skip
def erf_undone(x: Float) -> Iterator[Eq]:
    yield eq(T.erfinv(T.erf(x)), x)


CHOOSE = elementwise(
    lambda n, k: scalar.gammaln(n + 1.0) - scalar.gammaln(k + 1.0) - scalar.gammaln(n - k + 1.0), 2
)


def _choose(n: Any, k: Any) -> Any:
    return at.gammaln(n + 1) - at.gammaln(k + 1) - at.gammaln(n - k + 1)


@stranger(
    [
        _choose(2 + X, Y), _choose(X + Y, X), 2 * _choose(X, Y), Z - _choose(X, Y),
        -at.gammaln(Y + 1) - at.gammaln(X - Y + 1) + at.gammaln(1 + X), _choose(A, X),
        _choose(A, B).sum(axis=1), at.exp(_choose(X, Y)), _choose(F, G),
    ],
    [
        at.gammaln(X + 1) - at.gammaln(Y + 1) - at.gammaln(X - Z + 1),
        at.gammaln(X + 1) - at.gammaln(Y + 1),
    ],
    "positive",
)  # fmt: skip
def binomial(n: Float, k: Float) -> Iterator[Eq]:
    yield eq(T.gammaln(n + 1) - T.gammaln(k + 1) - T.gammaln(n - k + 1), T.of(CHOOSE)(n, k))


NORMAL = elementwise(lambda x: 0.5 * scalar.erfc(-x / np.sqrt(2.0)))


@stranger(
    [
        *around(lambda x: 0.5 * at.erfc(-x / np.sqrt(2))), at.erfc(-X * np.sqrt(0.5)) / 2,
        0.5 * at.erfc((Y - X) / np.sqrt(2)), at.erfc(X / np.sqrt(2)) / 2,
    ],
    [0.5 * at.erfc(X), 0.5 * at.erf(X / np.sqrt(2))],
)  # fmt: skip
def normal_cdf(x: Float) -> Iterator[Eq]:
    yield eq(0.5 * T.erfc(-x / np.sqrt(2)), T.of(NORMAL)(x))


@stranger(
    [
        *around_two(lambda x, y: at.sin(x) * at.cos(y) + at.cos(x) * at.sin(y)),
        at.sin(X) * at.cos(Y) - at.cos(X) * at.sin(Y),
        at.cos(Y) * Z * at.sin(X) + Z * at.sin(Y) * at.cos(X),
    ],
    [at.sin(X) * at.cos(Y) + at.cos(X) * at.sin(Z), at.sin(X) * at.cos(Y) + at.sin(X) * at.sin(Y)],
)  # fmt: skip
def sine_of_sum(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) * T.cos(y) + T.cos(x) * T.sin(y), T.sin(x + y))


@stranger(
    [
        *around_two(lambda x, y: at.cos(x) * at.cos(y) - at.sin(x) * at.sin(y)),
        at.sin(X) * at.sin(Y) - at.cos(X) * at.cos(Y),
        at.cos(X) * at.cos(Y) * Z - at.sin(Y) * Z * at.sin(X),
    ],
    [at.cos(X) * at.cos(Y) - at.sin(X) * at.sin(Z), at.cos(X) * at.cos(Y) - at.sin(X) * at.cos(Y)],
)  # fmt: skip
def cosine_of_sum(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.cos(x) * T.cos(y) - T.sin(x) * T.sin(y), T.cos(x + y))


@stranger(
    [
        *around_two(lambda x, y: at.sinh(x) * at.cosh(y) + at.cosh(x) * at.sinh(y)),
        at.sinh(X) * at.cosh(Y) - at.cosh(X) * at.sinh(Y),
    ],
    [at.sinh(X) * at.cosh(Y) + at.cosh(X) * at.sinh(Z)],
)  # fmt: skip
def sinh_of_sum(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.sinh(x) * T.cosh(y) + T.cosh(x) * T.sinh(y), T.sinh(x + y))


@stranger(
    [
        *around_two(lambda x, y: (at.tanh(x) + at.tanh(y)) / (1 + at.tanh(x) * at.tanh(y))),
        (at.tanh(Y) + at.tanh(X)) * (at.tanh(X) * at.tanh(Y) + 1) ** -1,
    ],
    [
        (at.tanh(X) + at.tanh(Y)) / (1 + at.tanh(X) * at.tanh(Z)),
        (at.tanh(X) - at.tanh(Y)) / (1 + at.tanh(X) * at.tanh(Y)),
    ],
)  # fmt: skip
def tanh_of_sum(x: Float, y: Float) -> Iterator[Eq]:
    yield eq((T.tanh(x) + T.tanh(y)) / (1 + T.tanh(x) * T.tanh(y)), T.tanh(x + y))


@stranger(
    [
        *around(lambda x: at.cos(x) ** 2 - at.sin(x) ** 2),
        at.cos(X) * at.cos(X) - at.sin(X) * at.sin(X), at.sin(X) ** 2 - at.cos(X) ** 2,
        Z * at.cos(X) ** 2 - Z * at.sin(X) ** 2,
    ],
    [at.cos(X) ** 2 - at.sin(Y) ** 2, at.cos(X) ** 2 + at.sin(X)],
)  # fmt: skip
def double_cosine(x: Float) -> Iterator[Eq]:
    yield eq(T.cos(x) ** 2 - T.sin(x) ** 2, T.cos(2 * x))


@stranger(
    [
        *around(lambda x: (1 - at.cos(x)) / 2), 0.5 - at.cos(X) / 2, 0.5 * (1 - at.cos(X - Y)),
        1 - at.cos(X), (at.cos(X) - 1) / 2,
    ],
    [(1 - at.cosh(X)) / 2, (1 + at.cos(X)) / 2],
)  # fmt: skip
def haversine(x: Float) -> Iterator[Eq]:
    yield eq((1 - T.cos(x)) / 2, T.sin(x / 2) ** 2)


@stranger(
    [*around(lambda x: at.cos(at.arcsin(x))), at.cos(at.arcsin(X * Y)), at.cos(at.arcsin(X)) ** 2],
    [at.cos(at.arccos(X)), at.sin(at.arcsin(X))],
    "unit",
)  # fmt: skip
def cosine_of_arcsine(x: Float) -> Iterator[Eq]:
    yield eq(T.cos(T.arcsin(x)), T.sqrt(1 - x**2))


@stranger(
    [
        *around(lambda x: at.exp(x) + at.exp(-x)), at.exp(X) + 1 / at.exp(X),
        0.5 * (at.exp(X) + at.exp(-X)), at.exp(-X) / 2 + at.exp(X) / 2,
    ],
    [at.exp(X) + at.exp(-Y), at.exp(X) - at.exp(-X)],
)  # fmt: skip
def two_exponentials(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(x) + T.exp(-x), 2 * T.cosh(x))


@stranger(
    [
        *around(lambda x: at.log((1 + x) / (1 - x)) / 2), 0.5 * (at.log(1 + X) - at.log(1 - X)),
        0.5 * at.log((1 + X) / (1 - X)), at.log1p(X) / 2 - at.log1p(-X) / 2,
        -0.5 * at.log((1 - X) / (1 + X)),
    ],
    [at.log((1 + X) / (1 - Y)) / 2, at.log((2 + X) / (1 - X)) / 2],
    "unit",
)  # fmt: skip
def area_tangent(x: Float) -> Iterator[Eq]:
    yield eq(T.log((1 + x) / (1 - x)) / 2, T.arctanh(x))


@stranger(
    [
        *around(lambda x: at.sin(x) / x), at.sin(X) * X**-1, at.reciprocal(X) * at.sin(X),
        Y * at.sin(X) / X / Z, at.sin(np.pi * X) / (np.pi * X), at.sin(X - Y) / (X - Y),
    ],
    [at.sin(X) / Y, X / at.sin(X)],
    "positive",
)  # fmt: skip
def sinc(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) / x, T.of(elementwise(lambda i: scalar.sin(i) / i))(x))


@stranger(
    [
        *around(lambda x: at.sin(x * np.pi / 180)), at.sin(np.pi * X / 180),
        at.sin(X / 180 * np.pi), at.sin(X * (np.pi / 180)),
    ],
    [X * np.pi / 180],
)  # fmt: skip
def degrees(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x * np.pi / 180), T.sin(T.deg2rad(x)))


@stranger(
    [
        *around_two(lambda x, y: x**2 + 2 * x * y + y**2), X * X + Y * Y + 2 * X * Y,
        2 * X**2 + 4 * X * Y + 2 * Y**2, X**2 - 2 * X * Y + Y**2, Z + X**2 + Y**2 + 2 * X * Y,
        X**2 + 2 * X + 1, 4 * X**2 + 4 * X * Y + Y**2,
    ],
    [X**2 + X * Y + Y**2, X**2 + 2 * X * Z + Y**2],
)  # fmt: skip
def square_of_sum(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(x**2 + 2 * x * y + y**2, (x + y) ** 2)


@stranger(
    [
        *around_two(lambda x, y: x**3 - y**3), X * X * X - Y * Y * Y, 2 * X**3 - 2 * Y**3,
        X**3 - 8 * Y**3, Z * X**3 - Z * Y**3,
    ],
    [X**3 - Y**2, X**3 + Y**3 * Z],
)  # fmt: skip
def difference_of_cubes(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(x**3 - y**3, (x - y) * (x**2 + x * y + y**2))


POLYVAL = elementwise(lambda a, b, c, x: (a * x + b) * x + c, 4)


@stranger(
    [
        X * Y**2 + Z * Y + W, W + Z * Y + X * Y * Y, 2 * Y**2 + 3 * Y + 5, -(X * Y**2 + Z * Y + W),
        X * Y**2 + Z * Y - W, X * Y**2 - Z * Y + W, A * X**2 + B * X + Y,
        (X * A**2 + Y * A + Z).sum(axis=1), (X * Y**2 + Z * Y + W)[1:], W + (X * Y + Z) * Y,
    ],
    [X * Y**2 + Z * W],
)  # fmt: skip
def polynomial(a: Any, b: Any, c: Any, x: Float) -> Iterator[Eq]:
    yield eq(a * x**2 + b * x + c, T.of(POLYVAL)(a, b, c, x))


@stranger(
    [
        *around(lambda x: 3 * x**2 - 2 * x**3), X**2 * (3 - 2 * X), X * X * (3 - 2 * X),
        3 * X * X - 2 * X * X * X, Y * 3 * X**2 - 2 * Y * X**3, 6 * X**2 - 4 * X**3,
    ],
    [3 * X**2 - 2 * Y**3, 3 * X**2 + 2 * Y**3],
)  # fmt: skip
def smoothstep(x: Float) -> Iterator[Eq]:
    yield eq(3 * x**2 - 2 * x**3, T.of(elementwise(lambda i: i * i * (3.0 - 2.0 * i)))(x))


@stranger(
    [
        *around_two(lambda r, x: r * x * (1 - x)), X * Y - X * Y**2, X * (1 - X), 3.7 * X * (1 - X),
        X * Y * (1 - Y) * Z,
    ],
    [X * Y * (1 - Z), X * Y * (2 + Z)],
)  # fmt: skip
def logistic_map(r: Float, x: Float) -> Iterator[Eq]:
    yield eq(r * x * (1 - x), T.of(elementwise(lambda a, b: a * b * (1.0 - b), 2))(r, x))


@stranger(
    [
        *around_two(lambda x, y: at.sqrt(x**2 + y**2)), (X * X + Y * Y) ** 0.5,
        at.sqrt(at.square(Y) + at.square(X)), X / at.sqrt(X**2 + Y**2), 1 / at.sqrt(X**2 + Y**2),
        at.sqrt(4 * X**2 + Y**2), at.sqrt(1 + X**2),
    ],
    [at.sqrt(X**2 - Y**2), at.sqrt(X**2 + Y**3), X**2 + Y**2],
)  # fmt: skip
def hypotenuse(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(
        T.sqrt(x**2 + y**2), T.of(elementwise(lambda a, b: scalar.sqrt(a * a + b * b), 2))(x, y)
    )


@stranger(
    [
        *around(lambda x: at.exp(x) / (at.exp(x) + 1) ** 2), at.exp(-X) / (1 + at.exp(-X)) ** 2,
        at.sigmoid(X) * (1 - at.sigmoid(X)), at.sigmoid(X) * at.sigmoid(-X),
        at.sigmoid(X) - at.sigmoid(X) ** 2,
    ],
    [at.exp(X) / (at.exp(Y) + 1) ** 2, at.exp(X) / (at.exp(Y) + 1)],
)  # fmt: skip
def slope_of_sigmoid(x: Float) -> Iterator[Eq]:
    yield eq(T.sigmoid(x) * T.sigmoid(-x), 1 / (4 * T.cosh(x / 2) ** 2))


@stranger(
    [
        *around_two(lambda x, y: at.log(at.exp(x) + at.exp(y))),
        at.log(at.exp(Y) * (at.exp(X - Y) + 1)), X + at.log(1 + at.exp(Y - X)),
    ],
    [at.log(at.exp(X) - at.exp(Y)), at.log(at.exp(X) + Y)],
)  # fmt: skip
def log_of_exponentials(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x) + T.exp(y)), T.maximum(x, y) + T.log1p(T.exp(-T.abs(x - y))))


@stranger(
    [*around_two(lambda x, y: at.sinh(x) + at.sinh(y))],
    [at.sinh(X) - at.cosh(Y), at.sinh(X) * at.sinh(Y)],
)  # fmt: skip
def sum_of_sinh(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.sinh(x) + T.sinh(y), 2 * T.sinh((x + y) / 2) * T.cosh((x - y) / 2))
