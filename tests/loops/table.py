"""The corpus of loops as a page of the documentation: ``python -m tests.loops.table``."""

from __future__ import annotations

from collections.abc import Iterator

from tests.loops.checking import KINDS, compiled, errors
from tests.loops.corpus import LOOPS, SCALES
from tests.loops.test_corpus import DERIVATIVES

HEAD = f"""\
# Loops: the corpus

The loops of `tests/loops/corpus.py`, as users write them, at {", ".join(SCALES)} inputs (logits
times {", ".join(f"{s:g}" for s in SCALES.values())}), Python linker, float64, against truth in high
precision.  A cell says where the result is right; *all* is all three.
`python -m tests.loops.table` measures it again and prints this page.

| loop | {" | ".join(f"{kind}, stock | {kind}, library" for kind in KINDS)} |
| --- |{" --- | --- |" * len(KINDS)}"""


def cell(name: str, kind: str, library: bool) -> str:
    """At which inputs a loop is right."""
    if kind != "value" and name in DERIVATIVES:
        return ""
    try:
        wrong = errors(name, kind, compiled(name, kind, library))
    except (AttributeError, ValueError, NotImplementedError) as error:
        return type(error).__name__
    right = [scale for scale in SCALES if scale not in wrong]
    return "all" if not wrong else ", ".join(right) or "none"


def rows() -> Iterator[str]:
    """A row for each loop."""
    for name in LOOPS:
        cells = [cell(name, kind, library) for kind in KINDS for library in (False, True)]
        yield f"| {name.replace('_', ' ')} | {' | '.join(cells)} |"


if __name__ == "__main__":
    print(HEAD)
    for row in rows():
        print(row, flush=True)
