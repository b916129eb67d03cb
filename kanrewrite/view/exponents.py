"""Exponents as variables: what belongs together is subtracted before it is added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, TypeGuard

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.subtensor import IncSubtensor

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.bench import Bench, dimshuffled
from kanrewrite.view.context import PLAIN, Context, hides, within_log
from kanrewrite.view.elements import LARGEST
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Form,
    Leaf,
    Lin,
    Prod,
    Sum,
    Terms,
    Totals,
    pieces,
    within,
)
from kanrewrite.view.heat import fading, hot, is_mask, is_softplus
from kanrewrite.view.largest import as_joined, sources
from kanrewrite.view.levels import bounded
from kanrewrite.view.limits import conflicts, limit, only_tower, slope, towers
from kanrewrite.view.places import moved
from kanrewrite.view.shutting import kept_in, may_be_empty
from kanrewrite.view.towers import is_level, is_tower, of_ones, only_source, unmoved
from kanrewrite.view.zeros import may_vanish, sums_kept

#: What towers are multiplied with at most.
HIGHEST = 16


class ExponentBuilder(Bench):
    """Builds exponents, and values of which they are the exponents."""

    def value(self, form: Form, where: Context | None = None) -> Variable[Any, Any]:
        """The variable of a form."""
        if isinstance(form, Lin):
            return self.linear(form)
        if where is None:
            where = self._alone(form)
        expo, rest = self.split(form, where)
        if not expo.terms:
            return self.or_one(rest)
        hidden = self.nothing(expo, form, rest) or self.hidden(expo, form)
        hidden = (*hidden, *self._put_by(expo, form)) or self._keeping(expo, form)
        power = self.make(at.exp, self.kept(expo, hidden))
        power = power if hidden else self._with_powers(expo, power)
        powers = [power]
        if rest is not None and not hidden and self._meets_zero(expo, form):
            powers = self._in_two(power)
        out = self.times([*self.factors(rest), *powers]) or power
        shown = kept_in(form, self) if hidden_inside(expo) else None
        if shown is not None:  # what is left of exponents over nothing may be infinite
            out = self.make(at.switch, shown, out, self.constant(ZERO))
        return self._with_nan_of(power, out, [f for f, _ in self.a.parts(form)[2] if is_mask(f)])

    def _with_nan_of(
        self, power: Variable[Any, Any], out: Variable[Any, Any], masks: list[App]
    ) -> Variable[Any, Any]:
        """A product of a power and masks: 0 times nan is nan, but a choice may hide that too."""
        chosen = [f for f in masks if not self.multiplies(f)]
        if len(chosen) == len(masks):
            return out
        out = self.make(at.switch, self.make(at.isnan, power), power, out)
        return self.all_masked(chosen, out, self.constant(ZERO))

    def _alone(self, form: Form) -> Context:
        """Where a value is built of which nothing around it says how large it is."""
        if not isinstance(form, App | Sum) or not self.a.overflows(form):
            return PLAIN
        if isinstance(form, App):
            return Context({}, apart=True, unbounded=True)
        # Beside a term that a factor hides, others would be 0 relative to its exponential.
        return Context({(form, ()): frozenset([()])}) if hides(form, self.a) else PLAIN

    def _meets_zero(self, expo: Lin, form: Form) -> bool:
        """Tell whether an exponential may be out of range where a factor of it is 0.

        Where it is because softpluses in it have vanished, it is none, and nan may be shown.
        """
        powers = self.a.parts(form)[2]
        factors, hiding = [f for f, k in powers if k > 0], frozenset(f for f, _ in powers)
        zeros = any(map(may_vanish, factors)) and not bounded(expo, self.a, hiding)
        return zeros and all(fading(f) or not any(map(is_softplus, within(f))) for f in factors)

    def _in_two(self, power: Variable[Any, Any]) -> list[Variable[Any, Any]]:
        """``exp(e)`` as ``exp(min(e, b)) * exp(max(e - b, 0))``, neither of them infinite.

        0 times it is 0, as 0 is over ``exp(-e)``, a denormal number.
        """
        if power.owner is None or power.owner.op != at.exp:
            return [power]
        most = self.constant_of(float(np.floor(np.log(np.finfo(self.dtype).max))))
        e, zero = power.owner.inputs[0], self.constant(ZERO)
        above = self.make(at.maximum, self.make(at.sub, e, most), zero)
        return [self.make(at.exp, f) for f in (self.make(at.minimum, e, most), above)]

    def _put_by(self, expo: Lin, form: Form) -> tuple[Form, ...]:
        """The scatters that an exponent, one number, has left: what is put nowhere is zero."""
        if not any(all(m.bcast) for m, _ in expo.terms):
            return ()
        return tuple(f for f, k in self.a.parts(form)[2] if k == 1 and self.a.is_left(f))

    def _keeping(self, expo: Lin, form: Form) -> tuple[Form, ...]:
        """The sums that may be over nothing, which are zero however large an exponent is."""
        factors = [f for f, k in self.a.parts(form)[2] if k == 1]
        found = tuple(f for f in factors if sums_kept(f))
        if found or bounded(expo, self.a):
            return found
        return tuple(f for f in factors if may_be_empty(f))

    def _with_powers(self, expo: Lin, power: Variable[Any, Any]) -> Variable[Any, Any]:
        """``exp(a + t * log(b))`` as ``exp(a) * b**t`` where both are in range.

        The exponent is rounded to its size, of which ``b**t`` loses nothing.
        """
        powers = {m: c for m, c in expo.terms if power_in(m, self.a) is not None}
        if not powers:
            return power
        left = self.a.lin({m: c for m, c in expo.terms if m not in powers})
        factors = [self.make(at.exp, self.linear(left))] if left.terms else []
        sizes = [self.linear(left)] if left.terms else []
        for m, c in powers.items():
            found = power_in(m, self.a)
            assert found is not None
            base, t = found
            sizes.append(self.linear(self.a.lin({m: c})))
            factors.append(
                self.make(at.pow, self.value(base), self.value(self.a.mul(self.a.const(c), t)))
            )
        most = self.constant_of(float(np.log(np.finfo(self.dtype).max)) - 1)
        safe: Any = None
        for size in sizes:
            small = self.make(at.lt, self.make(at.abs, size), most)
            safe = small if safe is None else self.both(safe, small)
        return self.make(at.switch, safe, self.times(factors), power)

    # -- linear combinations ----------------------------------------------------------------

    def linear(self, lin: Lin) -> Variable[Any, Any]:
        """An exponent as a variable, once."""
        return self.as_exponent(lin, partial(self._linear, lin))

    def as_exponent(self, lin: Lin, build: Callable[[], Variable[Any, Any]]) -> Variable[Any, Any]:
        """An exponent that is built in some way, unless it has been in another one."""
        return self.reuse.once(("exponent", lin), build)

    def _linear(self, lin: Lin) -> Variable[Any, Any]:
        met = self.a.cancelled(dict(lin.terms))
        if met is not None:  # as of ``(1 + 1/r)*m - (2 + 1/r)*m``, where m may be large
            return self.linear(self.a.lin(met))
        left = of_ones(lin.terms, self.a)
        terms = self._differences(left) + self._moved_differences(left)
        risks = [t for t in towers(lin) if not is_level(t) and self._conflicts(lin, left, t)]
        terms += self._towers(left) + self._multiplied_differences(left)
        if left:
            whole = self.a.add_terms(left)
            known = self.known(whole)
            apart = [] if known is not None else self._apart(left)
            if known is not None:
                terms.append(known)
            elif apart:
                terms += [*apart, (ONE, self.linear(self.a.lin(left)))]
            elif len(left) > 1 and isinstance(whole, Prod) and whole.expo.terms:
                terms.append((ONE, self.value(whole)))  # its terms may be infinite, and cancel
            else:
                terms += self._by_exponentials(left)
        out = self.total(terms)
        for tower in sorted(risks, key=lambda f: f.uid):
            out = self._in_the_limit(out, lin, tower)
        return out

    def _multiplied_differences(self, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """``w*x - w*y`` as ``w*(x - y)``: what x and y have in common is subtracted exactly."""
        shared: dict[Form, Totals] = {}
        for m, c in left.items() if len(left) > 1 else ():
            for f, k in self.a.parts(m)[2]:
                if k == 1 and f is not m and not (hot(m) or is_mask(f)):
                    shared.setdefault(f, Totals())[self.a.div(m, f)] += c
        found: list[tuple[Fraction, Variable[Any, Any]]] = []
        for f, inner in shared.items():
            whole = {self.a.mul(f, m): c for m, c in inner.items()}
            if min(inner.values()) < 0 < max(inner.values()) and all(m in left for m in whole):
                gap = self.linear(self.a.lin(inner))
                found.append((ONE, self.make(at.mul, self.value(f), gap)))
                for m in whole:
                    del left[m]
        return found

    def _by_exponentials(self, left: Terms) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """Terms of an exponent; those of one exponential, which may be infinite, as one."""
        alike: dict[Lin, Totals] = {}
        for m, c in left.items():
            alike.setdefault(self.a.parts(m)[1], Totals())[m] = c
        found: list[tuple[Fraction, Variable[Any, Any]]] = []
        for expo, group in alike.items():
            whole = self.a.add_terms(group) if len(group) > 1 and expo.terms else None
            if isinstance(whole, Prod) and whole.expo.terms:
                found.append((ONE, self.value(whole)))
            else:
                found += [(c, self._term(m)) for m, c in group.items()]
        return found

    def _conflicts(self, lin: Lin, left: Totals, tower: Form) -> bool:
        """Tell whether infinities are added where an exponential is, beside differences."""
        for up in (True,) if tower.nonneg else (True, False):
            apart = [c * slope(m, tower, up) for m, c in left.items()]
            if conflicts([*apart, slope(lin, tower, up) - sum(apart, ZERO)]):
                return True
        return False

    def _term(self, form: Form) -> Variable[Any, Any]:
        """A term of an exponent; what is picked of an exponential is, for it amplifies rounding."""
        known = self.known(form) if is_tower(form) else None
        if known is not None:
            return self.total([known])
        if form not in self.a.taken_from:
            return self.value(form)
        move, whole = self.a.taken_from[form]
        return self.make(move.apply, self._term(whole))

    def known(self, form: Form) -> tuple[Fraction, Variable[Any, Any]] | None:
        """A variable of the graph that computes a form, or what it is the negative of.

        It may lack dimensions of length 1: computed with them anew, it would be rounded anew.
        """
        for sign, wanted in ((ONE, form), (-ONE, self.a.neg(form))):
            origin = self._origin_of(wanted)
            if origin is not None:
                return sign, origin
            ones = tuple(d for d, one in enumerate(wanted.bcast) if one)
            origin = self._origin_of(self.a.drop(wanted, ones)) if ones else None
            if origin is not None:
                left = iter(range(origin.type.ndim))
                order = tuple("x" if one else next(left) for one in wanted.bcast)
                return sign, self.make(dimshuffled, origin, order)
        return None

    def _origin_of(self, form: Form) -> Variable[Any, Any] | None:
        """The variable of the graph that computes a form as it is."""
        origin = self.view.computed(form)
        return origin if origin is not None and origin.type.ndim == form.ndim else None

    def _towers(self, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """Take out exponents that are exponentials themselves: beside them the others are lost.

        What is left of ``exp(x) - max(exp(x))`` is added to x, not its first term alone.
        """
        high = Totals((m, c) for m, c in left.items() if is_tower(m))
        if len(high) < 2 or len(high) == len(left):
            return []
        for m in high:
            del left[m]
        return [(ONE, self.linear(self.a.lin(high)))]

    def _apart(self, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """Take out exponentials from beside levels, and others.

        Over a common factor, ``sinh(x) - max(sinh(x))`` would compute sinh in another way: both
        are rounded to their size, and would differ where nothing should be left.
        """
        high = Totals((m, c) for m, c in left.items() if hot(m) and not is_level(m))
        if not high or len(high) == len(left):
            return []
        for m in high:
            del left[m]
        by = next((abs(c) for m, c in left.items() if is_level(m)), ONE)
        by = by if all((c / by).denominator == 1 for c in high.values()) else ONE
        return [(by, self.linear(self.a.lin({m: c / by for m, c in high.items()})))]

    def _differences(self, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """Take out each ``source - max(source)``, which is exact where its parts are close."""
        found = []
        for top in [m for m in left if isinstance(m, App) and m.op in LARGEST]:
            if left[top] >= 0:
                continue  # it may have met another one
            choice = next((m for m in left if _chooses(m, top)), None)
            if choice is not None:  # each of its exponents meets the largest
                cond, *branches = choice.args  # type: ignore[attr-defined]
                c, times = left.pop(choice), left.pop(top)
                gaps = [self.linear(self.a.lin(_beside(e, c, {top: times}))) for e in branches]
                found.append((ONE, self.make(at.switch, self.raw(cond), *gaps)))
                continue
            among = list(sources(top, self.a))
            if is_with_zero(top, self.a):
                # An element of what is the larger of a maximum and 0 is subtracted itself.
                among = [e for e in among if e not in top.forms]
                if not any(_contains(left, e, -left[top]) for e in among):
                    found += self._with_zero(top, left)
            for source in among:
                if top not in left or not _contains(left, source, -left[top]):
                    continue
                c = left.pop(top)
                for m, d in source.terms:
                    left[m] += d * c
                    if not left[m]:
                        del left[m]
                found.append((-c, self.below(source, top)))
        return found

    def _with_zero(self, top: App, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """``e - 2*max(e, 0)`` as ``min(e, 0) + min(-e, 0)``, whatever is infinite."""
        (source,) = (e for e in top.forms if isinstance(e, Lin) and e.terms)
        times = -left.pop(top)
        met = min(max(min(left[m] / d for m, d in source.terms), ZERO), times)
        for m, d in source.terms if met else ():
            left[m] -= met * d
            if not left[m]:
                del left[m]
        shares = (met, source), (times - met, self.a.no_exponent)
        return [(k, self.below(e, top)) for k, e in shares if k]

    def _moved_differences(self, left: Totals) -> list[tuple[Fraction, Variable[Any, Any]]]:
        """The same where both have been moved: ``y_i + y_j - 2*max(y)`` is a sum of differences.

        So is what two kinds of maxima differ by, which is 0 unless they are infinite.
        """
        found = []
        for top in [m for m, c in left.items() if c < 0]:
            source = only_source(unmoved(top))
            for m in list(left) if source is not None else ():
                times = min(left[m], -left[top])
                if times <= 0 or source not in (unmoved(m), only_source(unmoved(m))):
                    continue
                for taken, c in ((m, -times), (top, times)):
                    left[taken] += c
                gap = self.below(self.a.lin({m: ONE}), top)
                found.append((times, gap))
        for m in [m for m, c in left.items() if not c]:
            del left[m]
        return found

    def below(self, exponent: Form, top: Form) -> Variable[Any, Any]:
        """How far an exponent is below the largest one, even where that is infinite."""
        none = self.a.no_exponent
        if is_with_zero(top, self.a) and exponent in top.forms:
            (other,) = (self.linear(e) for e in top.forms if isinstance(e, Lin) and e.terms)
            other = self.make(at.neg, other) if exponent is none else other
            return self.make(at.minimum, other, self.constant(ZERO))
        size = self.value(as_joined(exponent, top, self.a))
        gap = self.make(at.sub, size, self.value(top))
        tower = only_tower(top)
        if tower is None or not isinstance(exponent, Lin):
            return gap
        return self._in_the_limit(gap, self.a.plus(exponent, self.a.lin({top: ONE}), -ONE), tower)

    def _in_the_limit(self, usual: Variable[Any, Any], lin: Lin, tower: Form) -> Variable[Any, Any]:
        """An exponent, with its limit where an exponential in it is infinite, and no other.

        Or nearly, so that a multiple of it is.
        """
        var, others = self._term(tower), sorted(towers(lin) - {tower}, key=lambda f: f.uid)
        out: Variable[Any, Any] = usual
        for up in (True, False):
            if tower.nonneg and not up:
                continue
            high = self.constant_of(float(np.finfo(self.dtype).max) / HIGHEST * (1 if up else -1))
            there = self.make(at.ge if up else at.le, var, high)
            for other in others:
                finite = self.make(at.invert, self.make(at.isinf, self.value(other)))
                there = self.both(there, finite)
            left = limit(lin, tower, up, self.a)
            steep = slope(left, tower, up)
            found = self.constant_of(np.inf if steep > 0 else -np.inf)
            out = self.make(at.switch, there, found if steep else self.linear(left), out)
        return out

    def absorbed(self, outer: Lin, k: Fraction, exponents: list[Lin]) -> tuple[Lin, Lin]:
        """The part of outer to add to each ``e_i`` in ``exp(outer) * sum(exp(e_i))**k``, the rest.

        ``a + max(0, b - a)`` loses digits that ``max(a, b)`` keeps, and so does ``max(a, b + c)``
        less ``max(0, b)`` of those of a and c that ``b - max(0, b)`` leaves.  A sum in a sum shows
        only its level, ``max(0, b - a)``, which a may be in.
        """
        shared = {m for e in exponents for m in (shown(e) if k == 1 else dict(e.terms))}
        shared |= {m for level in shared for m in compared(level)}
        meets = {m for m, _ in outer.terms if m in shared or not shared.isdisjoint(compared(m))}
        inner = self.a.lin({m: _exact(c / k) for m, c in outer.terms if m in meets})
        return inner, self.a.plus(outer, inner, -k)

    # -- levels that are -inf where there is nothing ------------------------------------------

    def low(self, level: Variable[Any, Any]) -> Leaf:
        """A level that is -inf where there is nothing: what it is the maximum of may be too."""
        leaf = self.atom(level)
        self._low.add(leaf)
        return leaf

    def nothing(self, expo: Lin, form: Form, rest: Variable[Any, Any] | None) -> tuple[Form, ...]:
        """The rest of a form, where it is 0 though the levels in its exponent may not show it."""
        if rest is None or not self.may_be_nothing(expo, form):
            return ()
        return (self.atom(rest),)

    def may_be_nothing(self, expo: Lin, form: Form) -> bool:
        """Tell whether a form may be zero where such levels in its exponent do not show it.

        A shift, 0 where all that it is the maximum of is -inf, does not, nor do the maximum of
        exponents that are all kept by something, other factors and terms that cancel.
        """
        factors = self.a.parts(form)[2]
        others = any(k > 0 and not hot(f) and may_vanish(f) for f, k in factors)
        stack: list[tuple[Form, bool]] = [(expo, others)]
        seen: set[tuple[Form, bool]] = set()
        while stack:
            part, matters = stack.pop()
            if matters and part in self._low:
                return True
            if isinstance(part, App) and part.op is T.maximum and all(map(_is_kept, part.forms)):
                return True
            if (part, matters) not in seen and isinstance(part, Lin | App):
                seen.add((part, matters))
                largest = isinstance(part, App) and part.op in (T.shift, T.maximum)
                matters = matters or largest
                stack.extend((p, matters) for p in pieces(part))
        return False

    # -- factors that silence an exponential ------------------------------------------------

    def hidden(self, expo: Lin, form: Form) -> tuple[Form, ...]:
        """The factors whose zeros the maximum in an exponent does not cover."""
        factors = {f for f, k in self.a.parts(form)[2] if k > 0}
        found: dict[Form, None] = {}
        unmatched = False
        stack: list[Form] = [expo] if factors else []
        while stack:
            part = stack.pop()
            if isinstance(part, Lin):
                stack.extend(m for m, _ in part.terms)
            elif isinstance(part, App) and part.op in (T.shift, T.kept):
                hidden = part.args[-1]
                found.update({f: None for f in hidden if f in factors})
                unmatched |= part.op is T.shift and not factors.issuperset(hidden)
                stack.append(part.args[0])
            elif isinstance(part, App) and part.op in (T.switch, T.maximum, T.dimshuffle):
                stack.extend(part.forms)
        if unmatched:  # what is hidden there may be hidden here by other factors
            zeros = (f for f, k in self.a.parts(form)[2] if k > 0 and not hot(f) and may_vanish(f))
            found.update(dict.fromkeys(zeros))
        return tuple(found)

    def kept(self, expo: Lin, hidden: tuple[Form, ...]) -> Variable[Any, Any]:
        """The exponent, -inf where a factor that may vanish does."""
        out = self.linear(expo)
        low, gone = self.constant_of(-np.inf), self.make(at.isnan, out)
        for f in _silencers(hidden):
            if is_mask(f):
                least = self.make(at.switch, gone, out, low) if self.multiplies(f) else low
                out = self.masked(f, out, least)
            else:
                rest = self.or_one(self.split(f, within_log(f))[1])
                there = self.make(at.neq, rest, self.constant(ZERO))
                if not self.a.is_left(f):  # zero times nan is nan
                    there = self.either(there, gone)
                out = self.make(at.switch, there, out, low)
                chosen = (g for g, _ in self.a.parts(f)[2] if is_mask(g) and self._asks(g))
                out = self.all_masked(chosen, out, low)
        return out

    def _asks(self, mask: App) -> bool:
        """Tell whether a mask is of a choice, and not of what was set somewhere."""
        condition = moved(mask.args[0])[1]
        node = condition.var.owner if isinstance(condition, Leaf) else None
        made = node is not None and isinstance(node.op, IncSubtensor)
        return not (self.multiplies(mask) or made)


def _is_kept(form: Form) -> bool:
    """Tell whether an exponent is -inf where something vanishes."""
    return isinstance(form, App) and form.op is T.kept


def _exact(c: Fraction) -> Fraction:
    """The nearest number of which a multiple is not rounded: a third of what is large is."""
    return c if c.denominator & (c.denominator - 1) == 0 else Fraction(round(c))


def _silencers(forms: Iterable[Form]) -> Iterator[Form]:
    """Factors that may vanish, of which each mask counts by itself: it may hide nan too."""
    for form in dict.fromkeys(forms):
        factors = form.factors if isinstance(form, Prod) else ()
        masks = [f for f, k in factors if k > 0 and is_mask(f)]
        if isinstance(form, Prod) and len(masks) == len(factors) and masks:
            yield from masks
        else:
            yield form


def power_in(form: Form, a: Algebra) -> tuple[Form, Form] | None:
    """The base b and the exponent t of ``t * log(b)``, of a b that is no exponential; or None."""
    for f, k in a.parts(form)[2]:
        if k == 1 and isinstance(f, App) and f.op is T.log and not hot(f.args[0]):
            t = a.div(form, f)
            return None if t is a.one else (f.args[0], t)
    return None


def shown(expo: Lin) -> set[Form]:
    """The terms of an exponent, and those whose maxima it holds."""
    found: set[Form] = set()
    for m, _ in expo.terms:
        found.add(m)
        if isinstance(m, App) and m.op in (T.shift, T.max):
            found.update(
                n for source in m.forms if isinstance(source, Lin) for n, _ in source.terms
            )
    return found


def compared(form: Form) -> set[Form]:
    """The terms of the exponents whose maximum a form is."""
    if not (isinstance(form, App) and form.op is T.maximum):
        return set()
    sources = [f.args[0] if isinstance(f, App) and f.op is T.kept else f for f in form.forms]
    return {m for source in sources if isinstance(source, Lin) for m, _ in source.terms}


def hidden_inside(expo: Lin) -> bool:
    """Tell whether an exponent holds a maximum over what some factors do not hide."""
    stack, seen = [*pieces(expo)], set()
    while stack:
        form = stack.pop()
        if isinstance(form, App) and form.op is T.shift and form.args[2]:
            return True
        if form not in seen:
            seen.add(form)
            stack.extend(pieces(form))
    return False


def is_with_zero(form: Form, a: Algebra) -> TypeGuard[App]:
    """Tell whether a form is the larger of an exponent and 0."""
    if not isinstance(form, App) or form.op is not T.maximum or len(form.args) != 2:
        return False
    return a.no_exponent in form.args and all(isinstance(e, Lin) for e in form.args)


def _chooses(form: Form, top: App) -> bool:
    """Tell whether an exponent is chosen from among some that a maximum is taken of, too."""
    if not isinstance(form, App) or form.op is not T.switch:
        return False
    chosen, largest = (
        {m for e in f.forms if isinstance(e, Lin) for m, _ in e.terms} for f in (form, top)
    )
    return not chosen.isdisjoint(largest)


def _beside(expo: Lin, c: Fraction, terms: Terms) -> Totals:
    """An exponent times c, and other terms."""
    out = Totals(terms)
    for m, d in expo.terms:
        out[m] += c * d
    return out


def _contains(terms: Terms, lin: Lin, c: Fraction) -> bool:
    """Tell whether an exponent times c, or more of some of its terms, is among terms."""
    return bool(lin.terms) and all(m in terms and terms[m] / (d * c) >= 1 for m, d in lin.terms)
