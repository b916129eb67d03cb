"""Random problems, solved by Maude as well: a few each time, thousands in the slow run.

A run is the same every time; ``MAUDE_SEED`` sets another second seed, and
``python -m tests.ac.differential`` explores.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest

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
