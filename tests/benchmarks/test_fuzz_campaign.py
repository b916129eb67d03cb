"""The table of random graphs says what was found, and once for each slice."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kanrewrite.fuzz import Campaign, Finding, Verdict
from kanrewrite.fuzz.coverage import wanted
from kanrewrite.fuzz.programs import program_of
from tests.benchmarks import fuzz_campaign
from tests.benchmarks.fuzz_campaign import BEGIN, END, PAGE, merged, page, record, table

PROGRAM = program_of("x = at.TensorType('float64', shape=())('x')\nv = at.exp(x)")


def slice_of(seed: int, *kinds: str) -> fuzz_campaign.Record:
    findings = [
        Finding(f"{seed}/{n}", PROGRAM, {}, Verdict(kind, "value")) for n, kind in enumerate(kinds)
    ]
    operators = Counter({"exp": 3, "add": 1})
    found = Campaign(40, 200, findings, Counter(), operators, seconds=125.0)
    return record("idioms", seed, found)


def test_a_slice_that_is_judged_again_is_shown_once() -> None:
    again = merged([slice_of(2, "wrong"), slice_of(1), slice_of(2)])
    assert [(r["seed"], r["verdicts"]) for r in again] == [(1, {}), (2, {})]


def test_the_table_counts_programs_and_verdicts() -> None:
    shown = table([slice_of(1, "hidden", "wrong", "hidden"), slice_of(2)])
    assert "| idioms | 1 | 40 | 200 | 3 | 2 hidden, 1 wrong | 2 |" in shown
    assert "| idioms | 2 | 40 | 200 | 0 |  | 2 |" in shown
    assert "In all 80 programs: 2 hidden, 1 wrong. 2 of" in shown


def test_operators_that_no_program_had_are_named() -> None:
    shown = table([slice_of(1)])
    assert all(f"`{name}`" in shown for name in wanted() - {"exp", "add"})
    assert "`exp`" not in shown


def test_only_the_table_of_the_page_changes() -> None:
    text = f"before\n{BEGIN}\nold\n{END}\nafter"
    assert page(text, "new") == f"before\n{BEGIN}\nnew\n{END}\nafter"


def test_the_page_shows_what_was_recorded() -> None:
    records = json.loads(fuzz_campaign.RECORDS.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    for r in records:
        assert f"| {r['grammar']} | {r['seed']} | {r['programs']} | {r['judgements']} |" in text


def test_a_slice_is_judged_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page_of = tmp_path / "trust.md"
    page_of.write_text(f"{BEGIN}\n{END}", encoding="utf-8")
    monkeypatch.setattr(fuzz_campaign, "PAGE", page_of)
    monkeypatch.setattr(fuzz_campaign, "RECORDS", tmp_path / "records.json")
    fuzz_campaign.main("0", "operators", "7")
    (only,) = json.loads(fuzz_campaign.RECORDS.read_text(encoding="utf-8"))
    assert (only["seed"], only["programs"] + only["unjudged"] >= 1) == (7, True)
    assert "| operators | 7 |" in page_of.read_text(encoding="utf-8")
