"""Problems that invite trying every order or part: answers come soon, or the search says so."""

from itertools import islice
from typing import Any

import pytest
from unification import var

from kanrewrite.ac import ground, match, matching, term, unify
from kanrewrite.ac.diophantine import basis
from kanrewrite.errors import IncompleteMatch
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.test_sizes import lines_run

SUMS = Theory("sums").ac("add").ac("mul").c("com")
UNITS = Theory("units").ac("add", unit="0").ac("mul", unit="1")
ORDER = Theory("order").aci("max").aci("min")
X, Y, Z = var("x"), var("y"), var("z")


def constants(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{k}" for k in range(count)]


def fresh(count: int) -> list[Any]:
    return [var() for _ in range(count)]


@pytest.mark.parametrize(
    ("pattern", "subject", "found"),
    [
        (("com", X, *constants("a", 12)), ("com", *constants("a", 12), "z"), [{X: "z"}]),
        (("com", *fresh(11), "q"), ("com", *constants("a", 12)), []),
        (("com", X, ("f", X), *constants("a", 9)), ("com", "b", ("f", "b"), *constants("a", 9)),
         [{X: "b"}]),
    ],
)  # fmt: skip
def test_commutative_operands_are_paired_as_they_fit(
    pattern: Any, subject: Any, found: Any
) -> None:
    assert list(match(pattern, subject, SUMS)) == found
    assert list(unify([(pattern, subject)], SUMS)) == found
    assert lines_run(lambda: list(match(pattern, subject, SUMS))) < 20_000
    assert lines_run(lambda: list(unify([(pattern, subject)], SUMS))) < 50_000


def test_the_first_of_many_orders_comes_at_once() -> None:
    pattern, subject = ("com", *fresh(12)), ("com", *constants("a", 12))
    assert lines_run(lambda: next(match(pattern, subject, SUMS))) < 20_000
    assert lines_run(lambda: next(unify([(pattern, ("com", *fresh(12)))], SUMS))) < 5_000_000


@pytest.mark.parametrize(
    ("theory", "one", "other"), [(SUMS, "add", "mul"), (UNITS, "add", "mul"), (ORDER, "max", "min")]
)
def test_a_variable_under_two_operators_is_an_operand_of_one(
    theory: Theory, one: str, other: str
) -> None:
    pattern = ("g", (one, X, Y), (other, X, Z))
    product = (one, "a3", "a4")
    subject = ("g", (one, *constants("a", 40)), (other, *constants("b", 40), "a7", product))
    values = {term(found[X], theory) for found in match(pattern, subject, theory)}
    named = {term("a7", theory), term(product, theory)}
    # The whole of one product may be an operand of the other only where it is.
    units = {term(unit, theory) for unit in ("0", "1")} if theory is UNITS else set()
    assert values - units == named
    assert lines_run(lambda: list(match(pattern, subject, theory))) < 100_000


def test_a_search_of_all_parts_says_that_it_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_MOST", 100_000)
    rare = {X: ground(lambda one: one[0] == "add" and len(one) == 31)}
    with pytest.raises(IncompleteMatch, match="given up"):
        next(match(("add", X, Y), ("add", *constants("a", 60)), SUMS, rare))


def test_going_through_a_wide_subject_is_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_MOST", 100)
    whole = ("max", *constants("a", 20_000))
    found = next(match(("max", "a0", X, Y), whole, ORDER))
    assert term(("max", "a0", found[X], found[Y]), ORDER) is term(whole, ORDER)
    rare = {X: ground(lambda one: len(one) == 31)}
    with pytest.raises(IncompleteMatch):
        next(match(("max", X, Y), ("max", *constants("a", 60)), ORDER, rare))


def test_unknowns_with_equal_coefficients_are_solved_as_one() -> None:
    columns = [(2,)] * 3 + [(-3,)] * 2
    vectors = basis(columns, [None] * 5)
    assert len(vectors) == len(set(vectors)) == 10 * 3
    for vector in vectors:
        sums = [sum(n for k, n in vector if (k < 3) == first) for first in (True, False)]
        assert sums == [3, 2]
    once = {v for v in vectors if max(n for k, n in v if k < 3) == 1}
    assert set(basis(columns, [1, 1, 1, None, None])) == once
    left, right = ("add", *fresh(6) * 2), ("add", *fresh(6) * 3)
    one = next(unify([(left, right)], SUMS))
    assert term(replaced(left, one), SUMS) is term(replaced(right, one), SUMS)


def test_sets_of_operands_are_made_as_they_are_needed() -> None:
    left, right = (("max", *(("f", v) for v in fresh(9))) for _ in range(2))
    assert lines_run(lambda: next(unify([(left, right)], ORDER))) < 5_000_000
    for one in islice(unify([(left, right)], ORDER), 20):
        assert term(replaced(left, one), ORDER) is term(replaced(right, one), ORDER)
