"""What an audit tries within ranges, what it takes for rounding, and how long it lasts."""

from __future__ import annotations

from itertools import count
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest

import kanrewrite
from kanrewrite.audit import audit, searching
from kanrewrite.audit.draws import drawn
from kanrewrite.audit.inputs import Array, inputs_of
from kanrewrite.audit.judging import Judge, nudged

x: Any = at.TensorType("float64", (16, 4))("x")
y: Any = at.TensorType("float64", (12, 4))("y")
squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :]
kernel = at.exp(-0.5 * (squares - 2 * at.dot(x, y.T)))
RANGES: list[tuple[float, float]] = [
    (-1e4, 1e4), (0, 1e4), (-1e4, 0), (1e9, 2e9), (0.25, 0.5), (-1e6, 1e6), (-1e4, 1e9), (7, 7),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Any:
    with kanrewrite.disabled():
        yield


@pytest.mark.parametrize("limits", RANGES)
def test_close_numbers_of_all_digits_are_tried_in_any_range(limits: tuple[float, float]) -> None:
    (given,) = inputs_of([x.sum()], {x: limits}, None)
    values: Array = drawn(given, "close, all digits", np.random.default_rng(0))
    assert limits[0] <= values.min() <= values.max() <= limits[1]
    if limits[0] < limits[1]:
        assert 0 < np.ptp(values) < 1e-3 * abs(values).max()
        assert len(np.unique(values)) > 32
        assert (values % 2.0**-8 != 0).any()


def test_a_kernel_by_dot_products_is_unsafe_in_a_range() -> None:
    found = audit(kernel, {x: (-1e4, 1e4), y: (-1e4, 1e4)}, samples=12, explain=False)
    assert [risk.kind for risk in found.risks if risk.silent] == ["cancellation"]
    kanrewrite.enable()
    kanrewrite.enable("distances_of_rows")
    found = audit(kernel, {x: (-1e4, 1e4), y: (-1e4, 1e4)}, samples=12, seconds=60, explain=False)
    assert found.ok, str(found)


@pytest.mark.parametrize(("length", "is_excused"), [(4, False), (784, True)])
def test_long_sums_may_round_more(length: int, is_excused: bool) -> None:
    v: Any = at.TensorType("float64", (length,))("v")
    judge = Judge([v.sum()])
    given = {v: np.where(np.arange(length) % 2, 1e18, -1e18) + 1024.0 * np.arange(length)}
    truth = judge.exact(given)
    by_rounding = max(
        abs(float(judge.exact({v: nudged(given[v], salt)})[0].item() - truth[0].item()))
        for salt in range(4)
    )
    found = np.asarray(float(truth[0].item()) + 20 * by_rounding)
    assert bool(judge.faults([found], truth, given)) is not is_excused


def test_an_audit_lasts_as_long_as_the_clock_on_the_wall_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = count()
    monkeypatch.setattr(searching, "wall", lambda: float(next(seconds)))
    found = audit(at.log(at.exp(x).sum(axis=1)), seconds=8, explain=False)
    assert "out of time" in found.stopped
    assert found.tried < 64


def test_time_is_left_to_say_what_helps() -> None:
    known = inputs_of([kernel], {x: (-1e4, 1e4), y: (-1e4, 1e4)}, None)
    search = searching.Search(known, [kernel], [kernel], seconds=100.0, most=8, kept=40.0)
    end = search.end
    search.search(12, seed=0)
    assert search.found
    assert search.end == pytest.approx(end - 40)
