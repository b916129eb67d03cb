"""Equations modulo a theory as miniKanren goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kanren.core import lall

from kanrewrite.ac.conjunction import Conjunction, stated
from kanrewrite.ac.interned import Interned
from kanrewrite.ac.matching import matcher
from kanrewrite.ac.replacing import under
from kanrewrite.ac.terms import Store, store
from kanrewrite.ac.unification import unify
from kanrewrite.border import checked
from kanrewrite.errors import CyclicSubstitution, Incomplete
from kanrewrite.theory import Theory

Goal = Callable[[Any], Iterator[Any]]

_default = [Theory("empty")]


def default_theory() -> Theory:
    """The theory of goals that name none: without axioms, until `set_default_theory`."""
    return _default[0]


def set_default_theory(theory: Theory) -> None:
    """Choose the theory of goals that name none, those made before included.

    Parameters
    ----------
    theory
        The new default.
    """
    _default[0] = theory


class Eq:
    """Two terms are equal modulo a theory; a goal. Made by `eq`.

    Parameters
    ----------
    lhs, rhs
        The terms.
    theory
        What their operators obey; None for the default when the goal is run.
    guards
        Goals that must hold as well, run after the equation.
    error
        How far apart the sides may be, relative to the first: 0 for what is true.
    """

    __slots__ = ("error", "guards", "lhs", "rhs", "theory")

    def __init__(
        self,
        lhs: Any,
        rhs: Any,
        theory: Theory | None = None,
        guards: tuple[Goal, ...] = (),
        error: float = 0.0,
    ):
        self.lhs = lhs
        self.rhs = rhs
        self.theory = theory
        self.guards = guards
        self.error = error

    def when(self, *guards: Goal) -> Eq:
        """The same equation with more conditions.

        Parameters
        ----------
        *guards
            Goals, run in this order after the equation and the guards it has.

        Returns
        -------
        Eq
        """
        return Eq(self.lhs, self.rhs, self.theory, (*self.guards, *guards), self.error)

    def within(self, error: float) -> Eq:
        """The same as an approximation, which `kanrewrite.verify` holds to its bound.

        Parameters
        ----------
        error
            How far the second side may be from the first, relative to that.

        Returns
        -------
        Eq
        """
        return Eq(self.lhs, self.rhs, self.theory, self.guards, error)

    def __call__(self, state: Any) -> Iterator[Any]:
        """The states in which the equation and its guards hold.

        Parameters
        ----------
        state
            A substitution, or kanren's state with constraints.
        """
        if not self.guards:
            return self._solutions(state)
        found: Iterator[Any] = lall(self._solutions, *self.guards)(state)
        return found

    def _solutions(self, state: Any) -> Iterator[Any]:
        """The state with each unifier of the two sides added."""
        terms = store(default_theory() if self.theory is None else self.theory)
        written = self.lhs, self.rhs
        known = Known(terms, state)
        left, right = known(self.lhs), known(self.rhs)
        pair = terms.intern(self.lhs), terms.intern(self.rhs)
        every = stated(terms, state, pair, alone=isinstance(self, Written))
        if every.together is None:
            for found in self._unifiers(terms, left, right):
                every.has_answers = True
                yield from every.answers(state, found, written)
            if every.refuse():
                every.together = self._together(every, written)
        # Each state takes the next of them: a fair disjunction comes to each state once, first.
        yield from every.together or ()

    def _together(self, every: Conjunction, written: tuple[Any, Any]) -> Iterator[Any]:
        """The states in which this equation and those before it hold."""
        known = Known(every.terms, every.start)
        pairs = [(known(s), known(t)) for s, t in every.equations]
        try:
            for found in unify(pairs, every.terms.theory):
                every.has_answers = True
                yield from every.answers(every.start, found, written)
        except Incomplete as reason:
            if every.has_answers:
                raise
            every.give_up(reason)

    def _unifiers(
        self, terms: Store, left: Interned, right: Interned
    ) -> Iterable[Mapping[Any, Any]]:
        return unifiers(terms, left, right)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Eq)
        mine = (self.lhs, self.rhs, self.theory, self.guards, self.error)
        return mine == (other.lhs, other.rhs, other.theory, other.guards, other.error)

    def __hash__(self) -> int:
        return hash((self.lhs, self.rhs, self.theory, self.guards))

    def __repr__(self) -> str:
        when = f".when({', '.join(map(repr, self.guards))})" if self.guards else ""
        within = f".within({self.error!r})" if self.error else ""
        return f"eq({self.lhs!r}, {self.rhs!r}){when}{within}"


class Written(Eq):
    """The same goal where variables of one side stand for what is written in a known other side.

    With inverses there are other answers, ``x + y == a`` for any x, which a rewriter does not ask
    for: a relation that is run on two graphs has an answer or none. They are not only more: `eq`
    gives the general one, with x free, and what the relation asks next is then a unification with
    inverses on both sides, where it was a match. Whether graphs are no example of a relation (of
    `max_lifts`, say) takes minutes then, not milliseconds.
    """

    __slots__ = ()

    def _unifiers(
        self, terms: Store, left: Interned, right: Interned
    ) -> Iterable[Mapping[Any, Any]]:
        if left is right or (left.variables and right.variables):
            return super()._unifiers(terms, left, right)
        if not (left.variables or right.variables):
            return ()
        return matcher(left).written(right) if left.variables else matcher(right).written(left)


@checked
def eq(u: Any, v: Any, theory: Theory | None = None) -> Eq:
    """The goal that two terms are equal modulo a theory.

    Parameters
    ----------
    u, v
        Terms.
    theory
        What their operators obey; if None, the default theory when the goal is run.

    Returns
    -------
    Eq
        A goal: composes with kanren's `lall`, `conde` and `run`, and respects the constraints of
        the state it is given.  Where one side is ground under the state the other is matched with
        it, otherwise the two are unified; a variable is never bound to a term that contains it.

    Examples
    --------
    >>> from kanren import run
    >>> from unification import var
    >>> theory = Theory("algebra").ac("add").ac("mul")
    >>> x, y = var("x"), var("y")
    >>> run(0, (x, y), eq(("mul", ("add", 1, x), y), ("mul", 2, ("add", 3, 1)), theory))
    ((3, 2),)
    """
    return Eq(u, v, theory)


def unifiers(terms: Store, left: Interned, right: Interned) -> Iterable[dict[Any, Any]]:
    """The unifiers of two terms, by matching where one is ground.

    Parameters
    ----------
    terms
        Where the terms are interned.
    left, right
        The terms.
    """
    if left is right:
        return ({},)
    if not right.variables:
        return matcher(left).complete(right) if left.variables else ()
    if not left.variables:
        return matcher(right).complete(left)
    return unify([(left, right)], terms.theory)


class Known:
    """Terms under a substitution, interned.

    Parameters
    ----------
    terms
        Where to intern them.
    substitution
        A mapping from logic variables to terms, which may hold further variables.
    """

    def __init__(self, terms: Store, substitution: Mapping[Any, Any]):
        self._terms = terms
        self._substitution = substitution
        self._values: dict[Interned, Interned] = {}

    def __call__(self, value: Any) -> Interned:
        """The canonical form of a term under the substitution.

        Parameters
        ----------
        value
            The term.

        Raises
        ------
        CyclicSubstitution
            If a variable is bound to a term that contains it.
        """
        term = self._terms.intern(value)
        if not self._substitution or not term.variables:
            return term
        return under(self._terms, term, self._value, self._values)

    def _value(self, variable: Interned) -> Interned | None:
        """What a variable is bound to, all of it under the substitution."""
        if variable.plain not in self._substitution:
            return None
        if variable not in self._values:
            self._resolve(variable)
        return self._values[variable]

    def _resolve(self, variable: Interned) -> None:
        """Find the values of a variable and of all those it depends on, the last ones first."""
        open_ones: set[Interned] = set()
        bound: dict[Interned, Interned] = {}
        stack = [variable]
        while stack:
            one = stack[-1]
            if one in self._values:
                stack.pop()
            elif one in bound:
                stack.pop()
                open_ones.discard(one)
                self._values[one] = under(self._terms, bound[one], self._values.get, self._values)
            else:
                open_ones.add(one)
                bound[one] = value = self._terms.intern(self._substitution[one.plain])
                if value is one:  # bound to itself is not bound
                    self._values[one] = one
                    continue
                stack.extend(self._dependencies(value, open_ones))

    def _dependencies(self, value: Interned, open_ones: set[Interned]) -> list[Interned]:
        """The variables of a term whose own values have to be found before."""
        found = []
        for v in value.variables:
            if v.plain in self._substitution and v not in self._values:
                if v in open_ones:
                    raise CyclicSubstitution(v.plain, self._substitution[v.plain])
                found.append(v)
        return found
