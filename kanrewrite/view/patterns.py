"""Patterns: the sides of equations in the canonical form of a view.

A parameter is a leaf that varies along every axis; a parameter that stands for axes stays what
it is.  What is constant along such axes is told by how it was made: a reduction over them is.
"""

from __future__ import annotations

from typing import Any

from unification import Var

from kanrewrite.terms import Operator, T, parameters_of
from kanrewrite.view.forms import App, Bcast, Form, Leaf, Prod, Sum
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.lifting import Lifting

Definitions = dict[Operator, tuple[Any, Any]]


class PatternAlgebra(Lifting):
    """Forms with parameters."""

    def constant(self, form: Form, axes: Any) -> bool:
        """Tell it of a parameter for axes too: a reduction over it is constant along it."""
        if not isinstance(axes, Var):
            return super().constant(form, axes)
        if isinstance(form, Leaf):
            return False
        if isinstance(form, App):
            reduced = form.op in (T.sum, T.max, T.prod) and form.args[1] is axes
            return reduced or all(self.constant(f, axes) for f in form.forms)
        if isinstance(form, Prod):
            inner = [m for m, _ in form.expo.terms] + [f for f, _ in form.factors]
            return all(self.constant(f, axes) for f in inner)
        assert isinstance(form, Sum)
        return all(self.constant(m, axes) for m, _ in form.terms)

    def reduced_bcast(self, bcast: Bcast, axes: Any) -> Bcast:
        """The same pattern where the axes are a parameter."""
        return bcast if isinstance(axes, Var) else super().reduced_bcast(bcast, axes)


def pattern_form(
    term: Any, algebra: PatternAlgebra, definitions: Definitions | None = None
) -> Form:
    """A side of an equation as a form; operators are read as their definitions, if given."""
    tensors = {
        v: algebra.leaf(v, (False,)) for v in parameters_of(term) if not _is_setting(v, term)
    }
    form: Form = instantiate(term, tensors, algebra, definitions)
    return form


def _is_setting(var: Var, term: Any) -> bool:
    """Tell whether a parameter stands for axes or an order, not for a tensor."""
    if not (isinstance(term, tuple) and term and isinstance(term[0], Operator)):
        return False
    settings = len(term) - len(term[0].parameters)
    if any(x is var or x == var for x in term[settings:]):
        return True
    return any(_is_setting(var, x) for x in term[1:settings])
