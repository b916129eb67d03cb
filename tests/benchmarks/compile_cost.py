"""What the library adds to the time that compiling takes: a classifier and an attention block.

``python -m tests.benchmarks.compile_cost [ROUNDS]`` prints ``docs/benchmarks-compile.md``.  Each
model is compiled with the library, without it, and with its rewriting alone; they take turns.
"""

from __future__ import annotations

import gc
import platform
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import aesara
import numpy as np
from aesara.compile.mode import Mode

from kanrewrite import registry
from tests.view.common import at, grad

ROUNDS = 25
PAGE = """# What compiling costs

CPU time of `aesara.function` by itself, in milliseconds, for a cost written by hand and the
gradients of all its parameters: Python linker (no compiler is waited for), `fast_run`, the median
of {} compilations in turns, all in one run; Aesara {}, Python {}, {}.  *Ratio* is with
the library against without it.  *Rewriting alone* is the same ratio when Aesara infers shapes by
itself: the library finds each length that broadcasting gives once, Aesara for each node again.  The
last columns are the nodes of the compiled functions, stock and with the library.

{}

`python -m tests.benchmarks.compile_cost` measures it again and prints this page."""


class Model(NamedTuple):
    """A cost with what it depends on."""

    inputs: list[Any]
    cost: Any
    parameters: list[Any]
    values: list[Any]


def cross_entropy(logits: Any, labels: Any) -> Any:
    """As it is written by hand, for labels as rows of zeros and a one."""
    p = at.exp(logits) / at.exp(logits).sum(axis=1, keepdims=True)
    return -at.mean(at.sum(labels * at.log(p), axis=1))


def classifier() -> Model:
    """A perceptron of two layers."""
    rng = np.random.default_rng(0)
    x, y, w1, w2 = at.matrices("x", "y", "w1", "w2")
    b1, b2 = at.vectors("b1", "b2")
    hidden = at.maximum(at.dot(x, w1) + b1, 0.0)
    cost = cross_entropy(at.dot(hidden, w2) + b2, y)
    shapes = [(20, 50), (50,), (50, 10), (10,)]
    weights = [rng.normal(size=shape) * 0.1 for shape in shapes]
    data = [rng.normal(size=(64, 20)), np.eye(10)[rng.integers(0, 10, 64)]]
    return Model([x, y, w1, b1, w2, b2], cost, [w1, b1, w2, b2], [*data, *weights])


def attention() -> Model:
    """Self-attention with two heads, a shortcut and a layer of softplus, and a classifier."""
    rows, width, heads = 8, 16, 2
    rng = np.random.default_rng(0)
    x, y, *weights = at.matrices("x", "y", "q", "k", "v", "o", "w1", "w2")
    q, k, v, o, w1, w2 = weights

    def split(w: Any) -> Any:
        parts = at.dot(x, w).reshape((rows, heads, width // heads))
        return parts.dimshuffle(1, 0, 2)

    e = at.exp(at.batched_dot(split(q), split(k).dimshuffle(0, 2, 1)) / np.sqrt(width / heads))
    a = e / e.sum(axis=2, keepdims=True)
    z = at.batched_dot(a, split(v)).dimshuffle(1, 0, 2).reshape((rows, width))
    h = x + at.dot(z, o)
    cost = cross_entropy(at.dot(at.log(1 + at.exp(at.dot(h, w1))), w2), y)
    shapes = [*[(width, width)] * 4, (width, 32), (32, 5)]
    values = [rng.normal(size=shape) * 0.2 for shape in shapes]
    data = [rng.normal(size=(rows, width)), np.eye(5)[rng.integers(0, 5, rows)]]
    return Model([x, y, *weights], cost, weights, [*data, *values])


MODELS: dict[str, Callable[[], Model]] = {"classifier": classifier, "attention block": attention}
MODE = Mode(linker="py", optimizer="fast_run")
#: With the library, without it, and without what it does for shapes.
KINDS = {
    "library": MODE,
    "stock": MODE.excluding("kanrewrite"),
    "rewriting alone": MODE.excluding("kanrewrite_shapes"),
}


def compiled(model: Model, kind: str) -> tuple[Any, float]:
    """The value and all gradients as a function, and how long that took."""
    outputs = [model.cost, *grad(model.cost, model.parameters)]
    with registry.disabled():
        if kind != "stock":
            registry.enable()
        gc.collect()
        gc.disable()  # as `timeit` does: a collection would fall on any of them
        try:
            start = process_time()
            function = aesara.function(model.inputs, outputs, mode=KINDS[kind])
            return function, process_time() - start
        finally:
            gc.enable()


def row(name: str, rounds: int) -> str:
    """A line of the table."""
    model = MODELS[name]()
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    nodes = {kind: len(compiled(model, kind)[0].maker.fgraph.apply_nodes) for kind in KINDS}
    for number in range(rounds):
        for kind in list(KINDS)[:: 1 if number % 2 else -1]:
            times[kind].append(compiled(model, kind)[1])
    stock, library, alone = (median(times[k]) for k in ("stock", "library", "rewriting alone"))
    return (
        f"| {name} | {1e3 * stock:.0f} | {1e3 * library:.0f} | {library / stock:.2f} "
        f"| {alone / stock:.2f} | {nodes['stock']} | {nodes['library']} |"
    )


def table(rounds: int = ROUNDS) -> list[str]:
    """Markdown: milliseconds, ratios, nodes of the compiled functions."""
    return [
        "| value and gradients of | stock | library | ratio | rewriting alone | nodes | nodes |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(row(name, rounds) for name in MODELS),
    ]


def page(rounds: int = ROUNDS) -> str:
    """The page with the table, measured now."""
    versions = (aesara.__version__, platform.python_version(), platform.machine())
    return PAGE.format(rounds, *versions, "\n".join(table(rounds)))


if __name__ == "__main__":
    print(page(*map(int, sys.argv[1:])))
