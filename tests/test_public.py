"""The public names, and what importing the package does not do."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import kanrewrite

ROOT = Path(__file__).parents[1]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("name", sorted(kanrewrite._PUBLIC))
def test_every_public_name_is_found_where_it_is_defined(name: str) -> None:
    module = import_module(f"kanrewrite.{kanrewrite._PUBLIC[name]}")
    assert getattr(kanrewrite, name) is getattr(module, name)
    assert not isinstance(getattr(kanrewrite, name), ModuleType)


@pytest.mark.parametrize("name", sorted(kanrewrite._SUBMODULES))
def test_submodules_are_public(name: str) -> None:
    assert getattr(kanrewrite, name) is import_module(f"kanrewrite.{name}")


def test_dir_and_all_hold_the_public_names() -> None:
    assert kanrewrite._PUBLIC.keys() <= set(kanrewrite.__all__) <= set(dir(kanrewrite))


@pytest.mark.parametrize("name", kanrewrite.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert re.search(rf"(:: |`|\.){name}\b", page)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="'kanrewrite' has no attribute 'enabel'"):
        kanrewrite.enabel  # noqa: B018


def test_a_module_does_not_hide_the_public_name_it_shares() -> None:
    shared = [name for name, module in kanrewrite._PUBLIC.items() if name == module]
    code = f"""
import importlib, json, kanrewrite
for name in {shared}:
    importlib.import_module("kanrewrite." + name)
print(json.dumps([type(getattr(kanrewrite, name)).__name__ for name in {shared}]))
"""
    done = run_python(code)
    assert shared
    assert "module" not in json.loads(done.stdout), done.stderr


def test_importing_the_package_imports_and_registers_nothing() -> None:
    code = """
import sys, kanrewrite
print(sorted(m for m in sys.modules if m.partition(".")[0] in {"aesara", "kanren", "numpy"}))
import aesara
print("kanrewrite" in aesara.compile.mode.optdb._names)
"""
    done = run_python(code)
    assert done.stdout.splitlines() == ["[]", "False"], done.stderr


def test_relations_are_refused_under_their_bare_name() -> None:
    done = run_python("import relations")
    assert done.returncode == 1
    assert "ImportError: this folder is the package kanrewrite.relations" in done.stderr
