"""The command line: what it prints, and how it fails."""

import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from mpmath import mpf
from rich.console import Console
from typer.testing import CliRunner

import kanrewrite
from kanrewrite import cli, demo, registry
from kanrewrite.cli import script, tables, values
from kanrewrite.cli.progress import Progress
from kanrewrite.display import place
from kanrewrite.errors import MissingExtra, ScriptError
from kanrewrite.guards import Axis, Float
from kanrewrite.ranges import LENGTHS, shapes_for
from kanrewrite.registry import database, sources
from kanrewrite.relation import Eq, Relation, eq, relation
from kanrewrite.terms import T
from tests.standin import TermView


@relation(family="softmax")
def log_of_product(x: Float, y: Float) -> Iterator[Eq]:
    yield eq(T.log(T.exp(x) * T.exp(y)), x + y)


@relation(family="softmax")
def softmax_again(x: Float, axis: Axis) -> Iterator[Eq]:
    yield eq(T.exp(x) / T.sum(T.exp(x), axis, keepdims=True), T.softmax(x, axis))


@relation(family="wrong", direction=None)
def square_root(x: Float) -> Iterator[Eq]:
    yield eq(T.sqrt(x * x), x)


SHELF = (log_of_product, softmax_again, square_root)
SCRIPT = """
import aesara.tensor as at

x, y = at.dvectors("x", "y")
z = at.log(at.exp(x) * at.exp(y))
both = [z, z + 1]
named = at.exp(z)
named.name = "named"
n = at.lscalar("n")
counted = x[n] * at.cast(n > 0, "float64")
number = 5


def make():
    return z


def fails():
    raise ZeroDivisionError("in fails")


def empty():
    return []
"""


@pytest.fixture(autouse=True)
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A library of three relations, a plain view, a wide terminal."""
    registry.disable()
    monkeypatch.setattr(database.DATABASE, "relations", {})
    monkeypatch.setattr(registry, "_loaded", [])
    monkeypatch.setattr(sources, "of_library", lambda: iter(SHELF))
    monkeypatch.setattr(sources, "of_other_packages", lambda: iter(()))
    monkeypatch.setattr(database, "make_view", lambda relations: TermView())
    monkeypatch.setenv("COLUMNS", "200")
    database._pass_of.cache_clear()
    yield
    registry.disable()
    database._pass_of.cache_clear()


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "model.py"
    file.write_text(SCRIPT)
    return str(file)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli.app, list(arguments), catch_exceptions=False)


# -- list and the rest ----------------------------------------------------------------------------


def test_list_shows_every_relation() -> None:
    result = run("list")
    assert result.exit_code == 0
    assert "log(exp(x) * exp(y)) → x + y" in result.output
    assert "sqrt(x * x) = x" in result.output
    for each in SHELF:
        (line,) = (li for li in result.output.splitlines() if li.startswith(f"{each.name} "))
        assert each.family in line
        assert f"test_cli.py:{each.source.rsplit(':')[-1]}" in line
        assert line.endswith("  on")


def test_list_as_json() -> None:
    found = {entry["name"]: entry for entry in json.loads(run("list", "--json").stdout)}
    assert found.keys() == {each.name for each in SHELF}
    entry = found["log_of_product"]
    assert entry["equations"] == ["log(exp(x) * exp(y)) == x + y"]
    assert entry["source"] == log_of_product.source
    assert entry["roles"] == ["rewrite"]
    assert entry["enabled"]


def test_what_is_piped_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    lines = run("list").output.splitlines()
    assert any(place(log_of_product.source) in line for line in lines)


def test_a_terminal_is_not_flooded(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "exp(x) + " * 40 + "x"
    many = "\n".join(f"sin({n} * x) == {long}" for n in range(9))
    monkeypatch.setattr(Relation, "text", many)
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("list").output.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= len(SHELF) * (2 + 3 * tables.EQUATIONS)
    assert f"    … 5 more: kanrewrite list {log_of_product.name}" in lines
    alone = run("list", log_of_product.name).output
    assert alone == run("list", "--family", log_of_product.name).output
    assert "more: kanrewrite list" not in alone
    assert alone.count("→") == 9
    monkeypatch.delenv("COLUMNS")
    assert run("list").output.count("→") >= 9


def test_relations_of_a_script_are_known(tmp_path: Path) -> None:
    text = """
from kanrewrite import eq, register, relation, T

