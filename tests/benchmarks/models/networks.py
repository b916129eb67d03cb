"""Experts, attention and gates."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models.common import (
    bits,
    elements,
    features,
    given,
    logits,
    model,
    numbers,
    positive,
)
from tests.view.common import at


@model(logits(3, 4), bits((3, 4)), numbers(3, 4, wrt=True))
def moe_top2_mask(z: Any, keep: Any, out: Any) -> Any:
    g = at.exp(z) * keep
    g = g / g.sum(axis=1, keepdims=True)
    return (g * out).sum(axis=1)


@model(logits(3, 3), elements(3, 3), numbers(3, 3))
def moe_noisy(z: Any, s: Any, eps: Any) -> Any:
    h = z + eps * at.log(1 + at.exp(s))
    p = at.exp(h) / at.exp(h).sum(axis=1)[:, None]
    imp = p.sum(axis=0)
    return imp.var() / imp.mean() ** 2


@model(logits(3, 2), logits(3, 2, 2), features(3, 2, 2, scale=(0, 4, 8)))
def moe_hier_loglik(g: Any, h: Any, f: Any) -> Any:
    gg = at.exp(g) / at.exp(g).sum(1, keepdims=True)
    hh = at.exp(h) / at.exp(h).sum(2, keepdims=True)
    lik = at.exp(-0.5 * f**2) / np.sqrt(2 * np.pi)
    return -at.log((gg[:, :, None] * hh * lik).sum(axis=(1, 2))).sum()


@model(logits(2, 3), numbers(2, 3, wrt=True), elements(2, 3, lim=64.0), numbers(2))
def mdn_sigma(z: Any, mu: Any, ls: Any, y: Any) -> Any:
    # mixture density net, std by exp, normal density spelled out
    al = at.exp(z) / at.sum(at.exp(z), axis=1, keepdims=True)
    sd = at.exp(at.clip(ls, -8, 8))
    d = at.exp(-((y[:, None] - mu) ** 2) / (2 * sd**2)) / (sd * at.sqrt(2 * np.pi))
    return -at.log((al * d).sum(axis=1)).mean()


@model(logits(2, 3), numbers(2, 3, wrt=True), elements(2, 3), numbers(2))
def mdn_elu_std(z: Any, mu: Any, s: Any, y: Any) -> Any:
    al = at.exp(z) / at.sum(at.exp(z), axis=1, keepdims=True)
    sd = at.switch(s > 0, s + 1, at.exp(s)) + 2.0**-10
    return -at.log(at.sum(al / sd * at.exp(-0.5 * ((y[:, None] - mu) / sd) ** 2), axis=1)).mean()


@model(logits(3, 4), elements(3, 4), numbers(4, 2, wrt=True))
def att_gated(s: Any, g: Any, v: Any) -> Any:
    w = at.exp(s) / (1 + at.exp(-g))
    return at.dot(w / w.sum(axis=1, keepdims=True), v)


@model(features(3, 4, scale=(0, 5, 9)), features(3, 4, scale=(0, 5, 9)), numbers(3, 2, wrt=True))
def att_causal_where(q: Any, k: Any, v: Any) -> Any:
    s = at.dot(q, k.T) / 2.0
    s = at.switch(at.constant(np.tri(3)) > 0, s, -np.inf)
    a = at.exp(s) / at.exp(s).sum(axis=-1, keepdims=True)
    return at.dot(a, v)


@model(logits(3, 3), logits(5), numbers(3, 2, wrt=True))
def att_rel_bias_buckets(s: Any, b: Any, v: Any) -> Any:
    idx = np.arange(3)[:, None] - np.arange(3)[None, :] + 2
    z = s + b[idx]
    a = at.exp(z)
    return at.dot(a, v) / a.sum(axis=1, keepdims=True)


@model(logits(4, 4), numbers(4, 2, wrt=True))
def att_local_window(s: Any, v: Any) -> Any:
    band = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) <= 1
    s2 = s - 1e9 * (1 - at.constant(band.astype(float)))
    p = at.exp(s2)
    p /= p.sum(1)[:, None]
    return p.dot(v)


@model(elements(3, 2), elements(3, 2), numbers(3, 2, wrt=True))
def att_linear_elu(q: Any, k: Any, v: Any) -> Any:
    def phi(t: Any) -> Any:
        return at.switch(t > 0, t + 1, at.exp(t))

    qq, kk = phi(q), phi(k)
    kv = at.dot(kk.T, v)
    return at.dot(qq, kv) / at.dot(qq, kk.sum(0))[:, None]


@model(
    features(3, 2, scale=(0, 3, 5)),
    features(3, 2, scale=(0, 3, 5)),
    numbers(2, 3),
    numbers(3, 2, wrt=True),
)
def att_favor_plus(q: Any, k: Any, w: Any, v: Any) -> Any:
    def f(t: Any) -> Any:
        return at.exp(at.dot(t, w) - 0.5 * (t**2).sum(1, keepdims=True))

    qq, kk = f(q), f(k)
    return at.dot(qq, at.dot(kk.T, v)) / at.dot(qq, kk.sum(axis=0))[:, None]


@model(logits(3, 4), logits(3), numbers(4, 2, wrt=True))
def att_sink(s: Any, sink: Any, v: Any) -> Any:
    e = at.exp(s)
    return at.dot(e, v) / (at.exp(sink)[:, None] + e.sum(axis=1, keepdims=True))


@model(numbers(3, 4, wrt=True), numbers(3, 4, wrt=True), given(0.5, 6.0, 9.0, wrt=True))
def att_cosine_temp(q: Any, k: Any, lt: Any) -> Any:
    qn = q / at.sqrt((q**2).sum(1, keepdims=True))
    kn = k / at.sqrt((k**2).sum(1, keepdims=True))
    s = at.dot(qn, kn.T) * at.exp(lt)
    p = at.exp(s) / at.exp(s).sum(axis=1, keepdims=True)
    return -at.log(at.diag(p)).mean()


@model(logits(4), elements(4), numbers(4, 2, wrt=True))
def att_retention_norm(s: Any, d: Any, v: Any) -> Any:
    gam = 1 / (1 + at.exp(-d))
    num, den = 0.0, 0.0
    for t in range(4):
        num = gam[t] * num + at.exp(s[t]) * v[t]
        den = gam[t] * den + at.exp(s[t])
    return num / den


@model(logits(2, 3, 3), numbers(2, 2, wrt=True), numbers(2, 3, 2, wrt=True))
def att_talking_heads(s: Any, p: Any, v: Any) -> Any:
    a = at.exp(s) / at.exp(s).sum(axis=2, keepdims=True)
    mix = at.tensordot(p, a, axes=[[1], [0]])
    return at.batched_dot(mix, v)


@model(logits(2, 4), logits(2, 3), elements(2))
def att_pointer_gen(voc: Any, att: Any, g: Any) -> Any:
    pg = 1 / (1 + at.exp(-g))
    pv = at.exp(voc) / at.exp(voc).sum(1, keepdims=True)
    pa = at.exp(att) / at.exp(att).sum(1, keepdims=True)
    return -at.log(pg * pv[:, 1] + (1 - pg) * (pa[:, 0] + pa[:, 2])).mean()


@model(elements(2, 4))
def att_monotonic(e: Any) -> Any:
    p = 1 / (1 + at.exp(-e))
    one = at.ones_like(p[:, :1])
    c = at.cumprod(at.concatenate([one, 1 - p[:, :-1]], axis=1), axis=1)
    a = p * c
    return -at.log(a[:, 2] + a[:, 3]).sum()


@model(elements(3, 2), elements(3, 2), elements(3, 2), elements(3, 2))
def lstm_3(i: Any, f: Any, o: Any, g: Any) -> Any:
    def s(x: Any) -> Any:
        return 1 / (1 + at.exp(-x))

    def t(x: Any) -> Any:
        return 2 * s(2 * x) - 1

    c = 0.0
    for k in range(3):
        c = s(f[k]) * c + s(i[k]) * t(g[k])
    return s(o[2]) * t(c)


@model(elements(4), elements(4), numbers(4, wrt=True))
def highway(h: Any, tg: Any, x: Any) -> Any:
    t = at.exp(tg) / (1 + at.exp(tg))
    hh = at.log(1 + at.exp(h))
    return t * hh + (1 - t) * x


@model(elements(4), elements(4))
def coupled_gate_log(a: Any, b: Any) -> Any:
    f = 1 / (1 + at.exp(-a))
    i = 1 / (1 + at.exp(-b))
    fn = f / (f + i)
    return at.log(fn) * (1 - fn)


@model(elements(3), elements(3))
def mingru_logspace(z: Any, h: Any) -> Any:
    lz = -at.log(1 + at.exp(-z))
    lc = -at.log(1 + at.exp(z))
    lh = at.switch(h >= 0, at.log(h + 0.5), -at.log(1 + at.exp(-h)))
    a = at.cumsum(lc)
    return at.exp(a) * at.cumsum(at.exp(lz + lh - a))


@model(elements(6), elements(6))
def mish_glu(x: Any, g: Any) -> Any:
    sp = at.log(1 + at.exp(x))
    return x * at.tanh(sp) * g / (1 + at.exp(-1.702 * g))


@model(elements(5), numbers(5, wrt=True))
def dice_prelu(x: Any, al: Any) -> Any:
    p = at.exp(x) / (1 + at.exp(x))
    return p * x + (1 - p) * al * x


@model(elements(6, lim=300.0))
def tanh_exp_act(x: Any) -> Any:
    return x * at.tanh(at.exp(x))


@model(elements(5), elements(5), positive((), wrt=True))
def smooth_max_unit(x: Any, y: Any, b: Any) -> Any:
    # ACON-C: (p1-p2) x sigmoid(beta (p1-p2) x) + p2 x
    d = x - y
    return d / (1 + at.exp(-b * d)) + y
