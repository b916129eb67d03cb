"""Firm values: in range, and at least some number, so that a root of one is as it is written."""

from __future__ import annotations

import numpy as np

from kanrewrite.view.forms import ONE, ZERO, Form
from kanrewrite.view.levels import overflows
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.zeros import is_unsigned


def is_firm(form: Form, algebra: Lifting) -> bool:
    """Tell whether a form is a number and what is never negative, all of it in range.

    As ``1e-5 + mean(x**2)`` is.  What underflows beside the number would be rounded away there.
    """
    coeff, expo, factors = algebra.parts(form)
    if expo.terms or len(factors) != 1 or factors[0][1] != ONE:
        return False
    terms = algebra.terms_of(factors[0][0])
    if coeff * terms.get(algebra.one, ZERO) < _smallest(algebra.dtype):
        return False
    grows = all(coeff * c > 0 and is_unsigned(m, algebra) for m, c in terms.items())
    return grows and not overflows(form, algebra)


def _smallest(dtype: str) -> float:
    """A number so large that what has underflown is lost beside it anyway."""
    limits = np.finfo(dtype)
    return float(limits.tiny) / float(limits.eps)
