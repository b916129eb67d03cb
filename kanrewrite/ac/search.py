"""The search for unifiers: a stream of solutions, among which there may be instances of others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

from kanrewrite.ac.budget import Budget
from kanrewrite.ac.choices import branch
from kanrewrite.ac.combination import forced
from kanrewrite.ac.interned import Interned, text
from kanrewrite.ac.separation import released
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.sorts import Sorts
from kanrewrite.ac.states import Equation, State, bound, simplify
from kanrewrite.ac.terms import Store


class Search:
    """The search for the unifiers of one system.

    Parameters
    ----------
    terms
        Where the equations are interned.
    equations
        The system.
    sorts
        What some of its variables may be: a state in which one cannot, is left at once.
    steps
        How many steps are allowed in all; without it, so many from one solution to the next.

    Attributes
    ----------
    variables
        Those of the system, the oldest first.
    has_joins
        Whether an operator is idempotent.
    fair
        Whether the search may have endless branches, and so takes turns between them.
    start
        The system without what leaves no choice; None if it has no solution.
    ended
        Whether every branch has been seen to its end.
    budget
        What it may take.
    """

    def __init__(
        self,
        terms: Store,
        equations: Sequence[Equation],
        sorts: Sorts | None = None,
        steps: int | None = None,
    ):
        self.terms = terms
        self.sorts = Sorts(terms, {}) if sorts is None else sorts
        self.equations = tuple(equations)
        self.variables = sorted(
            {v for pair in equations for side in pair for v in side.variables},
            key=lambda v: v.serial,
        )
        sides = [side for pair in self.equations for side in pair]
        self.fair = any(map(has_words, sides))
        every = {one for side in sides for one in operands_first(side)}
        self.has_joins = any(one.symbol.idempotent for one in every)
        size = sum(len(one.args) for one in every)
        self.budget = Budget(terms.theory.name, self._text, self.fair, steps, size)
        self.start = self._simplified(State(self.equations, {}))
        self.ended = self.start is None

    def solutions(self) -> Iterator[tuple[Interned, ...] | None]:
        """The values of the variables in each solution; None for a step without one.

        Raises
        ------
        EndlessSet
            If patience ends before the search.
        Incomplete
            If the search has taken too many steps since the solution before.
        """
        pending: deque[Iterator[State]] = deque([iter(() if self.start is None else (self.start,))])
        while pending:
            self.budget.spend()
            # First in, first out takes turns between branches; last in, first out is lean.
            states = pending.popleft() if self.fair else pending.pop()
            found = next(states, None)
            if found is None:
                continue
            pending.append(states)
            state = self._simplified(found)
            if state is None:
                yield None
            elif state.equations or state.rows:
                pending.append(branch(self.terms, state, self.sorts, self.budget.tick))
                yield None
            else:
                yield tuple(bound(self.terms, v, state.bindings) for v in self.variables)
        self.ended = True

    def _simplified(self, state: State) -> State | None:
        """A state without what leaves no choice, None if it has no solution."""
        simple = simplify(self.terms, state, self.budget.tick)
        while simple is not None and simple.rows:
            known = forced(self.terms, simple, self.budget.tick)
            if known is None:
                return None
            if not known:
                break
            simple = simplify(self.terms, simple.with_equations(*known), self.budget.tick)
        if simple is None:
            return None
        bindings = simple.bindings
        if simple.distinct:
            equal = {frozenset(pair) for pair in simple.equations}
            for pair in simple.distinct:
                values = frozenset(bound(self.terms, v, bindings) for v in pair)
                if len(values) == 1 or values in equal:
                    return None  # what is tried elsewhere
        if not self.sorts.variables:
            return simple
        read = partial(self._value, simple)
        return simple if self.sorts.allow(read) else None

    def _value(self, state: State, variable: Interned) -> Interned:
        value = bound(self.terms, variable, state.bindings)
        return released(self.terms, value) if state.held else value

    def _text(self) -> str:
        return ", ".join(f"{text(s.plain)} = {text(t.plain)}" for s, t in self.equations)


def has_words(term: Interned) -> bool:
    """Whether an operator of a term is associative and not commutative.

    Parameters
    ----------
    term
        A canonical term.
    """
    return any(
        one.symbol.associative and not one.symbol.commutative for one in operands_first(term)
    )
