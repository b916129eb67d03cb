"""What the tests of matching and unification share: a theory, random terms, and brute force.

The oracle knows nothing of the engine: it normalises by rewriting text-like tuples, and solves by
trying every term up to a size for every variable.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st
from unification import Var, var

from kanrewrite.theory import Theory

THEORY = (
    Theory("test").ac("add").ac("mul").ac("addu", unit="zero").ac("mulu", unit="one")
    .a("cat").a("catu", unit="nil").c("com").c("comu", unit="czero")
)  # fmt: skip

UNITS = {"addu": "zero", "mulu": "one", "catu": "nil", "comu": "czero", "maxu": "least"}
IDEMPOTENT = {"max", "maxu", "min"}
ASSOCIATIVE = {"add", "mul", "addu", "mulu", "cat", "catu"}
COMMUTATIVE = {"add", "mul", "addu", "mulu", "com", "comu"}
FREE = {"f": 1, "g": 2}

NAMES = {name: var(name) for name in ("x", "y", "z")}


def normal(term: Any) -> Any:
    """The normal form of a term modulo `THEORY`, as nested tuples with sorted operands."""
    if not isinstance(term, tuple):
        return term
    op, *args = term
    args = [normal(arg) for arg in args]
    if op in ASSOCIATIVE | IDEMPOTENT:
        flat: list[Any] = []
        for arg in args:
            flat.extend(arg[1:] if isinstance(arg, tuple) and arg[0] == op else [arg])
        args = flat
    if op in UNITS:
        args = [arg for arg in args if arg != UNITS[op]]
        if not args:
            return UNITS[op]
    if op in IDEMPOTENT:
        args = list(dict.fromkeys(args))
    if len(args) == 1 and op in UNITS.keys() | IDEMPOTENT:
        return args[0]
    if op in COMMUTATIVE | IDEMPOTENT:
        args.sort(key=repr)
    return (op, *args)


def replaced(term: Any, substitution: dict[Var, Any]) -> Any:
    """A term with variables replaced, once."""
    if isinstance(term, Var):
        return substitution.get(term, term)
    if isinstance(term, tuple):
        return (term[0], *(replaced(arg, substitution) for arg in term[1:]))
    return term


def variables(term: Any) -> list[Var]:
    """The variables of a term, each once."""
    if isinstance(term, Var):
        return [term]
    if isinstance(term, tuple):
        return list(dict.fromkeys(v for arg in term[1:] for v in variables(arg)))
    return []


def parts(term: Any) -> Iterator[Any]:
    """Everything a variable could be in a match with a normal term: sub-multisets, subterms."""
    yield term
    if not isinstance(term, tuple):
        return
    op, args = term[0], term[1:]
    for arg in args:
        yield from parts(arg)
    if op in IDEMPOTENT or (op in COMMUTATIVE and op in ASSOCIATIVE):
        for chosen in product((False, True), repeat=len(args)):
            yield normal_of(op, [arg for arg, taken in zip(args, chosen, strict=True) if taken])
    elif op in ASSOCIATIVE:
        for i in range(len(args)):
            for j in range(i + 1, len(args) + 1):
                yield normal_of(op, list(args[i:j]))


def normal_of(op: str, args: list[Any]) -> Any:
    """The normal form of an application to one operand or more."""
    if len(args) == 1:
        return args[0]
    return normal((op, *args)) if args else UNITS.get(op, op)


def brute_matches(pattern: Any, subject: Any) -> set[tuple[Any, ...]]:
    """All matches, by trying every part of the subject, and every unit, for every variable."""
    subject = normal(subject)
    candidates = list(dict.fromkeys([*parts(subject), *UNITS.values()]))
    names = variables(pattern)
    found = set()
    for values in product(candidates, repeat=len(names)):
        if normal(replaced(pattern, dict(zip(names, values, strict=True)))) == subject:
            found.add(values)
    return found


def terms(
    variables: bool, operators: tuple[str, ...] = (), leaves: int = 5
) -> st.SearchStrategy[Any]:
    """Random terms of `THEORY`."""
    atoms: list[Any] = ["a", "b", *(NAMES.values() if variables else ("c",))]
    operators = operators or (*FREE, *sorted(ASSOCIATIVE | COMMUTATIVE))

    def application(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        def arity(op: str) -> st.SearchStrategy[Any]:
            if op in FREE:
                return st.tuples(st.just(op), *[children] * FREE[op])
            return st.tuples(st.just(op), children, children)

        return st.sampled_from(operators).flatmap(arity)

    return st.recursive(st.sampled_from(atoms), application, max_leaves=leaves)
