"""Item responses, optimal transport and flows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models.common import bits, elements, logits, model, numbers, unit
from tests.view.common import at


@model(elements(3), numbers(4, wrt=True), elements(4), bits((3, 4)))
def irt_2pl(th: Any, la: Any, b: Any, y: Any) -> Any:
    z = at.exp(0.25 * la) * (th[:, None] - b[None, :])
    p = at.exp(z) / (1 + at.exp(z))
    return -(y * at.log(p) + (1 - y) * at.log(1 - p)).sum()


@model(elements(3), elements(4), elements(4), bits((3, 4)))
def irt_3pl(th: Any, b: Any, g: Any, y: Any) -> Any:
    c = 1 / (1 + at.exp(-g))
    p = c + (1 - c) / (1 + at.exp(-1.75 * (th[:, None] - b)))
    return -(y * at.log(p) + (1 - y) * at.log(1 - p)).sum()


@model(elements(4), elements(4), elements(4))
def irt_4pl(z: Any, lo: Any, up: Any) -> Any:
    low = 1 / (1 + at.exp(-lo))
    u = low + (1 - low) / (1 + at.exp(-up))
    return at.log(low + (u - low) / (1 + at.exp(-z)))


@model(elements(4), numbers(2, wrt=True))
def grm_cats(th: Any, d: Any) -> Any:
    b1 = d[0]
    b2 = b1 + at.log(1 + at.exp(d[1])) + 0.125
    s1 = 1 / (1 + at.exp(-(th - b1)))
    s2 = 1 / (1 + at.exp(-(th - b2)))
    p = at.stack([1 - s1, s1 - s2, s2], axis=1)
    return -at.log(p).sum()


@model(elements(4))
def gpcm_info(th: Any) -> Any:
    k = at.constant(np.arange(4.0))
    z = th[:, None] * k - at.constant(np.array([0.0, 0.5, 0.25, 1.0]))
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    m = (p * k).sum(1)
    return (p * (k - m[:, None]) ** 2).sum(1)


@model(elements(3, 4), bits((3, 4)), elements())
def noisy_or_leak(w: Any, x: Any, leak: Any) -> Any:
    q = 1 / (1 + at.exp(w))  # inhibition prob
    low = 1 / (1 + at.exp(-leak))
    pn = (1 - low) * at.prod(q**x, axis=1)
    return -at.log(1 - pn).sum() - at.log(pn).mean()


@model(elements(3), elements(3), elements(3, 2), bits((3,)))
def noisy_and_dina(s: Any, g: Any, a: Any, y: Any) -> Any:
    sl, gu = 1 / (1 + at.exp(-s)), 1 / (1 + at.exp(-g))
    eta = at.prod(1 / (1 + at.exp(-a)), axis=1)
    p = (1 - sl) * eta + gu * (1 - eta)
    return -(y * at.log(p) + (1 - y) * at.log(1 - p)).sum()


@model(elements(4), bits((3,)))
def bkt_knowledge(z: Any, y: Any) -> Any:
    like, tt, s, g = [1 / (1 + at.exp(-z[i])) for i in range(4)]
    nll = 0.0
    for t in range(3):
        pc = like * (1 - s) + (1 - like) * g
        nll = nll - (y[t] * at.log(pc) + (1 - y[t]) * at.log(1 - pc))
        post = at.switch(y[t] > 0.5, like * (1 - s) / pc, like * s / (1 - pc))
        like = post + (1 - post) * tt
    return nll


@model(elements(3, 4))
def attr_mil_or(z: Any) -> Any:
    p = 1 / (1 + at.exp(-z))
    bag = 1 - at.prod(1 - p, axis=1)
    return -at.log(bag).sum() - at.log(1 - bag).mean()


@model(logits(3, 3, axis=None, lim=1e3))
def sinkhorn_mult(cm: Any) -> Any:
    k = at.exp(-cm / 0.5)
    u = at.ones((3,)) / 3
    for _ in range(3):
        v = (1.0 / 3) / at.dot(k.T, u)
        u = (1.0 / 3) / at.dot(k, v)
    p = u[:, None] * k * v[None, :]
    return (p * cm).sum()


@model(logits(3, 3, axis=None))
def sinkhorn_normalise(s: Any) -> Any:
    p = at.exp(s)
    for _ in range(2):
        p = p / p.sum(axis=1, keepdims=True)
        p = p / p.sum(axis=0, keepdims=True)
    return -at.log(at.diag(p)).sum()


@model(logits(3, 3, axis=None), numbers(3, wrt=True))
def unbalanced_ot_step(cm: Any, g: Any) -> Any:
    k = at.exp((g[None, :] - cm) / 0.25)
    f = -0.25 * 0.75 * at.log(k.sum(1) / 3)
    return f.sum() - 0.25 * (at.exp((f[:, None] + g[None, :] - cm) / 0.25)).sum() ** 0.5


@model(logits(2, 2, axis=None), numbers(wrt=True))
def partial_assign_dustbin(s: Any, z: Any) -> Any:
    m = at.concatenate(
        [at.concatenate([s, z * at.ones((2, 1))], axis=1), z * at.ones((1, 3))], axis=0
    )
    e = at.exp(m)
    p = e / e.sum(axis=1, keepdims=True) * (e / e.sum(axis=0, keepdims=True))
    return -at.log(p[0, 0] * p[1, 1]).sum()


@model(logits(3, 3))
def dual_softmax_match(s: Any) -> Any:
    e = at.exp(s)
    p = (e / e.sum(0)) * (e / e.sum(1, keepdims=True))
    return -at.log(at.diag(p)).mean()


@model(elements(4), numbers(4, wrt=True), elements())
def planar_logdet(a: Any, w: Any, uh: Any) -> Any:
    m = at.log(1 + at.exp(uh)) - 1
    ps = 1 - at.tanh(a) ** 2
    return at.log(abs(1 + ps * m)).sum() + (w * at.tanh(a)).sum()


@model(logits(2, 3), numbers(2, 3, wrt=True), numbers(2, 3, wrt=True))
def sigmoid_flow_dsf(zw: Any, a: Any, b: Any) -> Any:
    w = at.exp(zw) / at.exp(zw).sum(1, keepdims=True)
    s = 1 / (1 + at.exp(-(at.exp(a) * 0.75 + b)))
    x = (w * s).sum(1)
    return at.log(x) - at.log(1 - x)


@model(elements(5))
def logit_layer_jac(x: Any) -> Any:
    s = 1 / (1 + at.exp(-x))
    return -at.log(s * (1 - s)) + at.log(s / (1 - s))


@model(logits(2, 3), elements(2, 3), numbers(2, 3, wrt=True))
def logistic_mixture_cdf(z: Any, x: Any, s: Any) -> Any:
    pi = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    f = 1 / (1 + at.exp(-x * at.exp(-0.25 * s)))
    pdf = pi * at.exp(-0.25 * s) * f * (1 - f)
    return -at.log(pdf.sum(1)).sum() - at.log((pi * f).sum(1)).sum()


@model(elements(3))
def stickbreak_transform(x: Any) -> Any:
    s = 1 / (1 + at.exp(-x))
    rest = at.cumprod(1 - s)
    p = at.concatenate([s[:1], s[1:] * rest[:-1], rest[-1:]])
    return at.log(p)


@model(elements(4, lim=300.0))
def gumbel_flow(x: Any) -> Any:
    return -(x + at.exp(-at.maximum(x, -5.0))) - at.log(1 - at.exp(-at.exp(-at.maximum(x, -3.0))))


@model(logits(3), logits(3), unit(()))
def spline_widths(w: Any, h: Any, t: Any) -> Any:
    ww = 0.125 + 0.625 * at.exp(w) / at.exp(w).sum()
    hh = 0.125 + 0.625 * at.exp(h) / at.exp(h).sum()
    return at.log(hh / ww) * t


@model(numbers(3), numbers(3, wrt=True), elements(3))
def maf_gauss(x: Any, mu: Any, a: Any) -> Any:
    sig = at.log(1 + at.exp(a)) + 2.0**-7
    z = (x - mu) / sig
    return 0.5 * (z**2).sum() + at.log(sig).sum()
