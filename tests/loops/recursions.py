"""Loops of inference, decisions and searches: what they multiply, normalise, choose and hand on."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.scan.utils import until

from tests.loops.corpus import added, loop, scan, soft, take, total, upstream
from tests.loops.models import several

# -- inference ---------------------------------------------------------------------------------


@loop((5, 3), (3, 3))
def filter_by_einsum(x: Any, a: Any) -> Any:
    """Transitions that are softmaxes of rows, a state that is a distribution."""
    move = at.exp(a) / at.exp(a).sum(axis=1, keepdims=True)

    def step(row: Any, s: Any) -> Any:
        joint = (s[:, None] * move).sum(0) * at.exp(row)
        z = joint.sum()
        return joint / z, z

    s, z = several(step, x, states=[at.ones(3) / 3, None])
    return at.log(z).sum() + at.log(s[-1])


@loop((5, 2))
def changepoints(x: Any) -> Any:
    """Probabilities of run lengths, one more in each step."""

    def step(row: Any, r: Any) -> Any:
        like = at.exp(row[0]) * at.exp(row[1] * at.arange(6) / 8)
        grown = r[:-1] * like[:-1] * 0.75
        start = (r * like * 0.25).sum()
        r = at.concatenate([start.dimshuffle("x"), grown])
        return r / r.sum(), at.log(r.sum())

    return several(step, x, states=[at.constant(np.eye(6)[0]), None])[1]


@loop((5, 3))
def interacting_models(x: Any) -> Any:
    """A filter over models, whose likelihoods are those of a normal."""
    p = at.constant(np.full((3, 3), 0.125) + np.eye(3) * 0.625)

    def step(row: Any, mu: Any, m: Any) -> Any:
        c = at.dot(mu, p)
        like = at.exp(-0.5 * ((row - m) / 256) ** 2) / np.sqrt(2 * np.pi)
        mu = like * c / at.dot(like, c)
        return mu, m + mu * (row - m) / 4

    return several(step, x, states=[at.ones(3) / 3, at.zeros(3)])[0]


@loop((3, 3), (3, 3))
def loopy_beliefs(x: Any, a: Any) -> Any:
    """Messages along a ring, normalised in each round."""

    def step(m: Any) -> Any:
        m = at.dot(m * at.exp(x), at.exp(a))
        m = m / m.sum(-1, keepdims=True)
        return m[[1, 2, 0]]

    m = scan(step, state=at.ones((3, 3)) / 3, n_steps=3)[-1]
    b = m * at.exp(x)
    return at.log(b / b.sum(-1, keepdims=True))


@loop((5,))
def bayesian_knowledge_tracing(x: Any) -> Any:
    answers = at.constant(np.array([1.0, 1, 0, 1, 1]))

    def step(z: Any, y: Any, p: Any) -> Any:
        slip, guess = 1 / (1 + at.exp(z)), 0.25
        right, wrong = p * (1 - slip), p * slip
        seen = y * (right + (1 - p) * guess) + (1 - y) * (wrong + (1 - p) * (1 - guess))
        known = (y * right + (1 - y) * wrong) / seen
        return known + (1 - known) / 8, at.log(seen)

    return several(step, x, answers, states=[at.constant(np.float64(0.5)), None])[1]


@loop((5, 3))
def survival(x: Any) -> Any:
    """Who is left, and the log of who leaves, by hazards."""

    def step(row: Any, s: Any) -> Any:
        h = at.exp(row / 64) / (1 + at.exp(row / 64))
        return s * (1 - h), at.log(s) + at.log(h)

    s, leaves = several(step, x, states=[at.ones(3), None])
    return at.log(s) + leaves


@loop((5, 3))
def noisy_or(x: Any) -> Any:
    """That no cause has worked so far, and the log that one has."""

    def step(row: Any, none: Any) -> Any:
        none = none * (1 - 1 / (1 + at.exp(-row)))
        return none, at.log(1 - none)

    return several(step, x, states=[at.ones(3), None])[1]


@loop((5, 3))
def self_exciting(x: Any) -> Any:
    """Logs of intensities that decay between events."""

    def step(row: Any, a: Any) -> Any:
        a = at.exp(-at.exp(row / 1e5)) * (1 + a)
        return a, at.log(at.exp(row) + a)

    return several(step, x, states=[at.zeros(3), None])[1]


@loop((6, 4))
def resampled_when_few(x: Any) -> Any:
    """Weights of particles, even again where few of them count."""

    def step(row: Any, w: Any) -> Any:
        w = w * at.exp(row)
        z = w.sum()
        w = w / z
        few = at.lt(1 / (w**2).sum(), 1.5)
        return at.switch(few, at.ones(4) / 4, w), at.log(z)

    return several(step, x, states=[at.ones(4) / 4, None])[1]


# -- paths -------------------------------------------------------------------------------------


@loop((4, 3))
def softest_alignment(x: Any) -> Any:
    """Soft dynamic time warping: a loop in a loop, the smallest of three ways made soft."""

    def row_of(costs: Any, above: Any) -> Any:
        def cell(cost: Any, up: Any, corner: Any, left: Any) -> Any:
            return cost - at.log(at.exp(-up) + at.exp(-corner) + at.exp(-left))

        cells = scan(cell, costs, above[1:], above[:-1], state=at.constant(np.float64(50.0)))
        return at.concatenate([at.constant(np.array([50.0])), cells])

    first = at.constant(np.array([0.0, 50, 50, 50]))
    return scan(row_of, x, state=first)[-1, -1]


@loop((4, 4))
def edits(x: Any) -> Any:
    """Probabilities of edits, in products, a row of the table at a time."""

    def step(row: Any, above: Any) -> Any:
        p = at.exp(row)

        def cell(p: Any, up: Any, corner: Any, left: Any) -> Any:
            return p * (up + corner) + left / 4

        cells = scan(cell, p[1:], above[1:], above[:-1], state=above[0] * p[0])
        return at.concatenate([(above[0] * p[0]).dimshuffle("x"), cells])

    return at.log(scan(step, x, state=at.ones(4))[-1])


@loop((4, 4), (4,))
def inside_of_spans(x: Any, leaf: Any) -> Any:
    """Sums over the trees of all spans, wider ones in later steps; written into a table."""
    n = 4
    table = at.set_subtensor(at.zeros((n, n))[np.arange(n), np.arange(n)], at.exp(leaf))

    def step(width: Any, t: Any) -> Any:
        mask = at.eq(at.arange(n)[None, :] - at.arange(n)[:, None], width)
        upper = at.concatenate([t[1:], at.zeros((1, n))])
        return t + mask * at.dot(t, upper) * at.exp(x)

    found = scan(step, at.arange(1, n), state=table)[-1]
    return at.log(found[0])


@loop((5, 4))
def beam_with_a_mask(x: Any) -> Any:
    """Of the scores the best two stay, the others are minus infinity."""

    def step(row: Any, s: Any) -> Any:
        new = at.log(at.exp(s).sum()) + at.log(soft(row))
        first = at.eq(new, new.max())
        second = at.switch(first, -np.inf, new).max()
        return at.switch(at.ge(new, second), new, -np.inf)

    return at.exp(scan(step, x, state=at.zeros(4))[-1])


@loop((4, 4))
def pointers(x: Any) -> Any:
    """What was pointed at is masked from then on."""

    def step(row: Any, free: Any) -> Any:
        e = at.exp(row) * free
        p = e / e.sum()
        chosen = at.eq(at.arange(4), at.argmax(p))
        return free * (1 - chosen), -at.log((p * chosen).sum())

    return several(step, x, states=[at.ones(4), None])[1]


@loop((5, 3))
def soft_path(x: Any) -> Any:
    """Forward messages, each normalised by its largest."""

    def step(row: Any, s: Any) -> Any:
        joint = at.exp(row[:, None] - 0.5 * at.square(row[None, :] / 16)) * s[:, None]
        s = joint.sum(0)
        return s / at.max(s), at.log(at.max(s))

    return several(step, x, states=[at.ones(3), None])[1].cumsum()


# -- decisions ---------------------------------------------------------------------------------


@loop((3, 4), (3, 3))
def soft_value_iteration(q: Any, r: Any) -> Any:
    p = at.constant(np.full((4, 3), 0.25))

    def step(v: Any) -> Any:
        return at.log(at.exp(q + 0.5 * at.dot(r, v)[:, None] / 1e5).sum(1)) + at.dot(
            p.sum(0) / 4, v
        )

    return scan(step, state=at.zeros(3), n_steps=3)


@loop((3,), fixed=((5, 3),))
def gradient_bandit(h: Any, rewards: Any) -> Any:
    def step(reward: Any, h: Any, base: Any) -> Any:
        pi = at.exp(h) / at.exp(h).sum()
        gain = (pi * reward).sum() - base
        return h + gain * pi * (reward - (pi * reward).sum()), base + gain / 4, at.log(pi)

    return several(step, rewards, states=[h, at.constant(np.float64(0.0)), None])[2]


@loop((5, 2))
def ratings(x: Any) -> Any:
    """Who wins is likelier in the next game."""

    def step(row: Any, r: Any) -> Any:
        first = 1 / (1 + at.exp(r[1] - r[0] + row[1] - row[0]))
        r = r + (1 - first) * at.constant(np.array([0.5, -0.5]))
        return r, at.log(1 - first)

    return several(step, x, states=[at.zeros(2), None])[1]


@loop((3,), (4, 3))
def exponentiated_gradient(w: Any, x: Any) -> Any:
    """Mirror descent on a simplex, with a gradient taken in each step."""

    def step(row: Any, p: Any) -> Any:
        loss = at.square((p * at.tanh(row)).sum() - 0.5)
        p = p * at.exp(-2 * take.grad(loss, p))
        return p / p.sum()

    return at.log(scan(step, x, state=soft(w)))


@loop((5, 3))
def replicators(x: Any) -> Any:
    def step(fitness: Any, p: Any) -> Any:
        grown = p * at.exp(fitness)
        return grown / at.dot(grown, at.ones(3))

    p = scan(step, x, state=at.ones(3) / 3)
    return -(p * at.log(p + 1e-300)).sum(1)


@loop((5, 3))
def annealing(x: Any) -> Any:
    """Chances to accept, at temperatures that fall."""

    def step(row: Any, e: Any, t: Any) -> Any:
        accept = at.minimum(1, at.exp(-(row - e) / t))
        return e + accept * (row - e), t * 0.5, accept

    return several(step, x, states=[at.zeros(3), at.constant(np.float64(1.0)), None])[2]


@loop((4, 3), fixed=((4, 3),))
def relaxed_choices(x: Any, noise: Any) -> Any:
    """Softmaxes of perturbed logits, sharper in each step."""

    def step(row: Any, g: Any, tau: Any) -> Any:
        y = at.exp((row + g) / tau)
        return tau * 0.75, y / y.sum()

    return several(step, x, noise, states=[at.constant(np.float64(1.0)), None])[1]


@loop((3, 3))
def auction_until_it_ends(x: Any) -> Any:
    """Prices rise by what is asked for too much, until little is."""

    def step(price: Any) -> Any:
        share = at.exp(x - price) / at.exp(x - price).sum(1, keepdims=True)
        excess = share.sum(0) - 1
        return price + excess, until(at.lt(abs(excess).max(), 0.05))

    return scan(step, state=at.zeros(3), n_steps=4)[-1]


# -- nets --------------------------------------------------------------------------------------


@loop((4, 3), (3, 3), fixed=((3, 3),))
def gated_attention(x: Any, keys: Any, w: Any) -> Any:
    """A gated unit that looks at a memory in each step."""

    def step(row: Any, h: Any) -> Any:
        score = at.exp(at.dot(keys, h))
        look = at.dot(score / score.sum(), keys)
        z = at.exp(row) / (at.exp(row) + 1)
        r = (1 + at.exp(-at.dot(h, w))) ** -1
        new = at.tanh(look / 1024 + at.dot(r * h, w))
        return z * new + (1 - z) * h

    return scan(step, x, state=at.zeros(3))


@loop((4, 3), (3, 3), fixed=((3, 3),))
def decoder_with_a_cache(x: Any, keys: Any, w: Any) -> Any:
    """Attention over what was seen; what was not is masked by minus infinity."""

    def step(t: Any, row: Any, cache: Any) -> Any:
        cache = at.set_subtensor(cache[t], at.dot(row, w))
        scores = at.switch(at.le(at.arange(4), t), at.dot(cache, keys[0]) / 64, -np.inf)
        a = at.exp(scores) / at.exp(scores).sum()
        return cache, at.dot(a, cache)

    return several(step, at.arange(4), x, states=[at.zeros((4, 3)), None])[1]


@loop((4, 3), fixed=((3,), (3,)))
def planar_flow(x: Any, w: Any, u: Any) -> Any:
    """Logs of densities under invertible maps."""

    def step(b: Any, z: Any, logdet: Any) -> Any:
        a = b + z * w / 4
        s = 1 / (1 + at.exp(-a))
        slope = s * (1 - s)
        return z + at.square(u) * s, logdet + at.log(1 + at.square(u) * slope)

    return several(step, x, states=[at.zeros(3), at.zeros(3)])[1]


@loop((4, 3))
def flow_on_the_line(x: Any) -> Any:
    """Logits of mixtures of sigmoids, and the logs of slopes."""

    def step(row: Any, z: Any) -> Any:
        s = at.sigmoid(z + row)
        return at.log(s) - at.log(1 - s) + z / 4, at.log(s) + at.log(1 - s)

    return several(step, x, states=[at.zeros(3), None])[1]


@loop((5, 3))
def padded_losses(x: Any) -> Any:
    """A loss added up where there is something, over the number of such steps."""
    mask = at.constant(np.array([1.0, 1, 1, 0, 0]))
    labels = at.constant(np.array([0, 2, 1, 0, 0]))

    def step(row: Any, m: Any, label: Any, loss: Any, n: Any) -> Any:
        p = at.exp(row) / at.exp(row).sum()
        return loss - m * at.log(p[label]), n + m

    loss, n = several(
        step, x, mask, labels, states=[at.constant(np.float64(0.0)), at.constant(np.float64(0.0))]
    )
    return loss[-1] / n[-1]


@loop((5, 2, 3))
def smoothed_focal_losses(x: Any) -> Any:
    def step(rows: Any) -> Any:
        p = at.exp(rows) / at.exp(rows).sum(axis=-1)[:, None]
        smooth = at.constant(np.array([0.9, 0.05, 0.05]))
        return -(smooth * (1 - p) ** 2 * at.log(p)).sum(-1)

    return scan(step, x)


@loop((6, 3))
def strided_taps(x: Any) -> Any:
    """Sequences and states three and one back, backwards."""

    def step(now: Any, before: Any, a: Any, b: Any) -> Any:
        return at.log(at.exp(now + a) + at.exp(before + b) + at.exp(a))

    info = {"initial": at.zeros((3, 3)), "taps": [-3, -1]}
    sequence = {"input": x, "taps": [0, -2]}
    return aesara.scan(step, [sequence], [info], go_backwards=True)[0]


@loop((5, 3))
def running_logsumexp(x: Any) -> Any:
    """By a maximum that is carried, as it is streamed."""

    def step(row: Any, m: Any, s: Any) -> Any:
        new = at.maximum(m, row)
        s = s * at.exp(m - new) + at.exp(row - new)
        return new, s, new + at.log(s)

    return several(step, x, states=[at.constant(np.full(3, -1e300)), at.zeros(3), None])[2]


@loop((4, 3))
def sums_in_shared_memory(x: Any) -> Any:
    seen = aesara.shared(np.zeros(3), name="seen")

    def step(row: Any) -> Any:
        new = added(seen, row)
        return [at.exp(row - new)], {seen: new}

    outputs, updates = aesara.scan(step, sequences=[x])
    return outputs + at.exp(updates[seen] - total(x, 0))


# -- derivatives -------------------------------------------------------------------------------


def looped(step: Any, x: Any, *states: Any) -> Any:
    """The last state of a loop of four steps; without a loop where the truth is asked for.

    Aesara's derivative of a loop's derivative counts twice what enters a step.
    """
    if not take.written_out:
        taps = [-n for n in range(len(states), 0, -1)]
        start = at.stack(states) if len(states) > 1 else states[0]
        return aesara.scan(step, [x], [{"initial": start, "taps": taps}])[0][-1]
    for n in range(4):
        states = (*states[1:], step(x[n], *states))
    return states[-1]


@loop((4, 3), fixed=((4, 3), (3, 3)))
def hessian_product_of_taps(x: Any, direction: Any, a: Any) -> Any:
    value = looped(lambda row, p, q: added(p + row, q), x, at.zeros(3), at.zeros(3))
    return take.hvp(upstream(at.dot(value, a)), x, direction)


def weighed(row: Any, s: Any) -> Any:
    s = s * at.exp(row)
    return s / s.sum()


@loop((4, 3), fixed=((4, 3),))
def direction_of_a_filter(x: Any, direction: Any) -> Any:
    return take.jvp(looped(weighed, x, at.ones(3) / 3), x, direction)


@loop((4, 3), fixed=((4, 3),))
def hessian_product_of_a_filter(x: Any, direction: Any) -> Any:
    return take.hvp(upstream(looped(weighed, x, at.ones(3) / 3)), x, direction)


@loop((5, 3))
def not_yet(x: Any) -> Any:
    """The log that something has happened, told outside of the loop."""
    step = lambda row, s: s / (1 + at.exp(row))  # noqa: E731
    return at.log(1 - scan(step, x, state=at.ones(3)))


@loop((5, 2))
def two_states_in_one(x: Any) -> Any:
    """A filter of two hidden states that carries the probability of one of them."""

    def step(row: Any, p: Any) -> Any:
        p = p * 0.75 + (1 - p) * 0.125
        one, other = p * at.exp(row[0]), (1 - p) * at.exp(row[1])
        return one / (one + other), at.log(one + other)

    p, like = several(step, x, states=[at.constant(np.float64(0.5)), None])
    return at.concatenate([like, at.log(p)])
