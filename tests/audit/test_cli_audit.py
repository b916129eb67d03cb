"""``kanrewrite audit``, ``stabilize --strict`` and the report's part."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kanrewrite
from kanrewrite import cli
from kanrewrite.audit import SECONDS
from kanrewrite.cli import commands
from tests.sparing import sparing

SCRIPT = """
import aesara.tensor as at

x = at.dvector("x")
e = at.exp(x)
safe = e * e.sum() ** -1
cancels = at.sqrt(x + 1) - at.sqrt(x)
"""


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        yield


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text(SCRIPT)
    return path


def call(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, list(arguments))
    return done.exit_code, done.stdout


def test_a_safe_graph_exits_with_0(model: Path) -> None:
    code, text = call("audit", f"{model}:safe", "--range", "x=-1000:1000")
    assert code == 0
    assert "no risk was found" in text


def test_without_relations_it_is_unsafe(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    code, text = call(
        "audit", f"{model}:safe", "-r", "x=-1000:1000", "--no-relations", "--output", str(page)
    )
    assert code == 1
    assert "overflow at exp(x)" in text
    assert "a risk begins here" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["audit", "improve"])
def test_a_picture_where_there_is_no_folder_is_refused_before_the_work(
    model: Path, tmp_path: Path, command: str
) -> None:
    for page, says in ((tmp_path / "none" / "a.html", "no folder"), (tmp_path / "a.pdf", ".html")):
        done = CliRunner().invoke(cli.app, [command, f"{model}:safe", "-o", str(page)])
        assert done.exit_code == 2
        assert says in done.stderr
        assert "auditing" not in done.stderr


@pytest.mark.parametrize("strict", sparing([["--strict"], []]))
def test_stabilizing_in_a_range_is_audited(model: Path, strict: list[str]) -> None:
    code, text = call("stabilize", f"{model}:cancels", "--range", "x=0:1e18", "--json", *strict)
    assert json.loads(text)["audit"]["ok"] is False
    assert code == len(strict)


def test_json_holds_witnesses_and_verdicts(model: Path) -> None:
    code, text = call(
        "audit", f"{model}:cancels", "-r", "x=0:1e18", "--json", "--gradient", "--samples=24"
    )
    found = json.loads(text)
    assert code == 1
    assert found["ok"] is False
    assert found["ranges"] == {"x": [0, 1e18]}
    risk = found["risks"][0]
    assert risk["kind"] == "cancellation"
    assert len(risk["witness"]["x"]) == 3
    assert risk["silent"] is True
    assert {risk["source"] for risk in found["risks"]} == {f"{model}:7"}  # derivatives, too
    assert {part["verdict"] for part in found["parts"]} >= {"proved", "risk"}


@pytest.mark.spared(2)
@pytest.mark.parametrize(("name", "expected"), [("safe", 0), ("cancels", 1)])
def test_strict_decides_by_the_audit(model: Path, name: str, expected: int) -> None:
    options = ["-r", "x=0:1e18", "--scale", "1", "--json"]
    code, text = call("stabilize", f"{model}:{name}", "--strict", *options)
    assert code == expected
    assert json.loads(text)["audit"]["ok"] is (expected == 0)
    assert call("stabilize", f"{model}:{name}", *options)[0] == 0


def test_the_report_says_whether_it_is_safe(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, text = call("report", f"{model}:cancels", "-r", "x=0:1e18", "-o", str(page), "--json")
    assert code == 0
    assert json.loads(text)["audit"]["ok"] is False
    html = page.read_text(encoding="utf-8")
    assert "<h2>Is it safe</h2>" in html
    assert "<b>cancellation</b>" in html


def test_it_lasts_as_long_as_a_call_from_python() -> None:
    assert inspect.signature(commands.audit).parameters["seconds"].default == SECONDS
