"""The report command and its page."""

import json
import re
from importlib import import_module
from pathlib import Path
from time import sleep
from typing import Any

import aesara.tensor as at
import numpy as np
import pytest
from mpmath import mpf
from typer.testing import CliRunner

from kanrewrite import registry
from kanrewrite.audit import Audit
from kanrewrite.cli import app
from kanrewrite.clock import now
from kanrewrite.errors import NothingRan, UnknownPictureFormat
from kanrewrite.report import Curve, report
from kanrewrite.report.measure import normwise
from kanrewrite.report.plot import plot, y_of

SCRIPT = """
from typing import Any

import aesara.tensor as at
x = at.dvector("x")
e = at.exp(x)
y = at.log(e / e.sum())
"""


def test_the_command_writes_one_page(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SCRIPT, encoding="utf-8")
    page = tmp_path / "report.html"
    given = ["report", f"{tmp_path}/mine.py:y", "-o", str(page), "-i", "x=[1.0, 0.0, -1.0]"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert "<title>y in mine.py</title>" in text
    for heading in ("Error against high precision", "Which relations fired where", "Before and"):
        assert heading in text
    assert "mine.py:5" in text  # the line of the user's script that a rewrite began at
    assert "<pre></pre>" not in text


def test_a_report_is_named_after_its_outputs() -> None:
    x: Any = at.dvector("x")
    loss: Any = at.exp(x)
    assert report(loss, scales=[1.0]).title == "kanrewrite report: exp(x)"
    loss.name = "loss"
    assert report([loss, x + 1], scales=[1.0]).title == "kanrewrite report: loss, x + 1"


def test_what_nearly_matched_is_looked_for_within_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    x: Any = at.dvector("x")
    monkeypatch.setattr(import_module("kanrewrite.report"), "_NEARING", 0.3)
    monkeypatch.setattr(import_module("kanrewrite.why.nearest"), "why_not", lambda *_: sleep(60))
    start = now()
    assert report(at.exp(x), scales=[1.0]).near == []
    assert now() - start < 30


def test_what_would_help_is_told_without_compiling_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared says whether it is right without relations, and with them."""
    helping = import_module("kanrewrite.audit.helping")
    monkeypatch.setattr(helping, "rewritten", lambda *_: pytest.fail("this is compiled already"))
    x: Any = at.dvector("x")
    audited = report(at.sqrt(x**2 + 1) - x, scales=[1.0]).audit
    assert isinstance(audited, Audit)
    assert "no relation that is enabled" in audited.risks[0].help


def test_a_page_where_there_is_no_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise RuntimeError", encoding="utf-8")
    given = ["report", f"{tmp_path}/mine.py:y", "-o", str(tmp_path / "pages" / "report.html")]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


def test_what_was_found_as_json(tmp_path: Path) -> None:
    script = SCRIPT.replace("e / e.sum()", "e * e.sum() ** -1")
    (tmp_path / "mine.py").write_text(script, encoding="utf-8")
    page = tmp_path / "report.html"
    given = ["report", f"{tmp_path}/mine.py:y", "-o", str(page), "--json"]
    found = json.loads(CliRunner().invoke(app, given).stdout)
    assert page.is_file()
    assert found["title"] == "y in mine.py"
    assert found["fired"]
    assert [curve["name"] for curve in found["errors"]] == ["stock Aesara", "kanrewrite"]
    assert "inf" in found["errors"][0]["ulps"]


def test_a_script_with_a_relation_of_its_own_has_the_library_too(tmp_path: Path) -> None:
    own = """
from kanrewrite import T, eq, register, relation

@relation
def softplus_of_reports(x):
    yield eq(T.log1p(T.exp(x)), T.softplus(x))

register(softplus_of_reports)
"""
    script = own + SCRIPT.replace("e / e.sum()", "e * e.sum() ** -1")
    (tmp_path / "mine.py").write_text(script, encoding="utf-8")
    given = ["report", f"{tmp_path}/mine.py:y", "-o", str(tmp_path / "page.html"), "--json"]
    try:
        found = json.loads(CliRunner().invoke(app, given).stdout)
    finally:
        registry.unregister("softplus_of_reports")
    assert found["fired"]


def test_a_mistake_is_one_message(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", f"{tmp_path}/nothing.py:y"])
    assert result.exit_code == 2


def test_curves_show_what_the_relations_gain() -> None:
    x = at.dvector("x")
    e = at.exp(x)
    found = report(at.log(e * e.sum() ** -1), scales=[1.0, 1e4])
    stock, ours = found.curves
    assert stock.errors[1] == float("inf")
    assert ours.errors[1] < 100
    assert [curve.scales for curve in found.curves] == [(1.0, 1e4)] * 2
    assert found.steps.fired_events


def test_what_is_enabled_stays_so() -> None:
    before = registry.enabled()
    report(at.exp(at.dvector("x")), scales=[1.0])
    assert registry.enabled() == before


def test_a_graph_that_cannot_be_run_says_why() -> None:
    x, w = at.dmatrix("x"), at.dmatrix("w")
    mismatched = report(
        at.dot(x, w), generate=lambda inputs, scale: [[[1.0, 2.0]], [[1.0]]], scales=[1.0]
    )
    assert mismatched.curves[0].scales == ()
    assert isinstance(mismatched.audit, NothingRan)
    assert mismatched.curves[0].note in mismatched.html.replace("&#x27;", "'")


def test_axes_are_as_long_as_what_is_picked_of_them_asks() -> None:
    m: Any = at.dmatrix("m")
    found = report(at.log(at.exp(m[4]).sum()), scales=[1.0])
    assert found.curves[0].scales == (1.0,)
    assert isinstance(found.audit, Audit)


def test_shapes_are_those_of_the_values() -> None:
    m: Any = at.dmatrix("m")
    found = report(m[4] + at.exp(m[3]), generate=lambda _, scale: [np.full((5, 2), scale)])
    assert isinstance(found.audit, Audit)
    assert np.shape(found.curves[0].errors) != (0,)


def test_only_html_is_written(tmp_path: Path) -> None:
    with pytest.raises(UnknownPictureFormat):
        report(at.exp(at.dvector("x")), scales=[1.0]).save(tmp_path / "report.pdf")


def test_of_a_large_error_it_is_told_where_it_is_and_how_small_the_output() -> None:
    x: Any = at.dscalar("x")
    made = report(at.exp(-x) - at.exp(-x - 1e-12), generate=lambda _, scale: [np.float64(scale)])
    [stock, _] = made.curves
    assert stock.sizes[-1] == 0
    assert stock.sizes[0] == pytest.approx(0.99e-12, rel=1e-3)
    large = r"ulp at inputs of size [\d.]+, of an output that is at most [\d.]+e-\d+ there"
    assert re.search(large, made.html)


def test_the_plot_puts_wrong_results_on_top_and_exact_ones_at_the_bottom() -> None:
    assert y_of(float("inf")) < y_of(1e300) == y_of(1e16) < y_of(1.0) < y_of(0.25) == y_of(0.0)
    svg = plot([Curve("a", (1.0, 10.0), (0.5, float("inf"))), Curve("b", (1.0, 10.0), (0.5, 2.0))])
    assert svg.count("<circle") == 4


def test_errors_are_measured_against_the_largest_element() -> None:
    truth = np.array([mpf(4), mpf("1e-300"), mpf(10) ** 400], dtype=object)
    assert normwise(np.array([4.0, 0.0, np.inf]), truth) < 1e-200
    assert normwise(np.array([4.0, 2.0**-50, np.inf]), truth) == pytest.approx(1)
    assert normwise(np.array([4.0, np.nan, np.inf]), truth) == np.inf
    assert normwise(np.array([4.0, 0.0, 1.0]), truth) == np.inf
    assert normwise(np.array([np.inf, 0.0, np.inf]), truth) == np.inf
