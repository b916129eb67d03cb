"""What the library builds runs in JAX too, its own operators included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aesara.compile.mode import get_mode

from tests.view.common import assert_right, at, function, grad

pytest.importorskip("jax")

# JAX and the linker for it warn about the age of each other.
pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = np.array([[800.0, -750.5, 799.0], [-900.0, -901.5, -899.0], [0.0, 1.0, 2.0]])
PLACES = np.array([0, 2, 0])

GRAPHS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda x: at.exp(x) / at.exp(x).sum(axis=1, keepdims=True),
    "matrix product": lambda x: at.log(at.dot(at.exp(x), at.exp(x.T))),
    "cumulative sum": lambda x: at.log(at.cumsum(at.exp(x), axis=1)),
    "the others": lambda x: at.log(1 - at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)),
    "all others": lambda x: at.log(1 - at.exp(x) / at.exp(x).sum()),
}


@pytest.mark.parametrize("build", GRAPHS.values(), ids=GRAPHS)
def test_values_and_gradients(build: Callable[[Any], Any]) -> None:
    x = at.dmatrix("x")
    outputs = [build(x), grad((build(x) * at.sin(x)).sum(), x)]
    compiled = function([x], outputs, get_mode("JAX"))
    assert_right([x], outputs, [ROWS], atol=1e-12, compiled=compiled)


def test_segments_are_left_as_they_are() -> None:
    """JAX needs all lengths when it compiles: places cannot be numbered."""
    x = at.dvector("x")
    total = at.inc_subtensor(at.zeros(3)[PLACES], at.exp(x))[PLACES]
    (found,) = function([x], [at.log(total)], get_mode("JAX"))(np.array([1.0, 2.0, 3.0]))
    both = np.log(np.exp(1.0) + np.exp(3.0))
    np.testing.assert_allclose(found, [both, 2.0, both])
