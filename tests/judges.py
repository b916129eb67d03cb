"""Outside judges: other projects' own tests give the same with the library as without.

``make judges FOLDERS="path/to/aesara/tests/tensor path/to/aeppl/tests"`` runs each folder twice, by
stock Aesara and with everything enabled, and shows the tests whose outcome differs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

#: What a Python is told to do: the tests are another project's, so nothing of ours is collected.
#: Aesara is imported after their conftest.py, which may have flags for it.
_RUN = """
import sys, pytest

class Library:
    def pytest_collection(self):
        if {enabled}:
            import kanrewrite
            kanrewrite.enable()

sys.exit(pytest.main(sys.argv[1:], plugins=[Library()]))
"""
#: The settings of a project that its tests may need.
_SETTINGS = ("conftest.py", "pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini")
Outcomes = dict[str, str]


def package_of(folder: Path) -> Path:
    """The outermost package that a folder of tests belongs to, or the folder itself."""
    top = folder.resolve()
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return top


def outcomes(report: Path) -> Outcomes:
    """For each test of a report of pytest whether it passed, failed or was skipped."""
    found = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # our own file
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        name = f"{case.get('classname', '')}::{case.get('name')}"
        found[name] = kinds[0] if kinds else "passed"
    return found


def run(folder: Path, enabled: bool, arguments: Sequence[str] = ()) -> Outcomes:
    """Run the tests of a folder in a process of their own, away from their project's sources.

    Parameters
    ----------
    folder : Path
        Tests of any project; its package is copied, so that what is installed is what they test.
    enabled : bool
        With the library.
    arguments : sequence of str
        For pytest.

    Raises
    ------
    RuntimeError
        If pytest could not run them at all.
    """
    with tempfile.TemporaryDirectory() as name:
        root, top = Path(name), package_of(folder)
        shutil.copytree(top, root / top.name)
        for settings in _SETTINGS:
            if (top.parent / settings).exists():
                shutil.copy(top.parent / settings, root)
        report = root / "report.xml"
        inside = root / top.name / folder.resolve().relative_to(top)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", f"--junitxml={report}"]
        command = [sys.executable, "-c", _RUN.format(enabled=enabled)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *_paths()])}
        environment.pop("PYTEST_ADDOPTS", None)  # options for other tests than these
        done = subprocess.run(
            [*command, *options, *arguments, str(inside)],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            raise RuntimeError(f"pytest did not run {folder}:\n{done.stdout}\n{done.stderr}")
        return outcomes(report)


def _paths() -> Iterator[str]:
    """Where the library is imported from now."""
    yield str(Path(__file__).parents[1])
    yield from filter(None, [os.environ.get("PYTHONPATH")])


def differences(stock: Mapping[str, str], library: Mapping[str, str]) -> Iterable[str]:
    """The tests whose outcome the library changes, with both."""
    for name in sorted({*stock, *library}):
        before, after = stock.get(name, "missing"), library.get(name, "missing")
        if before != after:
            yield f"{name}: {before} without the library, {after} with it"


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge folders; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.judges", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--pytest", default="", help="further arguments for pytest, in one text")
    options = parser.parse_args(arguments)
    different = 0
    for folder in options.folders:
        if not folder.exists():
            parser.error(f"there is no {folder}: give a folder, or a file, of tests")
        stock, library = (run(folder, on, options.pytest.split()) for on in (False, True))
        found = list(differences(stock, library))
        passed = sum(outcome == "passed" for outcome in library.values())
        print(f"{folder}: {len(library)} tests, {passed} passed, {len(found)} differ")
        for line in found:
            print(f"  {line}")
        different += len(found)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
