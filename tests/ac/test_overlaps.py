"""Overlaps: every one unifies, at the place it names, and has something in common."""

from typing import Any

from unification import var

from kanrewrite.ac import overlaps, term
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced

THEORY = Theory("products").ac("mul").ac("add", unit=0)
A, B, X, Y, Z = (var(name) for name in ("a", "b", "x", "y", "z"))


def _at(plain: Any, position: tuple[int, ...]) -> Any:
    for k in position:
        plain = plain[k]
    return plain


def _check(rule: Any, equation: Any) -> list[Any]:
    found = list(overlaps(rule, equation, THEORY))
    whole = term(rule, THEORY).plain
    for overlap in found:
        assert _at(whole, overlap.position) == overlap.subterm
        left, right = overlap.subterm, replaced(equation, overlap.renamed)
        if overlap.around_rule is not None:
            left = (left[0], *left[1:], overlap.around_rule)
        if overlap.around_equation is not None:
            right = (right[0], *right[1:], overlap.around_equation)
        assert term(replaced(left, overlap.unifier), THEORY) is term(
            replaced(right, overlap.unifier), THEORY
        )
    return found


def test_a_factor_lifted_out_of_a_sum_within_a_product() -> None:
    rule = ("mul", ("exp", X), ("inv", ("sum", ("exp", X))))
    lift = ("sum", ("mul", A, B))
    assert _check(rule, lift) == []
    rule = ("mul", ("exp", X), ("inv", ("sum", Y)))
    (overlap,) = _check(rule, lift)
    assert overlap.subterm == ("sum", Y)
    assert overlap.around_equation is None


def test_products_overlap_in_parts_of_each_other() -> None:
    rule, equation = ("mul", ("f", X), ("g", X)), ("mul", ("g", Y), ("h", Y))
    (overlap,) = [o for o in _check(rule, equation) if o.position == ()]
    assert overlap.around_rule is not None
    assert overlap.around_equation is not None
    assert overlap.unifier[overlap.around_rule][0] == "h"
    assert overlap.unifier[overlap.around_equation][0] == "f"


def test_with_a_unit_the_rest_may_be_nothing() -> None:
    rule, equation = ("add", ("f", X), ("g", X)), ("add", ("f", Y), ("g", "c"))
    found = _check(rule, equation)
    assert any(overlap.unifier.get(overlap.around_rule) == 0 for overlap in found)


def test_variables_are_no_positions() -> None:
    assert _check(("f", X), ("g", Y)) == []
    assert [o.position for o in _check(("f", ("g", X)), ("g", Y))] == [(1,)]
