"""Unification modulo a theory: sizes known from the literature, laws, groups, words, streams."""

from itertools import islice, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from unification import Var, var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import is_complete, term, unify
from kanrewrite.ac.diophantine import basis, covers
from kanrewrite.ac.integers import sparse
from kanrewrite.errors import EndlessSet
from kanrewrite.theory import Theory
from tests.ac.oracle import THEORY, normal, replaced, terms
from tests.ac.problems import key, names_in
from tests.ac.test_systems import whole

SUMS = Theory("sums").ac("add").ac("mul")
UNIT = Theory("unit").ac("addu", unit="zero").ac("mulu", unit="one")
WORDS = Theory("words").a("cat")
GROUP = Theory("group").ac("mul", unit=1).inverse("mul", "inv", "div")
U, V, X, Y, Z = (var(name) for name in "uvxyz")
WITHOUT_WORDS = ("f", "g", "add", "mul", "addu", "mulu", "com", "comu")


def add(*args: Any) -> Any:
    return ("add", *args)


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        (add(X, Y), add(U, V), 7),
        (add(X, X), add(Y, Z), 5),
        (add(X, X, Y), add(U, U, V), 7),
        (add(X, X, Y), add(Z, Z, Z), 5),
        (add(X, X), add(Y, Y, Y), 1),
        (add(X, Y, "a"), add(U, V, "b"), 40),
        (add(X, Y, Z), add(U, V, var("w")), 265),
        (add(X, Y, Z), add(U, U, U), 981),
        (add(X, Y), "a", 0),
        (X, add(X, Y), 0),
    ],
)
def test_sizes_of_minimal_sets(left: Any, right: Any, size: int) -> None:
    unifiers = list(unify([(left, right)], SUMS))
    assert len(unifiers) == size
    names = names_in(left, right)
    assert len({key(unifier, names) for unifier in unifiers}) == size
    for unifier in islice(unifiers, 50):
        assert normal(replaced(left, unifier)) == normal(replaced(right, unifier))


def test_a_unit_makes_the_set_of_two_and_two_variables_one() -> None:
    assert len(list(unify([(("addu", X, Y), ("addu", U, V))], UNIT))) == 1


def test_a_set_of_34_billion_is_streamed() -> None:
    w = var("w")
    stream = unify([(add(X, X, X, X), add(Y, Z, V, w))], SUMS)
    some = list(islice(stream, 1000))
    assert len({key(unifier, [X, Y, Z, V, w]) for unifier in some[:100]}) == 100
    for unifier in some:
        left, right = add(X, X, X, X), add(Y, Z, V, w)
        assert normal(replaced(left, unifier)) == normal(replaced(right, unifier))


@settings(max_examples=150)
@given(
    terms(variables=True, operators=WITHOUT_WORDS), terms(variables=True, operators=WITHOUT_WORDS)
)
def test_unifiers_unify_and_none_is_an_instance_of_another(left: Any, right: Any) -> None:
    unifiers = list(islice(unify([(left, right)], THEORY), 60))
    names = names_in(left, right)
    for unifier in unifiers:
        assert normal(replaced(left, unifier)) == normal(replaced(right, unifier))
    for n, one in enumerate(unifiers):
        for other in unifiers[:n]:
            assert not _covers(one, other, names)
            assert not _covers(other, one, names)


@settings(max_examples=150)
@given(
    terms(variables=True, operators=WITHOUT_WORDS), terms(variables=True, operators=WITHOUT_WORDS)
)
def test_every_small_ground_unifier_is_an_instance(left: Any, right: Any) -> None:
    names = names_in(left, right)
    unifiers = list(islice(unify([(left, right)], THEORY), 200))
    assume(len(unifiers) < 200)
    small = ["a", "b", "zero", "one", "czero", add("a", "b"), ("addu", "a", "b"), ("f", "a"),
             ("com", "a", "b"), ("mulu", "a", "a")]  # fmt: skip
    for values in product(small, repeat=len(names)):
        ground = dict(zip(names, values, strict=True))
        if normal(replaced(left, ground)) == normal(replaced(right, ground)):
            assert any(_covers(unifier, ground, names) for unifier in unifiers)


def _covers(general: dict[Var, Any], special: dict[Var, Any], names: list[Var]) -> bool:
    """Whether a substitution is an instance of another."""
    patterns, subjects = (("t", *(replaced(v, s) for v in names)) for s in (general, special))
    return next(compile_pattern(patterns, THEORY).match(term(subjects, THEORY)), None) is not None


def test_a_variable_is_not_bound_to_an_operand_that_holds_it() -> None:
    left = ("mul", V, "a", ("add", "b", "b"), U, "a", X)
    right = ("mul", ("add", U, V, X), Z, Y, "a")
    for unifier in islice(unify([(left, right)], SUMS), 5):
        assert normal(replaced(left, unifier)) == normal(replaced(right, unifier))
    assert list(unify([(add(X, Y), add(("f", X), ("f", Y)))], SUMS)) == []


