"""Graphs as terms modulo the axioms, and back without rebuilding what is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable, graph_inputs
from aesara.tensor.type import TensorType

from kanrewrite.ac import Interned, store
from kanrewrite.rewriter.signs import signed, signed_pattern
from kanrewrite.terms import Term, parts_of
from kanrewrite.theory import Theory
from kanrewrite.unify import as_graph, as_term, is_term

Graph = Variable[Any, Any]
#: The rounding of a few operations on numbers.
ROUNDINGS = {"float64": 2.0**-50, "float32": 2.0**-21, "float16": 2.0**-8}


def numbers_in(patterns: Iterable[Any]) -> frozenset[float]:
    """The numbers of patterns that a dtype may round."""
    read = (part for pattern in patterns for part in parts_of(signed_pattern(pattern)))
    return frozenset(part for part in read if isinstance(part, float))


class Terms:
    """The terms of the graphs of one search.

    Parameters
    ----------
    theory : Theory
        Equal modulo it is one term.
    numbers : iterable of float
        Those of patterns: a number that is one of them, but for its rounding, is read as that.

    Notes
    -----
    The first variable read as a term stands for it: a rewrite that binds a parameter to a subgraph
    gives that very subgraph back, so that what a rewrite leaves alone stays shared.
    """

    def __init__(self, theory: Theory, numbers: Iterable[float] = ()):
        self.theory = theory
        self.numbers = frozenset(numbers)
        self._plain: dict[Graph, Any] = {}
        self._interned: dict[Graph, Interned] = {}
        self._variables: dict[Interned, Graph] = {}
        self._memo: dict[int, Any] = {}

    def read(self, variable: Graph) -> Interned:
        """The term that a variable is, everything below it known from then on."""
        todo = [variable]
        while todo:
            top = todo[-1]
            inputs = top.owner.inputs if top.owner is not None else []
            if top in self._interned:
                todo.pop()
            elif waiting := [x for x in inputs if x not in self._interned]:
                todo.extend(waiting)
            else:
                todo.pop()
                # What is below is known already, so each variable costs one step.
                plain = self._plain[top] = self._written(as_term(top, self._plain), top)
                read = store(self.theory).intern(plain, self._memo)
                self._interned[top] = read
                self._variables.setdefault(read, top)
        return self._interned[variable]

    def _written(self, plain: Any, variable: Graph) -> Any:
        """A term as patterns have it: with their numbers, and signs outside."""
        dtype = str(getattr(variable.type, "dtype", ""))
        if isinstance(plain, float):
            return self._stated(plain, dtype)
        return plain if dtype.startswith("uint") else signed(plain)  # what wraps has no sign

    def _stated(self, number: float, dtype: str) -> float:
        """A number as patterns state it, where it is one of theirs but for its rounding."""
        bound = ROUNDINGS.get(dtype, 0.0)
        near = (n for n in self.numbers if abs(n - number) <= abs(n) * bound)
        return min(near, key=lambda n: abs(n - number), default=number)

    def knows(self, value: Any) -> bool:
        """Whether a term is that of a variable that was read."""
        return store(self.theory).intern(value, self._memo) in self._variables

    def graph(self, value: Any, dtype: str | None = None) -> Any:
        """A term as a graph, a number as a constant where a dtype is given for it.

        Parameters
        ----------
        value : Term or leaf
            Without logic variables.
        dtype : str, optional
            That of numbers.
        """
        built = as_graph(self._known(value, dtype))
        if dtype is None or isinstance(built, Variable):
            return built
        return at.constant(np.asarray(built, dtype))

    def result(self, value: Any, like: Graph) -> Graph:
        """A term as a graph that may replace a variable: numbers are spread to its shape.

        Parameters
        ----------
        value : Term or leaf
            Without logic variables.
        like : Variable
            A tensor.
        """
        kind = cast(TensorType, like.type)
        built = cast(Graph, self.graph(value, kind.dtype))
        if cast(TensorType, built.type).ndim == kind.ndim or not _is_number(built):
            return built
        return cast(Graph, at.second(like, built))

    def _known(self, value: Any, dtype: str | None) -> Any:
        if not is_term(value):
            return value
        known = self._variables.get(store(self.theory).intern(value, self._memo))
        if known is not None:
            return known
        head, *operands = value
        tensors = len(operands) - len(head.parameters)
        inner = [_typed(self._known(operand, dtype), dtype) for operand in operands[:tensors]]
        return Term((head, *inner, *operands[tensors:]))


def _is_number(graph: Graph) -> bool:
    """Whether a graph is computed from numbers alone."""
    return all(isinstance(leaf, Constant) for leaf in graph_inputs([graph]))


def _typed(value: Any, dtype: str | None) -> Any:
    """A number as a constant of a float dtype: ``log(2)`` of the integer 2 is a float32."""
    if dtype is None or not dtype.startswith("float") or not isinstance(value, int | float):
        return value
    return at.constant(np.asarray(value, dtype))
