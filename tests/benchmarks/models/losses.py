"""Contrastive losses, calibration, smoothing and distillation."""

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
    temperature,
)
from tests.view.common import at


@model(logits(4, 4, axis=1))
def supcon_mask(s: Any) -> Any:
    off = 1 - at.eye(4)
    pos = at.constant(np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]))
    e = at.exp(s / 0.5) * off
    lp = s / 0.5 - at.log(e.sum(axis=1, keepdims=True))
    return -((pos * lp).sum(1) / pos.sum(1)).mean()


@model(logits(3, 3))
def infonce_mi(f: Any) -> Any:
    e = at.exp(f)
    return at.log(at.diag(e) / e.mean(axis=1)).mean()


@model(
    features(3, 2, scale=(0, 4, 8)),
    features(3, 2, scale=(0, 4, 8)),
    features(3, 2, scale=(0, 4, 8)),
)
def triplet_softplus(a: Any, p: Any, n: Any) -> Any:
    dp = ((a - p) ** 2).sum(1)
    dn = ((a - n) ** 2).sum(1)
    return at.log(1 + at.exp(dp - dn)).mean()


@model(logits(4, 4))
def npair_mc(s: Any) -> Any:
    d = s - at.diag(s)[:, None]
    return at.log(1 + (at.exp(d) * (1 - at.eye(4))).sum(1)).mean()


@model(elements(3), elements(4))
def circle_loss(sp: Any, sn: Any) -> Any:
    ap, an = at.maximum(1.25 - sp, 0.0), at.maximum(sn + 0.25, 0.0)
    return at.log(1 + at.exp(8 * an * (sn - 0.25)).sum() * at.exp(-8 * ap * (sp - 0.75)).sum())


@model(logits(3, 4), logits(3))
def dcl_decoupled(neg: Any, pos: Any) -> Any:
    return (
        -at.log(at.exp(pos) / at.exp(neg).sum(1)).mean()
        + at.log(at.exp(pos) / (at.exp(pos) + at.exp(neg).sum(1))).mean()
    )


@model(logits(3, 4), logits(3, 4), bits((3, 4)))
def multi_sim(s: Any, t: Any, m: Any) -> Any:
    lp = at.log(1 + (m * at.exp(-2 * (s - 0.5))).sum(1)) / 2
    ln = at.log(1 + ((1 - m) * at.exp(8 * (t - 0.5))).sum(1)) / 8
    return (lp + ln).mean()


@model(logits(3, 4), one_hot((3, 4)))
def proxy_nca(d: Any, y: Any) -> Any:
    e = at.exp(-d)
    return -at.log((e * y).sum(1) / (e * (1 - y)).sum(1)).mean()


@model(logits(3, 4), one_hot((3, 4)))
def focal_multi(z: Any, y: Any) -> Any:
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    return -(y * (1 - p) ** 2 * at.log(p)).sum(1).mean()


@model(elements(6), bits((6,)))
def focal_bin_alpha(z: Any, y: Any) -> Any:
    p = 1 / (1 + at.exp(-z))
    pt = at.switch(at.eq(y, 1), p, 1 - p)
    return -(0.25 * (1 - pt) ** 2 * at.log(pt)).sum()


@model(logits(3, 4), one_hot((3, 4)))
def poly1(z: Any, y: Any) -> Any:
    pt = (y * at.exp(z) / at.exp(z).sum(1, keepdims=True)).sum(1)
    return (-at.log(pt) + 1.5 * (1 - pt)).mean()


@model(logits(3, 4), numbers(4, wrt=True), labels((3,), n=4))
def temp_vector_scaling(z: Any, lw: Any, y: Any) -> Any:
    q = z * at.exp(0.25 * lw)
    p = at.exp(q) / at.exp(q).sum(1, keepdims=True)
    return -at.log(p[at.arange(3), y]).mean()


@model(logits(3, 4), one_hot((3, 4)))
def brier_skill(z: Any, y: Any) -> Any:
    p = at.exp(z) / at.exp(z).sum(1, keepdims=True)
    return 1 - ((p - y) ** 2).sum() / ((0.25 - y) ** 2).sum()


@model(logits(3, 4), one_hot((3, 4)), temperature((), wrt=True))
def smooth_ce_temp(z: Any, y: Any, t: Any) -> Any:
    q = y * 0.9375 + 0.0625 / 4
    return -(q * at.log(at.exp(z / t) / at.exp(z / t).sum(1, keepdims=True))).sum(1).mean()


@model(logits(3, 4), logits(3, 4), one_hot((3, 4)), temperature((), wrt=True))
def distil_t2(s: Any, t: Any, y: Any, tt: Any) -> Any:
    def f(z: Any) -> Any:
        return at.exp(z) / at.exp(z).sum(1, keepdims=True)

    ps, pt = f(s / tt), f(t / tt)
    return (
        tt**2 * (pt * (at.log(pt) - at.log(ps))).sum(1).mean()
        - 0.5 * (y * at.log(f(s))).sum(1).mean()
    )


@model(logits(2, 4), logits(2, 4))
def rev_kd_js(s: Any, t: Any) -> Any:
    def f(z: Any) -> Any:
        return at.exp(z) / at.exp(z).sum(1, keepdims=True)

    p, q = f(s), f(t)
    m = (p + q) / 2
    return 0.5 * (p * at.log(p / m)).sum() + 0.5 * (q * at.log(q / m)).sum()


@model(logits(3, 4), logits(3, 4), one_hot((3, 4)))
def dkd(s: Any, t: Any, y: Any) -> Any:
    # decoupled distillation: target / non-target part
    def f(z: Any) -> Any:
        return at.exp(z) / at.exp(z).sum(1, keepdims=True)

    ps, pt = f(s), f(t)
    bs, bt = (ps * y).sum(1), (pt * y).sum(1)
    tck = bt * at.log(bt / bs) + (1 - bt) * at.log((1 - bt) / (1 - bs))
    ns = ps * (1 - y) / (1 - bs)[:, None]
    nt = pt * (1 - y) / (1 - bt)[:, None]
    nck = (nt * at.log((nt + 1e-12) / (ns + 1e-12))).sum(1)
    return (tck + nck).mean()


@model(elements(3, 4), one_hot((3, 4)))
def conf_ova(z: Any, y: Any) -> Any:
    p = 1 / (1 + at.exp(-z))
    q = p / p.sum(1, keepdims=True)
    return -(y * at.log(q)).sum()


@model(elements(6), bits((6,)))
def dice_soft(z: Any, y: Any) -> Any:
    p = at.exp(z) / (1 + at.exp(z))
    return 1 - 2 * (p * y).sum() / (p.sum() + y.sum())


@model(elements(6), bits((6,)))
def tversky_log(z: Any, y: Any) -> Any:
    p = 1 / (1 + at.exp(-z))
    tp, fp, fn = (p * y).sum(), (p * (1 - y)).sum(), ((1 - p) * y).sum()
    return -at.log(tp / (tp + 0.25 * fp + 0.75 * fn))
