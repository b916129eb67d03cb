"""Loops without a softmax: nothing is done to them, so that little is paid for them."""

from __future__ import annotations

import pytest
from aesara.printing import debugprint

from tests.benchmarks import loop_cost
from tests.benchmarks.loop_cost import LOOPS, compiled, table
from tests.sparing import sparing


def text(name: str, gradient: bool, library: bool) -> str:
    """A compiled function in words."""
    function, _ = compiled(name, gradient, library)
    return str(debugprint(function, file="str"))


@pytest.mark.parametrize("name", sparing(LOOPS, 8))
def test_what_is_compiled_is_the_same(name: str) -> None:
    assert text(name, False, True) == text(name, False, False)


@pytest.mark.slow
def test_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_cost, "LOOPS", dict(list(LOOPS.items())[:2]))
    assert len(list(table(1))) == 2 + 2 * 2
