"""Rational functions of one exponential: fractions of it added up, in lowest terms.

The curvature of ``log(1 + e/(1 + e))`` adds up dozens of products over powers of ``1 + e`` and
``1 + 2*e``.  As polynomials in e they are put over a common denominator, in which most cancel, and
what the sum still divides by is divided out.

References
----------
J. von zur Gathen and J. Gerhard, "Modern Computer Algebra", third edition, Cambridge University
Press, 2013, sections 2.4 and 6.11: division with remainder, and fractions in lowest terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from kanrewrite.view.forms import ONE, ZERO, Form, Lin, Sum, Terms

#: Polynomials of higher degree are not made.
DEGREE = 40

#: Coefficients, that of the lowest power first.
Polynomial = list[Fraction]


class Fractional(NamedTuple):
    """What a term is times an exponential's power, over which sums, and by which number."""

    power: Fraction
    sums: dict[Form, int]
    number: Fraction


def in_lowest_terms(terms: Terms, a: Any) -> Form | None:
    """Terms added up as fractions of one exponential, None where nothing cancels in them."""
    unit = _unit(terms, a)
    if unit is None:
        return None
    known: dict[Form, tuple[Lin, Polynomial] | None] = {}
    groups: dict[tuple[Form, Fraction], dict[Form, Fractional]] = {}
    for m, c in terms.items():
        rest, fraction = _apart(m, c, unit, known, a)
        groups.setdefault((rest, fraction.power % 1), {})[m] = fraction
    sums = {f: p for f, p in known.items() if p is not None}
    firsts = {f: first for f, (first, _) in sums.items()}
    polynomials = {f: polynomial for f, (_, polynomial) in sums.items()}
    out: list[Form] = []
    gains = False
    for (rest, _), group in groups.items():
        added = _added(list(group.values()), polynomials) if len(group) > 1 else None
        if added is None:
            out += [a.mul(a.const(terms[m]), m) for m in group]
        else:
            out.append(a.mul(rest, _form(*added, unit, firsts, a)))
            gains = True
    return a.add(*out) if gains else None


def _unit(terms: Terms, a: Any) -> Lin | None:
    """The exponent of which all exponents in a sum that divides are multiples, None for none."""
    factors = ((f, k) for m in terms for f, k in a.parts(m)[2])
    sums = dict.fromkeys(f for f, k in factors if isinstance(f, Sum) and k < 0 and f.nonneg)
    unit: Lin | None = None
    for step in (step for f in sums for step in steps(dict(f.terms), a) or () if step.terms):
        if unit is None:
            unit = step
        k, left = times(step, unit, a)
        if not left.terms:
            by = Fraction(1, k.denominator)  # of 1 and k, which is in lowest terms
            unit = _scaled(unit, by, a)
    return unit


def steps(terms: Terms, a: Any) -> list[Lin] | None:
    """What exponents of terms are more than the first one's; None where there are factors."""
    parts = [a.parts(m) for m in terms]
    if any(factors for _, _, factors in parts):
        return None
    return [a.plus(expo, parts[0][1], -ONE) for _, expo, _ in parts]


def _polynomial(form: Form, unit: Lin, a: Any) -> tuple[Lin, Polynomial] | None:
    """A sum as the exponent of its lowest term and a polynomial in an exponential, or None."""
    terms = dict(form.terms) if isinstance(form, Sum) else {}
    more = steps(terms, a) if terms else None
    if more is None:
        return None
    found: dict[Fraction, Fraction] = {}
    for step, c in zip(more, terms.values(), strict=True):
        k, left = times(step, unit, a)
        if left.terms or k.denominator > 1 or abs(k) > DEGREE:
            return None
        found[k] = c
    lowest = min(found)
    first = a.parts(next(iter(terms)))[1]
    places = range(int(max(found) - lowest) + 1)
    return a.plus(first, unit, lowest), [found.get(lowest + n, ZERO) for n in places]


