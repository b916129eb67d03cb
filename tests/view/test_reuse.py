"""What a graph computes once is computed once after rewriting, though it was rewritten."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np

from tests.view.common import PLAIN, at, function, grad, stock


def _gated(layers: int) -> tuple[list[Any], list[Any]]:
    """Residual blocks ``h + silu(h @ w) * (h @ v)``, and the slopes of their sum."""
    h = at.dmatrix("h")
    weights = [(at.dmatrix(f"w{i}"), at.dmatrix(f"v{i}")) for i in range(layers)]
    out = h
    for w, v in weights:
        z = out.dot(w)
        out = out + z / (1 + at.exp(-z)) * out.dot(v)
    inputs = [h, *(x for pair in weights for x in pair)]
    return inputs, grad(out.sum(), inputs)


def test_the_slope_of_a_layer_is_built_once() -> None:
    sizes = []
    for layers in (2, 4, 6):
        inputs, slopes = _gated(layers)
        mode = PLAIN.excluding("BlasOpt")
        compiled = aesara.function(inputs, slopes, mode=mode)
        sizes.append(len(compiled.maker.fgraph.apply_nodes))
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


def test_what_is_reused_has_the_values_of_the_rewritten_graph() -> None:
    inputs, slopes = _gated(3)
    rng = np.random.default_rng(3)
    given = [rng.normal(size=(3, 3)) for _ in inputs]
    for found, expected in zip(
        function(inputs, slopes)(*given), stock(inputs, slopes)(*given), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
