"""The matchers that are compared: each makes a call that finds all matches and counts them."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from kanren import fact, run
from kanren.assoccomm import associative, commutative, eq_assoccomm
from unification import Var

from kanrewrite.ac import compile as compile_pattern
from kanrewrite.ac import term
from kanrewrite.index import Index
from tests.benchmarks.ac_families import THEORY, Problem

Call = Callable[[], int]
Nodes = Callable[[], int]


class TimeOut(BaseException):
    """Not an Exception: the engines catch those."""


@contextmanager
def limit(seconds: int) -> Iterator[None]:
    """Raise `TimeOut` in what takes longer."""

    def stop(*_: object) -> None:
        raise TimeOut

    # The processor's seconds, as they are measured: others share the machine.
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def kanrewrite(problem: Problem) -> Call:
    """This package."""
    match = compile_pattern(problem.pattern, THEORY).match
    subject = term(problem.subject, THEORY)

    def call() -> int:
        found = 0
        for _ in match(subject):
            found += 1
        return found

    return call


def kanren(problem: Problem) -> Call:
    """kanren's `eq_assoccomm`; the answers as it gives them, repeated ones included."""
    for op in ("add", "mul"):
        fact(associative, op)
        fact(commutative, op)
    names = tuple(_variables(problem.pattern))
    return lambda: len(tuple(run(0, names, eq_assoccomm(problem.pattern, problem.subject))))


def matchpy(problem: Problem) -> Call:
    """MatchPy, one pattern."""
    engine: Any = import_module("matchpy")

    pattern, subject = engine.Pattern(_matchpy(problem.pattern)), _matchpy(problem.subject)
    return lambda: sum(1 for _ in engine.match(subject, pattern))


def maude(problem: Problem) -> Call:
    """Maude through its bindings: going through the matches, without reading them out."""
    module = maude_module([problem.pattern, problem.subject])
    pattern = module.parseTerm(_maude(problem.pattern))
    subject = module.parseTerm(_maude(problem.subject))
    subject.reduce()
    return lambda: sum(1 for _ in subject.match(pattern))


ENGINES = {"kanrewrite": kanrewrite, "kanren": kanren, "matchpy": matchpy, "maude": maude}


def kanrewrite_many(patterns: list[Any], subjects: list[Any]) -> Nodes:
    """This package's index."""
    index: Index[int] = Index(THEORY)
    for key, pattern in enumerate(patterns):
        index.add(key, pattern)
    terms = [term(subject, THEORY) for subject in subjects]
    match = index.match
    return lambda: sum(1 for node in terms for _ in match(node))


def matchpy_many(patterns: list[Any], subjects: list[Any]) -> Nodes:
    """MatchPy's discrimination net."""
    engine: Any = import_module("matchpy")

    net = engine.ManyToOneMatcher(*(engine.Pattern(_matchpy(pattern)) for pattern in patterns))
    expressions = [_matchpy(subject) for subject in subjects]
    return lambda: sum(1 for expression in expressions for _ in net.match(expression))


def matchpy_one(patterns: list[Any], subjects: list[Any]) -> Nodes:
    """MatchPy, one pattern after the other."""
    engine: Any = import_module("matchpy")

    every = [engine.Pattern(_matchpy(pattern)) for pattern in patterns]
    expressions = [_matchpy(subject) for subject in subjects]
    return lambda: sum(1 for e in expressions for p in every for _ in engine.match(e, p))


MANY = {
    "kanrewrite": kanrewrite_many,
    "matchpy net": matchpy_many,
    "matchpy one to one": matchpy_one,
}


def _variables(pattern: Any) -> list[Var]:
    if isinstance(pattern, Var):
        return [pattern]
    if not isinstance(pattern, tuple):
        return []
    return list(dict.fromkeys(v for arg in pattern[1:] for v in _variables(arg)))


_OPERATIONS: dict[str, Any] = {}


def _matchpy(value: Any) -> Any:
    engine: Any = import_module("matchpy")

    if isinstance(value, Var):
        return engine.Wildcard.dot(str(value)[1:])
    if not isinstance(value, tuple):
        return engine.Symbol(value)
    op = value[0]
    if op not in _OPERATIONS:
        sums = op in ("add", "mul")
        arity = engine.Arity.variadic if sums else engine.Arity.unary
        _OPERATIONS[op] = engine.Operation.new(
            op, arity, op.capitalize(), associative=sums, commutative=sums
        )
    return _OPERATIONS[op](*map(_matchpy, value[1:]))


_modules = 0


def maude_module(terms: list[Any]) -> Any:
    """A module of the constants and unary operators in some terms."""
    engine: Any = import_module("maude")

    global _modules  # Maude keeps modules by name for the life of the process
    if not _modules:
        engine.init(advise=False)
    _modules += 1
    text = " ".join(map(repr, terms))
    unary = sorted(set(re.findall(r"\('(\w+)'", text)) - {"add", "mul"})
    constants = sorted(set(re.findall(r"'(\w+)'", text)) - {"add", "mul", *unary})
    engine.input(
        f"fmod BENCH{_modules} is sort T . ops {' '.join(constants)} dummy : -> T . "
        f"ops {' '.join(unary)} unary : T -> T . "
        "ops add mul : T T -> T [assoc comm] . endfm"
    )
    return engine.getModule(f"BENCH{_modules}")


def _maude(value: Any) -> str:
    if isinstance(value, Var):
        return f"{str(value)[1:].upper()}:T"
    if not isinstance(value, tuple):
        return str(value)
    op, *args = value
    if len(args) > 2:
        rest = _maude((op, *args[1:]))
        return f"{op}({_maude(args[0])}, {rest})"
    return f"{op}({', '.join(map(_maude, args))})"
