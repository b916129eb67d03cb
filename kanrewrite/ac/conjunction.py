"""Equations that goals state one after the other, solved together where their turns lead nowhere.

A goal after another is given the other's answers one by one. It may accept only the last of a great
many, where the two equations as a system have few solutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kanren.constraints import ConstrainedState

from kanrewrite.ac.interned import Interned
from kanrewrite.ac.terms import Store
from kanrewrite.errors import Incomplete

Pair = tuple[Interned, Interned]
#: How many answers in turn may be refused.
_REFUSED = 32
#: And how many where they cannot be solved together either.
_REFUSED_AFTER = 2_000
#: How many equations are solved together, and how many may follow the same ones.
_EQUATIONS, _FOLLOWED = 32, 32


class Answer(dict[Any, Any]):
    """A substitution that knows which equations it solves."""

    __slots__ = ("solves",)
    solves: Conjunction


class Conjunction:
    """Equations of one theory, stated by goals in turn.

    Parameters
    ----------
    terms
        Where the equations are interned.
    start
        The state before the first of them.
    equations
        Them, as they were stated.
    alone
        Whether the only one has answers that its unifiers are not: it is solved with no other.

    Attributes
    ----------
    together
        The states that solve them all, of which each answer to the equations before the last takes
        some; None as long as each is asked for its own.
    has_answers
        Whether any was found.
    """

    def __init__(self, terms: Store, start: Any, equations: tuple[Pair, ...], alone: bool = False):
        self.terms = terms
        self.start = start
        self.equations = equations
        self._alone = alone
        self.together: Iterator[Any] | None = None
        self.has_answers = False
        self._refused = 0
        self._given_up: Incomplete | None = None
        self._next: dict[Pair, Conjunction] = {}

    def refuse(self) -> bool:
        """Note that an answer was refused; whether all before were, and they are many."""
        self._refused += 1
        if self._given_up is not None and self._refused == _REFUSED_AFTER and not self.has_answers:
            raise self._given_up
        return self._refused == _REFUSED and not (self.has_answers or self._alone)

    def give_up(self, reason: Incomplete) -> None:
        """Note that they cannot be solved together: some more answers are asked for, in turn.

        Parameters
        ----------
        reason
            Why: it is raised when they are refused as well.
        """
        self._given_up = reason
        self.together = None

    def followed(self, pair: Pair) -> Conjunction:
        """The same with an equation more.

        Parameters
        ----------
        pair
            The equation.
        """
        known = self._next.get(pair)
        if known is None:
            known = Conjunction(self.terms, self.start, (*self.equations, pair))
            if len(self._next) < _FOLLOWED:  # no goals that are made anew for each answer
                self._next[pair] = known
        return known

    def answers(
        self, state: Any, found: Mapping[Any, Any], written: tuple[Any, Any]
    ) -> Iterator[Any]:
        """A state with a unifier added, unless the state's constraints refuse it.

        Parameters
        ----------
        state
            The state.
        found
            The unifier.
        written
            The last equation, as constraints are told.
        """
        # What may be anything is not bound: kanren would follow it to itself for ever.
        extended = Answer(state)
        extended.update((v, value) for v, value in found.items() if v != value)
        if not self._alone:
            extended.solves = self
        if not isinstance(state, ConstrainedState):
            yield extended
            return
        checked = state.post_unify_checks(dict(extended), *written)
        if checked is not False:
            if not self._alone:
                checked.solves = self
            yield checked


def stated(terms: Store, state: Any, pair: Pair, alone: bool = False) -> Conjunction:
    """The equations that are solved by the answers to one more.

    Parameters
    ----------
    terms
        Where the equation is interned.
    state
        The state under which it is stated: itself such an answer, or any.
    pair
        The equation.
    alone
        Whether it is not to be solved with others.
    """
    before = getattr(state, "solves", None)
    if alone or not isinstance(before, Conjunction) or before.terms is not terms:
        return Conjunction(terms, state, (pair,), alone)
    if len(before.equations) == _EQUATIONS:
        return Conjunction(terms, state, (pair,))
    return before.followed(pair)
