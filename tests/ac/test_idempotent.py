"""Operators of semilattices: canonical forms, matching, unification, goals."""

from itertools import islice

import pytest
from kanren import run
from unification import var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import eq, is_complete, match, neq, term, unify
from kanrewrite.errors import ConflictingTheory, ImpossibleInverse
from kanrewrite.index import Index
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.semilattices import (
    THEORY,
    Joins,
    compare_absorbed,
    compare_join_matches,
    compare_join_unifiers,
)

X, Y, Z, U, V, W = map(var, "xyzuvw")
ORDER = Theory("order").aci("max").aci("maxu", unit="least").ac("add")


def test_an_operand_is_kept_once() -> None:
    assert term(("max", "a", ("max", "b", "a")), ORDER) is term(("max", "b", "a"), ORDER)
    assert term(("max", "a", "a"), ORDER) is term("a", ORDER)
    assert term(("maxu", "least", "least"), ORDER) is term("least", ORDER)
    assert term(("maxu", "a", "least", "a"), ORDER) is term("a", ORDER)


def test_what_contradicts_idempotence_is_refused() -> None:
    with pytest.raises(ImpossibleInverse):
        ORDER.inverse("maxu", "neg")
    with pytest.raises(ConflictingTheory):
        ORDER.ac("max")
    assert ORDER | Theory("other").aci("max") == ORDER
    assert str(ORDER.properties("maxu")) == "ACIU with unit 'least'"


def test_parts_and_variables_may_share_an_operand() -> None:
    assert len(list(match(("max", X, Y), ("max", "a", "b"), ORDER))) == 7
    assert list(match(("max", X, Y), "a", ORDER)) == [{X: "a", Y: "a"}]
    found = list(match(("max", ("f", X), Y), ("max", ("f", "a"), "b"), ORDER))
    assert len(found) == 2
    assert list(match(("max", ("f", X), ("f", Y)), ("f", "a"), ORDER)) == [{X: "a", Y: "a"}]
    assert list(match(("max", X, "a"), ("max", "b", "c"), ORDER)) == []
    assert list(match(("add", ("max", X, "a"), Y), ("add", "a", "b"), ORDER)) == [{X: "a", Y: "b"}]


def test_an_operand_of_any_head_is_compared_before_the_others_share_what_it_is_beside() -> None:
    subject = ("maxu", "a", "b", "c", ("mulu", "a", "c"), ("mulu", "d", "c"))
    found = list(match(("maxu", X, Y, Z, "a", "b", ("mulu", X, "a")), subject, THEORY))
    # One of Y and Z, or both, holds the last product; each may hold the four others.
    assert {one[X] for one in found} == {"c"}
    assert len(found) == len({(one[Y], one[Z]) for one in found}) == 3 * 4**4
    wide = ("maxu", "e", *(f"c{k}" for k in range(40)), ("mulu", "e", "a"))
    first = next(match(("maxu", X, Y, ("mulu", X, "a")), wide, THEORY))
    assert term(("maxu", *first.values(), ("mulu", first[X], "a")), THEORY) is term(wide, THEORY)


def test_room_around_a_pattern_is_what_it_leaves() -> None:
    matcher = compile_pattern(("max", ("f", X), "b"), ORDER)
    subject = term(("max", ("f", "a"), "b", "c", "d"), ORDER)
    ((found, rest),) = matcher.extend(subject)
    assert found == {X: "a"}
    assert rest is not None
    assert set(rest) == {"c", "d"}


