"""Relations that strangers wrote, in the spellings that stock Aesara makes of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from kanrewrite import Axis, Bool, Eq, Float, Int, Ndim, T, eq, relation
from kanrewrite.errors import RelationError
from kanrewrite.relation import Relation
from tests.users import common
from tests.users.common import at, canonical, fires_and_keeps_the_value, rewritten, same

X, Y, Z = at.vectors("xyz")
A, B, C = at.matrices("abc")
D, E = at.tensor3s("de")
F, G = at.fvectors("fg")
M, N = at.ivectors("mn")
P, Q = (at.TensorType("bool", (None,))(name) for name in "pq")
CASES: list[Any] = []
spelled = partial(common.spelled, CASES)


@spelled(
    1 / at.sqrt(X), X**-0.5, Y / at.sqrt(X), 2 * X**-0.5, at.exp(Y) * X**-0.5, Z / (Y * at.sqrt(X)),
    1 / at.sqrt(F), (A / at.sqrt(B)).sum(axis=1),
)  # fmt: skip
def reciprocal_root(x: Float) -> Iterator[Eq]:
    yield eq(1 / T.sqrt(x), T.exp(-T.log(x) / 2))


@spelled(
    Y - at.log(X), -at.log(X), Y * Z - at.log(X), at.exp(-at.log(X)), G - at.log(F),
)  # fmt: skip
def negated_log(x: Float) -> Iterator[Eq]:
    yield eq(-T.log(x), -T.log1p(x - 1))


@spelled(
    at.exp(at.log(X) / 2), at.exp(0.5 * at.log(X)), Y * at.exp(at.log(X) * 0.5),
    at.exp(at.log(F) / np.float32(2)), at.exp(at.log(A) / 2).sum(),
)  # fmt: skip
def root_by_logs(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(T.log(x) / 2), T.sqrt(x))


@spelled(
    at.exp(X) - 1, -1 + at.exp(X), 2 * at.exp(X) - 2, 1 - at.exp(X), Y * at.exp(X) - Y,
    at.exp(X) + Y - 1, at.exp(F) - 1, (at.exp(A) - 1).sum(),
)  # fmt: skip
def less_one(x: Float) -> Iterator[Eq]:
    yield eq(T.exp(x) - 1, T.expm1(x))


ELU = [at.switch(X > 0, X, at.exp(X) - 1), 2 * at.switch(at.gt(A, 0), A, at.exp(A) - 1)]


@spelled(*ELU, *map(canonical, ELU), at.switch(F > 0, F, at.exp(F) - 1))
def elu(x: Float) -> Iterator[Eq]:
    left = T.switch(T.gt(x, 0), x, T.exp(x) - 1)
    yield eq(left, T.maximum(x, 0) + T.expm1(T.minimum(x, 0)))


@spelled(
    at.argmax(at.exp(A), axis=1), at.argmax(at.exp(A), axis=-1), at.argmax(at.exp(X)),
    at.argmax(at.exp(2 * A), axis=0), at.argmax(at.exp(A)),
)  # fmt: skip
def place_of_largest(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.argmax(T.exp(x), axis), T.argmax(x, axis))


@spelled(
    at.cumprod(at.exp(A), axis=0), at.cumprod(at.exp(A), axis=1), 2 * at.cumprod(at.exp(X), axis=0),
    at.cumprod(at.exp(A * B), axis=1),
)  # fmt: skip
def running_product(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.cumprod(T.exp(x), axis), T.exp(T.cumsum(x, axis)))


@spelled(
    at.concatenate([at.exp(X), at.exp(Y)]), 2 * at.concatenate([at.exp(X), at.exp(Y)]),
    at.concatenate([at.exp(F), at.exp(G)]), at.concatenate([at.exp(X * Y), at.exp(Z)]),
)  # fmt: skip
def joined_exponentials(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.join(T.exp(x), T.exp(y), axis=0), T.exp(T.join(x, y, axis=0)))


@spelled(
    at.exp(A).flatten(), 2 * at.exp(A).reshape((-1,)), at.exp(X).reshape((1, 3)),
    at.exp(A).reshape((A.shape[0] * A.shape[1],)),
)  # fmt: skip
def reshaped(x: Float, shape: Any) -> Iterator[Eq]:
    yield eq(T.reshape(T.exp(x), shape), T.exp(T.reshape(x, shape)))


@spelled(
    at.exp(X)[M % 3], 2 * at.exp(X)[M % 3], at.exp(A)[M % 3, N % 3], at.exp(A)[0], at.exp(A)[:, 1],
)  # fmt: skip
def picked(x: Float, index: Any) -> Iterator[Eq]:
    yield eq(T.subtensor(T.exp(x), index), T.exp(T.subtensor(x, index)))


@spelled(at.batched_dot(D, E).sum(), 2 * at.batched_dot(D, E).sum(), at.batched_dot(2 * D, E).sum())
def sum_of_products(a: Ndim[3], b: Ndim[3]) -> Iterator[Eq]:  # type: ignore[valid-type]
    turned = T.dimshuffle(b, (0, 2, 1))
    yield eq(T.sum(T.batched_dot(a, b)), T.sum(T.sum(a, 1) * T.sum(turned, 1)))


@spelled(
    A.max(1) - A.min(1), A.max() - A.min(), 2 * A.max(-1) - 2 * A.min(-1),
    A.max(0, keepdims=True) - A.min(0, keepdims=True), A.max(1) + (-A).max(1),
)  # fmt: skip
def spread(x: Float, axis: Axis) -> Iterator[Eq]:
    centred = x - T.sum(x, axis, keepdims=True)
    yield eq(
        T.max(x, axis) - T.min(x, axis), T.max(T.abs(centred - T.min(centred, axis, True)), axis)
    )


@spelled(~(P & Q), ~(Q & P), ~at.and_(P, Q) | P)
def de_morgan(a: Bool, b: Bool) -> Iterator[Eq]:
    yield eq(T.invert(T.and_(a, b)), T.or_(T.invert(a), T.invert(b)))


@spelled(at.switch(~P, X, Y), 2 * at.switch(~P, X, Y), at.switch(at.invert(X > 0), Y, Z))
def swapped(c: Bool, x: Any, y: Any) -> Iterator[Eq]:
    yield eq(T.switch(T.invert(c), x, y), T.switch(c, y, x))


@spelled((M * N) // N, (N * M) // N, 2 * ((M * N) // N))
def divided_back(a: Int, b: Int) -> Iterator[Eq]:
    yield eq((a * b) // b, a)


@spelled(
    at.log(X**3), at.log(X * X), at.log(at.sqrt(X)), at.log(1 / X), 2 * at.log(X**Y),
    at.log(X**-0.5), at.log(A**3).sum(axis=1), at.log(F**2),
)  # fmt: skip
def log_of_power(x: Float, k: Float) -> Iterator[Eq]:
    yield eq(T.log(x**k), k * T.log(T.abs(x)))


@pytest.mark.spared
@pytest.mark.parametrize(("stated", "graph"), CASES)
def test_a_relation_fires_and_keeps_the_value(stated: Relation, graph: Any) -> None:
    fires_and_keeps_the_value(stated, graph, positive=True)


@pytest.mark.parametrize(
    "side", [lambda x, y: x + y - y, lambda x, y: x * y / y, lambda x, y: T.exp(x) + y - y]
)
def test_a_side_that_cancels_is_refused(side: Any) -> None:
    def cancelling(x: Any, y: Any) -> Iterator[Eq]:
        yield eq(side(x, y), T.cos(x))

    with pytest.raises(
        RelationError, match=r"test_strangers.*by the axioms.*Leave the equation out"
    ):
        relation(cancelling)


def test_the_place_of_the_largest_is_not_its_value() -> None:
    graph = at.max(at.exp(A), axis=1)
    assert same(rewritten(graph, place_of_largest), graph)


@relation
def quotient(x: Float) -> Iterator[Eq]:
    yield eq(T.sinh(x) / T.cosh(x), T.tanh(x))


@relation
def delegating(whole: Any, answer: Any) -> Any:
    return quotient(whole, answer)


@pytest.mark.parametrize("graph", [at.sinh(X) / at.cosh(X), at.sinh(A + B) * (1 / at.cosh(A + B))])
def test_a_goal_may_delegate_to_a_relation(graph: Any) -> None:
    fires_and_keeps_the_value(delegating, graph)


def test_a_relation_needs_no_module() -> None:
    scope: dict[str, Any] = {"eq": eq, "T": T, "__name__": None}
    exec("def made(x):\n    yield eq(T.floor(T.ceil(x)), T.ceil(x))", scope)
    made: Any = relation(scope["made"])
    fires_and_keeps_the_value(made, at.floor(at.ceil(X)))
