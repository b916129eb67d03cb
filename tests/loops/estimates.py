"""Loops that estimate: filters, likelihoods, attentions and searches, in words of their own."""

from __future__ import annotations

from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.ifelse import ifelse
from aesara.scan.utils import until

from tests.loops.corpus import loop, scan
from tests.loops.models import several


@loop((4, 5))
def soft_top_two(x: Any) -> Any:
    """The two largest, one after the other, each as a softmax of what is left."""

    def step(row: Any) -> Any:
        first = at.exp(row) / at.exp(row).sum()
        rest = at.exp(row) * (1 - at.eq(row, row.max()))
        second = rest / rest.sum()
        return first + second

    return scan(step, x)


@loop((4, 3), fixed=((4, 3),))
def gains_of_a_filter(x: Any, z: Any) -> Any:
    """A filter whose gains are a softmax of logits, beside that of its past."""

    def step(row: Any, obs: Any, m: Any, v: Any) -> Any:
        w = at.exp(row - at.log(v))
        k = w / (w.sum() + 1)
        m = m + k * (obs - m)
        return m, (1 - k) * v + 0.1, at.log(k)

    return several(step, x, z, states=[at.zeros(3), at.ones(3), None])[2]


@loop((5, 3), fixed=((5, 3),))
def online_attention(k: Any, v: Any) -> Any:
    """Running maximum, denominator and numerator, by hand."""

    def step(row: Any, val: Any, m: Any, d: Any, n: Any) -> Any:
        new = at.maximum(m, row)
        old, w = at.exp(m - new), at.exp(row - new)
        return new, d * old + w, n * old + w * val

    first = at.constant(np.full(3, -np.inf))
    _, d, n = several(step, k, v, states=[first, at.zeros(3), at.zeros(3)])
    return n / d


@loop((6, 4))
def labels_with_masks(x: Any) -> Any:
    """A recursion of alignments with masks for skips, in probability space, rescaled."""
    skip = at.constant(np.array([0.0, 0.0, 1.0, 1.0]))

    def step(row: Any, a: Any) -> Any:
        y = at.exp(row) / at.exp(row).sum()
        one = at.concatenate([at.zeros(1), a[:-1]])
        two = at.concatenate([at.zeros(2), a[:-2]]) * skip
        a = (a + one + two) * y
        c = a.sum()
        return a / c, at.log(c)

    first = at.constant(np.array([1.0, 1.0, 0.0, 0.0]) / 2)
    return several(step, x, states=[first, None])[1].sum()


@loop((6, 3))
def until_it_is_likely(x: Any) -> Any:
    """Evidence adds up until a posterior is sure."""

    def step(row: Any, s: Any) -> Any:
        s = s + row
        p = at.exp(s) / at.sum(at.exp(s))
        return (s, at.log(p)), until(at.gt(p.max(), 0.99))

    return several(step, x, states=[at.zeros(3), None])[1]


@loop((4, 3))
def many_soft_outputs(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        e = at.exp(row + s)
        z = at.sum(e)
        p = e / z
        return (s + p, p, at.log(z), -(p * at.log(p)).sum(), at.sqrt(at.sum(p * p)))

    r = several(step, x, states=[at.zeros(3), None, None, None, None])
    return at.concatenate([r[1].flatten(), r[2], r[3], r[4]])


@loop((5, 3))
def branches_in_steps(x: Any) -> Any:
    def step(row: Any, s: Any) -> Any:
        p = at.exp(row) / at.exp(row).sum()
        new: Any = ifelse(at.lt(s, 2), s + at.log(at.exp(row).sum()), s - at.log(p[0]))
        return new * 0.5

    return scan(step, x, state=at.constant(np.float64(0.0)))


@loop((5, 2))
def log_odds_filter(x: Any) -> Any:
    """A belief in odds, updated by ratios."""

    def step(row: Any, o: Any) -> Any:
        o = o * at.exp(row[0]) / at.exp(row[1])
        p = o / (1 + o)
        return o, at.log(p) + at.log(1 - p)

    return several(step, x, states=[at.constant(np.float64(1.0)), None])[1]


@loop((4, 3, 3))
def matrix_products(x: Any) -> Any:
    """Products of positive matrices, their logs, normalised by the trace."""

    def step(m: Any, s: Any) -> Any:
        return at.dot(s, at.exp(m))

    p = scan(step, x, state=at.eye(3))
    return at.log(p[-1]) - at.log(at.sum(at.diagonal(p[-1])))


@loop((5, 3))
def tails(x: Any) -> Any:
    """What remains above each step: reverse cumulative sums by a loop backwards."""
    tail = scan(lambda row, s: s + at.exp(row), x, state=at.zeros(3), go_backwards=True)[::-1]
    return at.log(at.exp(x) / tail)


@loop((5, 3))
def partial_likelihood(x: Any) -> Any:
    """Cox: each event relative to those still at risk."""

    def step(row: Any, risk: Any, out: Any) -> Any:
        risk = risk + at.exp(row).sum()
        return risk, out + at.log(at.exp(row[0])) - at.log(risk)

    return several(
        step,
        x,
        states=[at.constant(np.float64(0.0)), at.constant(np.float64(0.0))],
        go_backwards=True,
    )[1]


@loop((4, 3))
def newton_steps(x: Any) -> Any:
    """Newton's method for the normaliser of shares."""

    def step(row: Any, t: Any) -> Any:
        p = 1 / (1 + at.exp(-(row - t)))
        return t + (p.sum() - 1) / ((p * (1 - p)).sum() + 0.1)

    return scan(step, x, state=at.constant(np.float64(0.0)))
