"""Structured prediction and reinforcement learning."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.models.common import (
    elements,
    labels,
    logits,
    model,
    numbers,
    one_hot,
    positive,
    unit,
)
from tests.view.common import at


@model(logits(3, 3), numbers(3, 3, wrt=True), labels((3,), n=3))
def crf_3(u: Any, tt: Any, y: Any) -> Any:
    # linear-chain CRF in the probability domain: Z by matrix products
    psi = at.exp(tt)
    a = at.exp(u[0])
    for t in (1, 2):
        a = at.dot(a, psi) * at.exp(u[t])
    score = u[at.arange(3), y].sum() + tt[y[:-1], y[1:]].sum()
    return at.log(a.sum()) - score


@model(logits(3, 2), logits(2, 2))
def crf_marginal(u: Any, t: Any) -> Any:
    e = at.exp(u)
    p = at.exp(t)
    al1 = at.dot(e[0], p)
    be1 = at.dot(p, e[2])
    m = al1 * e[1] * be1
    return m / m.sum()


@model(logits(4, 2), logits(2, 2), logits(2))
def hmm_log_space(b: Any, tt: Any, p0: Any) -> Any:
    lt = at.log(at.exp(tt) / at.exp(tt).sum(axis=1, keepdims=True))
    la = at.log(at.exp(p0) / at.exp(p0).sum()) + b[0]
    for t in range(1, 4):
        la = at.log(at.exp(la[:, None] + lt).sum(axis=0)) + b[t]
    return -at.log(at.exp(la).sum())


@model(logits(3, 3))
def ctc_ab(z: Any) -> Any:
    # target "ab", blank last; three frames, all alignments written out
    p = at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)
    a, b, _b = p[:, 0], p[:, 1], p[:, 2]
    low = (
        a[0] * a[1] * b[2]
        + a[0] * b[1] * b[2]
        + _b[0] * a[1] * b[2]
        + a[0] * _b[1] * b[2]
        + a[0] * b[1] * _b[2]
    )
    return -at.log(low)


@model(logits(4, 3))
def ctc_alpha(z: Any) -> Any:
    lp = z - at.log(at.exp(z).sum(axis=1, keepdims=True))
    p = at.exp(lp)
    ext = [2, 0, 2, 1, 2]
    al = [p[0, 2], p[0, 0], 0.0, 0.0, 0.0]
    for t in range(1, 4):
        new = []
        for s in range(5):
            v = al[s]
            if s > 0:
                v = v + al[s - 1]
            if s > 1 and ext[s] != 2 and ext[s] != ext[s - 2]:
                v = v + al[s - 2]
            new.append(v * p[t, ext[s]])
        al = new
    return -at.log(al[4] + al[3])


@model(logits(4), logits(3, 2))
def pcfg_span3(r: Any, e: Any) -> Any:
    # inside of a span of 3 with one binary rule of 2 heads
    rr = at.exp(r) / at.exp(r).sum()
    w = at.exp(e)
    i01 = rr[0] * w[0, 0] * w[1, 1] + rr[1] * w[0, 1] * w[1, 0]
    i12 = rr[0] * w[1, 0] * w[2, 1] + rr[1] * w[1, 1] * w[2, 0]
    return at.log(rr[2] * i01 * w[2, 0] + rr[3] * w[0, 1] * i12)


@model(logits(2, 2, axis=None), logits(2))
def matrix_tree_2(s: Any, root: Any) -> Any:
    # dependency tree by the determinant of a 2 x 2 Laplacian written out
    w = at.exp(s)
    r = at.exp(root)
    l00 = w[1, 0] + r[0]
    l11 = w[0, 1] + r[1]
    det = l00 * l11 - w[0, 1] * w[1, 0]
    return at.log(det)


@model(logits(4))
def semimarkov(s: Any) -> Any:
    e = at.exp(s)
    a1 = e[0]
    a2 = a1 * e[1] + e[2]
    a3 = a2 * e[0] + a1 * e[2]
    a4 = a3 * e[1] + a2 * e[2] * e[3]
    return at.log(a4) - s.sum()


@model(logits(3, 3), logits(3, 3))
def alignment_noisy(t: Any, a: Any) -> Any:
    # IBM model 2: sum over source positions of align * translation
    al = at.exp(a) / at.sum(at.exp(a), axis=1, keepdims=True)
    tr = at.exp(t) / at.sum(at.exp(t), axis=0, keepdims=True)
    return -at.sum(at.log(at.sum(al * tr, axis=1)))


@model(logits(3, 4), logits(3, 4), labels((3,), n=4), numbers(3))
def ppo_clip(z: Any, zo: Any, a: Any, adv: Any) -> Any:
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    po = at.exp(zo) / at.exp(zo).sum(1, keepdims=True)
    ratio = p[at.arange(3), a] / po[at.arange(3), a]
    return -at.minimum(ratio * adv, at.clip(ratio, 0.8, 1.2) * adv).mean()


@model(logits(5), logits(5), positive(()))
def awr_weights(q: Any, v: Any, beta: Any) -> Any:
    w = at.exp((q - v) / beta)
    w = w / w.mean()
    return (w * (q - v)).mean()


@model(logits(3, 4), one_hot((3, 4)), numbers(3))
def reinforce_entropy(z: Any, a: Any, r: Any) -> Any:
    pi = at.exp(z) / at.exp(z).sum(axis=1, keepdims=True)
    lp = at.log((pi * a).sum(axis=1))
    ent = -(pi * at.log(pi)).sum(axis=1)
    return -(lp * r + 0.01 * ent).mean()


@model(elements(5), numbers(5, wrt=True))
def sac_gauss_logprob(u: Any, ls: Any) -> Any:
    th = (at.exp(2 * u) - 1) / (at.exp(2 * u) + 1)
    return (-ls - at.log(1 - th**2 + 1e-6)).sum()


@model(logits(3, 4), logits(3, 4))
def kl_policy(z: Any, zo: Any) -> Any:
    p, q = at.exp(z), at.exp(zo)
    p, q = p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)
    return (q * (at.log(q) - at.log(p))).sum(1).mean()


@model(logits(2, 3), logits(2, 3))
def soft_bellman_2(q: Any, r: Any) -> Any:
    v = 0.5 * at.log(at.exp(r / 0.5).sum(1))
    t = q + 0.875 * v[:, None]
    return 0.5 * at.log(at.exp(t / 0.5).mean(1)).sum()


@model(logits(3, 4), unit((3, 4)), numbers(3, 4))
def gumbel_policy_gate(z: Any, u: Any, q: Any) -> Any:
    g = -at.log(-at.log(u))
    y = at.exp((z + g) / 0.5)
    y = y / y.sum(axis=-1, keepdims=True)
    return (y * q).sum(-1).mean() - 0.1 * (y * (z - at.log(at.exp(z).sum(-1, keepdims=True)))).sum()
