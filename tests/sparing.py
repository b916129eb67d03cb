"""Which of many alike cases the default run takes; the slow one takes all."""

from collections.abc import Iterable
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
