"""Values and gradients of hand-written graphs, at inputs where they overflow as written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sparing import sparing
from tests.stability.cases import CASES
from tests.view.common import at, function, grad, truth

REGIMES = ("benign", "large", "extreme")
#: Of what a result may be wrong, relative to itself and to its natural size.
PRECISION = 1e-10
MATRICES = {
    "benign": [[0.5, -1.25, 2.0], [1.0, 0.25, -0.5]],
    "large": [[800.0, -750.5, 799.0], [-900.0, -901.5, -899.0]],
    "extreme": [[1e5, -1e5, 99999.5], [-65536.0, -65537.0, -65536.5]],
}
VECTORS = {
    "benign": [0.5, -1.25, 2.0, 0.125],
    "large": [800.0, -750.5, 40.0, -0.5],
    "extreme": [1e5, -1e5, 65536.0, -(2.0**-30)],
}
NEGATIVE = {
    "benign": [-0.5, -1.25, -2.0],
    "large": [-800.0, -0.0009765625, -40.0],
    "extreme": [-1e5, -(2.0**-40), -65536.0],
}
LOGITS: dict[str, dict[str, Any]] = {"m": MATRICES, "v": VECTORS, "n": NEGATIVE}
FIXED = {
    "w": [[0.5, 2.0, 1.0], [0.25, 1.5, 3.0]],
    "t": [[0.25, -1.0, 0.5], [2.0, 0.75, -0.125]],
    "b": [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]],
}


def drawn(kinds: str, regime: str) -> list[Any]:
    """A value for each input; the second of a kind is another than the first."""
    values = []
    for place, kind in enumerate(kinds):
        value = np.array(LOGITS[kind][regime] if kind in LOGITS else FIXED[kind])
        values.append(np.ascontiguousarray(value[..., ::-1]) if place and kind in "mv" else value)
    return values


def variables(kinds: str) -> list[Any]:
    return [at.dvector() if kind in "vn" else at.dmatrix() for kind in kinds]


@pytest.mark.spared
@pytest.mark.parametrize("name", sparing(CASES, 5))
def test_value_and_gradient(name: str) -> None:
    kinds, build = CASES[name]
    inputs = variables(kinds)
    y = build(*inputs)
    upstream = y.type()
    wrt = [x for x, kind in zip(inputs, kinds, strict=True) if kind in LOGITS]
    outputs = [y, *grad((y * upstream).sum(), wrt)]
    compiled = function([*inputs, upstream], outputs)
    sizes: list[float] = []
    for regime in REGIMES:
        values = drawn(kinds, regime)
        shape = truth([y], inputs, values)[0].shape
        values.append(np.linspace(-1, 1.5, max(1, int(np.prod(shape)))).reshape(shape))
        expected = truth(outputs, [*inputs, upstream], values)
        sizes = sizes or [float(np.abs(e).max()) or 1.0 for e in expected]
        with np.errstate(all="ignore"):
            found = compiled(*values)
        for f, e, size in zip(found, expected, sizes, strict=True):
            np.testing.assert_allclose(f, e, PRECISION, PRECISION * size, err_msg=regime)
