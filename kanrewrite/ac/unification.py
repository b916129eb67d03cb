"""Unification modulo a theory: minimal complete sets of unifiers, as lazy streams."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from unification import Var

from kanrewrite.ac.bags import product
from kanrewrite.ac.choices import System, branch
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol, text
from kanrewrite.ac.minimal import minimal
from kanrewrite.ac.shape import operands_first
from kanrewrite.ac.states import Bindings, State, aliens, bound, operator_of, simplify
from kanrewrite.ac.terms import Store, store
from kanrewrite.errors import EndlessSet
from kanrewrite.theory import Theory

Substitution = dict[Var, Any]
#: How many steps of a search `list` waits for its end before it is called endless.
_PATIENCE = 10_000


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
    """

    def __init__(self, terms: Store, equations: list[tuple[Interned, Interned]]):
        self._terms = terms
        self._search = Search(terms, equations)
        self._stream = self._search.unifiers()

    def __iter__(self) -> Unifiers:
        return self

    def __next__(self) -> Substitution:
        return next(self._stream)

    def __length_hint__(self) -> int:
        """Called by ``list``, which needs the end: where there may be none, patience is limited."""
        self._search.patience = _PATIENCE
        return 0


class Search:
    """The search for the unifiers of one system.

    Parameters
    ----------
    terms
        Where the equations are interned.
    equations
        The system.

    Attributes
    ----------
    fair
        Whether the search may have endless branches, and so takes turns between them.
    ended
        Whether every branch has been seen to its end.
    """

    def __init__(self, terms: Store, equations: list[tuple[Interned, Interned]]):
        self.terms = terms
        self.ended = False
        #: How many steps more are allowed, where the caller cannot do without the end.
        self.patience: int | None = None
        self.variables = sorted(
            {v for pair in equations for side in pair for v in side.variables},
            key=lambda v: v.serial,
        )
        self.equations = equations
        self.fair = any(_has_words(side) for pair in equations for side in pair)
        self._start = simplify(terms, State(tuple(equations), {}))

    def unifiers(self) -> Iterator[Substitution]:
        """The unifiers, none an instance of another."""
        start = self._start
        if start is None:
            self.ended = True
        elif self._is_elementary(start):
            yield from self._elementary(start)
            self.ended = True
        else:
            solutions = self._solutions(start)
            for values in minimal(self.terms, solutions, lambda: self.ended, self.fair):
                yield self._answer(dict(zip(self.variables, values, strict=True)))

    def _answer(self, values: Bindings) -> Substitution:
        return {v.plain: value.plain for v, value in values.items() if value is not v}

    def _solutions(self, start: State) -> Iterator[tuple[Interned, ...] | None]:
        """The values of the variables in each solution; None for a step without one."""
        pending: deque[Iterator[State]] = deque([iter((start,))])
        found_before = 0
        while pending:
            if self.patience is not None and self.fair:
                self.patience -= 1
                if self.patience < 0:
                    raise EndlessSet(self.terms.theory.name, self._text(), found_before)
            # First in, first out takes turns between branches; last in, first out is lean.
            states = pending.popleft() if self.fair else pending.pop()
            found = next(states, None)
            if found is None:
                continue
            pending.append(states)
            state = simplify(self.terms, found)
            if state is None:
                yield None
            elif state.equations:
                pending.append(branch(self.terms, state))
                yield None
            else:
                found_before += 1
                yield tuple(bound(self.terms, v, state.bindings) for v in self.variables)
        self.ended = True

    def _text(self) -> str:
        return ", ".join(f"{text(s.plain)} = {text(t.plain)}" for s, t in self.equations)

    def _is_elementary(self, state: State) -> bool:
        """Whether all that is left is one system of one AC operator over variables and constants.

        Its Diophantine choices are unifiers of which none is an instance of another: a basis vector
        is not a sum of others.
        """
        operators = {operator_of(equation) for equation in state.equations}
        if len(operators) != 1:
            return not operators
        (operator,) = operators
        if operator is None or not (operator.associative and operator.commutative):
            return False
        sides = [side for equation in state.equations for side in equation]
        return (
            operator.inverse is None
            and all(side.symbol is not VARIABLE for side in sides)
            and all(not alien.variables for alien in aliens(operator, sides))
        )

    def _elementary(self, state: State) -> Iterator[Substitution]:
        """The unifiers of such a system, as plain terms at once."""
        if not state.equations:
            yield self._answer({v: bound(self.terms, v, state.bindings) for v in self.variables})
            return
        operator = operator_of(state.equations[0])
        assert operator is not None
        system = System(self.terms, operator, state.equations)
        inner = [atom for atom in system.atoms if atom.symbol is VARIABLE]
        simple = all(v in inner for v in self.variables)
        columns = {v: [vector[system.atoms.index(v)] for vector in system.vectors] for v in inner}
        for chosen in system.choices():
            values = {
                v: tuple(system.value(k) for k in chosen for _ in range(column[k]))
                for v, column in columns.items()
            }
            if simple:
                yield {v.plain: product(operator, parts) for v, parts in values.items()}
            else:
                terms = {v: self.terms.make(operator, parts) for v, parts in values.items()}
                bindings = {**state.bindings, **terms}
                yield self._answer({v: bound(self.terms, v, bindings) for v in self.variables})


def _has_words(term: Interned) -> bool:
    return any(
        one.symbol.associative and not one.symbol.commutative for one in operands_first(term)
    )


def unify(equations: Iterable[tuple[Any, Any]], theory: Theory) -> Unifiers:
    """The most general solutions of a system of equations modulo a theory.

    Parameters
    ----------
    equations
        Pairs of terms.
    theory
        What the operators obey.

    Returns
    -------
    Iterator of dict
        Substitutions from logic variable to plain term, in which variables that the equations do
        not have are new.

    Notes
    -----
    Free, C, CU, AC and ACU operators, mixed freely: a complete set, lazily. While it is not large
    it is minimal; of a large set one unifier is left out only for an earlier one that is more
    general. The solutions of one equation, or system, of one AC or ACU operator over variables and
    constants are minimal whatever their number.

    A and AU operators: complete sets may be infinite, and are enumerated fairly: every unifier has
    its turn. Operators with an inverse: see `is_complete`.

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
    return Unifiers(terms, pairs)


def is_complete(theory: Theory, equations: Iterable[tuple[Any, Any]] | None = None) -> bool:
    """Whether `unify` ends with a complete set modulo a theory.

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
        enumerated. With inverses, true if one Abelian group is all there is, with constants:
        its unifier is unique; what combines it with other operators is sound and may miss some.

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
    return len(known) == 1 or all(one.inverse is None for one in known)


def _complete_for(terms: Store, equations: Iterable[tuple[Any, Any]]) -> bool:
    sides = [terms.intern(side) for pair in equations for side in pair]
    if any(_has_words(side) for side in sides):
        return False
    symbols = {symbol for side in sides for symbol in _symbols(side)}
    if all(symbol.inverse is None and symbol.group is None for symbol in symbols):
        return True
    groups = {symbol.group or symbol for symbol in symbols}
    return len(groups) == 1


def _symbols(term: Interned) -> Iterator[Symbol]:
    """The symbols of a term's applications that are not ground."""
    for one in operands_first(term):
        if one.variables and one.symbol is not VARIABLE:
            yield one.symbol
