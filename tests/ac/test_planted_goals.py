"""Random goals over values of every kind: an instance is an answer, and none is wrong."""

import random
from typing import Any

import pytest
from cons import cons
from kanren import conde, lall, run
from kanren import eq as syntactic
from unification import Var, reify, unifiable, var

from kanrewrite.ac import eq, neq, term
from kanrewrite.theory import Theory

THEORIES = [
    Theory("sums").ac("add").c("com"),
    Theory("units").ac("add", unit="0").c("com"),
    Theory("order").aci("add").c("com"),
    Theory("group").ac("add", unit="0").inverse("add", "neg").c("com"),
]
FREE = Theory("nothing declared")
NAMES = [var(name) for name in "xyz"]


@unifiable
class Box:
    def __init__(self, one: Any, other: Any):
        self.one = one
        self.other = other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.one, self.other) == (other.one, other.other)

    def __hash__(self) -> int:
        return hash(Box)


class Values:
    """Random terms within lists, dicts and objects."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def value(self, depth: int, leaves: list[Any]) -> Any:
        kind = self.random.choice(["leaf", "add", "com", "f", "list", "dict", "box"])
        if not depth or kind == "leaf":
            return self.random.choice(leaves)
        size = 1 if kind == "f" else 2
        parts = [self.value(depth - 1, leaves) for _ in range(size)]
        if kind == "list":
            return parts
        if kind == "dict":
            return dict(zip("kl", parts, strict=True))
        return Box(*parts) if kind == "box" else (kind, *parts)


def problem(seed: int) -> tuple[Any, Any, dict[Var, Any]]:
    """A pattern, an instance of it, and what the variables are there."""
    values = Values(seed)
    pattern = values.value(3, [*NAMES, *NAMES, "a", "b"])
    planted = {v: values.value(1, ["a", "b", "c"]) for v in NAMES}
    return pattern, reify(pattern, planted), planted


def same(left: Any, right: Any, theory: Theory) -> bool:
    return term(left, theory) is term(right, theory)


@pytest.mark.parametrize("theory", THEORIES, ids=str)
def test_an_instance_is_an_answer_whatever_it_is_made_of(theory: Theory) -> None:
    for seed in range(30):
        pattern, subject, planted = problem(seed)
        for found in run(3, pattern, eq(pattern, subject, theory)):
            assert same(found, subject, theory), (seed, found)
        known = [eq(v, value, theory) for v, value in planted.items()]
        for goals in (
            [eq(pattern, subject, theory), *known],
            [*known, eq(subject, pattern, theory)],
        ):
            ((*values,),) = run(1, tuple(NAMES), *goals)
            assert all(same(a, planted[v], theory) for v, a in zip(NAMES, values, strict=True)), (
                seed
            )


@pytest.mark.parametrize("theory", THEORIES, ids=str)
def test_disequality_prunes_the_branch_it_stands_in(theory: Theory) -> None:
    for seed in range(20):
        pattern, subject, planted = problem(seed)
        known = [eq(v, value, theory) for v, value in planted.items()]
        other: Any = conde(
            [neq(pattern, subject, theory), *known, eq(NAMES[0], planted[NAMES[0]], theory)],
            [*known, neq(pattern, ("other", subject), theory)],
        )
        (found,) = run(0, tuple(NAMES), other)
        assert same(list(found), [planted[v] for v in NAMES], theory), seed


@pytest.mark.parametrize("theory", THEORIES, ids=str)
def test_pairs_and_operators_that_are_variables(theory: Theory) -> None:
    op, rest = var("op"), var("rest")
    for seed in range(20):
        _, subject, _ = problem(seed)
        whole = ("add", "a", ("com", "b", "c"), [subject])
        (*found,) = run(0, (op, rest), eq(cons(op, rest), whole, theory))
        assert found
        for head, parts in found:
            assert same((head, *parts), whole, theory), seed
        applied = lall(eq((op, rest, "a"), whole, theory), eq(op, "add", theory))
        assert any(same(("add", one, "a"), whole, theory) for one in run(3, rest, applied)), seed


def test_without_axioms_answers_are_those_of_kanren() -> None:
    agreed = 0
    for seed in range(150):
        values = Values(seed)
        left = values.value(2, [*NAMES, "a", "b"])
        # A ground side: kanren binds a variable to a term that holds it, and does not end.
        right = reify(left, {v: values.value(1, ["a", "b"]) for v in NAMES})
        if values.random.random() < 0.5:
            right = values.value(2, ["a", "b"])
        ours, theirs = (
            list(run(0, [left, right], goal))
            for goal in (eq(left, right, FREE), syntactic(left, right))
        )
        assert len(ours) == len(theirs), seed
        for mine, plain in zip(ours, theirs, strict=True):
            assert run(1, True, syntactic(mine, plain)) == (True,), seed
            assert same(mine[0], mine[1], FREE), seed
            agreed += 1
    assert agreed > 30
