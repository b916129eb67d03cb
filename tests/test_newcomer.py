"""The first hour of somebody new: a clone, the README, the tutorial, a relation of one's own."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

MODEL = """
import aesara.tensor as at

x = at.dvector("x")
e = at.exp(x)
loss = -at.log(e * e.sum() ** -1)[0]
loss.name = "loss"
"""
OWN = '''
from collections.abc import Iterator
from pathlib import Path

from kanrewrite import Eq, Float, T, eq, register, relation

import aesara.tensor as at

from kanrewrite.pages import page


@relation
def mish_by_hand(x: Float) -> Iterator[Eq]:
    """The hyperbolic tangent of a softplus is written as a quotient of squares."""
    square = T.sqr(1 + T.exp(x))
    yield eq((square - 1) / (square + 1), T.tanh(T.softplus(x)))


@mish_by_hand.example
def _():
    x = at.dvector("x")
    square = at.sqr(1 + at.exp(x))
    return (square - 1) / (square + 1), at.tanh(at.softplus(x))


@mish_by_hand.non_example
def _():
    x, y = at.dvectors("x", "y")
    return (at.sqr(1 + at.exp(x)) - 1) / (at.sqr(1 + at.exp(y)) + 1)


register(mish_by_hand)
if __name__ == "__main__":
    Path("page.md").write_text(page(mish_by_hand), encoding="utf-8")
'''

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a program of an environment into which a clone was installed, in an empty folder."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    folder = tmp_path_factory.mktemp("newcomer")
    work = folder / "work"
    work.mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"AESARA_FLAGS": f"cxx=,base_compiledir={folder}/compiled", "COLUMNS": "80"}
    programs = folder / "venv" / "bin"

    def run(
        program: str | Path, *arguments: str, code: int = 0
    ) -> "subprocess.CompletedProcess[str]":
        command = [str(program if isinstance(program, Path) else programs / program), *arguments]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
        assert done.returncode == code, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done

    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    run(Path(sys.executable), "-m", "venv", str(folder / "venv"))
    # What it needs is that of this environment: which index has it is another question.
    [own] = (folder / "venv").glob("lib/python*/site-packages")
    (own / "needed.pth").write_text(sysconfig.get_path("purelib"))
    run("python", "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", str(clone))
    (work / "README.md").write_bytes((clone / "README.md").read_bytes())
    (work / "tutorial.md").write_bytes((clone / "docs" / "tutorial.md").read_bytes())
    (work / "model.py").write_text(MODEL)
    (work / "own.py").write_text(OWN)
    return run


def test_the_library_is_the_one_that_was_installed(run: Run) -> None:
    place = run("python", "-c", "import kanrewrite; print(kanrewrite.__file__)").stdout
    assert "newcomer" in place
    assert "site-packages" in place


def test_the_readme_answers_what_it_says(run: Run) -> None:
    run("python", "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", "README.md")


COMMANDS = re.findall(
    r"^    kanrewrite (?!verify|fuzz|demo)(.*?)(?:\s+#.*)?$", (ROOT / "README.md").read_text(), re.M
)


@pytest.mark.parametrize("command", [*COMMANDS, "verify softmax_quotient"])
def test_the_commands_of_the_readme_run(run: Run, command: str) -> None:
    done = run("kanrewrite", *command.split())
    assert "Traceback" not in done.stderr
    assert "arning" not in done.stderr
    if not command.startswith("report"):
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_there_are_commands_in_the_readme() -> None:
    assert {"list", "stabilize", "audit", "report", "improve"} <= {c.split()[0] for c in COMMANDS}


def test_the_tutorial_runs_and_its_softmax_survives(run: Run) -> None:
    cells = re.findall(r"```\{code-cell\}\n(.*?)```", (ROOT / "docs/tutorial.md").read_text(), re.S)
    script = "\n".join([*cells, "print(safe(logits), stock_again(logits))"])
    last = run("python", "-c", script).stdout.strip().splitlines()
    assert "nan" in last[0]
    assert any("Softmax" in line for line in last)
    assert "[0., 0., 1.]" in last[-1] or "[[0., 0., 1.]]" in " ".join(last[-2:])


def test_a_relation_of_ones_own_fires_is_verified_and_has_a_page_with_a_plot(run: Run) -> None:
    assert (
        "mish_by_hand: holds"
        in run("kanrewrite", "verify", "--script", "own.py", "mish_by_hand").stdout
    )
    assert "mish_by_hand" in run("kanrewrite", "list", "--script", "own.py").stdout
    run("python", "own.py")
    read = "print(open('page.md', encoding='utf-8').read())"
    page = run("python", "-c", read).stdout
    assert page.startswith("# mish_by_hand\n\nFamily `own`;")
    assert r"\operatorname{softplus}" in page
    assert "by `mish_by_hand`" in page
    assert 'class="plot"' in page
    assert "Because " in page
