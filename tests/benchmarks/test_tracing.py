"""What tracing costs: nothing worth measuring while it is off."""

from typing import Any

import aesara
import aesara.tensor as at
import pytest

import kanrewrite
from kanrewrite.trace import trace


@pytest.fixture(scope="module")
def gradient() -> Any:
    x, weights, labels = at.dmatrices("x", "weights", "labels")
    e = at.exp(at.dot(x, weights))
    p = e / e.sum(axis=1, keepdims=True)
    return aesara.grad(-(labels * at.log(p)).sum(), weights)


def test_off(benchmark: Any, gradient: Any) -> None:
    kanrewrite.enable()
    benchmark(kanrewrite.stabilize, gradient)
    kanrewrite.disable()


def test_on(benchmark: Any, gradient: Any) -> None:
    def traced() -> None:
        with trace():
            kanrewrite.stabilize(gradient)

    kanrewrite.enable()
    benchmark(traced)
    kanrewrite.disable()


def test_the_question_asked_while_it_is_off(benchmark: Any) -> None:
    def thousand_questions() -> None:
        for _ in range(1000):
            if trace.recorder is not None:
                raise AssertionError

    benchmark(thousand_questions)
