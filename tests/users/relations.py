"""Relations as users write them, each with graphs in which it must fire and must not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import aesara.tensor.nlinalg
import aesara.tensor.slinalg
import numpy as np

from kanrewrite import Axis, Eq, Float, Int, Ndim, T, eq, relation
from kanrewrite.guards import positive
from kanrewrite.relation import Relation
from tests.users.common import at

X, Y, Z, W = at.vectors("xyzw")
A, B, C = at.matrices("abc")
D = at.tensor3("d")
M, N = at.ivectors("mn")
F = at.fvector("f")
nlinalg: Any = aesara.tensor.nlinalg
SOLVE: Any = at.slinalg.solve(A, B).owner.op
ROOT2 = float(np.sqrt(2))


class Case(NamedTuple):
    """A relation, spellings of its left side, and graphs that only look like it."""

    relation: Relation
    spellings: list[Any]
    others: list[Any]


CASES: list[Case] = []


def case(
    spellings: list[Any], others: list[Any]
) -> Callable[[Callable[..., Iterator[Eq]]], Relation]:
    """State a relation and the graphs that it is tried on."""

    def add(function: Callable[..., Iterator[Eq]]) -> Relation:
        made: Relation = relation(function)
        CASES.append(Case(made, spellings, others))
        return made

    return add


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + at.erf(x / ROOT2))


@case(
    [
        _gelu(X), X * (1 + at.erf(X / ROOT2)) / 2, X / 2 * (at.erf(X * np.sqrt(0.5)) + 1),
        (X + X * at.erf(X / ROOT2)) * 0.5, 0.5 * X + 0.5 * X * at.erf(X / ROOT2), Y * _gelu(X),
        at.dot(_gelu(A), B), _gelu(A.T), _gelu(A).sum(axis=1), _gelu(X - Y),
        0.5 * F * (1 + at.erf(F / np.float32(ROOT2))),
    ],
    [0.5 * X * (1 + at.erf(X)), 0.5 * Y * (1 + at.erf(X / ROOT2)), 0.5 * X * (2 + at.erf(X))],
)  # fmt: skip
def gelu(x: Float) -> Iterator[Eq]:
    yield eq(0.5 * x * (1 + T.erf(x / np.sqrt(2))), x * T.erfc(-x / np.sqrt(2)) / 2)


@case(
    [
        X * Y + Z * Y, Y * X + Y * Z, X * Y - Z * Y, 2 * X * Y + 2 * Z * Y, W * X * Y + W * Z * Y,
        X / Y + Z / Y, (X * Y + Z * Y).sum(), M * N + M * M, A * B + A * C,
    ],
    [X * Y + Z, X * Y + Z * W],
)  # fmt: skip
def common_factor(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(a * x + b * x, (a + b) * x)


@case(
    [W * X**3 + Z * X**2, Z * X * X + W * X * X * X, W * X**3 - Z * X**2, X**2 * W * X + X * Z * X],
    [W * X**3 + Z * Y**2],
)
def horner(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(a * x**3 + b * x**2, x**2 * (a * x + b))


@case(
    [
        at.sin(X) ** 2 + at.cos(X) ** 2, at.cos(X) * at.cos(X) + at.square(at.sin(X)),
        2 * at.sin(X) ** 2 + 2 * at.cos(X) ** 2, Y * at.sin(X) ** 2 + Y * at.cos(X) ** 2,
        1 + at.sin(X) ** 2 + at.cos(X) ** 2, at.sin(2 * X) ** 2 + at.cos(X + X) ** 2,
        (at.sin(A) ** 2 + at.cos(A) ** 2).sum(), at.sin(F) ** 2 + at.cos(F) ** 2,
        at.sin(X) ** 2 / Y + at.cos(X) ** 2 / Y,
    ],
    [at.sin(X) ** 2 + at.cos(Y) ** 2, at.sin(X) ** 2 - at.cos(X) ** 2, at.sin(X) + at.cos(X)],
)  # fmt: skip
def circle(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)


@case(
    [
        1 - at.tanh(X) ** 2, 1 - at.tanh(X) * at.tanh(X), Y - Y * at.tanh(X) ** 2,
        2 - 2 * at.tanh(X) ** 2, -(at.tanh(X) ** 2) + 1, at.tanh(X) ** 2 - 1,
    ],
    [1 + at.tanh(X) ** 2, 1 - at.tanh(X)],
)  # fmt: skip
def tanh_slope(x: Float) -> Iterator[Eq]:
    yield eq(1 - T.tanh(x) ** 2, 1 / T.cosh(x) ** 2)


@case(
    [
        at.maximum(X, 0), at.maximum(0.0, X), at.maximum(0, X) * Y, at.maximum(A, 0).sum(axis=1),
        at.maximum(F, 0), at.maximum(A.T, 0), at.maximum(at.dot(A, B), 0),
    ],
    [at.maximum(X, 1), at.maximum(X, Y), at.minimum(X, 0)],
)  # fmt: skip
def relu(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0), (x + T.abs(x)) / 2)


@case(
    [at.switch(X > 0, X, 0), at.switch(at.gt(X, 0.0), X, 0.0), 2 * at.switch(A > 0, A, 0)],
    [at.switch(X > 1, X, 0), at.switch(X > 0, Y, 0)],
)
def relu_of_choice(x: Float) -> Iterator[Eq]:
    yield eq(T.switch(T.gt(x, 0), x, 0), T.maximum(x, 0))


@case(
    [at.dot(A, B).T, at.dot(A, B).dimshuffle(1, 0), 2 * at.dot(A, B).T, at.dot(A, B).T + C],
    [at.dot(A, B), (A * B).T],
)
def transposed_product(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    turned = (1, 0)
    yield eq(
        T.dimshuffle(a @ b, turned),  # type: ignore[operator]
        T.dot(T.dimshuffle(b, turned), T.dimshuffle(a, turned)),
    )


@case(
    [
        at.dot(A, B).sum(), 2 * at.dot(A, B).sum(), at.dot(A, B).sum(axis=(0, 1)),
        at.dot(2 * A, B).sum(), at.dot(A, B).sum(axis=(-1, -2)),
    ],
    [at.dot(A, B).sum(axis=0), (A * B).sum()],
)  # fmt: skip
def sum_of_product(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.sum(T.dot(a, b)), T.dot(T.sum(a, 0), T.sum(b, 1)))


@case(
    [nlinalg.trace(at.dot(A, B)), 2 * nlinalg.trace(at.dot(A, B)), nlinalg.trace(at.dot(A.T, B))],
    [nlinalg.trace(A), at.dot(A, B).sum()],
)
def trace_of_product(a: Any, b: Any) -> Iterator[Eq]:
    diagonal = T.of(type(nlinalg.trace(A).owner.inputs[0].owner.op))
    yield eq(T.sum(diagonal(T.dot(a, b))), T.sum(a * T.dimshuffle(b, (1, 0))))


@case(
    [
        at.dot(nlinalg.matrix_inverse(A), B), 2 * at.dot(nlinalg.matrix_inverse(A), B),
        at.dot(nlinalg.matrix_inverse(A.T), B), at.dot(nlinalg.matrix_inverse(A), B).sum(),
    ],
    [at.dot(B, nlinalg.matrix_inverse(A)), nlinalg.matrix_inverse(A)],
)  # fmt: skip
def solved(a: Any, b: Any) -> Iterator[Eq]:
    yield eq(T.dot(T.of(nlinalg.MatrixInverse())(a), b), T.of(SOLVE)(a, b))


@case(
    [
        at.log(at.abs(nlinalg.det(A))), 2 * at.log(at.abs(nlinalg.det(A))),
        at.log(at.abs(nlinalg.det(A.T))), at.log(at.abs(nlinalg.det(A))) + X.sum(),
    ],
    [at.log(nlinalg.det(A)), at.abs(nlinalg.det(A))],
)  # fmt: skip
def log_abs_det(a: Any) -> Iterator[Eq]:
    values = T.of(nlinalg.SVD(full_matrices=False, compute_uv=False))
    yield eq(T.log(T.abs(T.of(nlinalg.Det())(a))), T.sum(T.log(values(a))))


@case(
    [
        at.log(at.cosh(X)), 2 * at.log(at.cosh(X)), at.log(at.cosh(X)).sum(),
        Y - at.log(at.cosh(X)),
        at.log(at.cosh(A.T)), at.log(at.cosh(F)), at.log(at.cosh(X - Y)),
    ],
    [at.log(at.sinh(X)), at.log(at.cosh(X) + 1)],
)  # fmt: skip
def log_cosh(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.cosh(x)), T.softplus(-2 * T.abs(x)) + T.abs(x) - np.log(2))


@case(
    [M // N * N + M % N, M % N + N * (M // N), 2 * (M // N * N + M % N), N * (M // N) + M % N + M],
    [M // N + M % N, M % N, N // M * N + M % N],
)
def division(a: Int, b: Int) -> Iterator[Eq]:
    yield eq((a // b) * b + a % b, a)


@case([~~M, ~(~(~M)), 2 * ~~M], [~M])
def twice_inverted(a: Int) -> Iterator[Eq]:
    yield eq(T.invert(T.invert(a)), a)


@case([M & (M | N), (N | M) & M, M & (N | M) & N], [M & N, M | (M + N)])
def absorbed(a: Int, b: Int) -> Iterator[Eq]:
    yield eq(T.and_(a, T.or_(a, b)), a)


@case(
    [
        at.log(at.exp(X)) + at.log(at.softplus(Y)), at.log(at.exp(X) + 1) + at.log(Y**2 + 1),
        at.log(at.abs(X) + 1) + at.log(at.sigmoid(Y)),
        2 * at.log(at.sigmoid(X)) + 2 * at.log(at.softplus(Y)),
    ],
    [at.log(X) + at.log(Y), at.log(X**2) + at.log(at.exp(Y))],
)  # fmt: skip
def logs_add(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.log(a) + T.log(b), T.log(a * b)).when(positive(a), positive(b))


@case(
    [
        X.sum() + Y.sum(), 2 * X.sum() + 2 * Y.sum(), X.sum() - Y.sum(),
        A.sum(axis=0) + B.sum(axis=0),
        A.sum(axis=-1) - B.sum(axis=1), A.sum(axis=0, keepdims=True) + B.sum(axis=0, keepdims=True),
        D.sum(axis=(0, 2)) + D.sum(axis=(-1, 0)),
    ],
    [A.max(axis=0) + B.max(axis=0), A.sum(axis=0) + B.max(axis=0)],
)  # fmt: skip
def sums_add(a: Float, b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a, axis) + T.sum(b, axis), T.sum(a + b, axis))


@case(
    [
        at.sinh(X) / at.cosh(X), at.sinh(X) * at.cosh(X) ** -1, Y * at.sinh(X) / at.cosh(X),
        at.sinh(X) ** 2 / at.cosh(X) ** 2, at.sinh(2 * X) / at.cosh(2 * X) / Y,
    ],
    [at.sinh(X) / at.cosh(Y), at.cosh(X) / at.sinh(X)],
)  # fmt: skip
def tanh_of_quotient(x: Float) -> Iterator[Eq]:
    yield eq(T.sinh(x) / T.cosh(x), T.tanh(x))


def _distance(x: Any, y: Any, **along: Any) -> Any:
    return ((x - y) ** 2).sum(**along)


@case(
    [
        _distance(X, Y), ((X - Y) * (X - Y)).sum(), at.square(Y - X).sum(), 2 * _distance(X, Y),
        _distance(A, B), _distance(A, B, axis=1), _distance(A, B, axis=-1, keepdims=True),
    ],
    [((X + Y * Z) ** 3).sum(), (X - Y).sum()],
)  # fmt: skip
def squared_distance(x: Float, y: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum((x - y) ** 2, axis), T.sum(T.abs(x - y) * T.maximum(x - y, y - x), axis))


@case(
    [
        at.exp(A.sum(axis=1)), at.exp(A.sum(axis=-1)), at.exp(A.sum()),
        2 * at.exp(D.sum(axis=(0, 1))),
        at.exp(A.sum(axis=0, keepdims=True)), at.exp((A * B).sum(axis=1)),
    ],
    [at.exp(A.max(axis=1)), at.cos(A.sum(axis=1))],
)  # fmt: skip
def exp_of_sum(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.sum(x, axis)), T.prod(T.exp(x), axis))


@case([X[::-1][::-1], 2 * X[::-1][::-1], (X * Y)[::-1][::-1]], [X[::-1], X[::2][::2]])
def flipped_twice(x: Any) -> Iterator[Eq]:
    back = (slice(None, None, -1),)
    yield eq(T.subtensor(T.subtensor(x, back), back), x)


@case([at.floor(at.floor(X)), 2 * at.floor(at.floor(A))], [at.floor(X), at.floor(at.ceil(X))])
def floored_twice(x: Float) -> Iterator[Eq]:
    yield eq(T.floor(T.floor(x)), T.floor(x))


@case(
    [at.abs(X) * at.abs(Y), 3 * at.abs(A) * at.abs(B), at.abs(X) * Z * at.abs(Y)],
    [at.abs(X) * Y, at.abs(X) + at.abs(Y)],
)
def abs_of_product(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.abs(x) * T.abs(y), T.abs(x * y))


@case(
    [at.maximum(X, Y) + at.minimum(X, Y), at.minimum(Y, X) + at.maximum(X, Y) + Z,
     2 * at.maximum(A, B) + 2 * at.minimum(A, B)],
    [at.maximum(X, Y) + at.minimum(X, Z), at.maximum(X, Y) - at.minimum(X, Y)],
)  # fmt: skip
def larger_and_smaller(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, y) + T.minimum(x, y), x + y)


@case([at.maximum(X, X), at.maximum(A.T, A.T), 2 * at.maximum(X + Y, Y + X)], [at.maximum(X, Y)])
def idempotent(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, x), x)


@case([at.sgn(X) * at.abs(X), Y * at.abs(X) * at.sgn(X), at.sgn(A) * at.abs(A) / B],
      [at.sgn(X) * at.abs(Y)])  # fmt: skip
def sign_and_size(x: Float) -> Iterator[Eq]:
    yield eq(T.sgn(x) * T.abs(x), x)


@case(
    [at.sin(X) * at.cos(X), at.cos(X) * Y * at.sin(X), 2 * at.sin(A) * at.cos(A),
     at.sin(X + Y) * at.cos(Y + X), at.dot(at.sin(A) * at.cos(A), B)],
    [at.sin(X) * at.cos(Y), at.sin(X) / at.cos(X)],
)  # fmt: skip
def double_angle(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) * T.cos(x), T.sin(2 * x) / 2)


@case([at.cosh(X) ** 2 - at.sinh(X) ** 2, 3 * at.cosh(X) ** 2 - 3 * at.sinh(X) ** 2,
       at.sinh(X) ** 2 - at.cosh(X) ** 2, Y + at.cosh(A) ** 2 - at.sinh(A) ** 2],
      [at.cosh(X) ** 2 + at.sinh(X) ** 2])  # fmt: skip
def hyperbola(x: Float) -> Iterator[Eq]:
    yield eq(T.cosh(x) ** 2 - T.sinh(x) ** 2, 1)


@case([at.arctan2(at.sin(X), at.cos(X)), 2 * at.arctan2(at.sin(A), at.cos(A))],
      [at.arctan2(at.cos(X), at.sin(X))])  # fmt: skip
def angle(x: Float) -> Iterator[Eq]:
    yield eq(T.arctan2(T.sin(x), T.cos(x)), x - 2 * np.pi * T.floor(x / (2 * np.pi) + 0.5))


@case([at.eq(X, Y) * X, X * at.eq(Y, X)], [at.eq(X, Y) * Z])
def equal_or_nothing(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.eq(x, y) * x, T.switch(T.eq(x, y), x, 0))


@case([at.clip(at.clip(X, 0, 1), 0, 1), 2 * at.clip(at.clip(A, 0, 1), 0, 1)],
      [at.clip(at.clip(X, 0, 1), 0, 2)])  # fmt: skip
def clipped_twice(x: Float) -> Iterator[Eq]:
    yield eq(T.clip(T.clip(x, 0, 1), 0, 1), T.clip(x, 0, 1))


@case([at.log(at.sqrt(at.exp(X))), at.log(at.sqrt(at.softplus(X))), 2 * at.log(at.cosh(X) ** 0.5)],
      [at.log(at.sqrt(X))])  # fmt: skip
def log_of_root(x: Float) -> Iterator[Eq]:
    yield eq(T.log(T.sqrt(x)), T.log(x) / 2).when(positive(x))


@case([at.cumsum(A, axis=0)[-1], 2 * at.cumsum(A * B, axis=0)[-1]],
      [at.cumsum(A, axis=1)[-1], at.cumsum(A, axis=0)[0]])  # fmt: skip
def last_of_running_sums(x: Any) -> Iterator[Eq]:
    yield eq(T.subtensor(T.cumsum(x, 0), (-1,)), T.sum(x, 0))


@case([at.exp(at.log(at.exp(X))), 2 * at.exp(at.log(at.softplus(X)))], [])
def exp_of_log(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.log(x)), x)


@case([at.expm1(at.log1p(X)), 2 * at.expm1(at.log1p(A)), Y / at.expm1(at.log1p(X))],
      [at.expm1(at.log(X)), at.log1p(at.expm1(X))])  # fmt: skip
def expm1_of_log1p(x: Float) -> Iterator[Eq]:
    yield eq(T.expm1(T.log1p(x)), x)


@case([at.erf(X) + at.erfc(X), 2 * at.erf(X) + 2 * at.erfc(X), Y * at.erf(X) + Y * at.erfc(X),
       at.erfc(A) + Y + at.erf(A)], [at.erf(X) + at.erfc(Y)])  # fmt: skip
def error_functions(x: Float) -> Iterator[Eq]:
    yield eq(T.erf(x) + T.erfc(x), 1)


@case([at.dot(A, X) + at.dot(B, X), at.dot(A, C) - at.dot(B, C),
       2 * at.dot(A, X) + 2 * at.dot(B, X)],
      [at.dot(A, X) + at.dot(B, Y), at.dot(A, B) + at.dot(B, A)])  # fmt: skip
def products_add(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(T.dot(a, x) + T.dot(b, x), T.dot(a + b, x))


@case([at.dot(at.dot(A, B), X), 2 * at.dot(at.dot(A, B), X), at.dot(at.dot(A.T, B), Y)],
      [at.dot(A, at.dot(B, X))])  # fmt: skip
def products_associate(a: Ndim[2], b: Ndim[2], x: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(T.dot(a, b), x), T.dot(a, T.dot(b, x)))


@case([nlinalg.det(at.dot(A, B)), at.log(at.abs(nlinalg.det(at.dot(A, B)))),
       3 * nlinalg.det(at.dot(A, B))],
      [nlinalg.det(A + B)])  # fmt: skip
def det_of_product(a: Any, b: Any) -> Iterator[Eq]:
    det = T.of(nlinalg.Det())
    yield eq(det(T.dot(a, b)), det(a) * det(b))
