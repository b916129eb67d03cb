"""Matching modulo a theory, against brute force and by its laws."""

from itertools import islice
from typing import Any

import aesara.tensor as at
import pytest
from etuples import etuple
from hypothesis import assume, given, settings
from unification import var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import match, term
from kanrewrite.errors import ForeignTerm
from kanrewrite.theory import Theory
from tests.ac.oracle import THEORY, brute_matches, normal, parts, replaced, terms, variables

SUMS = Theory("sums").ac("add").ac("mul")
GROUP = (
    Theory("group").ac("add", unit=0).ac("mul", unit=1)
    .inverse("mul", "inv", "div").inverse("add", "neg", "sub")
)  # fmt: skip
W, X, Y, Z = var("w"), var("x"), var("y"), var("z")


@settings(deadline=None, max_examples=300)
@given(terms(variables=True), terms(variables=False))
def test_matches_are_those_of_brute_force(pattern: Any, subject: Any) -> None:
    names = variables(pattern)
    assume(len(set(parts(normal(subject)))) ** len(names) < 3_000)
    got = [tuple(normal(s[v]) for v in names) for s in match(pattern, subject, THEORY)]
    assert len(set(got)) == len(got)
    assert set(got) == brute_matches(pattern, subject)


@settings(deadline=None, max_examples=200)
@given(terms(variables=True), terms(variables=False), terms(variables=False))
def test_an_instance_is_matched(pattern: Any, one: Any, other: Any) -> None:
    values = [one, other, "c"]
    names = variables(pattern)
    subject = replaced(pattern, dict(zip(names, values, strict=False)))
    matches = islice(match(pattern, subject, THEORY), 2_000)
    wanted = [normal(value) for value in values[: len(names)]]
    assert any([normal(s[v]) for v in names] == wanted for s in matches)


def test_every_answer_of_a_shared_multiset_once() -> None:
    pattern = ("add", X, Y, Z)
    answers = list(match(pattern, ("add", "a", "a", "b", "c"), SUMS))
    assert len(answers) == 21
    assert len({tuple(s[v] for v in (X, Y, Z)) for s in answers}) == 21


def test_the_stream_is_lazy() -> None:
    subject = ("add", *(f"c{k}" for k in range(200)))
    first = next(match(("add", X, Y), subject, SUMS))
    assert normal(("add", first[X], first[Y])) == normal(subject)


def test_more_choices_than_python_nests_blocks() -> None:
    names = [var(f"x{k}") for k in range(30)]
    pattern = ("add", *((f"f{k}", v) for k, v in enumerate(names)))
    subject = ("add", *((f"f{k}", f"c{k}") for k in range(30)))
    assert list(match(pattern, subject, SUMS)) == [{v: f"c{k}" for k, v in enumerate(names)}]


def test_a_deep_term_is_interned_and_matched_without_recursion() -> None:
    deep: Any = "a"
    for _ in range(20_000):
        deep = ("f", deep)
    (answer,) = match(("f", X), deep, SUMS)
    assert term(("f", answer[X]), SUMS) is term(deep, SUMS)


def test_parts_that_share_a_variable_are_joined() -> None:
    products = [("mul", f"p{k}", f"q{k}") for k in range(12)]
    pattern = ("add", ("mul", X, Y), ("mul", X, Z), W)
    assert list(match(pattern, ("add", *products), SUMS)) == []
    subject = ("add", *products, ("mul", "s", "t"), ("mul", "s", "u"))
    assert {(s[X], s[Y], s[Z]) for s in match(pattern, subject, SUMS)} == {
        ("s", "t", "u"), ("s", "u", "t"),
    }  # fmt: skip
    pattern = ("add", ("f", X, Y), ("g", Y, X), Z)
    pairs = [(op, f"a{k}", f"b{k}") for op in "f" for k in range(12)]
    (answer,) = match(pattern, ("add", *pairs, ("g", "b5", "a5")), SUMS)
    assert (answer[X], answer[Y]) == ("a5", "b5")


@pytest.mark.parametrize(
    ("pattern", "subject", "count"),
    [
        (("div", ("exp", X), ("sum", ("exp", X))), ("div", ("exp", "a"), ("sum", ("exp", "a"))), 1),
        (("div", X, Y), ("mul", "a", ("inv", "b")), 4),
        (("mul", X, X), ("inv", ("mul", "a", "a")), 1),
        (("mul", X, X), ("div", "a", "b"), 0),
        (("mul", X, ("inv", X)), 1, 1),
        (("inv", X), ("div", "a", "b"), 1),
        (("exp", ("neg", X)), ("exp", ("sub", "a", "b")), 1),
        (("sub", ("f", X), ("f", Y)), ("sub", ("f", "a"), ("f", "b")), 1),
        (("sub", ("f", X), ("f", Y)), ("add", ("f", "a"), ("f", "b")), 0),
    ],
)  # fmt: skip
def test_inverses(pattern: Any, subject: Any, count: int) -> None:
    node = term(subject, GROUP)
    answers = list(compile_pattern(pattern, GROUP).match(node))
    assert len(answers) == count
    for answer in answers:
        assert term(replaced(pattern, answer), GROUP) is node


