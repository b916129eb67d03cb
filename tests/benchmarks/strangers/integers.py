"""Integers, bits, truth values and comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanrewrite import Axis, Bool, Eq, Float, Int, T, eq
from kanrewrite.guards import positive
from tests.benchmarks.strangers.common import A, B, F, K, L, N, P, Q, R, X, Y, Z, at, stranger

M2 = at.imatrix("m2")
LONG = at.lvector("long")
P2 = at.TensorType("bool", (None, None))("p2")


@stranger(
    [
        (K ^ L) ^ L, L ^ (K ^ L), (L ^ K) ^ L, 2 * ((K ^ L) ^ L), ((K ^ L) ^ L)[1:],
        (K ^ (L + N)) ^ (N + L), M2 + ((K ^ L) ^ L), ((K ^ L) ^ L).sum(), (LONG ^ L) ^ L,
    ],
    [(K ^ L) ^ N, (K | L) ^ L],
)  # fmt: skip
def xored_twice(a: Int, b: Int) -> Iterator[Eq]:
    yield eq((a ^ b) ^ b, a)


@stranger(
    [
        (K & L) | (K & N), (L & K) | (K & N), (N & K) | (L & K), ((K & L) | (K & N)) + 1,
        ((K & L) | (K & N)).sum(), (P & Q) | (P & R), ((K & L) | (K & N))[::-1],
        (M2 & K) | (M2 & L),
    ],
    [(K | L) & (K | N)],
)  # fmt: skip
def bits_distribute(a: Any, b: Any, c: Any) -> Iterator[Eq]:
    yield eq((a & b) | (a & c), a & (b | c))


@stranger(
    [
        K % N % N, 2 * (K % N % N), (K + L) % N % N, (K % N % N).sum(), (K % N % N)[1:], M2 % N % N,
        LONG % N % N, K + K % N % N,
    ],
    [K % N % L, K % N],
)  # fmt: skip
def remainder_twice(a: Int, b: Int) -> Iterator[Eq]:
    yield eq(a % b % b, a % b)


@stranger(
    [
        ~(K < L), ~(L > K), at.invert(K < L), at.switch(~(K < L), X, Y), ~(K + 1 < L),
        (~(K < L)).sum(), P & ~(K < L), ~(M2 < K), (~(K < L))[0],
    ],
    [~(K <= L), K < L],
)  # fmt: skip
def not_less(a: Int, b: Int) -> Iterator[Eq]:
    yield eq(T.invert(a < b), a >= b)


@stranger(
    [
        ~(P | Q), ~(Q | P), at.invert(at.or_(P, Q)), ~(P | (X > 0)), at.switch(~(P | Q), X, 0),
        (~(P | Q)).sum(), R | ~(P | Q), ~(P2 | P),
    ],
    [~P | Q, ~(P & Q)],
)  # fmt: skip
def neither(a: Bool, b: Bool) -> Iterator[Eq]:
    yield eq(T.invert(a | b), T.invert(a) & T.invert(b))


@stranger(
    [
        (P & Q) | (P & ~Q), (Q & P) | (~Q & P), (P & ~Q) | (P & Q),
        at.switch((P & Q) | (P & ~Q), X, Y), ((P & Q) | (P & ~Q)).any(), R & ((P & Q) | (P & ~Q)),
        (P2 & Q) | (P2 & ~Q), (P & (X > 0)) | (P & ~(X > 0)),
    ],
    [(P & Q) | (P & ~R)],
)  # fmt: skip
def either_way(a: Bool, b: Bool) -> Iterator[Eq]:
    yield eq((a & b) | (a & T.invert(b)), a)


@stranger(
    [
        at.all(~P), at.all(~P2, axis=1), at.all(~P2, axis=-1), at.all(~P2, axis=(0, 1)),
        at.switch(at.all(~P), X, Y), at.all(~(P | Q)), at.all(~P2, axis=0) & P,
        at.all(~P2.T, axis=0), at.all(~P2, axis=1, keepdims=True),
    ],
    [at.any(~P), at.all(P)],
)  # fmt: skip
def none_of(p: Bool, axis: Axis) -> Iterator[Eq]:
    yield eq(T.all(T.invert(p), axis), T.invert(T.any(p, axis)))


@stranger(
    [
        X - Y > 0, X - Y > 0, at.gt(X - Y, 0.0), at.switch(X - Y > 0, X, Y), (X - Y > 0).sum(),
        A - X > 0, X - Y * Z > 0, (A - B > 0)[0], Q & (X - Y > 0),
    ],
    [X - Y > 1, X + Y >= 0],
)  # fmt: skip
def difference_is_positive(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.gt(x - y, 0), T.gt(x, y))


@stranger(
    [
        at.eq(K, L) & at.eq(L, K), at.eq(K, L) & at.eq(K, L), at.eq(M2, K) & at.eq(M2, K),
        at.switch(at.eq(K, L) & at.eq(L, K), X, Y), P & at.eq(K, L) & at.eq(L, K),
        (at.eq(K, L) & at.eq(L, K)).sum(), at.eq(K + 1, L) & at.eq(L, K + 1),
        (at.eq(K, L) & at.eq(L, K))[1:],
    ],
    [at.eq(K, L) & at.eq(L, N)],
)  # fmt: skip
def same_twice(a: Int, b: Int) -> Iterator[Eq]:
    yield eq(T.eq(a, b) & T.eq(a, b), T.eq(a, b))


@stranger(
    [
        -(-K // 3), -((-K) // 3), 2 * -(-K // 3), -(-(K + L) // 3), (-(-K // 3)).sum(),
        L - (-K // 3), -(-M2 // 3), (-(-K // 3))[0],
    ],
    [-(K // 3), -(-K // 2)],
)  # fmt: skip
def rounded_up(a: Int) -> Iterator[Eq]:
    yield eq(-(-a // 3), (a + 2) // 3)


@stranger(
    [
        at.square(K + L) - at.square(K - L), (K + L) ** 2 - (K - L) ** 2,
        (K + L) * (K + L) - (K - L) * (K - L), N * (K + L) ** 2 - N * (K - L) ** 2,
        (LONG + L) ** 2 - (LONG - L) ** 2, ((K + L) ** 2 - (K - L) ** 2).sum(),
        1 + (K + L) ** 2 - (K - L) ** 2, (X + Y) ** 2 - (X - Y) ** 2,
        ((A + B) ** 2 - (A - B) ** 2).sum(axis=0),
    ],
    [(K + L) ** 2 - (K - N) ** 2, (K + L) ** 2 + (K - L) ** 2],
)  # fmt: skip
def polarised(a: Any, b: Any) -> Iterator[Eq]:
    yield eq((a + b) ** 2 - (a - b) ** 2, 4 * a * b)


@stranger(
    [
        at.abs(K) * at.abs(K), at.abs(K) ** 2, 3 * at.abs(X) ** 2, at.square(at.abs(X)),
        (at.abs(A) ** 2).sum(axis=1), Y - at.abs(X) ** 2, at.abs(X - Y) * at.abs(Y - X),
        at.abs(F) ** 2,
    ],
    [at.abs(X), at.abs(X) * at.abs(Y)],
)  # fmt: skip
def squared_size(x: Any) -> Iterator[Eq]:
    yield eq(T.abs(x) ** 2, x**2)


@stranger(
    [
        at.maximum(at.abs(X) + 1, 0), at.maximum(0, at.exp(X)), 2 * at.maximum(at.softplus(X), 0),
        at.maximum(A**2 + 1, 0).sum(axis=1), at.maximum(0.0, at.cosh(X)) - Y,
        at.maximum(at.sigmoid(A), 0)[0], at.maximum(at.exp(F), 0),
        at.dot(at.maximum(at.exp(A), 0), B),
    ],
    [at.maximum(X, 0), at.maximum(at.exp(X), 1), at.maximum(X**3, 0)],
)  # fmt: skip
def no_less_than_zero(x: Float) -> Iterator[Eq]:
    yield eq(T.maximum(x, 0), x).when(positive(x))
