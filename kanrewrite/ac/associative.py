"""Equations between words: unification modulo associativity, by fair enumeration.

References
----------
G. Plotkin, "Building-in equational theories", Machine Intelligence 7, 1972.
J. Siekmann, "String unification", 1975.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.states import State, compatible
from kanrewrite.ac.terms import Store

Word = tuple[Interned, ...]


def word_steps(
    terms: Store, state: State, operator: Symbol, s: Interned, t: Interned
) -> Iterator[State]:
    """Compare the first letters of two words in every way.

    Parameters
    ----------
    terms
        Where the terms are interned.
    state
        The other equations.
    operator
        The associative operator.
    s, t
        The words.

    Yields
    ------
    State
        Of two variables, one is a prefix of the other or equal to it; of a variable and an operand
        with another head, the operand is a prefix of the variable; with a unit a variable may be
        empty.
    """
    left, right = _stripped(operands(operator, s), operands(operator, t))
    if not left or not right:
        unit = operator.unit
        if unit is not None:
            yield state.with_equations(*((letter, unit) for letter in left + right))
        return
    if _hopeless(operator, left, right):
        return
    if left[0].symbol is not VARIABLE:
        left, right = right, left
    for first in (left[0], right[0]):
        if operator.unit is not None and first.symbol is VARIABLE and first not in state.rigid:
            # Empty or not: assumed once for each variable, or the search would ask again forever.
            whole = state.with_equations((s, t))
            yield whole.with_equations((first, operator.unit))
            yield replace(whole, rigid=whole.rigid | {first})
            return
    yield from _equal(terms, state, operator, left, right)
    if left[0].symbol is VARIABLE and len(right) > 1:
        yield _longer(terms, state, operator, left, right)
    if right[0].symbol is VARIABLE and len(left) > 1:
        yield _longer(terms, state, operator, right, left)


def _stripped(left: Word, right: Word) -> tuple[Word, Word]:
    """Two words without the letters they begin and end with together."""
    while left and right and left[0] is right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] is right[-1]:
        left, right = left[:-1], right[:-1]
    return left, right


def _longer(terms: Store, state: State, operator: Symbol, left: Word, right: Word) -> State:
    """The first word's first letter, a variable, begins with the other's."""
    tail = terms.leaf(var(prefix="u"))
    whole = terms.build(operator, (right[0], tail))
    rest = terms.build(operator, (tail, *left[1:])), terms.build(operator, right[1:])
    longer = state.with_equations((left[0], whole), rest)
    return replace(longer, rigid=longer.rigid | {tail})


def _equal(
    terms: Store, state: State, operator: Symbol, left: Word, right: Word
) -> Iterator[State]:
    """The first letters are equal, and so is the rest."""
    if operator.unit is None and (len(left) == 1) != (len(right) == 1):
        return
    rest = [(left[0], right[0])]
    if len(left) > 1 or len(right) > 1:
        rest.append((terms.build(operator, left[1:]), terms.build(operator, right[1:])))
    yield state.with_equations(*rest)


def _hopeless(operator: Symbol, left: Word, right: Word) -> bool:
    """Whether the words cannot even be made equal as multisets; most endless searches can't."""
    counts = Counter(left), Counter(right)
    common = counts[0] & counts[1]
    kept = [list((count - common).elements()) for count in counts]
    for mine, theirs in (kept, kept[::-1]):
        if any(letter.symbol is VARIABLE for letter in mine):
            continue
        # No variable: the length is fixed, and each operand needs a partner or a variable.
        if operator.unit is None and len(theirs) > len(mine):
            return True
        if any(
            letter.symbol is not VARIABLE and not any(compatible(letter, my) for my in mine)
            for letter in theirs
        ):
            return True
    return False
