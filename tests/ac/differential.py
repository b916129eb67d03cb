"""Random problems, solved by Maude, by plain integers and by brute force as well.

``python -m tests.ac.differential --n 1000 --seed 7`` solves that many of each kind and stops at the
first answer that differs, with the problem. They are solved by fifties, each with a process and a
seed of its own: ``--n 50`` with the seed that is told repeats it. Where Maude does not end, what is
left of its fifty is left out.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from multiprocessing import Process, Value
from typing import Any

from unification import Var, var

from kanrewrite.ac import match, term, unify
from kanrewrite.theory import Theory
from tests.ac.mixed import compare_mixed
from tests.ac.oracle import replaced
from tests.ac.planted import compare_planted
from tests.ac.problems import THEORY, in_time, key, names_in
from tests.ac.semilattices import compare_absorbed, compare_join_matches, compare_join_unifiers

MODULE = """
fmod PROBLEMS is
  sort T .
  ops a b c zero one nil czero : -> T .
  op add : T T -> T [assoc comm] .
  op mul : T T -> T [assoc comm] .
  op addu : T T -> T [assoc comm id: zero] .
  op mulu : T T -> T [assoc comm id: one] .
  op cat : T T -> T [assoc] .
  op catu : T T -> T [assoc id: nil] .
  op com : T T -> T [comm] .
  op comu : T T -> T [comm id: czero] .
  op f : T -> T .
  op g : T T -> T .
endfm
"""
WORDS = ["cat", "catu"]
SUMS = ["add", "mul", "addu", "mulu"]
OTHERS = ["com", "comu", "f", "g"]
NAMES = [var(name) for name in ("x", "y", "z", "u", "v")]
GROUP = Theory("group").ac("add", unit="0").inverse("add", "neg", "sub")
#: How many problems a process solves, and for how many seconds it may.
TOGETHER, LIMIT = 50, 150.0
#: Whether a process waits for Maude, and what it found.
_waits, _solved = Value("b", False), Value("i", 0)


@contextmanager
def maudes_turn() -> Iterator[None]:
    """Note that what is within waits for Maude."""
    _waits.value = True
    try:
        yield
    finally:
        _waits.value = False


def module() -> Any:
    """Maude's reading of the theory."""
    maude = import_module("maude")
    maude.init(advise=False)
    maude.input(MODULE)
    return maude.getModule("PROBLEMS")


class Problems:
    """Random terms of a few operators."""

    def __init__(self, seed: int, operators: list[str]):
        self.random = random.Random(seed)
        self.operators = operators

    def chosen(self) -> list[str]:
        return self.random.sample(self.operators, self.random.choice([1, 2, 3]))

    def term(self, depth: int, operators: list[str], leaves: list[Any]) -> Any:
        if depth == 0 or self.random.random() < 0.25:
            return self.random.choice(leaves)
        op = self.random.choice(operators)
        size = {"f": 1, "g": 2, "com": 2, "comu": 2}.get(op) or self.random.choice([2, 2, 3, 4])
        return (op, *(self.term(depth - 1, operators, leaves) for _ in range(size)))


def _leaves(term: Any) -> int:
    return sum(map(_leaves, term[1:])) if isinstance(term, tuple) else 1


def _text(term: Any) -> str:
    if isinstance(term, Var):
        return f"{str(term)[1:].upper()}:T"
    if not isinstance(term, tuple):
        return str(term)
    op, *args = term
    if len(args) > 2:
        return _text((op, args[0], (op, *args[1:])))
    return f"{op}({', '.join(map(_text, args))})"


def _read(term: Any, known: dict[str, Var]) -> Any:
    args = list(term.arguments())
    if args:
        return (str(term.symbol()), *(_read(arg, known) for arg in args))
    text = str(term)
    return known.setdefault(text, var(f"maude{text}")) if "#" in text or "%" in text else text


def _solution(substitution: Any, names: list[Var]) -> dict[Var, Any]:
    known: dict[str, Var] = {}
    return {v: _read(substitution.find(str(v)[1:].upper()), known) for v in names}


def compare_matches(module: Any, seed: int, count: int) -> int:
    """Match random patterns as Maude does; how many matched."""
    problems = Problems(seed, WORDS + SUMS + OTHERS)
    matched = 0
    for _ in range(count):
        operators = problems.chosen()
        leaves = ["a", "b", "zero", "one", "nil", "czero"]
        pattern = problems.term(3, operators, [*NAMES[:3], *NAMES[:2], "a", "b"])
        values = {v: problems.term(1, operators, leaves) for v in NAMES[:3]}
        subject = replaced(pattern, values)
        if problems.random.random() < 0.3:
            subject = problems.term(3, operators, leaves)
        # Maude's matcher takes minutes for some large sums that match in one way.
        if _leaves(subject) > 12:
            continue
        names = names_in(pattern)
        with maudes_turn():
            term = module.parseTerm(_text(subject))
            term.reduce()
            every = islice(term.match(module.parseTerm(_text(pattern))), 2_000)
            want = [key(_solution(s[0], names), names) for s in every]
        if len(want) < 2_000:
            with in_time(seed, pattern, subject):
                got = [key(s, names) for s in match(pattern, subject, THEORY)]
            assert sorted(got) == sorted(set(want)), (seed, pattern, subject)
            matched += bool(got)
    return matched


