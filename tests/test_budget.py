"""A run of the tests ends in time."""

from __future__ import annotations

import pytest

from tests import budget


@pytest.mark.parametrize(("seconds", "skipped"), [(None, False), (1e9, False), (-1.0, True)])
def test_nothing_is_begun_when_the_time_is_over(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float | None,
    skipped: bool,
) -> None:
    monkeypatch.setattr(request.config.option, "within", seconds)
    if not skipped:
        budget.check(request.node)
        return
    with pytest.raises(pytest.skip.Exception, match="not begun within -1 seconds"):
        budget.check(request.node)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.999, 1.0])
def test_each_test_comes_once_wherever_the_first_is(fraction: float) -> None:
    assert sorted(budget.turned(list(range(7)), fraction)) == list(range(7))
