"""Sums whose terms have exponents of their own: they are shifted by the largest.

``exp(a) * r + exp(b) * s == exp(m) * (exp(a - m) * r + exp(b - m) * s)`` with ``m = max(a, b)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Variable

from kanrewrite.terms import T
from kanrewrite.unify import elementwise_op
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.clearing import cleared
from kanrewrite.view.complements import as_exponential
from kanrewrite.view.context import Context, Scaled, asked_of
from kanrewrite.view.exponents import ExponentBuilder, compared
from kanrewrite.view.factoring import factored
from kanrewrite.view.firm import is_firm
from kanrewrite.view.following import becomes
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Form,
    Lin,
    Prod,
    Sum,
    Terms,
    join_bcast,
    remembered,
)
from kanrewrite.view.heat import FADING, exponents, fades, fading, hot, is_mask, is_softplus
from kanrewrite.view.levels import dominant, is_vanishing
from kanrewrite.view.maxima import is_hidden
from kanrewrite.view.towers import is_level, is_tower, only_source, tall, unmoved
from kanrewrite.view.zeros import may_vanish

#: What does not change 1 when it is added.
NEGLIGIBLE = 1e-18

Logs = list[tuple[Form, Fraction]]
Values = list[tuple[Fraction, Variable[Any, Any]]]
#: A term, its coefficient, its exponent and its rest.
Part = tuple[Form, Fraction, Form, Variable[Any, Any] | None]
Shifted = tuple[Lin, Lin, list[Part]]


class SumBuilder(ExponentBuilder):
    """Builds sums."""

    def is_uneven(self, form: Sum, where: Context) -> bool:
        """Tell whether the terms have different exponents."""
        return len({self.split(m, where)[0] for m, _ in self.with_logs(form).terms}) > 1

    def with_logs(self, form: Sum) -> Sum:
        """A sum in which logs have met what they cancel, whatever both are multiplied with."""
        met = form if self.recogniser is None else self.recogniser.with_logs(form, self.a)
        return self._mirrored(met if isinstance(met, Sum) else form)

    def _mirrored(self, form: Sum) -> Sum:
        """``e - log(1 + exp(e))`` as ``-log(1 + exp(-e))``, of which e leaves nothing."""
        terms = dict(form.terms)
        for m, c in form.terms:
            pair = self._pair(m.args[0]) if is_softplus(m) else None  # type: ignore[attr-defined]
            if pair is None or any(terms.get(n) != -c * d for n, d in pair[0].terms):
                continue
            met = dict(pair[0].terms)
            back = self.a.prod(ONE, self.a.lin({n: -d for n, d in met.items()}), {})
            log = self.a.app(T.log, self.a.sum_of({self.a.one: ONE, back: ONE}))
            left = {n: k for n, k in form.terms if n is not m and n not in met}
            return self._mirrored(self.a.sum_of({**left, log: c + left.get(log, ZERO)}))
        return form

    def split_sum(
        self, form: Sum, outer: Lin, k: Fraction, where: Context, by: Fraction = ONE
    ) -> Scaled:
        """``exp(outer) * (by * form)**k`` as ``(e, r)`` with ``exp(e) * r**k``."""
        if not hot(form) and not (where.exact and fades(form)):
            return outer, self._cold_sum(form, by)
        if is_firm(form, self.a):  # it has no level to take out
            return outer, self.total([(c * by, self.value(m)) for m, c in form.terms])
        form = as_exponential(form, self.a) if k > 0 else form
        found = self.split_special(form, where) if where.exact else None
        if found is not None:
            e, r = found
            return self.a.plus(outer, e, k), self.total([(by, self.or_one(r))])
        product = factored(form, self.a)
        if product is not None:
            gone = any(is_vanishing(f) for f, _ in self.a.parts(product)[2])
            e, r = self.split(product, where._replace(exact=True) if gone else where)
            return self.a.plus(outer, e, k), self.total([(by, self.or_one(r))])
        met = self.with_differences(self.with_logs(form))
        return self.split_terms(met, outer, k, asked_of(met, form, where), by)

    def with_differences(self, form: Sum) -> Sum:
        """``1 + e**a - e**(a - b)`` as ``1 + e**a * (1 - e**-b)``, for a b that may vanish."""
        if len(form.terms) < 3:
            return form
        split = [(m, c, *self.a.parts(m)[1:]) for m, c in form.terms]
        pure = {expo: (m, c) for m, c, expo, factors in split if not factors}
        for low, high in _apart_by_an_exponential(pure, self.a):
            (m, c), (n, d) = pure[high], pure[low]
            if c != -d:
                continue
            gap = self.a.plus(low, high, -ONE)
            left = self.a.sum_of({self.a.one: ONE, self.a.prod(ONE, gap, {}): -ONE})
            rest = {t: k for t, k in form.terms if t not in (m, n)}
            whole = self.a.prod(ONE, high, {left: ONE})
            return self.with_differences(self.a.sum_of({**rest, whole: c}))
        return form

    def split_special(self, form: Sum, where: Context) -> Scaled | None:
        """A sum whose log is asked and whose terms cancel, where it is known how."""
        chosen = self._by_sign(form)
        return self._vanishing(form) if chosen is None else self.split(chosen, where)

    def split_terms(
        self, form: Sum, outer: Lin, k: Fraction, where: Context, by: Fraction = ONE
    ) -> Scaled:
        """The same of a sum as it stands."""
        form = self._with_cold_logs(form, where)
        outer, level, parts = self.shifted(form, outer, k, where)
        total = self.shifted_total([(c * by, e, r) for _, c, e, r in parts], level)
        return self.a.plus(outer, level, k), total

    def _with_cold_logs(self, form: Sum, where: Context) -> Sum:
        """A sum whose terms out of exponents are one, so that logs meet what they cancel.

        Exponentials in range that are exponents in a log have left it, and meet it there.
        """
        met = {m: c for m, c in form.terms if not hot(m)}
        logs = [m for m in met if _is_hot_log(m)]
        if not logs or (where.exact and any(map(fading, met))):
            return form
        inside = frozenset().union(*(exponents(m.args[0]) for m in logs))  # type: ignore[attr-defined]
        # Beside the log nothing is left of what is out of range, which its level could not tell.
        met.update((m, c) for m, c in form.terms if m in inside)
        if len(met) < 2:
            return form
        whole = self.atom(self._cold_sum(self.a.sum_of(met), ONE))
        return self.a.sum_of({**{m: c for m, c in form.terms if m not in met}, whole: ONE})

    def shifted(self, form: Sum, outer: Lin, k: Fraction, where: Context) -> Shifted:
        """What of the outer exponent stays there, the largest exponent, and the terms."""
        parts: list[Part] = [(m, c, *self.split(m, where)) for m, c in form.terms]
        exponents: list[Any] = [e for _, _, e, _ in parts]
        if len(set(exponents)) == 1:
            return outer, exponents[0], parts
        inner, outer = self._met(form, outer, k, exponents)
        asked = where.exact or (form, ()) in where.masks or self._hides_level(form)
        zeros = self._zeros(form) if asked else {}
        met: list[Part] = []
        for (m, c, _, r), e in zip(parts, exponents, strict=True):
            e, r = self._with_outer(m, (e, r), inner, where)
            hidden = (*self.hidden(e, m), *zeros.get(m, ()), *self._left(e, r))
            met.append((m, c, self._kept_form(e, hidden), r))
        common, met = self._apart_from_common(_as_shown(met), outer)
        top, met = self._beside_towers(met)
        outer = self.a.plus(self.a.plus(outer, common, k), top, k)
        return outer, self._level({e for _, _, e, _ in met}), met

    def _met(self, form: Sum, outer: Lin, k: Fraction, exponents: list[Any]) -> tuple[Lin, Lin]:
        """The exponent that all terms are multiplied with, and what of the outer one is left.

        That is what left the sum when it was read: so its terms are as they were written, of which
        none is infinite that was not, and it is built once for all that it is multiplied with.
        """
        held = {m for e in exponents for m, _ in e.terms}
        left = self.a.written.get(form, self.a.no_exponent)
        # A maximum that all were shifted by, which none of the terms has any more, stays outside.
        written = self.a.lin({m: c for m, c in left.terms if m in held})
        own = [self.a.plus(e, written, ONE) for e in exponents]
        levels = [m for m, _ in outer.terms if compared(m)]
        if not written.terms or not all(map(_adds_up, [*own, *levels])):
            return self.absorbed(outer, k, exponents)  # what was subtracted may cancel outside
        return written, self.a.plus(outer, written, -k)

    def _hides_level(self, form: Sum) -> bool:
        """Tell whether a mask hides a term out of range, of which the others are the whole."""
        masks = [{f for f, _ in self.a.parts(m)[2] if is_mask(f)} for m, _ in form.terms]
        shared = set.intersection(*masks)
        return any(
            not found <= shared and self.a.overflows(m)
            for found, (m, _) in zip(masks, form.terms, strict=True)
        )

    def _with_outer(self, form: Form, split: Scaled, outer: Lin, where: Context) -> Scaled:
        """``exp(outer) * form``, of which it is known how the form alone is split.

        In a maximum that is inside, it is added to what it meets there: ``a + max(0, b - a)`` loses
        the digits of b where a is far below.
        """
        e, r = split
        met = {m for m, _ in outer.terms}
        if any(not met.isdisjoint(compared(m)) for m, _ in e.terms):
            return self.split(self.a.mul(self.a.exp(outer), form), where)
        return self.a.plus(e, outer, ONE), r

    def _apart_from_common(self, parts: list[Part], outer: Lin) -> tuple[Lin, list[Part]]:
        """What all exponents have in common, and the terms without it: it decides no maximum.

        ``max(h + a, h + b)`` is ``h + max(a, b)``, of which h may cancel around it.  The largest
        of exponentials goes where these are.
        """
        bare = [e for e in (_bare(e) for _, _, e, _ in parts) if e is not None]
        if len(bare) < len(parts):
            return self.a.no_exponent, parts
        shared = dict(set.intersection(*(set(e.terms) for e in bare)))
        towers = _least_towers(bare)
        met = {unmoved(m) for m in (*towers, *dict(outer.terms)) if hot(m)}
        found = {
            m: c
            for m, c in shared.items()
            if only_source(unmoved(m)) in met or not any(_is_beside_level(m, c, e) for e in bare)
        }
        common = self.a.lin({**towers, **found})
        if not common.terms:
            return common, parts
        left = (
            _like(p[2], self.a.plus(e, common, -ONE), self.a)
            for p, e in zip(parts, bare, strict=True)
        )
        return common, [(m, c, e, r) for (m, c, _, r), e in zip(parts, left, strict=True)]

    def _beside_towers(self, parts: list[Part]) -> tuple[Lin, list[Part]]:
        """The largest tower among exponents, and the terms relative to it.

        ``max(h + a, g + b)`` is ``t + max(h - t + a, g - t + b)`` with ``t = max(h, g)``: where h
        is an exponential, a number that is added to it is lost.
        """
        bare = [e for e in (_bare(e) for _, _, e, _ in parts) if e is not None]
        towers = [tall(e, self.a) for e in bare]
        mixed = any(h.terms and h is not e for h, e in zip(towers, bare, strict=True))
        if len(bare) < len(parts) or not mixed:
            return self.a.no_exponent, parts
        around = [e for _, _, e, _ in parts]
        top = self._level({_like(e, h, self.a) for e, h in zip(around, towers, strict=True)})
        found: list[Part] = []
        for (m, c, e, r), h, whole in zip(parts, towers, bare, strict=True):
            gap, left = self.gap(h, top), self.a.plus(whole, h, -ONE)
            if gap is not None:
                left = self.a.plus(left, self.a.lin({self.atom(gap): ONE}), ONE)
            found.append((m, c, _like(e, left, self.a), r))
        return top, found

    def _by_sign(self, form: Sum) -> Form | None:
        """``a + abs(u)`` as the choice between ``a + u`` and ``a - u``, where terms may cancel."""
        found = [(m, c) for m, c in form.terms if isinstance(m, App) and m.op is T.abs and hot(m)]
        if len(found) != 1:
            return None
        (m, c), a = found[0], self.a
        rest = a.add_terms({n: d for n, d in form.terms if n is not m})
        chosen = becomes((T.abs, None), m.args, a)
        if not (isinstance(chosen, App) and chosen.op is T.switch):
            return chosen and a.add(a.mul(a.const(c), chosen), rest)
        cond, *branches = chosen.args
        return a.app(T.switch, cond, *(a.add(rest, a.mul(a.const(c), b)) for b in branches))

    def _vanishing(self, form: Sum) -> Scaled | None:
        """``1 - exp(-u)``, which is as small as u, and has its sign.

        u is an exponential itself: ``1 - exp(-exp(x))`` is ``exp(x)`` where that is negligible.
        Of a negative one, ``exp(u) - 1`` is ``exp(u) * (1 - exp(-u))``.
        """
        one = dict(form.terms).get(self.a.one)
        others = [(m, c) for m, c in form.terms if m is not self.a.one]
        if one is None or len(others) != 1 or others[0][1] != -one:
            return None
        _, expo, factors = self.a.parts(others[0][0])
        if factors or not expo.terms:
            return None
        if all(c > 0 and m.nonneg and is_tower(m) for m, c in expo.terms):
            power = self.a.exp(self.a.lin({m: -c for m, c in expo.terms}))
            turned = self.a.sum_of({self.a.one: -one, power: one})
            found = self._vanishing(turned)
            return found and (self.a.plus(expo, found[0], ONE), found[1])
        u = self.faded({m: -c for m, c in expo.terms})
        if not (fades(u) or self.a.overflows(u)):
            return None
        inner, rest = self.split(u, Context({}, exact=True))
        x, zero = self.linear(inner), self.constant(ZERO)
        value = self.scaled(self.make(at.exp, x), rest)
        low, size = self.make(at.minimum, x, zero), value
        level: Terms = {self.atom(low): ONE}
        if not (fades(u) or u.nonneg):  # as exp(-u) * (exp(u) - 1) where u is negative
            top = self.make(at.maximum, self.make(at.neg, value), zero)
            size, level = self.make(at.abs, value), {**level, self.atom(top): ONE}
        missing = self.make(at.neg, self.make(at.expm1, self.make(at.neg, size)))
        if size is not value:
            missing = self.make(at.mul, self.make(at.sgn, value), missing)
        raised = self.make(at.mul, missing, self.make(at.exp, self.make(at.neg, low)))
        itself = self.scaled(self.make(at.exp, self.make(at.sub, x, low)), rest)
        out = self.make(
            at.switch, self.make(at.lt, size, self.constant_of(NEGLIGIBLE)), itself, raised
        )
        return self.a.lin(level), self.total([(one, out)])

    def faded(self, terms: Terms) -> Form:
        """A sum in which ``log(1 + exp(e)) - e`` is ``log(1 + exp(-e))``, by itself or summed."""
        sums = [m for m in terms if isinstance(m, App) and m.op in FADING]
        if len(sums) < len(terms) or len({(m.op, m.args[1:], m.args[0].bcast) for m in sums}) > 1:
            if len(terms) == 1:
                return self.a.add_terms(terms)
            return self._mirrored(self.a.sum_of(terms))
        inner = self.a.add(*(self.a.mul(self.a.const(terms[m]), m.args[0]) for m in sums))
        op, (_, *parameters) = sums[0].op, sums[0].args
        met = self.faded(self.a.terms_of(inner))
        return self.a.app(op, met, *parameters, bcast=sums[0].bcast)

    def _level(self, exponents: set[Form]) -> Lin:
        """The largest of some exponents."""
        known = {e for e in exponents if isinstance(e, Lin)}
        kept = exponents - known
        largest = [*(dominant(known, self.a) if not kept else known), *kept]
        if len(largest) == 1 and isinstance(largest[0], Lin):
            return largest[0]
        meetings = self.a.laws.row(T.add).meetings
        if not meetings:
            return self.a.no_exponent  # nobody says what level such terms have
        self.a.ran[meetings[0].relation] = None
        level = self.a.app(meetings[0].level, *sorted(largest, key=lambda e: e.uid))
        return self.a.lin({level: ONE})

    def _left(self, expo: Lin, rest: Variable[Any, Any] | None) -> tuple[Form, ...]:
        """What an exponent was taken out of, where its maxima do not show that nothing is left."""
        if rest is None or not any(c > 0 and is_hidden(m) for m, c in expo.terms):
            return ()
        return (self.atom(rest),)

    def _zeros(self, form: Sum) -> dict[Form, tuple[Form, ...]]:
        """For each term what silences its exponential where it vanishes.

        Terms of one exponential do so together, as the 1 and the y of ``exp(a)*y + 1 - y``.
        """
        alike: dict[Lin, list[tuple[Form, Fraction]]] = {}
        for m, c in form.terms:
            _, expo, factors = self.a.parts(m)
            if not any(hot(f) for f, _ in factors):
                alike.setdefault(expo, []).append((m, c))
        found: dict[Form, tuple[Form, ...]] = {}
        for expo, terms in alike.items():
            by = self.a.exp(self.a.neg(expo))
            whole = self.a.add(*(self.a.mul(self.a.const(c), m, by) for m, c in terms))
            if may_vanish(whole):
                found.update((m, (whole,)) for m, _ in terms)
        for m, _ in form.terms:  # with exponentials as factors, each factor by itself
            zeros = [f for f, k in self.a.parts(m)[2] if k > 0 and not hot(f) and may_vanish(f)]
            if zeros and m not in found:
                found[m] = tuple(zeros)
        return found

    def _kept_form(self, expo: Lin, hidden: tuple[Form, ...]) -> Form:
        """An exponent, marked with what silences it where it vanishes."""
        if not hidden:
            return expo
        whole = join_bcast([expo.bcast, *(f.bcast for f in hidden)])
        return self.a.app(T.kept, expo, tuple(dict.fromkeys(hidden)), bcast=whole)

    def shifted_total(
        self, terms: list[tuple[Fraction, Form, Variable[Any, Any] | None]], level: Lin
    ) -> Variable[Any, Any]:
        """The terms relative to a level; pure exponentials that cancel are subtracted as expm1."""
        differences = self.a.laws.row(T.sub).meetings
        pure = all(r is None for _, _, r in terms) and sum((c for c, _, _ in terms), ZERO) == 0
        pure = pure and bool(differences)
        function: Any = at.exp
        meetings = self.a.laws.row(T.add).meetings
        if pure:
            function, meetings = elementwise_op(differences[0].function.name), differences
            self.a.ran[differences[0].relation] = None
        # Terms of one exponent may cancel, and do so before others are added to them.
        alike: dict[Form, list[tuple[Fraction, Variable[Any, Any] | None]]] = {}
        for c, e, r in terms:
            alike.setdefault(e, []).append((c, r))
        found = []
        for e, rests in alike.items():
            gap = self.gap(e, level)
            v = None if gap is None else self.make(function, gap)
            if v is None and pure:
                continue  # expm1(0)
            if v is not None and meetings:  # others who find it built are told, too
                self.a.built_by.setdefault(v, meetings[0].relation)
            c, r = rests[0]
            if len(rests) > 1:
                c, r = ONE, self.total([(d, self.or_one(s)) for d, s in rests])
            found.append((c, self.or_one(r) if v is None else self.scaled(v, r)))
        return self.total(found)

    def gap(self, e: Form, level: Lin) -> Variable[Any, Any] | None:
        """How far an exponent is below the level, None for not at all."""
        if isinstance(e, Lin) and not any(is_largest(m) for m, _ in level.terms):
            below = self.a.plus(e, level, -ONE)
            return self.linear(below) if below.terms else None
        if not level.terms:
            return self.value(e)
        (top, c), *more = level.terms
        if c == 1 and not more:
            return self.below(e, top)
        return self.make(at.sub, self.value(e), self.linear(level))

    def _cold_sum(self, form: Sum, by: Fraction) -> Variable[Any, Any]:
        """A sum of values; logs give their exponents to the linear part first."""
        scaled = [(m, c * by) for m, c in form.terms]
        hidden = [(m, c) for m, c in scaled if _is_hot_log(m)]
        lin = self.a.lin({m: c for m, c in scaled if (m, c) not in hidden})
        lin, inner = cleared(lin, [(m.args[0], c) for m, c in hidden], self.a)  # type: ignore[attr-defined]
        hidden = [(self.a.app(T.log, f), c) for f, c in inner]
        lin, hidden, logs = self._tops(lin, hidden)
        alike = _of_alike(hidden)
        for m, c in hidden:
            # As c * (lin/c + log(...)): what cancels inside the log does so before it is added.
            outer, left = lin, self.a.no_exponent
            if m in alike:
                outer, left = left, outer
            outer = self.a.lin({n: d / c for n, d in outer.terms})
            e, r = self.log_parts(m.args[0], outer, m in alike)  # type: ignore[attr-defined]
            lin = self.a.plus(left, e, c)
            if r is not None:
                logs.append((c, r))
        number = dict(lin.terms).get(self.a.one)
        if hidden and number is not None and len(lin.terms) > 1:
            # A number comes after the exponents, which may cancel.
            lin = self.a.lin({m: c for m, c in lin.terms if m is not self.a.one})
            logs.append((number / abs(number), self.constant(abs(number))))
        terms = [(ONE, self.linear(lin))] if lin.terms else []
        return self.total(terms + logs)

    def _tops(self, lin: Lin, logs: Logs) -> tuple[Lin, Logs, Values]:
        """``log(1 + exp(a))`` as ``max(a, 0) + log1p(exp(-|a|))`` where another log has a too.

        The maximum then meets that log's own exponents, and not their maximum: with
        ``log(exp(a + b) + exp(c))`` it loses b and c where a is large.
        """
        left: Logs = []
        values: Values = []
        outside = frozenset(m for m, _ in lin.terms)
        shown = {m: exponents(m.args[0]) for m, _ in logs}  # type: ignore[attr-defined]
        meeting = [(m, c) for m, c in logs if not is_softplus(m) or shown[m] & outside]
        logs_of: dict[Form, Form] = {}
        for m, c in sorted(logs, key=lambda log: len(shown[log[0]])):
            met = any(shown[m] & shown[n] for n, d in meeting if n is not m and c * d < 0)
            if not (met and is_softplus(m)):
                left.append((m, c))
                continue
            gap = self._pair(m.args[0])[0]  # type: ignore[attr-defined]
            done = logs_of.values()
            others = frozenset().union(*(shown[n] for n, _ in meeting if n not in (m, *done)))
            # What meets nothing there may be infinite, and is added to both, with what it met.
            own = {
                n: d / c
                for n, d in lin.terms
                if (mine := shown.get(logs_of.get(n, n), {n})) & shown[m] and not mine & others
            }
            low = self.a.lin(own)
            high = self.a.plus(gap, low, ONE)
            apart = self.linear(gap)
            top: Form = self.a.app(T.maximum, gap, self.a.no_exponent)
            if low.terms:
                ends = self.linear(low), self.linear(high)
                top, ties = self.atom(self.make(at.maximum, *ends)), self.make(at.eq, *ends)
                apart = self.make(at.switch, ties, self.constant(ZERO), apart)
            logs_of[top] = m
            lin = self.a.plus(self.a.plus(lin, low, -c), self.a.lin({top: ONE}), c)
            fade = self.make(at.neg, self.make(at.abs, apart))
            values.append((c, self.make(at.softplus, fade)))
        return lin, left, values


def is_of_logs(form: Form) -> bool:
    """Tell whether a form is a sum of logs, out of which no exponent is taken."""
    if not isinstance(form, Sum):
        return False
    return all(isinstance(m, App) and m.op is T.log for m, _ in form.terms)


def _apart_by_an_exponential(known: Collection[Lin], a: Algebra) -> Iterator[tuple[Lin, Lin]]:
    """Exponents of which the second less an exponential is the first: nothing may be left of it.

    They are found by what they have beside it, and not pair by pair.
    """
    alike: dict[tuple[Form, Lin], list[tuple[Fraction, Lin]]] = {}
    for expo in known:
        for m, c in expo.terms:
            if hot(m) and m.nonneg:
                rest = a.plus(expo, a.lin({m: c}), -ONE)
                without = [(ZERO, rest)] if rest in known else []
                alike.setdefault((m, rest), without).append((c, expo))
    for group in alike.values():
        for (j, low), (k, high) in permutations(group, 2):
            if j < k:
                yield low, high


def _of_alike(logs: Logs) -> set[Form]:
    """The logs of sums with the same exponents as another one has, of the opposite sign.

    The largest exponent is the same, and cancels: nothing of it may be in only one of them.
    """
    shown = [(m, c, exponents(m.args[0])) for m, c in logs]  # type: ignore[attr-defined]
    return {
        m for m, c, mine in shown if any(c * d < 0 and mine == theirs for _, d, theirs in shown)
    }


def _adds_up(form: Form) -> bool:
    """Tell whether nothing is subtracted in an exponent, nor in those that it is the largest of."""
    if isinstance(form, Lin):
        return all(c > 0 and _adds_up(m) for m, c in form.terms)
    sources = form.forms if isinstance(form, App) and is_largest(form) else ()
    return all(bare is not None and _adds_up(bare) for bare in map(_bare, sources))


def _least_towers(exponents: list[Lin]) -> Terms:
    """The least of each exponential that all exponents have in them, with one sign.

    Of ``max(2*e, 4*e)`` two may be infinite, of ``2*e + max(0, 2*e)`` none but one.
    """
    found: Terms = {}
    first, *others = (dict(e.terms) for e in exponents)
    for m, c in first.items():
        shares = [c, *(e.get(m, ZERO) for e in others)]
        if is_tower(m) and hot(m) and (min(shares) > 0 or max(shares) < 0):
            found[m] = min(shares, key=abs)
    return found


def _is_beside_level(form: Form, c: Fraction, expo: Lin) -> bool:
    """Tell whether a term is a maximum along an axis, or is subtracted in such.

    In what one is the maximum of, or on the whole in the maxima that are inside of them.
    """
    if is_level(form) and not is_largest(form):
        return True
    levels = [(m, d) for m, d in expo.terms if is_level(m) and not is_largest(m)]
    inside, outer = ZERO, len(levels)
    for place, (level, d) in enumerate(levels):  # those that are found inside are added below
        bare = (_bare(f) for f in level.forms) if isinstance(level, App) else ()
        for n, e in (term for lin in bare if lin is not None for term in lin.terms):
            if n is form and place < outer and c * d < 0:
                return True
            inside += d * e if n is form else ZERO
            if is_level(n):
                levels.append((n, d * e))
    return c * inside < 0


def _as_shown(parts: list[Part]) -> list[Part]:
    """The terms, of which none is hidden where another of its exponent is not."""
    shown = {e for _, _, e, _ in parts}
    return [(m, c, bare if (bare := _bare(e)) in shown else e, r) for m, c, e, r in parts]


def _bare(expo: Form) -> Lin | None:
    """An exponent without what may hide it."""
    if isinstance(expo, App) and expo.op is T.kept:
        expo = expo.args[0]
    return expo if isinstance(expo, Lin) else None


def _like(expo: Form, other: Lin, a: Algebra) -> Form:
    """Another exponent, with what may hide the one."""
    if not isinstance(expo, App):
        return other
    hidden = expo.args[1]  # the exponent may be a number among tensors of any rank
    return a.app(T.kept, other, hidden, bcast=join_bcast([f.bcast for f in (other, *hidden)]))


def _is_hot_log(form: Form) -> bool:
    return isinstance(form, App) and form.op is T.log and hot(form.args[0])


def is_largest(form: Form) -> bool:
    """Tell whether a form is the largest of several exponents."""
    return isinstance(form, App) and form.op is T.maximum


@remembered
def holds_sum(form: Form) -> bool:
    """Tell whether a factor is the size of a product with a sum of exponentials, or its root."""
    if not hot(form) or isinstance(form, Sum):
        return False
    inner = form.args[0] if isinstance(form, App) and form.op is T.abs else form
    factors = inner.factors if isinstance(inner, Prod) else ((inner, ONE),)
    return any(isinstance(f, Sum) or holds_sum(f) for f, _ in factors if f is not form)


def is_simpler(form: Sum, by: Fraction) -> bool:
    """Tell whether multiplying a sum out leaves fewer factors than a product with it."""
    multiplied = sum(abs(c * by) != 1 for _, c in form.terms)
    return by != 1 and multiplied < 1 + sum(abs(c) != 1 for _, c in form.terms)