def compare_unifiers(module: Any, seed: int, count: int) -> int:
    """Unify random terms as Maude does; how many did."""
    problems = Problems(seed, SUMS + OTHERS)
    unified = 0
    for _ in range(count):
        operators = problems.chosen()
        leaves = [*NAMES, "a", "b"]
        left, right = (problems.term(2, operators, leaves) for _ in range(2))
        names = names_in(left, right)
        if not isinstance(left, tuple) and not isinstance(right, tuple):
            continue
        # Maude makes a set irredundant before it gives the first: more leaves may take hours.
        if _leaves(left) + _leaves(right) > 9:
            continue
        with maudes_turn():
            equation = (module.parseTerm(_text(left)), module.parseTerm(_text(right)))
            found = list(islice(module.unify([equation], True), 200))
        if len(found) == 200:
            continue
        want = [_solution(substitution, names) for substitution in found]
        with in_time(seed, left, right):
            got = list(islice(unify([(left, right)], THEORY), 250))
        assert len(got) == len(want), (seed, left, right)
        ours, theirs = ({key(s, names) for s in side} for side in (got, want))
        # Maude may give another form of an equally general unifier: compare those both ways.
        for odd, side in [*((s, want) for s in got), *((s, got) for s in want)]:
            if key(odd, names) not in ours & theirs:
                assert any(_instance(one, odd, names) for one in side), (seed, left, right)
        unified += bool(got)
    return unified


def _instance(general: dict[Var, Any], special: dict[Var, Any], names: list[Var]) -> bool:
    pattern = ("t", *(replaced(v, general) for v in names))
    return (
        next(iter(match(pattern, ("t", *(replaced(v, special) for v in names)), THEORY)), None)
        is not None
    )


def compare_groups(seed: int, count: int) -> int:
    """Solve random systems in an Abelian group as integers do; how many were soluble."""
    chosen = random.Random(seed)
    soluble = 0
    for _ in range(count):
        names, constants = NAMES[: chosen.choice([1, 2, 3, 4])], ["a", "b", "c"]
        size = chosen.choice([1, 1, 2, 3])
        rows = [[chosen.randint(-4, 4) for _ in names] for _ in range(size)]
        rights = [[chosen.choice([0, 0, 1, 2, -3]) for _ in constants] for _ in range(size)]
        equations = [
            (_power_product(row, names), _power_product(right, constants))
            for row, right in zip(rows, rights, strict=True)
        ]
        with in_time(seed, equations):
            got = list(unify(equations, GROUP))
        columns = zip(*rights, strict=True)
        want = all(_soluble(rows, list(column)) for column in columns)
        assert len(got) == want, (seed, equations)
        for unifier in got:
            for left, right in equations:
                assert term(replaced(left, unifier), GROUP) is term(right, GROUP), (seed, equations)
        soluble += want
    return soluble


def _power_product(exponents: list[int], atoms: list[Any]) -> Any:
    parts = [
        atom if times > 0 else ("neg", atom)
        for times, atom in zip(exponents, atoms, strict=True)
        for _ in range(abs(times))
    ]
    return ("add", *parts, "0", "0")


def _soluble(rows: list[list[int]], right: list[int]) -> bool:
    """Whether a linear system has a solution in integers: by gcds of columns, row by row."""
    rows, right = [list(row) for row in rows], list(right)
    for r, row in enumerate(rows):
        while sum(map(bool, row)) > 1:
            least = min((k for k, a in enumerate(row) if a), key=lambda k: abs(row[k]))
            for k, a in enumerate(list(row)):
                if k != least and a:
                    times = a // row[least]
                    for other in rows[r:]:
                        other[k] -= times * other[least]
        pivot = next((k for k, a in enumerate(row) if a), None)
        if pivot is None:
            if right[r]:
                return False
            continue
        if right[r] % row[pivot]:
            return False
        times = right[r] // row[pivot]
        for later in range(r, len(rows)):
            right[later] -= times * rows[later][pivot]
            rows[later][pivot] = 0
    return True


#: How many of some problems have solutions, from a seed and their number.
KINDS: dict[str, Callable[[int, int], int]] = {
    "matching": lambda seed, count: compare_matches(module(), seed, count),
    "unification": lambda seed, count: compare_unifiers(module(), seed, count),
    "groups": compare_groups,
    "groups beside others": compare_planted,
    "matching of joins": compare_join_matches,
    "unification of joins": compare_join_unifiers,
    "absorbing joins": compare_absorbed,
    "mixed theories": compare_mixed,
}


def _solve(kind: str, seed: int, count: int) -> None:
    _solved.value = KINDS[kind](seed, count)


def apart(kind: str, seed: int, count: int) -> int | None:
    """How many have solutions, found in a process of its own; None where Maude did not end."""
    _waits.value = False
    process = Process(target=_solve, args=(kind, seed, count))
    process.start()
    process.join(LIMIT)
    late = process.is_alive()
    if late:
        process.terminate()
        process.join()
        if _waits.value:
            return None
    if process.exitcode:
        raise SystemExit(f"{kind}, seed {seed}: {'no end' if late else 'a failure'}")
    return int(_solved.value)


def main() -> None:
    """Run the comparisons from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000, help="problems of each kind")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    for kind in options.kinds:
        start = time.perf_counter()
        solved, left_out = 0, []
        for begun in range(0, options.n, TOGETHER):
            count = min(TOGETHER, options.n - begun)
            some = apart(kind, options.seed + begun, count)
            if some is None:
                left_out.append(options.seed + begun)
            solved += some or 0
        taken = time.perf_counter() - start
        told = f"; Maude did not end for seeds {left_out}" if left_out else ""
        print(
            f"{kind}: {options.n} agree, {solved} with solutions, {taken:.1f} s{told}", flush=True
        )


if __name__ == "__main__":
    main()
