"""Attention between normalisations written by hand: what is looked into is counted."""

from typing import Any

import numpy as np
import pytest

from kanrewrite.view import distributing, shutting
from tests.view.common import at, function, grad, stock


def layers(count: int, least: float) -> tuple[list[Any], list[Any]]:
    """A loss and its slope; the inputs.  The least variance is what is added to one."""
    x: Any = at.dmatrix("x")
    h, weights = x, [at.dmatrix(f"w{n}") for n in range(count)]
    for w in weights:
        e = at.exp(at.dot(h, w))
        h = h + at.dot(e / e.sum(1, keepdims=True), w.T)
        h = (h - h.mean(1, keepdims=True)) / at.sqrt(h.var(1, keepdims=True) + least)
    e = at.exp(h)
    loss = -at.log((e / e.sum(1, keepdims=True))[:, 0]).mean()
    return [loss, grad(loss, weights[0])], [x, *weights]


def noted(module: Any, name: str, calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Note what a function is called with."""
    known = getattr(module, name)

    def call(*given: Any) -> Any:
        calls.append(given)
        return known(*given)

    monkeypatch.setattr(module, name, call)


@pytest.mark.slow
@pytest.mark.parametrize("least", [0.0, 1e-5])
def test_no_more_is_multiplied_out_or_told_again_than_tells(
    least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs, inputs = layers(2, least)
    multiplied: list[Any] = []
    told: list[Any] = []
    noted(distributing, "bare", multiplied, monkeypatch)
    noted(shutting, "_kept_of", told, monkeypatch)
    ours, alone = function(inputs, outputs), stock(inputs, outputs)
    assert len(multiplied) < 500  # they were 23,578
    assert bool(told) == (not least)  # beside a number nothing is told any more
    assert not told or len(told) < 3 * len({given[:2] for given in told})
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(3, 4)), *(rng.normal(size=(4, 4)) for _ in inputs[1:])]
    for found, wanted in zip(ours(*values), alone(*values), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
