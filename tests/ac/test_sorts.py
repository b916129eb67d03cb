"""Sorts of variables: what is left is what asking afterwards would leave, in less work."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest
from unification import Var, isvar, var

from kanrewrite.ac import Sort, ground, match, matching, term, unify
from kanrewrite.ac import compile as compile_pattern
from kanrewrite.errors import IncompleteMatch
from kanrewrite.theory import Theory
from tests.ac.differential import GROUP, NAMES, OTHERS, SUMS, WORDS, Problems
from tests.ac.oracle import replaced
from tests.ac.problems import THEORY, key, names_in
from tests.ac.semilattices import THEORY as JOINS
from tests.ac.semilattices import Joins
from tests.ac.test_sizes import lines_run

X, Y = var("x"), var("y")
PLAIN = Theory("sums").ac("add")


def no_sum(one: Any) -> bool:
    return not (isinstance(one, tuple) and one[0] in ("add", "mul", "cat", "max"))


def no_leaf(term: Any) -> bool | None:
    """Of a product with a unit, or a join, this is open: another operand may be all of it."""
    if not isinstance(term, tuple):
        return False
    return True if term[0] in ("f", "add") else None


SORTS: list[Sort] = [
    no_leaf,
    ground(lambda term: not isinstance(term, tuple)),
    ground(lambda term: term != "a"),
    ground(no_sum),
]


def allowed(answer: Mapping[Var, Any], sorts: Mapping[Var, Sort]) -> bool:
    return all(isvar(answer.get(v, v)) or sort(answer[v]) is not False for v, sort in sorts.items())


def same(theory: Theory, names: list[Var], every: Any, left: Any) -> None:
    assert sorted(key(one, names) for one in every) == sorted(key(one, names) for one in left)


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_those_that_asking_afterwards_leaves(seed: int) -> None:
    problems, cut = Problems(seed, WORDS + SUMS + OTHERS), 0
    for _ in range(150):
        operators = problems.chosen()
        pattern = problems.term(2, operators, [*NAMES[:3], *NAMES[:2], "a"])
        values = {v: problems.term(1, operators, ["a", "b", "zero"]) for v in NAMES[:3]}
        subject = replaced(pattern, values)
        names = names_in(pattern)
        sorts = {v: problems.random.choice(SORTS) for v in names[:2]}
        every = list(islice(match(pattern, subject, THEORY), 400))
        if len(every) < 400:
            wanted = [one for one in every if allowed(one, sorts)]
            same(THEORY, names, wanted, match(pattern, subject, THEORY, sorts))
            cut += len(wanted) < len(every)
    assert cut > 20


@pytest.mark.parametrize("seed", range(3))
def test_unifiers_are_those_that_asking_afterwards_leaves(seed: int) -> None:
    problems, cut = Problems(seed, SUMS + OTHERS), 0
    for _ in range(120):
        operators = problems.chosen()
        left, right = (problems.term(2, operators, [*NAMES[:4], "a", "b"]) for _ in range(2))
        names = names_in(left, right)
        sorts = {v: problems.random.choice(SORTS) for v in names[:2]}
        every = list(islice(unify([(left, right)], THEORY), 60))
        if len(every) < 60:
            wanted = [one for one in every if allowed(one, sorts)]
            same(THEORY, names, wanted, unify([(left, right)], THEORY, sorts))
            cut += len(wanted) < len(every)
    assert cut > 5


def test_joins_and_groups_too() -> None:
    problems, names = Joins(5), NAMES[:3]
    for _ in range(80):
        operators = problems.chosen()
        pattern = problems.term(2, operators, [*names, "a"])
        subject = problems.term(1, operators, ["a", "b", "c"])
        sorts = {v: problems.random.choice(SORTS) for v in names}
        wanted = [one for one in match(pattern, subject, JOINS) if allowed(one, sorts)]
        same(JOINS, names_in(pattern), wanted, match(pattern, subject, JOINS, sorts))
    assert list(match(("add", "a", X), "a", GROUP, {X: ground(lambda t: t != "0")})) == []
    assert list(match(("add", "a", X), "a", GROUP, {X: ground(lambda t: t == "0")})) == [{X: "0"}]
    frozen = match(("add", X, "a"), ("add", Y, "b"), GROUP, {X: lambda t: "b" not in t})
    assert list(frozen) == []


def test_a_sort_without_sums_cuts_the_search() -> None:
    subject = ("add", *(f"c{k}" for k in range(40)), 1)
    numbers = {X: lambda term: isinstance(term, int)}
    assert len(list(match(("add", X, Y), subject, PLAIN, {X: no_sum}))) == 41
    assert [one[X] for one in match(("add", X, Y), subject, PLAIN, numbers)] == [1]
    assert lines_run(lambda: list(match(("add", X, Y), subject, PLAIN, {X: no_sum}))) < 20_000


def test_unifiers_of_single_operands_are_permutations() -> None:
    xs, ys = ([var(f"{name}{k}") for k in range(5)] for name in "xy")
    pair = ("add", *xs), ("add", *ys)
    assert len(list(unify([pair], PLAIN, dict.fromkeys([*xs, *ys], no_sum)))) == 120
    fewer = ("add", *xs), ("add", *ys[:4])
    assert len(list(unify([fewer], PLAIN, dict.fromkeys(xs, no_sum)))) == 240  # surjections


def test_a_sort_decides_before_the_end() -> None:
    asked = []

    def small(term: Any) -> bool:
        asked.append(term)
        return False

    pattern = ("g", ("f", X), *(("add", var(), var()) for _ in range(4)))
    subject = ("g", ("f", "a"), *(("add", *map(str, range(9))) for _ in range(4)))
    assert list(match(pattern, subject, PLAIN, {X: small})) == []
    assert asked == ["a"]


def test_one_operand_of_many_is_found_in_linear_work() -> None:
    taken = []
    for width in (400, 1_600):
        whole = term(("add", *(f"c{k}" for k in range(width))), PLAIN)
        last = {X: ground(lambda one: one == f"c{width - 1}")}  # noqa: B023
        matcher = compile_pattern(("add", X, Y), PLAIN, last)
        found: list[Any] = []
        taken.append(lines_run(lambda: found.append(next(matcher.match(whole)))))  # noqa: B023
        assert found[0][X] == f"c{width - 1}"
    assert taken[1] < 5 * taken[0]


def test_many_answers_that_are_refused_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_MOST", 20_000)
    whole = ("add", *(("f", f"c{k}") for k in range(800)))
    with pytest.raises(IncompleteMatch):
        next(match(("add", ("f", X), Y), whole, PLAIN, {Y: lambda _: False}))


def test_one_ground_side_is_matched_whatever_the_sorts() -> None:
    z, u, v = map(var, "zuv")
    pattern = (
        "min",
        ("max", u, "b", "a", y := var("y"), z, v),
        ("min", X, v, ("mulu", y, X), ("max", "a", "one"), ("max", y, z, "b")),
        ("mulu", "b", X, X),
    )
    values = {X: "d", y: "a", z: ("min", "one", "a"), u: "b", v: ("mulu", "a", "c")}
    subject = replaced(pattern, values)
    sorts = {y: ground(lambda one: not isinstance(one, tuple))}
    found = list(unify([(pattern, subject)], JOINS, sorts))
    assert len(found) == len(list(match(pattern, subject, JOINS, sorts))) > 0
