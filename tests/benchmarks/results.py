"""What recognised graphs cost: against Aesara's own operators, and against what was written.

``python -m tests.benchmarks.results`` writes ``docs/benchmarks-results.md``.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from itertools import cycle, islice, permutations
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import aesara
import numpy as np
from aesara.compile.mode import Mode
from aesara.tensor.special import log_softmax, softmax

from kanrewrite import registry
from tests.view.common import at, grad

COMPILER = shutil.which("g++") or shutil.which("clang++") or ""
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks-results.md"
ROUNDS = 120
SHAPE = (512, 256)


class Form(NamedTuple):
    """One result, written by hand and with the operators of Aesara that compute it."""

    written: Callable[[Any], Any]
    own: Callable[[Any], Any]


def total(x: Any) -> Any:
    return at.exp(x).sum(axis=1, keepdims=True)


def logsumexp(x: Any) -> Any:
    top = x.max(axis=1, keepdims=True)
    return top + at.log(at.exp(x - top).sum(axis=1, keepdims=True))


def gradient(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The gradient of a sum that is weighted by the input's sine."""
    return lambda x: grad((of(x) * at.sin(x)).sum(), x)


VALUES = {
    "softmax": Form(lambda x: at.exp(x) / total(x), lambda x: softmax(x, axis=1)),
    "log_softmax": Form(lambda x: at.log(at.exp(x) / total(x)), lambda x: log_softmax(x, axis=1)),
    "logsumexp": Form(lambda x: at.log(total(x)), logsumexp),
    "sigmoid": Form(lambda x: 1 / (1 + at.exp(-x)), at.sigmoid),
    "softplus": Form(lambda x: at.log(1 + at.exp(x)), at.softplus),
    "tanh": Form(
        lambda x: (at.exp(x) - at.exp(-x)) / (at.exp(x) + at.exp(-x)),
        at.tanh,
    ),
    "expected value": Form(
        lambda x: (x * at.exp(x)).sum(axis=1) / at.exp(x).sum(axis=1),
        lambda x: (x * softmax(x, axis=1)).sum(axis=1),
    ),
}
FORMS = VALUES | {
    f"gradient of {name}": Form(gradient(VALUES[name].written), gradient(VALUES[name].own))
    for name in ("softmax", "log_softmax", "logsumexp")
}
#: What is compiled: the hand-written graph with the library, Aesara's own operators without it,
#: and the hand-written graph as it was written.
KINDS = ("kanrewrite", "own", "as written")


def value() -> Any:
    return np.random.default_rng(0).normal(size=SHAPE)


def compiled(name: str, kind: str) -> Any:
    """A function of a matrix, compiled with C where there is a compiler."""
    x = at.dmatrix("x")
    form = FORMS[name]
    graph = form.own(x) if kind == "own" else form.written(x)
    linker = "cvm" if COMPILER else "py"
    # Aesara's own simplifications would find some of the operators that were not written.
    optimizer = "fast_run" if kind != "as written" else "merge"
    with registry.disabled(), aesara.config.change_flags(cxx=COMPILER):
        if kind == "kanrewrite":
            registry.enable()
        return aesara.function([x], graph, mode=Mode(linker=linker, optimizer=optimizer))


def measured(functions: dict[str, Any]) -> dict[str, float]:
    """The median time of each function; they take turns, each after each other as often."""
    x = value()
    times: dict[str, list[float]] = {kind: [] for kind in functions}
    orders = cycle(permutations(functions.items()))
    for order in islice(orders, ROUNDS):
        for kind, call in order:
            start = perf_counter()
            call(x)
            times[kind].append(perf_counter() - start)
    return {kind: median(rounds) for kind, rounds in times.items()}


def row(name: str) -> str:
    times = measured({kind: compiled(name, kind) for kind in KINDS})
    ours, own, written = (1e6 * times[kind] for kind in KINDS)
    return (
        f"| {name} | {ours:,.0f} | {own:,.0f} | {ours / own:.2f} "
        f"| {written:,.0f} | {ours / written:.2f} |"
    )


def page() -> str:
    """The table of all forms, measured now."""
    linker = "C" if COMPILER else "Python"
    return "\n".join(
        [
            "# What results cost",
            "",
            f"A {SHAPE[0]} by {SHAPE[1]} matrix of float64; the median of {ROUNDS} calls in turns,",
            f"in microseconds, all in one run: {linker} code, Aesara {aesara.__version__},",
            f"Python {platform.python_version()}, {platform.machine()}.  *Own* is the same result",
            "written with Aesara's own operators; *as written* is the graph by hand, without any",
            "rewrite, which overflows for large inputs.  A ratio below 1 says that kanrewrite's",
            "function is the faster one.",
            "",
            "| result | kanrewrite | own | ratio | as written | ratio |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            *map(row, FORMS),
            "",
            "Where the last ratio is above 1 the graph does more than the one it replaces, in",
            "Aesara's own spelling too: logsumexp takes each row's maximum first, softplus calls",
            "`log1p` instead of `log`, and the C library's `tanh` costs more than two `exp`.",
            "",
            "`python -m tests.benchmarks.results` measures it again and writes this page.",
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page())
