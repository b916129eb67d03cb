"""Factoring: ``exp(a + d) - exp(a) + exp(b) - exp(b + d) == (exp(d) - 1) * (exp(a) - exp(b))``.

A sum that cancels wherever d is zero is a polynomial in ``z = exp(d)`` with the root 1.  Divided by
``z - 1``, which is an ``expm1``, it keeps its digits where d is small, as the slopes of an ordinal
regression between thresholds that are near each other.

References
----------
W. G. Horner, "A new method of solving numerical equations of all orders, by continuous
approximation", Philosophical Transactions of the Royal Society 109, 1819.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ONE, ZERO, Form, Lin, Sum, Terms, Totals

#: A sum of more terms is not divided, nor is a power higher than this.
MANY = 12
#: What is left of terms when powers of ``exp(d)`` leave them, and the powers' fraction.
Class = tuple[Form, Fraction]


def factored(form: Sum, a: Algebra) -> Form | None:
    """A sum as a product of differences of exponentials and what is left, None where it is none."""
    if not 2 < len(form.terms) <= MANY:
        return None
    for d in _steps(form, a):
        left = _divided(form, d, a)
        if left is not None and len(left) > 1:
            rest = a.sum_of(left)
            more = factored(rest, a) if isinstance(rest, Sum) else None
            difference = a.sum_of({a.exp(d): ONE, a.one: -ONE})
            return a.mul(difference, rest if more is None else more)
    return None


def _steps(form: Sum, a: Algebra) -> Iterator[Lin]:
    """What the exponents of two terms differ by that may cancel.

    All in it has one sign: the difference of two infinities has no value.
    """
    (first, c), *others = form.terms
    _, expo, factors = a.parts(first)
    seen: set[Lin] = set()
    for m, k in others:
        _, other, more = a.parts(m)
        if more != factors or k * c > 0:
            continue
        d = a.plus(other, expo, -ONE)
        d = d if any(k > 0 for _, k in d.terms) else a.lin({n: -k for n, k in d.terms})
        if d.terms and all(k > 0 for _, k in d.terms) and d not in seen:
            seen.add(d)
            yield d


def _divided(form: Sum, d: Lin, a: Algebra) -> Terms | None:
    """The terms of ``form / (exp(d) - 1)``, None where something remains."""
    unit, by = d.terms[0]
    classes: dict[Class, dict[int, Fraction]] = {}
    for m, c in form.terms:
        _, expo, _ = a.parts(m)
        power = dict(expo.terms).get(unit, ZERO) / by
        fraction = power % 1
        whole = int(power - fraction)
        if abs(whole) > MANY:
            return None
        bare = a.mul(m, a.exp(a.lin({n: -whole * k for n, k in d.terms})))
        found = classes.setdefault((bare, fraction), {})
        found[whole] = found.get(whole, ZERO) + c
    out = Totals()
    for (bare, _), powers in classes.items():
        if sum(powers.values(), ZERO):
            return None
        carried = ZERO
        for n in range(max(powers), min(powers), -1):  # z**n / (z - 1), from the highest down
            carried += powers.get(n, ZERO)
            if carried:
                step = a.exp(a.lin({m: (n - 1) * k for m, k in d.terms}))
                out[a.mul(bare, step)] += carried
    return {m: c for m, c in out.items() if c} if out else None
