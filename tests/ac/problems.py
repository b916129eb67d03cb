"""Problems written as s-expressions, and answers made comparable."""

import gc
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import permutations, product
from math import factorial, prod
from pathlib import Path
from typing import Any

from unification import Var, var

from kanrewrite.theory import Theory
from tests.ac.oracle import COMMUTATIVE, normal

HERE = Path(__file__).parent
THEORY = (
    Theory("reference").ac("add").ac("mul").ac("addu", unit="zero").ac("mulu", unit="one")
    .a("cat").a("catu", unit="nil").c("com").c("comu", unit="czero")
)  # fmt: skip


#: No problem may take longer: a search that has no end says so before.
SECONDS = 5.0


@contextmanager
def in_time(*problem: Any) -> Iterator[None]:
    """Fail if what is within takes long, whatever else the machine does.

    What other tests have left is not collected meanwhile: that alone may take seconds.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        yield
        spent = time.process_time() - start
    finally:
        if collects:
            gc.enable()
    assert spent < SECONDS, problem


def load(name: str) -> list[dict[str, Any]]:
    """The problems of a file beside this one."""
    problems: list[dict[str, Any]] = json.loads((HERE / name).read_text())["problems"]
    return problems


def parse(text: str) -> Any:
    """A term of its s-expression; names that begin with a question mark are variables."""
    tokens = iter(re.findall(r"[()]|[^\s()]+", text))

    def read(token: str) -> Any:
        if token != "(":
            return var(token) if token.startswith("?") else token
        return tuple(_until_closed())

    def _until_closed() -> Iterator[Any]:
        while (token := next(tokens)) != ")":
            yield read(token)

    return read(next(tokens))


def key(substitution: Mapping[Var, Any], variables: list[Var]) -> str:
    """A text that substitutions equal modulo the theory and renaming of new variables share."""
    values = [normal(_walked(v, substitution)) for v in variables]
    colours = {v: "" for value in values for v in _variables(value)}
    for _ in range(3):
        colours = {v: _coloured(values, v, colours) for v in colours}
        ranks = {colour: str(n) for n, colour in enumerate(sorted(set(colours.values())))}
        colours = {v: ranks[colour] for v, colour in colours.items()}
    groups: dict[str, list[Var]] = {}
    for v in sorted(colours, key=lambda v: int(colours[v])):
        groups.setdefault(colours[v], []).append(v)
    tied = list(groups.values())
    if prod(factorial(len(group)) for group in tied) > 5_000:
        orders = iter([tied])
    else:
        orders = product(*(permutations(group) for group in tied))  # type: ignore[assignment]
    return min(_named(values, [v for group in order for v in group]) for order in orders)


def _coloured(values: list[Any], here: Var, colours: Mapping[Var, str]) -> str:
    return "|".join(
        _text(value, lambda v: ("@" if v == here else "") + f"<{colours[v]}>") for value in values
    )


def _named(values: list[Any], order: list[Var]) -> str:
    names = {v: f"?{n}" for n, v in enumerate(order)}
    return "; ".join(_text(value, lambda v: names[v]) for value in values)


def _walked(term: Any, substitution: Mapping[Var, Any]) -> Any:
    while isinstance(term, Var) and term in substitution:
        term = substitution[term]
    if isinstance(term, tuple):
        return (term[0], *(_walked(arg, substitution) for arg in term[1:]))
    return term


def _variables(term: Any) -> list[Var]:
    if isinstance(term, Var):
        return [term]
    return [v for arg in term[1:] for v in _variables(arg)] if isinstance(term, tuple) else []


def _text(term: Any, name: Any) -> str:
    if isinstance(term, Var):
        return str(name(term))
    if not isinstance(term, tuple):
        return str(term)
    args = [_text(arg, name) for arg in term[1:]]
    if term[0] in COMMUTATIVE:
        args.sort()
    return f"({term[0]} {' '.join(args)})"


def names_in(*terms: Any) -> list[Var]:
    """The variables of terms, each once, by name."""
    return sorted({v for term in terms for v in _variables(term)}, key=str)
