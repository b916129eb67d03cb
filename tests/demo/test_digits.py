"""The classifier of the demo: nan with stock Aesara, learning with kanrewrite."""

import io
import sys

import aesara
import pytest
from rich.console import Console

from kanrewrite.demo import digits
from kanrewrite.errors import MissingExtra
from kanrewrite.registry import disable


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install kanrewrite\[demo\]"):
        digits.load()


def test_the_digits_are_spread_out() -> None:
    pytest.importorskip("sklearn", reason="the digits come with scikit-learn")
    images = digits.load()
    assert images.pixels.shape == (1797, 64)
    assert set(images.labels) == set(range(10))
    assert abs(images.pixels.mean(axis=0)).max() < 1e-9
    assert images.pixels.max() > digits.RANGE / 2


@pytest.mark.slow
def test_it_learns_with_kanrewrite_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="the digits come with scikit-learn")
    monkeypatch.setattr(digits, "EPOCHS", 4)
    text = io.StringIO()
    try:
        with aesara.config.change_flags(linker="py"):
            assert digits.show(Console(file=text, width=80), digits.load())
    finally:
        disable()
    [last] = [
        line for line in text.getvalue().splitlines() if line.startswith(f"│{digits.EPOCHS} ")
    ]
    epoch, stock, _, ours, _, largest = (cell.strip() for cell in last.strip("│").split("│"))
    assert (int(epoch), stock) == (digits.EPOCHS, "nan")
    assert float(ours) < 10
    assert float(largest) > 1000
