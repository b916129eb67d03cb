"""The steps of unification that branch: permutations, Diophantine choices, units, words, groups.

References
----------
M. E. Stickel, "A unification algorithm for associative-commutative functions", JACM 28, 1981.
A. Boudet, E. Contejean, H. Devie, "A new AC unification algorithm with an algorithm for solving
systems of Diophantine equations", LICS 1990.
F. Fages, "Associative-commutative unification", JSC 3, 1987 (termination).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from unification import var

from kanrewrite.ac.associative import word_steps
from kanrewrite.ac.bags import operands
from kanrewrite.ac.diophantine import basis, covers
from kanrewrite.ac.groups import group_steps
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.states import Equation, State, aliens, compatible, may_change, operator_of
from kanrewrite.ac.syntax import PAIR
from kanrewrite.ac.terms import Store
from kanrewrite.ac.words import may_be_soluble


def branch(terms: Store, state: State) -> Iterator[State]:
    """The states one choice further, which together have the solutions of a simplified one.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        A state that `kanrewrite.ac.states.simplify` returned, with equations left.
    """
    by_operator: dict[Symbol, list[Equation]] = {}
    for equation in state.equations:
        operator = operator_of(equation)
        assert operator is not None
        by_operator.setdefault(operator, []).append(equation)
    operator = min(by_operator, key=_difficulty)
    chosen = _next(operator, by_operator[operator])
    if not chosen:
        return iter(())
    rest = tuple(equation for equation in state.equations if equation not in chosen)
    left = State(rest, state.bindings, state.rigid)
    if any(side.symbol.op is PAIR for side in chosen[0]):
        return _ordered(terms, left, *chosen[0])
    cyclic = _cyclic(operator, chosen)
    if cyclic is not None:
        variable, product, others = cyclic
        return _collapsed(terms, left.with_equations(*others), product, variable)
    if not operator.associative:
        return _commutative(terms, left, *chosen[0])
    for alien in aliens(operator, [side for equation in chosen for side in equation]):
        if may_change(alien) and alien.variables and alien not in state.rigid:
            return _unit_choices(terms, left, operator, chosen, alien)
    if operator.inverse is not None:
        return group_steps(terms, left, operator, chosen)
    if operator.commutative:
        return _system(left, System(terms, operator, chosen))
    return word_steps(terms, left, operator, *chosen[0])


def _next(operator: Symbol, equations: list[Equation]) -> list[Equation]:
    """The equations of an operator to be solved together, none if they cannot be.

    One permutation or one word at a time; sums and products as a system.
    """
    pairs = [pair for pair in equations if any(side.symbol.op is PAIR for side in pair)]
    if pairs:
        return pairs[:1]
    if operator.associative and operator.commutative:
        return equations
    if operator.associative:
        return sorted(equations, key=_openness)[:1] if may_be_soluble(operator, equations) else []
    return equations[:1]


def _openness(equation: Equation) -> tuple[bool, int]:
    """Equations with a side that is known come first, then short ones."""
    s, t = equation
    return bool(s.variables and t.variables), len(s.args) + len(t.args)


def _cyclic(
    operator: Symbol, equations: Sequence[Equation]
) -> tuple[Interned, Interned, list[Equation]] | None:
    """A variable equal to a product although another holds it, the product, the other equations."""
    if operator.inverse is not None:
        return None
    sides = [side for equation in equations for side in equation]
    for side in sides:
        if side.symbol is VARIABLE and any(side in o.variables for o in sides if side is not o):
            cyclic = next(pair for pair in equations if side in pair)
            product = cyclic[0] if cyclic[1] is side else cyclic[1]
            return side, product, [pair for pair in equations if pair is not cyclic]
    return None


def _difficulty(operator: Symbol) -> int:
    """Commutative operators branch least, then sums and products; words may not end.

    Groups are last: when nothing else is to be solved, operands with other heads are constants.
    """
    if not operator.associative:
        return 0
    if operator.inverse is not None:
        return 3
    return 1 if operator.commutative else 2


def _ordered(terms: Store, state: State, s: Interned, t: Interned) -> Iterator[State]:
    """Read a commutative application as a sequence, in every order of its operands."""
    pair, whole = (s, t) if s.symbol.op is PAIR else (t, s)
    op = whole.symbol.op
    for order in dict.fromkeys(permutations(whole.args)):
        rest = terms.intern(tuple(arg.plain for arg in order))
        yield state.with_equations((pair.args[0], terms.leaf(op)), (pair.args[1], rest))


def _collapses(
    terms: Store, product: Interned, rigid: frozenset[Interned]
) -> Iterator[tuple[Interned, list[Equation]]]:
    """What a product is if all operands but one are its unit, with the equations that say so."""
    group = product.symbol if product.symbol.inverse is not None else product.symbol.group
    if group is not None:
        yield from _cancellations(terms, group, product, rigid)
        return
    unit = product.symbol.unit
    if unit is None:
        return
    once = [arg for arg, count in Counter(product.args).items() if count == 1]
    for kept in once or [unit]:
        yield kept, [(arg, unit) for arg in dict.fromkeys(product.args) if arg is not kept]


def _collapsed(terms: Store, state: State, product: Interned, other: Interned) -> Iterator[State]:
    """Equate a product that collapses with another term."""
    for kept, units in _collapses(terms, product, state.rigid):
        yield state.with_equations(*units, (kept, other))


def _cancellations(
    terms: Store, group: Symbol, product: Interned, rigid: frozenset[Interned]
) -> Iterator[tuple[Interned, list[Equation]]]:
    """What a product of a group is if its operands cancel: an operand, or all that is left.

    What is left is named once for each variable: two groups in turn would do so forever.
    """
    assert group.unit is not None
    args = Counter(operands(group, product))
    for kept in args:
        if kept.symbol is not group.inverse and kept.symbol is not VARIABLE:
            rest = (args - Counter([kept])).elements()
            yield kept, [(terms.make(group, tuple(rest)), group.unit)]
    for part, times in args.items():
        bare = part.args[0] if part.symbol is group.inverse else part
        others = args - Counter([part])
        free = bare.symbol is VARIABLE and bare not in rigid and times == 1
        if free and all(bare not in other.variables for other in others):
            left = terms.leaf(var(prefix="u"))
            against = [terms.invert(group, other) for other in others.elements()]
            value = terms.make(group, (left, *against))
            yield left, [(bare, value if part is bare else terms.invert(group, value))]
            return
    yield group.unit, [(product, group.unit)]


def _unit_choices(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation], alien: Interned
) -> Iterator[State]:
    """Decide whether an operand with a unit keeps its head."""
    whole = state.with_equations(*equations)
    yield State(whole.equations, whole.bindings, whole.rigid | {alien})
    for kept, units in _collapses(terms, alien, state.rigid):
        changed = []
        for equation in equations:
            s, t = (_replaced(terms, operator, side, alien, kept) for side in equation)
            changed.append((s, t))
        longer = state.with_equations(*units, *changed)
        if kept.symbol is VARIABLE and kept not in alien.variables:
            longer = State(longer.equations, longer.bindings, longer.rigid | {kept})
        yield longer


def _replaced(
    terms: Store, operator: Symbol, side: Interned, old: Interned, new: Interned
) -> Interned:
    """A product with another operand in the place of one."""
    args = []
    for part in operands(operator, side):
        if part is old:
            args.append(new)
        elif operator.inverse is not None and part.symbol is operator.inverse and old in part.args:
            args.append(terms.invert(operator, new))
        else:
            args.append(part)
    return terms.make(operator, args)


def _commutative(terms: Store, state: State, s: Interned, t: Interned) -> Iterator[State]:
    """Pair the operands of two commutative applications in every way."""
    if s.symbol is t.symbol and len(s.args) == len(t.args):
        for order in dict.fromkeys(permutations(t.args)):
            yield state.with_equations(*zip(s.args, order, strict=True))
    for side, other in ((s, t), (t, s)):
        if side.variables:
            yield from _collapsed(terms, state, side, other)


def _system(state: State, system: System) -> Iterator[State]:
    """Solve all equations between sums of one operator at once (Stickel 1981).

    A variable that is an operand of another operator too is one operand here, or else is one there.
    The first is tried first: what the other operator must solve then has no more operands.
    """
    shared = [
        n
        for n, atom in enumerate(system.atoms)
        if atom.symbol is VARIABLE and _is_operand(atom, state.equations)
    ]
    if system.operator.unit is not None:
        shared = []
    for chosen in system.choices(frozenset(shared)):
        yield state.with_equations(*system.solution(chosen))
    for n, several in enumerate(shared):
        for chosen in system.choices(frozenset(shared[:n]), several):
            yield state.with_equations(*system.solution(chosen))


def _is_operand(variable: Interned, equations: Sequence[Equation]) -> bool:
    return any(variable in side.args for equation in equations for side in equation)


class System:
    """Equations between products of one AC operator, as a linear Diophantine system.

    Parameters
    ----------
    terms
        Where the terms are interned.
    operator
        The operator.
    equations
        Products on both sides; whatever has another head is an unknown that is taken once.
    """

    def __init__(self, terms: Store, operator: Symbol, equations: Sequence[Equation]):
        self.terms = terms
        self.operator = operator
        rows: list[Counter[Interned]] = []
        for s, t in equations:
            row = Counter(operands(operator, s))
            row.subtract(Counter(operands(operator, t)))
            rows.append(row)
        #: The unknowns: variables, and operands with another head.
        self.atoms = list(dict.fromkeys(atom for row in rows for atom in row))
        self.fixed = [k for k, atom in enumerate(self.atoms) if atom.symbol is not VARIABLE]
        self.vectors = basis(
            [tuple(row[atom] for row in rows) for atom in self.atoms],
            [1 if k in set(self.fixed) else None for k in range(len(self.atoms))],
            self._is_possible,
        )
        self._values: dict[int, Interned] = {}

    def _is_possible(self, vector: tuple[int, ...]) -> bool:
        """Whether the operands that a vector makes equal might be, and no variable holds itself."""
        present = [self.atoms[k] for k in self.fixed if vector[k]]
        if any(n and self.atoms[k] in s.variables for s in present for k, n in enumerate(vector)):
            return False
        return len(present) < 2 or all(
            compatible(s, t) for n, s in enumerate(present) for t in present[:n]
        )

    def choices(
        self, single: frozenset[int] = frozenset(), several: int | None = None
    ) -> Iterator[list[int]]:
        """The sets of basis vectors that give every unknown a value.

        Parameters
        ----------
        single
            The positions of variables that are one operand.
        several
            The position of a variable that is not.
        """
        optional = self.operator.unit is not None
        exact = single.union(self.fixed)
        usable = [k for k, vector in enumerate(self.vectors) if all(vector[n] <= 1 for n in exact)]
        vectors = [self.vectors[k] for k in usable]
        for chosen in covers(vectors, len(self.atoms), exact, optional):
            if several is None or sum(vectors[k][several] for k in chosen) > 1:
                yield [usable[k] for k in chosen]

    def value(self, k: int) -> Interned:
        """What a basis vector stands for: the operand it holds, or a fresh variable."""
        known = self._values.get(k)
        if known is None:
            vector = self.vectors[k]
            held = next((self.atoms[n] for n in self.fixed if vector[n]), None)
            known = held or self.terms.leaf(var(prefix="u"))
            self._values[k] = known
        return known

    def solution(self, chosen: Sequence[int]) -> list[Equation]:
        """The equations that a set of basis vectors leaves: values, and operands to unify."""
        found: list[Equation] = []
        for n, atom in enumerate(self.atoms):
            parts = [self.value(k) for k in chosen for _ in range(self.vectors[k][n])]
            if atom.symbol is not VARIABLE:
                if parts[0] is not atom:
                    found.append((atom, parts[0]))
            else:
                found.append((atom, self.terms.make(self.operator, parts)))
        return found
