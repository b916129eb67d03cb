"""The meaning of kanrewrite's own Ops; its softmax Ops are Aesara's by inheritance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanrewrite.ops import ScaledCumsum, ScaledDot, ScaledOthers, ScatteredMaximum, Supremum
from kanrewrite.reference import functions
from kanrewrite.reference.linear import along, by_rows, greatest, rows
from kanrewrite.reference.registry import Node, Values, objects, register
from kanrewrite.reference.scales import INF, MINUS_INF, ZERO, Arithmetic, Real


@register(Supremum)
def supremum(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The maximum over axes, -inf of nothing."""
    del node

    def largest(row: list[Real]) -> Real:
        return row[greatest(arithmetic, row)] if row else MINUS_INF

    return [along(largest, rows(inputs[0], op.axis))]


@register(ScaledCumsum)
def scaled_cumsum(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Cumulative sums of ``exp(a) * r``, with the largest exponent so far taken out."""
    del node
    exponent, weights = np.broadcast_arrays(*inputs)

    def levels(row: Sequence[Real], factors: Sequence[Real]) -> list[Real]:
        found = []
        for t in range(len(row)):
            seen = [x for x, r in zip(row[: t + 1], factors[: t + 1], strict=True) if r.parts]
            top = seen[greatest(arithmetic, seen)] if seen else MINUS_INF
            found.append(ZERO if top.parts == INF.parts else top)
        return found

    def sums(row: Sequence[Real], factors: Sequence[Real]) -> list[Real]:
        found, total = [], ZERO
        for x, r, level in zip(row, factors, levels(row, factors), strict=True):
            if r.parts:
                total = arithmetic.add(total, arithmetic.mul(functions.exp(arithmetic, x), r))
            empty = level.parts == MINUS_INF.parts
            found.append(ZERO if empty else arithmetic.div(total, functions.exp(arithmetic, level)))
        return found

    return [by_rows(f, op.axis, exponent, weights) for f in (levels, sums)]


@register(ScaledOthers)
def scaled_others(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """Of each term the sum of the others, with the largest exponent among these taken out."""
    del node
    exponent, weights = np.broadcast_arrays(*inputs)
    level, rest = np.empty(exponent.shape, dtype=object), np.empty(exponent.shape, dtype=object)
    for place in np.ndindex(exponent.shape):
        row = tuple(slice(None) if d in op.axis else i for d, i in enumerate(place))
        mine = tuple(i for d, i in enumerate(place) if d in op.axis)
        others = np.ones(exponent[row].shape, dtype=bool)
        others[mine] = False
        pairs = zip(exponent[row][others], weights[row][others], strict=True)
        seen = [(x, r) for x, r in pairs if r.parts]
        top = seen[greatest(arithmetic, [x for x, _ in seen])][0] if seen else MINUS_INF
        level[place] = ZERO if top.parts == INF.parts else top
        empty = level[place].parts == MINUS_INF.parts
        total = arithmetic.total([arithmetic.mul(functions.exp(arithmetic, x), r) for x, r in seen])
        scale = functions.exp(arithmetic, level[place])
        rest[place] = ZERO if empty else arithmetic.div(total, scale)
    return [level, rest]


@register(ScatteredMaximum)
def scattered_maximum(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """The largest value that goes to each place."""
    del op, node
    values, places, shape = inputs
    found: list[list[Real]] = [[] for _ in range(int(np.prod(shape)))]
    for place, value in zip(
        places.ravel(), np.broadcast_to(values, places.shape).ravel(), strict=True
    ):
        found[int(place)].append(value)
    largest = [row[greatest(arithmetic, row)] if row else MINUS_INF for row in found]
    return [objects(largest, [int(n) for n in shape])]


@register(ScaledDot)
def scaled_dot(op: Any, node: Node, inputs: Values, arithmetic: Arithmetic) -> Values:
    """A matrix product of ``exp(a) * r`` and ``exp(b) * s``, relative to rows and columns.

    The level is -inf where nothing is left.
    """
    del op, node
    left, right = (np.broadcast_arrays(*pair) for pair in (inputs[:2], inputs[2:]))

    def top(exponents: Any, weights: Any) -> Real:
        seen: list[Real] = [x for x, r in zip(exponents, weights, strict=True) if r.parts]
        found = seen[greatest(arithmetic, seen)] if seen else ZERO
        return ZERO if found.parts in (INF.parts, MINUS_INF.parts) else found

    def terms(row: Sequence[Any], column: Sequence[Any]) -> list[Real]:
        return [
            arithmetic.mul(functions.exp(arithmetic, arithmetic.add(a, b)), arithmetic.mul(r, s))
            for a, r, b, s in zip(*row, *column, strict=True)
            if r.parts and s.parts
        ]

    shape = (*left[0].shape[:-1], right[0].shape[-1])
    level, rest = np.empty(shape, dtype=object), np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        of_row, of_column = place[:-1], (*place[:-2], place[-1])
        row = [x[of_row] for x in left]
        column = [x.swapaxes(-1, -2)[of_column] for x in right]
        total = arithmetic.total(terms(row, column))
        if not total.parts:
            level[place], rest[place] = MINUS_INF, ZERO
            continue
        level[place] = arithmetic.add(top(*row), top(*column))
        rest[place] = arithmetic.div(total, functions.exp(arithmetic, level[place]))
    return [level, rest]
