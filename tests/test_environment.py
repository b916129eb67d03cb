"""The checks made when kanrewrite is imported."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanrewrite import _environment
from kanrewrite.errors import NoBlasFlags

ROOT = Path(__file__).parents[1]


@pytest.fixture
def before_aesara(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A process that has not imported Aesara, of a user without settings."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "aesara"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("AESARARC", str(tmp_path / "rc"))
    monkeypatch.delenv("AESARA_FLAGS")
    return monkeypatch


def test_flags_are_set_where_there_are_none(before_aesara: pytest.MonkeyPatch) -> None:
    _environment.spare_numpy_distutils()
    assert os.environ["AESARA_FLAGS"] == "blas__ldflags="
    assert not logging.getLogger("aesara.tensor.blas").isEnabledFor(logging.WARNING)


def test_flags_are_added_to_others(before_aesara: pytest.MonkeyPatch) -> None:
    before_aesara.setenv("AESARA_FLAGS", "floatX=float32")
    _environment.spare_numpy_distutils()
    assert os.environ["AESARA_FLAGS"] == "floatX=float32,blas__ldflags="


def test_the_flags_of_the_user_stay(before_aesara: pytest.MonkeyPatch) -> None:
    before_aesara.setenv("AESARA_FLAGS", "blas__ldflags=-lopenblas")
    _environment.spare_numpy_distutils()
    assert os.environ["AESARA_FLAGS"] == "blas__ldflags=-lopenblas"


@pytest.mark.parametrize(
    ("settings", "given"),
    [("[blas]\nldflags = -lopenblas\n", True), ("[global]\nfloatX = float32\n", False)],
)
def test_the_file_of_the_user_is_read(
    settings: str, given: bool, before_aesara: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "rc").write_text(settings)
    _environment.spare_numpy_distutils()
    assert ("AESARA_FLAGS" not in os.environ) is given


def test_an_import_that_has_failed_is_told(before_aesara: pytest.MonkeyPatch) -> None:
    before_aesara.setitem(sys.modules, "aesara.configdefaults", _environment)
    with pytest.raises(NoBlasFlags, match="blas__ldflags="):
        _environment.spare_numpy_distutils()


def test_a_missing_packaging_is_told() -> None:
    code = """
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "packaging" else find_spec(name)
import kanrewrite
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "NoPackaging: kanrewrite needs the package `packaging`" in done.stderr


def test_a_command_does_not_warn_of_blas_whoever_has_chosen_to_do_without() -> None:
    script = "import kanrewrite.cli, aesara.tensor"
    flags = {"AESARA_FLAGS": "blas__ldflags=,cxx="}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=os.environ | flags, capture_output=True
    )
    assert done.returncode == 0
    assert done.stderr == b""
