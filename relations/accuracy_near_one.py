"""Accuracy: products that are near to 1, as their factors are.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 1.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Eq, Float, T, eq, relation


@relation(family="accuracy", where="digits")
def product_less_one(x: Float, b: Float) -> Iterator[Eq]:
    """How far a product is from 1 is how far its factors are."""
    near = T.lt(T.abs(x), 0.5)
    growth, share = T.exp(x) * b - 1, 1 - T.cos(x) * b
    yield eq(growth, T.switch(near, T.expm1(x) * b + (b - 1), growth))
    yield eq(share, T.switch(near, (1 - T.cos(x)) * b + (1 - b), share))


@product_less_one.example
def _growth() -> tuple[Any, Any]:
    x, b = at.dvectors("x", "b")
    written = at.exp(x) * b - 1.0
    return written, at.switch(at.lt(abs(x), 0.5), at.expm1(x) * b + (b - 1.0), written)


@product_less_one.non_example
def _product_less_two() -> Any:
    x, b = at.dvectors("x", "b")
    return at.exp(x) * b - 2
