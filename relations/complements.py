r"""The shift algebra: what is left of a sum, or of 1, without nearly all of it.

The difference has lost its digits where its terms are nearly equal; what is left is summed by
itself.  Of the same family as `kanrewrite.relations.lifting`.  That $1 - \frac1n \sum_j a_j$ is
$\frac1n \sum_j (1 - a_j)$ is stated by `kanrewrite.relations.merging.sums_merge`.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 1.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aesara.tensor as at

from kanrewrite import Axis, Eq, Float, T, eq, nonnegative, relation, same_shape

Sides = tuple[Any, Any]

KEPT: dict[str, Any] = {"axis": 1, "keepdims": True}


@relation(role="cancel", family="lifting")
def masks_complement(c: Float, a: Float, axis: Axis) -> Iterator[Eq]:
    """What is left of a tensor, or of its sum, without what a mask keeps is what it hides.

    The mask may be where an index points to: the diagonal, or a label in each row.
    """
    kept, hidden = T.switch(c, a, 0), T.switch(c, 0, a)
    yield eq(a - kept, hidden)
    total, part = (T.sum(x, axis, keepdims=True) for x in (a, kept))
    yield eq(total - part, T.sum(hidden, axis, keepdims=True)).when(same_shape(a, c))


@relation(role="cancel", family="lifting")
def weights_complement(w: Float, a: Float, axis: Axis) -> Iterator[Eq]:
    """A sum less what weights leave of it: one less the weight is exact where the sums cancel."""
    total, part = (T.sum(x, axis, keepdims=True) for x in (a, w * a))
    left = T.sum((1 - w) * a, axis, keepdims=True)
    yield eq(total - part, left).when(same_shape(a, w))


@relation(role="cancel", family="lifting")
def products_complement(a: Float, axis: Axis) -> Iterator[Eq]:
    """A product is an exponential, of which ``expm1`` is what is missing to 1."""
    logs = T.sum(T.log(a), axis, keepdims=True)
    yield eq(1 - T.prod(a, axis, keepdims=True), -T.expm1(logs)).when(nonnegative(a))


@relation(role="cancel", family="lifting")
def roots_complement(a: Float) -> Iterator[Eq]:
    """What is missing to 1 is less for a root, by a factor that loses nothing."""
    yield eq(1 - T.sqrt(a), (1 - a) / (1 + T.sqrt(a))).when(nonnegative(a))


@masks_complement.example
def _all_but_the_masked() -> Sides:
    c, x = at.matrices("c", "x")
    kept = at.switch(c, x, 0)
    return x.sum(**KEPT) - kept.sum(**KEPT), at.switch(c, 0, x).sum(**KEPT)


@masks_complement.example
def _all_but_the_masked_exponentials() -> Sides:
    c, x = at.matrices("c", "x")
    kept = at.switch(c, at.exp(x), 0)
    return at.exp(x).sum(**KEPT) - kept.sum(**KEPT), at.switch(c, 0, at.exp(x)).sum(**KEPT)


@masks_complement.non_example
def _the_masked() -> Sides:
    c, x = at.matrices("c", "x")
    kept = at.switch(c, x, 0)
    return x.sum(**KEPT) - kept.sum(**KEPT), kept.sum(**KEPT)


@weights_complement.example
def _all_but_the_weighted() -> Sides:
    w, x = at.matrices("w", "x")
    return x.sum(**KEPT) - (w * x).sum(**KEPT), ((1 - w) * x).sum(**KEPT)


@weights_complement.example
def _all_but_the_weighted_exponentials() -> Sides:
    w, x = at.matrices("w", "x")
    e = at.exp(x)
    return e.sum(**KEPT) - (w * e).sum(**KEPT), ((1 - w) * e).sum(**KEPT)


@weights_complement.non_example
def _one_less_the_mean_weight() -> Sides:
    w, x = at.matrices("w", "x")
    return x.sum(**KEPT) - (w * x).sum(**KEPT), (1 - w.mean(**KEPT)) * x.sum(**KEPT)


@products_complement.example
def _noisy_or() -> Sides:
    x = at.matrix("x")
    kept = 1 / (1 + at.exp(x))
    return 1 - at.prod(kept, **KEPT), -at.expm1(at.log(kept).sum(**KEPT))


@products_complement.non_example
def _along_another_axis() -> Sides:
    x = at.matrix("x")
    missing = 1 - at.prod(1 / (1 + at.exp(x)), **KEPT)
    return missing, -at.expm1(-at.log(1 + at.exp(x)).sum(axis=0, keepdims=True))


@roots_complement.example
def _root_of_a_sigmoid() -> Sides:
    x = at.matrix("x")
    chance = 1 / (1 + at.exp(-x))
    return 1 - at.sqrt(chance), (1 - chance) / (1 + at.sqrt(chance))


@roots_complement.non_example
def _a_third_root() -> Sides:
    x = at.matrix("x")
    share = 1 / (1 + at.exp(-x))
    return 1 - share ** (1 / 3), (1 - share) / (1 + share ** (1 / 3))
