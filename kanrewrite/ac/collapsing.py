"""What products are that collapse: by units, as joins of equals, by what cancels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from unification import var

from kanrewrite.ac.bags import operands
from kanrewrite.ac.interned import VARIABLE, Interned, Symbol
from kanrewrite.ac.states import Equation
from kanrewrite.ac.terms import Store


def collapses(
    terms: Store, product: Interned, rigid: frozenset[Interned]
) -> Iterator[tuple[Interned, list[Equation]]]:
    """What a product is if all operands but one are its unit, with the equations that say so.

    Parameters
    ----------
    terms
        Where the terms are interned.
    product
        An application that may equal another term.
    rigid
        What is assumed to keep its head.
    """
    group = product.symbol if product.symbol.inverse is not None else product.symbol.group
    if group is not None:
        yield from _cancellations(terms, group, product, rigid)
        return
    unit = product.symbol.unit
    if product.symbol.idempotent:
        yield from _joins(product, unit)
        return
    if unit is None:
        return
    once = [arg for arg, count in Counter(product.args).items() if count == 1]
    for kept in once or [unit]:
        yield kept, [(arg, unit) for arg in dict.fromkeys(product.args) if arg is not kept]


def _joins(product: Interned, unit: Interned | None) -> Iterator[tuple[Interned, list[Equation]]]:
    """The same of an idempotent operator: equal operands, where the others are its unit."""
    args = product.args
    for size in range(len(args), 0 if unit is not None else len(args) - 1, -1):
        for equal in combinations(args, size):
            others = [] if unit is None else [(arg, unit) for arg in args if arg not in equal]
            yield equal[0], [*((arg, equal[0]) for arg in equal[1:]), *others]
    if unit is not None:
        yield unit, [(arg, unit) for arg in args]


def _cancellations(
    terms: Store, group: Symbol, product: Interned, rigid: frozenset[Interned]
) -> Iterator[tuple[Interned, list[Equation]]]:
    """What a product of a group is if its operands cancel: an operand, or all that is left.

    What is left is named once for each variable: two groups in turn would do so forever.
    """
    assert group.unit is not None
    args = Counter(operands(group, product))
    for kept in args:
        lone = len(args) == 1 and kept.symbol is group.inverse
        if not lone and kept.symbol is not VARIABLE:
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
    if any(v.symbol is VARIABLE and v not in rigid for part in args for v in (part, *part.args)):
        # Whatever it is: a variable that stands there twice cannot be bound to what is left.
        left = terms.leaf(var(prefix="u"))
        yield left, [(terms.make(group, (product, terms.invert(group, left))), group.unit)]
        return
    # Every variable is what was left elsewhere: one may be all of it, where the others cancel.
    for kept in [part for part in args if part.symbol is VARIABLE]:
        rest = (args - Counter([kept])).elements()
        yield kept, [(terms.make(group, tuple(rest)), group.unit)]
    yield group.unit, [(product, group.unit)]
