"""Patterns: the sides of equations in the canonical form of a view.

A parameter is a leaf that varies along every axis; a parameter that stands for axes stays what
it is.  What is constant along such axes is told by how it was made: a reduction over them is.
"""

from __future__ import annotations

from typing import Any

from unification import Var

from kanrewrite.laws import Laws
from kanrewrite.relation.axes import freed
from kanrewrite.terms import ELEMENTWISE, Operator, Size, T, parameters_of
from kanrewrite.view.algebra import MOVES
from kanrewrite.view.forms import App, Bcast, Form, Leaf, Lin, Prod, Sum, Terms, pieces
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.lifting import Lifting

Definitions = dict[Operator, tuple[Any, Any]]


class PatternAlgebra(Lifting):
    """Forms with parameters."""

    def __init__(self, dtype: str = "float64", laws: Laws | None = None) -> None:
        super().__init__(dtype, laws)
        #: The axes that patterns name by number, by the parameters that stand for them.
        self.named: dict[Var, Any] = {}

    def constant(self, form: Form, axes: Any) -> bool:
        """Tell it of a parameter for axes too: a reduction over it is constant along it."""
        if not isinstance(axes, Var):
            return super().constant(form, axes)
        if isinstance(form, Leaf):
            return False
        if isinstance(form, Lin):
            return all(self.constant(m, axes) for m, _ in form.terms)
        if isinstance(form, App):
            reduced = form.op in (T.sum, T.max, T.prod) and form.args[1] is axes
            return reduced or all(self.constant(f, axes) for f in form.forms)
        if isinstance(form, Prod):
            inner = [m for m, _ in form.expo.terms] + [f for f, _ in form.factors]
            return all(self.constant(f, axes) for f in inner)
        assert isinstance(form, Sum)
        return all(self.constant(m, axes) for m, _ in form.terms)

    def log(self, form: Form) -> Form:
        """A log of what is moved by a parameter, into which it cannot be followed."""
        return self.app(T.log, form) if is_openly_moved(form) else super().log(form)

    def overflows(self, form: Form, where_zero: bool = True) -> bool:
        """What is moved by a parameter is taken to be out of range, as what it is of may be."""
        return is_openly_moved(form) or super().overflows(form, where_zero)

    def _left(self, terms: Terms) -> Terms | None:
        """What meets in a sum is not known while terms of it are moved by a parameter."""
        return None if any(map(is_openly_moved, terms)) else super()._left(terms)

    def _summed(self, inner: Form, axes: Any) -> Form:
        """A sum of sums, or of what is joined, stays one where an axis is a parameter."""
        among = inner.args[1:2] if isinstance(inner, App) and inner.op is T.sum else ()
        if is_open(axes, *among):
            return self._reduced(T.sum, inner, axes)
        return super()._summed(inner, axes)

    def applied(self, op: Operator, form: Form, *parameters: Any) -> Form:
        """An own Op over a parameter, of which the Op could not tell what it makes."""
        if isinstance(form, Lin) and op in self.laws.rearranging:
            return super().applied(op, form, *parameters)
        return self.app(op, form, *parameters)

    def prod_along(self, form: Form, axes: Any, lengths: Any = None) -> Form:
        """A product along axes that are a parameter."""
        if isinstance(axes, Var):
            return self._multiplied(form, axes)
        return super().prod_along(form, axes, lengths)

    def drop(self, form: Form, axes: Any) -> Form:
        """A form without the dimensions of a reduction, whose axes are a parameter."""
        if not isinstance(axes, Var):
            return super().drop(form, axes)
        inside = isinstance(form, Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE)
        if inside and pieces(form):
            return self.map(form, lambda part: self.drop(part, axes))
        return self.app(T.drop, form, axes) if form.bcast else form

    def reduced_bcast(self, bcast: Bcast, axes: Any) -> Bcast:
        """The same pattern where the axes are a parameter."""
        return bcast if isinstance(axes, Var) else super().reduced_bcast(bcast, axes)


def pattern_form(
    term: Any, algebra: PatternAlgebra, definitions: Definitions | None = None
) -> Form:
    """A side of an equation as a form; operators are read as their definitions, if given."""
    term, named = freed(term)
    algebra.named.update({variable: axis for variable, (axis, _) in named.items()})
    # Every variable is an instance of every class of variables, as unification has it.
    tensors = {
        v: algebra.leaf(v, (False,), nonneg=type(v) is Size)
        for v in parameters_of(term)
        if not _is_setting(v, term)
    }
    form: Form = instantiate(term, tensors, algebra, definitions)
    return form


def is_open(*axes: Any) -> bool:
    """Tell whether some axes are a parameter of the pattern."""
    return any(isinstance(a, Var) for a in axes)


def is_openly_moved(form: Form) -> bool:
    """Tell whether there is a move in a form that is a parameter of the pattern."""
    if isinstance(form, App) and form.op in MOVES and isinstance(form.args[1], Var):
        return True
    return any(map(is_openly_moved, pieces(form)))


def _is_setting(var: Var, term: Any) -> bool:
    """Tell whether a parameter stands for axes or an order, not for a tensor."""
    if not (isinstance(term, tuple) and term and isinstance(term[0], Operator)):
        return False
    settings = len(term) - len(term[0].parameters)
    if any(x is var or x == var for x in term[settings:]):
        return True
    return any(_is_setting(var, x) for x in term[1:settings])
