"""Exponents in which an exponential has overflown have the limit that they have there."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanrewrite.terms import T
from kanrewrite.view.forms import App, Lin
from kanrewrite.view.levels import overflows
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.limits import limit, only_tower, slope
from tests.view.common import at, function, grad

x, s = at.dvector("x"), at.dscalar("s")


def exponents(a: Lifting) -> tuple[Lin, Lin, Lin, App]:
    """``e``, which is an exponential, ``2*e``, a number ``b``, and ``max(2*e, e + b)``."""
    e, b = a.exp(a.leaf(x, (False,))), a.leaf(s, ())
    once, twice, number = a.lin({e: Fraction(1)}), a.lin({e: Fraction(2)}), a.lin({b: Fraction(1)})
    return once, twice, number, a.app(T.maximum, twice, a.plus(once, number, Fraction(1)))


def test_a_maximum_is_its_steepest_operand() -> None:
    a = Lifting()
    once, twice, number, top = exponents(a)
    ((tower, _),) = once.terms
    assert only_tower(top) is tower
    assert slope(top, tower, up=True) == 2
    assert slope(top, tower, up=False) == -1
    assert limit(top, tower, True, a) is twice
    assert limit(top, tower, False, a) is a.plus(once, number, Fraction(1))


def test_of_equally_steep_ones_the_rest_decides() -> None:
    a = Lifting()
    once, _, number, _ = exponents(a)
    ((tower, _),) = once.terms
    top = a.app(T.maximum, once, a.plus(once, number, Fraction(1)))
    left = limit(a.plus(a.lin({top: Fraction(1)}), once, Fraction(-1)), tower, True, a)
    assert slope(left, tower, up=True) == 0
    assert left is a.lin({a.app(T.maximum, a.no_exponent, number): Fraction(1)})


def test_two_exponentials_have_no_limit() -> None:
    a = Lifting()
    once, *_ = exponents(a)
    other = a.lin({a.exp(a.leaf(s, ())): Fraction(1)})
    assert only_tower(a.app(T.maximum, once, other)) is None
    assert overflows(a.exp(once), a)


@pytest.mark.parametrize("power", [1, 2, 3])
def test_slopes_of_powers_of_saturated_functions_vanish(power: int) -> None:
    f = function([x, s], grad((at.tanh(s * at.exp(x)) ** power).sum(), x))
    for value in (-720.0, -709.9, -1.0, 2.0, 709.9, 720.0):
        with np.errstate(all="ignore"):
            found = f([value, -value], 1.5)
        assert np.isfinite(found).all()
        w = 1.5 * np.exp(-abs(value))
        small = power * np.tanh(w) ** (power - 1) * w / np.cosh(w) ** 2
        np.testing.assert_allclose(found[int(value > 0)], small, rtol=1e-9, atol=1e-307)
