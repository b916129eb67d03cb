"""Plain building: forms as graphs without shifting anything.

Used for what a single rewrite returns: the result is what the relation says, and every part of it
that the graph already computes is taken from there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable

from kanrewrite.view.build import Builder
from kanrewrite.view.context import Context, Scaled
from kanrewrite.view.forms import Form
from kanrewrite.view.heat import hot
from kanrewrite.view.read import View


class PlainBuilder(Builder):
    """Builds forms as they read: an exponent never leaves its exponential.

    Parameters
    ----------
    view
        Whose forms are built.
    dtype
        The float dtype of every result.
    safe
        What builds exponentials that the graph does not compute already.  A view with definitions
        needs it: it reads a softmax as a quotient, which must not be written out.
    """

    def __init__(self, view: View, dtype: str, safe: Builder | None = None):
        super().__init__(view, dtype)
        self.safe = safe

    def split(self, form: Form, where: Context) -> Scaled:
        """The whole value as the rest; the exponent is empty."""
        built = self.reuse.once(form, partial(self._value, form, where))
        return self.a.no_exponent, built

    def _value(self, form: Form, where: Context) -> Variable[Any, Any]:
        origin = self.view.origin.get(form)
        if origin is not None and origin.type.ndim == form.ndim:
            return origin
        if not hot(form) and form in self.view.origin:
            return self.view.origin[form]
        if self.safe is not None and hot(form):
            return self.safe.value(form)
        expo, rest = self._split_new(form, where)
        if not expo.terms:
            return self.or_one(rest)
        power = self.make(at.exp, self.linear(expo))
        return power if rest is None else self.make(at.mul, power, rest)
