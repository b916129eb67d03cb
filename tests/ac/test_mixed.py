"""Random mixed theories, with solutions that are known: a few each time, thousands when slow."""

import pytest

from tests.ac.mixed import compare_mixed


def test_a_few_mixed_theories() -> None:
    assert compare_mixed(1, 12) >= 11


@pytest.mark.slow
def test_thousands_of_mixed_theories() -> None:
    assert compare_mixed(1_000, 2_000) > 1_900
