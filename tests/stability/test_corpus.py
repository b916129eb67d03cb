"""A corpus that is kept beside the repository, where it exists: nothing in it may get worse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "stability"
#: Of its 360 cases.
LEAST = 359


def cases(file: Path) -> dict[str, dict[str, Any]]:
    return {case["name"]: case for case in json.loads(file.read_text())["cases"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the corpus says of this engine."""
    out = tmp_path_factory.mktemp("corpus") / "new.json"
    command = [sys.executable, str(CORPUS / "run.py"), "--engine", "kanrewrite", "--json", str(out)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return cases(out)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
class TestCorpus:
    def test_most_of_it_is_right(self, results: dict[str, dict[str, Any]]) -> None:
        wrong = sorted(name for name, case in results.items() if not case["all_ok"])
        assert len(results) - len(wrong) >= LEAST, wrong

    def test_nothing_is_lost(self, results: dict[str, dict[str, Any]]) -> None:
        """What Aesara alone gets right stays right."""
        before = cases(CORPUS / "results" / "aesara_f64.json")
        right = {name for name, case in before.items() if case["all_ok"]}
        assert sorted(name for name in right & results.keys() if not results[name]["all_ok"]) == []
