"""Perfect powers: ``1 + 2*e + e**2 == (1 + e)**2``, so that it cancels with what divides by it.

Slopes of quotients add up ``(1 + e) + e*(1 + e)``, and divide by what that is a power of.

References
----------
P. Henrici, "Automatic computations with power series", Journal of the ACM 3(1), 1956: a power of a
series, term by term.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kanrewrite.view.forms import ONE, ZERO, Form, Lin, Terms
from kanrewrite.view.rational import steps, times

#: The highest power that is looked for.
HIGHEST = 8


def perfect_power(terms: Terms, a: Any) -> Form | None:
    """What terms, which are powers of one exponential, are a power of; None of other terms.

    Nothing is subtracted in them: what is, is divided by differences (`kanrewrite.view.factoring`).
    """
    if not 2 < len(terms) <= HIGHEST + 1 or len({c > 0 for c in terms.values()}) > 1:
        return None
    more = steps(terms, a)
    if more is None:
        return None
    unit = more[1]
    found: dict[Fraction, Form] = {}
    for m, step in zip(terms, more, strict=True):
        k, left = times(step, unit, a)
        if left.terms:
            return None
        found[k] = m
    return _power_of(found, unit, terms, a)


def _power_of(found: dict[Fraction, Form], unit: Lin, terms: Terms, a: Any) -> Form | None:
    lowest = min(found)
    step = min(k - lowest for k in found if k > lowest)
    places = {(k - lowest) / step: m for k, m in found.items()}
    if any(k.denominator > 1 for k in places) or max(places) > HIGHEST:
        return None
    degree = int(max(places))
    scale = terms[places[ZERO]]
    given = [
        terms[places[k]] / scale if (k := Fraction(n)) in places else ZERO
        for n in range(degree + 1)
    ]
    for n in (n for n in range(degree, 1, -1) if degree % n == 0):
        base = _root(given, n)
        if base is not None:
            by = a.lin({m: c * step for m, c in unit.terms})
            parts = {
                a.exp(a.lin({m: c * k for m, c in by.terms})): b for k, b in enumerate(base) if b
            }
            power = a.pow(a.add_terms(parts), Fraction(n))
            whole: Form = a.mul(a.const(scale), a.exp(a.parts(places[ZERO])[1]), power)
            return whole
    return None


def _root(given: list[Fraction], n: int) -> list[Fraction] | None:
    """The polynomial that begins with 1 of which another one is a power, None where it is none."""
    base = [ONE]
    for k in range(1, (len(given) - 1) // n + 1):
        base.append(
            sum(((i * (n + 1) - k * n) * given[i] * base[k - i] for i in range(1, k + 1)), ZERO)
            / (k * n)
        )
    power = [ONE]
    for _ in range(n):
        power = [
            sum((power[i] * base[k - i] for i in range(len(power)) if 0 <= k - i < len(base)), ZERO)
            for k in range(len(power) + len(base) - 1)
        ]
    return base if power == given else None
