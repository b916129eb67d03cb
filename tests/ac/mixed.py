"""Random terms of random mixed theories, with a solution that is known.

A term has its instances as matches, and unifies with them and with its own renamed variant.
"""

import random
from typing import Any

from kanren import run
from unification import Var, var

from kanrewrite.ac import is_complete, match, neq, term, unify
from kanrewrite.ac.goals import eq
from kanrewrite.errors import EndlessSet, Incomplete
from kanrewrite.theory import Theory
from tests.ac.oracle import replaced
from tests.ac.problems import in_time

NAMES = [var(name) for name in "xyz"]
RENAMED = {v: var(f"{v}-again") for v in NAMES}
KINDS = ["free", "c", "cu", "a", "au", "ac", "acu", "aci", "aciu", "group"]
#: More unifiers than this are not looked through for the one that is known.
MANY = 20


class Mixed:
    """A random theory of one to three operators, and its terms."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.theory = Theory(f"mixed {seed}")
        self.sizes = {"f": 1}
        self.units: list[str] = []
        for n, kind in enumerate(self.random.choices(KINDS, k=self.random.choice([1, 2, 2, 3]))):
            self._declare(f"{kind}{n}", kind, f"unit{n}")

    def _declare(self, op: str, kind: str, unit: str) -> None:
        self.sizes[op] = 2 if kind in ("free", "c", "cu") else 3
        if kind == "free":
            return
        if kind == "group":
            self.theory = self.theory.ac(op, unit=unit).inverse(op, f"neg-{op}", f"sub-{op}")
            self.sizes |= {f"neg-{op}": 1, f"sub-{op}": 2}
            self.units.append(unit)
        elif kind.endswith("u"):
            self.theory = getattr(self.theory, kind[:-1])(op, unit=unit)
            self.units.append(unit)
        else:
            self.theory = getattr(self.theory, kind)(op)

    def term(self, depth: int, leaves: list[Any]) -> Any:
        if not depth or self.random.random() < 0.2:
            return self.random.choice(leaves)
        op = self.random.choice(list(self.sizes))
        size = min(self.sizes[op], self.random.choice([2, 2, 3]))
        return (op, *(self.term(depth - 1, leaves) for _ in range(size)))


def check_mixed(seed: int) -> bool:
    """Check one problem; whether nothing of it was given up."""
    problems = Mixed(seed)
    theory = problems.theory
    pattern = problems.term(problems.random.choice([2, 3]), [*NAMES, *NAMES, "a", "b"])
    ground = ["a", "b", "c", *problems.units]
    planted = {v: problems.term(problems.random.choice([0, 1]), ground) for v in NAMES}
    known = problems.random.sample(NAMES, problems.random.choice([1, 2, 3]))
    instance = replaced(pattern, planted)
    try:
        with in_time(seed, pattern, instance):
            found = next(match(pattern, instance, theory))
        _same(pattern, instance, found, theory, seed)
        _check_unifiers(pattern, replaced(pattern, {v: planted[v] for v in known}), planted, theory)
        variant = replaced(pattern, RENAMED)
        with in_time(seed, pattern, variant):
            unifier = next(unify([(pattern, variant)], theory))
        _same(pattern, variant, unifier, theory, seed)
        bound = [eq(v, value, theory) for v, value in planted.items()]
        assert run(0, True, neq(pattern, instance, theory), *bound) == (), seed
    except (EndlessSet, Incomplete):
        return False
    return True


def _check_unifiers(left: Any, right: Any, planted: dict[Var, Any], theory: Theory) -> None:
    stream = unify([(left, right)], theory)
    found: list[dict[Var, Any]] = []
    while len(found) < MANY:
        with in_time(theory, left, right):
            one = next(stream, None)
        if one is None:
            break
        _same(left, right, one, theory, left)
        found.append(one)
    assert found, (theory, left, right)
    if len(found) < MANY and is_complete(theory, [(left, right)]):
        subject = ("t", *planted.values())
        patterns = [("t", *(replaced(v, one) for v in NAMES)) for one in found]
        assert any(next(match(p, subject, theory), None) is not None for p in patterns), (
            theory, left, right,
        )  # fmt: skip


def _same(left: Any, right: Any, found: dict[Var, Any], theory: Theory, seed: Any) -> None:
    sides = (term(replaced(side, found), theory) for side in (left, right))
    assert next(sides) is next(sides), (seed, left, right, found)


def compare_mixed(seed: int, count: int) -> int:
    """Check problems of that many seeds; how many were seen to the end."""
    ended = sum(map(check_mixed, range(seed, seed + count)))
    assert ended >= count - 1 - count // 20, (seed, ended)
    return ended
