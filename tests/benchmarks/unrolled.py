"""Unrolled models: what compiling and running them costs with the library, against stock Aesara.

``python -m tests.benchmarks.unrolled [MODEL[:STEPS] ...]`` prints, for models whose steps double,
the seconds of a compilation (processor time, Python linker), nodes and the median time of a call,
each as the library's over stock's, and whether the values are those of stock at everyday inputs.
With ``--write`` alone it writes ``docs/benchmarks-unrolled.md``.
"""

from __future__ import annotations

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
from aesara.compile.mode import Mode

import kanrewrite

MODE = Mode(linker="py", optimizer="fast_run")
STATES, WIDTH = 3, 4
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks-unrolled.md"
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


def transformer(layers: int) -> Model:
    """Layers of attention and of a perceptron, each with weights of its own."""
    x: Any = at.dmatrix("x")
    inputs: list[tuple[Any, tuple[int, ...]]] = [(x, (5, WIDTH))]
    h = x
    for n in range(layers):
        q, k, v, w = (at.dmatrix(f"{name}{n}") for name in "qkvw")
        inputs += [(weights, (WIDTH, WIDTH)) for weights in (q, k, v, w)]
        e = at.exp(at.dot(at.dot(h, q), at.dot(h, k).T) / WIDTH**0.5)
        h = h + at.dot(e / e.sum(axis=1, keepdims=True), at.dot(h, v))
        h = h + at.tanh(at.dot(h, w))
    return inputs, (h**2).sum()


def normalised(h: Any) -> Any:
    """Rows of mean 0 and variance 1."""
    centred = h - h.mean(axis=1, keepdims=True)
    return centred / at.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)


def gelu(z: Any) -> Any:
    """A gaussian error linear unit."""
    return 0.5 * z * (1 + at.erf(z / 2**0.5))


def gelu_by_tanh(z: Any) -> Any:
    """The same, as it is approximated."""
    return 0.5 * z * (1 + at.tanh(0.7978845608 * (z + 0.044715 * z**3)))


def relu(z: Any) -> Any:
    """A rectified linear unit."""
    return at.maximum(z, 0.0)


def encoder(layers: int, activation: Callable[[Any], Any] = gelu) -> Model:
    """Layers of attention and of a perceptron that are normalised, and a cross-entropy."""
    x, y = at.dmatrix("x"), at.dmatrix("y")
    inputs: list[tuple[Any, tuple[int, ...]]] = [(x, (5, WIDTH)), (y, (5, WIDTH))]

    def weights(*shape: int) -> Any:
        w: Any = at.TensorType("float64", (None,) * len(shape))(f"w{len(inputs)}")
        inputs.append((w, shape))
        return w

    def scaled(h: Any) -> Any:
        return normalised(h) * weights(WIDTH) + weights(WIDTH)

    h: Any = x
    for _ in range(layers):
        a = scaled(h)
        q, k, v = (at.dot(a, weights(WIDTH, WIDTH)) for _ in range(3))
        e = at.exp(at.dot(q, k.T) / WIDTH**0.5)
        h = h + at.dot(at.dot(e / e.sum(axis=1, keepdims=True), v), weights(WIDTH, WIDTH))
        z = at.dot(scaled(h), weights(WIDTH, 2 * WIDTH)) + weights(2 * WIDTH)
        h = h + at.dot(activation(z), weights(2 * WIDTH, WIDTH)) + weights(WIDTH)
    e = at.exp(at.dot(scaled(h), weights(WIDTH, WIDTH)))
    loss = -(y * at.log(e / e.sum(axis=1, keepdims=True))).sum(axis=1).mean()
    return inputs, loss


def gates(steps: int) -> Model:
    """A long short-term memory, its gates written out."""
    x: Any = at.dmatrix("x")
    u: Any = at.dtensor3("u")
    w: Any = at.dtensor3("w")
    h: Any = at.zeros(WIDTH)
    c: Any = at.zeros(WIDTH)
    for t in range(steps):
        raw = [at.dot(x[t], u[n]) + at.dot(h, w[n]) for n in range(4)]
        first, last, out = (1 / (1 + at.exp(-r)) for r in raw[:3])
        c = first * c + last * at.tanh(raw[3])
        h = out * at.tanh(c)
    shape = (4, WIDTH, WIDTH)
    return [(x, (steps, WIDTH)), (u, shape), (w, shape)], (h**2).sum()


