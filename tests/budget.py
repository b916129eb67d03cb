"""How long a run may take: it begins with another part of the tests each time, and ends in time.

What takes longer on a slow machine than a landing may is not left out for good: the part that a
commit's number tells comes first.
"""

from __future__ import annotations

from time import monotonic
from typing import TypeVar

import pytest

Item = TypeVar("Item")
_STARTED = pytest.StashKey[float]()


def add_options(parser: pytest.Parser) -> None:
    """The options of both."""
    group = parser.getgroup("budget")
    group.addoption("--within", type=float, metavar="SECONDS", help="begin no test after these")
    group.addoption(
        "--begin-at", type=float, default=0.0, metavar="FRACTION",
        help="begin with the tests at this fraction of all, and come round",
    )  # fmt: skip


def start(config: pytest.Config) -> None:
    """The time begins."""
    config.stash[_STARTED] = monotonic()


def turned(items: list[Item], fraction: float) -> list[Item]:
    """The same in another order, with those in front that are at a fraction of all.

    Examples
    --------
    >>> turned(["a", "b", "c", "d"], 0.5)
    ['c', 'd', 'a', 'b']
    """
    first = int(fraction % 1 * len(items))
    return items[first:] + items[:first]


def check(item: pytest.Item) -> None:
    """Skip a test for which no time is left."""
    seconds = item.config.getoption("--within")
    if seconds is not None and monotonic() - item.config.stash[_STARTED] > seconds:
        pytest.skip(f"not begun within {seconds:g} seconds")
