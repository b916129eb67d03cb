"""Fractions of one exponential, added up in lowest terms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite import registry
from kanrewrite.view import View
from kanrewrite.view.forms import added_up
from kanrewrite.view.rational import in_lowest_terms
from tests.view.common import at

A, B = at.dvectors("ab")
e = at.exp


def _added(*fractions: Any) -> tuple[Any, View]:
    """Fractions as they are read one by one, added up, and who has read them."""
    view = View(registry.relations())
    forms = [view.read(f) for f in fractions]
    a = forms[0].home
    terms = {a.div(m, a.const(a.parts(m)[0])): a.parts(m)[0] for m in forms}
    return in_lowest_terms(terms, a), view


@pytest.mark.parametrize(
    ("fractions", "whole"),
    [
        ([1 / (1 + e(A)) ** 3, e(A) / (1 + e(A)) ** 3], 1 / (1 + e(A)) ** 2),
        ([1 / (1 + e(A)) ** 3, -e(2 * A) / (1 + e(A)) ** 3], (1 - e(A)) / (1 + e(A)) ** 2),
        ([e(2 * A) / (1 + e(A)), -e(A)], -e(A) / (1 + e(A))),
        ([B * e(A) / (e(A) + 2 * e(-A)), -B], -2 * B * e(-A) / (e(A) + 2 * e(-A))),
        ([e(1.5 * A) / (1 + e(A / 2)), -e(A)], -e(A) / (1 + e(A / 2))),
        ([e(A + B) / (e(A) + e(B)), -e(B)], -e(2 * B) / (e(A) + e(B))),
    ],
)
def test_what_cancels_is_gone(fractions: list[Any], whole: Any) -> None:
    found, view = _added(*fractions)
    assert found is view.read(whole)


@pytest.mark.parametrize(
    "fractions",
    [
        (e(A) / (1 + e(A)), 1 / (1 + 2 * e(A))),
        (e(A) / (1 + e(A)), -e(B) / (1 + e(B))),
        (B * e(A) / (1 + e(A)), -A * e(A) / (1 + e(A)) ** 2),
        (e(A), -e(2 * A)),
    ],
)
def test_what_does_not_cancel_stays_apart(fractions: Any) -> None:
    assert _added(*fractions)[0] is None


COEFFICIENTS = st.lists(st.integers(1, 5), min_size=2, max_size=3)


@given(COEFFICIENTS, COEFFICIENTS, st.integers(1, 3))
def test_what_was_multiplied_in_is_divided_out(
    above: list[int], below: list[int], power: int
) -> None:
    """The terms of ``q*d`` over ``d**(n + 1)`` are ``q/d**n``."""
    y = View(registry.relations()).read(e(A))
    a = y.home

    def polynomial(numbers: list[int]) -> Any:
        return a.add(*(a.mul(a.const(c), a.pow(y, Fraction(n))) for n, c in enumerate(numbers)))

    d = polynomial([*below, 1])
    over = a.pow(d, Fraction(-power - 1))
    terms = added_up((a.mul(m, over), c) for m, c in a.expand(a.mul(polynomial(above), d)))
    assert in_lowest_terms(terms, a) is a.mul(polynomial(above), a.pow(d, Fraction(-power)))
