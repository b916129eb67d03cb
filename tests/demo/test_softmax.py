"""The spellings of the demo are softmaxes, stock Aesara gets them wrong and kanrewrite right."""

import io
from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
import scipy.special
from rich.console import Console

from kanrewrite.demo import softmax
from kanrewrite.reference import evaluate, round_to
from kanrewrite.registry import disable

MODE = aesara.compile.mode.Mode(linker="py", optimizer="fast_run")


@pytest.mark.parametrize("spelling", softmax.SPELLINGS)
def test_spellings_are_softmaxes(spelling: Callable[[Any], Any]) -> None:
    x = at.dvector("x")
    value = np.array([0.5, -1.0, 2.0])
    [theirs] = evaluate([spelling(x)], {x: value})
    np.testing.assert_allclose(
        round_to(theirs, "float64"), scipy.special.softmax(value), rtol=1e-14
    )


@pytest.mark.parametrize("spelling", softmax.SPELLINGS)
def test_stock_aesara_fails(spelling: Callable[[Any], Any]) -> None:
    x = at.dvector("x")
    y = spelling(x)
    mode = MODE.excluding("kanrewrite")
    stock = aesara.function([x], aesara.grad((softmax.WEIGHTS * y).sum(), x), mode=mode)
    with np.errstate(all="ignore"):
        assert all(np.isnan(stock(logits)).any() for logits in softmax.LOGITS)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ([0.0, 1.0], True),
        ([1e-320, 1.0], True),
        ([0.0, 1.0 + 1e-9], False),
        ([0.0, np.nan], False),
        ([np.inf, 1.0], False),
    ],
)
def test_what_counts_as_right(value: list[float], verdict: bool) -> None:
    assert softmax.right(np.array(value), np.array([0.0, 1.0])) is verdict


@pytest.mark.slow
def test_everything_kanrewrite_shows_is_right() -> None:
    text = io.StringIO()
    try:
        with aesara.config.change_flags(linker="py"):
            assert softmax.show(Console(file=text, width=80))
    finally:
        disable()
    assert "kanrewrite 24 of 24" in text.getvalue()
