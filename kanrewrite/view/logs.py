"""Logs: ``log(exp(a) * r) == a + log(r)``, and logs of ``1 + exp(a)`` by functions of their own.

References
----------
M. Maechler, "Accurately computing log(1 - exp(-|a|))", Rmpfr vignette, 2012.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.terms import T
from kanrewrite.view.complements import as_exponential
from kanrewrite.view.context import Context, Scaled, within_log
from kanrewrite.view.forms import ONE, ZERO, App, Form, Lin, Sum, Terms, added_up
from kanrewrite.view.heat import exponents, fades, hot, is_softplus
from kanrewrite.view.places import moved
from kanrewrite.view.sums import NEGLIGIBLE, SumBuilder


class LogBuilder(SumBuilder):
    """Builds logs."""

    def log_parts(self, form: Form, outer: Lin | None = None, alike: bool = False) -> Scaled:
        """``outer + log(form)`` as ``(e, r)`` with the value ``e + r``.

        Where another log of the same exponents is subtracted, both leave the largest of them.
        """
        outer = self.a.no_exponent if outer is None else outer
        sign, expo, factors = self.a.parts(form)
        if is_softplus(form):
            return outer, self._log_softplus(form)
        base, power = factors[0] if len(factors) == 1 else (None, ONE)
        if isinstance(base, Sum) and power == 1:
            base = as_exponential(base, self.a)
            pair = None if expo.terms else self._pair(base)
            if pair is not None:
                return self._log_pair(pair[0], sign * pair[1], sign * pair[2], outer)
            around = self.a.plus(outer, expo, ONE)
            found = None if alike else self._relative(base, sign, around)
            if found is not None:
                return self._log_beside(*found)
            if isinstance(form, Sum) and hot(form):
                return self._log_sum(*self._from_one(base, outer), alike)
        # What of outer shows in the form as well meets it there, before either is rounded.
        shown = exponents(form)
        met = self.a.lin({m: c for m, c in outer.terms if m in shown})
        # Beside what may be negative, 0 has no log.
        even = sign > 0 and not any(hot(f) or k % 2 for f, k in factors)
        powers = dict(factors) if even else {}
        form = self.a.prod(sign, expo, {}) if powers else form
        e, r = self.split(self.a.mul(self.a.exp(met), form), within_log(form))
        e = self.a.plus(self.a.plus(outer, met, -ONE), e, ONE)
        return e, self._beside_logs_of(powers, None if r is None else self._log_of(form, r))

    def _beside_logs_of(
        self, powers: Terms, log: Variable[Any, Any] | None
    ) -> Variable[Any, Any] | None:
        """``log(f**k) + log``, for even k: the power may be out of range where its log is not."""
        logs = [(k, self.make(at.log, self.make(at.abs, self.value(f)))) for f, k in powers.items()]
        if not logs:
            return log
        return self.total(logs if log is None else [*logs, (ONE, log)])

    def _log_sum(self, form: Sum, outer: Lin, alike: bool = False) -> Scaled:
        """``outer + log(form)``; with 1 in it, by `log1p`: the other terms may be negligible."""
        where = within_log(form)
        found = self.split_special(form, where)
        if found is not None:
            return self.a.plus(outer, found[0], ONE), self._log_or_none(found[1])
        form = self.with_logs(form)
        if dict(form.terms).get(self.a.one) == 1:
            return self._log_with_one(self._with_difference(form), outer, where, alike)
        e, r = self.split_terms(form, outer, ONE, where)
        return e, self._log_or_none(r)

    def _with_difference(self, form: Sum) -> Sum:
        """A sum with 1 in which exponentials that cancel are one term: ``exp(a) * expm1(b)``."""
        others = {m: c for m, c in form.terms if m is not self.a.one}
        if sum(others.values()) or any(self.a.parts(m)[2] for m in others):
            return form
        coeff, expo, factors = self.a.parts(self.a.add_terms(others))
        return self.a.sum_of({self.a.one: ONE, self.a.prod(ONE, expo, dict(factors)): coeff})

    def _relative(self, form: Sum, by: Fraction, outer: Lin) -> tuple[Form, Lin] | None:
        """``a`` and ``o`` with ``exp(o) * (1 + a) == exp(outer) * by * form``, a never negative.

        Where a is negligible its log1p has digits that a log of the whole would not have.  That
        is lost if o and a have exponents in common.
        """
        if by <= 0 or len(form.terms) < 2 or not form.nonneg or not hot(form):
            return None
        around = dict(outer.terms)
        pure = [(m, c, *self.a.parts(m)[1:]) for m, c in form.terms]
        taken = [
            (m, c, expo)
            for m, c, expo, factors in pure
            if not factors and all(around.get(t) == -k for t, k in expo.terms)
        ]
        if not taken:
            return None
        one, number, expo = max(taken, key=lambda t: len(t[2].terms))
        others = [(m, c / number) for m, c in form.terms if m is not one]
        a = self.a.add(*(self.a.mul(self.a.const(c), self.a.div(m, one)) for m, c in others))
        outer = self.a.plus(outer, expo, ONE)
        if number * by != 1:
            log = self.a.lin(self.a.terms_of(self.a.log(self.a.const(number * by))))
            outer = self.a.plus(outer, log, ONE)
        return None if exponents(a) & {m for m, _ in outer.terms} else (a, outer)

    def _from_one(self, form: Sum, outer: Lin) -> tuple[Sum, Lin]:
        """A sum with the exponential that makes one of its terms 1, and what is left outside.

        A 1 beside which the others may be negligible, of any sign, was read without an exponential
        that terms have in common.
        """
        around = dict(outer.terms)
        for one, number in form.terms:
            _, expo, factors = self.a.parts(one)
            taken = {t: k for t, k in expo.terms if around.get(t) == -k}
            if number != 1 or factors or not taken or len(taken) < len(expo.terms):
                continue
            others = added_up((self.a.div(m, one), c) for m, c in form.terms if m is not one)
            left = self.a.plus(outer, expo, ONE)
            if not any(exponents(m) & {t for t, _ in left.terms} for m in others):
                return self.a.sum_of({self.a.one: ONE, **others}), left
        return form, outer

    def _whole_log(self, form: Form) -> Lin:
        """The log of a form as an exponent."""
        e, r = self.log_parts(form)
        return e if r is None else self.a.plus(e, self.a.lin({self.atom(r): ONE}), ONE)

    def _log_with_one(self, form: Sum, outer: Lin, where: Context, alike: bool) -> Scaled:
        outer, level, parts = self.shifted(form, outer, ONE, where)
        one = next(e for m, _, e, _ in parts if m is self.a.one)
        others = [(c, e, r) for m, c, e, r in parts if m is not self.a.one]
        rest, gap = self.shifted_total(others, level), self.gap(one, level)
        if gap is None:
            return self.a.plus(outer, level, ONE), self.make(at.log1p, rest)
        faded = self.make(at.exp, gap)
        # The level may be far above the sum, less one of which would be -1.
        large = self.make(at.log, self.make(at.add, rest, faded))
        near = self.make(at.eq, gap, self.constant(ZERO))
        # Two logs that are subtracted have to leave the same level.
        if not alike and any(r is not None or abs(c) < 1 for c, _, r in others):
            near, rest = self._beside_one(near, rest, faded)
            levels = (self.value(one), self.linear(level))
            level = self.a.lin({self.atom(self.make(at.switch, near, *levels)): ONE})
        log = self.make(at.switch, near, self.make(at.log1p, rest), large)
        return self.a.plus(outer, level, ONE), log

    def _beside_one(
        self, near: Variable[Any, Any], rest: Variable[Any, Any], faded: Variable[Any, Any]
    ) -> tuple[Variable[Any, Any], Variable[Any, Any]]:
        """Whether a shifted rest is less than what 1 is shifted to, and that rest over it.

        Weights may make large exponentials negligible: a level beside them takes their digits.
        """
        small = self.make(at.lt, self.make(at.abs, rest), faded)
        near = self.make(at.or_, near, small)
        by = self.make(at.switch, near, faded, self.constant(ONE))
        return near, self.make(at.true_divide, rest, by)

    def _log_or_none(self, rest: Variable[Any, Any] | None) -> Variable[Any, Any] | None:
        return None if rest is None else self.make(at.log, rest)

    def _softplus(self, form: Form) -> tuple[Lin, Variable[Any, Any], Variable[Any, Any]]:
        """Of ``log(1 + exp(e))``: e, its value, and whether it is ``exp(e)`` and nothing else."""
        pair = self._pair(form.args[0])  # type: ignore[attr-defined]
        assert pair is not None
        gap = self.linear(pair[0])
        return pair[0], gap, self.make(at.lt, gap, self.constant_of(math.log(NEGLIGIBLE)))

    def _log_softplus(self, form: Form) -> Variable[Any, Any]:
        """``log(log(1 + exp(e)))``, which is e where e is far below 0."""
        _, gap, low = self._softplus(form)
        return self.make(at.switch, low, gap, self.make(at.log, self.make(at.softplus, gap)))

    def split_softplus(self, form: Form) -> Scaled:
        """``log(1 + exp(e))`` as ``exp(min(e, 0))`` and a rest, 1 where e is far below 0.

        Where e is -inf the level is shown as 0, and the rest is.
        """
        e, gap, low = self._softplus(form)
        negated = self.a.lin({m: -c for m, c in e.terms})
        depth = self.a.app(T.maximum, negated, self.a.no_exponent)
        rest = self.make(at.mul, self.make(at.softplus, gap), self.make(at.exp, self.value(depth)))
        there = self.make(at.gt, gap, self.constant_of(-np.inf))
        least = self.make(at.switch, there, self.constant(ONE), self.constant(ZERO))
        return self.a.lin({depth: -ONE}), self.make(at.switch, low, least, rest)

    def _log_of(self, form: Form, rest: Variable[Any, Any]) -> Variable[Any, Any]:
        """The log of a rest.

        A shifted sum of exponentials is at least 1; as ``log1p(s - 1)`` it is not shifted a second
        time by Aesara's own `local_log_sum_exp`.
        """
        coeff, _, factors = self.a.parts(form)
        if coeff == 1 and [k for _, k in factors] == [ONE]:  # beside an exponential
            form = factors[0][0]
        form = moved(form)[1]
        if isinstance(form, App) and form.op is T.sum and not self.a.parts(form.args[0])[2]:
            return self.make(at.log1p, self.make(at.sub, rest, self.constant(ONE)))
        return self.make(at.log, rest)

    def _pair(self, form: Sum) -> tuple[Lin, Fraction, Fraction] | None:
        """``c + d*exp(e)`` with ``abs(c) == abs(d) == 1`` as ``(e, c, d)``."""
        if len(form.terms) != 2:
            return None
        (m, c), (n, d) = sorted(form.terms, key=lambda t: t[0] is not self.a.one)
        coeff, expo, factors = self.a.parts(n)
        if m is not self.a.one or factors or coeff != 1 or abs(c) != 1 or abs(d) != 1:
            return None
        return expo, c, d

    def _log_pair(self, e: Lin, c: Fraction, d: Fraction, outer: Lin) -> Scaled:
        """``outer + log(c + d*exp(e))`` for ``c`` and ``d`` of absolute value 1."""
        if c == d:
            return self._log_of_sum(e, outer)
        gap = self.linear(e)
        if c > 0:
            return outer, self._log1mexp(e, gap)
        return self.a.plus(outer, e, ONE), self.make(at.log1mexp, self.make(at.neg, gap))

    def _log1mexp(self, e: Lin, gap: Variable[Any, Any]) -> Variable[Any, Any]:
        """``log(1 - exp(e))``, which is ``log(-e)`` where e is an exponential that vanishes."""
        out = self.make(at.log1mexp, gap)
        whole = self.faded({m: -c for m, c in e.terms})
        if not (fades(whole) or (hot(whole) and whole.nonneg)):
            return out
        expo, rest = self.log_parts(whole)
        small = self.total([(ONE, v) for v in (self.linear(expo), rest) if v is not None])
        return self.make(
            at.switch, self.make(at.gt, gap, self.constant_of(-NEGLIGIBLE)), small, out
        )

    def _log_beside(self, form: Form, outer: Lin) -> Scaled:
        """``outer + log(1 + form)`` for a form that is never negative.

        Far below 1 that is the form, of which its log as a number would lose digits.
        """
        whole = self._whole_log(form)
        left, log = self._log_of_sum(whole, outer)
        expo, rest = self.split(form, within_log(form))
        if rest is None or self.absorbed(outer, ONE, [whole])[0].terms:
            return left, log
        level = self.linear(expo)
        value = self.make(at.mul, rest, self.make(at.exp, level))
        least = self.constant_of(math.log(np.finfo(self.dtype).tiny))
        near = self.make(
            at.and_,
            self.make(at.gt, level, least),
            self.make(at.lt, value, self.constant(ONE)),
        )
        return left, self.make(at.switch, near, self.make(at.log1p, value), log)

    def _log_of_sum(self, e: Lin, outer: Lin) -> Scaled:
        """``outer + log(1 + exp(e))``, which is ``logaddexp`` where a part of outer meets e."""
        inner, left = self.absorbed(outer, ONE, [e])
        gap = self.linear(e)
        if not inner.terms:
            return left, self.make(at.softplus, gap)
        if not self.a.plus(inner, e, ONE).terms:  # exp(-e) * (1 + exp(e)) is 1 + exp(-e)
            return left, self.make(at.softplus, self.linear(inner))
        low, high = self.linear(inner), self.linear(self.a.plus(inner, e, ONE))
        # Where both are the same infinity, the gap would be nan.
        gap = self.make(at.switch, self.make(at.eq, low, high), self.constant(ZERO), gap)
        top = self.atom(self.make(at.maximum, low, high))
        fade = self.make(at.exp, self.make(at.neg, self.make(at.abs, gap)))
        return self.a.plus(left, self.a.lin({top: ONE}), ONE), self.make(at.log1p, fade)
