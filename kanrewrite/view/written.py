"""What of a form the graph computes as it stands: digits depend on that."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from kanrewrite.view.forms import ONE, Form, Prod, Sum, is_exact
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.matching import is_open
from kanrewrite.view.read import View


def is_known(form: Form, reader: View) -> bool:
    """Whether a form, or a multiple of it, is in the graph."""
    return form in reader.origin or form in reader.multiples


def is_written(form: Form, reader: View) -> bool:
    """Whether the graph computes the exponentials of a product as they are in its form.

    A sum of exponentials is read without its largest, and a sigmoid as a quotient of them; an
    exponential in common is read beside the sum.
    """
    if not isinstance(form, Prod):
        return True
    algebra: Lifting = form.home
    _, expo, factors = algebra.parts(form)
    parts = [algebra.exp(expo)] if expo.terms else []
    sums = [f for f, _ in factors if isinstance(f, Sum)]
    parts += [f for f in sums if expo.terms or _has_exponential(f, algebra)]
    return all(is_known(part, reader) for part in parts)


def _has_exponential(form: Sum, algebra: Lifting) -> bool:
    return any(algebra.parts(term)[1].terms for term, _ in form.terms)


def regroups(
    pattern: Form, bindings: Mapping[Any, Any], times: Fraction | None, reader: View
) -> bool:
    """Whether what parameters stand for is rounded, or leaves the range, where the graph does not.

    That is ``x / 3`` for a part of what is three times as large, and a product that the graph has
    not, where a pattern is about the order of factors.
    """
    values = [v for v in bindings.values() if isinstance(v, Prod) and v.factors]
    if is_open(pattern, {}) and not all(_is_one(v, reader) for v in values):
        return True
    if times in (None, 1, -1):
        return False
    return any(not is_exact(v.coeff) and not is_known(v, reader) for v in values)


def _is_one(form: Prod, reader: View) -> bool:
    """Whether a product is a multiple of one factor, which is no power, or of one in the graph."""
    if (len(form.factors) == 1 and abs(form.factors[0][1]) <= 1) or is_known(form, reader):
        return True
    return is_known(form.home.prod(ONE, form.expo, dict(form.factors)), reader)


def as_known(form: Form, reader: View) -> Form:
    """A product in which powers of a quotient, or a product, that the graph has are one factor."""
    if not isinstance(form, Prod) or len(form.factors) < 2:
        return form
    algebra: Lifting = form.home
    left = dict(form.factors)
    for size in {abs(power) for power in left.values()} - {ONE}:
        alike = {f: k for f, k in left.items() if abs(k) == size}
        origin = reader.origin.get(algebra.prod(ONE, algebra.no_exponent, alike))
        if origin is not None and len(alike) > 1:
            left = {f: k for f, k in left.items() if f not in alike}
            left[reader.leaf(origin, algebra)] = ONE
    return algebra.prod(form.coeff, form.expo, left)