def test_systems_are_solved_together() -> None:
    equations = [(add(X, Y), add("a", "b")), (("mul", X, Z), ("mul", "a", "c"))]
    assert list(unify(equations, SUMS)) == [{X: "a", Y: "b", Z: "c"}]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("mul", X, Y), ("mul", U, V)),
        (("mul", X, X), ("mul", Y, Y, Y)),
        (("mul", X, ("inv", Y), "a"), ("mul", Y, Y, "b")),
        (("div", X, Y), ("div", Y, X)),
        (X, ("mul", X, Y)),
        (("mul", *[X] * 6, *[Y] * 10), ("inv", ("mul", *[Z] * 15))),
    ],
)
def test_abelian_groups_have_one_most_general_unifier(left: Any, right: Any) -> None:
    (unifier,) = unify([(left, right)], GROUP)
    assert term(replaced(left, unifier), GROUP) is term(replaced(right, unifier), GROUP)


def test_a_group_equation_without_integer_solution_has_none() -> None:
    assert list(unify([(("mul", X, X), ("mul", Y, Y, "a"))], GROUP)) == []
    assert list(unify([(("mul", X, X), ("mul", "a", "a"))], GROUP)) == [{X: "a"}]
    assert list(unify([(("inv", X), ("inv", "a"))], GROUP)) == [{X: "a"}]


def test_group_operands_with_other_heads_are_identified_or_kept_apart() -> None:
    equation = (("mul", ("f", X), ("inv", ("f", Y))), 1)
    assert list(unify([equation], GROUP)) in ([{X: Y}], [{Y: X}])


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        (("cat", X, "a"), ("cat", "b", Y), 2),
        (("cat", X, Y), ("cat", U, V), 3),
        (("cat", X, "a"), ("cat", "b", X), 0),
        (("cat", ("f", X), Y), ("cat", U, ("f", "a")), 2),
    ],
)
def test_words_with_finite_sets(left: Any, right: Any, size: int) -> None:
    assert len(list(unify([(left, right)], WORDS))) == size


def test_words_with_infinite_sets_are_enumerated() -> None:
    equation = (("cat", X, Y), ("cat", Y, X))
    some = list(islice(unify([equation], WORDS), 30))
    assert len({key(unifier, [X, Y]) for unifier in some}) == 30
    for unifier in some:
        left, right = (replaced(side, unifier) for side in equation)
        assert term(left, WORDS) is term(right, WORDS)
    with pytest.raises(EndlessSet, match="islice"):
        list(unify([equation], WORDS))


def test_an_empty_word_is_found() -> None:
    theory = Theory("words").a("catu", unit="nil")
    unifiers = list(unify([(("catu", X, Y), ("catu", U, V))], theory))
    assert len(unifiers) == 2


def test_completeness_is_reported() -> None:
    assert is_complete(SUMS)
    assert is_complete(UNIT.c("com"))
    assert not is_complete(WORDS)
    assert is_complete(GROUP)
    assert is_complete(GROUP.ac("add"))
    assert not is_complete(GROUP.ac("add", unit=1))
    assert is_complete(GROUP.ac("add", unit=1), [(("mul", X, Y), "a")])
    assert is_complete(GROUP, [(("mul", X, ("f", Y)), "a")])
    assert is_complete(GROUP.c("add"), [(("mul", X, ("add", Y, Z)), "a")])
    assert not is_complete(GROUP, [(("mul", X, (U, Y)), "a")])
    assert not is_complete(WORDS, [(("cat", X, Y), "a")])
    assert is_complete(WORDS, [(("f", X), Y)])


def test_the_basis_of_a_system_is_minimal_and_complete() -> None:
    columns = [(2, 1), (-1, 0), (-1, 1), (1, -2)]
    vectors = whole(basis(columns, [None] * 4), 4)
    for vector in vectors:
        assert all(sum(c[k] * n for c, n in zip(columns, vector, strict=True)) == 0 for k in (0, 1))
        assert not any(
            other != vector and all(a <= b for a, b in zip(other, vector, strict=True))
            for other in vectors
        )
    solutions = [
        v
        for v in product(range(5), repeat=4)
        if any(v)
        and all(sum(c[k] * n for c, n in zip(columns, v, strict=True)) == 0 for k in (0, 1))
    ]
    for solution in solutions:
        assert any(all(a <= b for a, b in zip(v, solution, strict=True)) for v in vectors)


def test_covers_take_exact_components_once() -> None:
    vectors = list(map(sparse, [(1, 0), (1, 1), (0, 1)]))
    assert sorted(map(sorted, covers(vectors, 2, frozenset([0])))) == [[0, 2], [1], [1, 2]]
    assert sorted(map(sorted, covers(vectors, 2, frozenset([0]), optional=True))) == [
        [0, 2],
        [1, 2],
    ]
