"""Random arithmetic in which no exponential meets another one: it should come out as it went in.

``python -m tests.benchmarks.arithmetic [SIZE ...]`` prints, for each number of operations and each
function that every third operand is put under, what stock Aesara and the library make of the graph:
nodes, run time, time of the pass, and elements that stock computes and the library does not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode

import kanrewrite

MODE = Mode(linker="py", optimizer="fast_run").excluding("fusion")
SQUASHED: dict[str, Callable[[Any], Any] | None] = {
    "nothing": None,
    "tanh": at.tanh,
    "sigmoid": at.sigmoid,
    "softplus": at.softplus,
}
SIZES = (100, 200, 300)
#: Vectors that the operations start from, and their length.
INPUTS, LENGTH = 8, 64
_REPEATS = 7


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


def values(seed: int = 0) -> list[Any]:
    """Everyday values of the inputs."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=LENGTH) for _ in range(INPUTS)]


def compiled(inputs: list[Any], output: Any) -> tuple[Any, float]:
    """A function, and the seconds it took to compile."""
    start = perf_counter()
    function = aesara.function(inputs, output, mode=MODE, on_unused_input="ignore")
    return function, perf_counter() - start


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
        f"{speed[0]:.2f} | {speed[1]:.2f} | {lost} |"
    )


def main(sizes: list[int]) -> None:
    """Print the table."""
    head = ["operations", "under", "nodes, stock", "nodes", "compile s, stock", "s"]
    head += ["run ms, stock", "ms", "lost"]
    print(f"| {' | '.join(head)} |")
    print("| --- " * len(head) + "|")
    for name in SQUASHED:
        for count in sizes:
            print(row(count, name), flush=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))
