"""Right sides of relations about digits, built as they are stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable

from kanrewrite.relation import substitute
from kanrewrite.relation.roles import operators_in
from kanrewrite.terms import T, Term, parts_of
from kanrewrite.unify import as_graph

Graph = Variable[Any, Any]
#: Operators that may group factors in one way or another.
PRODUCTS = frozenset({T.mul, T.true_div})


def is_choice(term: Any) -> bool:
    """Whether a term chooses between others."""
    return isinstance(term, Term) and term[0] is T.switch


def asks_for_order(pattern: Term, term: Any) -> bool:
    """Whether what is chosen depends on what a pattern's factors are multiplied with first."""
    if not PRODUCTS.issuperset(operators_in(pattern)):
        return False
    parts = [part for part in parts_of(pattern[1:]) if isinstance(part, Term)]
    choices = [part for part in parts_of(term) if is_choice(part)]
    asked = [part for choice in choices for part in parts_of(choice[1])]
    return not choices or any(part in parts for part in asked if isinstance(part, Term))


class Stating:
    """Builds terms whose parameters are bound.

    Parameters
    ----------
    pattern : Term
        The left side that was found.
    bindings : mapping
        What its parameters are.
    value : callable
        The variable of a binding, or of a number.
    product : callable
        A number times a variable.
    known : callable
        The variable of the graph that a part of the pattern is, or None.
    out : Variable
        What is replaced.  Where the pattern itself is chosen it stays the operator that it was, and
        nothing changes, not even a zero's sign.
    """

    def __init__(
        self,
        pattern: Any,
        bindings: Mapping[Any, Any],
        value: Callable[[Any], Any],
        product: Callable[[Fraction, Any], Any],
        known: Callable[[Any], Graph | None],
        out: Graph,
    ):
        self._pattern, self._bindings = pattern, bindings
        self._value, self._product, self._known = value, product, known
        self._shared = {id(part) for part in parts_of(pattern[1:]) if isinstance(part, Term)}
        self._built: dict[int, Any] = {}  # what a term shares is built once
        self._written = out.owner.clone().outputs[out.owner.outputs.index(out)]
        self._is_pattern = False

    def made(self, part: Any) -> Any:
        """A term as a graph; what it shares with the pattern is taken from the graph."""
        if not isinstance(part, Term):
            return self._value(self._bindings.get(part, part))
        if id(part) not in self._built:
            known = self._known(part) if id(part) in self._shared else None
            if self._is_pattern and part == self._pattern:
                known = self._written
            self._built[id(part)] = self._operator(part) if known is None else known
        return self._built[id(part)]

    def _operator(self, part: Term) -> Any:
        if part[0] is T.tensor_copy:  # what an operand is rounded to: the graph has no other
            return self.made(part[1])
        tensors = len(part) - len(part[0].parameters)
        operands = map(self.made, part[1:tensors])
        return as_graph(substitute(Term((part[0], *operands, *part[tensors:])), self._bindings))

    def times(self, number: Fraction, term: Any) -> Any:
        """A multiple of a term, where what is replaced is that multiple of the pattern."""
        # Products are grouped as the pattern is: that is what the right side asks about.
        if asks_for_order(self._pattern, term):
            return self._multiple(number, self.made(term))
        self._is_pattern = number == 1
        if self._is_pattern:
            return self.made(term)
        if is_choice(term):
            return self.chosen(term, partial(self._multiple, number))
        return self._product(number, self.made(term))

    def chosen(self, part: Any, around: Callable[[Any], Any]) -> Any:
        """A choice with what is around the pattern put around each thing that is chosen."""
        if isinstance(part, Term) and part == self._pattern:
            return self._written
        if not is_choice(part):
            return around(self.made(part))
        condition, *others = part[1:]
        either = (self.chosen(other, around) for other in others)
        return as_graph(Term((T.switch, self.made(condition), *either)))

    def _multiple(self, number: Fraction, made: Any) -> Any:
        """A number times a variable; what cancels to 0 has no sign."""
        if number == 1:
            return made
        if number == -1 and self._pattern[0] in (T.add, T.sub):
            return self._value(0) - made
        product = self._product(number, made)
        # Half of what has left the range may be in it, as it was written.
        return at.switch(at.isinf(made), self._written, product) if abs(number) < 1 else product
