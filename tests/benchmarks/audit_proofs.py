"""Whether what `audit` proves to be in range stays there, at a million random inputs a graph.

``python -m tests.benchmarks.audit_proofs`` proves what it can of the graphs of the tests, and of
the formulas of the benchmark with ranges drawn for each input, and computes every part that is
proved at random inputs: even ones, of all magnitudes, both ends, ties, and next to the ends.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite.audit.inputs import inputs_of
from kanrewrite.audit.proving import proved
from tests.audit.test_proving import GRAPHS
from tests.benchmarks.formulas import FORMULAS

#: As it is written: what is proved is proved of these operators.
WRITTEN = Mode("py", RewriteDatabaseQuery(include=[None]))
#: Elements of an input that are computed at a time.
CHUNK = 100_000


class Case(NamedTuple):
    """A graph and the ranges of its inputs."""

    name: str
    graph: Any
    ranges: Mapping[Any, tuple[float, float]]


class Broken(NamedTuple):
    """A part that was outside of what is proved."""

    name: str
    part: Any
    least: float
    most: float


def cases(every: int) -> Iterator[Case]:
    """The graphs of the tests, and formulas with a range of each of several sizes."""
    for n, (graph, ranges) in enumerate(GRAPHS):
        yield Case(f"graph {n}", graph, ranges)
    for formula in FORMULAS[::every]:
        rng = np.random.default_rng(zlib.crc32(formula.name.encode()))
        inputs: list[Any] = [at.dvector(name) for name in formula.arguments]
        graph = formula.build(*inputs)
        for size in (1, 30, 1e5, 1e200):
            ends = np.sort(rng.uniform(-1, 1, (len(inputs), 2)) * size)
            if rng.random() < 0.5:  # with a sign
                ends = np.sort(np.abs(ends))
            ranges = {v: (float(a), float(b)) for v, (a, b) in zip(inputs, ends, strict=True)}
            yield Case(f"{formula.name} up to {size:g}", graph, ranges)


def drawn(rng: np.random.Generator, low: float, high: float, count: int) -> Any:
    """Numbers of a range."""
    with np.errstate(all="ignore"):
        even = low / 2 + (high / 2 - low / 2) * rng.random(count) + low / 2
        sizes = 10.0 ** rng.uniform(-320, 308, count) * rng.choice([-1.0, 1.0], count)
    ends = rng.choice([low, high, 0.0, np.nextafter(low, high), np.nextafter(high, low)], count)
    ties = np.full(count, even[0])
    return np.clip(np.choose(rng.integers(0, 4, count), [even, sizes, ends, ties]), low, high)


def judged(case: Case, count: int) -> tuple[int, list[Broken]]:
    """How many parts are proved, and those that are not what is proved."""
    used = set(aesara.graph.basic.graph_inputs([case.graph]))
    known = inputs_of([case.graph], {v: r for v, r in case.ranges.items() if v in used}, None)
    parts = [part for part in proved(known, [case.graph]) if part.verdict == "proved"]
    if not parts:
        return 0, []
    variables = [i.variable for i in known]
    run = aesara.function(
        variables, [part.variable for part in parts], mode=WRITTEN, on_unused_input="ignore"
    )
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    broken: dict[int, Broken] = {}
    done = 0
    while done < count:
        side = int(rng.integers(1, 120))  # matrices are square: some are multiplied
        values = []
        for i in known:
            shape = (CHUNK,) if i.variable.type.ndim == 1 else (side, side)
            flat = drawn(rng, i.low, i.high, int(np.prod(shape)))
            values.append(flat.reshape(shape).astype(i.dtype))
        with np.errstate(all="ignore"):
            results = run(*values)
        for n, (part, result) in enumerate(zip(parts, results, strict=True)):
            right = np.isfinite(result) & (result >= part.low) & (result <= part.high)
            if not right.all():
                broken[n] = Broken(case.name, part, float(result.min()), float(result.max()))
        done += max((value.size for value in values), default=count)
    return len(parts), list(broken.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is not as it is proved, and how many parts are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=8, help="of how many formulas one is taken")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each graph")
    chosen = parser.parse_args(arguments)
    start, graphs, parts, bad = perf_counter(), 0, 0, 0
    for case in cases(chosen.every):
        count, broken = judged(case, chosen.inputs)
        graphs, parts, bad = graphs + bool(count), parts + count, bad + len(broken)
        for one in broken:
            print(*one, flush=True)
    seconds = perf_counter() - start
    print(f"{parts} parts of {graphs} graphs are proved, broken are {bad}, {seconds:.0f} s")


if __name__ == "__main__":
    main()
