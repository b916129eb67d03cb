"""Unification modulo a theory: minimal complete sets of unifiers, as lazy streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from unification import Var

from kanrewrite.ac.bags import product
from kanrewrite.ac.choices import system
from kanrewrite.ac.interned import APPLY, VARIABLE, Interned, Symbol
from kanrewrite.ac.matching import Matcher, matcher
from kanrewrite.ac.minimal import minimal
from kanrewrite.ac.search import Search, has_words
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.sorts import Sort, Sorts
from kanrewrite.ac.states import Bindings, Equation, State, aliens, bound, operator_of
from kanrewrite.ac.syntax import PAIR
from kanrewrite.ac.systems import System
from kanrewrite.ac.terms import Store, store
from kanrewrite.border import Pairs, checked
from kanrewrite.errors import Incomplete
from kanrewrite.theory import Theory

Substitution = dict[Var, Any]
#: How many steps of a search `list` waits for its end before it is called endless.
_PATIENCE = 4_000
#: How many choices make a set large.
_MANY = 1_000
#: How many variables a pattern may have: each takes a loop.
_OPEN = 200
#: In how much work they are counted: what takes more is large.
_LOOKED = 20_000


class Unifiers(Iterator[Substitution]):
    """A lazy stream of unifiers; made by `unify`.

    ``list`` of a stream whose search may be endless raises `EndlessSet` instead of never returning;
    take as many as needed with `itertools.islice`.

    Parameters
    ----------
    terms
        Where the equations are interned.
    equations
        The system, interned.
    sorts
        What some variables may be.
    steps
        How many steps the search may take.
    few
        Whether only the first ones are wanted: they are given away as they are found, and an
        instance of another one among them.
    """

    def __init__(
        self,
        terms: Store,
        equations: list[tuple[Interned, Interned]],
        sorts: Sorts | None = None,
        steps: int | None = None,
        few: bool = False,
    ):
        self._terms = terms
        self._search = Search(terms, equations, sorts, steps)
        self._stream = _Unification(self._search).unifiers(few)

    def __iter__(self) -> Unifiers:
        return self

    def __next__(self) -> Substitution:
        try:
            return next(self._stream)
        except Incomplete:  # raised before what had been found was given away
            raise self._search.budget.given_up() from None

    def __length_hint__(self) -> int:
        """Called by ``list``, which needs the end: where there may be none, patience is limited."""
        self._search.budget.hurry(_PATIENCE)
        return 0


class _TakesLong(Exception):
    """Raised where a count of choices takes too many steps."""


class _Unification:
    """The unifiers of one system, none an instance of another where that is known in time."""

    def __init__(self, search: Search):
        self._search = search
        self._terms = search.terms

    def unifiers(self, few: bool = False) -> Iterator[Substitution]:
        """The unifiers, none an instance of another, or as they are found where few are wanted."""
        start = self._search.start
        if start is None:
            return
        compiled = self._one_sided(start)
        if compiled is not None:
            for match in compiled[0].match(compiled[1]):
                parts = {self._terms.leaf(v): self._terms.intern(t) for v, t in match.items()}
                yield from self._allowed({**start.bindings, **parts})
            self._search.ended = True
        elif self._is_elementary(start):
            yield from self._elementary(start)
            self._search.ended = True
        else:
            found = self._found() if few else minimal(self._search, self._is_large(start))
            for values in found:
                yield self._answer(dict(zip(self._search.variables, values, strict=True)))

    def _found(self) -> Iterator[tuple[Interned, ...]]:
        for values in self._search.solutions():
            if values is not None:
                self._search.budget.found()
                yield values

    def _answer(self, values: Bindings) -> Substitution:
        return {v.plain: value.plain for v, value in values.items() if value is not v}

    def _one_sided(self, state: State) -> tuple[Matcher, Interned] | None:
        """The pattern and the ground term that are to be equal, if that is all.

        Its matches are all solutions, and ground. A system would be quadratic in the width: each
        operand is an unknown, and each vector may be as long.
        """
        if len(state.equations) != 1 or state.rows:
            return None
        s, t = state.equations[0]
        if s.variables and t.variables:
            return None
        operator = operator_of((s, t))
        sums = operator is not None and operator.commutative and not operator.idempotent
        if sums and len(s.variables | t.variables) > _OPEN:
            return None
        pattern, sorts = s if s.variables else t, self._search.sorts
        compiled = Matcher(pattern, sorts) if sorts.variables else matcher(pattern)
        # What cancels is found by unification alone.
        return None if compiled.cancels else (compiled, t if s.variables else s)

    def _is_large(self, state: State) -> bool:
        """Whether the first sums to be solved have many choices."""
        if self._search.budget.is_bounded:
            return True  # whoever gives few steps wants a few unifiers
        sums: dict[Symbol, list[Equation]] = {}
        for equation in state.equations:
            operator = operator_of(equation)
            if operator is not None and operator.associative and operator.commutative:
                sums.setdefault(operator, []).append(equation)
        try:
            return any(
                len(list(islice(self._choices(operator, equations), _MANY))) == _MANY
                for operator, equations in sums.items()
            )
        except _TakesLong:
            return True

    def _choices(self, operator: Symbol, equations: Sequence[Equation]) -> Iterator[list[int]]:
        """The choices of a system, as far as they come soon."""
        budget = self._search.budget
        most = budget.spent + _LOOKED

        def tick(work: int) -> None:
            budget.tick(work)
            if budget.spent > most:
                raise _TakesLong

        return system(self._terms, operator, equations, tick).choices()

    def _system(self, operator: Symbol, equations: Sequence[Equation]) -> System:
        return system(self._terms, operator, equations, self._search.budget.tick)

    def _is_elementary(self, state: State) -> bool:
        """Whether all that is left is one system of one AC operator over variables and constants.

        Its choices of vectors are unifiers of which none is an instance of another: a basis vector
        is not a sum, or a join, of others.
        """
        if state.rows:
            return False
        operators = {operator_of(equation) for equation in state.equations}
        if len(operators) != 1:
            return not operators
        (operator,) = operators
        if operator is None or not (operator.associative and operator.commutative):
            return False
        sides = [side for equation in state.equations for side in equation]
        return all(side.symbol is not VARIABLE for side in sides) and all(
            not alien.variables for alien in aliens(operator, sides)
        )

    def _elementary(self, state: State) -> Iterator[Substitution]:
        """The unifiers of such a system, as plain terms at once."""
        if not state.equations:
            yield from self._allowed(state.bindings)
            return
        operator = operator_of(state.equations[0])
        assert operator is not None
        sorts = self._search.sorts
        solved = self._system(operator, state.equations)
        at = {atom: n for n, atom in enumerate(solved.atoms) if atom.symbol is VARIABLE}
        simple = not sorts.variables and all(v in at for v in self._search.variables)
        for chosen in solved.choices(solved.single(sorts, state.bindings)):
            parts = solved.parts(chosen)
            values = {v: tuple(parts[n]) for v, n in at.items()}
            if simple:
                self._search.budget.found()
                yield {v.plain: product(operator, parts) for v, parts in values.items()}
            else:
                terms = {v: self._terms.make(operator, parts) for v, parts in values.items()}
                yield from self._allowed({**state.bindings, **terms})

    def _allowed(self, bindings: Bindings) -> Iterator[Substitution]:
        """The answer that bindings make, unless a sort refuses it."""
        every = {v: bound(self._terms, v, bindings) for v in self._search.variables}
        if self._search.sorts.allow(partial(_value, every)):
            self._search.budget.found()
            yield self._answer(every)


def _value(values: Bindings, variable: Interned) -> Interned:
    return values.get(variable, variable)


@checked
def unify(
    equations: Pairs,
    theory: Theory,
    sorts: Mapping[Var, Sort] | None = None,
    steps: int | None = None,
) -> Unifiers:
    """The most general solutions of a system of equations modulo a theory.

    Parameters
    ----------
    equations
        Pairs of terms.
    theory
        What the operators obey.
    sorts
        For some variables, what they may be: a function of a plain term that returns False only
        where no instance of the term is allowed, and None where that is open (see `ground`).  It is
        asked as soon as the variable is bound, and never about a variable; the answers are those
        that would be left if it were asked of all.
    steps
        How many steps the search may take in all before it raises `Incomplete`; by default it may
        take many from each solution to the next.

    Returns
    -------
    Iterator of dict
        Substitutions from logic variable to plain term, in which variables that the equations do
        not have are new.

    Raises
    ------
    UnusableArgument
        For what are no pairs, and for what is no theory.

    Notes
    -----
    Free, C, CU, AC, ACU and idempotent operators, mixed freely: a complete set, lazily. While
    it is not large it is minimal; of a large set one unifier is left out only for an earlier one
    that is more general. The solutions of one equation, or system, of one such operator over
    variables and constants are minimal whatever their number.

    A and AU operators: complete sets may be infinite, and are enumerated fairly: every unifier has
    its turn. One Abelian group over variables and constants has one unifier.

    Examples
    --------
    >>> from unification import var
    >>> theory = Theory("sums").ac("add")
    >>> x, y, u, v = var("x"), var("y"), var("u"), var("v")
    >>> len(list(unify([(("add", x, y), ("add", u, v))], theory)))
    7
    """
    terms = store(theory)
    pairs = [(terms.intern(s), terms.intern(t)) for s, t in equations]
    return Unifiers(terms, pairs, Sorts(terms, sorts or {}), steps)


@checked
def is_complete(theory: Theory, equations: Pairs | None = None) -> bool:
    """Whether the set of unifiers is complete when `unify` has come to its end.

    Parameters
    ----------
    theory
        The theory.
    equations
        Asks about these equations only, instead of all.

    Returns
    -------
    bool
        False where an operator is associative and not commutative: sets may be infinite and are
        enumerated; and where a group's unit is the unit of another operator, too. Otherwise true:
        each step of the search keeps all solutions, as the guide shows.

    Examples
    --------
    >>> is_complete(Theory("sums").ac("add").ac("mul")), is_complete(Theory("words").a("cat"))
    (True, False)
    """
    if equations is not None:
        return _complete_for(store(theory), equations)
    known = [properties for _, properties in theory.items()]
    if any(one.associative and not one.commutative for one in known):
        return False
    return _units_differ(store(theory).symbols)


def _complete_for(terms: Store, equations: Iterable[tuple[Any, Any]]) -> bool:
    sides = [terms.intern(side) for pair in equations for side in pair]
    if any(has_words(side) for side in sides):
        return False
    symbols = {symbol.group or symbol for side in sides for symbol in _symbols(side)}
    # A head that is a variable may be any operator, and a sequence has an order.
    is_open = any(symbol.op is PAIR or symbol is APPLY for symbol in symbols)
    if is_open and any(symbol.inverse is not None for symbol in symbols):
        return False
    return _units_differ(symbols)


def _units_differ(symbols: Iterable[Symbol]) -> bool:
    """Whether no group shares its unit with another operator."""
    several = [symbol for symbol in symbols if symbol.unit is not None]
    units = Counter(symbol.unit for symbol in several)
    return all(symbol.inverse is None or units[symbol.unit] == 1 for symbol in several)


def _symbols(term: Interned) -> Iterator[Symbol]:
    """The symbols of a term's applications that are not ground."""
    for one in operands_first(term):
        if one.variables and one.symbol is not VARIABLE:
            yield one.symbol
