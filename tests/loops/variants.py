"""Loops of models in other words: what is normalised late, wrongly, by hand, or not at all."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np

from tests.loops.corpus import loop, scan, take, upstream
from tests.loops.models import several

ZERO = at.constant(np.float64(0.0))


@loop((5, 4))
def beams_of_products(x: Any) -> Any:
    """The probability of each beam's best continuation, a product of all that came before."""

    def step(row: Any, s: Any) -> Any:
        p = at.exp(row) / at.exp(row).sum()
        joint = s[:, None] * p[None, :] * at.constant(np.eye(4) + 0.25)
        return joint.max(axis=1)

    return at.log(scan(step, x, state=at.ones(4)))


@loop((6, 5))
def labels_and_blanks_in_logs(x: Any) -> Any:
    """Alignments in logs, as written: a log of a sum of exponentials of shifted states."""
    allowed = at.constant(np.array([0.0, 0.0, 1.0, 0.0, 1.0]))

    def step(row: Any, a: Any) -> Any:
        one = at.concatenate([at.constant(np.full(1, -np.inf)), a[:-1]])
        two = at.concatenate([at.constant(np.full(2, -np.inf)), a[:-2]])
        logp = row - at.log(at.exp(row).sum())
        return logp + at.log(at.exp(a) + at.exp(one) + allowed * at.exp(two))

    first = at.constant(np.log([0.5, 0.5, 0.125, 0.0625, 0.0625]))
    last = scan(step, x, state=first)[-1]
    return -at.log(at.exp(last[-1]) + at.exp(last[-2]))


@loop((6, 5))
def labels_and_blanks_in_products(x: Any) -> Any:
    """The same in probabilities, which are rescaled never."""
    allowed = at.constant(np.array([0.0, 0.0, 1.0, 0.0, 1.0]))

    def step(row: Any, a: Any) -> Any:
        p = at.exp(row) / at.exp(row).sum()
        new = a + at.set_subtensor(at.zeros(5)[1:], a[:-1])
        return p * (new + allowed * at.set_subtensor(at.zeros(5)[2:], a[:-2]))

    last = scan(step, x, state=at.constant(np.array([1.0, 1.0, 0.0, 0.0, 0.0])))[-1]
    return -at.log(last[-1] + last[-2])


@loop((5, 4), fixed=((5, 4),))
def particles_and_their_number(x: Any, values: Any) -> Any:
    """Weights of particles, the mean by them, and how many they are worth."""

    def step(row: Any, v: Any, w: Any) -> Any:
        w = w * at.exp(row)
        w = w / w.sum()
        return w, (w * v).sum(), at.log(1 / at.square(w).sum())

    _, mean, worth = several(step, x, values, states=[at.ones(4) / 4, None, None])
    return at.concatenate([mean, worth])


@loop((5, 3), fixed=((5, 3),))
def gains_of_variances(x: Any, z: Any) -> Any:
    """A filter whose noise has the exponentials of logits as its variances."""

    def step(row: Any, obs: Any, m: Any, v: Any) -> Any:
        noise = at.exp(row)
        k = v / (v + noise)
        return m + k * (obs - m), k * noise + 0.5

    return several(step, x, z, states=[at.zeros(3), at.ones(3)])[0]


@loop((5, 3), fixed=((5, 3),))
def attention_by_the_last_maximum(k: Any, v: Any) -> Any:
    """A running maximum that comes a step too late: what is larger than all before overflows."""

    def step(row: Any, val: Any, m: Any, d: Any, n: Any) -> Any:
        new = at.maximum(m, row)
        w = at.exp(row - m)
        scale = at.exp(m - new)
        return new, (d + w) * scale, (n + w * val) * scale

    _, d, n = several(step, k, v, states=[at.zeros(3), at.zeros(3), at.zeros(3)])
    return n[-1] / d[-1]


@loop((4, 3), (4, 3))
def transducer(blank: Any, label: Any) -> Any:
    """Paths through a grid, by a loop over labels in one over time, in probabilities."""

    def step(b: Any, y: Any, above: Any) -> Any:
        stay = at.exp(b) / (at.exp(b) + at.exp(y))
        move = at.exp(y) / (at.exp(b) + at.exp(y))
        come = above * stay
        row, _ = aesara.scan(lambda c, m, left: c + left * m, [come, move], [ZERO])
        return row

    first = at.constant(np.array([1.0, 0.5, 0.25]))
    return -at.log(scan(step, blank, label, state=first)[:, -1])


@loop((5, 3), (3, 3, 3))
def inside_of_a_left_branching_grammar(words: Any, rules: Any) -> Any:
    """The inside probability of each prefix, each rule the exponential of its score."""
    share = at.exp(rules) / at.exp(rules).sum(axis=(1, 2), keepdims=True)

    def step(word: Any, s: Any) -> Any:
        return (share * s[None, :, None] * at.exp(word)[None, None, :]).sum(axis=(1, 2))

    return at.log(scan(step, words, state=at.ones(3)).sum(1))


