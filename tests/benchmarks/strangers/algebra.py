"""Linear algebra: products, traces, determinants, inverses, factorizations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanrewrite import Eq, Ndim, T, eq
from tests.benchmarks.strangers.common import (
    S3,
    T3,
    U3,
    A,
    B,
    C,
    D,
    Whole,
    X,
    Y,
    Z,
    at,
    linalg,
    solvers,
    stranger,
)

TURN = (1, 0)
INVERSE, DET = T.of(linalg.MatrixInverse()), T.of(linalg.Det())
inverse, det, trace = linalg.matrix_inverse, linalg.det, linalg.trace
SOLVE = at.slinalg.solve(A, B).owner.op
CHOLESKY = solvers.Cholesky()
DIAGONAL = type(trace(A).owner.inputs[0].owner.op)


class Gram(Whole):
    """A matrix times its transposed."""

    def of(self, *values: Any) -> Any:
        return values[0] @ values[0].T

    def kind(self, *inputs: Any) -> Any:
        return at.TensorType(inputs[0].dtype, shape=(None, None))


@stranger(
    [
        A @ A.T, at.dot(A, A.T), 2 * A @ A.T, A.T @ A, (A @ A.T).sum(), A @ A.T + B, (2 * A) @ A.T,
        (A + B) @ (A + B).T, (A @ A.T)[0], A @ A.T / X, -at.dot(A.T, A), (A @ B) @ (A @ B).T,
    ],
    [A @ B.T, A @ A, A * A.T],
)  # fmt: skip
def gram(a: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(a, T.dimshuffle(a, TURN)), T.of(Gram())(a))


@stranger(
    [
        trace(A) + trace(B), 2 * trace(A) + 2 * trace(B), trace(A) - trace(B),
        trace(A @ B) + trace(C), trace(A.T) + trace(B), X * (trace(A) + trace(B)),
        X * trace(A) + X * trace(B), trace(B) + 1 + trace(A), 2 * trace(A) - 3 * trace(B),
    ],
    [trace(A) * trace(B), trace(A) + A.sum()],
)  # fmt: skip
def traces_add(a: Any, b: Any) -> Iterator[Eq]:
    diagonal = T.of(DIAGONAL)
    yield eq(T.sum(diagonal(a)) + T.sum(diagonal(b)), T.sum(diagonal(a + b)))


@stranger(
    [
        det(inverse(A)), 2 * det(inverse(A)), det(inverse(A.T)), det(inverse(A + B)) - 1,
        X / det(inverse(A)), at.log(det(inverse(A)) ** 2), det(inverse(A @ B)),
        det(inverse(A)) * X.sum(),
    ],
    [det(A), inverse(A)],
    "matrix",
)  # fmt: skip
def det_of_inverse(a: Any) -> Iterator[Eq]:
    yield eq(DET(INVERSE(a)), 1 / DET(a))


@stranger(
    [
        inverse(inverse(A)), 3 * inverse(inverse(A)), inverse(inverse(A)) @ B,
        inverse(inverse(A + B)), inverse(inverse(A)).T, inverse(inverse(A.T)),
        inverse(inverse(A)).sum(axis=0), X - inverse(inverse(A)), inverse(inverse(A))[1:, 0],
    ],
    [inverse(A), inverse(det(A) * A)],
    "matrix",
)  # fmt: skip
def inverted_twice(a: Any) -> Iterator[Eq]:
    yield eq(INVERSE(INVERSE(a)), a)


@stranger(
    [
        inverse(B) @ inverse(A), 2 * inverse(B) @ inverse(A), (inverse(B) @ inverse(A)).T,
        (inverse(B) @ inverse(A)).sum(), inverse(A) @ inverse(B), C + inverse(B) @ inverse(A),
        inverse(A + B) @ inverse(C), inverse(A) @ inverse(A),
    ],
    [inverse(B) * inverse(A), inverse(B) @ A],
    "matrix",
)  # fmt: skip
def inverses_multiply(a: Any, b: Any) -> Iterator[Eq]:
    yield eq(T.dot(INVERSE(b), INVERSE(a)), INVERSE(T.dot(a, b)))


@stranger(
    [
        at.slinalg.solve(A, B) + at.slinalg.solve(A, C),
        at.slinalg.solve(A, B) - at.slinalg.solve(A, C),
        2 * at.slinalg.solve(A, B) + 2 * at.slinalg.solve(A, C),
        at.slinalg.solve(A, X) + at.slinalg.solve(A, Y),
        at.slinalg.solve(A, C) + D + at.slinalg.solve(A, B),
        X * at.slinalg.solve(A, B) + X * at.slinalg.solve(A, C),
        (at.slinalg.solve(A, B) + at.slinalg.solve(A, C)).sum(),
        (at.slinalg.solve(A, B) + at.slinalg.solve(A, C)).T,
    ],
    [
        at.slinalg.solve(A, B) + at.slinalg.solve(C, B),
        at.slinalg.solve(A, B) * at.slinalg.solve(A, C),
    ],
    "matrix",
)  # fmt: skip
def solutions_add(a: Any, b: Any, c: Any) -> Iterator[Eq]:
    yield eq(T.of(SOLVE)(a, b) + T.of(SOLVE)(a, c), T.of(SOLVE)(a, b + c))


@stranger(
    [
        at.slinalg.solve(A, A @ B), 2 * at.slinalg.solve(A, A @ B), at.slinalg.solve(A, A @ X),
        at.slinalg.solve(A, A @ (B + C)), at.slinalg.solve(A + B, (A + B) @ C),
        at.slinalg.solve(A, A @ B).T, at.slinalg.solve(A, A @ B)[0] - Y,
        at.slinalg.solve(A, A @ B).sum(axis=1),
    ],
    [at.slinalg.solve(A, B @ A), at.slinalg.solve(A, C @ B)],
    "matrix",
)  # fmt: skip
def solved_at_once(a: Any, b: Any) -> Iterator[Eq]:
    yield eq(T.of(SOLVE)(a, T.dot(a, b)), b)


@stranger(
    [
        at.outer(X, Y) @ Z, 2 * at.outer(X, Y) @ Z, at.outer(X, Y) @ Z + X,
        (at.outer(X, Y) @ Z).sum(), at.outer(X + Z, Y) @ Z, at.outer(A @ X, Y) @ Z,
        (at.outer(X, Y) @ Z)[1:], at.outer(2 * X, Y) @ Z, at.outer(X, Y) @ (A @ Z),
    ],
    [X * Y * Z, at.outer(X, Y) @ A],
)  # fmt: skip
def outer_times_vector(x: Ndim[1], y: Ndim[1], z: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    outer = T.dot(T.dimshuffle(x, (0, "x")), T.dimshuffle(y, ("x", 0)))
    yield eq(T.dot(outer, z), x * T.dot(y, z))


@stranger(
    [
        at.batched_dot(S3, T3) + at.batched_dot(S3, U3),
        2 * at.batched_dot(S3, T3) + 2 * at.batched_dot(S3, U3),
        at.batched_dot(S3, T3) - at.batched_dot(S3, U3),
        at.batched_dot(S3, U3) + 1 + at.batched_dot(S3, T3),
        (at.batched_dot(S3, T3) + at.batched_dot(S3, U3)).sum(axis=0),
        (at.batched_dot(S3, T3) + at.batched_dot(S3, U3))[0],
        at.batched_dot(S3, T3) / 3 + at.batched_dot(S3, U3) / 3,
        at.batched_dot(2 * S3, T3) + at.batched_dot(2 * S3, U3),
    ],
    [
        at.batched_dot(S3, T3) + at.batched_dot(T3, U3),
        at.batched_dot(S3, T3) * at.batched_dot(S3, U3),
    ],
)  # fmt: skip
def batched_products_add(a: Ndim[3], b: Ndim[3], c: Ndim[3]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.batched_dot(a, b) + T.batched_dot(a, c), T.batched_dot(a, T.add(b, c)))


@stranger(
    [
        CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T, 2 * CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T,
        (CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T).sum(),
        CHOLESKY(A @ A.T + B @ B.T) @ CHOLESKY(A @ A.T + B @ B.T).T,
        CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T + X, -(CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T)[0],
        at.dot(CHOLESKY(A @ A.T), CHOLESKY(A @ A.T).T) / Y,
        (CHOLESKY(A @ A.T) @ CHOLESKY(A @ A.T).T) @ B,
    ],
    [CHOLESKY(A @ A.T).T @ CHOLESKY(A @ A.T), CHOLESKY(A @ A.T) @ CHOLESKY(B @ B.T).T],
    "matrix",
)  # fmt: skip
def factors_of_cholesky(a: Any) -> Iterator[Eq]:
    lower = T.of(CHOLESKY)(a)
    yield eq(T.dot(lower, T.dimshuffle(lower, TURN)), a)


@stranger(
    [
        at.diag(X) @ A, 2 * at.diag(X) @ A, at.diag(X) @ A + B, (at.diag(X) @ A).sum(axis=0),
        at.diag(X * Y) @ A, at.diag(X) @ (A + B), (at.diag(X) @ A)[0], at.diag(X) @ A.T,
        (at.diag(X) @ A).T,
    ],
    [A @ at.diag(X), at.diag(X) * A],
)  # fmt: skip
def diagonal_times_matrix(x: Ndim[1], a: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    diagonal = T.of(at.diag(X).owner.op)
    yield eq(T.dot(diagonal(x), a), T.dimshuffle(x, (0, "x")) * a)


@stranger(
    [
        X @ A @ X + Y @ A @ X, X @ (A @ X) + Y @ (A @ X), 2 * (X @ A @ X) + 2 * (Y @ A @ X),
        X @ A @ Z - Y @ A @ Z, (X @ A) @ Z + (Y @ A) @ Z, 1 - (X @ A @ Z + Y @ A @ Z),
        (X @ A @ Z + Y @ A @ Z) / 2, at.dot(at.dot(X, 2 * A), Z) + at.dot(at.dot(Y, 2 * A), Z),
    ],
    [X @ A @ Z + Y @ B @ Z],
)  # fmt: skip
def forms_add(x: Ndim[1], y: Ndim[1], a: Ndim[2], z: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(T.dot(x, a), z) + T.dot(T.dot(y, a), z), T.dot(T.dot(T.add(x, y), a), z))


@stranger(
    [
        at.dot(X, Y) / at.dot(X, X), at.dot(Y, X) / (X**2).sum(), (X * Y).sum() / at.dot(X, X),
        Z * at.dot(X, Y) / at.dot(X, X), at.dot(X, Y) * at.dot(X, X) ** -1,
        X * (at.dot(X, Y) / at.dot(X, X)), at.dot(X + Z, Y) / at.dot(X + Z, X + Z),
        1 - at.dot(X, Y) / at.dot(X, X),
    ],
    [at.dot(X, Y) / at.dot(Z, Z), at.dot(X, X) / at.dot(X, Y)],
)  # fmt: skip
def projection(x: Ndim[1], y: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    unit = x / T.sqrt(T.sum(x**2))
    yield eq(T.dot(x, y) / T.dot(x, x), T.dot(unit, y) / T.sqrt(T.sum(x**2)))


QR = linalg.QRFull("reduced")
SVD = linalg.SVD(full_matrices=False)
EIGH = linalg.Eigh()


def _svd(a: Any) -> Any:
    u, s, v = SVD(a)
    return (u * s) @ v


@stranger(
    [
        QR(A)[0] @ QR(A)[1], 2 * QR(A)[0] @ QR(A)[1], (QR(A)[0] @ QR(A)[1]).sum(),
        QR(A + B)[0] @ QR(A + B)[1], B - QR(A)[0] @ QR(A)[1], (QR(A)[0] @ QR(A)[1]).T,
        (QR(A)[0] @ QR(A)[1])[0], QR(A.T)[0] @ QR(A.T)[1] / X,
    ],
    [QR(A)[0] @ QR(B)[1], QR(A)[1] @ QR(A)[0]],
    "matrix",
)  # fmt: skip
def factors_of_qr(a: Any) -> Iterator[Eq]:
    qr = T.of(QR)
    yield eq(T.dot(qr(a, output=0), qr(a, output=1)), a)


@stranger(
    [
        _svd(A), 2 * _svd(A), _svd(A).sum(), _svd(A + B), B - _svd(A), _svd(A)[0],
        (SVD(A)[1] * SVD(A)[0]) @ SVD(A)[2], _svd(A @ B), _svd(A) / 3,
    ],
    [(SVD(A)[0] * SVD(B)[1]) @ SVD(A)[2], SVD(A)[0] @ SVD(A)[2]],
    "matrix",
)  # fmt: skip
def factors_of_svd(a: Any) -> Iterator[Eq]:
    svd = T.of(SVD)
    values = T.dimshuffle(svd(a, output=1), ("x", 0))
    yield eq(T.dot(svd(a, output=0) * values, svd(a, output=2)), a)


@stranger(
    [
        EIGH(A + A.T)[0].sum(), 2 * EIGH(A + A.T)[0].sum(), EIGH(A @ A.T)[0].sum(),
        EIGH(A)[0].sum(axis=0), X * EIGH(A)[0].sum(), EIGH(A)[0].sum() - 1,
        EIGH(A)[0].sum(axis=-1, keepdims=True), at.log(at.abs(EIGH(A)[0].sum())),
    ],
    [EIGH(A)[1].sum(), EIGH(A)[0].prod(), EIGH(A)[0].max()],
    "symmetric",
)  # fmt: skip
def sum_of_eigenvalues(a: Any) -> Iterator[Eq]:
    yield eq(T.sum(T.of(EIGH)(a, output=0)), T.sum(T.of(trace(A).owner.inputs[0].owner.op)(a)))


@stranger(
    [
        at.log(det(A) * det(B)), at.log(det(B) * det(A)), 2 * at.log(det(A) * det(B)),
        at.log(det(A) * det(B)).sum(), X - at.log(det(A) * det(B)), at.log(det(A.T) * det(B)),
        at.log(det(A + B) * det(C)), at.log(det(A) * det(B)) / 2,
    ],
    [at.log(det(A) + det(B)), det(A) * A],
    "matrix",
)  # fmt: skip
def log_of_dets(a: Any, b: Any) -> Iterator[Eq]:
    yield eq(T.log(DET(a) * DET(b)), T.log(DET(T.dot(a, b))))


@stranger(
    [
        at.dot(A, 2 * B) + at.dot(A, C), at.dot(A, B) - at.dot(A, C), at.dot(A, X) + at.dot(A, Y),
        C + at.dot(A, X) + at.dot(A, Y), at.dot(A, B) / 2 + at.dot(A, C) / 2,
        (at.dot(A, B) + at.dot(A, C)).T, at.dot(A, B).sum(axis=0) + at.dot(A, C).sum(axis=0),
        (at.dot(A, B) + at.dot(A, C))[:, 1],
    ],
    [at.dot(A, B) + at.dot(C, A), at.dot(A, B) * at.dot(A, C)],
)  # fmt: skip
def right_factors_add(a: Any, b: Any, c: Any) -> Iterator[Eq]:
    yield eq(T.dot(a, b) + T.dot(a, c), T.dot(a, b + c))
