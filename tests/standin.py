"""A view of the simplest kind, so that rewriters are tested apart from the engine's own view.

Graphs are read as nested terms, matched modulo associativity and commutativity of sums and
products, and built as they are written.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import aesara.tensor as at

from kanrewrite import ac
from kanrewrite.relation import substitute
from kanrewrite.terms import T, Term
from kanrewrite.theory import Theory
from kanrewrite.unify import as_graph, as_term

THEORY = Theory("standin").ac(T.add).ac(T.mul)


class TermView:
    """Reads a graph as the term that it is."""

    definitions: Mapping[Any, tuple[Any, Any]] = {}

    def __init__(self) -> None:
        self.reads = 0
        self.terms: dict[Any, Any] = {}

    def read(self, variable: Any) -> Any:
        self.reads += 1
        return ac.term(as_term(variable, self.terms), THEORY)

    def pattern(self, term: Any) -> Any:
        return ac.compile(as_term(term), THEORY)

    def match(self, pattern: Any, form: Any) -> Iterator[tuple[Any, Any]]:
        head = pattern.pattern.plain[0]
        for bindings, rest in pattern.extend(form):
            yield bindings, Term((head, *rest)) if rest and len(rest) > 1 else rest and rest[0]

    def instantiate(self, term: Any, bindings: Mapping[Any, Any]) -> Any:
        return substitute(term, bindings)

    def as_written(self, term: Any, bindings: Mapping[Any, Any]) -> Any:
        return substitute(term, bindings)

    def build(self, form: Any, like: Any) -> Any:
        built = as_graph(form)
        return built if hasattr(built, "type") else at.constant(built, dtype=like.type.dtype)
