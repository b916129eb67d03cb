"""Comparing n loops: numbers found once for each, against Aesara's comparison of pairs.

``python -m tests.benchmarks.loop_merging`` writes ``docs/benchmarks-loops.md`` and ``.svg``.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import aesara
import aesara.tensor as at
from aesara.graph.basic import io_toposort

from kanrewrite.inner.canonical import Canonical

DOCS = Path(__file__).parents[2] / "docs"
COUNTS = (5, 10, 20, 50, 100, 200)
#: Nodes of a step.
SIZE = 20
Row = tuple[int, float, int, float, int]


def loops(count: int, size: int = SIZE) -> list[Any]:
    """Ops of loops whose steps are alike but for a constant, which is met last."""
    x = at.vector("x")

    def op(last: float) -> Any:
        def step(a: Any, s: Any) -> Any:
            for _ in range(size // 2):
                s = at.tanh(s * a)
            return s + last

        out = aesara.scan(step, sequences=[x], outputs_info=[at.zeros(())])[0]
        return out.owner.inputs[0].owner.op

    return [op(k + 0.5) for k in range(count)]


def by_numbers(ops: list[Any]) -> tuple[int, int]:
    """How many different ones there are, and how many nodes were looked at."""
    canonical = Canonical()
    return len({canonical.of(op) for op in ops}), canonical.numbers.visited


def by_pairs(ops: list[Any]) -> tuple[int, int]:
    """The same by Aesara's ``==``, of each loop with the different ones before it."""
    different: list[Any] = []
    nodes = 0
    for op in ops:
        equal = False
        for other in different:
            nodes += len(list(io_toposort(op.inner_inputs, op.inner_outputs)))
            equal = equal or op == other
        if not equal:
            different.append(op)
    return len(different), nodes


def timed(compare: Callable[[list[Any]], tuple[int, int]], ops: list[Any]) -> tuple[float, int]:
    """Seconds, the least of three, and the nodes looked at."""
    seconds = []
    for _ in range(3):
        start = perf_counter()
        count, nodes = compare(ops)
        seconds.append(perf_counter() - start)
        assert count == len(ops)
    return min(seconds), nodes


def measure() -> list[Row]:
    """For each count: seconds and nodes of both ways."""
    ops = loops(max(COUNTS))
    return [(n, *timed(by_numbers, ops[:n]), *timed(by_pairs, ops[:n])) for n in COUNTS]


def picture(rows: list[Row]) -> str:
    """Both curves on logarithmic scales, as SVG."""
    low, high = (f(math.log10(s) for r in rows for s in (r[1], r[3])) for f in (min, max))
    across = math.log10(COUNTS[-1] / COUNTS[0])

    def point(n: int, seconds: float) -> str:
        x = 60 + 400 * math.log10(n / COUNTS[0]) / across
        return f"{x:.0f},{250 - 220 * (math.log10(seconds) - low) / (high - low):.0f}"

    curves = [
        ("#1b6", "numbers", " ".join(point(r[0], r[1]) for r in rows)),
        ("#c33", "pairs, Aesara", " ".join(point(r[0], r[3]) for r in rows)),
    ]
    lines = [
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="465" y="{points.split(",")[-1]}" fill="{colour}">{name}</text>'
        for colour, name, points in curves
    ]
    ticks = [
        f'<text x="{point(n, rows[0][1]).split(",")[0]}" y="268" text-anchor="middle">{n}</text>'
        for n in COUNTS
    ]
    ends = [f'<text x="5" y="{250 if s == low else 30}">{10**s:.2g} s</text>' for s in (low, high)]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 280" '
        'font-family="sans-serif" font-size="11">'
        "<title>Time to compare n loops, logarithmic</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join([*lines, *ticks, *ends])}</svg>\n'
    )


def page(rows: list[Row]) -> str:
    """The table, with the picture."""
    cells = [f"| {n} | {a * 1e3:.1f} | {b} | {c * 1e3:.1f} | {d} |" for n, a, b, c, d in rows]
    return "\n".join(
        [
            "# Comparing loops",
            "",
            f"Which of n loops, with steps of {SIZE + 1} nodes, are equal: canonical numbers",
            "of their steps, each looked at once, against Aesara's `==` of pairs.  No two are",
            f"equal; they differ in the last node.  Python {platform.python_version()}, Aesara",
            f"{aesara.__version__}, least of three.",
            "`python -m tests.benchmarks.loop_merging` measures it again.",
            "",
            "![Time to compare n loops](benchmarks-loops.svg)",
            "",
            "| n | numbers, ms | nodes looked at | pairs, ms | nodes, at most |",
            "| ---: | ---: | ---: | ---: | ---: |",
            *cells,
            "",
        ]
    )


def main() -> None:
    """Write the page and the picture."""
    rows = measure()
    (DOCS / "benchmarks-loops.md").write_text(page(rows), encoding="utf-8")
    (DOCS / "benchmarks-loops.svg").write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
