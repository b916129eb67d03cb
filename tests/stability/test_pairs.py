"""Random pairs of terms of what a share is and of what it is not."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.stability.pairs import Pair, answer, pairs


@pytest.mark.slow
@pytest.mark.parametrize("number", range(30))
def test_a_pair_is_right(number: int) -> None:
    pair = next(islice(pairs(7), number, None))
    found = answer(pair, f"7/{number}")
    assert not any("wrong" in kind for kind in found.wrong.values()), f"{pair}: {found.wrong}"


def test_what_is_false_is_told() -> None:
    """Which says that something is judged at all: the share is another one than is compiled."""
    pair = Pair("at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)", ("1 - p", ""), "at.log({s})")
    assert answer(pair, "0").wrong == {}
    assert answer(pair, "0", enabled=False).wrong
