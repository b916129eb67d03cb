"""Theories are values: declared, joined, compared; what contradicts itself is refused."""

import pickle
from typing import Any, cast

import pytest
from unification import var

from kanrewrite.errors import (
    ConflictingTheory,
    ImpossibleInverse,
    KanrewriteError,
    UnitNotGround,
    UnusableOperator,
)
from kanrewrite.theory import FREE, NO_UNIT, Theory


def test_declarations_make_new_values() -> None:
    empty = Theory("t")
    full = empty.ac("add", unit=0).a("cat", unit=None).c("max").inverse("add", "neg", "sub")
    assert empty.properties("add") == FREE
    assert full.properties("cat").unit is None
    assert full.properties("max").unit is NO_UNIT
    assert full.properties("add").inverse == "neg"
    assert full.properties("add").division == "sub"
    assert [op for op, _ in full.items()] == ["add", "cat", "max"]
    with pytest.raises(AttributeError, match="immutable"):
        full.name = "other"


def test_equality_is_that_of_axioms() -> None:
    one = Theory("one").ac("add").c("max")
    assert one == Theory("two").c("max").ac("add")
    assert hash(one) == hash(Theory("two").c("max").ac("add"))
    assert one != Theory("one").ac("add")
    assert one != "one"
    assert pickle.loads(pickle.dumps(one)) == one


def test_joining() -> None:
    add, mul = Theory("add").ac("add", unit=0), Theory("mul").ac("mul", unit=1)
    assert (add | mul) == (mul | add)
    assert (add | mul).name == "add | mul"
    assert (add | add) == add
    assert (add.inverse("add", "neg") | add) == (add | add.inverse("add", "neg"))
    with pytest.raises(TypeError):
        add | "mul"  # type: ignore[operator]


def test_texts() -> None:
    theory = Theory("t").ac("add", unit=0).inverse("add", "neg").c("max")
    assert repr(theory) == "Theory('t': 'add': ACU with unit 0, inverse 'neg', 'max': C)"
    assert repr(Theory("t")) == "Theory('t')"
    assert repr(NO_UNIT) == "no unit"


@pytest.mark.parametrize(
    "declare",
    [
        lambda t: t.a("add"),
        lambda t: t.c("add"),
        lambda t: t.ac("add"),
        lambda t: t.ac("add", unit=1),
        lambda t: t | Theory("other").a("add"),
        lambda t: t | Theory("other").ac("add"),
        lambda t: t.inverse("add", "neg").inverse("add", "minus"),
        lambda t: t.inverse("add", "neg") | t.inverse("add", "minus"),
    ],
)
def test_contradictions_name_the_operator(declare: Any) -> None:
    with pytest.raises(ConflictingTheory, match="operator 'add' is ACU with unit 0"):
        declare(Theory("t").ac("add", unit=0))


def test_the_same_declaration_again_is_none() -> None:
    theory = Theory("t").ac("add", unit=0)
    assert theory.ac("add", unit=0) == theory
    inverted = theory.inverse("add", "neg")
    assert inverted.ac("add", unit=0) == inverted
    assert inverted.inverse("add", "neg") == inverted


@pytest.mark.parametrize(
    ("declare", "error", "message"),
    [
        (lambda: Theory("t").ac("add", unit=var("z")), UnitNotGround, "holds a logic variable"),
        (lambda: Theory("t").ac("add", unit=("f", var("z"))), UnitNotGround, "Give a constant"),
        (lambda: Theory("t").ac(cast(Any, ["add"])), UnusableOperator, "hashable"),
        (lambda: Theory("t").ac(var("op")), UnusableOperator, "no logic variable"),
        (lambda: Theory("t").inverse("add", "neg"), ImpossibleInverse, "AC with a unit"),
        (lambda: Theory("t").ac("add").inverse("add", "neg"), ImpossibleInverse, "unit=..."),
        (
            lambda: Theory("t").ac("add", unit=0).c("neg").inverse("add", "neg"),
            ImpossibleInverse,
            "own",
        ),
        (
            lambda: Theory("t").ac("a", unit=0).ac("m", unit=1).inverse("a", "i").inverse("m", "i"),
            ImpossibleInverse,
            "belongs to another operator",
        ),
        (
            lambda: Theory("t").ac("a", unit=0).inverse("a", "i") | Theory("s").c("i"),
            ImpossibleInverse,
            "'i' has axioms of its own",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_declared(declare: Any, error: type[KanrewriteError], message: str) -> None:
    with pytest.raises(error, match=message):
        declare()
