"""Where a form is built: what its surroundings say about the size of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from aesara.graph.basic import Variable

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.contraction import needs_sum, summed
from kanrewrite.view.forms import ONE, App, Axes, Form, Lin, Prod, Sum, remembered
from kanrewrite.view.heat import exponents, hot, shows, sums_in, vanishing
from kanrewrite.view.towers import is_level
from kanrewrite.view.zeros import hiding

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

#: For an exponent summed over axes: sets of factors that may be zero where it is largest.  A sum
#: of terms that factors may hide is there itself.
Masks = dict[tuple[Form, Axes], frozenset[tuple[Form, ...]]]

#: A form as ``(e, r)``, which is ``exp(e) * r``; no rest stands for 1.
Scaled = tuple[Lin, Variable[Any, Any] | None]


class Context(NamedTuple):
    """Where a form is built.

    ``masks`` are those of the sums that divide around it.  ``exact`` says that its relative size
    matters (under a log, in a denominator), so that nothing in it may underflow.  ``apart`` says
    that its exponent is needed to bring something around it back into range, so that no fused
    operator may swallow it.  ``unbounded`` says that nothing proves the product around it to be in
    range, so that a bound on its exponent will not do.
    """

    masks: Masks
    exact: bool = False
    apart: bool = False
    unbounded: bool = False


#: At the root of a graph.
PLAIN = Context({})


def seen(where: Context, form: Form, a: Algebra) -> Context:
    """What of its surroundings a form sees, so that it is built once for all that look alike to it.

    That is the masks of the sums in it and, where all else is plain, which of its exponents are
    met, as an empty mask.
    """
    if not where.masks:
        return where
    mine, own = vanishing(form), sums_in(form)
    kept: Masks = {}
    met: set[Form] = set()
    for (f, axes), groups in where.masks.items():
        around = exponents(f)
        if mine.isdisjoint(around):
            continue
        met.update(mine & around)
        # A sum in the form may have levels in its exponent that show only when it is built.
        inside = f in own if isinstance(f, Sum) else all(m in mine or is_level(m) for m in around)
        if inside and (axes or isinstance(f, Sum)):
            kept[f, axes] = groups
    if not any(where[1:]):
        kept[a.lin(dict.fromkeys(met, ONE)), ()] = frozenset()
    return where._replace(masks=kept)


def within_log(form: Form) -> Context:
    """Where a form is built of which the log, or the sign, is asked."""
    return Context(strict(form), exact=True)


@remembered
def strict(form: Form) -> Masks:
    """For each exponent that is summed inside, the factors that may hide its maximum."""
    a = form.home
    if isinstance(form, App) and form.op is T.sum:
        lin, inside = moving(a.parts(form.args[0])[1], form.args[1], a), strict(form.args[0])
        if not lin.terms:
            return inside
        return joined(inside, {(lin, form.args[1]): frozenset([hiding(form.args[0], a)])})
    if isinstance(form, App) and form.op in (T.dot, T.batched_dot) and needs_sum(form):
        total = summed(form, a)
        if total is not form:
            return strict(total)
    if isinstance(form, App) and shows(form):
        parts = list(form.forms)
    elif isinstance(form, Sum):
        parts = [m for m, _ in form.terms]
    elif isinstance(form, Prod):
        parts = [f for f, _ in form.factors]
    else:
        return {}
    found: Masks = {}
    if isinstance(form, Sum) and hides(form, a):
        found = {(form, ()): frozenset([()])}
    for part in parts:
        found = joined(found, strict(part))
    return found


def hides(form: Sum, a: Lifting) -> bool:
    """Tell whether a factor may hide the largest exponential in a sum."""
    return hot(form) and any(hiding(m, a) for m, _ in form.terms)


def asked_of(form: Form, read: Form, where: Context) -> Context:
    """Where a sum is built that another one has become: what was asked of that is of this."""
    groups = where.masks.get((read, ()))
    if form is read or groups is None:
        return where
    return where._replace(masks={**where.masks, (form, ()): groups})


def dividing(form: Form, a: Lifting) -> Masks:
    """Where a sum divides, its maximum is taken over what its factors keep.

    It may divide in a term of a sum that is a factor, too.
    """
    found: Masks = {}
    for f, k in form.factors if isinstance(form, Prod) else ():
        parts = [m for m, _ in f.terms] if isinstance(f, Sum) and k > 0 else ()
        for masks in (dividing(m, a) for m in parts):
            found = joined(found, masks)
        if k < 0:
            found = joined(found, strict(f))
    return found


def is_divided(form: App, where: Context, a: Algebra) -> bool:
    """Tell whether a sum vanishes together with a sum that divides around it.

    As sums of sigmoids do: each is ``exp(x)`` times ``1/(1 + exp(x))``.
    """
    _, expo, factors = a.parts(form.args[0])
    own = moving(expo, form.args[1], a)
    if not own.terms or (own, form.args[1]) not in where.masks:
        return False
    mine = {m for m, _ in own.terms}
    return any(k < 0 and mine & exponents(f) for f, k in factors)


def moving(expo: Lin, axes: Axes, a: Algebra) -> Lin:
    """The part of an exponent that depends on the position along some axes."""
    return a.lin({m: c for m, c in expo.terms if not m.constant_along(axes)})


def joined(a: Masks, b: Masks) -> Masks:
    """The masks of both."""
    if not a or not b:
        return a or b
    return {key: a.get(key, frozenset()) | b.get(key, frozenset()) for key in {**a, **b}}
