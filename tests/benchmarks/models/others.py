"""What looks like a softmax and is none, and larger graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models.common import (
    bits,
    elements,
    features,
    labels,
    logits,
    model,
    numbers,
    one_hot,
)
from tests.view.common import at


@model(logits(3, 3))
def la_wrong_axis(x: Any) -> Any:
    e = at.exp(at.minimum(x, 5.0))
    return e / e.sum(axis=0)[:, None]


@model(elements(5))
def la_softplus_sq(x: Any) -> Any:
    return at.log(1 + at.exp(x) ** 2) - at.log(1 + at.exp(x)) * 2


@model(elements(5), elements(5))
def la_sig_of_other(x: Any, y: Any) -> Any:
    p = 1 / (1 + at.exp(-x))
    q = 1 / (1 + at.exp(-y))
    return p * (1 - q) / (p + q)


@model(elements(5))
def la_log_shift(x: Any) -> Any:
    return at.log(2 + at.exp(x)) - at.log(1 + 2 * at.exp(x))


@model(elements(5))
def la_tanh_half(x: Any) -> Any:
    return (at.exp(x) - 1) / (at.exp(x) + 2)


@model(logits(3, 4))
def la_exp_partial(x: Any) -> Any:
    e = at.exp(x)
    return e[:, :2] / (e[:, 2:].sum(1, keepdims=True) + e[:, :2])


@model(logits(3, 3))
def la_max_other_axis(x: Any) -> Any:
    e = at.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(1, keepdims=True)


@model(logits(3, 4))
def la_sum_plus_self(x: Any) -> Any:
    e = at.exp(x)
    return e / (e.sum(1, keepdims=True) + e)


@model(
    numbers(3, 3),
    features(3, 3, scale=(-1, 2, 4)),
    features(3, 3, scale=(-1, 2, 4)),
    numbers(3, 3, wrt=True),
    numbers(3, 4, wrt=True),
    labels((3,), n=4),
)
def lg_transformer2(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, y: Any) -> Any:
    h = x
    for _ in range(2):
        q, k, v = at.dot(h, wq), at.dot(h, wk), at.dot(h, wv)
        s = at.dot(q, k.T) - 1e9 * at.constant(np.triu(np.ones((3, 3)), 1))
        a = at.exp(s) / at.exp(s).sum(1, keepdims=True)
        h = h + at.dot(a, v)
        mu = h.mean(1, keepdims=True)
        h = (h - mu) / at.sqrt(((h - mu) ** 2).mean(1, keepdims=True) + 1e-5)
    z = 4 * at.dot(h, wo)
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    return -at.log(p[at.arange(3), y]).mean()


@model(
    numbers(3, 2, 2),
    features(2, 8, scale=(0, 5, 9)),
    features(2, 8, scale=(0, 4, 6)),
    features(2, 3, scale=(0, 6, 9)),
    one_hot((2, 3)),
)
def lg_lstm_clf(x: Any, w: Any, u: Any, v: Any, y: Any) -> Any:
    def s(t: Any) -> Any:
        return 1 / (1 + at.exp(-t))

    def th(t: Any) -> Any:
        return (at.exp(t) - at.exp(-t)) / (at.exp(t) + at.exp(-t))

    h, c = at.zeros((2, 2)), at.zeros((2, 2))
    for t in range(3):
        z = at.dot(x[t], w) + at.dot(h, u)
        c = s(z[:, :2]) * c + s(z[:, 2:4]) * th(z[:, 4:6])
        h = s(z[:, 6:]) * th(c)
    o = at.dot(h, v)
    return -at.log((y * at.exp(o)).sum(1) / at.exp(o).sum(1)).mean()


@model(
    bits((2, 3)),
    features(3, 2, scale=(0, 3, 5)),
    numbers(3, 2, wrt=True),
    numbers(2, 2),
    logits(2),
    features(2, 3, scale=(0, 6, 10)),
)
def lg_vae_mix(x: Any, wm: Any, ws: Any, eps: Any, zp: Any, wd: Any) -> Any:
    mu = at.dot(x, wm)
    sd = at.log(1 + at.exp(at.dot(x, ws)))
    z = mu + sd * eps
    p = 1 / (1 + at.exp(-at.dot(z, wd)))
    rec = (x * at.log(p) + (1 - x) * at.log(1 - p)).sum(1)
    pi = at.exp(zp) / at.exp(zp).sum()
    pr = at.log(
        pi[0] * at.exp(-0.5 * (z**2).sum(1)) + pi[1] * at.exp(-0.5 * ((z - 2.0) ** 2).sum(1))
    )
    lq = (-0.5 * eps**2 - at.log(sd)).sum(1)
    return -(rec + pr - lq).mean()


@model(
    numbers(3, 3),
    features(3, 4, scale=(0, 6, 10)),
    features(3, 4, scale=(0, 6, 10), wrt=False),
    numbers(3, wrt=True),
    one_hot((3, 4)),
    numbers(3),
)
def lg_ppo_full(x: Any, w: Any, wo: Any, wv: Any, a: Any, rr: Any) -> Any:
    pi = at.exp(at.dot(x, w)) / at.exp(at.dot(x, w)).sum(1, keepdims=True)
    po = at.exp(at.dot(x, wo)) / at.exp(at.dot(x, wo)).sum(1, keepdims=True)
    v = at.dot(x, wv)
    from aesara.gradient import disconnected_grad as dg

    adv = dg(rr - v)
    r = at.exp(at.log((pi * a).sum(1)) - at.log((po * a).sum(1)))
    like = at.minimum(r * adv, at.clip(r, 0.75, 1.25) * adv)
    h = -(pi * at.log(pi)).sum(1)
    return (-like + 0.5 * (v - rr) ** 2 - 0.01 * h).mean()


@model(logits(4, 3), logits(3, 3), features(3, 3, scale=(0, 6, 10)))
def lg_hmm_softmax_em(o: Any, tt: Any, w: Any) -> Any:
    p = at.exp(tt) / at.exp(tt).sum(1, keepdims=True)
    em = at.dot(at.tanh(o), w)
    b = at.exp(em) / at.exp(em).sum(1, keepdims=True)
    a = b[0] / 3
    ll = at.log(a.sum())
    a = a / a.sum()
    for t in range(1, 4):
        a = at.dot(a, p) * b[t]
        ll = ll + at.log(a.sum())
        a = a / a.sum()
    return -ll


@model(
    numbers(4, 2),
    numbers(2, 2, wrt=True),
    features(4, scale=(0, 7, 11)),
    features(2, 3, scale=(0, 6, 9)),
    labels((), n=3),
)
def lg_gnn_readout(x: Any, ww: Any, g: Any, v: Any, y: Any) -> Any:
    adj = at.constant(np.array([[1.0, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]]))
    h = x
    for _ in range(2):
        m = at.dot(adj, at.dot(h, ww))
        h = m / (1 + at.exp(-m))
    w = at.exp(g) / at.exp(g).sum()
    z = at.dot(at.dot(w, h), v)
    return -at.log(at.exp(z[y]) / at.exp(z).sum())


@model(logits(3, 2), numbers(3, 2, 2, wrt=True))
def lg_capsule_route(b: Any, u: Any) -> Any:
    for _ in range(2):
        c = at.exp(b) / at.exp(b).sum(1, keepdims=True)
        s = (c[:, :, None] * u).sum(0)
        n2 = (s**2).sum(1, keepdims=True)
        v = n2 / (1 + n2) * s / at.sqrt(n2 + 2.0**-20)
        b = b + (u * v[None]).sum(2)
    return at.log(1 + at.exp(4.0 * b)).mean()
