"""The meaning of kanrewrite's own Ops; its softmax Ops are Aesara's by inheritance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanrewrite.ops import ScaledCumsum, Supremum
from kanrewrite.reference import functions
from kanrewrite.reference.linear import along, by_rows, greatest, rows
from kanrewrite.reference.registry import Node, Values, register
from kanrewrite.reference.scales import MINUS_INF, ZERO, Arithmetic, Real, is_inf


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
            top = seen[greatest(arithmetic, seen)] if seen else ZERO
            found.append(ZERO if is_inf(top) else top)
        return found

    def sums(row: Sequence[Real], factors: Sequence[Real]) -> list[Real]:
        found, total = [], ZERO
        for x, r, level in zip(row, factors, levels(row, factors), strict=True):
            if r.parts:
                total = arithmetic.add(total, arithmetic.mul(functions.exp(arithmetic, x), r))
            found.append(arithmetic.div(total, functions.exp(arithmetic, level)))
        return found

    return [by_rows(f, op.axis, exponent, weights) for f in (levels, sums)]
