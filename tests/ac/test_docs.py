"""The cells of docs/unification.md run, and show what the page says."""

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "unification.md"
CELL = re.compile(r"```\{code-cell\}\n(.*?)```", re.DOTALL)


def test_the_page_runs() -> None:
    scope: dict[str, Any] = {}
    shown = []
    for source in CELL.findall(PAGE.read_text(encoding="utf-8")):
        *lines, last = source.strip().split("\n")
        exec("\n".join(lines), scope)
        shown.append(eval(last, scope))
    matches, joins, unifiers, words, sorted_ones, permutations = shown
    assert [len(matches), len(joins), len(unifiers), len(words)] == [1, 7, 3, 3]
    assert [one[scope["x"]] for one in sorted_ones] == [3]
    assert permutations == 6
