"""Ops made from graphs are opened where sizes cross their borders, and only there."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.tensor.special import LogSoftmax

import kanrewrite
from tests.loops.borders import made, rows
from tests.loops.checking import PYTHON, switched


def ops(outputs: Any, x: Any) -> list[Any]:
    with switched(True):
        f = aesara.function([x], outputs, mode=PYTHON)
    return [node.op for node in f.maker.fgraph.toposort()]


def test_a_log_around_an_op_meets_the_softmax_in_it() -> None:
    x = at.matrix("x")
    found = ops(at.log(made(rows)(x)), x)
    assert any(isinstance(op, LogSoftmax) for op in found)
    assert not any(isinstance(op, OpFromGraph) for op in found)


@pytest.mark.parametrize("around", [at.tanh, lambda p: p + 1, lambda p: p @ p.T])
def test_an_op_whose_size_nobody_asks_for_stays(around: Any) -> None:
    x = at.matrix("x")
    assert any(isinstance(op, OpFromGraph) for op in ops(around(made(rows)(x)), x))


def test_an_op_that_the_library_knows_nothing_of_stays() -> None:
    x = at.matrix("x")
    assert any(isinstance(op, OpFromGraph) for op in ops(made(at.tanh)(at.exp(x)), x))


@pytest.mark.parametrize("grad", [aesara.grad, kanrewrite.grad])
def test_an_opened_op_keeps_the_gradient_that_it_was_given(grad: Any) -> None:
    x = at.matrix("x")
    op = made(rows, grad_overrides=lambda inputs, upstreams: [2 * inputs[0]])
    with switched(True):
        f = aesara.function([x], grad(at.log(op(x)).sum(), x), mode=PYTHON)
    np.testing.assert_allclose(f([[1.0, -3.0]]), [[2.0, -6.0]])
