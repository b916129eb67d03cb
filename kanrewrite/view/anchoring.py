"""Anchoring: ``exp(a + b) == exp(max(a)) * exp(a - max(a) + b)``, where a is large and b is not.

``a + b`` has lost the digits of b then, and ``a - max(a) + b`` has not.  A graph that sums
``exp(a)`` by itself too, as where mixture weights are normalised, has that maximum anyway.
"""

from __future__ import annotations

from kanrewrite.view.forms import ONE, Axes, Form, Lin
from kanrewrite.view.lifting import Lifting


def anchored(summed: Lin, axes: Axes, a: Lifting) -> tuple[Lin, Form | None]:
    """An exponent to be summed, less the maximum of a part that is summed by itself, and that."""
    terms = dict(summed.terms)
    parts = [
        lin
        for lin in a.exponents_along.get(axes, ())
        if len(lin.terms) < len(terms) and all(terms.get(m) == c for m, c in lin.terms)
    ]
    if not parts or any(terms.get(a.shift(lin, axes)) == -ONE for lin in parts):
        return summed, None  # by two maxima it would lose what it has kept by one
    anchor = a.shift(max(parts, key=lambda lin: len(lin.terms)), axes)
    return a.plus(summed, a.lin({anchor: ONE}), -ONE), anchor
