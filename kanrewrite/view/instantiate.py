"""Instantiation: a pattern with bindings becomes a form, through the constructors of forms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from unification import Var

from kanrewrite.terms import Operator, T
from kanrewrite.view.forms import HALF, ONE, Form
from kanrewrite.view.lifting import Lifting


def instantiate(
    term: Any,
    bindings: Mapping[Any, Any],
    a: Lifting,
    definitions: Mapping[Operator, tuple[Any, Any]] | None = None,
) -> Any:
    """The form of a pattern; parameters that are not forms (axes, orders) stay what they are.

    With definitions, an operator that has one is read as what it means.
    """
    if isinstance(term, Var):
        return bindings[term]
    if isinstance(term, (int, float, Fraction)) and not isinstance(term, bool):
        return a.const(term)
    if not (isinstance(term, tuple) and term and isinstance(term[0], Operator)):
        return term
    op = term[0]
    tensors = len(term) - len(op.parameters)
    operands = [instantiate(x, bindings, a, definitions) for x in term[1:tensors]]
    parameters = [bindings.get(x, x) if isinstance(x, Var) else x for x in term[tensors:]]
    if definitions is not None and op in definitions:
        left, right = definitions[op]
        return instantiate(
            right, dict(zip(left[1:], [*operands, *parameters], strict=False)), a, definitions
        )
    return construct(op, operands, parameters, a)


def construct(op: Operator, operands: list[Form], parameters: list[Any], a: Lifting) -> Form:
    """An operator over forms, in canonical form."""
    simple = SIMPLE.get(op)
    if simple is not None:
        made: Form = simple(a, *operands)
        return made
    if op in REDUCTIONS:
        axes, keepdims = parameters
        if not isinstance(axes, Var):
            axes = normal_axes(axes, operands[0].ndim)
        form: Form = getattr(a, REDUCTIONS[op])(operands[0], axes)
        return form if keepdims else a.drop(form, axes)
    if op is T.shift:
        return _shift(a, operands[0], parameters[0])
    return a.app(op, *operands, *parameters)


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as a sorted tuple of numbers from 0 on."""
    if axes is None:
        return tuple(range(ndim))
    return tuple(sorted(x % ndim for x in (axes if isinstance(axes, (tuple, list)) else [axes])))


def _shift(a: Lifting, form: Form, axes: Any) -> Form:
    """The largest value along axes, 0 where it is infinite."""
    if not isinstance(axes, Var):
        axes = normal_axes(axes, form.ndim)
    lin = a.lin(a.terms_of(form))
    return a.shift(lin, axes)


REDUCTIONS = {T.sum: "sum", T.max: "max", T.prod: "prod_along"}
SIMPLE: dict[Operator, Any] = {
    T.add: Lifting.add,
    T.sub: Lifting.sub,
    T.mul: Lifting.mul,
    T.true_div: Lifting.div,
    T.neg: Lifting.neg,
    T.exp: Lifting.exp,
    T.log: Lifting.log,
    T.reciprocal: lambda a, x: a.pow(x, -ONE),
    T.sqr: lambda a, x: a.pow(x, Fraction(2)),
    T.sqrt: lambda a, x: a.pow(x, HALF),
    T.pow: Lifting.power,
}
