"""The axioms: products with exponents, sums with signs, exp and log, in canonical form.

The constructors of this file are the whole of associativity, commutativity, units and inverses
of a view.  Equations between other operators are relations (see `kanrewrite.relations`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeGuard

from kanrewrite.terms import Operator, T
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Bcast,
    Form,
    Interner,
    Leaf,
    Lin,
    Prod,
    Sum,
    Terms,
    Totals,
    has_power,
    join_bcast,
    made_once,
    power_of,
    power_of_two,
    within,
)
from kanrewrite.view.heat import exponents, hot, is_mask
from kanrewrite.view.perfect import perfect_power
from kanrewrite.view.rational import in_lowest_terms

#: A sum longer than this is not multiplied out.
LONGEST = 24
#: Sums longer than this together are not multiplied out to be added up by what they are times.
MOST = 256
#: A sum longer than this stays one term of the sum that it is in.
WIDEST = 8
#: A power of a sum above this is not multiplied out.
HIGHEST = 3
#: ``c * (1 - m)``, which may be 0, is not ``c - c*m`` for a c as large as a mask's -1e9.
STEEPEST = 64
#: The bits of a double.
DIGITS = 53
#: A number of up to these is taken out of a sum as it is, a larger one without its power of two.
ROUND = 1 << 20

#: What rearranges a tensor.
MOVES = {T.dimshuffle, T.subtensor}
#: Operators whose value is never negative.
NONNEGATIVE = {
    T.abs, T.sqr, T.sqrt, T.softplus, T.sigmoid, T.softmax, T.exp, T.cosh, T.eq, T.neq, T.lt, T.le,
    T.gt, T.ge, T.size, T.ones_like, T.mask, T.defined,
}  # fmt: skip
#: Operators whose value is never negative when the operands that have its sign are not.
MONOTONE = {
    T.sum, T.prod, T.max, T.min, T.cumsum, T.dimshuffle, T.drop, T.reshape, T.subtensor,
    T.scatter, T.alloc, T.join, T.switch, T.maximum, T.minimum, T.dot, T.mask, T.pow,
    T.others,
}  # fmt: skip


#: What is 1, or nothing: ``m**2 == m``.
_IDEMPOTENT = (T.defined, T.mask)
#: Operators that are more to a product than a factor among others.
_SPECIAL = (T.switch, T.ones_like, T.abs, *_IDEMPOTENT)


class Algebra(Interner):
    """Interns forms of one float dtype and computes with them."""

    def __init__(self, dtype: str = "float64") -> None:
        super().__init__()
        self.dtype = dtype
        self._expanded: dict[Form, Terms] = {}
        #: The exponents that left the terms of sums when these were made.
        self.written: dict[Form, Lin] = {}
        #: What was taken from 1, of quotients that are what is left.
        self.taken: dict[Form, Terms] = {}
        self.no_exponent = self.lin({})
        self.one = self.prod(ONE, self.no_exponent, {})
        self.zero = self.prod(ZERO, self.no_exponent, {})

    # -- makers ---------------------------------------------------------------------------

    def leaf(self, var: Any, bcast: Bcast, nonneg: bool = False) -> Leaf:
        """A variable as it is."""

        def make() -> Leaf:
            form = Leaf()
            form.var, form.bcast, form.nonneg = var, bcast, nonneg
            return form

        made: Leaf = self.intern(("leaf", var), make)
        return made

    def app(self, op: Operator, *args: Any, bcast: Bcast | None = None) -> App:
        """An operator over forms as it stands: no equation is applied."""

        def make() -> App:
            form = App()
            form.op, form.args = op, args
            forms = form.forms
            form.bcast = join_bcast([f.bcast for f in forms]) if bcast is None else bcast
            form.nonneg = (
                op in NONNEGATIVE
                or (op is T.log and _is_one_or_more(forms[0]))
                or (op is T.dot and _is_length(forms))
                or (
                    (op in MONOTONE or op in self.passed)
                    and all(f.nonneg for f in _signed(op, forms))
                )
            )
            return form

        made: App = self.intern((op, *args), make)
        return made

    def lin(self, terms: Terms) -> Lin:
        """An exponent ``c1*m1 + c2*m2 + ...`` as it stands."""
        items = _ordered(terms)

        def make() -> Lin:
            form = Lin()
            form.terms = items
            form.bcast = join_bcast([m.bcast for m, _ in items])
            form.nonneg = False
            return form

        made: Lin = self.intern(("lin", items), make)
        return made

    def prod(self, coeff: Fraction, expo: Lin, factors: Terms) -> Form:
        """A product as it stands; what is a factor alone is that factor."""
        if not coeff:
            expo, factors = self.no_exponent, {}
        items = _ordered(factors)
        if len(items) == 1 and not expo.terms and coeff == 1 and items[0][1] == 1:
            return items[0][0]

        def make() -> Prod:
            form = Prod()
            form.coeff, form.expo, form.factors = coeff, expo, items
            form.bcast = join_bcast([expo.bcast, *(f.bcast for f, _ in items)])
            form.nonneg = coeff >= 0 and all(f.nonneg or _even(k) for f, k in items)
            return form

        made: Prod = self.intern(("prod", coeff, expo, items), make)
        return made

    @made_once
    def const(self, value: Any) -> Form:
        """A number."""
        return self.prod(Fraction(value), self.no_exponent, {})

    # -- products -------------------------------------------------------------------------

    def parts(self, form: Form) -> tuple[Fraction, Lin, tuple[tuple[Form, Fraction], ...]]:
        """A form as coefficient, exponent and factors."""
        if isinstance(form, Prod):
            return form.coeff, form.expo, form.factors
        if isinstance(form, Lin):
            return self.parts(self.add_terms(dict(form.terms)))
        return ONE, self.no_exponent, ((form, ONE),)

    @made_once
    def mul(self, *forms: Form) -> Form:
        """The product of forms."""
        coeff, exponents, factors = ONE, [], Totals()
        met: list[Form] = []  # roots of what may be negative, which are no roots any more
        for form in forms:
            c, e, fs = self.parts(form)
            if c is not ONE:
                coeff *= c
            if e.terms:
                exponents.append(e)
            for f, k in fs:
                if f not in factors:
                    factors[f] = k
                    continue
                factors[f] += k
                left = factors[f]
                if left and k.denominator > 1 and left.denominator == 1 and not f.nonneg:
                    met.append(f)
        whole = self._product(coeff, self._added(exponents), factors)
        return self.mul(whole, *map(self.defined, met)) if met else whole

    def _added(self, exponents: list[Lin]) -> Lin:
        if len(exponents) < 2:
            return exponents[0] if exponents else self.no_exponent
        total = Totals(exponents[0].terms)
        for e in exponents[1:]:
            for m, k in e.terms:
                total[m] = total[m] + k if m in total else k
        return self.lin(total)

    def _product(self, coeff: Fraction, expo: Lin, factors: Terms) -> Form:
        if not any(map(_is_special, factors)):
            return self.prod(coeff, expo, factors)
        grouped = [f for f, k in factors.items() if isinstance(f, Prod) and k.denominator == 1]
        if grouped:  # a group under a root has met its other half
            rest = {f: k for f, k in factors.items() if f not in grouped}
            opened = [self.pow(f, factors[f]) for f in grouped]
            return self.mul(self.prod(coeff, expo, rest), *opened)
        sizes = {f: k for f, k in factors.items() if _is_size(f) and k and _even(k)}
        if sizes:  # of which a square has no more than what they are of
            rest = {f: k for f, k in factors.items() if f not in sizes}
            opened = [self.pow(f.args[0], k) for f, k in sizes.items()]
            return self.mul(self.prod(coeff, expo, rest), *opened)
        for f, k in factors.items():
            if k == 1 and isinstance(f, App) and f.op is T.switch:
                met = self._met(f, expo, {g: j for g, j in factors.items() if g is not f})
                if met is not None:
                    return self.mul(self.prod(coeff, self.no_exponent, {}), *met)
        kept = {f: k for f, k in factors.items() if k and not is_ones(f)}
        covered = join_bcast([expo.bcast, *(f.bcast for f in kept)])
        for f, k in factors.items():
            if k and is_ones(f) and not covers(covered, f):
                kept[f] = ONE
            elif f in kept and isinstance(f, App) and f.op in _IDEMPOTENT:
                kept[f] = ONE if k > 0 else -ONE
        return self.prod(coeff, expo, kept)

    def _met(self, choice: App, expo: Lin, factors: Terms) -> tuple[Form, Form] | None:
        """What surrounds a choice and the choice, which takes in what cancels in a branch."""
        _, *branches = choice.args
        inverse: set[tuple[Form, bool]] = set()
        for branch in branches:
            _, e, fs = self.parts(branch)
            inverse.update((f, k < 0) for f, k in (*e.terms, *fs))
        e_in = {m: c for m, c in expo.terms if (m, c > 0) in inverse}
        f_in = {f: k for f, k in factors.items() if (f, k > 0) in inverse}
        if not (e_in or f_in):
            return None
        entering = self.prod(ONE, self.lin(e_in), f_in)
        left_expo = self.lin({m: c for m, c in expo.terms if m not in e_in})
        outer = self.prod(ONE, left_expo, {f: k for f, k in factors.items() if f not in f_in})
        met = self.entered(choice, entering)
        return None if met is None else (outer, met)

    def entered(self, choice: App, entering: Form) -> Form | None:  # an axiom none
        """A choice into whose branches a factor has gone, None where it may not."""
        return None

    @made_once
    def pow(self, form: Form, k: Fraction) -> Form:
        """A form to a power; a root leaves what may be negative grouped."""
        if k == 1:
            return form
        coeff, expo, factors = self.parts(form)
        if not has_power(coeff, k):
            return self.app(T.pow, form, self.const(k))
        scaled = self.lin({m: c * k for m, c in expo.terms})
        if k.denominator == 1:
            whole = self._product(power_of(coeff, k), scaled, {f: e * k for f, e in factors})
            roots = [(f, e * k) for f, e in factors if e.denominator > 1 and not f.nonneg]
            met = [self.defined(f) for f, power in roots if power and power.denominator == 1]
            return self.mul(whole, *met) if met else whole
        free, group = Totals(), Totals()
        for f, e in factors:
            if isinstance(f, App) and f.op is T.defined:
                free[f] = e
            elif f.nonneg:
                free[f] += e * k
            elif _even(e):
                free[self.app(T.abs, f)] += e * k
            else:
                group[f] = e
        sign = ONE if coeff >= 0 else -ONE
        if group or sign < 0:
            free[self.prod(sign, self.no_exponent, group)] = k
        return self.prod(power_of(abs(coeff), k), scaled, free)

    def defined(self, form: Form) -> Form:
        """1 where a form is not negative, and nan elsewhere: what its root, or its log, asks.

        Sums of exponentials are taken to be positive: to compute the sign of each would cost more
        than all else.
        """
        coeff, _, factors = self.parts(form)
        signed: Terms = {f: ONE for f, e in factors if not (f.nonneg or _even(e))}
        if (not signed and coeff >= 0) or any(map(hot, signed)):
            return self.one
        sign = ONE if coeff >= 0 else -ONE
        return self.app(T.defined, self.prod(sign, self.no_exponent, signed))

    def power(self, base: Form, exponent: Form) -> Form:
        """``(f * g)**t == f**t * g**t`` for an f that is never negative."""
        number, expo, factors = self.parts(exponent)
        if not expo.terms and not factors:
            return self.pow(base, number)
        coeff, expo, factors = self.parts(base)
        if expo.terms:
            return self.app(T.pow, base, exponent)
        out: list[Form] = []
        group: Terms = {}
        for f, k in factors:
            if f.nonneg and hot(f):
                out += [self._raised(f, m, c * k) for m, c in self.terms_of(exponent).items()]
            else:
                group[f] = k
        rest = self.prod(coeff, self.no_exponent, group)
        return self.mul(*out, self.one if rest is self.one else self.app(T.pow, rest, exponent))

    def _raised(self, form: Form, exponent: Form, k: Fraction) -> Form:
        return self.pow(form if exponent is self.one else self.app(T.pow, form, exponent), k)

    def div(self, a: Form, b: Form) -> Form:
        """``a / b``."""
        return self.mul(a, self.pow(b, -ONE))

    def neg(self, a: Form) -> Form:
        """``-a``; of an exponent, term by term, as it cancels."""
        if isinstance(a, Lin):
            return self.lin({m: -c for m, c in a.terms})
        return self.mul(self.const(-1), a)

    # -- exponents ------------------------------------------------------------------------

    def exp(self, form: Form) -> Form:
        """``exp`` of a sum is a product; ``exp(k*log(f))`` is ``f**k``."""
        expo = Totals()
        out: list[Form] = []
        for m, c in self._exponents(form):
            if isinstance(m, App) and m.op is T.log:
                out.append(self.pow(m.args[0], c))
                if c.denominator == 1:
                    out.append(self.defined(m.args[0]))
            else:
                expo[m] += c
        return self.mul(self.prod(ONE, self.lin(expo), {}), *out)

    def _exponents(self, form: Form) -> Iterator[tuple[Form, Fraction]]:
        """The terms of an exponent, multiplied out where that leaves a log alone."""
        for m, c in self.terms_of(form).items():
            spread = self._summed_factors(m) and self._expanded_length(m) <= LONGEST
            pieces = [(n, c * d) for n, d in self.expand(m)] if spread else []
            alone = any(isinstance(n, App) and n.op is T.log for n, _ in pieces)
            yield from pieces if alone else [(m, c)]

    def log(self, form: Form) -> Form:
        """``log`` of a form as it stands; of a positive number, a number."""
        coeff, expo, factors = self.parts(form)
        if coeff <= 0 or expo.terms or factors:
            return self.app(T.log, form)
        return self.zero if coeff == 1 else self.const(_log(coeff))

    def abs(self, form: Form) -> Form:
        """The absolute value of a form, of which the sign does not matter."""
        coeff, expo, factors = self.parts(form)
        unsigned = self.prod(abs(coeff), expo, dict(factors))
        if unsigned.nonneg:
            return unsigned
        (f, k), *others = factors
        if others or expo.terms or k.denominator != 1:  # a root of a negative is none of its size
            return self.size(unsigned)
        return self.mul(self.const(abs(coeff)), self.pow(self.size(f), k))

    def size(self, form: Form) -> Form:
        """The absolute value of a form that may be negative, as it stands."""
        return self.app(T.abs, form)

    def choice(self, condition: Form, yes: Form, no: Form) -> Form:
        """What a condition chooses; of what a mask keeps and 0, a product with the mask."""
        if not is_mask(condition):
            return self.app(T.switch, condition, yes, no)
        given, kept = condition.args
        if no is self.zero:
            return self.mul(yes, condition)
        if yes is self.zero:
            return self.mul(no, self.app(T.mask, given, not kept))
        return self.app(T.switch, given, *((yes, no) if kept else (no, yes)))

    # -- sums -----------------------------------------------------------------------------

    def terms_of(self, form: Form) -> Terms:
        """A form as an expanded linear combination of products without coefficient."""
        if form not in self._expanded:
            self._expanded[form] = self._terms_of(form)
        return dict(self._expanded[form])

    def _terms_of(self, form: Form) -> Terms:
        if isinstance(form, Lin):
            return dict(form.terms)
        if self._is_flat(form):
            coeff, expo, factors = self.parts(form)
            by = self.prod(ONE, expo, {})
            out = Totals()
            for m, c in factors[0][0].terms:  # type: ignore[attr-defined]
                for n, d in self._unit(self.mul(m, by)):
                    out[n] += c * d * coeff
            return out
        return dict(self._unit(form))

    def _unit(self, form: Form) -> list[tuple[Form, Fraction]]:
        coeff, expo, factors = self.parts(form)
        if not coeff:
            return []
        return [(form if coeff == 1 else self.prod(ONE, expo, dict(factors)), coeff)]

    def add(self, *forms: Form) -> Form:
        """The sum of forms."""
        terms = Totals()
        for form in forms:
            for m, c in self.terms_of(form).items():
                terms[m] += c
        return self.add_terms(terms)

    def sub(self, a: Form, b: Form) -> Form:
        """``a - b``."""
        return self.add(a, self.neg(b))

    def add_terms(self, terms: Terms) -> Form:
        """A linear combination, with its common content taken out."""
        return self._combined(*((m, c) for m, c in terms.items() if c))

    @made_once
    def _combined(self, *items: tuple[Form, Fraction]) -> Form:
        terms = dict(items)
        if len(terms) < 2:
            return self.mul(*(self._times(m, c) for m, c in terms.items())) if terms else self.zero
        reduced = self._without_logs(terms) or self._fractions_added(terms)
        reduced = reduced or self._multiplied_out(terms)
        if reduced is not None:
            return reduced
        content, primitive = self._content(terms)
        made = len(self)
        inner = self._ones_added(primitive) or self._primitive(terms, content, primitive)
        self.write(inner, self.as_written(content), made)
        return self.mul(content, inner)

    def _ones_added(self, terms: Terms) -> Form | None:
        """A number and ones of some lengths, which are as many ones; None where one is missing."""
        number = terms.get(self.one)
        long = next(filter(is_ones, terms), None) if number else None
        if number is None or long is None:
            return None
        left = {m: c for m, c in terms.items() if m is not self.one}
        return self.add_terms({**left, long: left[long] + number})

    def write(self, form: Form, left: Lin, made: int) -> None:
        """Note what exponent has left the terms of sums in a product, those made since then."""
        for f, k in self.parts(form)[2] if left.terms else ():
            if k == 1 and f.uid >= made and isinstance(f, Sum):
                self.written[f] = self.plus(left, self.written.get(f, self.no_exponent), ONE)

    def _primitive(self, terms: Terms, content: Form, primitive: Terms) -> Form:
        """What is left of terms without their content, as one form."""
        if len(primitive) < len(terms):
            return self.add_terms(primitive)
        flat = self._flattened(primitive)
        if flat is not None:
            return flat
        power = perfect_power(primitive, self)
        if power is not None:
            return power
        shared = any(isinstance(f, Sum) for f, _ in self.parts(content)[2])
        reduced = self._over_common_denominator(primitive) if shared else None
        return self.sum_of(primitive) if reduced is None else reduced

    def as_written(self, form: Form) -> Lin:
        """The exponent of a product with sums that are as they were when each was made."""
        _, expo, factors = self.parts(form)
        for f, k in factors:
            if f in self.written:
                expo = self.plus(expo, self.written[f], -k)
        return expo

    def _flattened(self, primitive: Terms) -> Form | None:
        """A sum of which a term is a sum itself, now that its content has left."""
        scaled = [self._times(m, c) for m, c in primitive.items()]
        if not any(map(self._is_flat, scaled)):
            return None
        flat = Totals()
        for m in scaled:
            for n, d in self.terms_of(m).items():
                flat[n] += d
        return self.add_terms(flat)

    def _is_flat(self, form: Form) -> bool:
        """Tell whether the form is ``c * exp(e) * sum``, which a sum takes apart."""
        coeff, _, factors = self.parts(form)
        return (
            len(factors) == 1
            and isinstance(factors[0][0], Sum)
            and factors[0][1] == 1
            and len(factors[0][0].terms) <= WIDEST
            and (abs(coeff) <= STEEPEST or self.one not in dict(factors[0][0].terms))
        )

    def _times(self, form: Form, c: Fraction) -> Form:
        coeff, expo, factors = self.parts(form)
        return self.prod(coeff * c, expo, dict(factors))

    def sum_of(self, terms: Terms) -> Sum:
        """A sum as it stands: no content is taken out."""
        items = _ordered(terms)

        def make() -> Sum:
            form = Sum()
            form.terms = items
            form.bcast = join_bcast([m.bcast for m, _ in items])
            form.nonneg = all(c >= 0 and m.nonneg for m, c in items)
            return form

        made: Sum = self.intern(("sum", items), make)
        return made

    def _content(self, terms: Terms) -> tuple[Form, Terms]:
        """Common content of a sum and what is left: coefficient, exponent, factors."""
        split = [(c, *self.parts(m)[1:]) for m, c in terms.items()]
        common: Terms = dict(split[0][2])
        for _, _, factors in split[1:]:
            mine = dict(factors)
            common = {
                f: _nearer_zero(k, mine[f])
                for f, k in common.items()
                if f in mine and k * mine[f] > 0
            }
        least = self._least([self._cold(e) for _, e, _ in split])
        for m, c in split[0][1].terms:
            if self.overflows(m) and all(dict(e.terms).get(m) == c for _, e, _ in split):
                least = self.lin({**dict(least.terms), m: c})
        inverse = self.prod(
            ONE, self.lin({m: -k for m, k in least.terms}), {f: -k for f, k in common.items()}
        )
        left = [(self.mul(m, inverse), c) for m, c in terms.items()]
        if len(dict(left)) < len(left):  # a root beside its inverse has met what it is the root of
            met = Totals()
            for m, c in left:
                met[m] += c
            return self.prod(ONE, least, common), met
        lead = min(left, key=_first_uid)[1]
        smallest = min(left, key=lambda item: (abs(item[1]), item[0].uid))[1]
        if abs(lead) > STEEPEST * abs(smallest):
            lead = smallest
        if not any(hot(m) for m, _ in left):
            lead /= _rounding([c / lead for _, c in left])
        content = self.prod(lead, least, common)
        return content, {m: c / lead for m, c in left}

    def _cold(self, expo: Lin) -> Lin:
        """An exponent without its terms that are exponentials themselves."""
        return self.lin({m: c for m, c in expo.terms if not self.overflows(m)})

    def overflows(self, form: Form, where_zero: bool = True) -> bool:
        """Tell whether an exponential can take the value out of range: here, whether one shows."""
        return hot(form)

    def plus(self, a: Lin, b: Lin, k: Fraction) -> Lin:
        """``a + k*b``, of exponents."""
        out = Totals(a.terms)
        for m, c in b.terms:
            out[m] += c * k
        return self.lin(out)

    def _least(self, exponents: list[Lin]) -> Lin:
        """The least exponent in an order of formal sums that translation keeps."""
        best = exponents[0]
        for other in exponents[1:]:
            signs = [(m.uid, c) for m, c in self.plus(other, best, -ONE).terms]
            if signs and min(signs)[1] < 0:
                best = other
        return best

    def _without_logs(self, terms: Terms) -> Form | None:
        """Fractions added up where they meet logs, which are not multiplied by a denominator."""
        held = {m: [f for f, _ in self.parts(m)[2]] for m in terms}
        if any(isinstance(f, Sum) and _holds_log(f) for fs in held.values() for f in fs):
            content, primitive = self._content(terms)
            flat = self._flattened(primitive)
            if flat is not None:
                return self.mul(content, flat)
        logs = {m: c for m, c in terms.items() if any(map(_is_hot_log, held[m]))}
        if not logs or len(terms) - len(logs) < 2:
            return None
        rest = {m: c for m, c in terms.items() if m not in logs}
        reduced = self._fractions_added(rest)
        if reduced is None:
            return None
        # Logs may be left of the fractions too.
        return self.add(*(self._times(m, c) for m, c in logs.items()), reduced)

    def _fractions_added(self, terms: Terms) -> Form | None:
        """Fractions of the same exponentials added up, with what else cancels in them.

        Those of others, as in ``tanh(a) + tanh(b)``, have nothing to cancel: multiplied out they
        would only grow.
        """
        if not any(isinstance(f, Sum) and k < 0 for m in terms for f, k in self.parts(m)[2]):
            return None
        cold = {m: c for m, c in terms.items() if not exponents(m)}
        groups = meeting(m for m in terms if m not in cold)
        for group in [{m: terms[m] for m in ms} for ms in groups] or [{}]:
            whole = {**group, **self._cancelled_in(group, cold)} if group else cold
            reduced = self._over_common_denominator(whole)
            reduced = reduced or self._added_by_what_they_are_times(whole)
            if reduced is not None:
                total = Totals(self.terms_of(reduced))
                for m, c in terms.items():
                    if m not in whole:
                        total[m] += c
                return reduced if len(whole) == len(terms) else self.add_terms(total)
        return None

    def _added_by_what_they_are_times(self, terms: Terms) -> Form | None:
        """Fractions added up among those that are times the same, if half of what they are is gone.

        What is times ``x`` cancels with nothing that is not, for an x that no denominator has.
        """
        lowest = self.denominators(terms)
        pieces = self._pieces(terms) if lowest else None
        if pieces is None:
            return None
        inside = within(*lowest, opens=lambda f: isinstance(f, Sum | Prod))
        classes: dict[Any, Totals] = {}
        for n, d in pieces:
            _, expo, factors = self.parts(n)
            times = (item for item in (*expo.terms, *factors) if item[0] not in inside)
            classes.setdefault(frozenset(times), Totals())[n] += d
        if len(classes) < 2:
            return None
        total = Totals()
        for alike in classes.values():
            left: Terms = {n: d for n, d in alike.items() if d}
            reduced = self._over_common_denominator(left, MOST) if len(left) > 1 else None
            for n, d in (left if reduced is None else self.terms_of(reduced)).items():
                total[n] += d
        after = self._pieces(total)
        gains = after is not None and 2 * len(after) <= len(pieces)
        return self.add_terms(total) if gains else None

    def _pieces(self, terms: Terms) -> list[tuple[Form, Fraction]] | None:
        """Terms multiplied out, and what that gives, too; None where that is too many."""
        found: list[tuple[Form, Fraction]] = []
        waiting = [(m, c) for m, c in terms.items() if c]
        while waiting:
            m, c = waiting.pop()
            length = self._expanded_length(m)
            if length + len(found) + len(waiting) > MOST:
                return None
            if length > 1:
                waiting += [(n, c * d) for n, d in self.expand(m)]
            else:
                found.append((m, c))
        return found

    def _cancelled_in(self, group: Terms, cold: Terms) -> Terms:
        """The cold terms that cancel with fractions, as y does in ``y - y*a/(1 + a)``; a number."""
        found: Terms = {m: c for m, c in cold.items() if m is self.one}
        for by in self._multipliers(self.denominators(group)):
            numerators = {m: self.mul(m, by) for m in (*group, *cold)}
            if sum(map(self._expanded_length, numerators.values())) > LONGEST:
                continue
            above = Totals()
            for m, c in group.items():
                for n, d in self.expand(numerators[m]):
                    above[n] += c * d
            for m, c in cold.items():
                if any(above[n] * c * d < 0 for n, d in self.expand(numerators[m])):
                    found[m] = c
        return found

    def _multipliers(self, lowest: Terms) -> list[Form]:
        """What fractions are multiplied by to be none: all of the denominators, or one."""
        choices = [{f: k} for f, k in lowest.items()]
        if len(choices) > 1:
            choices.insert(0, lowest)
        return [
            self.prod(ONE, self.no_exponent, {f: -k for f, k in choice.items()})
            for choice in choices
        ]

    def denominators(self, terms: Terms) -> Terms:
        """The sums that terms divide by, with their lowest powers."""
        lowest: Terms = {}
        for m in terms:
            for f, k in self.parts(m)[2]:
                if isinstance(f, Sum) and k < 0 and k.denominator == 1 and -k <= HIGHEST:
                    lowest[f] = min(k, lowest.get(f, ZERO))
        return lowest

    def _over_common_denominator(self, terms: Terms, longest: int = LONGEST) -> Form | None:
        """``1 - 1/(1 + a) == a/(1 + a)``: multiplied out, where terms cancel or only exps stay.

        ``1 + a/(1 + a)`` is left: a quotient loses the digits of what is negligible beside 1.
        """
        lowest = {
            f: k
            for f, k in self.denominators(terms).items()
            if len({dict(self.parts(m)[2]).get(f, ZERO) for m in terms}) > 1
        }
        if not 0 < len(lowest) <= HIGHEST or self._negligible_beside_one(terms):
            return None
        long = False
        for by in self._multipliers(lowest):
            numerators = [(self.mul(m, by), c) for m, c in terms.items()]
            if sum(self._expanded_length(m) for m, _ in numerators) > longest:
                long = True
                continue
            collected, cancels = Totals(), False
            for m, c in numerators:
                for n, d in self.expand(m):
                    cancels = cancels or collected[n] * c * d < 0
                    collected[n] += c * d
            left: Terms = {n: d for n, d in collected.items() if d}
            pure = len(lowest) == 1 and all(not self.parts(n)[2] for n in left)
            pure = pure and not self._has_difference(terms)
            less = cancels or pure or (self.one in terms and self._is_less_a_part(left))
            simpler = less and _divides_safely(left, self.parts(by)[2])
            if simpler:
                found = self.mul(self.pow(by, -ONE), self.add_terms(left))
                if terms.get(self.one) == 1:
                    taken = {m: -c for m, c in terms.items() if m is not self.one}
                    self.taken.setdefault(found, taken)
                return found
        return in_lowest_terms(terms, self) if long else None

    def _has_difference(self, terms: Terms) -> bool:
        """Tell whether factors of terms are differences, which keep their digits as factors."""
        return any(
            isinstance(f, Sum) and k > 0 and not f.nonneg
            for m in terms
            for f, k in self.parts(m)[2]
        )

    def _is_less_a_part(self, terms: Terms) -> bool:
        """Tell whether weights take a part of a term, as w does in ``1 + e - e*w``.

        What is left of ``1 - w*e/(1 + e)`` where w is 1 is what is left of ``1 - e/(1 + e)``.
        """
        whole = [(m, c) for m, c in terms.items() if hot(m)]
        return any(
            terms.get(part) == -c
            for m, c in whole
            for part in terms
            if part is not m and is_weight(self.div(part, m))
        )

    def _multiplied_out(self, terms: Terms) -> Form | None:
        """``a + b - b*(1 + a) == a - a*b``: multiplied out, where it cancels and adds no term.

        Or where nothing is subtracted any more, as in ``(1 + a)*(1 + b) - a*b``.
        """
        if not any(hot(f) for m in terms for f in self._summed_factors(m)):
            return None
        left = self.cancelled(terms)
        return None if left is None else self.add_terms(left)

    def cancelled(self, terms: Terms) -> Terms | None:
        """Terms multiplied out, of which some have cancelled, None where none do."""
        collected, total = Totals(), 0
        for m, c in terms.items():
            pieces = self.expand(m) if self._summed_factors(m) else [(m, ONE)]
            total += len(pieces)
            if total > LONGEST:
                return None
            for n, d in pieces:
                collected[n] += c * d
        left: Terms = {n: d for n, d in collected.items() if d}
        positive = any(c < 0 for c in terms.values()) and all(c > 0 for c in left.values())
        gains = len(left) < len(collected) and (positive or len(left) <= len(terms))
        return left if gains else None

    def _summed_factors(self, form: Form) -> list[Sum]:
        """The sums that are factors of a product."""
        return [f for f, k in self.parts(form)[2] if k == 1 and isinstance(f, Sum)]

    def _negligible_beside_one(self, terms: Terms) -> bool:
        """Tell whether shares, which are in range, are added to 1."""
        return self.one in terms and all(
            c > 0 and m.nonneg and not self.overflows(m) for m, c in terms.items()
        )

    def _expanded_length(self, form: Form) -> int:
        """How many terms a product of sums multiplied out has."""
        lengths = (
            len(f.terms) ** int(k)
            for f, k in self.parts(form)[2]
            if isinstance(f, Sum) and k.denominator == 1 and 0 < k <= HIGHEST
        )
        return math.prod(lengths)

    def expands(self, form: Form) -> bool:
        """Tell whether a product of sums is short enough to be multiplied out."""
        return self._expanded_length(form) <= LONGEST

    def expand(self, form: Form, highest: int = HIGHEST) -> list[tuple[Form, Fraction]]:
        """A product of sums multiplied out, and of positive powers of them up to the highest."""
        coeff, expo, factors = self.parts(form)
        sums = {
            f: int(k)
            for f, k in factors
            if isinstance(f, Sum) and k.denominator == 1 and 0 < k <= highest
        }
        rest = self.prod(ONE, expo, {f: k for f, k in factors if f not in sums})
        out = [(rest, coeff)]
        for f, times in sums.items():
            for _ in range(times):
                out = [(self.mul(m, n), c * d) for m, c in out for n, d in f.terms]
        return [(n, c * d) for m, c in out for n, d in self._unit(m)]


def meeting(forms: Iterable[Form]) -> list[list[Form]]:
    """Forms in groups that share no exponent with each other."""
    groups: list[tuple[list[Form], frozenset[Form]]] = []
    for form in forms:
        mine = exponents(form)
        met = [group for group in groups if not mine.isdisjoint(group[1])]
        groups = [group for group in groups if mine.isdisjoint(group[1])]
        together = [*(f for group, _ in met for f in group), form]
        groups.append((together, mine.union(*(known for _, known in met))))
    return [group for group, _ in groups]


def is_ones(form: Form) -> bool:
    """Tell whether the form is a tensor of ones, there only for its shape."""
    return isinstance(form, App) and form.op is T.ones_like


def covers(bcast: Bcast, form: Form) -> bool:
    """Tell whether a broadcast pattern has all the lengths that a form has."""
    return bool(bcast) and all(f or not b for b, f in zip(bcast, form.bcast, strict=False))


def _is_special(form: Form) -> bool:
    """Tell whether a factor can be more to a product than one among others."""
    return isinstance(form, Prod) or (isinstance(form, App) and form.op in _SPECIAL)


def _is_size(form: Form) -> TypeGuard[App]:
    """Tell whether a form is an absolute value."""
    return isinstance(form, App) and form.op is T.abs


def _ordered(terms: Terms) -> tuple[tuple[Form, Fraction], ...]:
    """What is not zero, in canonical order."""
    items = [item for item in terms.items() if item[1]]
    if len(items) > 1:
        items.sort(key=_first_uid)
    return tuple(items)


def _rounding(numbers: list[Fraction]) -> Fraction:
    """The least number by which all these become floats, 1 if that is not one for all of them.

    A sum that is nearly 0 has no digits left where its terms are rounded first: the 3 of ``3 - x``
    stays in it, and is not taken out of ``1 - x/3``.
    """
    odd = math.lcm(*(n.denominator // power_of_two(n.denominator) for n in numbers))
    # The one of a number as 0.1 is large: what is left is between 1 and 2.
    whole = Fraction(odd, 1 if odd <= ROUND else 2 ** (odd.bit_length() - 1))
    kept = ((n * whole).numerator for n in numbers)
    return whole if all((n // power_of_two(n)).bit_length() <= DIGITS for n in kept) else ONE


def _first_uid(item: tuple[Form, Any]) -> int:
    return item[0].uid


def is_weight(form: Form) -> bool:
    """Tell whether a form is a tensor, or several, that nothing is computed of."""
    _, expo, factors = form.home.parts(form)
    moved = (f.args[0] if isinstance(f, App) and f.op in MOVES else f for f, _ in factors)
    return not expo.terms and all(isinstance(f, Leaf) or is_mask(f) for f in moved)


def _divides_safely(terms: Terms, by: Iterable[tuple[Form, Fraction]]) -> bool:
    """Tell whether sums divide that cannot be as small as what terms leave of each other."""
    return len(terms) < 2 or all(f.nonneg for f, _ in by)


def _is_hot_log(form: Form) -> bool:
    return isinstance(form, App) and form.op is T.log and hot(form.args[0])


def _holds_log(form: Sum) -> bool:
    return any(_is_hot_log(m) for m, _ in form.terms)


def _even(k: Fraction) -> bool:
    return k.denominator == 1 and k.numerator % 2 == 0


def _nearer_zero(a: Fraction, b: Fraction) -> Fraction:
    return a if abs(a) < abs(b) else b


def _is_one_or_more(form: Form) -> bool:
    """Tell whether a form is 1, or more, and what is never negative."""
    if not isinstance(form, Sum):
        return False
    number = next((c for m, c in form.terms if m is form.home.one), ZERO)
    return number >= 1 and form.nonneg


def _signed(op: Operator, forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """The operands that the sign of the result depends on."""
    if op is T.switch:
        return forms[1:]
    return forms[:1] if op is T.pow else forms


def _is_length(forms: tuple[Form, ...]) -> bool:
    """Whether a dot product is that of a vector with itself: a sum of squares."""
    one, other = forms
    return one is other and one.ndim == 1


def _log(value: Fraction) -> float:
    if value > 2**1000:  # as a float it would be infinite
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)
