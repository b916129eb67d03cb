"""Random equations in a group beside other operators, with a solution that is known."""

import random
from itertools import islice
from typing import Any

from unification import var

from kanrewrite.ac import match, term, unify
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.problems import in_time

THEORY = Theory("mixed").ac("add", unit="0").inverse("add", "neg", "sub").ac("mul")
NAMES = [var(name) for name in ("x", "y", "z")]
#: More unifiers than this are not looked through for the one that is known.
MANY = 200
#: One in so many problems may be given up, which is said.
RARE = 100


class Planted:
    """Random terms of a group and other operators."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def term(self, depth: int, leaves: list[Any]) -> Any:
        op = self.random.choice(["add", "add", "sub", "neg", "mul", "f", "leaf"])
        if depth == 0 or op == "leaf":
            return self.random.choice(leaves)
        size = {"neg": 1, "f": 1, "sub": 2, "mul": 2}.get(op) or self.random.choice([2, 3])
        return (op, *(self.term(depth - 1, leaves) for _ in range(size)))


def compare_planted(seed: int, count: int) -> int:
    """Unify terms with instances of them; in how many the known solution is one of a unifier's."""
    problems, covered, given_up = Planted(seed), 0, 0
    for _ in range(count):
        left = problems.term(3, [*NAMES, "a", "b"])
        values = {v: problems.term(1, ["a", "b", "c", "0"]) for v in NAMES}
        known = problems.random.sample(NAMES, problems.random.choice([2, 3]))
        right = replaced(left, {v: values[v] for v in known})
        try:
            with in_time(seed, left, right):
                found = list(islice(unify([(left, right)], THEORY), MANY))
        except Incomplete:
            given_up += 1
            continue
        for one in found:
            assert term(replaced(left, one), THEORY) is term(replaced(right, one), THEORY), (
                seed, left, right, one,
            )  # fmt: skip
        planted = ("t", *(values[v] for v in NAMES))
        patterns = [("t", *(replaced(v, one) for v in NAMES)) for one in found]
        if len(found) < MANY:
            assert any(next(match(p, planted, THEORY), None) is not None for p in patterns), (
                seed, left, right, values,
            )  # fmt: skip
            covered += 1
    assert given_up <= 1 + count // RARE, (seed, given_up)
    return covered
