"""Sinking: ``a * scatter(b, index) == scatter(a[index] * b, index)``, for a scatter is 0 elsewhere.

What is scattered may be out of range where the factor outside would bring it back, and the factor
outside may be so where nothing is scattered.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from typing import TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.chosen import under
from kanrewrite.view.contraction import as_sum, summed
from kanrewrite.view.elements import LARGEST
from kanrewrite.view.forms import (
    ONE,
    App,
    Axes,
    Form,
    Lin,
    Prod,
    Sum,
    join_bcast,
    operators_within,
    pieces,
)
from kanrewrite.view.heat import hot, is_mask
from kanrewrite.view.levels import level, vanishes
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.takes import as_long
from kanrewrite.view.zeros import may_vanish

#: How many ways to share factors between the inside and the outside of a sum are tried.
TRIES = 32


def sunk(form: Prod, a: Lifting) -> list[tuple[Fraction, Form]] | None:
    """A product as a sum of terms, each with all its exponentials inside its scatter, or None."""
    form = with_sums_inside(form, a)
    for f, k in form.factors:
        scatters = list(scatters_in(f))
        if k != 1 or not scatters:
            continue
        alone = any(a.overflows(g.args[0]) for g in scatters)
        outer = a.prod(form.coeff, form.expo, {g: j for g, j in form.factors if g is not f})
        if not hot(outer) or not (alone or a.overflows(form)):
            continue
        parts = list(f.terms) if isinstance(f, Sum) else [(f, ONE)]
        terms = [(c, inside(a.mul(outer, m), a)) for m, c in parts]
        found = [(c, t) for c, t in terms if t is not None]
        if len(found) < len(terms) or found == [(ONE, form)]:
            continue
        found = [(c * d, s) for c, t in found for d, s in _apart_from(form, t, a)]
        if alone or not any(a.overflows(t) for _, t in found):
            return found
    whole = into_join(form, a) or into_sum(form, a)
    return None if whole is None else [(ONE, whole)]


def _apart_from(form: Prod, term: Form, a: Lifting) -> list[tuple[Fraction, Form]]:
    """A term of a product, which may have sums of its own that bring it into range."""
    again = isinstance(term, Prod) and term is not form and a.overflows(term)
    return (sunk(term, a) if again else None) or [(ONE, term)]  # type: ignore[arg-type]


def with_sums_inside(form: Prod, a: Lifting) -> Prod:
    """``sum(scatter(b, index), axes) == scatter(sum(b, axes), index)`` beside the index.

    In a product that has all lengths of the scatter, so that the sum may have them too.
    """
    for f, k in form.factors:
        if k != 1 or not (isinstance(f, App) and f.op is T.sum and is_scatter(f.args[0])):
            continue
        (values, move, like), axes = f.args[0].args, f.args[1]
        places = move.along(axes)
        if places is None or form.bcast != like.bcast:
            continue
        like = as_long(like, move, axes, form, a)  # the sum has forgotten how long they were
        if like is None:
            continue
        lengths = a.move(like, move)
        total = a.spread(a.sum(a.spread(values, lengths), places), lengths)
        whole = a.app(T.scatter, total, move, like, bcast=like.bcast)
        new = a.mul(a.div(form, f), whole)
        return with_sums_inside(new, a) if isinstance(new, Prod) else form
    return form


def into_join(form: Prod, a: Lifting) -> Form | None:
    """``a * join(b, c) == join(a * b, a * c)``, where it is out of range without a."""
    if not a.overflows(form):
        return None
    for f, k in form.factors:
        if k != 1 or not (isinstance(f, App) and f.op is T.join and a.overflows(f)):
            continue
        *parts, axis = f.args
        outer = a.div(form, f)
        if hot(outer) and outer.ndim == f.ndim and outer.constant_along((axis,)):
            whole = join_bcast([f.bcast, outer.bcast])
            inner = (_with_lengths_of(a.mul(outer, p), (p, outer), a) for p in parts)
            return a.app(T.join, *inner, axis, bcast=whole)
    return None


def _with_lengths_of(form: Form, likes: tuple[Form, ...], a: Lifting) -> Form:
    """A product with the lengths of its factors, which may have cancelled."""
    if form.bcast == join_bcast([f.bcast for f in likes]):
        return form
    return a.mul(form, *(a.ones(f) for f in likes))


def apart(form: Prod, a: Lifting) -> list[tuple[Fraction, Form]] | None:
    """A product that overflows as terms in which 0 does not meet infinity, or None.

    It goes into the terms of ``exp(x) * (a + b)`` where conditions hide a and b, and to where
    numbers are put among zeros.
    """
    form = with_sums_inside(form, a)
    for f, k in form.factors:
        choices = isinstance(f, Sum) and all(_is_choice(m, a) for m, _ in f.terms)
        if k != 1 or not (choices or (is_scatter(f) and not hot(f))):
            continue
        outer = a.div(form, f)
        if not a.overflows(outer):
            continue
        if isinstance(f, Sum):
            return [(c, a.mul(outer, m)) for m, c in f.terms]
        term = inside(form, a)
        return None if term is None or term is form else [(ONE, term)]
    return None


def _is_choice(form: Form, a: Lifting) -> bool:
    """Tell whether a condition hides a product."""
    return any(k > 0 and is_mask(f) for f, k in a.parts(form)[2])


def into_sum(form: Prod, a: Lifting) -> Form | None:
    """``a * sum(b) == c * sum(d * b)`` with ``a == c * d``, where both are in range."""
    if not a.overflows(form):
        return None
    for f, k in form.factors:
        large = a.overflows(f)
        scatters = hot(f) and T.scatter in operators_within(f)
        total = _total(f, a) if k == 1 and (large or scatters) else None
        if total is None or not (large or _fading_scatters(total[0], a)):
            continue
        body, axes, drops = total
        others = {g: j for g, j in form.factors if g is not f}
        outer = a.prod(ONE, form.expo, others)
        if drops and outer.ndim != f.ndim:
            if f.bcast or outer.ndim != body.ndim:
                continue
            drops = False  # one number goes into everything, whatever its dimensions
        outer = a.undrop(outer, axes) if drops else outer
        shares = list(_shares(outer, axes, a))
        completed = _completing(outer, body, axes, a)
        # Where a factor is zero, the result itself may be out of range.
        for where_zero, (taken, left) in [*product((True, False), shares), *completed]:
            inner = inside(a.mul(taken, body), a)
            large = a.overflows(left) and (where_zero, (taken, left)) not in completed
            if inner is None or large or _out_of_range(inner, a, where_zero):
                continue
            new: Form = a.app(T.sum, inner, axes, bcast=a.reduced_bcast(inner.bcast, axes))
            both = a.mul(a.const(form.coeff), left, new)
            return a.drop(both, axes) if drops else both
    return None


def _fading_scatters(form: Form, a: Lifting) -> bool:
    """Tell whether what a product scatters may underflow where the factor outside is large."""
    factors = a.parts(form)[2]
    return any(k == 1 and is_scatter(f) and vanishes(f.args[0], a) for f, k in factors)


def _out_of_range(form: Form, a: Lifting, where_zero: bool) -> bool:
    """Tell whether a form, or what it scatters, can be out of range."""
    if where_zero:
        return a.overflows(form)
    (only, *others) = a.parts(form)[2] or ((form, ONE),)
    if others or not is_scatter(only[0]):
        return True
    return a.overflows(only[0].args[0], where_zero)


def _total(form: Form, a: Lifting) -> tuple[Form, Axes, bool] | None:
    """What is summed, along which axes, and whether these are dropped."""
    if isinstance(form, App) and form.op is T.sum:
        body, axes = form.args
        return summed(body, a), axes, False
    if isinstance(form, App) and form.op is T.dimshuffle:
        found = _total(form.args[0], a)
        if found is None or found[2]:
            return None
        body, axes, _ = found
        kept = tuple(d for d in range(body.ndim) if d not in axes)
        return (body, axes, True) if form.args[1].order == kept else None
    if isinstance(form, App) and form.op in (T.dot, T.batched_dot):
        both = as_sum(form, a)
        return None if both is None else (summed(both[0], a), (both[1],), True)
    return None


def _shares(outer: Form, axes: Axes, a: Lifting) -> Iterator[tuple[Form, Form]]:
    """The ways to part a product into what enters a sum along axes and what stays outside."""
    _, expo, factors = a.parts(outer)
    still = [(g, j) for g, j in factors if hot(g) and g.constant_along(axes)]
    powers = [range(int(abs(j)) + 1) for _, j in still]
    entering = a.lin({m: c for m, c in expo.terms if m.constant_along(axes)})
    for lin in (entering, a.no_exponent) if entering.terms else (a.no_exponent,):
        for taken in islice(product(*powers), TRIES):
            signed = {
                g: Fraction(n if j > 0 else -n) for (g, j), n in zip(still, taken, strict=True)
            }
            part = a.prod(ONE, lin, signed)
            if part is not a.one:
                yield part, a.mul(outer, a.pow(part, -ONE))


def _completing(
    outer: Form, body: Form, axes: Axes, a: Lifting
) -> list[tuple[bool, tuple[Form, Form]]]:
    """What a maximum in a sum was taken of, and has left the sum: beside it digits are lost.

    ``exp(-3*b) * sum(exp(-a - max(-a - b)))`` is ``exp(-2*b) * sum(exp(-a - b - max(-a - b)))``.
    """
    expo, around = level(body, a), dict(a.parts(outer)[1].terms)
    found = []
    for top, c in expo.terms if expo is not None else ():
        sources = top.forms if c < 0 and isinstance(top, App) and top.op in LARGEST else ()
        rest = a.lin({m: d for m, d in expo.terms if m is not top}) if expo is not None else None
        for source in sources:
            if not isinstance(source, Lin) or rest is None:
                continue
            left_out = a.plus(a.lin({m: -c * d for m, d in source.terms}), rest, -ONE)
            if left_out.terms and all(
                m.constant_along(axes) and 0 < d / around.get(m, -d) <= 1 for m, d in left_out.terms
            ):
                taken = a.prod(ONE, left_out, {})
                found.append((True, (taken, a.div(outer, taken))))
    return found


def inside(form: Form, a: Lifting) -> Form | None:
    """A product with all that is hot in it inside its scatter, None where it cannot go there."""
    coeff, expo, factors = a.parts(form)
    several = [f for f, k in factors if k == 1 and is_sum_of_scatters(f)]
    if len(several) == 1 and (holds_scatter(several[0], a) or a.overflows(form)):
        return _each_inside(form, several[0], a)
    scatters = [f for f, k in factors if k == 1 and is_hot_scatter(f, a)]
    if not scatters and a.overflows(form):  # where nothing is put, it would be inf * 0
        scatters = [f for f, k in factors if k == 1 and is_scatter(f)]
    if len(scatters) != 1:
        return form if not scatters else None
    values, move, like = scatters[0].args  # type: ignore[attr-defined]
    hots = {f: k for f, k in factors if hot(f) and f is not scatters[0]}
    cold = {f: k for f, k in factors if not hot(f) and f is not scatters[0]}
    if not all(move.fits(p.bcast) for p in (*(m for m, _ in expo.terms), *hots)):
        return None
    inner = under(values, a.move(a.prod(ONE, expo, hots), move), a)
    zeros = {f: k for f, k in cold.items() if k > 0 and may_vanish(f) and move.fits(f.bcast)}
    if zeros and a.overflows(inner):  # it may, where they are zero
        hidden = under(inner, a.move(a.prod(ONE, a.no_exponent, zeros), move), a)
        if not a.overflows(hidden):
            inner, cold = hidden, {f: k for f, k in cold.items() if f not in zeros}
    whole = a.app(T.scatter, inner, move, like, bcast=like.bcast)
    return a.mul(a.prod(coeff, a.no_exponent, cold), whole)


def _each_inside(form: Form, total: Form, a: Lifting) -> Form | None:
    """A product with a sum of scatters, in each of which goes what is hot."""
    outer = a.div(form, total)
    found = []
    for m, c in total.terms:  # type: ignore[attr-defined]
        term = inside(a.mul(outer, m), a)
        if term is None:
            return None
        found.append(a.mul(a.const(c), term))
    return a.add(*found)


def is_scatter(form: Form) -> TypeGuard[App]:
    """Tell whether a form is what an index puts somewhere among zeros."""
    return isinstance(form, App) and form.op is T.scatter


def scatters_in(form: Form) -> Iterator[App]:
    """A scatter, or those in the terms of a sum."""
    parts = [form]
    if isinstance(form, Sum):
        parts = [f for m, _ in form.terms for f in (pieces(m) if isinstance(m, Prod) else [m])]
    yield from (f for f in parts if is_scatter(f))


def is_sum_of_scatters(form: Form) -> bool:
    """Tell whether a form is a sum with a scatter in it."""
    return isinstance(form, Sum) and any(True for _ in scatters_in(form))


def is_hot_scatter(form: Form, a: Lifting) -> bool:
    """Tell whether what a form scatters is out of range by itself."""
    return isinstance(form, App) and form.op is T.scatter and a.overflows(form.args[0])


def holds_scatter(form: Form, a: Lifting) -> bool:
    """Tell whether a form is a sum with such a scatter in it."""
    return any(is_hot_scatter(f, a) for f in scatters_in(form))