def capsules(rounds: int) -> Model:
    """Capsules: votes are routed by softmaxes of how far they agree, and squashed."""
    votes: Any = at.dtensor3("votes")
    prior: Any = at.dmatrix("prior")
    b, v = prior, at.zeros((STATES, WIDTH))
    for _ in range(rounds):
        e = at.exp(b)
        c = e / e.sum(axis=1, keepdims=True)
        s = (c.dimshuffle(0, 1, "x") * votes).sum(axis=0)
        size = (s**2).sum(axis=1, keepdims=True)
        v = size / (1 + size) * s / at.sqrt(size)
        b = b + (votes * v.dimshuffle("x", 0, 1)).sum(axis=2)
    return [(votes, (5, STATES, WIDTH)), (prior, (5, STATES))], (v**2).sum()


def memory(hops: int) -> Model:
    """A memory network: a question that is answered by weighted memories, hop by hop."""
    question, keys, values = at.dvector("question"), at.dmatrix("keys"), at.dmatrix("values")
    u: Any = question
    for _ in range(hops):
        e = at.exp(at.dot(keys, u))
        u = u + at.dot(e / e.sum(), values)
    answer = at.exp(u)
    inputs = [(question, (WIDTH,)), (keys, (5, WIDTH)), (values, (5, WIDTH))]
    return inputs, -at.log((answer / answer.sum())[0])


def bells(steps: int) -> Model:
    """A recurrence of bells: each step adds what is near to 0."""
    x: Any = at.dmatrix("x")
    w: Any = at.dmatrix("w")
    h = x
    for _ in range(steps):
        h = h + 0.1 * at.tanh(at.dot(h, w)) * at.exp(-(h**2))
    return [(x, (5, WIDTH)), (w, (WIDTH, WIDTH))], (h**2).sum()


MODELS: dict[str, tuple[Callable[[int], Model], tuple[int, ...]]] = {
    "regimes": (regimes, (2, 4, 8)),
    "hidden": (hidden, (4, 8, 16)),
    "labels": (labels, (2, 4, 8)),
    "attention": (attention, (2, 4, 8)),
    "transformer": (transformer, (1, 2, 4)),
    "encoder": (encoder, (1, 2, 4)),
    "gates": (gates, (2, 4, 8)),
    "capsules": (capsules, (1, 2, 3)),
    "memory": (memory, (1, 2, 4)),
    "bells": (bells, (2, 4, 8)),
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


def compared(stock: Any, ours: Any, data: list[Any], got: list[Any]) -> tuple[str, str]:
    """Whether the values are those of stock, and the ratio of the times of a call."""
    try:
        wanted = stock(*data)
    except AttributeError:  # Aesara runs no fused operator of more than 31 operands in Python
        return "stock raises", ""
    pairs = zip(wanted, got, strict=True)
    same = all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs)
    return "yes" if same else "NO", f"{run_time(ours, data) / run_time(stock, data):.1f}"


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
        got = ours(*data)
    except Exception as error:  # noqa: BLE001  # a row of the table says so, and the others follow
        same, speed = "NO", type(error).__name__
    else:
        same, speed = compared(stock, ours, data, got)
    return (
        f"| {name} | {steps} | {after / before:.2f} ({before:.2f} s) | {nodes[1] / nodes[0]:.2f} "
        f"({nodes[0]}) | {speed} | {same} |"
    )


def table(runs: list[tuple[str, int]]) -> list[str]:
    """The lines of the table, printed as they come."""
    lines = ["| model | steps | compile | nodes | run | values of stock |", "| --- " * 6 + "|"]
    print("\n".join(lines))
    for name, steps in runs:
        lines.append(row(name, steps))
        print(lines[-1], flush=True)
    return lines


def page(lines: list[str], day: str) -> str:
    """What is written into the documentation."""
    return "\n".join([
        "# What unrolled models cost",
        "",
        "Value and gradients of models whose steps are written out, Python linker, `fast_run`:",
        "processor time of a compilation, nodes of the compiled function and median time of a",
        "call, each as the library's over that of stock Aesara (which is in brackets). Inputs are",
        "small and everyday ones, so that both are right: a call is mostly the cost of its nodes.",
        "",
        *lines,
        "",
        f"Measured on {day}; `python -m tests.benchmarks.unrolled --write` writes this page.",
        "",
    ])  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the table, or write it."""
    names = [name for name in arguments if name != "--write"]
    runs = []
    for name in names or MODELS:
        model, _, steps = name.partition(":")
        runs += [(model, n) for n in ((int(steps),) if steps else MODELS[model][1])]
    lines = table(runs)
    if "--write" in arguments:
        PAGE.write_text(page(lines, date.today().isoformat()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