@relation(family="mine")
def of_mine(x):
    yield eq(T.sin(T.arcsin(x)), x)

register(of_mine)
"""
    (tmp_path / "mine.py").write_text(text)
    listed = run("list", "--script", str(tmp_path / "mine.py"), "--family", "mine")
    assert "sin(arcsin(x))" in listed.output
    again = run("verify", "of_mine", "--samples", "8")
    assert again.exit_code == 0
    assert "of_mine: holds" in again.output  # after what is told of slow steps
    missing = run("list", "--script", str(tmp_path / "nothing.py"))
    assert missing.exit_code == 2
    assert "nothing.py does not exist" in missing.stderr


def test_verify_as_json() -> None:
    (found,) = json.loads(run("verify", "log_of_product", "--samples", "8", "--json").stdout)
    assert found["ok"]
    assert found["settings"] > 0
    assert found["counterexample"] is None
    wrong = run("verify", "square_root", "--samples", "8", "--json")
    assert wrong.exit_code == 1
    (found,) = json.loads(wrong.stdout)
    assert "becomes" in found["counterexample"]["why"]


def test_help_imports_no_aesara() -> None:
    code = (
        "import sys; sys.argv = ['kanrewrite', '--help']\n"
        "from kanrewrite.cli import app\n"
        "try: app()\n"
        "except SystemExit as end: raise SystemExit(end.code or 'aesara' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_python_m_kanrewrite() -> None:
    command = [sys.executable, "-m", "kanrewrite", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == kanrewrite.__version__
    assert done.stderr == ""


def test_list_of_one_family_and_its_rules() -> None:
    result = run("list", "--family", "softmax", "--rules")
    assert "square_root" not in result.output
    assert "rule: log(exp(x) * exp(y)) -> x + y when x: Float, y: Float" in result.output


def test_an_unknown_family_is_one_message() -> None:
    result = run("list", "--family", "softmex")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "Error: 'softmex' is neither a relation nor a family" in result.stderr
    assert "Did you mean 'softmax' or 'softmax_again'?" in result.stderr


def test_version_and_help() -> None:
    assert run("--version").output.strip() == kanrewrite.__version__
    for command in ((), ("list",), ("stabilize",), ("verify",), ("demo",)):
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert "Usage" in result.output


def test_demo_tells_whether_all_was_right(monkeypatch: pytest.MonkeyPatch) -> None:
    for right, code in ((True, 0), (False, 1)):
        monkeypatch.setattr(demo, "run", lambda console, right=right: right)
        assert run("demo").exit_code == code

    def fails(console: Any) -> bool:
        raise MissingExtra("demo", "scikit-learn")

    monkeypatch.setattr(demo, "run", fails)
    result = run("demo")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")


def test_verify_refuses_what_is_wrong() -> None:
    right = run("verify", "log_of_product", "--samples", "8")
    assert right.exit_code == 0
    assert "log_of_product: holds in" in right.output

    @relation
    def root(x: Float) -> Iterator[Eq]:
        yield eq(T.sqrt(x * x), x)

    registry.register(root)
    wrong = run("verify", "root", "--samples", "8")
    assert wrong.exit_code == 1
    assert "becomes" in wrong.output


# -- stabilize ------------------------------------------------------------------------------------


def test_stabilize_shows_what_happened(model: str) -> None:
    given = ("stabilize", f"{model}:z", "-i", "x=[1, 2, 800]", "-i", "y=[0, 0, 0]")
    result = run(*given)
    assert result.exit_code == 0
    out = result.output
    assert out.index("the inputs given") < out.index("log_of_product")  # the numbers first
    assert "model.py:5" in out  # where the user's code made it
    assert "- log" not in out
    assert "- log" in run(*given, "--graph").output
    assert "x = 1 2 800" in out
    assert "the inputs given" in out
    row = next(line for line in out.splitlines() if "│ z " in line)
    stock, ours, truth = (cell.strip() for cell in row.strip("│ ").split("│")[1:])
    assert ours == truth == "1 2 800"
    assert stock == "1 2 inf"
    assert "wrong" in out


def test_trees_are_not_folded_in_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import aesara.tensor as at\nx = at.dvector('x')\nz = at.log(at.exp(x) * at.exp(x))\n"
    text += "for _ in range(40):\n    z = at.tan(z + x)\n"
    (tmp_path / "deep.py").write_text(text)
    monkeypatch.setenv("COLUMNS", "80")
    result = run("stabilize", f"{tmp_path / 'deep.py'}:z", "--graph")
    lines = [line for line in result.output.splitlines() if " tan" in line]
    assert len(lines) > 40
    assert max(map(len, lines)) <= 80


def test_stabilize_as_json(model: str) -> None:
    result = run("stabilize", f"{model}:z", "-i", "x=[1, 800]", "-i", "y=[0, 0]", "--json")
    found = json.loads(result.stdout)
    (fired,) = found["fired"]
    assert fired["relation"] == "log_of_product"
    assert fired["source"].endswith("model.py:5")
    assert found["after"] in (["x + y"], ["y + x"])
    (compared,) = found["comparisons"]
    assert compared["inputs"] == {"x": [1, 800], "y": [0, 0]}
    (output,) = compared["outputs"]
    assert output["stock"][1] == "inf"
    assert output["kanrewrite"] == output["truth"] == [1, 800]
    assert output["stock_error_ulps"] == "inf"
    assert output["error_ulps"] == 0


def test_stabilize_generates_the_inputs_that_are_not_given(model: str) -> None:
    result = run("stabilize", f"{model}:make", "--scale", "2", "--seed", "3")
    assert result.exit_code == 0
    assert "normal numbers times 2" in result.output
    again = run("stabilize", f"{model}:make", "--scale", "2", "--seed", "3")
    assert result.stdout == again.stdout


def test_stabilize_takes_lists_and_names(model: str) -> None:
    result = run("stabilize", f"{model}:both", "-i", "x=[0]", "-i", "y=[0]")
    assert "both[0]" in result.output
    assert "both[1]" in result.output
    assert "named" in run("stabilize", f"{model}:named", "-i", "x=[0]", "-i", "y=[0]").output


def test_stabilize_with_some_relations_only(model: str) -> None:
    arguments = ("-i", "x=[0]", "-i", "y=[0]", "--only", "softmax_again")
    assert "No relation fired." in run("stabilize", f"{model}:z", *arguments).output


def test_a_value_from_a_file(model: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1.5, 2.5]))
    result = run("stabilize", f"{model}:z", "-i", f"x={tmp_path / 'x.npy'}", "-i", "y=[1, 1]")
    assert "x = 1.5 2.5" in result.output


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("qqq", "defines no 'qqq'. Graphs in it: x, y, z, both, named, n, counted."),
        ("nam", "defines no 'nam'. Did you mean named"),
        ("number", "is int 5, not a graph"),
        ("empty", "is list [], not a graph"),
        ("fails", "model.py:19: ZeroDivisionError: in fails"),
        ("at", "is the module aesara.tensor, not a graph"),
    ],
)
def test_a_name_that_is_no_graph(model: str, name: str, says: str) -> None:
    result = run("stabilize", f"{model}:{name}")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\nraise ValueError('no good')\n", "bad.py:2: ValueError: no good"),
        ("import sys\nsys.exit(3)\n", "bad.py:2: SystemExit: 3"),
        ("x = = 2\n", "bad.py:1: SyntaxError: invalid syntax"),
        ("import not_there_at_all\n", "bad.py:1: ModuleNotFoundError"),
    ],
)
def test_a_script_that_raises(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    result = run("stabilize", f"{tmp_path / 'bad.py'}:x")
    assert result.exit_code == 2
    assert says in result.stderr
    assert "the script raised at" in result.stderr


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("missing.py:x", "missing.py does not exist"),
        ("model.py", "'model.py' does not name a graph. Write FILE.py:NAME"),
        (":x", "':x' does not name a graph"),
    ],
)
def test_a_target_that_is_no_script(target: str, says: str) -> None:
    result = run("stabilize", target)
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("q=1", "the graph has no input 'q'; its inputs are x, y."),
        ("x=[1,", "the value '[1,' of input 'x' cannot be used"),
        ("x=nothing.npy", "the value 'nothing.npy' of input 'x' cannot be used"),
        ("x=5", "the value '5' of input 'x' cannot be used"),
        ("x=[1, 2];y=[1, 2, 3]", "the graph cannot be evaluated at these inputs: "),
    ],
)
def test_a_value_that_does_not_fit(model: str, given: str, says: str) -> None:
    result = run("stabilize", f"{model}:z", *(f"-i{part}" for part in given.split(";")))
    assert result.exit_code == 2
    assert says in result.stderr.replace("\n", " ")


@pytest.mark.parametrize("command", [["audit"], ["improve"], ["report"], ["stabilize"]])
@pytest.mark.parametrize("given", ["q=0:1", "x=3", "x=0,1", "x=a:b", "x=0:1:2"])
def test_what_is_no_range_of_an_input(model: str, command: list[str], given: str) -> None:
    result = run(*command, f"{model}:z", "--range", given)
    assert result.exit_code == 2
    says = f"{given!r} is no range of an input. Write NAME=LOW:HIGH, e.g. --range x=-1e3:1e3. The "
    assert f"{says}inputs are x, y." in result.stderr.replace("\n", " ")


def test_a_script_finds_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_cli.py").write_text("import aesara.tensor as at\nx = at.dscalar()\n")
    (tmp_path / "main.py").write_text("from neighbour_of_cli import x\ny = x + 1\n")
    (graph,) = script.load(f"{tmp_path / 'main.py'}:y")
    assert list(values.inputs_of([graph])) == ["input0"]


def test_generated_values_fit_their_inputs(model: str) -> None:
    rng = np.random.default_rng(0)
    (graph,) = script.load(f"{model}:counted")
    inputs = values.inputs_of([graph])
    shapes = shapes_for([graph], list(inputs.values()))
    drawn = {n: values.generated(v, 1.0, rng, shapes[v]) for n, v in inputs.items()}
    assert drawn["n"].dtype == np.int64
    assert 0 <= drawn["n"] < LENGTHS[0]
    assert drawn["x"].shape == (LENGTHS[0],)
    fixed = values.generated(at.tensor("bool", (1, 4)), 1.0, rng, (1, 4))
    assert fixed.shape == (1, 4)
    assert fixed.dtype == bool


def test_without_truth_the_numbers_are_shown_as_they_are(model: str) -> None:
    array = np.arange(8.0)
    comparison = values.Comparison("title", {}, [array], [array], "why not")
    stream = io.StringIO()
    Console(file=stream, width=120).print(tables.comparison_table(comparison, ["y"]))
    assert "0 1 2 3 4 5 … (8)" in stream.getvalue()
    assert "why not" in stream.getvalue()
    assert "not known" in stream.getvalue()


def test_errors_are_measured_in_ulps() -> None:
    one = np.array([mpf(1), mpf(2)], dtype=object)
    assert tables.worst_error(np.array([1.0, 2.0]), one) == 0
    assert tables.worst_error(np.array([1.0, np.nextafter(2.0, 3.0)]), one) == 1
    assert tables.worst_error(np.array([1.0, np.nan]), one) == float("inf")
    assert tables.worst_error(np.array([1, 2]), np.array([1, 2])) == 0
    assert tables.worst_error(np.array([1, 2]), np.array([1, 3])) == float("inf")


def test_of_a_large_output_the_elements_that_are_wrong_are_shown() -> None:
    truth = np.array([mpf(n) for n in range(20)])
    ours = np.arange(20.0)
    stock = np.where(ours > 16, np.nan, ours)
    made = values.Comparison("large", {}, [stock], [ours], [truth])
    out = io.StringIO()
    Console(file=out, width=100).print(tables.comparison_table(made, ["y"]))
    text = out.getvalue()
    assert "nan nan nan … (20)" in text
    assert "wrong at 3 of 20" in text
    assert text.count("17 18 19 … (20)") == 2


def test_script_errors_are_kanrewrites() -> None:
    with pytest.raises(ScriptError):
        script.load("nothing")


# -- progress -------------------------------------------------------------------------------------


def shown(delay: float, wait: bool, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=80)
    with Progress(console, delay) as progress:
        progress.step("first")
        if wait:
            progress._timer.join(5)
        progress.step("second")
    return stream.getvalue()


def test_a_short_command_shows_no_progress() -> None:
    assert shown(60, wait=False) == ""


def test_a_long_command_says_what_it_does() -> None:
    assert shown(0, wait=True) == "first ...\nsecond ...\n"


def test_in_a_terminal_it_is_one_line_that_changes() -> None:
    text = shown(0, wait=True, terminal=True)
    assert "first ..." in text or "second ..." in text
    assert threading.active_count() < 20


def test_nothing_is_shown_after_the_end() -> None:
    stream = io.StringIO()
    progress = Progress(Console(file=stream), 0.05)
    with progress:
        progress.step("first")
    progress._timer.join(5)
    assert stream.getvalue() == ""
