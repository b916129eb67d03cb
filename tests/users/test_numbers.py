"""Users' relations where graphs have numbers for parameters, ranges, or other fractions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import aesara
import aesara.tensor.nlinalg
import numpy as np
import pytest
from aesara.graph.basic import Constant, ancestors

from kanrewrite import Axis, Eq, Float, Int, Ndim, T, eq, relation
from kanrewrite.guards import same_shape
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y, Z = at.vectors("xyz")
A, B, C = at.matrices("abc")
F = at.fvector("f")
nlinalg: Any = aesara.tensor.nlinalg
INVERSE: Any = T.of(nlinalg.MatrixInverse())
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    at.sqrt(1 + Y**2), at.sqrt(Y * Y + 1), 3 * at.sqrt(4 + Y**2), Z / at.sqrt(Y**2 + 1),
    at.sqrt(A**2 + 1).sum(0), at.sqrt(Y**2 + 2.25), (1 + Y**2) ** 0.5, at.sqrt(1 + F**2),
    at.sqrt(X**2 + Y**2),
)  # fmt: skip
def length(x: Float, y: Float) -> Iterator[Eq]:
    low, high = T.minimum(T.abs(x), T.abs(y)), T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), high * T.sqrt(1 + (low / high) ** 2))


@spelled(
    at.sin(X * 2) * 4, 9 * at.sin(3 * X), (at.sin(2 * A) * 4)[0], Z + at.sin(Y * X) * Y**2,
    4 * at.sin(2 * X) / Z, at.sin(X / 2) * 0.25, at.sin(2 * F) * 4,
)  # fmt: skip
def swung(x: Float, d: Float) -> Iterator[Eq]:
    yield eq(T.sin(x * d) * d**2, d * T.sin(d * x) * d + T.tanh(0 * d))


@spelled(
    at.exp(-((X / 2) ** 2)) / 4, at.exp(-((X / 3) ** 2)) / 9, at.exp(-(X**2) / 9) / 9,
    Z * at.exp(-((X / Y) ** 2)) / Y**2, at.exp(-((X / 1.5) ** 2)) / 2.25,
)  # fmt: skip
def bump(x: Float, d: Float) -> Iterator[Eq]:
    yield eq(T.exp(-((x / d) ** 2)) / d**2, 1 / (d**2 * T.exp((x / d) ** 2)) + T.tanh(0 * d))


@spelled(
    4 * (at.sqrt(1 + (X / 2) ** 2) - 1), 2.25 * (at.sqrt(1 + (X / 1.5) ** 2) - 1),
    9 * at.sqrt(1 + (X / 3) ** 2) - 9, Y**2 * (at.sqrt(1 + (X / Y) ** 2) - 1),
)  # fmt: skip
def rounded_size(x: Float, d: Float) -> Iterator[Eq]:
    root = T.sqrt(1 + (x / d) ** 2)
    yield eq(d**2 * (root - 1), x**2 / (root + 1))


@spelled(
    (A**4).sum(0) ** 0.25, at.sqrt((A**2).sum(1)), (abs(X) ** 1.5).sum() ** (1 / 1.5),
    (A**-2).sum(0) ** -0.5, 3 * (A**3).sum(0) ** (1 / 3), (A ** Y[0]).sum(1) ** (1 / Y[0]),
)  # fmt: skip
def power_norm(x: Float, p: Float, axis: Axis) -> Iterator[Eq]:
    top = T.max(x, axis, keepdims=True)
    yield eq(T.sum(x**p, axis) ** (1 / p), T.max(x, axis) * T.sum((x / top) ** p, axis) ** (1 / p))


@spelled(X**2 - 1, 1 - X**2, X**2 - 4 * Y**2, 9 * X * X - Y**2, (A**2 - 1).sum(), X**2 - Y**2)
def squares(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(x**2 - y**2, (x - y) * (x + y))


@spelled(
    1 / (1 / X + 1), Z / (1 + 1 / X), 1 / (1 / X + 1 / Y), 1 / (0.5 + Y**-1), 1 / (1 / F + 1),
    (1 / (1 / A + 1 / B)).sum(axis=1),
)  # fmt: skip
def parallel(a: Float, b: Float) -> Iterator[Eq]:
    yield eq(1 / (1 / a + 1 / b), a * b / (a + b))


@spelled(-at.log(1 / X + 1), -at.log((1 + X) / X), at.log(X / (1 + X)), Y - at.log(1 / X + 1))
def share(x: Float) -> Iterator[Eq]:
    yield eq(T.log(x / (1 + x)), T.log(x) - T.log1p(x))


@relation
def logit(x: Float) -> Iterator[Eq]:
    yield eq(T.log(x / (1 - x)), T.log(x) - T.log1p(-x))


@pytest.mark.parametrize("graph", [at.log(1 / X - 1), at.log((1 - X) / X), at.log(X**-1 - 1)])
def test_odds_may_be_inverted(graph: Any) -> None:
    assert same(rewritten(canonical(graph), logit), at.log1p(-X) - at.log(X))


@spelled(X / (1 + X), 2 * A / (A + 1), F / (1 + F), 1 / (1 + 1 / X))
def saturation(x: Float) -> Iterator[Eq]:
    yield eq(1 / (1 / x + 1), 1 - 1 / (1 + x))


@spelled(
    at.clip(X, -1, 1), at.minimum(at.maximum(X, -1), 1), at.maximum(at.minimum(A, 1), -1).sum(),
    2 * at.maximum(-1, at.minimum(1, F)),
)  # fmt: skip
def hard_tanh(x: Float) -> Iterator[Eq]:
    yield eq(T.clip(x, -1, 1), (T.abs(x + 1) - T.abs(x - 1)) / 2)


@spelled(
    at.clip(X, 0, 6), at.clip(A.T, 0.0, 6.0), 2 * at.clip(F, 0, 6), at.minimum(6, at.maximum(0, X)),
    at.maximum(at.minimum(X, 6), 0),
)  # fmt: skip
def relu6(x: Float) -> Iterator[Eq]:
    yield eq(T.minimum(T.maximum(x, 0), 6), (T.abs(x) - T.abs(x - 6) + 6) / 2)


@spelled(at.switch(Y > X, X, Y), at.switch(X < Y, X, Y), at.switch(B > A, A, B).sum(axis=1))
def smaller(x: Any, y: Any) -> Iterator[Eq]:
    yield eq(T.switch(T.lt(x, y), x, y), T.minimum(x, y))


@spelled(
    at.exp(0.5 * at.log(X) + 0.5 * at.log(Y)), at.exp(at.log(X) / 2 + at.log(Y) / 2),
    Z * at.exp((at.log(X) + at.log(Y)) / 2),
)  # fmt: skip
def geometric(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.exp((T.log(x) + T.log(y)) / 2), T.sqrt(x) * T.sqrt(y))


@spelled(
    2 * at.dot(A, X) - 3 * at.dot(A, Y), at.dot(A, B) - 0.1 * at.dot(A, C),
    2 * at.dot(A, X) + 2 * at.dot(A, Y), -at.dot(A, X) - 5 * at.dot(A, Y),
)  # fmt: skip
def products(a: Ndim[2], x: Any, y: Any) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(a, x) + T.dot(a, y), T.dot(a, x + y))


@spelled(2 * A.sum(0) - 3 * B.sum(0), A.sum() + 0.5 * B.sum())
def totals(a: Float, b: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.sum(a, axis) + T.sum(b, axis), T.sum(a + b, axis))


def _inverse(x: Any) -> Any:
    return nlinalg.matrix_inverse(x)


@spelled(at.dot(_inverse(A), _inverse(B)).T, 2 * at.dot(_inverse(B), _inverse(A)))
def inverse_of_product(a: Ndim[2], b: Ndim[2]) -> Iterator[Eq]:  # type: ignore[valid-type]
    yield eq(T.dot(INVERSE(a), INVERSE(b)), INVERSE(T.dot(b, a)))


@spelled(
    2 * at.dot(A, X) - 3 * at.dot(B, X),
    at.dot(A, X) - at.dot(B, X) / 2, -at.dot(A, X) - at.dot(B, X),
)  # fmt: skip
def sums_of_one_shape(a: Any, b: Any, x: Any) -> Iterator[Eq]:
    yield eq(T.dot(a, x) + T.dot(b, x), T.dot(a + b, x)).when(same_shape(a, b))


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_is_found_around_numbers(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, canonical(graph), positive=True)


@pytest.mark.parametrize(
    ("stated", "graph"),
    [
        (length, at.sqrt(Y**2 - 1)),
        (length, at.sqrt(Y**3 + 1)),
        (squares, X**2 + 1),
        (parallel, 1 / (1 / X + Y)),
        (logit, at.log(1 / X + 1)),
        (hard_tanh, at.minimum(at.maximum(X, 1), -1)),
        (hard_tanh, at.maximum(at.minimum(X, 1), 0)),
        (relu6, at.clip(X, 6, 0)),
        (smaller, at.switch(Y > X, Y, X)),
        (products, 2 * at.dot(A, X) - 3 * at.dot(B, X)),
    ],
)
def test_what_only_looks_alike_stays(stated: Relation, graph: Any) -> None:
    assert same(rewritten(graph, stated), graph)


def test_a_number_is_its_root() -> None:
    f = aesara.function([Y], rewritten(at.sqrt(Y**2 + 4), length), mode=common.MODE)
    values = np.array([0.0, -1e150, 3.0])
    np.testing.assert_allclose(f(values), np.hypot(values, 2), rtol=1e-15)


def test_names_of_aesara_are_those_of_patterns() -> None:
    assert (T.digamma, T.expit, T.log1pexp) == (T.psi, T.sigmoid, T.softplus)
    assert (T.bitwise_and, T.bitwise_or) == (T.and_, T.or_)
    assert (T.bitwise_xor, T.bitwise_not) == (T.xor, T.invert)


@relation
def digamma_step(x: Float) -> Iterator[Eq]:
    yield eq(T.digamma(x + 1) - 1 / x, T.digamma(x))


def test_a_relation_may_have_the_names_of_aesara() -> None:
    fires_and_keeps_the_value(digamma_step, Y * at.digamma(X + 1) - Y / X, positive=True)


def test_a_number_in_a_condition_is_the_one_that_is_stated() -> None:
    @relation
    def sines_near(a: Float, b: Float) -> Iterator[Eq]:
        """Found by what a hyperbolic sine means, where one of them is that of a negative."""
        product = 2 * (T.cosh((a + b) / 2) * T.sinh((a - b) / 2))
        apart = T.sinh(a) - T.sinh(b)
        yield eq(apart, T.switch(T.lt(T.abs(a - b), 1.5), product, apart))

    found = rewritten(at.sinh(X) + at.sinh(Y), sines_near)
    (condition,) = (v for v in ancestors([found]) if v.owner and v.owner.op == at.lt)
    assert [v.data for v in ancestors([condition]) if isinstance(v, Constant)] == [1.5]


K, L = at.lvector("k"), at.ivector("l")


@relation
def divided(a: Int, b: Int) -> Iterator[Eq]:
    yield eq((a // b) * b + a % b, a)


@relation
def root_of_cube(x: Float) -> Iterator[Eq]:
    yield eq((x**3) ** (1 / 3), x)


@pytest.mark.parametrize("graph", [L // K * K + L % K, K // L * L + K % L])
def test_a_graph_may_compute_in_a_wider_dtype(graph: Any) -> None:
    fires_and_keeps_the_value(divided, graph, positive=True)
    root = rewritten((F**3) ** (1 / 3), root_of_cube)
    assert root.type.dtype == "float64"
    assert same(root, at.cast(F, "float64"))


@relation
def half_of_twice(a: Int) -> Iterator[Eq]:
    yield eq((2 * a) // 2, a)


@pytest.mark.parametrize(
    "graph", [(2 * K) // 2, (K + K) // 2, 3 * ((L + L) // 2), ((K + L) + (K + L)) // 2]
)
def test_twice_an_integer_is_a_sum(graph: Any) -> None:
    fires_and_keeps_the_value(half_of_twice, graph)


@relation
def sign_of_product(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.sgn(x * y), T.sgn(x) * T.sgn(y))


@pytest.mark.parametrize(
    "graph",
    [at.sgn(X * Y), at.sgn(-X * Y), at.sgn(X * -Y), at.sgn(-(A * B)).sum(0), at.sgn(-X / Y)],
)
def test_a_parameter_takes_the_sign_of_a_product(graph: Any) -> None:
    fires_and_keeps_the_value(sign_of_product, graph)
    fires_and_keeps_the_value(sign_of_product, canonical(graph))


@relation
def relative_entropy(p: Float, q: Float) -> Iterator[Eq]:
    yield eq(T.sum(p * T.log(p / q)), T.sum(p * T.log1p((p - q) / q)))


@pytest.mark.parametrize(
    "graph", [(X * at.log(X) - X * at.log(Y)).sum(), (X * at.log(Y) - X * at.log(X)).sum()]
)
def test_a_parameter_that_stands_elsewhere_takes_no_number(graph: Any) -> None:
    fires_and_keeps_the_value(relative_entropy, canonical(graph), positive=True)
