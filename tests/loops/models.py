"""Loops of whole models: hidden states, alignments, memories, iterations of an algorithm."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.compile.builders import OpFromGraph
from aesara.ifelse import ifelse
from aesara.scan.utils import until

from tests.loops.corpus import loop, scan, soft, total


def several(step: Any, *sequences: Any, states: list[Any], **options: Any) -> list[Any]:
    """The results of all steps of a loop; None for what is only collected."""
    results, _ = aesara.scan(step, sequences=list(sequences), outputs_info=states, **options)
    return results  # type: ignore[no-any-return]


# -- hidden states -----------------------------------------------------------------------------


@loop((5, 3), (3, 3))
def forward_and_backward(x: Any, a: Any) -> Any:
    """Posteriors of hidden states, of products of probabilities."""
    move, first = at.exp(a), at.ones(3)
    alpha = scan(lambda row, s: at.dot(s, move) * at.exp(row), x, state=first)
    beta = scan(lambda row, s: at.dot(move, s * at.exp(row)), x[::-1], state=first)[::-1]
    both = alpha[:-1] * beta[1:]
    return both / both.sum(1, keepdims=True)


@loop((5, 3), (3, 3))
def forward_and_backward_in_logs(x: Any, a: Any) -> Any:
    first = at.zeros(3)
    alpha = scan(lambda row, s: total(s[:, None] + a, 0) + row, x, state=first)
    beta = scan(lambda row, s: total(a + (s + row)[None, :], 1), x[::-1], state=first)[::-1]
    both = at.exp(alpha[:-1] + beta[1:])
    return both / both.sum(1, keepdims=True)


@loop((5, 3), (3, 3))
def likeliest_path(x: Any, a: Any) -> Any:
    """The algorithm of Viterbi, in products of probabilities."""
    move = at.exp(a)
    step = lambda row, s: (s[:, None] * move).max(0) * at.exp(row)  # noqa: E731
    return at.log(scan(step, x, state=at.ones(3)))


@loop((3, 4, 2), (2, 2))
def likelihood_of_each_sequence(x: Any, a: Any) -> Any:
    def one(rows: Any) -> Any:
        step = lambda row, s: at.dot(s, at.exp(a)) * at.exp(row)  # noqa: E731
        return at.log(scan(step, rows, state=at.ones(2))[-1].sum())

    return scan(one, x)


@loop((5, 4))
def particle_weights(x: Any) -> Any:
    """Weights normalised in each step, and the effective number of particles."""

    def step(row: Any, w: Any) -> Any:
        w = w * at.exp(row)
        w = w / w.sum()
        return w, 1 / at.square(w).sum()

    weights, number = several(step, x, states=[at.ones(4) / 4, None])
    return at.concatenate([weights, number[:, None]], 1)


@loop((3, 3))
def continuous_time(x: Any) -> Any:
    """Small steps of a chain whose rates are shares."""
    rate = at.exp(x) / at.exp(x).sum(1, keepdims=True)

    def step(p: Any) -> Any:
        p = p + 0.125 * (at.dot(p, rate) - p)
        return p, at.log(p)

    return several(step, states=[at.ones(3) / 3, None], n_steps=4)[1]


@loop((5, 2), fixed=((2, 2),))
def filtered(x: Any, w: Any) -> Any:
    """As in a Kalman filter: gains are ratios of variances."""

    def step(row: Any, m: Any, p: Any) -> Any:
        k = p / (p + at.exp(row))
        return m + k * (row / 64 - m), (1 - k) * p + at.exp(w[0])

    return several(step, x, states=[at.zeros(2), at.ones(2)])[0]


# -- alignments and searches -------------------------------------------------------------------


@loop((5, 6))
def paths_with_blanks(x: Any) -> Any:
    """Stay, advance by one, or leave a blank out, in products of probabilities."""
    skip = at.constant(np.array([0.0, 0, 0, 1, 0, 1]))

    def step(row: Any, s: Any) -> Any:
        one = at.concatenate([at.zeros(1), s[:-1]])
        two = at.concatenate([at.zeros(2), s[:-2]])
        return (s + one + skip * two) * at.exp(row)

    s = scan(step, x, state=at.constant(np.array([1.0, 0, 0, 0, 0, 0])))
    return at.log(s[-1, 2:4].sum())


@loop((6, 3))
def sums_of_two_back(x: Any) -> Any:
    info = {"initial": at.ones((2, 3)), "taps": [-2, -1]}
    return at.log(several(lambda row, a, b: (a + b) * at.exp(row), x, states=[info]))


@loop((5, 3))
def normalised_by_the_largest(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        w = at.exp(row) * s
        return w / w.max(), at.log(w.max())

    return several(step, x, states=[at.ones(3), None])[1]


@loop((4, 2, 3), fixed=((3,),))
def largest_of_sums(x: Any, b: Any) -> Any:
    def step(rows: Any, s: Any) -> Any:
        return at.log((at.exp(rows[0]) + at.exp(rows[1] + s)).max()) + 0.5 * s

    return scan(step, x, state=b)


@loop((5, 3))
def until_it_vanishes(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        s = s * at.exp(row) / (1 + at.exp(row))
        return (s, at.log(s)), until(at.lt(s.max(), 1e-9))

    return several(step, x, states=[at.ones(3), None])[1]


@loop((5, 3))
def what_is_left_of_a_stick(x: Any) -> Any:
    """Each step breaks a share off, of what is left."""

    def step(row: Any, left: Any) -> Any:
        share = 1 / (1 + at.exp(-row))
        return left * (1 - share), at.log(left * share)

    return several(step, x, states=[at.ones(3), None])[1]


# -- nets --------------------------------------------------------------------------------------


@loop((4, 3), fixed=((3, 3), (3, 3)))
def long_short_term_memory(x: Any, w: Any, u: Any) -> Any:
    def gate(v: Any) -> Any:
        return 1 / (1 + at.exp(-v))

    def step(row: Any, h: Any, c: Any) -> Any:
        z = row + at.dot(h, w)
        c = gate(z) * c + gate(-z) * at.tanh(at.dot(row, u))
        h = gate(row) * at.tanh(c)
        o = at.dot(h, 500 * u)
        return h, c, o - total(o)

    return several(step, x, states=[at.zeros(3), at.zeros(3), None])[2]


@loop((4, 3), fixed=((4, 2), (3, 2)))
def memory_that_is_written(x: Any, values: Any, memory: Any) -> Any:
    def step(row: Any, value: Any, m: Any) -> Any:
        w = soft(row)
        m = m * (1 - w[:, None]) + w[:, None] * value[None, :]
        return m, at.dot(w, m)

    return several(step, x, values, states=[memory, None])[1]


@loop((4, 3), fixed=((4, 2), (3, 2, 2)))
def mixture_of_experts(x: Any, inputs: Any, w: Any) -> Any:
    def step(row: Any, v: Any, h: Any) -> Any:
        gate = soft(row + h.sum())
        return (gate[:, None] * at.tanh(at.tensordot(w, v + h, [[2], [0]]))).sum(0)

    return scan(step, x, inputs, state=at.zeros(2))


@loop((5, 3))
def streamed_attention(x: Any) -> Any:
    """A running sum of weights, and one of weighted values."""

    def step(row: Any, n: Any, d: Any) -> Any:
        n, d = n + at.exp(row) * row, d + at.exp(row)
        return n, d, n / d

    return several(step, x, states=[at.zeros(3), at.zeros(3), None])[2]


@loop((6, 3), fixed=((3, 3),))
def truncated_softmax_output(x: Any, w: Any) -> Any:
    def step(row: Any, h: Any) -> Any:
        h = at.tanh(row / 1024 + at.dot(h, w))
        return h, -at.log(soft(row + h)[1])

    return several(step, x, states=[at.zeros(3), None], truncate_gradient=3)[1]


@loop((4, 3), fixed=((3, 3),))
def op_from_graph_over_a_state(x: Any, w: Any) -> Any:
    r, s = at.vectors("rs")
    op = OpFromGraph([r, s], [soft(r + s), total(r + s)])
    return several(lambda row, p: op(row, at.dot(p, w)), x, states=[at.zeros(3), None])[1]


@loop((4, 3))
def branch_of_a_state(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        p = soft(row + s)
        return ifelse(at.gt(p[0], 0.5), s + at.log(p), s - total(row))

    return scan(step, x, state=at.zeros(3))


# -- algorithms --------------------------------------------------------------------------------


@loop((3, 4))
def sinkhorn_by_potentials(x: Any) -> Any:
    k = at.exp(-x)

    def step(v: Any) -> Any:
        u = 1 / at.dot(k, v)
        return 1 / at.dot(k.T, u), u

    v, u = several(step, states=[at.ones(4), None], n_steps=3)
    return u[-1][:, None] * k * v[-1][None, :]


@loop((5,), (2,))
def expectation_maximisation(x: Any, mu: Any) -> Any:
    """Likelihoods of a mixture of two normals."""

    def step(mu: Any) -> Any:
        d = at.exp(-0.5 * at.square((x[:, None] - mu[None, :]) / 64))
        r = d / d.sum(1, keepdims=True)
        return (r * x[:, None]).sum(0) / r.sum(0), at.log(d.sum(1)).sum()

    return several(step, states=[mu, None], n_steps=2)[1]


@loop((5, 3))
def running_evidence(x: Any) -> Any:
    def step(row: Any, s: Any, z: Any) -> Any:
        s = s + row
        return s, at.log(at.exp(z) + at.exp(s).sum())

    return several(step, x, states=[at.zeros(3), at.zeros(())])[1]
