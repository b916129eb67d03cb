"""Examples contradict what cannot be proved, and nothing that can."""

from fractions import Fraction
from itertools import product
from typing import Any

import aesara.tensor as at
import pytest

from kanrewrite.laws import Laws
from kanrewrite.registry import relations
from kanrewrite.terms import T
from kanrewrite.view import levels
from kanrewrite.view.examples import contradicted
from kanrewrite.view.forms import Form
from kanrewrite.view.levels import at_most_one
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.read import View

X, Y = at.dmatrices("x", "y")
UP, ON = (X + Y).max(axis=1, keepdims=True), X.max(axis=1)


@pytest.fixture
def view() -> View:
    return View(Laws(relations()))


def exponent(view: View, terms: dict[Any, int]) -> tuple[Any, Lifting]:
    a = view.algebra("float64")
    forms: list[Form] = [a.mul(a.const(c), view.read(v)) for v, c in terms.items()]
    return a.lin(a.terms_of(a.add(*forms))), a


@pytest.mark.parametrize(
    "terms",
    [
        {X: 1},
        {X: 1, Y: -1},
        {X[1, 0]: 1, X[1, 2]: -1},
        {UP: 1, X: -1, Y: -1},
        {X: 1, UP: -1},
        {at.maximum(X, Y): 1, X: -1},
        {at.tanh(X): 1, at.tanh(X[0, 0]): -1},
    ],
    ids=str,
)
def test_what_may_be_above_zero_is_contradicted(view: View, terms: dict[Any, int]) -> None:
    expo, a = exponent(view, terms)
    assert contradicted(expo)
    assert not at_most_one(expo, a)


@pytest.mark.parametrize(
    "terms",
    [
        {X: 1, Y: 1, UP: -1},
        {X: 2, ON.dimshuffle(0, "x"): -2},
        {X.T: 1, ON.dimshuffle("x", 0): -1},
    ],
    ids=str,
)
def test_what_a_maximum_bounds_is_not(view: View, terms: dict[Any, int]) -> None:
    expo, a = exponent(view, terms)
    assert not contradicted(expo)
    assert at_most_one(expo, a)


def test_nothing_is_contradicted_that_is_proved(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "contradicted", lambda expo: False)
    parts = [X, Y, UP, ON.dimshuffle(0, "x"), X[0, 1], ON[0]]
    a, proved = view.algebra("float64"), 0
    for signs in product((-1, 0, 1), repeat=len(parts)):
        expo, _ = exponent(view, dict(zip(parts, signs, strict=True)))
        either = a.lin({a.app(T.maximum, expo, a.no_exponent): Fraction(-1)})
        for e in (expo, a.plus(expo, either, Fraction(1))):
            if at_most_one(e, a):
                proved += 1
                assert not contradicted(e), e
    assert proved > 100


def test_a_proof_is_given_up_after_some_steps(view: View) -> None:
    common = at.dvector("c")
    pairs = [(*at.dvectors(f"a{n}", f"b{n}"), common) for n in range(8)]
    a = view.algebra("float64")
    terms: dict[Form, Fraction] = {}
    for three in pairs:
        lins = [a.lin({view.read(v): Fraction(1)}) for v in three]
        terms[a.app(T.maximum, *lins[:2])] = Fraction(1)
        terms[a.app(T.maximum, *lins)] = Fraction(-1)
    expo = a.lin(terms)
    assert not contradicted(expo)
    assert not at_most_one(expo, a)
    assert len(a.bounds) <= levels.EFFORT
    few = a.lin(dict(expo.terms[:4]))
    assert at_most_one(few, a)


@pytest.mark.parametrize(("terms", "known", "asked"), [({X: 1}, 4, 2), ({X: 1, ON: -1}, 3, 5)])
def test_a_proof_that_looks_into_more_maxima_tells_of_one_that_looks_into_fewer(
    view: View, terms: dict[Any, int], known: int, asked: int
) -> None:
    expo, a = exponent(view, {v.dimshuffle(0, "x") if v is ON else v: c for v, c in terms.items()})
    a.effort = levels.EFFORT
    found, effort = at_most_one(expo, a, depth=known), a.effort
    assert at_most_one(expo, a, depth=asked) is found
    assert a.effort == effort
