"""Instantiation: a pattern with bindings becomes a form, through the constructors of forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from unification import Var

from kanrewrite.guards import is_float
from kanrewrite.terms import ELEMENTWISE, Operator, T, Term
from kanrewrite.unify import elementwise_op
from kanrewrite.view.forms import HALF, ONE, Form
from kanrewrite.view.heat import is_mask

if TYPE_CHECKING:
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
    if op in REDUCTIONS:
        operands = [_with_lengths(operands[0], term[1], bindings, a)]
    parameters = [bindings.get(x, x) if isinstance(x, Var) else x for x in term[tensors:]]
    if definitions is not None and op in definitions:
        bound = allowed(definitions[op], [*operands, *parameters])
        if bound is not None:
            return instantiate(definitions[op][1], bound, a, definitions)
    return construct(op, operands, parameters, a)


def _with_lengths(form: Form, term: Any, bindings: Mapping[Any, Any], a: Lifting) -> Form:
    """What is reduced with all the lengths of its operands, some of which may have cancelled."""
    for operand in _spanning(term, bindings):
        mine = form.bcast or (True,) * operand.ndim  # a number has none
        if any(one and not b for one, b in zip(mine, operand.bcast, strict=False)):
            form = a.spread(form, operand)
    return form


def _spanning(term: Any, bindings: Mapping[Any, Any]) -> Iterator[Form]:
    """What the parameters of a term stand for under elementwise operators."""
    if isinstance(term, Var):
        value = bindings[term]
        if isinstance(value, Form):
            yield value
    elif isinstance(term, tuple) and term and term[0] in ELEMENTWISE:
        for part in term[1:]:
            yield from _spanning(part, bindings)


def allowed(definition: tuple[Any, Any], values: list[Any]) -> dict[Any, Any] | None:
    """What the parameters of a definition stand for, None where its guards do not hold.

    Forms are floats, whatever they are cast from.
    """
    bound = dict(zip(definition[0][1:], values, strict=False))
    asked = (c for c in getattr(definition, "conditions", ()) if c.guard is not is_float)
    return bound if all(condition.holds(bound) is not False for condition in asked) else None


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
    if op is T.cumsum and not isinstance(parameters[0], Var):
        running: Form = a.cumsum(operands[0], parameters[0])
        return running
    if op is T.undrop:
        (axes,) = parameters
        number = len(axes) if isinstance(axes, tuple) else 1
        return a.undrop(operands[0], normal_axes(axes, operands[0].ndim + number))
    if op is T.fill:
        return a.spread(operands[1], operands[0])
    if op is T.shift:
        return _shift(a, operands[0], parameters[0])
    if op.op is not None and op not in ELEMENTWISE and op is not _LARGER:
        return a.applied(op, *operands, *parameters)
    return a.app(op, *operands, *parameters)


#: Operators that are neither elementwise nor read by their axioms, of which forms are made.
_FORMS = frozenset(
    {
        T.shift, T.others, T.size, T.softmax, T.log_softmax, T.softmax_grad, T.kept, T.mask,
        T.ones_like,
    }
)  # fmt: skip


def is_form(op: Operator) -> bool:
    """Tell whether forms are made of an operator, so that a result may hold it."""
    return op in SIMPLE or op in REDUCTIONS or op in ELEMENTWISE or op in _FORMS


#: The larger of values as a result states it: ``T.maximum`` is an exponent, 0 where it is infinite.
_LARGER = Operator(T.maximum.name, elementwise_op(T.maximum.name))


def as_stated(term: Any) -> Any:
    """A result whose maxima are those of its values, also where they are infinite."""
    if not isinstance(term, tuple) or not term or not isinstance(term[0], Operator):
        return term
    op = _LARGER if term[0] is T.maximum else term[0]
    return Term((op, *map(as_stated, term[1:])))


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as a sorted tuple of numbers from 0 on."""
    if axes is None:
        return tuple(range(ndim))
    listed = axes if isinstance(axes, (tuple, list)) else [axes]
    # What has lost its dimensions is bound beside axes that are counted already.
    return tuple(sorted(x % ndim for x in listed) if ndim else listed)


def _shift(a: Lifting, form: Form, axes: Any) -> Form:
    """The largest value along axes, 0 where it is infinite."""
    if not isinstance(axes, Var):
        axes = normal_axes(axes, form.ndim)
    lin = a.lin(a.terms_of(form))
    return a.shift(lin, axes)


def _condition(a: Lifting, condition: Form, yes: Form, no: Form) -> Form:
    """What a choice is made by: with nothing on one side it keeps the other, or hides it."""
    nothing = yes is a.zero or no is a.zero
    return a.app(T.mask, condition, True) if nothing and not is_mask(condition) else condition


REDUCTIONS = {T.sum: "sum", T.max: "max", T.prod: "prod_along"}
SIMPLE: dict[Operator, Any] = {
    T.add: lambda a, *terms: a.add(*terms),
    T.sub: lambda a, x, y: a.sub(x, y),
    T.mul: lambda a, *factors: a.mul(*factors),
    T.true_div: lambda a, x, y: a.div(x, y),
    T.neg: lambda a, x: a.neg(x),
    T.exp: lambda a, x: a.exp(x),
    T.log: lambda a, x: a.log(x),
    T.abs: lambda a, x: a.abs(x),
    T.reciprocal: lambda a, x: a.pow(x, -ONE),
    T.sqr: lambda a, x: a.pow(x, Fraction(2)),
    T.sqrt: lambda a, x: a.pow(x, HALF),
    T.pow: lambda a, x, k: a.power(x, k),
    T.switch: lambda a, c, x, y: a.choice(_condition(a, c, x, y), x, y),
}
