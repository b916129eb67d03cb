"""Jacobians whose rows are written out one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.scan.op import Scan

from kanrewrite import hessian, jacobian
from kanrewrite.errors import UnknownRows
from tests.gradient.common import EACH_OPTIMIZER, at, compiled, softmax, values


def known(*shape: int) -> Any:
    return at.TensorType("float64", shape)("known")


@pytest.mark.spared(2)
@pytest.mark.parametrize("optimizer", EACH_OPTIMIZER)
def test_rows_without_a_loop(optimizer: Any) -> None:
    x, m, y = known(3), known(2, 3), at.vector("y")
    cases: list[tuple[list[Any], Callable[[bool], Any], list[tuple[int, ...]]]] = [
        ([x], lambda unroll: jacobian(softmax(x), x, unroll=unroll), [(3,)]),
        ([x], lambda unroll: hessian((softmax(x) ** 2).sum(), x, unroll=unroll), [(3,)]),
        ([m, x], lambda unroll: jacobian(at.square(m) * x, [m, x], unroll=unroll), [(2, 3), (3,)]),
        ([x, y], lambda unroll: jacobian(x * y.sum(), [x, y], unroll=unroll), [(3,), (4,)]),
        ([x], lambda unroll: jacobian(x.sum(), x, unroll=unroll), [(3,)]),
    ]
    for inputs, matrix, shapes in cases:
        function = compiled(inputs, matrix(True), optimizer)
        assert not any(isinstance(n.op, Scan) for n in function.maker.fgraph.apply_nodes)
        expected = compiled(inputs, matrix(False))(*values(*shapes))
        for a, b in zip(function(*values(*shapes)), expected, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, 1e-10, 1e-12)


def test_unknown_lengths_are_refused() -> None:
    x = at.vector("x")
    with pytest.raises(UnknownRows, match="specify_shape"):
        jacobian(x**2, x, unroll=True)
    y = at.specify_shape(x**2, (2,))
    assert compiled([x], jacobian(y, x, unroll=True))([1.0, 3.0])[0].tolist() == [[2, 0], [0, 6]]


def test_no_rows() -> None:
    x = known(0)
    assert compiled([x], jacobian(2 * x, x, unroll=True))(np.zeros(0))[0].shape == (0, 0)
