"""Vanishing: whether terms add up to zero, whatever they divide by.

Fractions of different sums are not brought over a common denominator to see it: as rational
functions of what is in them, exponentials among that, they are computed modulo a prime, at one
place that is chosen at random and the same each time.  Of what is not zero a share of
``degree / prime`` of all places is a root.

References
----------
J. T. Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", Journal
of the ACM 27(4), 1980.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

from kanrewrite.view.forms import Form, Prod, Sum, Terms
from kanrewrite.view.heat import is_choice, is_mask, is_others

#: A Mersenne prime: what is computed fits into two words.
PRIME = 2**61 - 1
#: Roots of what is chosen at random are taken up to this one; of another nothing is said.
ROOTS = 12
#: Terms are computed for both values of so many conditions.
CONDITIONS = 3


class Unknown(Exception):
    """Something divides by what is zero at the place, or has a root that is not looked at."""


def vanish(terms: Terms, a: Any) -> bool:
    """Tell whether terms are known to add up to zero, whatever conditions in them are."""
    truths: dict[Form, bool] = {}
    met = dict[Form, bool]()
    try:
        while len(met) <= CONDITIONS:
            place = Place(a, {**met, **truths})
            if sum(place.number(c) * place.value(m) for m, c in terms.items()) % PRIME:
                return False
            met = place.truths
            truths = _next({c: truths.get(c, False) for c in met})
            if not any(truths.values()):
                return True
    except Unknown:
        pass
    return False


def _next(truths: dict[Form, bool]) -> dict[Form, bool]:
    """The conditions as the next binary number has them, all false behind the last one."""
    found = dict(truths)
    for condition, true in truths.items():
        found[condition] = not true
        if not true:
            break
    return found


class Place:
    """What forms are worth at a place, where some conditions are true."""

    def __init__(self, a: Any, truths: dict[Form, bool]):
        self.a, self.truths = a, dict(truths)
        self._known: dict[Form, int] = {}

    def number(self, value: Fraction) -> int:
        """A number modulo the prime."""
        return value.numerator * self._inverse(value.denominator) % PRIME

    def value(self, form: Form) -> int:
        """What a form is worth."""
        if form not in self._known:
            self._known[form] = self._value(form)
        return self._known[form]

    def _value(self, form: Form) -> int:
        if isinstance(form, Prod):
            found = self.number(form.coeff)
            for m, c in form.expo.terms:
                found = found * self._power_of_chosen(("exp", m.uid), c) % PRIME
            for f, k in form.factors:
                found = found * self._power(f, k) % PRIME
            return found
        if isinstance(form, Sum):
            return sum(self.number(c) * self.value(m) for m, c in form.terms) % PRIME
        if is_choice(form):
            condition, yes, no = form.args
            return self.value(yes if self.truths.setdefault(condition, False) else no)
        if is_mask(form):
            return int(self.truths.setdefault(form.args[0], False) == form.args[1])
        if is_others(form):
            return (self.value(self.a.sum(*form.args)) - self.value(form.args[0])) % PRIME
        return self._power_of_chosen(form.uid, Fraction(1))

    def _power(self, form: Form, k: Fraction) -> int:
        if isinstance(form, Prod | Sum) or is_others(form) or is_choice(form) or is_mask(form):
            if k.denominator > 1:
                raise Unknown
            base = self.value(form)
            return pow(base if k > 0 else self._inverse(base), abs(int(k)), PRIME)
        return self._power_of_chosen(form.uid, k)

    def _power_of_chosen(self, key: Any, k: Fraction) -> int:
        """A power of what was chosen, which is a power itself, so that it has roots."""
        if lcm(ROOTS, k.denominator) != ROOTS:
            raise Unknown
        root = Random(str(key)).randrange(2, PRIME)
        return pow(root if k > 0 else self._inverse(root), abs(int(k * ROOTS)), PRIME)

    def _inverse(self, value: int) -> int:
        if not value % PRIME:
            raise Unknown
        return pow(value, -1, PRIME)


__all__ = ["Place", "Unknown", "vanish"]
