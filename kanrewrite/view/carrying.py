"""Carrying: whether a tensor vanishes, and overflows, as exponentials in it do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.guards.bounds import assumed
from kanrewrite.laws import Laws
from kanrewrite.terms import T
from kanrewrite.view.algebra import is_ones
from kanrewrite.view.forms import App, Form, Leaf, Lin, Prod, Sum, remembered
from kanrewrite.view.heat import shows
from kanrewrite.view.levels import overflows
from kanrewrite.view.nodes import FLOATS
from kanrewrite.view.read import View
from kanrewrite.view.zeros import NEVER_ZERO

#: Operators each of whose operands is the value somewhere.
CHOICES = {T.switch, T.join}
#: Operators that are positive where each of their operands is.
POSITIVE = {
    T.sum, T.prod, T.max, T.min, T.maximum, T.dot, T.batched_dot, T.dimshuffle, T.drop, T.subtensor,
    T.switch, T.cumsum, T.join, T.abs, T.pow,
}  # fmt: skip


class Carried(NamedTuple):
    """What is known of the size and the sign of a tensor.

    Attributes
    ----------
    exponential
        Whether it is nothing but products with exponentials, and sums of such.
    positive
        Whether it is positive, for sure.
    large
        Whether it may be out of the range of floats.
    """

    exponential: bool
    positive: bool
    large: bool


@remembered
def carries(form: Form) -> bool:
    """Tell whether each term of a form is a product with an exponential, or zero."""
    if isinstance(form, Prod):
        if not form.coeff or form.expo.terms:
            return True
        if any(carries(f) for f, _ in form.factors):
            return True
        growing = [n for f, n in form.factors if _grows(f)]
        return bool(growing) and all(n < 0 for n in growing)
    if isinstance(form, Sum | Lin):
        return all(carries(m) for m, _ in form.terms)
    if not isinstance(form, App) or not shows(form):
        return False
    values = [f for f in form.forms if not isinstance(f, Leaf)]
    return bool(values) and (all if form.op in CHOICES else any)(map(carries, values))


def _grows(form: Form) -> bool:
    """Tell whether a term of a sum carries: what is divided by it vanishes."""
    return isinstance(form, Sum | Lin) and any(carries(m) for m, _ in form.terms)


def _is_one(form: Form) -> bool:
    """Tell whether a monomial is 1, of whatever shape."""
    if isinstance(form, Prod):
        return not form.expo.terms and all(is_ones(f) for f, _ in form.factors)
    return is_ones(form)


@remembered
def is_positive(form: Form) -> bool:
    """Tell whether a form is positive, however small."""
    if isinstance(form, Leaf):
        data = getattr(form.var, "data", None)
        if data is None:
            return assumed(form.var).low > 0
        return bool(np.all(np.asarray(data) > 0))
    if isinstance(form, Prod):
        return form.coeff > 0 and all(is_positive(f) for f, _ in form.factors)
    if isinstance(form, Sum | Lin):
        number = sum(c for m, c in form.terms if _is_one(m))
        others = [(m, c) for m, c in form.terms if not _is_one(m)]
        surely = number > 0 or (not number and any(is_positive(m) for m, _ in others))
        return surely and all(c > 0 and m.nonneg for m, c in others)
    if not isinstance(form, App):
        return False
    values = form.forms[1:] if form.op is T.switch else form.forms
    return form.op in NEVER_ZERO or (form.op in POSITIVE and all(map(is_positive, values)))


def carrying(laws: Laws) -> Callable[[Variable[Any, Any]], Carried]:
    """A reading that tells what carries exponentials.

    Parameters
    ----------
    laws
        What is followed when a graph is read.
    """
    view = View(laws)

    def read(variable: Variable[Any, Any]) -> Carried:
        if getattr(variable.type, "dtype", None) not in FLOATS:
            return Carried(False, False, False)
        try:
            form = view.read(variable)
        except Exception:  # noqa: BLE001  # what cannot be read is nothing that is known
            view.read_as_leaf(variable)
            form = view.read(variable)
        large = overflows(form, view.algebra(variable.type.dtype))
        return Carried(carries(form), is_positive(form), large)

    return read
