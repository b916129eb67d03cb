"""The examples of docs/gradients.md run."""

import doctest
from pathlib import Path

import pytest


# Aesara's random streams and its older functions warn under current NumPy.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_examples_run() -> None:
    path = Path(__file__).parents[2] / "docs" / "gradients.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(path), module_relative=False, optionflags=flags)
    assert result.attempted > 40
    assert result.failed == 0
