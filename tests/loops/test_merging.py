"""Equal loops become one, however their steps are written; near ones stay two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.builders import OpFromGraph
from aesara.compile.mode import Mode, optdb
from aesara.graph.fg import FunctionGraph
from aesara.scan.op import Scan

import kanrewrite
from kanrewrite.inner.merging import MergePass

Pair = Callable[[Any, Any], tuple[Any, Any]]
PYTHON = Mode(linker="py", optimizer="fast_run").excluding("scan_merge")


def scan(step: Any, *sequences: Any, start: Any = None, **options: Any) -> Any:
    info = None if start is None else [start]
    return aesara.scan(step, sequences=list(sequences), outputs_info=info, **options)[0]


def zeros() -> Any:
    return at.zeros(3)


def soft(row: Any) -> Any:
    return at.exp(row) / at.exp(row).sum()


def softer(row: Any) -> Any:
    return 1 / (at.exp(row).sum() * at.exp(-row))


def states(one: Any, other: Any) -> Pair:
    return lambda x, y: (scan(one, x, start=zeros()), scan(other, x, start=zeros()))


def taps(step: Any, *which: int) -> Any:
    def made(x: Any) -> Any:
        return scan(step, x, start={"initial": at.zeros((3, 3)), "taps": list(which)})

    return made


#: Written differently, the same modulo the algebra of the library.
EQUAL: dict[str, Pair] = {
    "commuted": states(lambda a, s: a * s + s, lambda a, s: s + s * a),
    "reassociated": states(lambda a, s: (a + s) + at.tanh(s), lambda a, s: a + (s + at.tanh(s))),
    "distributed": states(lambda a, s: a * (s + a), lambda a, s: a * s + a * a),
    "exponents": states(lambda a, s: at.exp(a) * at.exp(s), lambda a, s: at.exp(a + s)),
    "softmax": states(lambda a, s: soft(a + s), lambda a, s: softer(s + a)),
    "below an operator": states(
        lambda a, s: at.tanh(at.cos(a) * s), lambda a, s: at.tanh(s * at.cos(a))
    ),
    "quotients": states(
        lambda a, s: at.tanh(s) / at.cos(a), lambda a, s: at.tanh(s) * at.cos(a) ** -1
    ),
    "maxima": states(
        lambda a, s: at.maximum(a, at.maximum(s, 0)), lambda a, s: at.maximum(at.maximum(0, a), s)
    ),
    "conditions": states(
        lambda a, s: at.switch(at.eq(a, s) | (a > 1), a, s),
        lambda a, s: at.switch((a > 1) | at.eq(s, a), a, s),
    ),
    "taps in another order": lambda x, y: (
        taps(lambda a, s, t: at.tanh(a + s * t) - t, -1, -2)(x),
        taps(lambda a, t, s: at.tanh(s * t + a) - t, -2, -1)(x),
    ),
    "sigmoid": states(lambda a, s: at.sigmoid(a) * s, lambda a, s: s / (1 + at.exp(-a))),
    "sequences permuted": lambda x, y: (
        scan(lambda a, b, s: a * at.tanh(b) + s, x, y, start=zeros()),
        scan(lambda b, a, s: s + at.tanh(b) * a, y, x, start=zeros()),
    ),
    "what does not change, permuted": lambda x, y: (
        scan(
            lambda a, s, p, q: at.tanh(a * p + q + s), x, start=zeros(), non_sequences=[y[0], y[1]]
        ),
        scan(
            lambda a, s, q, p: at.tanh(q + s + a * p), x, start=zeros(), non_sequences=[y[1], y[0]]
        ),
    ),
    "gradient truncated alike": lambda x, y: tuple(
        scan(step, x, start=zeros(), truncate_gradient=2)
        for step in (lambda a, s: at.tanh(a) - s, lambda a, s: -s + at.tanh(a))
    ),
    "two states, permuted": lambda x, y: (
        aesara.scan(lambda a, s, t: [s * a, t + s], [x], [zeros(), zeros() + 1])[0][1],
        aesara.scan(lambda a, t, s: [s + t, a * s], [x], [zeros() + 1, zeros()])[0][0],
    ),
}
#: Near ones, which are not the same.
NEAR: dict[str, Pair] = {
    "another start": lambda x, y: (
        scan(lambda a, s: a * s, x, start=zeros()),
        scan(lambda a, s: s * a, x, start=zeros() + 1),
    ),
    "another sequence": lambda x, y: (
        scan(lambda a, s: a + s, x, start=zeros()),
        scan(lambda a, s: a + s, y, start=zeros()),
    ),
    "another sequence of that length": lambda x, y: (
        scan(lambda a, s: a + s, x, start=zeros()),
        scan(lambda a, s: a + s, at.exp(x), start=zeros()),
    ),
    "another vector": lambda x, y: (
        scan(lambda a, s, p: at.tanh(a + s) * p, x, start=zeros(), non_sequences=[y[0]]),
        scan(lambda a, s, p: at.tanh(a + s) * p, x, start=zeros(), non_sequences=[y[1]]),
    ),
    "sequences exchanged": lambda x, y: (
        scan(lambda a, b, s: a + at.tanh(b) * s, x, at.exp(x), start=zeros()),
        scan(lambda a, b, s: a + at.tanh(b) * s, at.exp(x), x, start=zeros()),
    ),
    "zeros of another length": lambda x, y: (
        scan(lambda a: at.zeros_like(a), x),
        scan(lambda a: at.zeros_like(a), x[:, 1:]),
    ),
    "another part of it": lambda x, y: (scan(soft, x), scan(soft, x[1:])),
    "another tap": lambda x, y: (
        taps(lambda a, s, t: a + s * t, -1, -2)(x),
        taps(lambda a, s, t: a + s * t, -1, -3)(x),
    ),
    "taps exchanged": lambda x, y: (
        taps(lambda a, s, t: a + s - t, -1, -2)(x),
        taps(lambda a, s, t: a + t - s, -1, -2)(x),
    ),
    "another axis": lambda x, y: (
        scan(lambda a, m: at.dot(a, m).sum() + m.sum(0), x, non_sequences=[y]),
        scan(lambda a, m: at.dot(a, m).sum() + m.sum(1), x, non_sequences=[y]),
    ),
    "another operator": states(lambda a, s: a - s, lambda a, s: s - a),
    "another constant": states(lambda a, s: 2 * a + s, lambda a, s: 3 * a + s),
    "another number of steps": lambda x, y: (
        scan(lambda s: 2 * s, start=x, n_steps=3),
        scan(lambda s: 2 * s, start=x, n_steps=4),
    ),
    "backwards": lambda x, y: (
        scan(lambda a, s: a + s, x, start=zeros()),
        scan(lambda a, s: a + s, x, start=zeros(), go_backwards=True),
    ),
    "gradient truncated": lambda x, y: (
        scan(lambda a, s: a + s, x, start=zeros()),
        scan(lambda a, s: a + s, x, start=zeros(), truncate_gradient=2),
    ),
}


def merged(inputs: list[Any], outputs: list[Any]) -> tuple[FunctionGraph, MergePass]:
    """A graph after everything of the library that comes before Aesara's work on loops."""
    fgraph = FunctionGraph(inputs, outputs, clone=True, copy_inputs=False)
    kanrewrite.enable()
    try:
        passes: Any = optdb.query("+fast_run")
        merging = next(p for p in passes if isinstance(p, MergePass))
        for rewriter in passes[: list(passes).index(merging) + 1]:
            rewriter.rewrite(fgraph)
    finally:
        kanrewrite.disable()
    return fgraph, merging


