"""Variables of which two must be equal, since several operators need it.

Under a solution look at the largest value that variables of some set have. It has one head: to all
other operators it is an operand like any other. Where such an operator equates a product that holds
it with one of variables of the set alone, one of these is that value, or a product that holds it;
the latter would be larger. So two of the variables are equal, if each is under two operators such
that the other sides of its equations are in the set. That is one case of the identification
of variables, and of the linear order on them, which a combination of theories guesses at first.

References
----------
F. Baader, K. U. Schulz, "Unification in the union of disjoint equational theories", JSC 21, 1996.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import LEAF, VARIABLE, Interned, Symbol
from kanrewrite.ac.states import Equation, State, bound
from kanrewrite.ac.terms import Store

#: Variables on one side of an operator's equation, and those that the other side consists of.
_Side = tuple[Symbol, frozenset[Interned], frozenset[Interned]]


def identifications(
    terms: Store, state: State, by_operator: Mapping[Symbol, Sequence[Equation]]
) -> Iterator[State] | None:
    """The states in which two variables are equal, one of which has each solution.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        The state.
    by_operator
        Its equations.

    Returns
    -------
    iterator or None
        None if no two have to be.
    """
    pairs = _pairs(by_operator) if len(by_operator) > 1 else []
    apart = {frozenset(bound(terms, v, state.bindings) for v in pair) for pair in state.distinct}
    if pairs:
        return _identified(state, [pair for pair in pairs if frozenset(pair) not in apart])
    for pair in _shared(by_operator):
        if frozenset(pair) not in apart:
            other = replace(state, distinct=state.distinct.union((pair,)))
            return iter((state.with_equations(pair), other))
    return None


def _identified(state: State, pairs: Sequence[Equation]) -> Iterator[State]:
    for n, pair in enumerate(pairs):
        distinct = state.distinct.union(pairs[:n])
        yield replace(state.with_equations(pair), distinct=distinct)


def _pairs(by_operator: Mapping[Symbol, Sequence[Equation]]) -> list[Equation]:
    """Pairs of variables of which one has equal values, none if that is not known."""
    sides = list(_sides(by_operator))
    held = frozenset[Interned]().union(*(mine for _, mine, _ in sides))
    while True:
        known = [side for side in sides if side[2] <= held]
        operators: dict[Interned, set[Symbol]] = {}
        for operator, mine, _ in known:
            for v in mine & held:
                operators.setdefault(v, set()).add(operator)
        left = frozenset(v for v, several in operators.items() if len(several) > 1)
        if left == held:
            break
        held = left
    found: dict[frozenset[Interned], Equation] = {}
    for _, mine, theirs in known:
        for v in sorted(mine & held, key=_serial):
            for w in sorted(theirs, key=_serial):
                found.setdefault(frozenset((v, w)), (v, w))
    return list(found.values())


def _shared(by_operator: Mapping[Symbol, Sequence[Equation]]) -> Iterator[Equation]:
    """Variables on both sides of several joins, which may be equal or not.

    What joins are that absorb variables, has no end of forms as long as that is open.
    """
    joins = [operator for operator in by_operator if operator.idempotent]
    found: list[dict[frozenset[Interned], Equation]] = []
    for operator in joins if len(joins) > 1 else ():
        sides = [[operands(operator, side) for side in pair] for pair in by_operator[operator]]
        pairs = [
            (v, w)
            for left, right in sides
            for v in left
            for w in right
            if v is not w and v.symbol is VARIABLE is w.symbol
        ]
        found.append({frozenset(pair): pair for pair in pairs})
    for key, pair in found[0].items() if found else ():
        if any(key in other for other in found[1:]):
            yield pair


def _sides(by_operator: Mapping[Symbol, Sequence[Equation]]) -> Iterator[_Side]:
    """The equations of products of variables, both ways.

    A value may be the unit of one operator, which is nothing to it, but not of two.
    """
    units: set[Interned] = set()
    for operator, equations in by_operator.items():
        unit = operator.unit
        if not operator.associative or operator.inverse is not None:
            continue
        if unit is not None:
            if unit in units or unit.symbol is not LEAF:
                continue
            units.add(unit)
        for s, t in equations:
            left, right = (frozenset(operands(operator, side)) for side in (s, t))
            for mine, theirs in ((left, right), (right, left)):
                if all(one.symbol is VARIABLE for one in theirs):
                    names = frozenset(v for v in mine - theirs if v.symbol is VARIABLE)
                    yield operator, names, theirs


def _serial(term: Interned) -> int:
    return term.serial
