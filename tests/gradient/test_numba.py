"""Gradients under Numba are expanded like everywhere."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.mode import get_mode

import kanrewrite
from kanrewrite.gradient.ops import Derivative
from tests.gradient.common import at, compiled, softmax, values

pytest.importorskip("numba")


# Aesara's linker warns about what it runs as Python objects, Numba about what it was built for.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", [False, True])
def test_gradients(library: bool) -> None:
    x, v = at.matrices("x", "v")
    cost = (softmax(x) ** 2).sum()
    outputs: list[Any] = [kanrewrite.grad(cost, x), kanrewrite.hvp(cost, x, v)]
    outputs.append(kanrewrite.jvp(softmax(x), x, v))
    vals = values((2, 3), (2, 3))
    expected = compiled([x, v], outputs)(*vals)
    try:
        if library:
            kanrewrite.enable()
        function = aesara.function([x, v], outputs, mode=get_mode("NUMBA"))
    finally:
        kanrewrite.disable()
    assert not any(isinstance(n.op, Derivative) for n in function.maker.fgraph.apply_nodes)
    for a, b in zip(function(*vals), expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-8, 1e-10)
