"""What products are that collapse: by units, as joins of equals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from kanrewrite.ac.interned import Interned
from kanrewrite.ac.states import Equation


def collapses(product: Interned) -> Iterator[tuple[Interned, list[Equation]]]:
    """What a product is if all operands but one are its unit, with the equations that say so.

    Parameters
    ----------
    product
        An application that may equal another term.
    """
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
