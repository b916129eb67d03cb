"""Dividing: ``e/(1 + e) == 1 - 1/(1 + e)``, so that what is equal is written with the same terms.

Terms with what sums divide are not brought over a common denominator, which those of different
sums along axes do not have: each is divided with remainder, as polynomials in exponentials are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ZERO, Form, Sum, Terms, Totals

#: An exponent of a sum and how much the largest term has of it; that term with its coefficient.
Largest = tuple[tuple[Form, Fraction], tuple[Form, Fraction]]


class NotProved(Exception):
    """Whether terms add up to zero is not known, or there are too many of them."""


def divided(terms: Terms, a: Algebra, most: int) -> Terms:
    """Terms none of which the largest exponential of a sum that divides it divides.

    Raises
    ------
    NotProved
        There are more than `most` of them.
    """
    out, waiting, seen = Totals(), list(terms.items()), 0
    largest_of = cache(partial(_largest, a=a))
    while waiting:
        m, c = waiting.pop()
        found = _largest_that_divides(m, largest_of, a)
        if found is None:
            out[m] += c
            continue
        seen += 1
        if seen > most:
            raise NotProved
        by, largest, d = found
        left = a.div(m, largest)
        waiting.append((a.mul(left, by), c / d))
        waiting.extend((a.mul(left, n), -c * k / d) for n, k in by.terms if n is not largest)
    return {m: c for m, c in out.items() if c}


def _largest_that_divides(
    form: Form, largest_of: Callable[[Sum], Largest | None], a: Algebra
) -> tuple[Sum, Form, Fraction] | None:
    """A sum that divides a form, and its largest term and coefficient if that divides, too."""
    _, expo, factors = a.parts(form)
    mine = dict(expo.terms)
    for f, k in factors:
        if isinstance(f, Sum) and k < 0 and k.denominator == 1:
            found = largest_of(f)
            if found is not None:
                (m, c), term = found
                if mine.get(m, ZERO) >= c:
                    return f, *term
    return None


def _largest(form: Sum, a: Algebra) -> Largest | None:
    """The term of a sum that has more of an exponent than any other, and how much, if one has."""
    exponents = [dict(a.parts(n)[1].terms) for n, _ in form.terms]
    for m in dict.fromkeys(m for e in exponents for m in e):
        most, *others = sorted((e.get(m, ZERO) for e in exponents), reverse=True)
        term = next(t for t, e in zip(form.terms, exponents, strict=True) if e.get(m, ZERO) == most)
        if most > others[0] and not a.parts(term[0])[2]:
            return (m, most), term
    return None
