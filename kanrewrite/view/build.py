"""Building: forms as Aesara graphs, with exponents kept apart until they have cancelled.

``split(form)`` is ``(e, r)`` with ``form == exp(e) * r``: the exponent ``e`` is still a form, so
that exponents cancel symbolically; the rest ``r`` is a variable that cannot overflow because
exponentials went in.  How sums, logs and other operators split is told in `kanrewrite.view.sums`,
`kanrewrite.view.logs` and `kanrewrite.view.splitters`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.guards.values import constant_of
from kanrewrite.terms import T
from kanrewrite.unify import elementwise_op
from kanrewrite.view.centring import Generator, Shift, has_log
from kanrewrite.view.clearing import cleared
from kanrewrite.view.context import (
    PLAIN,
    Context,
    Masks,
    Scaled,
    asked_of,
    dividing,
    hides,
    is_divided,
    joined,
    seen,
    within_log,
)
from kanrewrite.view.events import takes_log_back
from kanrewrite.view.fit import fitted
from kanrewrite.view.forms import ONE, ZERO, App, Form, Leaf, Lin, Prod, Sum, Totals
from kanrewrite.view.heat import exponents, fading, hot, is_mask, is_softplus, over_softplus
from kanrewrite.view.logs import LogBuilder
from kanrewrite.view.operators import finite, plain
from kanrewrite.view.own_terms import without_own
from kanrewrite.view.owned import split_own
from kanrewrite.view.powers import gathered
from kanrewrite.view.regions import told_apart
from kanrewrite.view.shutting import kept_beside
from kanrewrite.view.signs import is_exact
from kanrewrite.view.sinking import apart, is_scatter, sunk
from kanrewrite.view.splitters import SPLITTERS
from kanrewrite.view.sums import holds_sum, is_of_logs, is_simpler


class Builder(LogBuilder):
    """Builds what a view has read, for one dtype.

    Parameters
    ----------
    view
        Whose forms are built.
    dtype
        The float dtype of every result.
    recogniser
        Turns parts of forms into fused operators, if any.
    """

    def whole(self, form: Form) -> Variable[Any, Any]:
        """A form, centred where it does not change with its exponents."""
        told = told_apart(form) if hot(form) else None
        form = form if told is None else told
        left = without_own(dict(self.a.expand(form)), self.a) if hot(form) else None
        form = form if left is None else self.a.add_terms(left)
        shifted = self.view.shifted(form, self.a)
        return self.value(form if shifted is None else self._centred(*shifted))

    def _centred(self, form: Form, shift: Shift) -> Form:
        """A form of differences to what is shifted where its exponential is largest."""
        top = self._peak(shift)
        level = self.value(top)
        gaps = {f: self.atom(self.make(at.sub, self.value(f), level)) for f in shift.atoms}
        if not has_log(form, self.a):  # whose own level meets the peak
            top = self.atom(level)
        return Generator(shift, self.a).centred(form, gaps, top)

    def _peak(self, shift: Shift) -> Form:
        """What is shifted, where its exponential is largest; 0 where that is infinite."""
        by = shift.by
        high = self._largest(shift, ONE)
        if by.nonneg:
            return high
        low = self.a.neg(self._largest(shift, -ONE))
        if self.a.neg(by).nonneg:
            return low
        grows = self.make(at.gt, self.value(by), self.constant(ZERO))
        return self.atom(self.make(at.switch, grows, self.value(high), self.value(low)))

    def _largest(self, shift: Shift, sign: Fraction) -> Form:
        """The largest of what is shifted, or of the opposite; 0 where it is infinite."""
        if len(shift.atoms) == 1:
            return self.a.shift(self.a.lin({shift.atoms[0]: sign}), shift.axes)
        found = [self.value(self.a.mul(self.a.const(sign), f)) for f in shift.atoms]
        return self.atom(finite(self, reduce(partial(self.make, at.maximum), found)))

    def value(self, form: Form, where: Context | None = None) -> Variable[Any, Any]:
        """The variable of a form."""
        if not isinstance(form, Prod) or (where is not None and where.exact):
            return super().value(form, where)
        terms = apart(form, self.a) if hot(form) else None
        if terms is None or sunk(form, self.a) is not None:
            return super().value(form, where)
        return self.total([(c, self._placed(t, where or PLAIN)) for c, t in terms])

    def comparison(self, form: Form, var: Variable[Any, Any]) -> Variable[Any, Any]:
        """``exp(a) * r > 0`` as ``r > 0``, with 0 for r where a is -inf.

        Two values are compared as they are where they are in range: a difference is rounded.
        """
        left, *right = var.owner.inputs
        zero = [self.constant(ZERO) for _ in right]
        compare = elementwise_op(self.view.comparison(var.owner)[0].name)
        shown = self.make(compare, self.sign_of(form), *zero)
        if right and constant_of(right[0]) != 0 and not is_exact(form, self.a):
            gone = self.make(at.isinf, left), self.make(at.eq, left, self.constant(ZERO))
            lost = self.both(self.make(at.eq, left, right[0]), self.either(*gone))
            shown = self.make(at.switch, lost, shown, var.owner.op(left, right[0]))
        return fitted(shown, var)

    def below_zero(self, form: Form) -> Variable[Any, Any]:
        """Whether a form is negative, even where its exponent is out of range."""
        return self.make(at.lt, self.sign_of(form), self.constant(ZERO))

    def sign_of(self, form: Form) -> Variable[Any, Any]:
        """The rest of a form, which has its sign; 0 at an exponent of -inf, nan at nan."""
        expo, rest = self.split(form, within_log(form))
        shown = self.or_one(rest)
        if not expo.terms:
            return shown
        level = self.linear(expo)
        gone = self.make(at.eq, level, self.constant_of(-np.inf))
        shown = self.make(at.switch, self.make(at.isnan, level), level, shown)
        return self.make(at.switch, gone, self.constant(ZERO), shown)

    def split(self, form: Form, where: Context) -> Scaled:
        """A form as exponent and rest."""
        where = seen(where, form, self.a)
        return self.reuse.once(self._place(form, where), partial(self._split_new, form, where))

    def is_built(self, form: Form, where: Context) -> bool:
        """Tell whether a form has been split there."""
        return self._place(form, seen(where, form, self.a)) in self.reuse

    def _place(self, form: Form, where: Context) -> Any:
        """A form, with where it is built if that matters: to what is hot, or fades."""
        matters = hot(form) or fading(form)
        return (form, frozenset(where.masks.items()), *where[1:]) if matters else form

    def _split_new(self, form: Form, where: Context) -> Scaled:
        none = self.a.no_exponent
        origin = self._origin(form, where)
        if origin is not None:
            return none, origin
        found = self._recognised(form, where)
        form, where = found, asked_of(found, form, where)
        if isinstance(form, Leaf):
            return none, self.leaf(form)
        if isinstance(form, Lin):
            return none, self.linear(form)
        if isinstance(form, Prod) and takes_log_back(form, self.a):
            # ``exp(x) * (1 - exp(-x)*log(...))``, in which exp(x) would not meet the log
            return self.split(self.a.sum_of(self.a.terms_of(form)), where)
        if isinstance(form, Prod):
            return self._sunk(form, where) or self._split_prod(form, where)
        if isinstance(form, Sum):
            return self.split_sum(form, none, ONE, where)
        assert isinstance(form, App)
        if form.op in SPLITTERS:
            return SPLITTERS[form.op](self, form, where)
        if form.op in self.a.passed:
            return split_own(self, form, where)
        return none, plain(self, form)

    def _recognised(self, form: Form, where: Context) -> Form:
        """A form with what fused operators compute, where none may swallow an exponent."""
        apart = (where.exact or where.apart) and not is_of_logs(form)
        if isinstance(form, App) and form.op is T.sum:
            apart = apart or is_divided(form, where, self.a)
        if self.recogniser is not None and not apart:
            centred = self._with_centred_logs(form)
            form = self.recogniser.rewrite(form if centred is None else centred, self.a)
        return gathered(form, self.a) if isinstance(form, Prod) else form

    def _with_centred_logs(self, form: Form) -> Form | None:
        """A form with a sum centred in which a log is left that nothing has replaced, or None."""
        factors = self.a.parts(form)[2]
        for f in (f for f, k in factors if k == 1 and isinstance(f, Sum)):
            if self._keeps_logs(f):
                for shift in self.view.shifts(f, self.a, logs=True):
                    return self.a.mul(self.a.div(form, f), self._centred(f, shift))
        return None

    def _keeps_logs(self, form: Sum) -> bool:
        """Tell whether logs are among the terms of a sum in which relations have been followed."""
        assert self.recogniser is not None
        found = [f for f, _ in self.a.parts(self.recogniser.rewrite(form, self.a))[2]]
        kept = any(isinstance(f, Sum) and has_log(f, self.a) for f in found)
        return kept and has_log(self.with_logs(form), self.a)

    def _origin(self, form: Form, where: Context) -> Variable[Any, Any] | None:
        """The variable of the graph that computes a form as well as could be."""
        origin = self.view.origin.get(form)
        if origin is None or origin.type.ndim != form.ndim:
            return None
        if hot(form) and (isinstance(form, Prod) or self._is_met(form, where)):
            return None  # its exponent may cancel
        if where.exact and fading(form):
            return None  # it may be needed where its value has vanished
        if self.view.gains(origin):
            return origin if self.reuse.takes(origin) else None
        return None if hot(form) and self.view.risks(origin) else origin

    def _is_met(self, form: Form, where: Context) -> bool:
        """Tell whether something around a form may need its exponents."""
        if where == PLAIN:
            return False
        if where.exact or where.apart or where.unbounded or self.a.overflows(form):
            return True
        around = (exponents(f) for f, _ in where.masks)
        return not exponents(form).isdisjoint(chain.from_iterable(around))

    def _sunk(self, form: Prod, where: Context) -> Scaled | None:
        # It is built as a value, which may vanish: not where its size is asked for.
        terms = None if where.exact or where.unbounded else sunk(form, self.a)
        if terms is None:
            return None
        return self.a.no_exponent, self.total([(c, self._placed(t, where)) for c, t in terms])

    def _placed(self, form: Form, where: Context) -> Variable[Any, Any]:
        """The value of a form; of a scatter, with the values in it: nothing outside can cancel."""
        coeff, expo, factors = self.a.parts(form)
        placed = [f for f, k in factors if k == 1 and isinstance(f, App) and is_scatter(f)]
        cold = [(f, k) for f, k in factors if f not in placed]
        if expo.terms or len(placed) != 1 or any(hot(f) for f, _ in cold):
            return self.value(form, where)
        hiding: list[Form] = [f for f, k in cold if k > 0 and is_mask(f)]
        rests = [(self.value(f), k) for f, k in cold if f not in hiding]
        rest = self.product(coeff, [*rests, (plain(self, placed[0]), ONE)])
        return self.or_one(self._where(hiding, rest))

    def _split_prod(self, form: Prod, where: Context) -> Scaled:
        masks = joined(where.masks, dividing(form, self.a))
        large, over = self.a.overflows(form), over_softplus(form)
        unbounded = where.unbounded or (large and where == PLAIN)
        apart = where.apart or large
        expo = Totals(form.expo.terms)
        rests: list[tuple[Variable[Any, Any], Fraction]] = []
        waiting: list[tuple[Form, Fraction]] = []
        conditions: list[Form] = []
        coeff = form.coeff
        for f, k in form.factors:
            exact = where.exact or k < 0
            if is_softplus(f) or ((over or large) and fading(f)):
                exact = where.exact or over or large  # what vanishes may bring back what is large
            back = apart or self._brings_back(f, k, form)
            inner = Context(masks, exact, back, unbounded)
            if k > 0 and is_mask(f):
                conditions.append(f)
                continue
            if holds_sum(f) or (isinstance(f, Sum) and self.is_uneven(f, inner)):
                waiting.append((f, k))
                continue
            if isinstance(f, Sum) and k == 1 and is_simpler(f, coeff):
                e, r = self.split_sum(f, self.a.no_exponent, ONE, inner, coeff)
                coeff = ONE
            else:
                e, r = self._split_factor(f, k, form, inner)
            for m, c in e.terms:
                expo[m] += c * k
            if r is not None:
                rests.append((r, k))
        # Uneven sums come last: what the other factors add to the exponent may cancel in them.
        level, waiting = cleared(self.a.lin(expo), waiting, self.a)
        for f, k in sorted(waiting, key=lambda item: item[1] != 1):
            back = apart or self._brings_back(f, k, form)
            mine = self._with_unmatched(masks, f, form) if unbounded else masks
            inner = Context(mine, where.exact or k < 0, back, unbounded)
            level, r = self._split_last(f, level, k, form, inner)
            if r is not None:
                rests.append((r, k))
        rest = self._where(conditions, self.product(coeff, rests))
        return level, self._among_zeros(form, rest)

    def _among_zeros(
        self, form: Prod, rest: Variable[Any, Any] | None
    ) -> Variable[Any, Any] | None:
        """The rest of a product, 0 where nothing was put: what left a scatter may be nan."""
        if rest is None or not any(hot(f) and all(f.bcast) for f, _ in form.factors):
            return rest
        for f in (f for f, k in form.factors if k == 1 and self.a.is_left(f) and not hot(f)):
            rest = self._where_not_0(f, rest)
        return rest

    def _split_last(self, f: Form, outer: Lin, k: Fraction, form: Prod, where: Context) -> Scaled:
        """``exp(outer) * f**k`` as ``(e, r)`` with ``exp(e) * r**k``, for what holds a sum.

        The exponents in outer that a sum holds too went out of it, and through what is around.
        """
        if isinstance(f, Sum):
            if k > 0 or len({c > 0 for _, c in f.terms}) == 1:
                return self.split_sum(f, outer, k, where)
            e, r = self.split(f, where)  # near zero it differs from itself if built in two ways
            return self.a.plus(outer, e, k), r
        inner = f.args[0] if isinstance(f, App) else f
        shown = exponents(inner)
        met = self.a.lin({m: c / k for m, c in outer.terms if m in shown})
        if not met.terms:
            e, r = self._split_factor(f, k, form, where)
            return self.a.plus(outer, e, k), r
        e, r = self.split(self.a.mul(self.a.exp(met), inner), where)
        outer = self.a.plus(self.a.plus(outer, met, -k), e, k)
        return outer, r if r is None or inner is f else self.make(at.abs, r)

    def _split_factor(self, f: Form, k: Fraction, form: Prod, where: Context) -> Scaled:
        """A factor of a product; what is over nothing is not divided by what may be 0 there."""
        e, r = self.split(f, where)
        kept = kept_beside(f, form, f.bcast, self) if k < 0 and r is not None else None
        if r is None or kept is None:
            return e, r
        return e, self.make(at.switch, kept, r, self.constant(ONE))

    def _brings_back(self, f: Form, k: Fraction, form: Prod) -> bool:
        """Tell whether one of the factors of a product, or the others without it, are out of range.

        The product is not: what is small brings back what is large.
        """
        if k < 0 or not hot(f):
            return False
        return self.a.overflows(f) or self.a.overflows(self.a.div(form, self.a.pow(f, k)))

    def _with_unmatched(self, masks: Masks, f: Form, form: Prod) -> Masks:
        """The masks, with a sum whose largest a factor hides and no divisor is as large as that."""
        if not (isinstance(f, Sum) and hides(f, self.a) and self.a.overflows(form)):
            return masks
        return joined(masks, {(f, ()): frozenset([()])})

    def _where(
        self, conditions: list[Form], rest: Variable[Any, Any] | None
    ) -> Variable[Any, Any] | None:
        """The rest of a product, 0 where a mask hides it."""
        for f in conditions:
            one = self.or_one(rest)
            if is_mask(f):
                rest = self.masked(f, one, self.constant(ZERO))
            else:
                rest = self._where_not_0(f, one)
        return rest

    def _where_not_0(self, form: Form, rest: Variable[Any, Any]) -> Variable[Any, Any]:
        """Something where a form is not 0, and 0 elsewhere."""
        zero = self.constant(ZERO)
        return self.make(at.switch, self.make(at.neq, self.value(form), zero), rest, zero)
