"""The runner of other projects' tests: what differs with the library is shown."""

from pathlib import Path

import pytest

from tests import judges

TESTS = """
import numpy as np
import aesara
import aesara.tensor as at
from others_tests.helper import MODE


def test_the_same():
    x = at.dvector("x")
    assert aesara.function([x], x + 1, mode=MODE)([1.0]) == 2.0


def test_overflows():
    x = at.dvector("x")
    e = at.exp(x)
    with np.errstate(all="ignore"):
        assert np.isnan(aesara.function([x], e * e.sum() ** -1, mode=MODE)([800.0]))
"""


def test_differences_name_both_outcomes() -> None:
    stock = {"a": "passed", "b": "failure", "c": "passed"}
    library = {"a": "passed", "b": "failure", "c": "failure", "d": "skipped"}
    assert list(judges.differences(stock, library)) == [
        "c: passed without the library, failure with it",
        "d: missing without the library, skipped with it",
    ]


@pytest.mark.slow
def test_a_test_that_the_library_changes_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--an-option-of-the-tests-here")
    folder = tmp_path / "others_tests" / "inner"
    folder.mkdir(parents=True)
    (tmp_path / "others_tests" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    (tmp_path / "others_tests" / "helper.py").write_text(
        'from aesara.compile.mode import Mode\nMODE = Mode("py", "fast_run")\n'
    )
    (folder / "test_others.py").write_text(TESTS)
    assert judges.main([str(folder)]) == 1
    shown = capsys.readouterr().out
    assert "2 tests, 1 passed, 1 differ" in shown
    assert "test_overflows: passed without the library, failure with it" in shown


def test_a_folder_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        judges.main(["no/such/folder"])
    assert "there is no no/such/folder" in capsys.readouterr().err
