"""Sinking: ``a * scatter(b, index) == scatter(a[index] * b, index)``, for a scatter is 0 elsewhere.

What is scattered may be out of range where the factor outside would bring it back, and the factor
outside may be so where nothing is scattered.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product

from kanrewrite.terms import T
from kanrewrite.view.contraction import as_sum, summed
from kanrewrite.view.forms import ONE, App, Axes, Form, Prod, Sum, pieces
from kanrewrite.view.heat import hot
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Move

#: How many ways to share factors between the inside and the outside of a sum are tried.
TRIES = 32


def sunk(form: Prod, a: Lifting) -> list[tuple[Fraction, Form]] | None:
    """A product as a sum of terms, each with all its exponentials inside its scatter, or None."""
    for f, k in form.factors:
        scatters = list(scatters_in(f))
        if k != 1 or not scatters:
            continue
        alone = any(a.overflows(g.args[0]) for g in scatters)
        outer = a.prod(form.coeff, form.expo, {g: j for g, j in form.factors if g is not f})
        if not hot(outer) or not (alone or a.overflows(form)):
            continue
        parts = list(f.terms) if isinstance(f, Sum) else [(f, ONE)]
        terms = [(c, inside(a.mul(outer, m), a, cold=not alone)) for m, c in parts]
        found = [(c, t) for c, t in terms if t is not None]
        if len(found) == len(terms) and (alone or not any(a.overflows(t) for _, t in found)):
            return found
    whole = into_sum(form, a)
    return None if whole is None else [(ONE, whole)]


def into_sum(form: Prod, a: Lifting) -> Form | None:
    """``a * sum(b) == c * sum(d * b)`` with ``a == c * d``, where both are in range."""
    if not a.overflows(form):
        return None
    for f, k in form.factors:
        total = _total(f, a) if k == 1 and a.overflows(f) else None
        if total is None:
            continue
        body, axes, drops = total
        others = {g: j for g, j in form.factors if g is not f}
        outer = a.prod(ONE, form.expo, others)
        outer = a.undrop(outer, axes) if drops else outer
        for taken, left in _shares(outer, axes, a):
            inner = inside(a.mul(taken, body), a)
            if inner is None or a.overflows(left) or a.overflows(inner):
                continue
            new: Form = a.app(T.sum, inner, axes, bcast=a.reduced_bcast(inner.bcast, axes))
            both = a.mul(a.const(form.coeff), left, new)
            return a.drop(both, axes) if drops else both
    return None


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


def inside(form: Form, a: Lifting, cold: bool = False) -> Form | None:
    """A product with all that is hot in it inside its scatter, None where it cannot go there.

    That is a scatter of what is out of range by itself, or one of anything if it may be cold.
    """
    coeff, expo, factors = a.parts(form)
    scatters = [
        f
        for f, k in factors
        if k == 1 and is_scatter(f) and (cold or a.overflows(f.args[0]))  # type: ignore[attr-defined]
    ]
    if len(scatters) != 1:
        return form if not scatters else None
    inner, move, like = scatters[0].args  # type: ignore[attr-defined]
    hots = {f: k for f, k in factors if hot(f) and f is not scatters[0]}
    rest = {f: k for f, k in factors if not hot(f) and f is not scatters[0]}
    pieces = [*(m for m, _ in expo.terms), *hots]
    if not all(fits(p, move) for p in pieces):
        return None
    entering = a.move(a.prod(ONE, expo, hots), move)
    whole = a.app(T.scatter, a.mul(inner, entering), move, like, bcast=like.bcast)
    return a.mul(a.prod(coeff, a.no_exponent, rest), whole)


def fits(form: Form, move: Move) -> bool:
    """Tell whether a factor of a scatter has no length that the scatter lacks, and can be moved."""
    if form.ndim != len(move.whole):
        return not form.bcast
    longer = any(one and not b for b, one in zip(form.bcast, move.whole, strict=True))
    return not longer and move.restricted(form.bcast) is not None


def is_scatter(form: Form) -> bool:
    """Tell whether a form is what an index puts somewhere among zeros."""
    return isinstance(form, App) and form.op is T.scatter


def scatters_in(form: Form) -> Iterator[App]:
    """A scatter, or those in the terms of a sum."""
    parts = [form]
    if isinstance(form, Sum):
        parts = [f for m, _ in form.terms for f in (pieces(m) if isinstance(m, Prod) else [m])]
    yield from (f for f in parts if is_scatter(f))  # type: ignore[misc]
