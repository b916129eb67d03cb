"""What is no relation is refused where it is stated, with the place and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from aesara import shared

import kanrewrite
from kanrewrite import Eq, Float, T, eq, relation
from kanrewrite.errors import NotARelation, RelationError, UnknownRelation
from kanrewrite.relation import Relation
from tests.users.common import at
from tests.users.test_own_ops import silu

X = at.vector("x")
SIDE = "no side of an equation. Write terms of T"


def stated(left: Any, right: Any, **settings: Any) -> Relation:
    def rule(x: Float, y: Float) -> Iterator[Eq]:
        yield eq(left(x, y), right(x, y))

    made: Relation = relation(rule, **settings)
    return made


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda x, y: x + y, lambda x, y: y + x),
        (lambda x, y: T.exp(x), lambda x, y: T.exp(x)),
        (lambda x, y: T.exp(x) - y, lambda x, y: -y + T.exp(x)),
        (lambda x, y: x / T.exp(y), lambda x, y: x * (1 / T.exp(y))),
        (lambda x, y: T.sin(x * (y * x)), lambda x, y: T.sin(x * y * x)),
    ],
)
def test_sides_that_the_axioms_make_one_are_refused(left: Any, right: Any) -> None:
    with pytest.raises(
        RelationError, match=r"rule \(.*test_refused\.py:\d+\): .* are one by the axioms.*Leave"
    ):
        stated(left, right)
    assert stated(left, right, direction=None).equations  # a goal may say so


@pytest.mark.parametrize(
    ("right", "says"),
    [
        (None, f"None is {SIDE}"),
        ("y", f"'y' is {SIDE}"),
        ([X], SIDE),
        (at.exp(X), "has inputs of its own"),
        (T.exp(X, X), "has 2 operands, but Aesara's operator takes 1"),
        (T.sum(X, axis=1.5), r"is 1\.5\. Give an integer, a tuple of them, None for all"),
    ],
)
def test_what_could_not_be_built_is_refused(right: Any, says: str) -> None:
    with pytest.raises(RelationError, match=says) as caught:
        stated(lambda x, y: T.tanh(x), lambda x, y: right)
    assert "test_refused.py" in str(caught.value)


def test_constants_and_shared_values_may_be_built() -> None:
    for value in (at.constant(2.0), at.exp(at.constant(2.0)), shared(2.0)):
        assert stated(lambda x, y: T.tanh(x), lambda x, y, v=value: v).equations


def test_an_error_is_a_number() -> None:
    def rule(x: Float) -> Iterator[Eq]:
        yield eq(T.exp(x), x).within("much")  # type: ignore[arg-type]

    with pytest.raises(RelationError, match=r"within\('much'\) is no relative error"):
        relation(rule)


def test_what_is_no_relation_is_neither_enabled_nor_taken_back() -> None:
    with pytest.raises(NotARelation, match="42 is not a relation"):
        kanrewrite.enable(42)  # type: ignore[arg-type]
    with pytest.raises(NotARelation, match="42 is not a relation"):
        kanrewrite.unregister(42)  # type: ignore[arg-type]
    with pytest.raises(UnknownRelation, match="neither a relation nor a family"):
        kanrewrite.unregister("no_such_relation")


def test_a_relation_is_taken_back_by_its_name() -> None:
    made = stated(lambda x, y: T.tanh(x), lambda x, y: T.sin(x))
    kanrewrite.register(made)
    assert kanrewrite.registered()["rule"] == made
    kanrewrite.unregister("rule")
    assert "rule" not in kanrewrite.registered()


@pytest.mark.parametrize(
    ("left", "says"),
    [
        (lambda x, y: T.exp(x) if x > 0 else y, r"`gt\(x, 0\)` is a pattern.*T\.switch"),
        (lambda x, y: (x > 0) and (y > 0), r"T\.invert"),
        (lambda x, y: max(T.exp(x), T.exp(y)), r"T\.maximum"),
        (lambda x, y: not x, "`x` is a pattern, neither true nor false"),
        (lambda x, y: x.sum(), r"A parameter is a pattern, no tensor: write .*T\.sum\(x, 0\)"),
        (lambda x, y: T.exp(x[0]), r"T\.subtensor\(x, \(0,\)\)"),
        (lambda x, y: T.exp(x.T), r"T\.dimshuffle"),
        (lambda x, y: np.exp(x), r"T\.exp\(x\) for np\.exp\(x\)"),
        (lambda x, y: T.max(x, y), r"`y` is annotated as a tensor .*T\.maximum"),
        (lambda x, y: T.dot(x, y, x), "has 3 operands"),
        (lambda x, y: T.of(silu)(x, y), "has 2 operands"),
        (lambda x, y: T.of(silu, output=1)(x), r"Write T\.of\(op\)\(\.\.\., output=1\)"),
    ],
)
def test_what_is_no_pattern_is_told_with_what_to_write(left: Any, says: str) -> None:
    with pytest.raises(RelationError, match=says) as caught:
        stated(left, lambda x, y: T.cos(x))
    assert "test_refused.py" in str(caught.value)
