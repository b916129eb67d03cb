"""Linear equations of an Abelian group: exponents of unknowns and of constants.

Constants taken as different from each other leave one most general solution or none. Where there is
one no other is needed: what a solution has beside it solves the homogeneous equations, whatever the
constants are, so that to take some as equal makes an instance of it.

References
----------
D. Lankford, G. Butler, B. Brady, "Abelian group unification algorithms for elementary terms", 1984.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.cycles import cycle
from kanrewrite.ac.integers import solutions
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.terms import Store

Row = dict[Interned, int]
Bindings = list[tuple[Interned, Interned]]
#: An exponent of an unknown in a constant: the group, the positions of the two.
Exponent = tuple[Symbol, int, int]


def row_of(operator: Symbol, s: Interned, t: Interned) -> Row:
    """The exponents of an equation's operands, all brought to one side.

    Parameters
    ----------
    operator
        A group's operator.
    s, t
        The sides of the equation.
    """
    row: Counter[Interned] = Counter()
    for side, sign in ((s, 1), (t, -1)):
        for part in operands(operator, side):
            inverse = part.symbol is operator.inverse
            row[part.args[0] if inverse else part] += -sign if inverse else sign
    return {atom: times for atom, times in row.items() if times}


def product(terms: Store, operator: Symbol, row: Mapping[Interned, int]) -> Interned:
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


def eliminated(
    terms: Store, operator: Symbol, rows: Sequence[Row], fixed: Collection[Interned]
) -> tuple[Bindings | None, list[Interned]]:
    """Bindings that solve equations of exponents; or None, and the constants that prevent it.

    One of these must equal another of them, or be a product of the group. The variable with the
    smallest exponent absorbs multiples of all the others until its exponent divides them (Knuth,
    The Art of Computer Programming 2, section 4.5.2).

    Parameters
    ----------
    terms
        Where the operands are interned.
    operator
        The group's operator.
    rows
        The exponents that are nothing in all.
    fixed
        The variables that are constants here.
    """
    solved: list[tuple[Interned, Row]] = []
    for first in rows:
        row = dict(first)
        for pivot, value in solved:
            _replace(row, pivot, value)
        while row:
            unknowns = [a for a in row if a.symbol is VARIABLE and a not in fixed]
            if not unknowns:
                return None, list(row)
            pivot = min(unknowns, key=lambda a: (abs(row[a]), -a.serial))
            times = row.pop(pivot)
            value = {atom: -(other // times) for atom, other in row.items() if other // times}
            row = {atom: other % times for atom, other in row.items() if other % times}
            if row:
                if not any(atom.symbol is VARIABLE and atom not in fixed for atom in row):
                    return None, list(row)
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


class Linear:
    """The equations of one group, as a matrix of its unknowns.

    Parameters
    ----------
    operator
        The group's operator.
    rows
        The exponents that are nothing in all.
    fixed
        The variables that are constants here.

    Attributes
    ----------
    unknowns, constants
        What the equations are about.
    """

    def __init__(self, operator: Symbol, rows: Sequence[Row], fixed: Collection[Interned]):
        self.operator = operator
        atoms = list(dict.fromkeys(atom for row in rows for atom in row))
        self.unknowns = [a for a in atoms if a.symbol is VARIABLE and a not in fixed]
        self.constants = [a for a in atoms if a.symbol is not VARIABLE or a in fixed]
        self._matrix = [[row.get(atom, 0) for atom in self.unknowns] for row in rows]
        self._rights = [[-row.get(constant, 0) for row in rows] for constant in self.constants]
        self.size = len(self._rights) * (1 + len(rows) * len(self.unknowns))

    def exponents(self, zero: Collection[Exponent]) -> list[list[int]] | None:
        """For each constant its exponents in the unknowns, where some are zero; None without.

        Parameters
        ----------
        zero
            Those that are zero.
        """
        found = []
        for k, right in enumerate(self._rights):
            none = {v for group, v, constant in zero if group is self.operator and constant == k}
            solved = solutions(self._matrix, right, none)
            if solved is None:
                return None
            found.append(solved[0])
        return found

    def edges(self, exponents: list[list[int]]) -> dict[Interned, list[tuple[Exponent, Interned]]]:
        """From each unknown to the variables of the constants it holds, by the exponent.

        Parameters
        ----------
        exponents
            For each constant those of the unknowns.
        """
        found: dict[Interned, list[tuple[Exponent, Interned]]] = {}
        for k, constant in enumerate(self.constants):
            for v, times in enumerate(exponents[k]):
                if times:
                    label = self.operator, v, k
                    edges = found.setdefault(self.unknowns[v], [])
                    edges.extend((label, inner) for inner in constant.variables)
        return found

    def bindings(self, terms: Store, exponents: list[list[int]]) -> Bindings:
        """What the unknowns are: their constants, and the homogeneous solutions, one fresh each.

        Parameters
        ----------
        terms
            Where the operands are interned.
        exponents
            For each constant those of the unknowns.
        """
        homogeneous = solutions(self._matrix, [0] * len(self._matrix))
        assert homogeneous is not None
        holds = [*zip(self.constants, exponents, strict=True)]
        holds.extend((terms.leaf(var(prefix="u")), vector) for vector in homogeneous[1])
        return [
            (v, product(terms, self.operator, {a: vector[n] for a, vector in holds if vector[n]}))
            for n, v in enumerate(self.unknowns)
        ]


def without_cycles(
    terms: Store, systems: Sequence[Linear], tick: Callable[[int], object]
) -> Bindings | None:
    """Bindings that solve the equations of some groups, none of which leads back to its variable.

    A solution is a particular one for each constant; any without cycles is most general, as the
    homogeneous solutions are in all of them. On each cycle some exponent has to be zero.

    Parameters
    ----------
    terms
        Where the operands are interned.
    systems
        The equations, no two with an unknown in common.
    tick
        Called for each particular solution that is tried; it may raise.
    """
    tried: set[frozenset[Exponent]] = set()
    pending: list[frozenset[Exponent]] = [frozenset()]
    while pending:
        zero = pending.pop()
        if zero in tried:
            continue
        tried.add(zero)
        tick(sum(system.size for system in systems))
        found = [system.exponents(zero) for system in systems]
        edges: dict[Interned, list[tuple[Exponent, Interned]]] = {}
        for system, exponents in zip(systems, found, strict=True):
            if exponents is not None:
                edges |= system.edges(exponents)
        if None in found:
            continue
        around = cycle(edges)
        if not around:
            tick(sum(abs(n) for one in found for vector in one or () for n in vector))
            return [
                one
                for system, exponents in zip(systems, found, strict=True)
                for one in system.bindings(terms, exponents or [])
            ]
        pending.extend(zero | {edge} for edge in around)
    return None
