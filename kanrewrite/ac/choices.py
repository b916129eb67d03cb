"""The steps of unification that branch: permutations, Diophantine choices, units, words, groups.

References
----------
M. E. Stickel, "A unification algorithm for associative-commutative functions", JACM 28, 1981.
A. Boudet, E. Contejean, H. Devie, "A new AC unification algorithm with an algorithm for solving
systems of Diophantine equations", LICS 1990.
F. Fages, "Associative-commutative unification", JSC 3, 1987 (termination).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kanrewrite.ac.associative import word_steps
from kanrewrite.ac.bags import operands, orders
from kanrewrite.ac.collapsing import collapses
from kanrewrite.ac.combination import group_steps
from kanrewrite.ac.idempotent import Joins
from kanrewrite.ac.identified import identifications
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.separation import is_product
from kanrewrite.ac.sorts import Sorts
from kanrewrite.ac.states import Equation, State, aliens, bound, compatible, may_change, operator_of
from kanrewrite.ac.syntax import PAIR
from kanrewrite.ac.systems import Sums, System
from kanrewrite.ac.terms import Store
from kanrewrite.ac.words import may_be_soluble


def branch(
    terms: Store, state: State, sorts: Sorts, tick: Callable[[int], object]
) -> Iterator[State]:
    """The states one choice further, which together have the solutions of a simplified one.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        A state that `kanrewrite.ac.states.simplify` returned, with equations left.
    sorts
        What some variables may be.
    tick
        Called for each part of a choice that may take long.
    """
    if not state.equations:
        return group_steps(terms, state, tick)
    by_operator: dict[Symbol, list[Equation]] = {}
    for equation in state.equations:
        operator = operator_of(equation)
        assert operator is not None
        by_operator.setdefault(operator, []).append(equation)
    identified = identifications(terms, state, by_operator)
    if identified is not None:
        return identified
    operator = min(by_operator, key=_difficulty)
    chosen = _next(operator, by_operator[operator])
    if not chosen:
        return iter(())
    rest = tuple(equation for equation in state.equations if equation not in chosen)
    left = replace(state, equations=rest)
    if any(side.symbol.op is PAIR for side in chosen[0]):
        return _ordered(terms, left, *chosen[0])
    cyclic = _cyclic(operator, chosen)
    if cyclic is not None:
        variable, product, others = cyclic
        return _collapsed(left.with_equations(*others), product, variable)
    if not operator.associative:
        return _commutative(terms, left, *chosen[0])
    decided = _decided(terms, left, operator, chosen)
    if decided is not None:
        return decided
    if operator.commutative:
        every = system(terms, operator, chosen, tick)
        return _solved(left, every, every.single(sorts, state.bindings))
    return word_steps(terms, left, operator, *chosen[0])


def _decided(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation]
) -> Iterator[State] | None:
    """Decide what an operand is that may lose its head, None where all of that is known."""
    held = _products(terms, state, operator, equations)
    if held is not None:
        return held
    for alien in aliens(operator, [side for equation in equations for side in equation]):
        if may_change(alien) and alien.variables:
            if alien not in state.rigid:
                return _unit_choices(terms, state, operator, equations, alien)
            absorbed = _absorbed(terms, state, operator, equations, alien)
            if absorbed is not None:
                return absorbed
    return None


def _products(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation]
) -> Iterator[State] | None:
    """Decide whether an operand that was written as a product of a group is one."""
    names = {bound(terms, name, state.bindings): one for one, name in state.names.items()}
    outside = {(bound(terms, one, state.bindings), group) for one, group in state.outside}
    for side in (side for pair in equations for side in pair):
        for part in operands(operator, side):
            if part in names and part.symbol is VARIABLE:
                symbol = names[part].symbol
                group = symbol.group or symbol
                choice = part, group
                if is_product(names[part]) and choice not in outside:
                    whole = state.with_equations(*equations)
                    other = replace(whole, outside=whole.outside | {choice})
                    return iter((whole.with_product(terms, part, group), other))
    return None


def system(
    terms: Store, operator: Symbol, equations: Sequence[Equation], tick: Callable[[int], object]
) -> System:
    """The system of the equations between products of an associative-commutative operator.

    Parameters
    ----------
    terms
        Where the terms are interned.
    operator
        The operator, idempotent or not.
    equations
        Products on both sides.
    tick
        Called for each part of its solution.
    """
    return (Joins if operator.idempotent else Sums)(terms, operator, equations, tick)


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
    if operator.idempotent:
        return None
    sides = [side for equation in equations for side in equation]
    for side in sides:
        if side.symbol is VARIABLE and any(side in o.variables for o in sides if side is not o):
            cyclic = next(pair for pair in equations if side in pair)
            product = cyclic[0] if cyclic[1] is side else cyclic[1]
            return side, product, [pair for pair in equations if pair is not cyclic]
    return None


def _difficulty(operator: Symbol) -> int:
    """Commutative operators branch least, then sums and products, then joins; words may not end."""
    if not operator.associative:
        return 0
    if not operator.commutative:
        return 3
    return 2 if operator.idempotent else 1


def _ordered(terms: Store, state: State, s: Interned, t: Interned) -> Iterator[State]:
    """Read a commutative application as a sequence, in every order of its operands."""
    pair, whole = (s, t) if s.symbol.op is PAIR else (t, s)
    op = whole.symbol.op
    for order in orders(whole.args, [whole.args] * len(whole.args)):
        rest = terms.intern(tuple(arg.plain for arg in order))
        yield state.with_equations((pair.args[0], terms.leaf(op)), (pair.args[1], rest))


def _collapsed(state: State, product: Interned, other: Interned) -> Iterator[State]:
    """Equate a product that collapses with another term."""
    for kept, units in collapses(product):
        yield state.with_equations(*units, (kept, other))


def _unit_choices(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation], alien: Interned
) -> Iterator[State]:
    """Decide whether an operand with a unit keeps its head."""
    whole = state.with_equations(*equations)
    yield replace(whole, rigid=whole.rigid | {alien})
    for kept, units in collapses(alien):
        longer = _with_other(terms, state, operator, equations, alien, kept, units)
        if kept.symbol is VARIABLE and kept not in alien.variables:
            longer = replace(longer, rigid=longer.rigid | {kept})
        yield longer


def _with_other(
    terms: Store,
    state: State,
    operator: Symbol,
    equations: Sequence[Equation],
    alien: Interned,
    kept: Interned,
    units: Sequence[Equation],
) -> State:
    """Equations in which another term stands for an operand, and what that takes."""
    changed = []
    for equation in equations:
        s, t = (_replaced(terms, operator, side, alien, kept) for side in equation)
        changed.append((s, t))
    return state.with_equations(*units, *changed)


def _absorbed(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation], alien: Interned
) -> Iterator[State] | None:
    """Decide whether a join is a variable that it holds, None where that has been decided."""
    held = {part for pair in equations for side in pair for part in operands(operator, side)}
    for v, units in _absorbing(alien):
        key = (alien, *units)
        if key not in state.apart and (v in held or len(units) > 1):
            whole = state.with_equations(*equations)
            other = replace(whole, apart=whole.apart | {key})
            return iter((_with_other(terms, state, operator, equations, alien, v, units), other))
    return None


def _absorbing(join: Interned) -> Iterator[tuple[Interned, list[Equation]]]:
    """The variables that may be all of a join, as they hold the others, with what that takes.

    A variable within an operand can only if that operand is the variable: else it would be larger.
    """
    stack: list[tuple[Interned, list[Equation]]] = []
    if join.symbol.idempotent:
        stack.extend((arg, []) for arg in join.args)
    while stack:
        one, units = stack.pop()
        if one.symbol is VARIABLE:
            yield one, [*units, (one, join)]
        elif one.symbol is join.symbol:
            stack.extend((arg, units) for arg in one.args)
        elif one.variables and one.symbol.collapses:
            inner = collapses(one)
            stack.extend((kept, [*units, *more]) for kept, more in inner)


def _replaced(
    terms: Store, operator: Symbol, side: Interned, old: Interned, new: Interned
) -> Interned:
    """A product with another operand in the place of one."""
    args = [new if part is old else part for part in operands(operator, side)]
    return terms.make(operator, args)


def _commutative(terms: Store, state: State, s: Interned, t: Interned) -> Iterator[State]:
    """Pair the operands of two commutative applications in every way."""
    symbol = s.symbol
    if symbol is t.symbol and len(s.args) == len(t.args):
        partners = [[other for other in t.args if _may_equal(one, other)] for one in s.args]
        if symbol.unit is not None or len(s.args) == 2:
            for order in orders(t.args, partners):
                yield state.with_equations(*zip(s.args, order, strict=True))
        else:
            at = min(range(len(partners)), key=lambda k: len(partners[k]))
            for other in dict.fromkeys(partners[at]):
                left = terms.build(symbol, s.args[:at] + s.args[at + 1 :])
                gone = t.args.index(other)
                right = terms.build(symbol, t.args[:gone] + t.args[gone + 1 :])
                yield state.with_equations((s.args[at], other), (left, right))
    for side, other in ((s, t), (t, s)):
        if side.variables:
            yield from _collapsed(state, side, other)


def _may_equal(s: Interned, t: Interned) -> bool:
    """Whether two operands might be equal (true where it is not obvious)."""
    if s is t or VARIABLE in (s.symbol, t.symbol) or may_change(s) or may_change(t):
        return True
    return compatible(s, t)


def _solved(state: State, system: System, single: frozenset[int]) -> Iterator[State]:
    """Solve all equations between sums of one operator at once (Stickel 1981).

    A variable that is an operand of another operator too is one operand here, or else is one there.
    The first is tried first: what the other operator must solve then has no more operands.
    """
    shared = [
        n
        for n, atom in enumerate(system.atoms)
        if atom.symbol is VARIABLE and n not in single and _is_operand(atom, state)
    ]
    if system.operator.collapses:
        shared = []
    for chosen in system.choices(single.union(shared)):
        yield state.with_equations(*system.solution(chosen))
    for n, several in enumerate(shared):
        for chosen in system.choices(single.union(shared[:n]), several):
            yield state.with_equations(*system.solution(chosen))


def _is_operand(variable: Interned, state: State) -> bool:
    pairs = (*state.equations, *((s, t) for _, s, t in state.rows))
    return any(variable in side.args for pair in pairs for side in pair)