@loop((5, 3), fixed=((3, 3),))
def soft_viterbi_of_a_temperature(x: Any, a: Any) -> Any:
    t = 0.25

    def step(row: Any, s: Any) -> Any:
        return row + t * at.log(at.exp((s[:, None] + a) / t).sum(0))

    last = scan(step, x, state=at.zeros(3))[-1]
    return at.exp(last / t) / at.exp(last / t).sum()


@loop((3, 3))
def sinkhorn_by_scalings(x: Any) -> Any:
    """Scalings of rows and columns, in turn, of what is exponentiated once."""
    kernel = at.exp(x)

    def step(u: Any, v: Any) -> Any:
        u = 1 / at.dot(kernel, v)
        return u, 1 / at.dot(kernel.T, u)

    u, v = several(step, states=[at.ones(3), at.ones(3)], n_steps=4)
    return u[-1][:, None] * kernel * v[-1][None, :]


@loop((2,), (5, 2, 3))
def mixture_of_hidden_models(weights: Any, x: Any) -> Any:
    """The likelihood of some chains, mixed after the loop."""
    move = at.constant(np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]]))
    mixed = at.exp(weights) / at.exp(weights).sum()
    alpha = scan(lambda row, s: at.dot(s, move) * at.exp(row), x, state=at.ones((2, 3)) / 3)
    return at.log((mixed * alpha[-1].sum(1)).sum())


@loop((4, 3))
def dropped_by_hand(x: Any) -> Any:
    """Attention over what is left of it: each step takes away what it has looked at."""

    def step(row: Any, left: Any) -> Any:
        e = at.exp(row) * left
        p = e / e.sum()
        return left * (1 - 0.5 * p), p

    return several(step, x, states=[at.ones(3), None])[1]


@loop((5, 3))
def nothing_to_do(x: Any) -> Any:
    """A control: no exponential that may overflow."""
    return scan(lambda row, s: 0.5 * s + at.tanh(row) / (1 + at.square(s)), x, state=at.zeros(3))


@loop((5, 3))
def logs_of_sums_of_squares(x: Any) -> Any:
    """Another one: a log that is asked for, of what neither grows nor vanishes."""
    return at.log(scan(lambda row, s: s + at.square(row), x, state=at.ones(3)))


@loop((4, 3))
def mirror_descent_that_looks_ahead(x: Any) -> Any:
    """Shares move by the slope at where they would move to; the log of the largest is kept."""

    def step(row: Any, p: Any) -> Any:
        ahead = p * at.exp(-row)
        ahead = ahead / ahead.sum()
        p = p * at.exp(-ahead * row)
        p = p / p.sum()
        return p, at.log(p.max())

    return several(step, x, states=[at.ones(3) / 3, None])[1]


@loop((5, 3), (3, 3))
def likeliest_path_by_pointers(x: Any, a: Any) -> Any:
    """The best state before each is found first, then picked, in products of probabilities."""

    def step(row: Any, s: Any) -> Any:
        joint = s[:, None] * at.exp(a)
        best = at.argmax(joint, axis=0)
        s = joint[best, at.arange(3)] * at.exp(row)
        return s / s.max(), at.log(s.max())

    return several(step, x, states=[at.ones(3), None])[1]


@loop((3, 3), fixed=((3, 3),))
def hessian_product_of_scalings(x: Any, direction: Any) -> Any:
    return take.hvp(upstream(sinkhorn_by_scalings(x)), x, direction)


@loop((5, 3), fixed=((5, 3), (5, 3)))
def hessian_product_of_gains(x: Any, z: Any, direction: Any) -> Any:
    return take.hvp(upstream(gains_of_variances(x, z)), x, direction)


@loop((4,))
def how_many_succeed(x: Any) -> Any:
    """The distribution of a count: each trial, of its own probability, moves it up or not."""
    p = 1 / (1 + at.exp(-x))

    def step(share: Any, f: Any) -> Any:
        return f * (1 - share) + at.concatenate([at.zeros(1), f[:-1]]) * share

    first = at.constant(np.eye(5)[0])
    return at.log(scan(step, p, state=first)[-1])


def _evidence(x: Any, a: Any) -> Any:
    moves = at.exp(a) / at.exp(a).sum(axis=1, keepdims=True)
    found = scan(lambda row, s: at.dot(s, moves) * at.exp(row), x, state=at.ones(3) / 3)
    return at.log(found[-1].sum())


@loop((5, 3), (3, 3), fixed=((5, 3),))
def hessian_product_of_evidence(x: Any, a: Any, direction: Any) -> Any:
    """Hidden states in probability space, whose transitions are a softmax."""
    return take.hvp(_evidence(x, a), x, direction)
