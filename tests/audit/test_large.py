"""Audits of large arrays: they hold few numbers, and what is alike is computed once."""

from __future__ import annotations

import warnings
from typing import Any, cast

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.scalar import basic as scalar

import kanrewrite
from kanrewrite import config
from kanrewrite.audit import audit
from kanrewrite.audit.blocks import in_blocks
from kanrewrite.audit.performing import Once
from kanrewrite.errors import UnsafeWarning
from kanrewrite.reference import evaluate
from kanrewrite.reference.registry import SCALAR
from tests.sparing import sparing

x: Any = at.TensorType("float64", (64, 784))("x")
a: Any = at.TensorType("float64", (64, 32))("a")
b: Any = at.TensorType("float64", (64, 32))("b")
logits: Any = at.TensorType("float64", (64, 1000))("logits")
MODE = Mode("py", "fast_run")


def variance(axis: int | None) -> Any:
    return (x**2).mean(axis=axis) - x.mean(axis=axis) ** 2


def distances() -> Any:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)
    return squares - 2 * at.dot(a, b.T)


def cross_entropy() -> Any:
    e = at.exp(logits)
    return -at.log(e / e.sum(axis=1, keepdims=True))[:, 7].mean()


@pytest.mark.parametrize("axis", sparing([0, None, 1]))
def test_a_variance_by_squares_is_unsafe(axis: int | None) -> None:
    found = audit(variance(axis), samples=28, explain=False)
    assert [risk.kind for risk in found.risks if risk.silent] == ["cancellation"]
    assert found.risks[0].witness[x].shape == (64, 784)


@pytest.mark.slow
def test_distances_by_a_dot_product_are_unsafe() -> None:
    found = audit(distances(), explain=False)
    assert [risk.kind for risk in found.risks] == ["cancellation"]


@pytest.mark.slow
def test_a_cross_entropy_that_is_cured_is_ok() -> None:
    with kanrewrite.disabled():
        kanrewrite.enable()
        found = audit(cross_entropy(), samples=24, seconds=60, explain=False)
    assert found.ok, str(found)
    assert found.judged == found.tried == 24


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "is_unsafe"),
    [
        (variance(None), True),
        (variance(0), True),
        (distances(), True),
        (cross_entropy(), False),
        (x.var(axis=0), False),
        (at.sqrt((x**2).sum(axis=1)), False),
    ],
    ids=lambda value: "" if isinstance(value, bool) else str(value)[:24],
)
def test_a_compilation_warns_of_what_is_unsafe(graph: Any, is_unsafe: bool) -> None:
    inputs = list(dict.fromkeys(aesara.graph.basic.graph_inputs([graph])))
    wanted = [v for v in inputs if not isinstance(v, aesara.graph.basic.Constant)]
    with kanrewrite.disabled(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kanrewrite.enable()
        config.warn_unsafe = True
        try:
            aesara.function(wanted, graph, mode=MODE)
        finally:
            config.warn_unsafe = False
    assert any(issubclass(w.category, UnsafeWarning) for w in told) is is_unsafe


def test_a_block_has_elements_of_its_own_and_those_that_are_repeated() -> None:
    found = in_blocks(lambda shape: np.arange(np.prod(shape)).reshape(shape), (64, 784))
    values, count = np.unique(found, return_counts=True)
    assert found.shape == (64, 784)
    assert len(values) <= 64
    assert count.min() == 1 < count.max()
    assert in_blocks(np.ones, (16, 16)).shape == (16, 16)
    assert in_blocks(np.ones, ()).shape == ()
    assert in_blocks(np.ones, (0, 1000)).shape == (0, 1000)


def test_what_is_alike_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    square = SCALAR[scalar.Sqr]

    def counting(*arguments: Any) -> Any:
        asked.append(arguments)
        return square(*arguments)

    monkeypatch.setitem(cast(Any, SCALAR), scalar.Sqr, counting)
    values = np.resize([1.5, -2.0, 0.0, -0.0], (64, 784))
    total: Any = at.square(x).sum()
    assert evaluate([total], {x: values})[0].item() == (values**2).sum()
    assert len(asked) <= 2 * 3


def test_operands_are_alike_to_the_last_bit() -> None:
    values = np.resize([0.0, -0.0, np.nan, 1.0, np.nextafter(1, 2)], 1000)
    asked: list[float] = []

    def counting(v: float) -> float:
        asked.append(v)
        return float(np.copysign(1.0, v) * v)

    once = Once(np.frompyfunc(counting, 1, 1))
    np.testing.assert_array_equal(once(values).astype(float), np.copysign(1.0, values) * values)
    assert len(asked) == 5
    pair = Once(np.frompyfunc(lambda u, v: (u, v), 2, 2))
    first, second = pair(values[:, None], np.array([[2.0, 3.0]]))
    assert first.shape == second.shape == (1000, 2)
    assert second[7].tolist() == [2.0, 3.0]
