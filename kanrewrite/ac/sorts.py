"""Sorts: what a variable may stand for, asked while answers are being searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from unification import Var, isvar, var

from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.terms import Store

#: Whether a plain term is of a sort; None where its variables leave that open.
Sort = Callable[[Any], bool | None]
#: How many answers are remembered.
_REMEMBERED = 10_000


def ground(predicate: Callable[[Any], bool]) -> Sort:
    """The sort of the terms for which a predicate holds, which is asked of ground terms only.

    Parameters
    ----------
    predicate
        Knows nothing of logic variables.

    Examples
    --------
    >>> short = ground(lambda t: len(t) < 4)
    >>> short(("add", "a", "b")), short(("add", "a", "b", "c")), short(("add", "a", var()))
    (True, False, None)
    """

    def sort(term: Any) -> bool | None:
        return None if _has_variable(term) else predicate(term)

    return sort


def _has_variable(term: Any) -> bool:
    stack = [term]
    while stack:
        one = stack.pop()
        if isvar(one):
            return True
        if isinstance(one, tuple):
            stack.extend(one)
    return False


class Sorts:
    """The sorts of some variables.

    Parameters
    ----------
    terms
        Where the variables are interned.
    given
        A sort for each variable that has one. It must say False of a term only if no instance of
        the term is of the sort; of a lone variable it is not asked.
    read
        How terms are read before they are asked about.

    Attributes
    ----------
    variables
        Those that have a sort.
    """

    def __init__(
        self,
        terms: Store,
        given: Mapping[Var, Sort],
        read: Callable[[Interned], Interned] = lambda term: term,
    ):
        self._terms = terms
        self._given = given
        self._sorts = {terms.leaf(v): sort for v, sort in given.items()}
        self.variables = frozenset(self._sorts)
        self._read = read
        self._known: dict[tuple[Interned, Interned], bool] = {}
        self._single: dict[tuple[Interned, Symbol], bool] = {}

    def reading(self, read: Callable[[Interned], Interned]) -> Sorts:
        """The same sorts, of terms that are read in another way.

        Parameters
        ----------
        read
            What is asked about in the place of a term.
        """
        return Sorts(self._terms, self._given, read)

    def refuse(self, variable: Interned, value: Interned) -> bool:
        """Whether a term is not of a variable's sort, whatever its own variables are.

        Parameters
        ----------
        variable
            One that has a sort.
        value
            What it is to be.
        """
        key = variable, value
        known = self._known.get(key)
        if known is None:
            term = self._read(value)
            open_one = term.symbol is VARIABLE
            known = not open_one and self._sorts[variable](term.plain) is False
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = known
        return known

    def is_single(self, variable: Interned, operator: Symbol) -> bool:
        """Whether no product of an operator is of a variable's sort: it is one operand then.

        Parameters
        ----------
        variable
            Any variable.
        operator
            An associative and commutative operator.
        """
        if variable not in self.variables or operator.collapses:
            return False
        key = variable, operator
        if key not in self._single:
            parts = [self._terms.leaf(var()) for _ in range(2)]
            self._single[key] = self.refuse(variable, self._terms.make(operator, parts))
        return self._single[key]

    def holders(self, bindings: Mapping[Interned, Interned]) -> dict[Interned, list[Interned]]:
        """The variables that have sorts, by the variable that stands for them.

        Parameters
        ----------
        bindings
            A triangular substitution.
        """
        found: dict[Interned, list[Interned]] = {}
        for variable in self._sorts:
            value = variable
            while value in bindings:
                value = bindings[value]
            if value.symbol is VARIABLE:
                found.setdefault(value, []).append(variable)
        return found

    def allow(self, value: Callable[[Interned], Interned]) -> bool:
        """Whether no variable has a value that is not of its sort.

        Parameters
        ----------
        value
            What a variable is.
        """
        return not any(self.refuse(variable, value(variable)) for variable in self._sorts)