def loops(fgraph: Any, kind: Any = Scan) -> int:
    return len({out for out in fgraph.apply_nodes if isinstance(out.op, kind)})


@pytest.mark.spared
@pytest.mark.parametrize("name", EQUAL)
def test_equal_loops_become_one(name: str) -> None:
    x, y = at.matrices("xy")
    fgraph, _ = merged([x, y], list(EQUAL[name](x, y)))
    assert loops(fgraph) == 1


@pytest.mark.parametrize("name", NEAR)
def test_near_loops_stay_two(name: str) -> None:
    x, y = at.matrices("xy")
    fgraph, _ = merged([x, y], list(NEAR[name](x, y)))
    assert loops(fgraph) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [*EQUAL, *NEAR])
def test_values_stay_the_same(name: str) -> None:
    x, y = at.matrices("xy")
    outputs = list((EQUAL | NEAR)[name](x, y))
    values = np.random.default_rng(0).normal(size=(2, 3, 3))
    expected = aesara.function([x, y], outputs, mode=PYTHON, on_unused_input="ignore")(*values)
    kanrewrite.enable()
    f = aesara.function([x, y], outputs, mode=PYTHON, on_unused_input="ignore")
    kanrewrite.disable()
    for a, b in zip(f(*values), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.slow
def test_second_gradients_of_a_loop_stay_apart() -> None:
    """Their steps are the same graph, over other sequences."""
    start, x = at.matrix("start"), at.vector("x")
    info = [{"initial": start, "taps": [-2]}, x]
    sums, _ = aesara.scan(lambda a, b: [(a + b) ** 1.5] * 2, outputs_info=info, n_steps=3)
    grad: Any = aesara.grad
    cost = grad(sums[0].sum(), start).sum() + grad(sums[1].sum(), x).sum()
    outputs = grad(cost, [start, x])
    values = np.array([[0.5, 2.0], [1.5, 0.25]]), np.array([0.75, 1.0])
    expected = aesara.function([start, x], outputs, mode=PYTHON)(*values)
    kanrewrite.enable()
    f = aesara.function([start, x], outputs, mode=PYTHON)
    kanrewrite.disable()
    for a, b in zip(f(*values), expected, strict=True):
        np.testing.assert_allclose(a, b)


def test_equal_loops_with_different_outputs_become_one_with_both() -> None:
    x = at.matrix("x")
    one, _ = aesara.scan(lambda a, s: [at.tanh(a * s), a + s], [x], [zeros() + 1, None])
    other, _ = aesara.scan(lambda a, s: [at.tanh(s * a), a - s], [x], [zeros() + 1, None])
    kanrewrite.enable()
    f = aesara.function([x], [one[1], other[1]], mode=Mode(linker="py", optimizer="fast_run"))
    kanrewrite.disable()
    assert loops(f.maker.fgraph) == 1
    total, difference = f(np.eye(3))
    np.testing.assert_array_equal(total + difference, 2 * np.eye(3))


def test_ops_made_from_graphs() -> None:
    x, y, a, b = at.matrices("xyab")
    ops = [
        OpFromGraph([a, b], [a * at.tanh(b)])(x, y),
        OpFromGraph([b, a], [at.tanh(b) * a])(y, x),
        OpFromGraph([a, b], [a * at.tanh(b)])(y, x),
    ]
    fgraph, _ = merged([x, y], ops)
    assert loops(fgraph, OpFromGraph) == 2
    assert fgraph.outputs[0] is fgraph.outputs[1] is not fgraph.outputs[2]


def test_loops_after_loops() -> None:
    """What follows equal loops is the same, and its loops are merged next."""
    x, y = at.matrices("xy")
    one, other = EQUAL["commuted"](x, y)
    ends = [
        scan(lambda a, s: at.tanh(a) * s, one, start=zeros()),
        scan(lambda a, s: s * at.tanh(a), other, start=zeros()),
    ]
    fgraph, _ = merged([x, y], ends)
    assert loops(fgraph) == 2
    assert fgraph.outputs[0] is fgraph.outputs[1]


def test_a_loop_is_not_put_for_what_it_is_computed_from() -> None:
    x, y = at.matrices("xy")
    small = scan(lambda a, s: at.tanh(a) + s, x, start=zeros())
    # The longer way to the same result, of which nothing may come before itself.
    big = aesara.scan(lambda a, b, s: [s + at.tanh(a), b * 2], [x, small], [zeros(), None])[0]
    fgraph, _ = merged([x, y], [small, *big])
    assert fgraph.outputs[0].owner is not None
    assert loops(fgraph) == 2
    f = aesara.function([x], [small, *big], mode=PYTHON)
    values = f(np.eye(3))
    np.testing.assert_allclose(values[0], values[1])


@pytest.mark.parametrize("size", [4, pytest.param(16, marks=pytest.mark.slow)])
def test_nodes_visited_grow_with_loops_times_nodes(size: int) -> None:
    """Not with pairs of loops."""

    def step(shift: float) -> Any:
        def stepped(a: Any, s: Any) -> Any:
            for _ in range(size):
                s = at.tanh(s + a)
            return s + shift

        return stepped

    counts = []
    for n in (5, 10, 20):
        x = at.matrix("x")
        outputs = [scan(step(k + 0.5), x, start=zeros()) for k in range(n)]
        counts.append(merged([x], outputs)[1].visited)
    assert counts[1] == 2 * counts[0]
    assert counts[2] == 4 * counts[0]
