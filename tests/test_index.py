"""The index of many patterns answers as each pattern's own matcher does."""

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unification import var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import term
from kanrewrite.errors import DuplicateKey, NoSuchKey
from kanrewrite.index import Index
from kanrewrite.theory import Theory
from tests.ac.oracle import THEORY, terms

X, Y, Z = var("x"), var("y"), var("z")
SUMS = Theory("sums").ac("add").ac("mul")


def _index(theory: Theory, *patterns: Any) -> Index[int]:
    index: Index[int] = Index(theory)
    for key, pattern in enumerate(patterns):
        index.add(key, pattern)
    return index


def test_root_and_operands_tell_patterns_apart() -> None:
    index = _index(SUMS, ("add", ("f", X), Y), ("add", ("g", X), Y), ("mul", ("f", X), Y), X)
    assert index.candidates(term(("add", "a", ("f", "b")), SUMS)) == [0, 3]
    assert index.candidates(term(("add", "a", "b"), SUMS)) == [3]
    assert index.candidates(term(("mul", ("f", "b"), ("g", "b")), SUMS)) == [2, 3]


def test_two_levels_below_the_root() -> None:
    index = _index(SUMS, *(("sum", ("mul", (f"f{k}", X), Y)) for k in range(20)))
    for k in range(20):
        subject = term(("sum", ("mul", (f"f{k}", "a"), "b")), SUMS)
        found = index.candidates(subject)
        assert k in found
        # Symbols share bits: now and then two rules cannot be told apart without matching.
        assert len(found) <= 3


def test_a_unit_makes_a_pattern_a_candidate_under_each_head_it_can_have() -> None:
    theory = Theory("unit").ac("mul", unit=1)
    index = _index(theory, ("mul", ("exp", X), Y), ("log", X))
    assert list(index.match(term(("exp", "a"), theory))) == [(0, {X: "a", Y: 1})]
    assert index.candidates(term(("log", "a"), theory)) == [1]


def test_extension_leaves_the_rest() -> None:
    index = _index(SUMS, ("add", ("f", X), ("g", X)))
    subject = term(("add", "a", ("f", "b"), ("g", "b")), SUMS)
    assert list(index.match(subject)) == []
    assert list(index.extend(subject)) == [(0, {X: "b"}, ("a",))]


def test_removed_patterns_are_gone_and_keys_are_checked() -> None:
    index = _index(SUMS, ("f", X), ("g", X))
    index.remove(0)
    assert list(index) == [1]
    assert len(index) == 1
    assert 0 not in index
    assert index.candidates(term(("f", "a"), SUMS)) == []
    with pytest.raises(NoSuchKey, match="no pattern named 0"):
        index.remove(0)
    with pytest.raises(DuplicateKey, match="named 1 already"):
        index.add(1, X)


@settings(deadline=None)
@given(
    st.lists(terms(variables=True), min_size=1, max_size=6),
    st.lists(terms(variables=False), min_size=1, max_size=3),
)
def test_the_index_agrees_with_one_to_one(patterns: list[Any], subjects: list[Any]) -> None:
    index = _index(THEORY, *patterns)
    for subject in subjects:
        node = term(subject, THEORY)
        matchers = [compile_pattern(pattern, THEORY) for pattern in patterns]
        each = [(k, s) for k, m in enumerate(matchers) for s in islice(m.match(node), 40)]
        extended = [
            (k, *pair) for k, m in enumerate(matchers) for pair in islice(m.extend(node), 40)
        ]
        if len(each) < 40 and len(extended) < 40:
            assert list(index.match(node)) == each
            assert list(index.extend(node)) == extended
