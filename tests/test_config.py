"""Settings: from the environment, by assignment, for a while."""

import os
import subprocess
import sys
from typing import Any

import aesara.tensor as at
import pytest

import kanrewrite
from kanrewrite.config import from_flags
from kanrewrite.errors import UnknownSetting, UnreadableFlags, UnusableSetting


def test_flags_are_read_by_the_type_of_the_setting() -> None:
    read = from_flags(" explore_seconds=2, explore_limit = 30,")
    assert (read.explore_seconds, read.explore_limit) == (2.0, 30)
    assert type(read.explore_seconds) is float
    assert read.explore_depth == from_flags("").explore_depth


@pytest.mark.parametrize(
    ("flags", "error", "says"),
    [
        ("explore_second=2", UnknownSetting, "did you mean explore_seconds"),
        ("colour=red", UnknownSetting, "there are check_steps, explore_depth, explore_limit"),
        ("explore_limit=many", UnusableSetting, "explore_limit='many' in KANREWRITE_FLAGS"),
        (
            "explore_limit=-4",
            UnusableSetting,
            "explore_limit='-4' in KANREWRITE_FLAGS .* not negative",
        ),
        ("pass_seconds=nan", UnusableSetting, "of type float and not negative"),
        ("explore_limit", UnreadableFlags, "write name=value"),
    ],
)
def test_wrong_flags_are_refused(flags: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        from_flags(flags)


def test_the_environment_is_read() -> None:
    code = "import kanrewrite; print(kanrewrite.config.explore_limit)"
    environment = {**os.environ, "KANREWRITE_FLAGS": "explore_limit=7"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "7\n"


def test_the_command_line_refuses_wrong_flags_in_a_line() -> None:
    environment = {**os.environ, "KANREWRITE_FLAGS": "bogus=1"}
    command = [sys.executable, "-m", "kanrewrite", "list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: kanrewrite has no setting 'bogus'")
    assert "Traceback" not in done.stderr


def fail_within(**settings: Any) -> None:
    with kanrewrite.config.change(**settings):
        assert all(getattr(kanrewrite.config, name) == value for name, value in settings.items())
        raise ZeroDivisionError


def test_a_change_ends_with_its_block_and_after_an_error() -> None:
    before = str(kanrewrite.config)
    with pytest.raises(ZeroDivisionError):
        fail_within(explore_depth=1, explore_seconds=0.5)
    assert str(kanrewrite.config) == before


def test_a_wrong_change_changes_nothing() -> None:
    before = str(kanrewrite.config)
    with pytest.raises(UnusableSetting, match="explore_limit=''"):
        fail_within(explore_depth=1, explore_limit="")
    assert str(kanrewrite.config) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("explore_limit", 2.5),
        ("explore_seconds", "3"),
        ("explore_seconds", -3),
        ("label_width", -1),
    ],
)
def test_a_value_of_another_type_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UnusableSetting, match=name):
        setattr(kanrewrite.config, name, value)


def test_a_search_keeps_to_the_settings() -> None:
    x = at.dvector("x")
    with kanrewrite.config.change(explore_limit=1, explore_depth=3):
        search = kanrewrite.explore(at.log(at.exp(x)))
    assert (search.limit, search.depth) == (1, 3)
    assert kanrewrite.explore(x, limit=9).limit == 9
