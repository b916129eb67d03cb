"""The corpus of loops as a page of the documentation.

``python -m tests.loops.table`` measures all loops with the Python linker and writes
``docs/loops-corpus.md``; ``--c`` measures what the library makes of them in C. Names of loops
measure these alone: the other rows, and the other columns, stay as they were measured before.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from aesara import config

from tests.loops.checking import KINDS, PYTHON, C, compiled, errors
from tests.loops.corpus import LOOPS, SCALES
from tests.loops.test_corpus import DERIVATIVES

PAGE = Path(__file__).parents[2] / "docs" / "loops-corpus.md"
IN_PYTHON = [(kind, library) for kind in KINDS for library in (False, True)]
WIDTH = len(IN_PYTHON) + len(KINDS)
NAMES = [f"{kind}, {'library' if library else 'stock'}" for kind, library in IN_PYTHON]
HEAD = f"""\
# Loops: the corpus

The loops of `tests/loops`, as users write them, at {", ".join(SCALES)} inputs (logits
times {", ".join(f"{s:g}" for s in SCALES.values())}), float64, against truth in high
precision: with the Python linker, and what the library makes of them with the C linker.
A cell says where the result is right; *all* is all three, an empty one was not measured, as
derivatives of what is a derivative itself.
`python -m tests.loops.table`, and the same with `--c`, measure it again and write this page.

| loop | {" | ".join([*NAMES, *(f"{kind}, library in C" for kind in KINDS)])} |
| --- |{" --- |" * WIDTH}"""


def cell(name: str, kind: str, library: bool, in_c: bool) -> str:
    """At which inputs a loop is right."""
    if kind != "value" and name in DERIVATIVES:
        return ""
    try:
        wrong = errors(name, kind, compiled(name, kind, library, C if in_c else PYTHON))
    except (AttributeError, ValueError, NotImplementedError) as error:
        return type(error).__name__
    right = [scale for scale in SCALES if scale not in wrong]
    return "all" if not wrong else ", ".join(right) or "none"


def measured(name: str, before: Sequence[str], in_c: bool) -> list[str]:
    """The cells of a loop, of which some are as they were."""
    python, c = list(before[: len(IN_PYTHON)]), list(before[len(IN_PYTHON) :])
    if in_c:
        c = [cell(name, kind, True, in_c) for kind in KINDS]
    else:
        python = [cell(name, kind, library, in_c) for kind, library in IN_PYTHON]
    return [*python, *c]


def read() -> dict[str, list[str]]:
    """The cells of the page as it is, by loop."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    rows = (line.split("|")[1:-1] for line in lines if line.startswith("| "))
    found = {row[0].strip().replace(" ", "_"): [c.strip() for c in row[1:]] for row in rows}
    return {name: [*found[name], *[""] * WIDTH][:WIDTH] for name in LOOPS if name in found}


def write(rows: dict[str, list[str]]) -> None:
    """Write the page."""
    lines = [f"| {name.replace('_', ' ')} | {' | '.join(rows[name])} |" for name in rows]
    PAGE.write_text("\n".join([HEAD, *lines, ""]), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure loops, and put their rows into the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.loops.table", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="LOOP", help="all where none is named")
    parser.add_argument("--c", action="store_true", help="with the C linker")
    options = parser.parse_args(arguments)
    if options.c and not config.cxx:
        parser.error("Aesara has no C compiler: the flag cxx names none")
    for name in options.names or LOOPS:
        rows = dict.fromkeys(LOOPS, [""] * WIDTH) | read()
        with np.errstate(all="ignore"):
            rows[name] = measured(name, rows[name], options.c)
        write(rows)


if __name__ == "__main__":
    main()
