"""Elementwise nodes of more operands than a ufunc takes, under the Python linker."""

from __future__ import annotations

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.tensor.elemwise import Elemwise

import kanrewrite
from kanrewrite.registry.wide import MOST

PYTHON = Mode(linker="py", optimizer="fast_run")


@pytest.mark.parametrize("count", [31, 32, 40])
def test_a_long_sum_is_computed(count: int) -> None:
    xs = at.vectors(count)
    kanrewrite.enable()
    try:
        f = aesara.function(xs, at.add(*(at.square(x) for x in xs)), mode=PYTHON)
    finally:
        kanrewrite.disable()
    widest = max(len(n.inputs) for n in f.maker.fgraph.apply_nodes if isinstance(n.op, Elemwise))
    assert (widest >= MOST) == (count >= MOST)
    values = [np.full(3, float(n)) for n in range(count)]
    np.testing.assert_array_equal(f(*values), sum(v**2 for v in values))


def test_empty_arrays_and_broadcasting() -> None:
    xs = [at.matrix() for _ in range(33)] + [at.row()]
    kanrewrite.enable()
    try:
        f = aesara.function(xs, at.add(*xs), mode=PYTHON)
    finally:
        kanrewrite.disable()
    assert f(*[np.zeros((0, 2))] * 33, np.ones((1, 2))).shape == (0, 2)
    np.testing.assert_array_equal(f(*[np.ones((2, 2))] * 33, [[1.0, 2.0]]), [[34.0, 35.0]] * 2)


def test_what_relations_make_alone_is_computed() -> None:
    xs = at.vectors(40)
    kanrewrite.enable("accuracy")
    try:
        f = aesara.function(xs, at.add(*(at.square(x) for x in xs)), mode=PYTHON)
    finally:
        kanrewrite.disable()
    values = [np.full(3, float(n)) for n in range(40)]
    np.testing.assert_array_equal(f(*values), sum(v**2 for v in values))
