"""Unrolled models: what compiling and running them costs with the library, against stock Aesara.

``python -m tests.benchmarks.unrolled [MODEL ...]`` prints, for models whose steps double, the
seconds of a compilation (processor time, Python linker), nodes and the median time of a call,
each as the library's over stock's, and whether the values are those of stock at everyday inputs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.mode import Mode

import kanrewrite

MODE = Mode(linker="py", optimizer="fast_run")
STATES, WIDTH = 3, 4
_REPEATS = 9

#: Inputs with their shapes, and the loss.
Model = tuple[list[tuple[Any, tuple[int, ...]]], Any]


def regimes(steps: int) -> Model:
    """A regime switching filter in probability space, normalised at each step."""
    y: Any = at.dvector("y")
    logits: Any = at.dmatrix("logits")
    means: Any = at.dvector("means")
    e = at.exp(logits)
    moves = e / e.sum(axis=1, keepdims=True)
    state, total = at.exp(means) / at.exp(means).sum(), 0.0
    for t in range(steps):
        joint = at.dot(state, moves) * at.exp(-0.5 * (y[t] - means) ** 2)
        total = total + at.log(joint.sum())
        state = joint / joint.sum()
    inputs = [(y, (steps,)), (logits, (STATES, STATES)), (means, (STATES,))]
    return inputs, -total


def hidden(steps: int) -> Model:
    """A hidden Markov model, forward in log space."""
    scores: Any = at.dmatrix("scores")
    moves: Any = at.dmatrix("moves")
    state: Any = scores[0]
    for t in range(1, steps):
        state = at.log(at.exp(state[:, None] + moves).sum(axis=0)) + scores[t]
    return [(scores, (steps, STATES)), (moves, (STATES, STATES))], -at.log(at.exp(state).sum())


def labels(steps: int) -> Model:
    """Sums of products of picked softmax probabilities, as connectionist classification has."""
    logits: Any = at.dmatrix("logits")
    e = at.exp(logits)
    p = e / e.sum(axis=1, keepdims=True)
    states: list[Any] = [p[0, 0], p[0, 1], at.zeros(())]
    for t in range(1, steps):
        states = [
            states[0] * p[t, 0],
            (states[0] + states[1]) * p[t, 1],
            (states[1] + states[2]) * p[t, 2],
        ]
    return [(logits, (steps, WIDTH))], -at.log(states[1] + states[2])


def attention(steps: int) -> Model:
    """Blocks of attention."""
    x, w = at.dmatrix("x"), at.dmatrix("w")
    h: Any = x
    for _ in range(steps):
        e = at.exp(at.dot(at.dot(h, w), h.T))
        h = h + at.dot(e / e.sum(axis=1, keepdims=True), h)
    return [(x, (5, WIDTH)), (w, (WIDTH, WIDTH))], (h**2).sum()


MODELS: dict[str, tuple[Callable[[int], Model], tuple[int, ...]]] = {
    "regimes": (regimes, (2, 4, 8)),
    "hidden": (hidden, (4, 8, 16)),
    "labels": (labels, (4, 8, 16)),
    "attention": (attention, (2, 4, 8)),
}


def compiled(inputs: list[Any], outputs: list[Any]) -> tuple[Any, float]:
    """A function, and the processor seconds that it took to compile."""
    start = process_time()
    function = aesara.function(inputs, outputs, mode=MODE)
    return function, process_time() - start


def run_time(function: Any, data: list[Any]) -> float:
    """The median seconds of a call."""
    times = []
    for _ in range(_REPEATS):
        start = perf_counter()
        function(*data)
        times.append(perf_counter() - start)
    return median(times)


def row(name: str, steps: int) -> str:
    """One line of the table."""
    shaped, loss = MODELS[name][0](steps)
    inputs = [v for v, _ in shaped]
    gradients: Any = aesara.grad(loss, inputs)
    outputs = [loss, *gradients]
    rng = np.random.default_rng(0)
    data = [rng.normal(size=shape) for _, shape in shaped]
    with kanrewrite.disabled():
        stock, before = compiled(inputs, outputs)
        kanrewrite.enable()
        ours, after = compiled(inputs, outputs)
    nodes = [len(f.maker.fgraph.apply_nodes) for f in (stock, ours)]
    try:
        wanted, got = stock(*data), ours(*data)
        pairs = zip(wanted, got, strict=True)
        same = all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs)
        speed = f"{run_time(ours, data) / run_time(stock, data):.1f}"
    except Exception as error:  # noqa: BLE001  # a row of the table says so, and the others follow
        same, speed = False, type(error).__name__
    return (
        f"| {name} | {steps} | {after / before:.2f} ({before:.2f} s) | {nodes[1] / nodes[0]:.2f} "
        f"({nodes[0]}) | {speed} | {'yes' if same else 'NO'} |"
    )


def main(names: list[str]) -> None:
    """Print the table."""
    print("| model | steps | compile | nodes | run | values of stock |")
    print("| --- " * 6 + "|")
    for name in names:
        for steps in MODELS[name][1]:
            print(row(name, steps), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(MODELS))
