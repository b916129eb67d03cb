"""What a thread waited for a processor does not count as its time; what it slept does."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import pytest

from kanrewrite import clock


@pytest.fixture
def statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that says what a new thread has waited: nothing yet."""
    path = tmp_path / "schedstat"
    path.write_text("0 0 0\n")
    monkeypatch.setattr(clock, "_STATISTICS", str(path))
    monkeypatch.setattr(clock, "_own", threading.local())
    return path


def test_waiting_does_not_count(statistics: Path) -> None:
    before = clock.now()
    with statistics.open("r+") as file:
        file.write("0 3600000000000 1\n")
    assert clock.now() - before < -3000


def test_sleeping_counts() -> None:
    before, began = clock.now(), time.perf_counter()
    time.sleep(0.05)
    asleep = clock.now() - before
    assert 0.04 < asleep <= time.perf_counter() - began


def test_all_time_counts_where_nobody_says(statistics: Path) -> None:
    statistics.unlink()
    before, began = clock.now(), time.perf_counter()
    time.sleep(0.01)
    assert 0.01 <= clock.now() - before <= time.perf_counter() - began + 0.01


def test_a_full_collection_of_garbage_does_not_count() -> None:
    held = [[n] for n in range(400_000)]
    start, before = clock.wall(), clock.now()
    gc.collect()
    counted, passed = clock.now() - before, clock.wall() - start
    assert len(held) == 400_000
    assert 0 <= counted < passed / 2
