"""Discrete choice, rankings and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models.common import (
    bits,
    elements,
    given,
    labels,
    logits,
    model,
    numbers,
    one_hot,
    positive,
    unit,
)
from tests.view.common import at


@model(logits(2, 5), unit((3,), wrt=True))
def nl_three_nests(v: Any, lam: Any) -> Any:
    # nested logit with ragged nests written out by slices
    a, b, c = at.exp(v[:, :2] / lam[0]), at.exp(v[:, 2:4] / lam[1]), at.exp(v[:, 4:] / lam[2])
    aa, bb, cc = a.sum(axis=1), b.sum(axis=1), c.sum(axis=1)
    g = aa ** lam[0] + bb ** lam[1] + cc ** lam[2]
    p0 = a[:, 0] / aa * aa ** lam[0] / g
    p3 = b[:, 1] / bb * bb ** lam[1] / g
    return -(at.log(p0) + at.log(p3)).sum()


@model(logits(2, 4), unit((), wrt=True))
def gev_generator(v: Any, mu: Any) -> Any:
    y = at.exp(v)
    g1 = (y[:, 0] ** (1 / mu) + y[:, 1] ** (1 / mu)) ** (mu - 1) * y[:, 0] ** (1 / mu)
    g = (y[:, 0] ** (1 / mu) + y[:, 1] ** (1 / mu)) ** mu + y[:, 2] + y[:, 3]
    return at.log(g1 / g).mean()


@model(logits(2, 3, 3), numbers(2, 4, 3), one_hot((2, 3)))
def mixed_logit_panel(v: Any, eta: Any, y: Any) -> Any:
    # 2 persons, 3 tasks, 3 alts; 4 draws of a random intercept; product over tasks, mean of draws
    u = v[:, None, :, :] + eta[:, :, None, :]
    e = at.exp(u)
    p = e / e.sum(axis=3, keepdims=True)
    pc = (p * y[:, None, None, :]).sum(axis=3)
    lik = at.prod(pc, axis=2).mean(axis=1)
    return -at.log(lik).sum()


@model(logits(2, 2, 4), elements(2), labels((2,), n=4))
def latent_class_choice(v: Any, d: Any, y: Any) -> Any:
    pi = at.exp(d) / (1 + at.exp(d))
    p = at.exp(v) / at.sum(at.exp(v), axis=-1, keepdims=True)
    l0 = p[0][at.arange(2), y]
    l1 = p[1][at.arange(2), y]
    return -at.sum(at.log(pi * l0 + (1 - pi) * l1))


@model(elements(5), numbers(2, wrt=True))
def ordered_logit_middle(eta: Any, c: Any) -> Any:
    lo = c[0]
    hi = c[0] + at.exp(c[1])

    def f(z: Any) -> Any:
        return at.exp(z) / (1 + at.exp(z))

    return -at.log(f(hi - eta) - f(lo - eta)).sum()


@model(elements(4), numbers(3, wrt=True), labels((4,), n=4))
def adjacent_category(th: Any, b: Any, y: Any) -> Any:
    z = at.stack(
        [at.zeros_like(th), th - b[0], 2 * th - b[0] - b[1], 3 * th - b[0] - b[1] - b[2]], axis=1
    )
    num = at.exp(z)[at.arange(4), y]
    return -at.log(num / at.exp(z).sum(axis=1)).sum()


@model(logits(2, 5))
def pl_worst_first(s: Any) -> Any:
    # Plackett-Luce with the order given, explicit loop from the last
    ll: Any = 0.0
    den = at.zeros_like(s[:, 0])
    for i in range(4, -1, -1):
        den = den + at.exp(s[:, i])
        ll = ll + at.log(at.exp(s[:, i]) / den)
    return -ll.mean()


@model(logits(2, 4), positive((2, 4)))
def approx_ndcg(s: Any, g: Any) -> Any:
    d = s[:, None, :] - s[:, :, None]
    ind = 1 / (1 + at.exp(-2.0 * d))
    rank = 0.5 + ind.sum(axis=2)
    return -(g / at.log(1.0 + rank)).sum()


@model(logits(4))
def neural_sort_row(s: Any) -> Any:
    ad = abs(s[:, None] - s[None, :]).sum(axis=1)
    scal = at.constant(np.array([3.0, 1.0, -1.0, -3.0]))
    p = (scal[:, None] * s[None, :] - ad[None, :]) / 2.0
    e = at.exp(p)
    ph = e / e.sum(axis=1, keepdims=True)
    return (ph * at.constant(np.arange(16.0).reshape(4, 4) / 16)).sum()


@model(logits(5), positive((5,)))
def lambdarank_pairs(s: Any, g: Any) -> Any:
    dij = s[:, None] - s[None, :]
    w = at.constant(np.triu(np.ones((5, 5)), 1)) * abs(g[:, None] - g[None, :])
    return (w * at.log2(1 + at.exp(-dij))).sum() / w.sum()


@model(logits(3, 4), logits(3, 4))
def listnet_top1(s: Any, t: Any) -> Any:
    ps = at.exp(s) / at.exp(s).sum(1).dimshuffle(0, "x")
    pt = at.exp(t) / at.exp(t).sum(1).dimshuffle(0, "x")
    return -(pt * at.log(ps)).sum(1).mean()


@model(elements(5, lim=300.0), elements(5))
def zip_loop(eta: Any, z: Any) -> Any:
    # zero inflated poisson at zero: log(pi + (1-pi) exp(-exp(eta)))
    pi = 1 / (1 + at.exp(-z))
    mu = at.exp(at.minimum(eta, 5.0))
    return -at.log(pi + (1 - pi) * at.exp(-mu)).sum()


@model(elements(5), elements(5), positive((), wrt=True))
def zinb_zero(eta: Any, z: Any, r: Any) -> Any:
    pi = at.exp(z) / (1 + at.exp(z))
    mu = at.exp(eta)
    return -at.log(pi + (1 - pi) * (r / (r + mu)) ** r).sum()


@model(elements(5), elements(5), bits((5,)))
def zip_select(eta: Any, z: Any, y: Any) -> Any:
    psi = at.exp(z) / (at.exp(z) + 1)
    lam = at.log(1 + at.exp(eta))
    zero = psi + (1 - psi) * at.exp(-lam)
    pos = (1 - psi) * lam * at.exp(-lam)
    return -at.log(at.switch(at.eq(y, 0), zero, pos)).sum()


@model(elements(5), elements(5), bits((5,)))
def hurdle_logit(eta: Any, z: Any, y: Any) -> Any:
    p = 1 / (1 + at.exp(-z))
    lam = at.log1p(at.exp(eta))
    return -at.sum(
        y * (at.log(p) + at.log(lam) - lam - at.log1p(-at.exp(-lam))) + (1 - y) * at.log1p(-p)
    )


@model(
    elements(5),
    given([0.0, 1.0, 2.0, 0.0, 3.0], [0.0, 1.0, 20.0, 0.0, 300.0], [0.0, 5.0, 2.0, 0.0, 300.0]),
    positive((), wrt=True),
)
def nb2_deviance(eta: Any, y: Any, a: Any) -> Any:
    m = at.exp(eta)
    return ((y + 1 / a) * at.log(1 + a * m) - y * at.log(a * m)).sum()


@model(elements(5), elements(5), positive((), wrt=True))
def beta_binomial_mean(a: Any, b: Any, n: Any) -> Any:
    al, be = at.exp(a), at.exp(b)
    mu = al / (al + be)
    rho = 1 / (al + be + 1)
    return (n * mu * (1 - mu) * (1 + (n - 1) * rho)).sum()


@model(logits(3, 4), positive((3, 4)))
def poisson_share(eta: Any, y: Any) -> Any:
    lam = at.exp(eta)
    tot = lam.sum(1, keepdims=True)
    return -(y * at.log(lam / tot)).sum() + (y.sum(1) * 0.5 * at.log(tot[:, 0])).sum()
