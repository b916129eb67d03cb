"""Losses as people write them: unsafe as Aesara compiles them, safe with the library."""

from collections.abc import Callable, Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite import audit

x: Any = at.dmatrix("x")
y: Any = at.dmatrix("y")
s: Any = at.dscalar("s")
WIDE = (-1e5, 1e5)


def softmax(v: Any) -> Any:
    return at.exp(v) * at.exp(v).sum(axis=1, keepdims=True) ** -1


CASES: dict[str, tuple[Any, dict[Any, tuple[float, float]]]] = {
    "softmax": (softmax(x), {x: WIDE}),
    "cross-entropy": (-(y * at.log(softmax(x))).sum(), {x: WIDE, y: (0, 1)}),
    "its gradient": (aesara.grad(at.log(softmax(x))[:, 0].sum(), x), {x: WIDE}),
    "attention": (at.dot(softmax(x), y), {x: WIDE, y: (-3, 3)}),
    "their share": (at.exp(3 * s) / (at.exp(s) + at.exp(3 * s)), {s: WIDE}),
}


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        yield


@pytest.mark.spared
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "its gradient")) for n in CASES]
)
def test_unsafe_without_and_safe_with_the_library(name: str) -> None:
    graph, ranges = CASES[name]
    found = audit(graph, ranges, samples=26, explain=False, most=1)
    assert not found.ok
    kanrewrite.enable()
    found = audit(graph, ranges, samples=26, explain=False)
    assert found.ok, str(found)


def test_the_witness_is_wrong_where_it_is_said_to_be() -> None:
    graph, ranges = CASES["cross-entropy"]
    (risk, *_) = audit(graph, ranges, samples=26, explain=False).risks
    run: Callable[..., Any] = aesara.function(list(risk.witness), graph, mode="FAST_COMPILE")
    with np.errstate(all="ignore"):
        assert float(run(*risk.witness.values())) == pytest.approx(risk.found, nan_ok=True)
    kanrewrite.enable()
    run = aesara.function(list(risk.witness), graph, mode="FAST_RUN")
    assert float(run(*risk.witness.values())) == pytest.approx(risk.truth)
