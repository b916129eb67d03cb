"""Inner products of ordinary numbers, in integers: exact, and a tenth of the work.

A product of a row and a column is one sum of integers where each of their numbers is one part, the
terms are of about one size, and they do not cancel.  Everything else is summed part by part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from mpmath import libmp

from kanrewrite.reference.scales import ZERO, Arithmetic, Real, magnitude

Array = np.ndarray[Any, Any]
Rows = Sequence[Sequence[Real]]

#: Shorter rows are summed as fast one by one.
SHORT = 8
#: Exponents that numpy's integers hold, sums of two of them too.
_LARGEST = 2**60
#: The magnitude of zero.
_NONE = -(2**62)
#: So many bits from the largest to the smallest number of a row are written out.
_WIDE = 4096


class _Scaled(NamedTuple):
    """A row as whole numbers times one power of two, and the magnitude of each number."""

    whole: Array
    exponent: int
    magnitudes: Array


def _scaled(row: Sequence[Real]) -> _Scaled | None:
    """A row in whole numbers, None where one is not ordinary or they are too far apart."""
    if any(len(value.parts) > 1 or value.floor is not None for value in row):
        return None
    raws = [value.parts[0] if value.parts else libmp.fzero for value in row]
    filled = [raw for raw in raws if raw[1]]
    if len(filled) < len(raws) and any(not raw[1] and raw != libmp.fzero for raw in raws):
        return None  # an infinity, or no number
    least = min((raw[2] for raw in filled), default=0)
    if max((raw[2] for raw in filled), default=0) - least > _WIDE or abs(least) > _LARGEST:
        return None
    whole = np.empty(len(raws), dtype=object)
    whole[:] = [
        (-man if sign else man) << (exp - least) if man else 0 for sign, man, exp, _ in raws
    ]
    sizes = [exp + bits if man else _NONE for _, man, exp, bits in raws]
    return _Scaled(whole, least, np.array(sizes, "int64"))


class Products:
    """Sums of products of the rows of one table and those of another.

    Parameters
    ----------
    rows, columns : sequence of sequences of Real
    arithmetic : Arithmetic
    """

    def __init__(self, rows: Rows, columns: Rows, arithmetic: Arithmetic):
        self.rows, self.columns, self.arithmetic = rows, columns, arithmetic

    def __iter__(self) -> Iterator[Real]:
        """Each row with each column."""
        whole = [_scaled(column) for column in self.columns]
        for row in self.rows:
            left = _scaled(row)
            for column, right in zip(self.columns, whole, strict=True):
                found = None if left is None or right is None else self._exact(left, right)
                yield self._summed(row, column) if found is None else found

    def _summed(self, row: Sequence[Real], column: Sequence[Real]) -> Real:
        multiply = self.arithmetic.mul
        return self.arithmetic.total(multiply(u, v) for u, v in zip(row, column, strict=True))

    def _exact(self, left: _Scaled, right: _Scaled) -> Real | None:
        """The sum as one number, None where it is more than one or its terms cancel."""
        sizes = left.magnitudes + right.magnitudes
        sizes = sizes[sizes > _NONE // 2]
        if not sizes.size:
            return ZERO
        high = int(sizes.max())
        if high - int(sizes.min()) + sizes.size.bit_length() > self.arithmetic.separate:
            return None
        total = np.dot(left.whole, right.whole)
        raw = libmp.from_man_exp(total, left.exponent + right.exponent, self.arithmetic.bits, "n")
        alike = raw[1] and high - magnitude(raw) <= self.arithmetic.bits // 4
        return Real((raw,)) if alike else None
