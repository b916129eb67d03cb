"""How each operator splits into exponent and rest.

``sum(exp(a) * r) == exp(m) * sum(exp(a - m) * r)`` with ``m = max(a)`` over the summed axes, and
``dot`` likewise on each side; a move, a choice or an absolute value passes to both parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Constant, Variable

from kanrewrite.ops import ScaledCumsum, ScaledDot, ScaledOthers, ScatteredMaximum
from kanrewrite.terms import Operator, T
from kanrewrite.view.anchoring import anchored
from kanrewrite.view.context import Context, Scaled, is_divided, moving, within_log
from kanrewrite.view.contraction import leave, needs_sum, sides_of, summed
from kanrewrite.view.forms import (
    HALF,
    ONE,
    ZERO,
    App,
    Axes,
    Form,
    Leaf,
    Lin,
    Sum,
    Terms,
    Totals,
    content,
    is_exact,
)
from kanrewrite.view.heat import hot, is_mask, is_softplus
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.levels import bounded
from kanrewrite.view.logs import LogBuilder
from kanrewrite.view.maxima import moved_exponent
from kanrewrite.view.moves import Move
from kanrewrite.view.operators import finite, plain, scattered
from kanrewrite.view.towers import of_ones, tall
from kanrewrite.view.turning import turned, turned_around, turns, upright
from kanrewrite.view.zeros import hiding, may_vanish, vanishes

Splitter = Callable[[LogBuilder, App, Context], Scaled]


def _still(expo: Lin, axes: Axes) -> Totals:
    """The part of an exponent that is constant along some axes."""
    return Totals((m, c) for m, c in expo.terms if m.constant_along(axes))


# -- reductions ------------------------------------------------------------------------------


def _sum(b: LogBuilder, form: App, where: Context) -> Scaled:
    for order in turns(form):
        better = upright(form, order)
        if not (better or hot(form)):
            continue
        other, back = turned(form, order, b.a)
        if other is form:
            continue  # which is symmetric
        around = turned_around(where, form, order, b.a)
        if around is not None and (better or b.is_built(other, around)):
            return _moved_back(b, other, back, around)
    return _summed(b, form, where)


def _summed(b: LogBuilder, form: App, where: Context) -> Scaled:
    inner, axes = form.args
    divided = is_divided(form, where, b.a)
    expo, rest = b.split(inner, where._replace(apart=True) if divided else where)
    summed, still = moving(expo, axes, b.a), _still(expo, axes)
    if not summed.terms:
        return b.a.lin(still), b.make(at.sum, b.or_one(rest), axis=axes, keepdims=True)
    relative = where.exact or where.apart or divided or (summed, axes) in where.masks
    if not b.a.laws.row(T.sum).sinks or (not relative and bounded(summed, b.a)):
        body = b.scaled(b.make(at.exp, b.linear(summed)), rest)
        return b.a.lin(still), b.make(at.sum, body, axis=axes, keepdims=True)
    zeros = frozenset(f for f, _ in b.a.parts(inner)[2])
    if still and bounded(expo, b.a, zeros) and not bounded(summed, b.a, zeros):
        if not (where.exact or where.unbounded):
            body = b.scaled(b.make(at.exp, b.kept(expo, b.hidden(expo, inner))), rest)
            return b.a.no_exponent, b.make(at.sum, body, axis=axes, keepdims=True)
        summed, still = expo, Totals()  # what is constant is as large as what it is the maximum of
    left_out = max(_hidden(b, inner, (summed, axes), where), b.hidden(summed, inner), key=len)
    hidden = (*left_out, *b.nothing(summed, inner, rest))
    summed, anchor = anchored(summed, axes, b.a)
    if anchor is not None:
        still[anchor] += ONE
    power = _sunk(b, summed, axes, hidden, still)
    body = b.scaled(power, rest)
    return b.a.lin(still), b.make(at.sum, body, axis=axes, keepdims=True)


def _sunk(
    b: LogBuilder, expo: Lin, axes: Axes, hidden: tuple[Form, ...], level: Totals
) -> Variable[Any, Any]:
    """Exponentials relative to the level that leaves their sum, which is added to the others."""
    power = b.make(at.exp, _relative(b, expo, axes, hidden, level))
    b.a.built_by[power] = b.a.laws.row(T.sum).sinks[0].relation
    return power


def _relative(
    b: LogBuilder, expo: Lin, axes: Axes, hidden: tuple[Form, ...], level: Totals
) -> Variable[Any, Any]:
    """Exponents less the level that leaves the sum of their exponentials.

    The level is that of the sink of sums, with what hides an exponent left out of maxima.
    """
    expo = _beside_towers(b, expo, axes, hidden, level)
    sink = b.a.laws.row(T.sum).sinks[0]
    bound = {sink.exponent: expo, sink.rest: b.a.one, sink.parameters[0]: axes}
    leaving, body = (instantiate(side, bound, b.a) for side in (sink.level, sink.body))
    for m, c in _shown(b.a.terms_of(leaving), hidden, b).items():
        level[m] += c
    inside = Totals(expo.terms)
    for m, c in b.a.parts(body)[1].terms:
        inside[m] -= c
    taken = b.a.lin(_shown(inside, hidden, b))
    build = partial(_gap, b, expo, taken, hidden)
    # What nothing hides is the exponent of the terms beside their sum, too.
    return build() if hidden else b.as_exponent(b.a.plus(expo, taken, -ONE), build)


def _gap(b: LogBuilder, expo: Lin, taken: Lin, hidden: tuple[Form, ...]) -> Variable[Any, Any]:
    """An exponent less what is taken of it, without the number that both are multiplied by."""
    c = content(expo, taken)
    high, low = (b.a.lin({m: d / c for m, d in e.terms}) for e in (expo, taken))
    gap = b.make(at.sub, b.kept(high, hidden), b.linear(low))
    return b.total([(c, gap)])


def _beside_towers(
    b: LogBuilder, expo: Lin, axes: Axes, hidden: tuple[Form, ...], level: Totals
) -> Lin:
    """An exponent whose terms that are exponentials themselves are less the largest of them.

    Beside it the others are lost: of ``max(h + a) - max(h)`` nothing would be left of a.
    """
    towers = tall(expo, b.a)
    if towers is expo or not any(b.a.overflows(m) for m, _ in towers.terms):
        return expo
    for m, c in _still(towers, axes).items():
        level[m] += c
    gap = b.atom(_relative(b, moving(towers, axes, b.a), axes, hidden, level))
    return b.a.plus(b.a.plus(expo, towers, -ONE), b.a.lin({gap: ONE}), ONE)


def _by_sums(b: LogBuilder, made: Iterable[Variable[Any, Any]]) -> None:
    """Tell that what adds up exponentials in another way is built as the sink of sums says."""
    for sink in b.a.laws.row(T.sum).sinks[:1]:
        b.a.built_by.update(dict.fromkeys(made, sink.relation))


def _shown(levels: Terms, hidden: tuple[Form, ...], b: LogBuilder) -> Totals:
    """Levels with what hides an exponent left out."""
    return of_ones(((_without(m, hidden, b), c) for m, c in levels.items() if c), b.a)


def _without(form: Form, hidden: tuple[Form, ...], b: LogBuilder) -> Form:
    """A level with what hides an exponent left out."""
    if isinstance(form, App) and form.op is T.shift and hidden:
        return b.a.shift(form.args[0], form.args[1], hidden)
    return form


def _hidden(b: LogBuilder, inner: Form, key: tuple[Lin, Axes], where: Context) -> tuple[Form, ...]:
    """The factors of what is summed that a sum which divides around it leaves out too.

    What is zero for sure counts where nothing shows how large the sum can be.
    """
    factors = {f for f, _ in b.a.parts(inner)[2]}
    choices = [h for h in where.masks.get(key, ()) if factors.issuperset(h)]
    if not any(choices) and any(where.masks.get(key, ())):
        choices.append(hiding(inner, b.a))  # it may be as small as that sum, by factors of its own
    if key not in where.masks:
        named = hiding(inner, b.a) if where.exact else ()
        mine = [f for f, _ in b.a.parts(inner)[2]]
        shown = {f for f in named if _hides(f, key[0])}
        choices.append(tuple(f for f in mine if f in shown or _has_zeros(f)))
    if where.unbounded:
        choices.append(tuple(f for f in hiding(inner, b.a) if vanishes(f)))
    return max(choices, key=len, default=())


def _hides(form: Form, expo: Lin) -> bool:
    """Tell whether a factor may be there to hide: it is given, and no larger than the exponent is.

    Labels are; of values with many features, each would ask for a maximum of its own.
    """
    if hot(form):
        return False
    still = [i for i in range(form.ndim) if all(m.constant_along((i,)) for m, _ in expo.terms)]
    return form.constant_along(tuple(still))


def _has_zeros(form: Form) -> bool:
    """Tell whether a factor is there to hide: a condition, or a constant with zeros in it."""
    if isinstance(form, App) and form.op is T.dimshuffle:
        form = form.args[0]
    if isinstance(form, Leaf):
        return isinstance(form.var, Constant) and may_vanish(form)
    return is_mask(form)


def _others(b: LogBuilder, form: App, where: Context) -> Scaled:
    """All but one term of a sum, each relative to the largest of the others."""
    body, axes = form.args
    expo, rest = b.split(body, Context(where.masks, exact=True))
    exponent, weights = b.linear(expo), b.or_one(rest)
    if exponent.type.broadcastable != body.bcast:
        exponent = b.make(at.second, weights, exponent)  # it gives the result its lengths
    outputs: Any = b.make(ScaledOthers(axes), exponent, weights)
    level, total = outputs
    _by_sums(b, outputs)
    return b.a.lin({b.low(level): ONE}), total


def _prod(b: LogBuilder, form: App, where: Context) -> Scaled:
    inner, axes = form.args
    expo, rest = b.split(inner, where)
    power = b.a.followed(T.prod, b.a.exp(expo), axes) if expo.terms else b.a.one
    if power is None:
        out = b.make(at.prod, b.value(inner), axis=axes, keepdims=True)
        return b.a.no_exponent, out
    level, factor = b.split(power, where)
    if rest is not None:
        rest = b.make(at.prod, rest, axis=axes, keepdims=True)
    return level, b.product(ONE, [(r, ONE) for r in (factor, rest) if r is not None])


def _cumsum(b: LogBuilder, form: App, where: Context) -> Scaled:
    inner, axis = form.args
    expo, rest = b.split(inner, where)
    if not expo.terms:
        return expo, b.make(at.cumsum, b.or_one(rest), axis=axis)
    exponent, weights = b.linear(expo), b.or_one(rest)
    if exponent.type.broadcastable != weights.type.broadcastable:
        exponent = b.make(at.second, weights, exponent)  # it gives the result its lengths
    outputs: Any = b.make(ScaledCumsum(axis), exponent, weights)
    level, total = outputs
    _by_sums(b, outputs)
    return b.a.lin({b.atom(level): ONE}), total


# -- contractions ----------------------------------------------------------------------------


def _dot(b: LogBuilder, form: App, where: Context) -> Scaled:
    large = [b.a.overflows(side.form) for side in sides_of(form)]
    needed = (where.exact or (where.unbounded and any(large))) and needs_sum(form)
    shifts = bool(b.a.laws.row(T.sum).sinks)
    if shifts and (needed or (where.apart and all(large))):
        total = summed(form, b.a)
        if total is not form:
            return b.split(total, within_log(total))
        return _scaled_dot(b, form, where)
    level = Totals()
    factors = [_side(b, *side, where, level) for side in sides_of(form)]
    op = at.dot if form.op is T.dot else at.batched_dot
    return b.a.lin(level), b.make(op, *factors)


def _side(
    b: LogBuilder,
    side: Form,
    axis: int,
    order: tuple[int | str, ...],
    where: Context,
    level: Totals,
) -> Variable[Any, Any]:
    """One side of a dot product, relative to its largest exponent, which goes to the level."""
    expo, rest = b.split(side, where)
    summed, still = moving(expo, (axis,), b.a), _still(expo, (axis,))
    shifts = b.a.laws.row(T.sum).sinks
    if summed.terms and (not shifts or (not where.exact and bounded(summed, b.a))):
        rest = b.scaled(b.make(at.exp, b.linear(summed)), rest)
    elif summed.terms:
        hidden = (*_hidden(b, side, (summed, (axis,)), where), *b.nothing(summed, side, rest))
        rest = b.scaled(_sunk(b, summed, (axis,), hidden, still), rest)
    leave(still, order, level, b.a)
    return with_lengths(b, b.or_one(rest), expo, side)


def _scaled_dot(b: LogBuilder, form: App, where: Context) -> Scaled:
    """Two matrices whose largest exponentials may not meet.

    What a sum around it divides by leaves them first: of ``exp(y)`` with a huge y that becomes a
    weight below 1, nothing is left beside what the other matrix has.
    """
    inputs: list[Variable[Any, Any]] = []
    around = Totals()
    for side, axis, order in sides_of(form):
        expo, rest = b.split(side, where)
        weights = with_lengths(b, b.or_one(rest), expo, side)
        exponent = b.linear(expo) if expo.terms else b.constant(ZERO)
        summed = moving(expo, (axis,), b.a)
        if (summed, (axis,)) in where.masks:
            still = _still(expo, (axis,))
            hidden = _hidden(b, side, (summed, (axis,)), where)
            exponent = _relative(b, summed, (axis,), hidden, still)
            leave(still, order, around, b.a)
        if exponent.type.broadcastable != side.bcast:
            exponent = b.make(at.second, weights, exponent)
        inputs += [exponent, weights]
    outputs: Any = b.make(ScaledDot(), *inputs)
    level, total = outputs
    _by_sums(b, outputs)
    around[b.low(level)] += ONE
    return b.a.lin(around), total


def with_lengths(
    b: LogBuilder, rest: Variable[Any, Any], expo: Lin, side: Form
) -> Variable[Any, Any]:
    """A side of a dot product with the lengths that its exponent may have taken along."""
    if rest.type.broadcastable == side.bcast:
        return rest
    like = b.linear(expo) if expo.terms else rest
    if like.type.broadcastable != side.bcast:
        like = b.make(at.add, like, rest)
    return b.make(at.second, like, rest)


# -- moves, choices and logs -----------------------------------------------------------------


def _moved(b: LogBuilder, form: App, where: Context) -> Scaled:
    inner, move = form.args
    return _moved_back(b, inner, move, where)


def _moved_back(b: LogBuilder, inner: Form, move: Move, where: Context) -> Scaled:
    expo, rest = b.split(inner, where)
    out = moved_exponent(expo, move, b.a)
    return out, None if rest is None else b.make(move.apply, b.filled(rest, inner, move))


def _switch(b: LogBuilder, form: App, where: Context) -> Scaled:
    cond, yes, no = form.args
    if isinstance(yes, Lin):  # a choice of exponents is one itself
        return b.a.no_exponent, b.make(at.switch, b.raw(cond), b.value(yes), b.value(no))
    (e, r), (f, s) = b.split(yes, where), b.split(no, where)
    out = b.make(at.switch, b.raw(cond), b.or_one(r), b.or_one(s))
    if isinstance(cond, App) and cond.op is T.lt:  # one of two, of which any may be nan
        sign = b.sign_of(cond.args[0])
        out = b.make(at.switch, b.make(at.isnan, sign), sign, out)
    if e is f:
        return e, out
    return b.a.lin({b.a.app(T.switch, cond, e, f): ONE}), out


def _join(b: LogBuilder, form: App, where: Context) -> Scaled:
    """``join(exp(a) * r, exp(b) * s) == exp(join(a, b)) * join(r, s)``, -inf where r is 0."""
    *parts, axis = form.args
    if not ((where.exact or where.apart) and b.a.overflows(form)):
        return b.a.no_exponent, b.make(at.join, axis, *(b.value(p, where) for p in parts))
    split = [b.split(p, where) for p in parts]
    rests = [with_lengths(b, b.or_one(r), e, p) for p, (e, r) in zip(parts, split, strict=True)]
    low, levels = b.constant_of(-np.inf), []
    for (e, _), r in zip(split, rests, strict=True):
        level = b.linear(e) if e.terms else b.constant(ZERO)
        levels.append(b.make(at.switch, b.make(at.eq, r, b.constant(ZERO)), low, level))
    whole = b.make(at.join, axis, *levels)
    return b.a.lin({b.low(whole): ONE}), b.make(at.join, axis, *rests)


def _abs(b: LogBuilder, form: App, where: Context) -> Scaled:
    expo, rest = b.split(form.args[0], where)
    return expo, b.make(at.abs, b.or_one(rest))


def _pow(b: LogBuilder, form: App, where: Context) -> Scaled:
    base, power = form.args
    expo, rest = b.split(base, where)
    raised = b.a.lin(b.a.terms_of(b.a.mul(expo, power)))
    return raised, None if rest is None else b.make(at.pow, rest, b.value(power))


def _log(b: LogBuilder, form: App, where: Context) -> Scaled:
    inner = form.args[0]
    if where.exact and is_softplus(form):
        return b.split_softplus(form)
    if isinstance(inner, Sum) and not hot(inner):
        one = dict(inner.terms).get(b.a.one)
        # What may nearly cancel is not divided by a number, which would round it.
        if one is not None and one > 0 and (inner.nonneg or is_exact(one)):
            others = b.a.add_terms({m: c / one for m, c in inner.terms if m is not b.a.one})
            terms = [(ONE, b.make(at.log1p, b.value(others)))]
            if one != 1:
                terms.append((ONE, b.make(at.log, b.constant(one))))
            return b.a.no_exponent, b.total(terms)
    expo, rest = b.log_parts(inner)
    terms = [(ONE, b.linear(expo))] if expo.terms else []
    if rest is not None:
        terms.append((ONE, rest))
    return b.a.no_exponent, _near_one(b, inner, b.total(terms))


def _near_one(b: LogBuilder, form: Form, log: Variable[Any, Any]) -> Variable[Any, Any]:
    """The log of a form by what it is more than 1, where that is little and in range.

    Of what is beside 1 nothing is left in ``1 - w*p - (1 - w)*q``, nor in its log.
    """
    whole = isinstance(form, Sum) and form.nonneg  # all of whose terms count
    if whole or not hot(form) or any(k < 0 and hot(f) for f, k in b.a.parts(form)[2]):
        return log
    more = b.a.sub(form, b.a.one)
    if b.a.one in b.a.terms_of(more) or b.a.overflows(more):
        return log
    value = b.value(more)
    near = b.make(at.lt, b.make(at.abs, value), b.constant(HALF))
    return b.make(at.switch, near, b.make(at.log1p, value), log)


def _scatter(b: LogBuilder, form: App, where: Context) -> Scaled:
    """Exponentials that are added up where they are put, each relative to the largest there.

    The level is -inf where nothing is put.
    """
    inner, move, like = form.args
    node = like.var.owner
    if T.scatter in b.view.avoided or not b.a.overflows(inner):
        return b.a.no_exponent, plain(b, form)
    expo, rest = b.split(inner, where)
    if not expo.terms:
        return b.a.no_exponent, plain(b, form)
    zeros = hiding(inner, b.a) if where.exact or where.unbounded else ()
    exponent = b.kept(expo, tuple(f for f in zeros if not hot(f)))
    shape = b.make(at.shape, node.inputs[0])
    places: Any = b.make(at.arange, b.make(at.prod, shape))
    numbered = b.make(move.apply, b.make(at.reshape, places, shape, ndim=len(like.bcast)))
    top = b.make(ScatteredMaximum(like.bcast), exponent, numbered, shape)
    gap = b.make(at.sub, exponent, b.make(move.apply, finite(b, top)))
    values = b.scaled(b.make(at.exp, gap), rest)
    level = b.make(at.switch, b.make(at.eq, top, b.constant_of(np.inf)), b.constant(ZERO), top)
    _by_sums(b, [top])
    return b.a.lin({b.low(level): ONE}), scattered(b, form, values)


def _closed(b: LogBuilder, form: App, where: Context) -> Scaled:
    """What nobody looks into: its exponent is a number, which what is around may need.

    The value may have vanished where an exponential around it is out of range.
    """
    expo, rest = b.split(form.args[0], where)
    if not expo.terms:
        return expo, rest
    return b.a.lin({b.atom(b.linear(expo)): ONE}), rest


SPLITTERS: dict[Operator, Splitter] = {
    T.closed: _closed,
    T.scatter: _scatter,
    T.sum: _sum,
    T.others: _others,
    T.prod: _prod,
    T.cumsum: _cumsum,
    T.dimshuffle: _moved,
    T.subtensor: _moved,
    T.log: _log,
    T.dot: _dot,
    T.batched_dot: _dot,
    T.switch: _switch,
    T.abs: _abs,
    T.pow: _pow,
    T.join: _join,
}
