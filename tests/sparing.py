"""Which of many alike cases the default run takes; the slow one takes all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def sparing(cases: Iterable[Any], every: int = 3) -> list[Any]:
    """Each so many-th case, the first among them; the others are marked slow.

    Examples
    --------
    >>> [bool(getattr(case, "marks", ())) for case in sparing("abcd")]
    [False, True, True, False]
    """
    return [
        case if n % every == 0 else pytest.param(case, marks=pytest.mark.slow)
        for n, case in enumerate(cases)
    ]


def spare(items: Sequence[pytest.Item], every: int = 3) -> None:
    """Of a test marked ``spared``, or ``spared(2)``, mark all but each so many-th case slow.

    Those that are slow already do not count.
    """
    counted: Counter[str] = Counter()
    for item in items:
        spared = item.get_closest_marker("spared")
        if spared is None or item.get_closest_marker("slow") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        if counted[test] % (spared.args[0] if spared.args else every):
            item.add_marker(pytest.mark.slow)
        counted[test] += 1
