"""Relations whose sides the theory finds in each other, or parts of which the library rewrites."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter, sleep
from typing import Any

import numpy as np
import pytest

from kanrewrite import Axis, Eq, Float, Ndim, T, eq, registry, relation, trace
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
def length(x: Float, y: Float) -> Iterator[Eq]:
    m = T.maximum(T.abs(x), T.abs(y))
    yield eq(T.sqrt(x**2 + y**2), m * T.sqrt((x / m) ** 2 + (y / m) ** 2))


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
    [(length, at.sqrt(X**2 + Y**2)), (shifted, sum(at.sin(k * X) for k in range(2, 60)))],
)
def test_what_takes_its_time_ends_with_a_report(
    stated: Relation, graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "relation_seconds", 1.0)
    rewritten(X, stated)  # reads the library
    start = perf_counter()
    with pytest.warns(RelationWarning, match=stated.name):
        new = rewritten(graph, stated)
    assert perf_counter() - start < 6  # a second, and what the machine does besides; not twelve
    if stated is length:
        assert same(new, graph)  # what had grown until then is undone
