"""Exponents of many rows are bounded row by row."""

from typing import Any

import pytest

from kanrewrite.view.elements import places, rows
from kanrewrite.view.forms import ONE, Totals
from kanrewrite.view.levels import bounded, independent
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.read import View
from tests.view.common import at

X = at.dmatrix("x")


def step(a: Lifting, view: View, row: int, column: Any) -> Any:
    """``x[row, column] - max(x[row])``."""
    element: Any = view.read(X[row, column])
    largest = a.max(a.lin({view.read(X): ONE}), (1,))
    top = a.move(largest, element.args[1])
    return a.lin({element: ONE, top: -ONE})


def steps(a: Lifting, view: View, count: int) -> Any:
    """The sum of so many."""
    return a.lin(Totals(term for n in range(count) for term in step(a, view, n, 1).terms))


def test_rows_are_bounded_each_by_itself() -> None:
    """A proof that looks at all of them together was given up, after a thousand steps."""
    made = []
    for count in (8, 16):
        view = View()
        a = view.algebra("float64")
        whole = steps(a, view, count)
        before = len(a)
        assert len(independent(whole, a)) == count
        assert bounded(whole, a)
        made.append(len(a) - before)
    assert made[1] <= 2 * made[0]


def test_one_row_twice_is_one_part() -> None:
    view = View()
    a = view.algebra("float64")
    twice = a.plus(step(a, view, 2, 0), step(a, view, 2, 1), ONE)
    assert len(independent(twice, a)) == 1
    assert bounded(twice, a)


@pytest.mark.parametrize("other", [X, X[-1, 0], X[at.lscalar(), 0], X.T[0, 1]])
def test_what_may_be_of_the_same_row_is_not_apart(other: Any) -> None:
    view = View()
    one, two = rows([places(view.read(X[1, 0])), places(view.read(other))])
    assert not one.isdisjoint(two)
