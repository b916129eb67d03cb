"""Survival, latent variables and importance weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.models.common import (
    bits,
    elements,
    features,
    logits,
    model,
    numbers,
    one_hot,
    positive,
    unit,
)
from tests.view.common import at


@model(logits(5))
def cox_efron_ties(eta: Any) -> Any:
    h = at.exp(eta)
    r0 = h.sum()
    ties = h[0] + h[1]
    l1 = at.log(h[0] / r0) + at.log(h[1] / (r0 - 0.5 * ties))
    r1 = h[2:].sum()
    return -(l1 + at.log(h[2] / r1) + at.log(h[3] / (h[3] + h[4])))


@model(logits(2, 4), bits((2, 4)))
def cox_strata(eta: Any, d: Any) -> Any:
    r = at.cumsum(at.exp(eta)[:, ::-1], axis=1)[:, ::-1]
    return -(d * (eta - at.log(r))).sum() / d.sum()


@model(numbers(5), elements(5, lim=1e4), numbers(wrt=True), bits((5,)))
def weibull_aft(lt: Any, eta: Any, ls: Any, d: Any) -> Any:
    z = (lt - eta) / at.exp(0.25 * ls)
    return -(d * (z - 0.25 * ls) - at.exp(at.minimum(z, 20.0))).sum()


@model(elements(3, 4), bits((3, 4)), bits((3, 4)))
def discrete_haz(z: Any, y: Any, risk: Any) -> Any:
    h = at.exp(z) / (1 + at.exp(z))
    return -(risk * (y * at.log(h) + (1 - y) * at.log(1 - h))).sum()


@model(elements(3, 4))
def discrete_surv_prod(z: Any) -> Any:
    h = 1 / (1 + at.exp(-z))
    s = at.cumprod(1 - h, axis=1)
    return -at.log(h[:, 3] * s[:, 2]).mean() - at.log(1 - s[:, 1]).mean()


@model(logits(2, 4), logits(2, 4))
def deephit_ranking(a: Any, b: Any) -> Any:
    pa = at.exp(a) / at.exp(a).sum(1, keepdims=True)
    pb = at.exp(b) / at.exp(b).sum(1, keepdims=True)
    fa, fb = at.cumsum(pa, axis=1), at.cumsum(pb, axis=1)
    return (
        at.exp(-(fa[:, 2] - fb[:, 2]) / 0.25).mean()
        - at.log(pa[:, 1]).mean()
        - at.log(1 - fb[:, 1]).mean()
    )


@model(logits(4, 2))
def competing_cif(z: Any) -> Any:
    # discrete cause specific hazards with baseline "no event"
    e = at.exp(z)
    den = 1 + e.sum(axis=1)
    s = at.cumprod(1 / den)
    sm = at.concatenate([at.ones((1,)), s[:-1]])
    cif = ((e / den[:, None]) * sm[:, None]).sum(axis=0)
    return at.log(cif)


@model(elements(5), elements(5), bits((5,)))
def cure_mixture(z: Any, eta: Any, d: Any) -> Any:
    pi = 1 / (1 + at.exp(-z))
    h = at.log(1 + at.exp(eta))
    s = (1 - pi) + pi * at.exp(-h)
    f = pi * at.exp(-h)
    return -(d * at.log(f) + (1 - d) * at.log(s)).sum()


@model(elements(5, lim=300.0), positive((), wrt=True), bits((5,)))
def frailty_gamma(eta: Any, th: Any, d: Any) -> Any:
    h = at.exp(eta)
    return -(d * eta - (d + 1 / th) * at.log(1 + th * h)).sum()


@model(elements(5), elements(5))
def prop_odds_surv(a: Any, b: Any) -> Any:
    # S = 1/(1+exp(a)), interval censored
    return -at.log(1 / (1 + at.exp(a)) - 1 / (1 + at.exp(a + at.exp(at.minimum(b, 3.0))))).sum()


@model(numbers(4, 2), numbers(3, 2, wrt=True), logits(3), elements(3, lim=16.0))
def em_gmm_resp(x: Any, mu: Any, z: Any, lv: Any) -> Any:
    pi = at.exp(z) / at.exp(z).sum()
    iv = at.exp(-at.clip(lv, -12, 12))
    d = ((x[:, None, :] - mu[None, :, :]) ** 2).sum(axis=2)
    w = pi * iv * at.exp(-0.5 * d * iv)
    r = w / w.sum(axis=1, keepdims=True)
    return (r * at.log(r)).sum() + at.log(w.sum(axis=1)).sum()


@model(elements(4), unit((4,)), numbers(4, 3, wrt=True), bits((3,)))
def elbo_bern_gumbel(low: Any, u: Any, w: Any, x: Any) -> Any:
    z = 1 / (1 + at.exp(-(low + at.log(u) - at.log(1 - u)) / 0.5))
    p = 1 / (1 + at.exp(-at.dot(z, w)))
    q = 1 / (1 + at.exp(-low))
    kl = q * at.log(q / 0.5) + (1 - q) * at.log((1 - q) / 0.5)
    return -(x * at.log(p) + (1 - x) * at.log(1 - p)).sum() + kl.sum()


@model(logits(3, 5), logits(3, 5))
def iwae_direct(lp: Any, lq: Any) -> Any:
    w = at.exp(lp - lq)
    return -at.log(w.mean(axis=1)).mean()


@model(logits(2, 4))
def vimco_baseline(low: Any) -> Any:
    w = at.exp(low)
    tot = w.sum(1, keepdims=True)
    loo = (tot - w) / 3
    return (at.log(tot / 4) - at.log(loo)).sum()


@model(elements(2, 3), one_hot((2, 3)))
def dirichlet_kl_evid(z: Any, y: Any) -> Any:
    al = at.log(1 + at.exp(z)) + 1
    s = al.sum(1, keepdims=True)
    p = al / s
    return ((y - p) ** 2 + p * (1 - p) / (s + 1)).sum()


@model(logits(3), logits(3, 4))
def lda_gibbs_like(t: Any, b: Any) -> Any:
    th = at.exp(t) / at.exp(t).sum()
    ph = at.exp(b) / at.exp(b).sum(axis=1, keepdims=True)
    r = th[:, None] * ph
    r = r / r.sum(axis=0, keepdims=True)
    return at.log(r.mean(axis=1))


@model(logits(3), numbers(4), numbers(3, wrt=True), positive((), wrt=True))
def t_mixture(z: Any, x: Any, mu: Any, nu: Any) -> Any:
    pi = at.exp(z) / at.exp(z).sum()
    k = (1 + (x[:, None] - mu) ** 2 / nu) ** (-(nu + 1) / 2)
    return -at.log((pi * k).sum(1)).sum()


@model(logits(3), features(4, scale=(0, 8, 16), wrt=False), numbers(3, wrt=True))
def cauchy_mix(z: Any, x: Any, mu: Any) -> Any:
    pi = at.exp(z) / (at.exp(z[0]) + at.exp(z[1]) + at.exp(z[2]))
    return -at.log((pi / (np.pi * (1 + (x[:, None] - mu) ** 2))).sum(1)).sum()


@model(logits(3, 5))
def snis_ess(lw: Any) -> Any:
    w = at.exp(lw)
    return w.sum(1) ** 2 / (w**2).sum(1)


@model(logits(2, 5), numbers(2, 5, wrt=True))
def psis_like_trunc(lw: Any, h: Any) -> Any:
    w = at.exp(lw)
    wt = at.minimum(w, w.mean(1, keepdims=True) * np.sqrt(5.0))
    return (wt * h).sum(1) / wt.sum(1)


@model(logits(3, 4))
def ais_chain(d: Any) -> Any:
    w = at.prod(at.exp(d), axis=0)
    return at.log(w.mean()) - d.mean()


@model(logits(2, 3), logits(2, 3), numbers(2, 3, wrt=True))
def mis_balance(lq0: Any, lq1: Any, f: Any) -> Any:
    p = at.exp(lq0)
    return (p / (0.5 * at.exp(lq0) + 0.5 * at.exp(lq1)) * f).mean()


@model(logits(3, 3), logits(3, 3), numbers(3))
def offpolicy_wis(z: Any, zo: Any, r: Any) -> Any:
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    q = at.exp(zo) / at.exp(zo).sum(1, keepdims=True)
    w = at.prod(p / q, axis=1)
    return (w * r).sum() / w.sum()
