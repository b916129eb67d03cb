"""Matching by unification with the subject's variables as constants.

This finds the instances that a compiled matcher does not look for: those in which operands of a
group cancel, so that a variable must hold what the subject does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.replacing import with_others
from kanrewrite.ac.search import Search
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.sorts import Sorts
from kanrewrite.ac.states import compatible, may_change
from kanrewrite.ac.terms import Store

Solution = dict[Interned, Interned]


class Frozen:
    """A constant that stands for a subject's variable."""

    __slots__ = ("variable",)

    def __init__(self, variable: Interned):
        self.variable = variable

    def __repr__(self) -> str:
        return repr(self.variable.plain)


def instances(
    terms: Store,
    pattern: Interned,
    subject: Interned,
    sorts: Sorts,
    steps: int | None = None,
    most: int | None = None,
    tick: Callable[[int], object] = int,
) -> Iterator[Solution]:
    """The substitutions under which a pattern equals a subject, each once.

    Parameters
    ----------
    terms
        Where the two are interned.
    pattern
        A term with variables.
    subject
        A term, the variables of which are constants.
    sorts
        What some of the pattern's variables may be.
    steps
        How many steps of the search are enough; None for as many as it takes.
    most
        After how many steps it is given up; None for many from each solution to the next.
    tick
        Called with the work that was done; it may raise.

    Yields
    ------
    dict
        The values of the pattern's variables, which have variables where these may be anything.

    Raises
    ------
    Incomplete
        If the search is given up.
    """
    frozen = {v: terms.leaf(Frozen(v)) for v in subject.variables}
    thawed = {constant: v for v, constant in frozen.items()}
    read = sorts.reading(lambda value: with_others(terms, value, thawed))
    search = Search(terms, [(pattern, with_others(terms, subject, frozen))], read, most)
    seen: set[tuple[Interned, ...]] = set()
    variables = [v for v in search.variables if v in pattern.variables]
    told = 0
    for values in islice(search.solutions(), steps):
        tick(search.budget.spent - told)
        told = search.budget.spent
        if values is not None and values not in seen:
            seen.add(values)
            search.budget.found()
            yield {
                v: with_others(terms, value, thawed) if thawed else value
                for v, value in zip(variables, values, strict=True)
            }


def may_cancel(pattern: Interned) -> bool:
    """Whether an instance of a pattern may lose operands that cancel.

    Parameters
    ----------
    pattern
        A canonical term.
    """
    return any(
        one.variables and one.symbol.inverse is not None and _operands_may_cancel(one)
        for one in operands_first(pattern)
    )


def _operands_may_cancel(product: Interned) -> bool:
    inverse = product.symbol.inverse
    if len(product.args) < 2:
        return False
    if any(_bare(arg, inverse).symbol is VARIABLE for arg in product.args):
        return True
    signs: tuple[list[Interned], list[Interned]] = ([], [])
    for arg in product.args:
        signs[arg.symbol is inverse].append(_bare(arg, inverse))
    return any(
        may_change(one) or may_change(other) or compatible(one, other)
        for one in signs[0]
        for other in signs[1]
    )


def _bare(term: Interned, inverse: Symbol | None) -> Interned:
    return term.args[0] if term.symbol is inverse else term
