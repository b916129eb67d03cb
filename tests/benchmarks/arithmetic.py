"""Random arithmetic in which no exponential meets another one: it should come out as it went in.

``python -m tests.benchmarks.arithmetic [SIZE ...]`` prints, for each number of operations and each
function that every third operand is put under, what stock Aesara and the library make of the graph:
nodes, processor time of compiling, run time, elements that stock computes and the library does not,
and microseconds a node that the library takes of a canonical graph.  With ``--write`` it writes
``docs/benchmarks-arithmetic.md``.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode, optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

import kanrewrite
from kanrewrite import registry
from kanrewrite.registry.database import LibraryPass

MODE = Mode(linker="py", optimizer="fast_run").excluding("fusion")
SQUASHED: dict[str, Callable[[Any], Any] | None] = {
    "nothing": None,
    "tanh": at.tanh,
    "sigmoid": at.sigmoid,
    "softplus": at.softplus,
}
SIZES = (100, 300, 1000)
#: Vectors that the operations start from, and their length.
INPUTS, LENGTH = 8, 64
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks-arithmetic.md"
_REPEATS, _GRAPHS = 7, 25


def arithmetic(
    count: int, squashed: Callable[[Any], Any] | None = None, seed: int = 0
) -> tuple[list[Any], Any]:
    """The inputs of a graph of random operations, and its output.

    Parameters
    ----------
    count : int
        How many operations.
    squashed : callable, optional
        Every third operand is put under it.
    seed : int
        Of the choice of operations and operands.
    """
    chosen = random.Random(seed)
    inputs = [at.dvector(f"x{n}") for n in range(INPUTS)]
    known: list[Any] = list(inputs)
    operations = (at.add, at.mul, at.sub, at.maximum, at.true_divide)
    for n in range(count):
        left, right = chosen.choice(known), chosen.choice(known)
        if squashed is not None and n % 3 == 0:
            left = squashed(left)
        known.append(chosen.choice(operations)(left, right))
    unread = [v for v in known[INPUTS:] if not any(v in w.owner.inputs for w in known[INPUTS:])]
    return inputs, at.add(*unread[-INPUTS:], known[-1])


def large(
    shape: str, count: int, squashed: Callable[[Any], Any] | None = None, seed: int = 0
) -> tuple[list[Any], list[Any]]:
    """The inputs and the outputs of a graph of so many operations, all of which are used.

    Parameters
    ----------
    shape : {"deep", "wide", "shared"}
        Whether each operation is of the one before and an input, of inputs alone, or of one a
        little before and of any.
    count, squashed, seed
        As of `arithmetic`.
    """
    chosen = random.Random(seed)
    inputs = [at.dvector(f"x{n}") for n in range(INPUTS)]
    known: list[Any] = list(inputs)
    operations = (at.add, at.mul, at.sub, at.maximum, at.true_divide)
    for n in range(count):
        near = known[-1 - chosen.randrange(min(len(known), 50))]
        left = {"deep": known[-1], "wide": chosen.choice(inputs), "shared": near}[shape]
        right = chosen.choice(known if shape == "shared" else inputs)
        if squashed is not None and n % 3 == 0:
            left = squashed(left)
        known.append(chosen.choice(operations)(left, right))
    used = {i for v in known[INPUTS:] for i in v.owner.inputs}
    return inputs, [v for v in known[INPUTS:] if v not in used]


def values(seed: int = 0) -> list[Any]:
    """Everyday values of the inputs."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=LENGTH) for _ in range(INPUTS)]


def compiled(inputs: list[Any], output: Any) -> tuple[Any, float]:
    """A function, and the processor seconds it took to compile."""
    start = process_time()
    function = aesara.function(inputs, output, mode=MODE, on_unused_input="ignore")
    return function, process_time() - start


def pass_time(inputs: list[Any], output: Any) -> float:
    """The microseconds a node, processor time, that the library takes of the canonical graph."""
    whole = FunctionGraph(inputs, [output], clone=True)
    optdb.query(RewriteDatabaseQuery(include=["canonicalize"])).rewrite(whole)
    library, nodes = LibraryPass(registry.usual()), len(whole.apply_nodes)
    library.apply(whole.clone())
    graphs = [whole.clone() for _ in range(_GRAPHS)]
    start = process_time()
    for fgraph in graphs:
        library.apply(fgraph)
    return (process_time() - start) / _GRAPHS / nodes * 1e6


def run_time(function: Any, data: list[Any]) -> float:
    """The median seconds of a call."""
    times = []
    with np.errstate(all="ignore"):
        for _ in range(_REPEATS):
            start = perf_counter()
            function(*data)
            times.append(perf_counter() - start)
    return median(times)


def row(count: int, name: str) -> str:
    """One line of the table."""
    inputs, output = arithmetic(count, SQUASHED[name])
    data = values()
    with kanrewrite.disabled():
        stock, stock_seconds = compiled(inputs, output)
        kanrewrite.enable()
        ours, seconds = compiled(inputs, output)
    with np.errstate(all="ignore"):
        wanted, got = stock(*data), ours(*data)
    lost = int(np.sum(np.isfinite(wanted) & ~np.isclose(wanted, got, rtol=1e-9, atol=0)))
    nodes = [len(f.maker.fgraph.apply_nodes) for f in (stock, ours)]
    speed = [run_time(f, data) * 1e3 for f in (stock, ours)]
    return (
        f"| {count} | {name} | {nodes[0]} | {nodes[1]} | {stock_seconds:.2f} | {seconds:.2f} | "
        f"{speed[0]:.2f} | {speed[1]:.2f} | {lost} | {pass_time(inputs, output):.0f} |"
    )


def table(sizes: list[int]) -> list[str]:
    """The lines of the table, printed as they come."""
    head = ["operations", "under", "nodes, stock", "nodes", "compile s, stock", "s"]
    head += ["run ms, stock", "ms", "lost", "us a node"]
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    print("\n".join(lines))
    for name in SQUASHED:
        for count in sizes:
            lines.append(row(count, name))
            print(lines[-1], flush=True)
    return lines


def page(lines: list[str], day: str) -> str:
    """What is written into the documentation."""
    return "\n".join([
        "# What arithmetic costs",
        "",
        "Random operations (sums, products, differences, quotients, maxima) on eight vectors and",
        "on results of each other, every third operand under a function: nodes of the compiled",
        "function, processor seconds of compiling, milliseconds of a call, elements that stock",
        "computes and the library does not, microseconds a node that the library takes of a",
        "canonical graph. Python linker, `fast_run` without fusion. Where a sigmoid or a softplus",
        "happens to meet one of the same it is worth reading, and may be worth rewriting.",
        "",
        *lines,
        "",
        f"Measured on {day}; `python -m tests.benchmarks.arithmetic --write` writes this page.",
        "",
    ])  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the table, or write it."""
    sizes = [int(argument) for argument in arguments if argument != "--write"]
    lines = table(sizes or list(SIZES))
    if "--write" in arguments:
        PAGE.write_text(page(lines, date.today().isoformat()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