def test_inverses_cancel_and_spread_over_products() -> None:
    assert term(("div", ("mul", "a", "b"), ("mul", "b", "c")), GROUP) is term(
        ("div", "a", "c"), GROUP
    )
    assert term(("inv", ("inv", "a")), GROUP) is term("a", GROUP)
    assert term(("inv", ("div", "a", "b")), GROUP) is term(("div", "b", "a"), GROUP)
    assert term(("sub", "a", "a"), GROUP) is term(0, GROUP)
    assert term(("inv", 1), GROUP) is term(1, GROUP)


def test_extension_of_products_and_words() -> None:
    theory = SUMS.a("cat")
    matcher = compile_pattern(("add", ("f", X), ("g", X)), theory)
    subject = term(("add", "a", ("f", "c"), "b", ("g", "c")), theory)
    assert list(matcher.extend(subject)) == [({X: "c"}, ("a", "b"))]
    whole = term(("add", ("g", "c"), ("f", "c")), theory)
    assert list(matcher.extend(whole)) == [({X: "c"}, None)]
    words = compile_pattern(("cat", ("f", X), "a"), theory)
    assert list(words.extend(term(("cat", "b", ("f", "c"), "a", "d"), theory))) == [
        ({X: "c"}, (("b",), ("d",)))
    ]
    assert list(words.extend(term(("cat", ("f", "c"), "a"), theory))) == [({X: "c"}, None)]
    free = compile_pattern(("f", X), theory)
    assert list(free.extend(term(("f", "a"), theory))) == [({X: "a"}, None)]


def test_extension_with_a_unit_and_an_inverse() -> None:
    matcher = compile_pattern(("div", ("exp", X), ("sum", ("exp", X))), GROUP)
    subject = ("mul", "a", ("exp", "x"), ("inv", ("sum", ("exp", "x"))), ("inv", "b"))
    assert list(matcher.extend(term(subject, GROUP))) == [({X: "x"}, ("a", ("inv", "b")))]


def test_answers_as_interned_terms() -> None:
    matcher = compile_pattern(("add", ("f", X), Y), SUMS)
    subject = term(("add", ("f", "a"), "b", "c"), SUMS)
    (answer,) = matcher.solve(subject)
    assert answer == {X: term("a", SUMS), Y: term(("add", "b", "c"), SUMS)}


def test_variables_of_the_subject_are_constants() -> None:
    assert list(match(("f", X), ("f", Y), SUMS)) == [{X: Y}]
    assert list(match(("f", "a"), ("f", Y), SUMS)) == []


def test_a_variable_operator_stands_for_free_ones() -> None:
    assert list(match((W, X, "b"), ("f", "a", "b"), SUMS)) == [{W: "f", X: "a"}]
    assert list(match((("com", X),), (("com", "a"),), SUMS)) == [{X: "a"}]


def test_etuples_and_graphs_are_terms() -> None:
    a, b = at.vectors("a", "b")
    theory = Theory("aesara").ac(at.add)
    (answer,) = match(etuple(at.add, etuple(at.exp, X), Y), b + at.exp(a), theory)
    assert answer[X] is a
    assert answer[Y] is b
    one, other = at.constant(2.0), at.constant(2.0)
    assert list(match(one, other, theory)) == [{}]
    assert list(match(a, b, theory)) == []


def test_shared_subgraphs_are_read_once() -> None:
    x = at.vector("x")
    for _ in range(200):
        x = x * x
    assert term(x, SUMS) is term(x, SUMS)


def test_a_matcher_refuses_what_is_no_term_of_its_theory() -> None:
    matcher = compile_pattern(("f", X), SUMS)
    with pytest.raises(ForeignTerm, match=r"kanrewrite.ac.term\(subject, theory\)"):
        matcher.match(("f", "a"))  # type: ignore[arg-type]
    with pytest.raises(ForeignTerm, match="a matcher modulo"):
        matcher.match(term(("f", "a"), GROUP))
    assert "f" in repr(matcher)
    assert matcher.source.startswith("def solve(t):")
