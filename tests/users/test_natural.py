"""Relations whose sides the theory finds in each other, or parts of which the library rewrites."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import sleep
from typing import Any

import aesara
import numpy as np
import pytest

from kanrewrite import Axis, Bool, Eq, Float, Int, Ndim, T, eq, registry, relation, trace
from kanrewrite.clock import now
from kanrewrite.config import config
from kanrewrite.errors import RelationWarning
from kanrewrite.guards import Guard, positive
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y, Z = at.vectors("xyz")
A, B = at.matrices("ab")
F = at.fvector("f")
S = at.fmatrix("s")
M, N, K = at.ivectors("mnk")
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)
SCALE = np.sqrt(2 / np.pi)


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + at.tanh(SCALE * (x + 0.044715 * x**3)))


GELU = [_gelu(X), Y * _gelu(A.T)[0], at.dot(_gelu(A), B), _gelu(S).sum(axis=1)]


@spelled(*GELU, *map(canonical, GELU))
def gelu_by_tanh(x: Float) -> Iterator[Eq]:
    """A number of NumPy stands left of a pattern."""
    z = SCALE * (x + 0.044715 * x**3)
    yield eq(0.5 * x * (1 + T.tanh(z)), x * T.sigmoid(2 * z))


def _root(x: Any) -> Any:
    return at.sqrt(at.mean(x**2, axis=1, keepdims=True) + np.asarray(1e-5, x.dtype))


@spelled(A / _root(A), 2 * A / _root(A), S / _root(S), at.dot(A / _root(A), B))
def root_mean_square(x: Float, axis: Axis) -> Iterator[Eq]:
    inner = T.mean(x**2, axis, keepdims=True) + 1e-5
    yield eq(x / T.sqrt(inner), x * T.exp(-0.5 * T.log(inner)))


U, V = at.exp(X) + 1, Y**2 + 1


@spelled(at.log(U) - at.log(V), 2 * at.log(U) - 2 * at.log(V), Z + at.log(U) - at.log(V))
def log_of_ratio(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(T.log(a) - T.log(b), T.log(a / b)).when(positive(a), positive(b))


@spelled(at.arctan(1 / X), 2 * at.arctan(X**-1), at.arctan(1 / A).sum(0), at.arctan(1 / F))
def arc_of_inverse(x: Float) -> Iterator[Eq]:
    yield eq(T.arctan(1 / x), np.pi / 2 - T.arctan(x))


@spelled(at.concatenate([X, Y]).sum(), 2 * at.concatenate([2 * X, Y]).sum())
def sum_of_joined(x: Ndim[1], y: Ndim[1]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.sum(T.join(x, y, axis=0)), T.sum(x) + T.sum(y))


@spelled((at.exp(X) - at.exp(-X)) / 2, at.exp(X) / 2 - 0.5 / at.exp(X), at.exp(A) - at.exp(-A))
def half_difference(x: Float) -> Iterator[Eq]:
    yield eq((T.exp(x) - T.exp(-x)) / 2, T.sinh(x))


@spelled(
    at.sqrt(X**2 + Y**2), Z / at.sqrt(X * X + Y**2), (X**2 + Y**2) ** 0.5,
    at.sqrt(A.T**2 + at.square(B)), at.sqrt(F**2 + (2 * F) ** 2),
)  # fmt: skip
def length(x: Float, y: Float) -> Iterator[Eq]:
    """What it makes holds what it looks for: it is followed once."""
    m = T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), m * T.sqrt((x / m) ** 2 + (y / m) ** 2))


@spelled(
    at.log1p(at.exp(X)),
    2 * at.log(1 + at.exp(X)),
    Y - at.log1p(at.exp(-A)).sum(1),
    at.log1p(at.exp(F)),
)
def soft_by_hand(x: Float) -> Iterator[Eq]:
    yield eq(T.log1p(T.exp(x)), T.maximum(x, 0) + T.log1p(T.exp(-T.abs(x))))


@spelled(
    at.log(at.cumsum(at.exp(A), axis=1)), 2 * at.log(at.cumsum(at.exp(X), axis=0)),
    Z + at.log(at.cumsum(at.exp(X - Y), axis=-1)), at.log(at.cumsum(at.exp(S), axis=0)),
)  # fmt: skip
def running_level(x: Float, axis: Axis) -> Iterator[Eq]:
    m = T.max(x, axis, keepdims=True)
    yield eq(T.log(T.cumsum(T.exp(x), axis)), m + T.log(T.cumsum(T.exp(x - m), axis)))


@spelled(
    X / (1 + at.exp(-X)), X * at.exp(X) / (1 + at.exp(X)), 2 * A * (at.exp(-A) + 1) ** -1,
    F * at.sigmoid(F), at.dot(A / (1 + at.exp(-A)), B),
)  # fmt: skip
def swish(x: Float) -> Iterator[Eq]:
    yield eq(x * T.sigmoid(x), x * (1 + T.tanh(x / 2)) / 2)


@spelled(X + (Y - X) / Z, X - (X - Y) / Z, 2 * (A + (B - A) / 7), F + (F**2 - F) / 3)
def running_mean(m: Any, x: Any, n: Any) -> Iterator[Eq]:
    yield eq(m + (x - m) / n, m * (1 - 1 / n) + x / n)


@spelled(
    0.9 * X + 0.1 * Y, 0.1 * Y + X * 0.9, 2 * (0.999 * A + 0.001 * B),
    np.float32(0.9) * F + np.float32(0.1) * F**2, Z * X + (1 - Z) * Y,
)  # fmt: skip
def moving_average(a: Any, x: Any, y: Any) -> Iterator[Eq]:
    yield eq(a * x + (1 - a) * y, y + a * (x - y))


@pytest.mark.parametrize("graph", [0.9 * X + 0.2 * Y, 0.9 * X + 0.1 * Y * Z - X, X + 0 * Y])
def test_other_numbers_are_no_moving_average(graph: Any) -> None:
    new = rewritten(graph, moving_average)
    f = aesara.function([X, Y, Z], [graph, new], mode=common.MODE, on_unused_input="ignore")
    before, after = f(*np.random.default_rng(1).normal(size=(3, 4)))
    np.testing.assert_allclose(before, after, rtol=1e-14)
    assert same(rewritten(0.9 * X + 0.2 * Y, moving_average), 0.9 * X + 0.2 * Y)


@spelled(
    at.exp(at.log(A).mean(1)), 2 * at.exp(at.log(A).mean(-1, keepdims=True)),
    at.exp(at.log(X).mean()), at.exp(at.log(S).mean(0)), at.exp(at.log(A.T).sum(0) / A.shape[1]),
)  # fmt: skip
def geometric(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(T.mean(T.log(x), axis)), T.prod(x, axis) ** (1 / T.size(x, axis)))


@spelled(at.switch(X > 0, X, at.exp(X) - 1), at.switch(A > 0, A, at.expm1(A)).sum(0))
def elu_by_comparison(x: Float) -> Iterator[Eq]:
    yield eq(T.switch(x > 0, x, T.expm1(x)), T.maximum(x, 0) + T.expm1(T.minimum(x, 0)))


@spelled(
    Y * at.sin(X) ** 2 + Y * at.cos(X) ** 2 + Z,
    canonical(Y * at.sin(X) ** 2 + Z + Y * at.cos(X) ** 2),
    Y * at.sin(X) ** 2 + Z + Y * Z * at.cos(X) ** 2 + Y * at.cos(X) ** 2,
    at.sin(X) ** 2 * (Y + Z) / 3 + at.cos(X) ** 2 / 3 * (Z + Y),
    Z - Y * at.cos(X) ** 2 - Y * at.sin(X) ** 2,
    2 * F * at.sin(2 * F) ** 2 + 2 * F * at.cos(2 * F) ** 2,
)  # fmt: skip
def circle(x: Float) -> Iterator[Eq]:
    yield eq(T.sin(x) ** 2 + T.cos(x) ** 2, 1)


def test_a_shared_factor_may_be_shorter_than_what_it_multiplies() -> None:
    s = at.scalar("s")
    graph = s * at.sin(X) ** 2 + Y * Z + s * at.cos(X) ** 2
    fires_and_keeps_the_value(circle, graph)
    one = at.TensorType("float64", (1,))("one")
    graph = one * at.sin(X) ** 2 + one * at.cos(X) ** 2
    new = rewritten(graph, circle)
    assert not same(new, graph)
    f = aesara.function([one, X], [graph, new], mode=common.MODE)
    before, after = f([2.0], [1.0, 2.0, 3.0])
    np.testing.assert_allclose(after, before)


@spelled(X * Y + Y, Y + X * Y, X * Y - Y, (A * B + B).sum(0), M * N + N, Z + X * Y + Y * Z)
def common_factor(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(a * x + b * x, (a + b) * x)


def test_terms_without_a_common_factor_stay() -> None:
    for graph in (X + Y, X * Y + Z, X + 1):
        assert same(rewritten(graph, common_factor), graph)


@spelled((M + N * K) % K, (M + K) % K, (M - N * K) % K, (K * N + M) % K)
def remainder(a: Int, n: Int, b: Int) -> Iterator[Eq]:
    yield eq((a + n * b) % b, a % b)


@spelled(-at.maximum(-A, -B).sum(1), -at.maximum(-X, -Y), canonical(-at.maximum(-A, -B).sum(0)))
def smaller(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(-T.maximum(-x, -y), T.minimum(x, y))


P, Q, R = (at.TensorType("bool", (None,))(name) for name in "pqr")


@spelled((P & Q) | (P & R), (Q & P) | (R & P) | Q, ~((Q & P) | (P & ~R)))
def factored(a: Bool, b: Bool, c: Bool) -> Iterator[Eq]:
    yield eq((a & b) | (a & c), a & (b | c))


@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_fires_and_keeps_the_value(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, graph, positive=True)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(0, len(CASES), 3))
def test_the_library_takes_nothing_from_a_users_relation(n: int) -> None:
    stated, graph = CASES[n].values
    with trace() as steps:
        rewritten(canonical(graph), *registry.relations(), stated)
    assert stated.name in str(steps)


@relation
def tangled(x: Float, y: Float) -> Iterator[Eq]:
    m = T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), m * T.cosh((x / m) ** 2 + (y / m) ** 2))
    yield eq(T.cosh(x**2 + y**2), m * T.sqrt((x / m) ** 2 + (y / m) ** 2))


def _slow(value: Any) -> bool:
    sleep(0.2)
    return True


slow = Guard("slow", _slow)


@relation
def shifted(x: slow) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.sin(x), T.cos(x - np.pi / 2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stated", "graph"),
    [(tangled, at.sqrt(X**2 + Y**2)), (shifted, sum(at.sin(k * X) for k in range(2, 60)))],
)
def test_what_takes_its_time_ends_with_a_report(
    stated: Relation, graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "relation_seconds", 1.0)
    rewritten(X, stated)  # reads the library
    start = now()
    with pytest.warns(RelationWarning, match=stated.name):
        new = rewritten(graph, stated)
    assert now() - start < 6  # a second, and what the machine does besides; not twelve
    if stated is tangled:
        assert same(new, graph)  # what had grown until then is undone
