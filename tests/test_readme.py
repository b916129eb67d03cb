"""The README's code runs. What its examples answer is checked as doctests."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara.tensor as at
import pytest

from kanrewrite import disable, stabilize, unregister

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def readme() -> Iterator[dict[str, Any]]:
    """The names that the README's Python blocks define."""
    names: dict[str, Any] = {"__name__": "readme"}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(block, names)
    yield names
    disable()
    unregister("softplus_by_hand")


def test_the_relation_of_the_readme_rewrites(readme: dict[str, Any]) -> None:
    x = at.dvector("x")
    [y] = stabilize([at.log1p(at.exp(x))])
    assert readme["softplus_by_hand"].name == "softplus_by_hand"
    assert y.owner.op == at.softplus(x).owner.op
