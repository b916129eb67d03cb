"""Equations in Abelian groups, whose operands may be terms of other operators.

All equations of one group are solved together, last of all, when those of the other operators are:
operands with other heads then are constants of the group.  Taken as different from each other they
leave one most general unifier or none. Where there is one no other is needed, since to identify
constants makes an instance of it: what Baader and Schulz guess first, needs no guess here.  Where
there is none, a constant that nothing absorbs must equal another such one.

A variable may be bound to a product of constants that contain it: such a cycle is broken by asking
for another of the group's solutions, in which some exponent on the cycle is zero.

References
----------
D. Lankford, G. Butler, B. Brady, "Abelian group unification algorithms for elementary terms", 1984.
F. Baader, K. U. Schulz, "Unification in the union of disjoint equational theories", JSC 21, 1996.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.cycles import Abstraction, acyclic, cycle
from kanrewrite.ac.integers import solutions
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.states import Equation, State, bound, compatible
from kanrewrite.ac.terms import Store

Row = dict[Interned, int]
#: The exponents that are zero, each of an unknown in a constant.
Zeros = frozenset[tuple[int, int]]
_serial = attrgetter("serial")


def group_steps(
    terms: Store,
    state: State,
    operator: Symbol,
    equations: Sequence[Equation],
    tick: Callable[[int], object],
) -> Iterator[State]:
    """Solve all equations of an Abelian group.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        The other equations.
    operator
        The group's operator.
    equations
        Equations between products.
    tick
        Called for each particular solution that is tried; it may raise.

    Yields
    ------
    State
        With the variables bound; or with two operands taken as equal, for each two that might be,
        where the equations have no solution otherwise.
    """
    known, equations = _known(terms, operator, equations)
    if known is None:
        return
    if known or not equations:
        yield state.with_equations(*known, *equations)
        return
    representative = _classes(terms, state)
    rows = [_merged(_row(operator, s, t), representative) for s, t in equations]
    constants = list(
        dict.fromkeys(atom for row in rows for atom in row if atom.symbol is not VARIABLE)
    )
    inside = frozenset[Interned]().union(*(atom.variables for atom in constants))
    stuck: list[Interned] = []
    # Variables within constants are left alone where the others suffice: no cycles then.
    for kept in (inside, frozenset[Interned]()):
        solved, stuck = _eliminated(terms, operator, rows, kept)
        if solved is not None and acyclic(solved):
            yield state.with_equations(*solved)
            return
    if not stuck:
        broken = _uncycled(terms, operator, rows, tick)
        if broken is not None:
            yield state.with_equations(*broken)
            return
    whole = state.with_equations(*equations)
    for one, others in _pairs(stuck, constants):
        # What cancels comes first: it is nearer to a solution.
        for other in sorted(others, key=lambda other: not _cancels(rows, one, other)):
            if compatible(one, other):
                equal = (one, other)
                yield replace(whole.with_equations(equal), same=whole.same | {equal})


def _known(
    terms: Store, operator: Symbol, equations: Sequence[Equation]
) -> tuple[list[Equation] | None, list[Equation]]:
    """Bindings that solve the equations between ground operands and variables, and the others.

    Whatever the others take as equal, these have one most general solution; None if they have none.
    """
    pure, others = [], []
    for equation in equations:
        row = _row(operator, *equation)
        if any(atom.variables and atom.symbol is not VARIABLE for atom in row):
            others.append(equation)
        else:
            pure.append(row)
    solved, _ = _eliminated(terms, operator, pure, frozenset())
    return solved, others


def _classes(terms: Store, state: State) -> dict[Interned, Interned]:
    """For each operand that was taken as equal to another, the one that stands for both."""
    found: dict[Interned, Interned] = {}
    for pair in state.same:
        one, other = (bound(terms, side, state.bindings) for side in pair)
        while one in found:
            one = found[one]
        while other in found:
            other = found[other]
        if one is not other:
            found[max(one, other, key=_serial)] = min(one, other, key=_serial)
    return found


def _merged(row: Row, representative: dict[Interned, Interned]) -> Row:
    """The exponents where operands that were taken as equal are one."""
    merged: Row = {}
    for atom, times in row.items():
        while atom in representative:
            atom = representative[atom]
        merged[atom] = merged.get(atom, 0) + times
    return {atom: times for atom, times in merged.items() if times}


def _pairs(
    stuck: list[Interned], constants: list[Interned]
) -> Iterator[tuple[Interned, list[Interned]]]:
    """The constants to identify: one that must equal another stuck one; else any two."""
    if stuck:
        yield stuck[0], stuck[1:]
        return
    for n, one in enumerate(constants):
        yield one, constants[:n]


def _cancels(rows: Sequence[Row], one: Interned, other: Interned) -> bool:
    return any(row.get(one, 0) * row.get(other, 0) < 0 for row in rows)


def _row(operator: Symbol, s: Interned, t: Interned) -> Row:
    """The exponents of an equation's operands, all brought to one side."""
    row: Counter[Interned] = Counter()
    for side, sign in ((s, 1), (t, -1)):
        for part in operands(operator, side):
            inverse = part.symbol is operator.inverse
            row[part.args[0] if inverse else part] += -sign if inverse else sign
    return {atom: times for atom, times in row.items() if times}


