"""Equations in Abelian groups: one most general unifier, by integer elimination.

References
----------
D. Lankford, G. Butler, B. Brady, "Abelian group unification algorithms for elementary terms", 1984.
D. Knuth, The Art of Computer Programming 2, section 4.5.2 (linear equations in integers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.states import Equation, State, compatible
from kanrewrite.ac.terms import Store

Row = dict[Interned, int]


def group_steps(
    terms: Store, state: State, operator: Symbol, equations: Sequence[Equation]
) -> Iterator[State]:
    """Solve the first of some equations in an Abelian group.

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

    Yields
    ------
    State
        With every two operands that might be equal taken as equal, then all as different.
    """
    (s, t), *others = equations
    row = _row(operator, s, t)
    rest = state.with_equations(*others)
    fixed = [atom for atom in row if atom.symbol is not VARIABLE]
    for n, one in enumerate(fixed):
        for other in fixed[:n]:
            if compatible(one, other):
                yield rest.with_equations((one, other), (s, t))
    solved = _eliminated(terms, operator, row)
    if solved is not None:
        yield rest.with_equations(*solved)


def _row(operator: Symbol, s: Interned, t: Interned) -> Row:
    """The exponents of an equation's operands, all brought to one side."""
    row: Counter[Interned] = Counter()
    for side, sign in ((s, 1), (t, -1)):
        for part in operands(operator, side):
            inverse = part.symbol is operator.inverse
            row[part.args[0] if inverse else part] += -sign if inverse else sign
    return {atom: times for atom, times in row.items() if times}


def _eliminated(terms: Store, operator: Symbol, row: Row) -> list[Equation] | None:
    """Bindings that solve an equation of exponents, the operands with other heads being constants.

    The variable with the smallest exponent absorbs multiples of all the others until its exponent
    divides them.
    """
    solved: list[Equation] = []
    row = dict(row)
    while row:
        # A variable that also occurs below another operator must not be bound to that operand.
        inside = {v for atom in row if atom.symbol is not VARIABLE for v in atom.variables}
        unknowns = [a for a in row if a.symbol is VARIABLE and a not in inside]
        if not unknowns:
            return None
        pivot = min(unknowns, key=lambda a: (abs(row[a]), -a.serial))
        times = row.pop(pivot)
        quotients = {atom: -(other // times) for atom, other in row.items()}
        row = {atom: other % times for atom, other in row.items() if other % times}
        parts = [_power(terms, operator, atom, often) for atom, often in quotients.items()]
        if row:
            if not any(atom.symbol is VARIABLE and atom not in inside for atom in row):
                return None
            fresh = terms.leaf(var(prefix="u"))
            row[fresh] = times
            parts.append(fresh)
        solved.append((pivot, terms.make(operator, parts)))
    return solved


def _power(terms: Store, operator: Symbol, atom: Interned, times: int) -> Interned:
    base = atom if times > 0 else terms.invert(operator, atom)
    return terms.make(operator, [base] * abs(times))