@pytest.mark.parametrize("count", [10, 40])
def test_the_first_match_of_many_variables_comes_at_once(count: int) -> None:
    names = [var() for _ in range(count)]
    subject = ("max", *(f"c{k}" for k in range(count)))
    found = list(islice(match(("max", *names), subject, ORDER), 20))
    assert len({tuple(map(str, one.items())) for one in found}) == 20
    for one in found:
        assert term(replaced(("max", *names), one), ORDER) is term(subject, ORDER)


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        (("max", X, Y), ("max", U, V), 7),
        (("maxu", X, Y), ("maxu", U, V), 1),
        (("max", X, "a"), ("max", Y, "a"), 3),
        (("maxu", X, "a"), ("maxu", Y, "b"), 1),
        (("max", X, Y), X, 1),
        (("max", X, "a"), ("f", Y), 0),
        (("max", X, ("f", X)), X, 0),
        (("max", X, Y), ("add", U, V), 1),
        (("f", ("max", X, "a")), ("f", "a"), 1),
        (("max", Z, Y, ("maxu", Z, X)), ("max", ("maxu", Z, Y), X, "b"), 17),
        # A side may be nothing, so that what must be in it cannot be.
        (("max", ("maxu", X, Y, "a"), Z), ("max", ("maxu", "b", Y), ("maxu", Y, Z)), 3),
    ],
)  # fmt: skip
def test_minimal_complete_sets(left: object, right: object, size: int) -> None:
    found = list(unify([(left, right)], ORDER))
    assert len(found) == size
    for one in found:
        assert term(replaced(left, one), ORDER) is term(replaced(right, one), ORDER)


def test_a_variable_absorbs_a_join_that_holds_it_below_a_unit() -> None:
    theory = ORDER.ac("mulu", unit="one")
    inner = ("mulu", ("max", V, U), X)
    pair = ("add", ("max", inner, Z), Y), ("add", V, W)
    planted = {V: ("max", "b", "c"), U: "b", Z: "c", X: "one", Y: "a", W: "a"}
    wanted = ("t", *planted.values())
    unifiers = list(unify([pair], theory))
    patterns = [("t", *(replaced(v, one) for v in planted)) for one in unifiers]
    assert any(next(match(pattern, wanted, theory), None) is not None for pattern in patterns)


def test_goals() -> None:
    assert run(0, X, eq(("max", X, "a"), "a", ORDER)) == ("a",)
    assert run(0, X, neq(("max", X, "a"), "a", ORDER), eq(X, "a", ORDER)) == ()
    assert run(0, X, neq(("max", X, "a"), "a", ORDER), eq(X, "b", ORDER)) == ("b",)


def test_complete_sets_end() -> None:
    assert is_complete(ORDER)
    assert is_complete(THEORY)


@pytest.mark.slow
def test_brute_force_agrees() -> None:
    assert compare_join_matches(1, 25) > 10
    assert compare_join_unifiers(1, 40) > 12
    assert compare_absorbed(1, 100) > 90


@pytest.mark.slow
def test_brute_force_agrees_on_thousands() -> None:
    for seed in (2, 3):
        assert compare_join_matches(seed, 500) > 150
        assert compare_join_unifiers(seed, 1_000) > 300
        assert compare_absorbed(seed, 1_000) > 900


def test_an_index_and_room_around_agree_with_matching() -> None:
    problems, names = Joins(11), [X, Y, Z]
    found = 0
    for _ in range(12):
        patterns = {
            str(k): problems.term(2, problems.chosen(), [*names, "a", "b"]) for k in range(6)
        }
        index: Index[str] = Index(THEORY)
        for name, pattern in patterns.items():
            index.add(name, pattern)
        for _ in range(6):
            subject = problems.term(1, problems.chosen(), ["a", "b", "least", ("f", "a")])
            whole = term(subject, THEORY)
            every = [(name, one) for name, p in patterns.items() for one in match(p, whole, THEORY)]
            assert sorted(map(str, every)) == sorted(map(str, index.match(whole)))
            found += len(every)
            for pattern in patterns.values():
                for one, rest in islice(compile_pattern(pattern, THEORY).extend(whole), 50):
                    built = replaced(pattern, one)
                    if rest:
                        built = (pattern[0], built, *rest)
                    assert term(built, THEORY) is whole
    assert found > 50