def _eliminated(
    terms: Store, operator: Symbol, rows: Sequence[Row], kept: frozenset[Interned]
) -> tuple[list[Equation] | None, list[Interned]]:
    """Bindings that solve equations of exponents; or None, and the constants that prevent it.

    The variable with the smallest exponent absorbs multiples of all the others until its exponent
    divides them (Knuth, The Art of Computer Programming 2, section 4.5.2).
    """
    solved: list[tuple[Interned, Row]] = []
    for first in rows:
        row = dict(first)
        for pivot, value in solved:
            _replace(row, pivot, value)
        while row:
            unknowns = [a for a in row if a.symbol is VARIABLE and a not in kept]
            if not unknowns:
                return None, [a for a in row if a.symbol is not VARIABLE]
            pivot = min(unknowns, key=lambda a: (abs(row[a]), -a.serial))
            times = row.pop(pivot)
            value = {atom: -(other // times) for atom, other in row.items() if other // times}
            row = {atom: other % times for atom, other in row.items() if other % times}
            if row:
                if not any(atom.symbol is VARIABLE and atom not in kept for atom in row):
                    return None, [a for a in row if a.symbol is not VARIABLE]
                fresh = terms.leaf(var(prefix="u"))
                row[fresh] = times
                value[fresh] = 1
            solved.append((pivot, value))
    return [(pivot, product(terms, operator, value)) for pivot, value in solved], []


def _replace(row: Row, variable: Interned, value: Row) -> None:
    """A variable's exponent, spread over what it is."""
    times = row.pop(variable, 0)
    for atom, often in value.items() if times else ():
        row[atom] = row.get(atom, 0) + times * often
        if not row[atom]:
            del row[atom]


def product(terms: Store, operator: Symbol, row: Row) -> Interned:
    """The product of powers.

    Parameters
    ----------
    terms
        Where the operands are interned.
    operator
        The group's operator.
    row
        Operands with their exponents.
    """
    parts: list[Interned] = []
    for atom, times in row.items():
        base = atom if times > 0 else terms.invert(operator, atom)
        parts.extend([base] * abs(times))
    return terms.make(operator, parts)


def _uncycled(
    terms: Store, operator: Symbol, rows: Sequence[Row], tick: Callable[[int], object]
) -> list[Equation] | None:
    """Bindings without cycles that solve equations of exponents, where there are any.

    Products of the group within its constants become unknowns of the system themselves. A solution
    is a particular one for each constant; any without cycles is most general, as the homogeneous
    solutions are in all of them.
    """
    system = _abstracted(terms, operator, rows)
    atoms = list(dict.fromkeys(atom for row in system for atom in row))
    unknowns = [atom for atom in atoms if atom.symbol is VARIABLE]
    constants = [atom for atom in atoms if atom.symbol is not VARIABLE]
    matrix = [[row.get(atom, 0) for atom in unknowns] for row in system]
    rights = [[-row.get(constant, 0) for row in system] for constant in constants]
    tried: set[Zeros] = set()
    pending: list[Zeros] = [frozenset()]
    while pending:
        zero = pending.pop()
        if zero in tried:
            continue
        tried.add(zero)
        tick(len(rights) * (1 + len(matrix) * len(unknowns)))
        exponents = _particular(matrix, rights, zero)
        if exponents is None:
            continue
        around = cycle(_dependencies(unknowns, constants, exponents))
        if not around:
            return _bindings(terms, operator, unknowns, constants, matrix, exponents)
        pending.extend(zero | {edge} for edge in around)
    return None


def _abstracted(terms: Store, operator: Symbol, rows: Sequence[Row]) -> list[Row]:
    """The rows, and rows that define the names of the group's products within constants."""
    abstraction = Abstraction(terms, lambda one: operator in (one.symbol, one.symbol.group))
    system = [{abstraction(atom): times for atom, times in row.items()} for row in rows]
    defined = 0
    while defined < len(abstraction.names):
        for inner, name in list(abstraction.names.items())[defined:]:
            row = _row(operator, inner, name)
            system.append({abstraction(atom): times for atom, times in row.items()})
            defined += 1
    return system


def _particular(
    matrix: list[list[int]], rights: list[list[int]], zero: Zeros
) -> list[list[int]] | None:
    """For each constant its exponents in the unknowns, some of which are zero."""
    found = []
    for k, right in enumerate(rights):
        solved = solutions(matrix, right, {v for v, constant in zero if constant == k})
        if solved is None:
            return None
        found.append(solved[0])
    return found


def _dependencies(
    unknowns: list[Interned], constants: list[Interned], exponents: list[list[int]]
) -> dict[int, list[tuple[tuple[int, int], int]]]:
    """From each unknown to those within the constants it holds, by the exponent that does it."""
    number = {v: n for n, v in enumerate(unknowns)}
    edges: dict[int, list[tuple[tuple[int, int], int]]] = {}
    for k, constant in enumerate(constants):
        inner = [number[v] for v in constant.variables if v in number]
        for v, times in enumerate(exponents[k]):
            if times:
                edges.setdefault(v, []).extend(((v, k), w) for w in inner)
    return edges


def _bindings(
    terms: Store,
    operator: Symbol,
    unknowns: list[Interned],
    constants: list[Interned],
    matrix: list[list[int]],
    exponents: list[list[int]],
) -> list[Equation]:
    """What the unknowns are: their constants, and the homogeneous solutions, one fresh each."""
    homogeneous = solutions(matrix, [0] * len(matrix))
    assert homogeneous is not None
    holds = [*zip(constants, exponents, strict=True)]
    holds.extend((terms.leaf(var(prefix="u")), vector) for vector in homogeneous[1])
    return [
        (v, product(terms, operator, {atom: vector[n] for atom, vector in holds if vector[n]}))
        for n, v in enumerate(unknowns)
    ]
