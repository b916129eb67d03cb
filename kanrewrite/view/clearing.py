"""Exponents that were taken out of sums, put back into all where none is left outside.

``exp(-a) * (1 + exp(b-a)) / (exp(x) + exp(b-a))**2`` is that of ``exp(a) + exp(b)`` and
``exp(x+a) + exp(b)``: where a is far below, or -inf, ``b - a`` loses the digits of b.
"""

from __future__ import annotations

from fractions import Fraction

from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ZERO, Form, Lin, Sum, Terms

Power = tuple[Form, Fraction]


def cleared(outer: Lin, factors: list[Power], a: Algebra) -> tuple[Lin, list[Power]]:
    """``exp(outer)`` times powers of sums, and of others, with less outside of the sums.

    Parameters
    ----------
    outer
        The exponent outside.
    factors
        What it stands beside, with exponents.
    a
        The algebra.
    """
    sums = {f: k for f, k in factors if isinstance(f, Sum)}
    shown = {f: [dict(a.parts(m)[1].terms) for m, _ in f.terms] for f in sums}
    back: dict[Form, Terms] = {f: {} for f in sums}
    left = dict(outer.terms)
    for m, c in outer.terms if len(sums) > 1 else ():
        lacks = {f: -min(e.get(m, ZERO) for e in shown[f]) for f in sums}
        # What one of them has of its own may be far above the others instead.
        if min(lacks.values()) > 0 and c == sum(sums[f] * lack for f, lack in lacks.items()):
            del left[m]
            for f, lack in lacks.items():
                back[f][m] = lack
    by = {f: a.exp(a.lin(expo)) for f, expo in back.items() if expo}
    whole = {f: a.sum_of({a.mul(m, by[f]): c for m, c in f.terms}) for f in sums if f in by}
    return a.lin(left), [(whole.get(f, f) if isinstance(f, Sum) else f, k) for f, k in factors]