def times(expo: Lin, unit: Lin, a: Any) -> tuple[Fraction, Lin]:
    """How many times an exponent is another one, and what is left of it."""
    ((lead, c), *_) = unit.terms
    k = dict(expo.terms).get(lead, ZERO) / c
    return k, a.plus(expo, unit, -k)


def _apart(
    form: Form,
    number: Fraction,
    unit: Lin,
    sums: dict[Form, tuple[Lin, Polynomial] | None],
    a: Any,
) -> tuple[Form, Fractional]:
    """A term as what is no fraction of an exponential, and what is."""
    coeff, expo, factors = a.parts(form)
    rest, powers = {}, {}
    for f, k in factors:
        if f not in sums:
            sums[f] = _polynomial(f, unit, a)
        known = sums[f]
        if known is None or k.denominator > 1:
            rest[f] = k
        else:
            powers[f] = int(k)
            expo = a.plus(expo, known[0], k)
    power, left = times(expo, unit, a)
    return a.prod(ONE, left, rest), Fractional(power, powers, number * coeff)


def _added(
    fractions: list[Fractional], known: Mapping[Form, Polynomial]
) -> tuple[Fraction, Polynomial, dict[Form, int]] | None:
    """The lowest power, the polynomial and the divisors of a sum.

    None where nothing cancels in it, and nothing is divided out.
    """
    lowest = min(f.power for f in fractions)
    below = {g: max(-f.sums.get(g, 0) for f in fractions) for f in fractions for g in f.sums}
    below = {g: n for g, n in below.items() if n > 0}
    degree = sum(n * (len(known[g]) - 1) for g, n in below.items())
    if not below or degree > DEGREE:
        return None
    total: Polynomial = []
    signs: dict[int, set[bool]] = {}
    for f in fractions:
        powers = {g: below.get(g, 0) + f.sums.get(g, 0) for g in {*below, *f.sums}}
        factors = [known[g] for g, n in powers.items() for _ in range(n)]
        place = int(f.power - lowest)
        if place + sum(len(p) - 1 for p in factors) > 2 * DEGREE:
            return None
        above = [ZERO] * place + [f.number]
        for p in factors:
            above = _product(above, p)
        total += [ZERO] * (len(above) - len(total))
        for n, c in enumerate(above):
            total[n] += c
            if c:
                signs.setdefault(n, set()).add(c > 0)
    gains = any(len(both) > 1 for both in signs.values())
    for g in below:
        while below[g] and (left := quotient(total, known[g])) is not None:
            total, below[g], gains = left, below[g] - 1, True
    return (lowest, total, below) if gains else None


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    found = [ZERO] * (len(one) + len(other) - 1)
    for i, c in enumerate(one):
        for j, d in enumerate(other) if c else ():
            found[i + j] += c * d
    return found


def quotient(above: Polynomial, below: Polynomial) -> Polynomial | None:
    """A polynomial over another one, None where something remains."""
    left = list(above)
    while left and not left[-1]:
        left.pop()
    found = [ZERO] * max(0, len(left) - len(below) + 1)
    for place in reversed(range(len(found))):
        found[place] = left[place + len(below) - 1] / below[-1]
        for j, d in enumerate(below):
            left[place + j] -= found[place] * d
    return None if any(left) or not found else found


def _form(
    power: Fraction,
    above: Polynomial,
    below: dict[Form, int],
    unit: Lin,
    firsts: Mapping[Form, Lin],
    a: Any,
) -> Form:
    """What a polynomial over sums, each over its first exponential, is, times a power."""
    terms = {a.exp(_scaled(unit, n, a)): b for n, b in enumerate(above) if b}
    over = [a.pow(a.div(f, a.exp(firsts[f])), Fraction(-n)) for f, n in below.items() if n]
    found: Form = a.mul(a.exp(_scaled(unit, power, a)), a.add_terms(terms), *over)
    return found


def _scaled(expo: Lin, by: Fraction | int, a: Any) -> Lin:
    found: Lin = a.lin({m: c * by for m, c in expo.terms})
    return found


__all__ = ["in_lowest_terms", "quotient", "steps", "times"]
