"""Own Ops are built as the lifts and sinks say that somebody has stated for them.

``R(exp(a) * r) == exp(R(a)) * R(r)``, a lift, is said of what rearranges elements, and leaves some
out: so R may be applied to each term of an exponent.  ``P(exp(a) * r) == exp(m) * P(exp(a - Up(m))
* r)``, a sink, is said of what adds up elements.  An Op of which nothing is said is a leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aesara.tensor as at
from aesara.graph.basic import Variable

from kanrewrite.laws import Sink, takes_exponent
from kanrewrite.view.forms import ONE, App, Lin
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.splitters import with_lengths

if TYPE_CHECKING:
    from kanrewrite.view.context import Context, Scaled
    from kanrewrite.view.logs import LogBuilder


def split_own(b: LogBuilder, form: App, where: Context) -> Scaled:
    """An own Op as exponent and rest, by its lift or its sink."""
    inner, *parameters = form.args
    row = b.a.laws.row(form.op)
    expo, rest = b.split(inner, where)
    weights = with_lengths(b, b.or_one(rest), expo, inner)
    if not expo.terms:
        return expo, b.make(_applied, form.op.op, weights, *parameters)
    exponent = expo
    if any(m.bcast != inner.bcast for m, _ in expo.terms):
        var = b.linear(expo)
        if var.type.broadcastable != inner.bcast:
            var = b.make(at.second, weights, var)
        exponent = b.a.lin({b.atom(var): ONE})
    for lift in row.lifts:
        if takes_exponent(lift):
            bound = dict(zip(lift.parameters, parameters, strict=True))
            bound[lift.parts[0].variable] = exponent
            level, factor = b.split(instantiate(lift.outside, bound, b.a), where)
            left = b.make(_applied, form.op.op, weights, *parameters)
            return level, left if factor is None else b.make(at.mul, factor, left)
    return _sunk(b, form, row.sinks[0], exponent, None if rest is None else weights)


def _sunk(
    b: LogBuilder, form: App, sink: Sink, exponent: Lin, weights: Variable[Any, Any] | None
) -> Scaled:
    _, *parameters = form.args
    bound = dict(zip(sink.parameters, parameters, strict=True))
    bound[sink.exponent] = exponent
    if sink.rest is not None:
        bound[sink.rest] = b.a.one if weights is None else b.atom(weights)
    level = b.a.lin(b.a.terms_of(instantiate(sink.level, bound, b.a)))
    body = instantiate(sink.body, bound, b.a)
    return level, b.make(_applied, form.op.op, b.value(body), *parameters)


def _applied(op: Any, *inputs: Any) -> Any:
    return op(*inputs)
