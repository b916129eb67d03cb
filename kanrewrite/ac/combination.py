"""Groups beside other operators: what one takes for a constant, the other may have to change.

Equations are separated, and those of the other operators are solved first. A term of theirs then is
a constant to a group; variables are its unknowns. Where that has a solution in which no variable
leads back to itself, it is most general. Where it has none, in each solution two of the constants
are equal, or one is a product of the group: then it collapses, and is a constant to the other
operators. Each of these is tried. There are finitely many names between the theories, so this ends:
what Baader and Schulz guess first is asked for here.

References
----------
F. Baader, K. U. Schulz, "Unification in the union of disjoint equational theories", JSC 21, 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from kanrewrite.ac.bags import operands
from kanrewrite.ac.cycles import acyclic
from kanrewrite.ac.groups import Bindings, Linear, Row, eliminated, row_of, without_cycles
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.replacing import Held
from kanrewrite.ac.separation import holds_products, is_product_of, released
from kanrewrite.ac.states import Equation, State, bound, compatible, may_change
from kanrewrite.ac.terms import Store


def forced(terms: Store, state: State, tick: Callable[[int], object]) -> list[Equation] | None:
    """What the groups' equations leave no choice about, None where they have no solution.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        A simplified state.
    tick
        Called for each part of the work; it may raise.
    """
    return _Combination(terms, state, tick).forced()


def group_steps(terms: Store, state: State, tick: Callable[[int], object]) -> Iterator[State]:
    """The states one choice further, where only groups' equations are left.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        Such a state.
    tick
        Called for each part of the work; it may raise.
    """
    return _Combination(terms, state, tick).steps()


class _Combination:
    """The groups' equations of a state, under what it binds."""

    def __init__(self, terms: Store, state: State, tick: Callable[[int], object]):
        self._terms = terms
        self._state = state
        self._tick = tick
        self._rows: dict[Symbol, list[Row]] = {}
        for group, s, t in state.rows:
            self._rows.setdefault(group, []).append(self._read(group, s, t))
        self._fixed = {
            group: {self._bound(one) for one, its in state.outside if its is group}
            for group in self._rows
        }

    def _bound(self, term: Interned) -> Interned:
        return bound(self._terms, term, self._state.bindings, self._tick)

    def _read(self, group: Symbol, s: Interned, t: Interned) -> Row:
        """The exponents of what operands are: those of another group's products are constants."""
        row: Row = {}
        for atom, times in row_of(group, s, t).items():
            for part in operands(group, self._bound(atom)):
                inverse = part.symbol is group.inverse
                bare = part.args[0] if inverse else part
                if bare.symbol.op == Held(group):
                    (bare,) = bare.args
                row[bare] = row.get(bare, 0) + (-times if inverse else times)
        self._tick(len(row))
        return {atom: times for atom, times in row.items() if times}

    def forced(self) -> list[Equation] | None:
        """Variables that are ground in all solutions, None where there is none."""
        found: list[Equation] = []
        held = set(map(self._bound, self._state.held))
        for group, rows in self._rows.items():
            solved, stuck = eliminated(self._terms, group, rows, self._fixed[group])
            if solved is None:
                if not any(self._ways(group, stuck)):
                    return None
                continue
            atoms = {atom for row in rows for atom in row}  # what is new is bound to nothing else
            known = [(v, value) for v, value in solved if v in atoms and not value.variables]
            if any(v in held and not is_product_of(group, value) for v, value in known):
                return None
            found.extend(known)
        return found

    def steps(self) -> Iterator[State]:
        """The states one choice further, the solved one alone if there is any."""
        state = self._state
        if any(holds_products(one) for rows in self._rows.values() for row in rows for one in row):
            # What an operator is was found out, and that it is a group's.
            again = [(self._bound(s), self._bound(t)) for _, s, t in state.rows]
            yield replace(state.with_equations(*again), rows=())
            return
        shared = self._shared()
        solved = self._solved(shared)
        if solved is not None:
            yield self._ended(solved)
        elif shared:
            v, several = next(iter(shared.items()))
            for one in several:
                outside = state.outside.union((v, other) for other in several if other is not one)
                yield replace(state, outside=outside)
        else:
            yield from self._tried(*self._choices())

    def _shared(self) -> dict[Interned, list[Symbol]]:
        """The unknowns of several groups, that whose product it names first."""
        found: dict[Interned, list[Symbol]] = {}
        for group, rows in self._rows.items():
            for v in dict.fromkeys(atom for row in rows for atom in row):
                if v.symbol is VARIABLE and v not in self._fixed[group]:
                    found.setdefault(v, []).append(group)
        mine = {name: one.symbol for one, name in self._state.names.items()}
        for v, several in found.items():
            several.sort(key=lambda group: mine.get(v) not in (group, group.inverse))
        return {v: several for v, several in found.items() if len(several) > 1}

    def _solved(self, shared: dict[Interned, list[Symbol]]) -> Bindings | None:
        """The unknowns' values, none of which holds its unknown: each is one group's here."""
        fixed = {
            group: known.union(v for v, several in shared.items() if group is not several[0])
            for group, known in self._fixed.items()
        }
        inside = frozenset[Interned]().union(
            *(
                atom.variables
                for group, rows in self._rows.items()
                for row in rows
                for atom in row
                if atom.symbol is not VARIABLE or atom in fixed[group]
            )
        )
        # Variables within constants are left alone where the others suffice: no cycles then.
        for kept in (inside, frozenset[Interned]()):
            found = [
                eliminated(self._terms, group, rows, fixed[group] | kept)[0]
                for group, rows in self._rows.items()
            ]
            bindings = [pair for solved in found for pair in solved or ()]
            if None not in found and acyclic(bindings):
                return bindings
        if None in found:
            return None
        systems = [Linear(group, rows, fixed[group]) for group, rows in self._rows.items()]
        return without_cycles(self._terms, systems, self._tick)

    def _ended(self, solved: Bindings) -> State:
        """The state with values for all unknowns."""
        state = self._state
        bindings = {**state.bindings, **dict(solved)}
        if state.held:
            bindings = {v: released(self._terms, value) for v, value in bindings.items()}
        return replace(state, rows=(), bindings=bindings, held=frozenset(), outside=frozenset())

    def _choices(self) -> tuple[list[Equation], list[tuple[Interned, Symbol]]]:
        """Terms of which two may be equal, and those that may be products of a group."""
        for group, rows in self._rows.items():
            _, stuck = eliminated(self._terms, group, rows, self._fixed[group])
            if stuck:
                return self._ways(group, stuck)
        pairs: dict[Equation, None] = {}
        products: dict[tuple[Interned, Symbol], None] = {}
        systems = [Linear(group, rows, self._fixed[group]) for group, rows in self._rows.items()]
        unknown = [v for system in systems for v in system.unknowns]
        for system in systems:
            known = system.constants
            several = [
                one for one in known if one.symbol is VARIABLE or isinstance(one.symbol.op, Held)
            ]
            whole = [one for one in known if one.variables and one.symbol.collapses]
            pairs.update(dict.fromkeys(combinations(known, 2)))
            pairs.update(dict.fromkeys((v, one) for v in several for one in system.unknowns))
            inside = ((v, one) for one in whole for v in unknown if v in one.variables)
            pairs.update(dict.fromkeys(inside))
            products.update(dict.fromkeys((one, system.operator) for one in whole))
        return (
            [pair for pair in pairs if self._may_equal(*pair)],
            [one for one in products if self._may_be_product(*one)],
        )

    def _ways(
        self, group: Symbol, stuck: Sequence[Interned]
    ) -> tuple[list[Equation], list[tuple[Interned, Symbol]]]:
        """The same where constants must vanish.

        Each equals another one, or one of them is a product that holds it.
        """
        known = [one for one in stuck if one.variables]  # ground constants differ
        equal = (
            [
                (one, other)
                for other in (stuck if one.variables else known)
                if other is not one and self._may_equal(one, other)
            ]
            for one in stuck
        )
        whole = [(one, group) for one in stuck if self._may_be_product(one, group)]
        return min(equal, key=len), whole

    def _may_equal(self, one: Interned, other: Interned) -> bool:
        if VARIABLE in (one.symbol, other.symbol):
            return True
        return may_change(one) or may_change(other) or compatible(one, other)

    def _may_be_product(self, one: Interned, group: Symbol) -> bool:
        return bool(one.variables) and one.symbol.collapses and one not in self._fixed[group]

    def _tried(
        self, pairs: Sequence[Equation], products: Sequence[tuple[Interned, Symbol]]
    ) -> Iterator[State]:
        """The states in which a choice is made, and those before it are not."""
        state = self._state
        for pair in pairs:
            yield state.with_equations(pair)
            state = replace(state, distinct=state.distinct | {pair})
        for one, group in products:
            yield state.with_product(self._terms, one, group)
            state = replace(state, outside=state.outside | {(one, group)})
