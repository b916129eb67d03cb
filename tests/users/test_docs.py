"""The cells of docs/relations.md run, one after the other, and those that raise say so."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

import pytest

from kanrewrite import registry
from kanrewrite.errors import RelationError

PAGE = Path(__file__).parents[2] / "docs" / "relations.md"
CELL = re.compile(r"```\{code-cell\}\n(?::tags: \[([a-z-]+)\]\n)?(.*?)```", re.DOTALL)


@pytest.mark.filterwarnings("ignore:overflow", "ignore::DeprecationWarning")
def test_the_walk_throughs_run() -> None:
    scope: dict[str, Any] = {"__name__": "relations_page"}
    cells = CELL.findall(PAGE.read_text(encoding="utf-8"))
    assert len(cells) > 8
    with registry.disabled():
        for number, (tag, source) in enumerate(cells):
            name = f"<cell {number}>"  # relations are read from their source
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
            code = compile(source, name, "exec")
            if tag == "raises-exception":
                with pytest.raises(RelationError):
                    exec(code, scope)
            else:
                exec(code, scope)
        registry.unregister(scope["exp_of_log"])
