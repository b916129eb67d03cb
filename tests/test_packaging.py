"""What is shipped: the wheel holds the library of relations and declares what it needs."""

import subprocess
import sys
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from the source distribution, as a package index would hold both."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def sources(folder: str) -> set[str]:
    files = (p for p in (ROOT / folder).rglob("*") if p.is_file())
    return {p.relative_to(ROOT / folder).as_posix() for p in files if "__pycache__" not in p.parts}


def test_the_wheel_holds_the_relations(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {f"kanrewrite/relations/{file}" for file in sources("relations")} <= names
    assert {f"kanrewrite/{file}" for file in sources("kanrewrite")} <= names
    assert {"kanrewrite/py.typed", "kanrewrite/relations/__init__.py"} <= names
    assert not any(name.startswith(("relations/", "tests/", "docs/")) for name in names)


def test_what_etuples_needs_is_declared(metadata: Message) -> None:
    requirements = map(Requirement, metadata.get_all("Requires-Dist", []))
    assert "packaging" in {r.name for r in requirements if r.marker is None}


def test_the_wheel_works_from_its_own_files(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import kanrewrite, kanrewrite.relations\n"
        "from etuples import etuple\n"
        "from unification import unify, var\n"
        "x = var()\n"
        "print(kanrewrite.__file__, kanrewrite.relations.__file__)\n"
        "print(unify(etuple(len, x), etuple(len, 1), {}) == {x: 1})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    files, unified = done.stdout.splitlines()
    assert all(file.startswith(str(tmp_path)) for file in files.split())
    assert unified == "True"
