"""Partition functions, energies and occupations."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.models.common import elements, given, logits, model, numbers, positive
from tests.view.common import at


@model(logits(5), given(1.0, 0.25, 2.0**-8, wrt=True))
def boltz_heat_cap(e: Any, t: Any) -> Any:
    z = at.exp(-e / t).sum()
    u = (e * at.exp(-e / t)).sum() / z
    u2 = (e**2 * at.exp(-e / t)).sum() / z
    return (u2 - u**2) / t**2


@model(logits(5), positive((), wrt=True))
def free_energy_u_ts(e: Any, t: Any) -> Any:
    p = at.exp(-e / t)
    p = p / p.sum()
    return (p * e).sum() + t * (p * at.log(p)).sum()


@model(elements(4), elements(4))
def ising_mf_step(h: Any, m: Any) -> Any:
    th = (at.exp(h + m) - at.exp(-h - m)) / (at.exp(h + m) + at.exp(-h - m))
    p = (1 + th) / 2
    return -(p * at.log(p) + (1 - p) * at.log(1 - p))


@model(logits(3, 3, axis=None), logits(3), logits(3))
def potts_pair(j: Any, h: Any, g: Any) -> Any:
    w = at.exp(j + h[:, None] + g[None, :])
    p = w / w.sum()
    mi = p * at.log(p / (p.sum(1, keepdims=True) * p.sum(0, keepdims=True)))
    return mi.sum()


@model(elements(5), positive((), wrt=True))
def fermi_dirac_kit(e: Any, t: Any) -> Any:
    f = 1 / (at.exp(e / t) + 1)
    s = -(f * at.log(f) + (1 - f) * at.log(1 - f))
    return (f * e).sum() - t * s.sum()


@model(given([0.5, 1.0, 3.0], [2.0**-10, 700.0, 900.0], [2.0**-30, 2.0**13, 2.0**15], wrt=True))
def bose_planck(x: Any) -> Any:
    return x**3 / (at.exp(x) - 1)


@model(given([0.5, 1.0, 3.0], [2.0**-10, 700.0, 900.0], [2.0**-30, 2.0**13, 2.0**15], wrt=True))
def harmonic_osc_logz(x: Any) -> Any:
    z = at.exp(-x / 2) / (1 - at.exp(-x))
    return at.log(z)


@model(elements(5))
def schottky(x: Any) -> Any:
    return x**2 * at.exp(x) / (1 + at.exp(x)) ** 2


@model(elements(5, lim=300.0))
def debye_huckel_pot(x: Any) -> Any:
    return at.log((at.exp(x) + 2 + at.exp(-x)) / 4)


@model(elements(5, lim=300.0), positive((), wrt=True))
def morse_pot(r: Any, a: Any) -> Any:
    return (1 - at.exp(-a * r)) ** 2 - 1


@model(logits(2, 3))
def langmuir_multi(mu: Any) -> Any:
    z = at.exp(mu)
    th = z / (1 + z.sum(axis=1, keepdims=True))
    return at.log(th) - at.log(1 - th.sum(axis=1, keepdims=True))


@model(elements(5))
def saha_ion(x: Any) -> Any:
    s = at.exp(x)
    return (-s + at.sqrt(s**2 + 4 * s)) / 2


@model(elements(3), elements(3))
def transfer_matrix3(jj: Any, h: Any) -> Any:
    # periodic 3-spin chain: trace of product of transfer matrices
    def transfer(j: Any, b: Any) -> Any:
        return at.stack(
            [at.stack([at.exp(j + b), at.exp(-j)]), at.stack([at.exp(-j), at.exp(j - b)])]
        )

    p = at.dot(at.dot(transfer(jj[0], h[0]), transfer(jj[1], h[1])), transfer(jj[2], h[2]))
    return at.log(p[0, 0] + p[1, 1])


@model(elements(4), elements(4), numbers(wrt=True))
def bar_overlap(w0: Any, w1: Any, df: Any) -> Any:
    def f(x: Any) -> Any:
        return 1 / (1 + at.exp(x))

    return at.log(f(w0 - df).mean()) - at.log(f(df - w1).mean())


@model(logits(2, 4), logits(2))
def mbar_2(u: Any, f: Any) -> Any:
    den = at.log(at.exp(f[:, None] - u).sum(axis=0))
    fn = -at.log(at.exp(-u - den[None, :]).sum(axis=1))
    return fn - fn[0]


@model(elements(4))
def cole_ess_energy(x: Any) -> Any:
    return at.log(at.cosh(x)) - 0.5 * at.log(1 + at.sinh(x) ** 2) + at.log(2 * at.cosh(x / 2))
