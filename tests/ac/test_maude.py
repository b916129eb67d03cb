"""Random problems, solved by Maude as well: a few each time, thousands in the slow run.

A run is the same every time; ``MAUDE_SEED`` sets another second seed, and
``python -m tests.ac.differential`` explores.
"""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ac import differential
from tests.ac.differential import compare_groups, compare_matches, compare_unifiers
from tests.ac.differential import module as maude_module

pytest.importorskip("maude")

SEED = int(os.environ.get("MAUDE_SEED", "2"))


@pytest.fixture(scope="module")
def module() -> Any:
    return maude_module()


def _seeds() -> Iterator[int]:
    print(f"MAUDE_SEED={SEED}")  # a failure must be repeatable
    yield from (1, SEED)


def test_a_few_matches_agree(module: Any) -> None:
    for seed in _seeds():
        assert compare_matches(module, seed, 300) > 30


def test_a_few_unifications_agree(module: Any) -> None:
    for seed in _seeds():
        assert compare_unifiers(module, seed, 60) > 3


@pytest.mark.slow
def test_thousands_of_matches_agree(module: Any) -> None:
    for seed in _seeds():
        assert compare_matches(module, seed, 3_000) > 300


@pytest.mark.slow
def test_a_thousand_unifications_agree(module: Any) -> None:
    for seed in _seeds():
        assert compare_unifiers(module, seed, 1_000) > 90


def test_a_few_groups_agree() -> None:
    for seed in _seeds():
        assert compare_groups(seed, 200) > 20


@pytest.mark.slow
def test_thousands_of_groups_agree() -> None:
    for seed in _seeds():
        assert compare_groups(seed, 3_000) > 300


def test_what_maude_does_not_end_is_told_from_what_does_not_end_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def endless(seed: int, count: int) -> int:
        if seed:
            with differential.maudes_turn():
                time.sleep(60)
        time.sleep(60)
        return count

    monkeypatch.setitem(differential.KINDS, "endless", endless)
    monkeypatch.setitem(differential.KINDS, "some", lambda _, count: count // 2)
    monkeypatch.setattr(differential, "LIMIT", 0.3)
    assert differential.apart("endless", 1, 4) is None
    with pytest.raises(SystemExit, match="endless, seed 0: no end"):
        differential.apart("endless", 0, 4)
    monkeypatch.setattr(differential, "LIMIT", 20)
    assert differential.apart("some", 0, 4) == 2
