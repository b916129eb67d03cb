"""Variances, covariances and distances of what is far from 0: their digits, in every spelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite
from kanrewrite import T, eq, registry, relation
from kanrewrite.guards import joint_share, shares
from kanrewrite.reference import evaluate, round_to
from kanrewrite.relation.notation import written_out
from tests.sparing import sparing

MODE = Mode("py", "fast_run").excluding("fusion", "inplace")
ROWS, COLUMNS, OTHERS = 7, 5, 6
SHAPES = {"x": (ROWS, COLUMNS), "y": (ROWS, COLUMNS), "z": (OTHERS, COLUMNS), "u": (9,), "v": (9,)}


def mean(value: Any) -> Any:
    return value.mean(axis=0)


def total(value: Any) -> Any:
    return value.sum(axis=0)


#: Of matrices x and y, z with other rows, vectors u and v, and the number of rows.
SPELLINGS: dict[str, Callable[..., Any]] = {
    "variance": lambda x, y, z, u, v, n: mean(x**2) - mean(x) ** 2,
    "variance, sums": lambda x, y, z, u, v, n: total(x**2) - total(x) ** 2 / n,
    "variance, n times": lambda x, y, z, u, v, n: n * total(x**2) - total(x) ** 2,
    "variance, unbiased": lambda x, y, z, u, v, n: (total(x**2) - n * mean(x) ** 2) / (n - 1),
    "variance, negative": lambda x, y, z, u, v, n: mean(x) ** 2 - mean(x * x),
    "covariance": lambda x, y, z, u, v, n: mean(x * y) - mean(x) * mean(y),
    "covariance, sums": lambda x, y, z, u, v, n: total(x * y) - total(x) * total(y) / n,
    "covariance, n times": lambda x, y, z, u, v, n: n * total(x * y) - total(x) * total(y),
    "covariance, negative": lambda x, y, z, u, v, n: mean(x) * mean(y) - mean(x * y),
    "slope": lambda x, y, z, u, v, n: (
        (mean(x * y) - mean(x) * mean(y)) / (mean(x**2) - mean(x) ** 2)
    ),
    "correlation": lambda x, y, z, u, v, n: (
        (mean(x * y) - mean(x) * mean(y))
        / (at.sqrt(mean(x**2) - mean(x) ** 2) * at.sqrt(mean(y**2) - mean(y) ** 2))
    ),
    "distance": lambda x, y, z, u, v, n: total(x**2) + total(y**2) - 2 * total(x * y),
    "distance, dot": lambda x, y, z, u, v, n: (u**2).sum() + (v**2).sum() - 2 * at.dot(u, v),
    "distance, dots": lambda x, y, z, u, v, n: at.dot(u, u) + at.dot(v, v) - 2 * at.dot(u, v),
    "distances": lambda x, y, z, u, v, n: (
        (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1)[None, :] - 2 * at.dot(x, z.T)
    ),
    "distances, negative halves": lambda x, y, z, u, v, n: at.exp(
        at.dot(x, z.T)
        - 0.5 * (x**2).sum(axis=1, keepdims=True)
        - 0.5 * (z**2).sum(axis=1, keepdims=True).T
    ),
}


def values(names: list[str]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [30000.0 + rng.normal(size=SHAPES[name]) for name in names]


def wrong_by(graph: Any, inputs: list[Any], compiled: Any) -> float:
    given = values([v.name for v in inputs])
    (exact,) = evaluate([graph], dict(zip(inputs, given, strict=True)))
    truth = round_to(exact, "float64")
    return float(np.max(abs(compiled(*given) - truth) / (abs(truth) + abs(truth).max())))


@pytest.mark.spared
@pytest.mark.parametrize("known", [True, False], ids=["known", "open"])
@pytest.mark.parametrize("name", sparing(SPELLINGS))
def test_digits_are_kept_far_from_zero(name: str, known: bool) -> None:
    every: list[Any] = [
        at.TensorType("float64", shape if known else (None,) * len(shape))(v)
        for v, shape in SHAPES.items()
    ]
    graph = SPELLINGS[name](*every, ROWS if known else every[0].shape[0])
    inputs = [v for v in every if v in set(aesara.graph.basic.graph_inputs([graph]))]
    with registry.disabled():
        stock = aesara.function(inputs, graph, mode=MODE)
        kanrewrite.enable()
        kanrewrite.enable("accuracy")
        family = aesara.function(inputs, graph, mode=MODE)
    assert wrong_by(graph, inputs, stock) > 1e-11
    assert wrong_by(graph, inputs, family) < 1e-11  # 1e-15, with means that are rounded


def test_what_is_no_covariance_is_none() -> None:
    each: list[Any] = [at.TensorType("float64", (7,))(name) for name in "uv"]
    u, v = each
    total, others = (u * v).sum(), u.sum() * v.sum()
    graphs = [total / 7 - others, total - others * 7, total - others / 6, 6 * total - others]
    given = [np.arange(7.0), np.arange(7.0) ** 2 - 3]
    with registry.disabled():
        written = aesara.function([u, v], graphs, mode=MODE)(*given)
        kanrewrite.enable("variance_by_deviations", "covariance_by_deviations")
        rewritten = aesara.function([u, v], graphs, mode=MODE)(*given)
    np.testing.assert_allclose(rewritten, written, rtol=1e-13)


def test_a_length_that_multiplies_is_no_share() -> None:
    @relation
    def spread(x: Any, axis: Any) -> Any:
        yield eq(T.size(x, axis) * T.sum(x, axis), T.exp(T.sum(x, axis)))

    @relation
    def means(x: Any, y: Any, axis: Any) -> Any:
        yield eq(T.mean(x, axis) * T.mean(y, axis), T.exp(T.sum(x, axis)))

    def guards(of: Any) -> list[set[str]]:
        return [
            {c.guard.name for c in r.conditions} for rule in of.rules() for r in written_out(rule)
        ]

    assert guards(spread) == [{"counts"}]
    assert guards(means) == [{"counts"}, {"shares"}, {"joint_share"}]


def test_a_joint_share_is_that_of_all() -> None:
    x: Any = at.TensorType("float64", (7, 5))("x")
    y: Any = at.TensorType("float32", (7, 5))("y")
    open_: Any = at.dmatrix("open")
    share = np.float64(1 / 7) * np.float64(1 / 7)
    assert joint_share(share, 0, x, y).holds({})
    assert not joint_share(share, 1, x, y).holds({})
    assert not joint_share(share, 0, x, open_).holds({})
    assert not joint_share(1 / 7, 0, x, y).holds({})
    assert joint_share(np.float64(1 / 7) * np.float64(1 / 5), (0,), x, x.T).holds({})
    assert joint_share(1 / 49, 0, x, x).holds({})
    assert shares(1 / 35, None, x).holds({})
