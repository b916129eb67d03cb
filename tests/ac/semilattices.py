"""Random problems with idempotent operators, solved by trying every term of a small universe."""

import random
from itertools import combinations, islice, permutations, product
from typing import Any

from unification import Var, var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import match, term, unify
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory
from tests.ac.oracle import NAMES, brute_matches, normal, replaced, variables
from tests.ac.problems import in_time

THEORY = (
    Theory("joins").aci("max").aci("min").aci("maxu", unit="least")
    .ac("add").ac("mulu", unit="one").c("com")
)  # fmt: skip
OPERATORS = ["max", "max", "maxu", "maxu", "min", "add", "mulu", "com", "f"]
X, Y, Z, U, V, ONE, LEAST = map(var, ["x", "y", "z", "u", "v", "one", "least"])
#: More unifiers than this are not compared.
MANY = 60


class Joins:
    """Random terms, at least one of their operators idempotent."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def chosen(self) -> list[str]:
        some = [self.random.choice(OPERATORS[:5])]
        return [*some, *self.random.sample(OPERATORS, self.random.choice([0, 1, 2]))]

    def term(self, depth: int, operators: list[str], leaves: list[Any]) -> Any:
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(leaves)
        op = self.random.choice(operators)
        size = {"f": 1, "com": 2}.get(op) or self.random.choice([2, 2, 3])
        return (op, *(self.term(depth - 1, operators, leaves) for _ in range(size)))


def compare_join_matches(seed: int, count: int) -> int:
    """Match random patterns by brute force as well; how many matched."""
    problems, matched = Joins(seed), 0
    names = list(NAMES.values())
    for _ in range(count):
        operators = problems.chosen()
        pattern = problems.term(2, operators, [*names, *names, "a", "b"])
        constants = ["a", "b", "c", "least"]
        values = {v: problems.term(1, operators, constants) for v in names}
        subject = normal(replaced(pattern, values))
        if problems.random.random() < 0.3:
            subject = normal(problems.term(2, operators, constants))
        if _size(subject) > 7:
            continue
        held = variables(pattern)
        with in_time(seed, pattern, subject):
            found = list(compile_pattern(pattern, THEORY).match(term(subject, THEORY)))
        got = [tuple(normal(one[v]) for v in held) for one in found]
        assert len(got) == len(set(got)), (seed, pattern, subject)
        assert set(got) == brute_matches(pattern, subject), (seed, pattern, subject)
        matched += bool(got)
    return matched


def _size(subject: Any) -> int:
    return sum(map(_size, subject[1:])) if isinstance(subject, tuple) else 1


def compare_join_unifiers(seed: int, count: int) -> int:
    """Unify random terms; how many have unifiers.

    Each is sound, none an instance of another, and every solution in a small universe an instance.
    """
    problems, unified = Joins(seed), 0
    for _ in range(count):
        operators = problems.chosen()
        leaves = [*NAMES.values(), *NAMES.values(), "a", "b"]
        left, right = (problems.term(2, operators, leaves) for _ in range(2))
        names = variables(("t", left, right))
        if _size(left) + _size(right) > 8 or not names:
            continue
        with in_time(seed, left, right):
            found = list(islice(unify([(left, right)], THEORY), MANY + 1))
        if len(found) > MANY:
            continue
        patterns: list[Any] = [("t", *(replaced(v, one) for v in names)) for one in found]
        for one in found:
            assert term(replaced(left, one), THEORY) is term(replaced(right, one), THEORY), (
                seed, left, right, one,
            )  # fmt: skip
        for general, special in permutations(patterns, 2):
            assert not _covers(general, _frozen(special)), (seed, left, right)
        for values in _solutions(left, right, names, operators):
            assert any(_covers(pattern, ("t", *values)) for pattern in patterns), (
                seed, left, right, values,
            )  # fmt: skip
        unified += bool(found)
    return unified


def compare_absorbed(seed: int, count: int) -> int:
    """Unify terms that are a variable which they hold, under one solution; in how many it is one.

    The variable stands for a join of all that it is joined with, times ones, joined with least
    elements.
    """
    problems, covered = random.Random(seed), 0
    for _ in range(count):
        join, outer = problems.choice(["max", "maxu", "min"]), problems.choice(["add", "com", "f"])
        values: dict[Var, Any] = {X: (join, "a", "b", ("f", "a")), ONE: "one", LEAST: "least"}
        values |= {Y: "a", Z: (join, "b", ("f", "a")), U: "c", V: "c"}
        sides = [_absorbing(problems, join, depth) for depth in (problems.randrange(1, 4), 1)]
        left, right = ((outer, side, other) for side, other in zip(sides, (U, V), strict=True))
        try:
            with in_time(seed, left, right):
                found = list(islice(unify([(left, right)], THEORY), MANY + 1))
        except Incomplete:
            continue
        if len(found) <= MANY:
            names = variables(("t", left, right))
            planted = ("t", *(values[v] for v in names))
            patterns = [("t", *(replaced(v, one) for v in names)) for one in found]
            assert any(_covers(pattern, planted) for pattern in patterns), (seed, left, right)
            covered += 1
    return covered


def _absorbing(problems: random.Random, join: str, depth: int) -> Any:
    """A term that is the variable it holds where that absorbs the others."""
    if not depth or problems.random() < 0.2:
        return X
    inner = _absorbing(problems, join, depth - 1)
    other = problems.choice([Y, Z, "a", X])
    return problems.choice(
        [(join, inner, other), (join, inner, other), ("mulu", inner, ONE), ("maxu", inner, LEAST)]
    )


def _covers(pattern: Any, subject: Any) -> bool:
    return next(iter(match(pattern, subject, THEORY)), None) is not None


def _frozen(subject: Any) -> Any:
    """A term with constants in the place of its variables."""
    return replaced(subject, {v: ("constant", str(v)) for v in variables(subject)})


def _solutions(left: Any, right: Any, names: list[Var], operators: list[str]) -> list[Any]:
    """The solutions in terms over two constants."""
    leaves = ["a", "b", "least"]
    universe: list[Any] = [*leaves]
    for op in dict.fromkeys(operators):
        if op == "f":
            universe.extend((op, leaf) for leaf in leaves[:2])
        else:
            universe.extend((op, *pair) for pair in combinations(leaves[:2], 2))
    if "f" in operators:
        universe.extend((op, "a", ("f", "b")) for op in dict.fromkeys(operators) if op != "f")
    universe = list(dict.fromkeys(map(normal, universe)))
    found: list[Any] = []
    for values in product(universe, repeat=len(names)):
        under = dict(zip(names, values, strict=True))
        if normal(replaced(left, under)) == normal(replaced(right, under)):
            found.append(values)
    return found
