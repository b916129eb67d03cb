"""Equations between words: unification modulo associativity, by fair enumeration.

References
----------
G. Plotkin, "Building-in equational theories", Machine Intelligence 7, 1972.
J. Siekmann, "String unification", 1975.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.states import State, compatible
from kanrewrite.ac.terms import VARIABLE, Interned, Store, Symbol

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
    left, right = operands(operator, s), operands(operator, t)
    while left and right and left[0] is right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] is right[-1]:
        left, right = left[:-1], right[:-1]
    if not left or not right:
        if operator.unit is not None:
            unit = operator.unit
            yield state.with_equations(*((letter, unit) for letter in left + right))
        elif left is right:
            yield state
        return
    if _hopeless(operator, left, right):
        return
    if left[0].symbol is not VARIABLE:
        left, right = right, left
    first, other = left[0], right[0]
    if first.symbol is not VARIABLE:
        after = terms.build(operator, left[1:]), terms.build(operator, right[1:])
        yield from _equal(terms, state, operator, left, right)
        del after
        return
    if other.symbol is VARIABLE:
        yield from _both_variables(terms, state, operator, left, right)
        return
    if operator.unit is None:
        yield from _equal(terms, state, operator, left, right)
    else:
        yield _next(terms, state, operator, (first, operator.unit), left[1:], right)
    tail = terms.leaf(var(prefix="u"))
    longer = terms.build(operator, (other, tail))
    yield _next(terms, state, operator, (first, longer), (tail, *left[1:]), right[1:])


def _both_variables(
    terms: Store, state: State, operator: Symbol, left: Word, right: Word
) -> Iterator[State]:
    first, other = left[0], right[0]
    if operator.unit is None:
        yield from _equal(terms, state, operator, left, right)
    tail = terms.leaf(var(prefix="u"))
    longer = terms.build(operator, (other, tail))
    yield _next(terms, state, operator, (first, longer), (tail, *left[1:]), right[1:])
    longer = terms.build(operator, (first, tail))
    yield _next(terms, state, operator, (other, longer), left[1:], (tail, *right[1:]))


def _equal(
    terms: Store, state: State, operator: Symbol, left: Word, right: Word
) -> Iterator[State]:
    """The first letters are equal, and so is the rest."""
    if operator.unit is None and (len(left) == 1) != (len(right) == 1):
        return
    first = (left[0], right[0])
    if len(left) == 1 and len(right) == 1:
        yield state.with_equations(first)
    else:
        yield _next(terms, state, operator, first, left[1:], right[1:])


def _next(
    terms: Store,
    state: State,
    operator: Symbol,
    first: tuple[Interned, Interned],
    left: Word,
    right: Word,
) -> State:
    rest = terms.build(operator, left), terms.build(operator, right)
    return state.with_equations(first, rest)


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
