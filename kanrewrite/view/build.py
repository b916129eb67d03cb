"""Building: forms as Aesara graphs, with exponents kept apart until they have cancelled.

``split(form)`` is ``(e, r)`` with ``form == exp(e) * r``: the exponent ``e`` is still a form, so
that exponents cancel symbolically; the rest ``r`` is a variable that cannot overflow because
exponentials went in.  The equations are the shift equations

* ``sum(exp(a) * r) == exp(m) * sum(exp(a - m) * r)``, ``m = max(a)`` over the summed axes,
* ``exp(a) * r + exp(b) * s == exp(m) * (exp(a - m) * r + exp(b - m) * s)``, ``m = max(a, b)``,
* ``dot`` like ``sum``, ``log(exp(a) * r) == a + log(r)``, and a move of each part for a move.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.special import SoftmaxGrad

from kanrewrite.ops import LogSoftmax, ScaledCumsum, Softmax, Supremum
from kanrewrite.terms import ELEMENTWISE, Operator, T
from kanrewrite.unify import elementwise_op
from kanrewrite.view.algebra import is_ones
from kanrewrite.view.forms import HALF, ONE, ZERO, App, Form, Leaf, Lin, Prod, Sum
from kanrewrite.view.heat import LINEAR, hot
from kanrewrite.view.levels import bounded
from kanrewrite.view.lifting import Axes, Lifting
from kanrewrite.view.read import View
from kanrewrite.view.recognise import Recogniser

#: For an exponent summed over axes: sets of factors that may be zero where it is largest.
Masks = dict[tuple[Lin, Axes], frozenset[tuple[Form, ...]]]


class Context(NamedTuple):
    """Where a form is built.

    ``masks`` are those of the sums that divide around it.  ``exact`` says that its relative size
    matters (under a log, in a denominator), so that nothing in it may underflow.
    """

    masks: Masks
    exact: bool = False


Scaled = tuple[Lin, Variable | None]


class Builder:
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

    def __init__(self, view: View, dtype: str, recogniser: Recogniser | None = None):
        self.view = view
        self.a: Lifting = view.algebra(dtype)
        self.dtype = dtype
        self.recogniser = recogniser
        self._split: dict[Any, Scaled] = {}
        self._lins: dict[Lin, Variable] = {}
        self._made: dict[Any, Variable] = {}

    # -- values ---------------------------------------------------------------------------

    def value(self, form: Form, where: Context | None = None) -> Variable:
        """The variable of a form."""
        if isinstance(form, Lin):
            return self.linear(form)
        expo, rest = self.split(form, where or PLAIN)
        if not expo.terms:
            return self.constant(ONE) if rest is None else rest
        power = self.make(at.exp, _kept(self, expo, self._hidden(expo, form)))
        return power if rest is None else self.make(at.mul, power, rest)

    def comparison(self, form: Form, var: Variable) -> Variable:
        """``exp(a) * r > 0`` as ``r > 0``."""
        _, rest = self.split(form, self.within_log(form))
        return self.make(var.owner.op, self._or_one(rest), var.owner.inputs[1])

    def _hidden(self, expo: Lin, form: Form) -> tuple[Form, ...]:
        """The factors whose zeros the maximum in an exponent does not cover."""
        factors = {f for f, _ in self.a.parts(form)[2]}
        found: dict[Form, None] = {}
        stack: list[Form] = [expo] if factors else []
        while stack:
            part = stack.pop()
            if isinstance(part, Lin):
                stack.extend(m for m, _ in part.terms)
            elif isinstance(part, App) and part.op is T.shift:
                found.update({f: None for f in part.args[2] if f in factors})
            elif isinstance(part, App) and part.op in (T.switch, T.maximum, T.dimshuffle):
                stack.extend(part.forms)
        return tuple(found)

    def constant(self, value: Fraction) -> Variable:
        return at.constant(np.asarray(float(value), dtype=self.dtype))

    def make(self, op: Any, *inputs: Any, **parameters: Any) -> Variable:
        """Apply an op once; the same call again gives the same variable."""
        key = (op, inputs, tuple(sorted(parameters.items())))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = op(*inputs, **parameters)
        return made

    def keepdims(self, op: Any, var: Variable, axes: Axes) -> Variable:
        """A reduction, with the reduced axes kept at length 1."""
        if all(var.type.broadcastable[a] for a in axes):
            return var
        left = iter(range(var.type.ndim))
        order = tuple("x" if d in axes else next(left) for d in range(var.type.ndim))
        return self.make(_dimshuffle, self.make(op, var), order)

    def raw(self, form: Form) -> Variable:
        """A condition as it is, without a cast."""
        if isinstance(form, Leaf):
            return form.var
        assert isinstance(form, App)
        if form.op in (T.dimshuffle, T.subtensor):
            return self.make(form.args[1].apply, self.raw(form.args[0]))
        return self.value(form)

    # -- exponent and rest ----------------------------------------------------------------

    def split(self, form: Form, where: Context) -> Scaled:
        key = (form, tuple(where.masks.items()), where.exact) if hot(form) else form
        if key not in self._split:
            self._split[key] = self._split_new(form, where)
        return self._split[key]

    def _split_new(self, form: Form, where: Context) -> Scaled:
        none = self.a.no_exponent
        origin = self.view.origin.get(form)
        if origin is not None and origin.type.ndim == form.ndim and not hot(form):
            if not self.view.gains(origin):
                return none, origin
        if self.recogniser is not None and not where.exact:
            form = self.recogniser.rewrite(form, self.a)
        if isinstance(form, Leaf):
            return none, self._leaf(form)
        if isinstance(form, Prod):
            return self._split_prod(form, where)
        if isinstance(form, Sum):
            return self._split_sum(form, none, ONE, where)
        assert isinstance(form, App)
        if form.op in SPLITTERS:
            return SPLITTERS[form.op](self, form, where)
        return none, self._plain(form)

    def _leaf(self, form: Leaf) -> Variable:
        var = form.var
        return var if var.type.dtype == self.dtype else self.make(at.cast, var, dtype=self.dtype)

    def _plain(self, form: App) -> Variable:
        """An operator whose operands are values."""
        build = PLAIN_BUILDERS.get(form.op)
        if build is not None:
            return build(self, form)
        assert form.op in ELEMENTWISE, form.op
        op = form.op.op or elementwise_op(form.op.name)
        return self.make(op, *(self.value(f) for f in form.forms))

    # -- products -------------------------------------------------------------------------

    def _split_prod(self, form: Prod, where: Context) -> Scaled:
        masks = joined(where.masks, self._strict_masks(form))
        expo = Counter[Form](dict(form.expo.terms))
        rests: list[tuple[Variable, Fraction]] = []
        waiting: list[tuple[Sum, Fraction]] = []
        conditions: list[App] = []
        coeff = form.coeff
        for f, k in form.factors:
            if isinstance(f, App) and f.op is T.mask:
                conditions.append(f)
                continue
            inner = Context(masks, where.exact or k < 0)
            if isinstance(f, Sum) and self._is_uneven(f, inner):
                waiting.append((f, k))
                continue
            if isinstance(f, Sum) and k == 1 and self._is_simpler(f, coeff):
                e, r = self._split_sum(f, self.a.no_exponent, ONE, inner, coeff)
                coeff = ONE
            else:
                e, r = self.split(f, inner)
            self._gather(expo, e, k)
            if r is not None:
                rests.append((r, k))
        for f, k in sorted(waiting, key=lambda item: item[1] != 1):
            inner = Context(masks, where.exact or k < 0)
            e, r = self._split_sum(f, self.a.lin(expo), k, inner)
            expo = Counter[Form](dict(e.terms))
            if r is not None:
                rests.append((r, k))
        rest = self.product(coeff, rests)
        if conditions:
            rest = self.constant(ONE) if rest is None else rest
            for f in conditions:
                rest = self.masked(f, rest, self.constant(ZERO))
        return self.a.lin(expo), rest  # type: ignore[arg-type]

    @staticmethod
    def _gather(expo: Counter[Form], e: Lin, k: Fraction) -> None:
        for m, c in e.terms:
            expo[m] += c * k  # type: ignore[assignment]

    def masked(self, mask: App, yes: Variable, no: Variable) -> Variable:
        cond = self.raw(mask.args[0])
        return self.make(at.switch, cond, yes, no) if mask.args[1] else self.make(at.switch, cond, no, yes)

    def product(self, coeff: Fraction, rests: list[tuple[Variable, Fraction]]) -> Variable | None:
        """``coeff * r1**k1 * ...`` with one division."""
        above = [self.power(r, k) for r, k in rests if k > 0]
        below = [self.power(r, -k) for r, k in rests if k < 0]
        out, bottom = self.times(above), self.times(below)
        if coeff == -1 and out is not None:
            out = self.make(at.neg, out)
        elif coeff != 1:
            out = self.times([self.constant(coeff), *above])
        if bottom is None:
            return out
        return self.make(at.reciprocal, bottom) if out is None else self.make(at.true_divide, out, bottom)

    def times(self, factors: list[Variable]) -> Variable | None:
        if not factors:
            return None
        return factors[0] if len(factors) == 1 else self.make(at.mul, *factors)

    def power(self, var: Variable, k: Fraction) -> Variable:
        if k == 1:
            return var
        if k == 2:
            return self.make(at.square, var)
        if k == HALF:
            return self.make(at.sqrt, var)
        return self.make(at.pow, var, self.constant(k))

    def _strict_masks(self, form: Prod) -> Masks:
        """Where a sum divides, its maximum is taken over what its factors keep."""
        found: Masks = {}
        for f, k in form.factors:
            if k < 0:
                found = joined(found, self.strict(f))
        return found

    def within_log(self, form: Form) -> Context:
        """Where a form is built of which the log, or the sign, is asked."""
        return Context(self.strict(form), exact=True)

    def strict(self, form: Form) -> Masks:
        """For each exponent that is summed inside, the factors that may hide its maximum."""
        if isinstance(form, App) and form.op is T.sum:
            _, expo, factors = self.a.parts(form.args[0])
            moving = self._moving(expo, form.args[1])
            hiding = tuple(f for f, _ in factors if may_vanish(f))
            if not moving.terms:
                return self.strict(form.args[0])
            return {(moving, form.args[1]): frozenset([hiding])}
        if isinstance(form, App) and form.op in LINEAR:
            parts = list(form.forms)
        elif isinstance(form, Sum):
            parts = [m for m, _ in form.terms]
        elif isinstance(form, Prod):
            parts = [f for f, _ in form.factors]
        else:
            return {}
        found: Masks = {}
        for part in parts:
            found = joined(found, self.strict(part))
        return found

    def _moving(self, expo: Lin, axes: Axes) -> Lin:
        return self.a.lin({m: c for m, c in expo.terms if not m.constant_along(axes)})

    # -- sums -----------------------------------------------------------------------------

    def _parts(self, form: Sum, where: Context) -> list[tuple[Fraction, Lin, Variable | None]]:
        return [(c, *self.split(m, where)) for m, c in form.terms]

    def _is_uneven(self, form: Sum, where: Context) -> bool:
        return len({e for _, e, _ in self._parts(form, where)}) > 1

    @staticmethod
    def _is_simpler(form: Sum, by: Fraction) -> bool:
        """Does multiplying a sum out leave fewer factors than a product with it?"""
        return sum(abs(c * by) == 1 for _, c in form.terms) > sum(abs(c) == 1 for _, c in form.terms)

    def _split_sum(
        self, form: Sum, outer: Lin, k: Fraction, where: Context, by: Fraction = ONE
    ) -> Scaled:
        """``exp(outer) * (by * form)**k`` as ``(e, r)`` with ``exp(e) * r**k``."""
        if not hot(form):
            return outer, self._cold_sum(form, by)
        parts = self._parts(form, where)
        if len({e for _, e, _ in parts}) == 1:
            expo = Counter[Form](dict(outer.terms))
            self._gather(expo, parts[0][1], k)
            return self.a.lin(expo), self.total([(c * by, self._or_one(r)) for c, _, r in parts])  # type: ignore[arg-type]
        inner, outer = self._absorbed(outer, k, [e for _, e, _ in parts])
        shifted = [
            (c, self._keep(self._plus(e, inner, ONE), m), r) for (c, e, r), (m, _) in zip(parts, form.terms)
        ]
        top = self.a.app(T.maximum, *sorted({e for _, e, _ in shifted}, key=lambda e: e.uid))
        level = self.linear(self.a.lin({top: ONE}))
        pure = all(r is None for _, _, r in shifted) and sum((c for c, _, _ in shifted), ZERO) == 0
        function = at.expm1 if pure else at.exp
        terms = []
        for c, e, r in shifted:
            v = self.make(function, self.make(at.sub, self.value(e), level))
            terms.append((c * by, v if r is None else self.make(at.mul, v, r)))
        return self._plus(outer, self.a.lin({top: ONE}), k), self.total(terms)

    def _keep(self, expo: Lin, form: Form) -> Form:
        """An exponent, marked with the factors of the term that silence it where they vanish."""
        hidden = self._hidden(expo, form)
        return self.a.app(T.kept, expo, hidden, bcast=expo.bcast) if hidden else expo

    def _plus(self, a: Lin, b: Lin, k: Fraction) -> Lin:
        """``a + k*b``."""
        out = Counter[Form](dict(a.terms))
        self._gather(out, b, k)
        return self.a.lin(out)  # type: ignore[arg-type]

    def _absorbed(self, outer: Lin, k: Fraction, exponents: list[Lin]) -> tuple[Lin, Lin]:
        """``exp(outer) * sum(exp(e_i))**k``: is outer better added to each ``e_i``?

        ``a + max(0, b - a)`` loses digits that ``max(a, b)`` keeps.
        """
        shared = {m for e in exponents for m, _ in e.terms}
        inner = self.a.lin({m: c / k for m, c in outer.terms if m in shared})
        return inner, self.a.lin({m: c for m, c in outer.terms if m not in shared})

    def _or_one(self, rest: Variable | None) -> Variable:
        return self.constant(ONE) if rest is None else rest

    def _cold_sum(self, form: Sum, by: Fraction) -> Variable:
        """A sum of values; logs give their exponents to the linear part first."""
        logs: list[tuple[Fraction, Variable]] = []
        scaled = [(m, c * by) for m, c in form.terms]
        hidden = [(m, c) for m, c in scaled if isinstance(m, App) and m.op is T.log and hot(m.args[0])]
        lin = self.a.lin({m: c for m, c in scaled if (m, c) not in hidden})
        for m, c in hidden:
            # As c * (lin/c + log(...)): what cancels inside the log does so before it is added.
            e, r = self.log_parts(m.args[0], self.a.lin({n: d / c for n, d in lin.terms}))
            lin = self.a.lin({n: d * c for n, d in e.terms})
            if r is not None:
                logs.append((c, r))
        terms = [(ONE, self.linear(lin))] if lin.terms else []
        return self.total(terms + logs)

    def total(self, terms: list[tuple[Fraction, Variable]]) -> Variable:
        """``c1*v1 + c2*v2 + ...``, subtracting what is negative."""
        terms = sorted(terms, key=lambda t: t[0] < 0)
        out: Variable | None = None
        for c, v in terms:
            scaled = v if abs(c) == 1 else self.make(at.mul, self.constant(abs(c)), v)
            if out is None:
                out = scaled if c > 0 else self.make(at.neg, scaled)
            else:
                out = self.make(at.add if c > 0 else at.sub, out, scaled)
        return self.constant(ZERO) if out is None else out

    def linear(self, lin: Lin) -> Variable:
        """An exponent as a variable: what belongs together is subtracted first."""
        if lin not in self._lins:
            self._lins[lin] = self._linear(lin)
        return self._lins[lin]

    def _linear(self, lin: Lin) -> Variable:
        left = dict(lin.terms)
        terms: list[tuple[Fraction, Variable]] = []
        for top in [m for m in left if isinstance(m, App) and m.op in (T.shift, T.maximum, T.max)]:
            for source in top.forms:
                if isinstance(source, Lin) and top in left and self._contains(left, source, -left[top]):
                    c = left.pop(top)
                    for m, d in source.terms:
                        left[m] += d * c
                        if not left[m]:
                            del left[m]
                    terms.append((-c, self.make(at.sub, self.linear(source), self.atom(top))))
        whole = self.a.add_terms(left) if left else None
        origin = self.view.origin.get(whole) if whole is not None else None
        if whole is not None and origin is not None and not self.view.gains(origin):
            terms.append((ONE, origin))
        else:
            terms += [(c, self.atom(m)) for m, c in left.items()]
        return self.total(terms)

    def _contains(self, terms: dict[Form, Fraction], lin: Lin, c: Fraction) -> bool:
        return bool(lin.terms) and all(m in terms and terms[m] == d * c for m, d in lin.terms)

    def atom(self, form: Form) -> Variable:
        return self.value(form)

    # -- logs -----------------------------------------------------------------------------

    def log_parts(self, form: Form, outer: Lin | None = None) -> Scaled:
        """``outer + log(form)`` as ``(e, r)`` with the value ``e + r``."""
        outer = self.a.no_exponent if outer is None else outer
        sign, expo, factors = self.a.parts(form)
        if not expo.terms and len(factors) == 1 and isinstance(factors[0][0], Sum) and factors[0][1] == 1:
            pair = self._pair(factors[0][0])
            if pair is not None:
                return self._log_pair(pair[0], sign * pair[1], sign * pair[2], outer)
            if isinstance(form, Sum) and hot(form):
                e, r = self._split_sum(form, outer, ONE, self.within_log(form))
                return e, None if r is None else self.make(at.log, r)
        e, r = self.split(form, self.within_log(form))
        return self._plus(outer, e, ONE), None if r is None else self._log_of(form, r)

    def _log_of(self, form: Form, rest: Variable) -> Variable:
        """The log of a rest.  A shifted sum of exponentials is at least 1; as ``log1p(s - 1)`` it
        is not shifted a second time by Aesara's own `local_log_sum_exp`."""
        while isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
            form = form.args[0]
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
        inner, left = self._absorbed(outer, ONE, [e])
        gap = self.linear(e)
        if c == d:
            if not inner.terms:
                return left, self.make(at.softplus, gap)
            low, high = self.linear(inner), self.linear(self._plus(inner, e, ONE))
            gap = self.make(at.switch, self.make(at.eq, low, high), self.constant(ZERO), gap)
            top = self.a.leaf(self.make(at.maximum, low, high), tuple(high.type.broadcastable))
            small = self.make(at.log1p, self.make(at.exp, self.make(at.neg, self.make(at.abs, gap))))
            return self._plus(left, self.a.lin({top: ONE}), ONE), small
        if c > 0:
            return outer, self.make(at.log1mexp, gap)
        return self._plus(outer, e, ONE), self.make(at.log1mexp, self.make(at.neg, gap))


def _dimshuffle(var: Variable, order: tuple[int | str, ...]) -> Variable:
    return var.dimshuffle(order)


#: At the root of a graph.
PLAIN = Context({})


def joined(a: Masks, b: Masks) -> Masks:
    return {key: a.get(key, frozenset()) | b.get(key, frozenset()) for key in {**a, **b}}


def may_vanish(form: Form) -> bool:
    """May a factor be zero somewhere, so that it hides the largest exponential?"""
    if isinstance(form, Leaf):
        data = getattr(form.var, "data", None)
        return data is None or not bool(np.all(np.asarray(data)))
    if isinstance(form, App):
        return form.op not in (T.softmax, T.sigmoid, T.exp, T.ones_like, T.softplus)
    return not form.nonneg


# -- how each operator splits ---------------------------------------------------------------


def _sum(b: Builder, form: App, where: Context) -> Scaled:
    inner, axes = form.args
    expo, rest = b.split(inner, where)
    moving = b._moving(expo, axes)
    still = b.a.lin({m: c for m, c in expo.terms if m.constant_along(axes)})
    if not moving.terms:
        return still, b.make(at.sum, b._or_one(rest), axis=axes, keepdims=True)
    factors = {f for f, _ in b.a.parts(inner)[2]}
    if not where.exact and (moving, axes) not in where.masks and bounded(moving, b.a):
        power = b.make(at.exp, b.linear(moving))
        body = power if rest is None else b.make(at.mul, power, rest)
        return still, b.make(at.sum, body, axis=axes, keepdims=True)
    choices = [h for h in where.masks.get((moving, axes), ()) if factors.issuperset(h)]
    hidden = max(choices, key=len, default=())
    top = b.a.app(T.shift, moving, axes, hidden, bcast=b.a._kept(moving, axes))
    exponent = b.make(at.sub, _kept(b, moving, hidden), b.atom(top))
    power = b.make(at.exp, exponent)
    body = power if rest is None else b.make(at.mul, power, rest)
    level = Counter[Form](dict(still.terms))
    level[top] += ONE  # type: ignore[assignment]
    return b.a.lin(level), b.make(at.sum, body, axis=axes, keepdims=True)  # type: ignore[arg-type]


def _kept(b: Builder, expo: Lin, hidden: tuple[Form, ...]) -> Variable:
    """The exponent, -inf where a factor that may vanish does."""
    out = b.linear(expo)
    low = at.constant(np.asarray(-np.inf, dtype=b.dtype))
    for f in hidden:
        if isinstance(f, App) and f.op is T.mask:
            out = b.masked(f, out, low)
        else:
            there = b.make(at.neq, b._or_one(b.split(f, b.within_log(f))[1]), b.constant(ZERO))
            out = b.make(at.switch, there, out, low)
    return out


def _shift(b: Builder, form: App) -> Variable:
    """The maximum over axes, 0 where it is infinite."""
    lin, axes, hidden = form.args
    top = b.keepdims(Supremum(axes), _kept(b, lin, hidden), axes)
    return b.make(at.switch, b.make(at.isinf, top), b.constant(ZERO), top)


def _maximum(b: Builder, form: App) -> Variable:
    parts = [b.value(e) for e in form.forms]
    out = parts[0]
    for other in parts[1:]:
        out = b.make(at.maximum, out, other)
    return b.make(at.switch, b.make(at.isinf, out), b.constant(ZERO), out)


def _moved(b: Builder, form: App, where: Context) -> Scaled:
    inner, move = form.args
    expo, rest = b.split(inner, where)
    ones = next((f for f, _ in b.a.parts(inner)[2] if is_ones(f)), None)
    odd = [m for m, _ in expo.terms if m.bcast and move.restricted(m.bcast) is None]
    if odd and ones is None:
        return b.a.no_exponent, b.make(move.apply, b.value(inner, where))
    moved = Counter[Form]()
    for m, c in expo.terms:
        new = b.a.move_filled(m, move, ones) if m in odd and ones is not None else b.a.move(m, move)
        for n, d in b.a.terms_of(new).items():
            moved[n] += c * d  # type: ignore[assignment]
    return b.a.lin(moved), None if rest is None else b.make(move.apply, rest)  # type: ignore[arg-type]


def _log(b: Builder, form: App, where: Context) -> Scaled:
    inner = form.args[0]
    if isinstance(inner, Sum) and not hot(inner):
        one = dict(inner.terms).get(b.a.one)
        if one is not None and one > 0:
            others = b.a.add_terms({m: c / one for m, c in inner.terms if m is not b.a.one})
            out = b.make(at.log1p, b.value(others))
            return b.a.no_exponent, out if one == 1 else b.total([(ONE, out), (ONE, b.make(at.log, b.constant(one)))])
    expo, rest = b.log_parts(inner)
    terms = [(ONE, b.linear(expo))] if expo.terms else []
    return b.a.no_exponent, b.total(terms + ([(ONE, rest)] if rest is not None else []))


def _dot(b: Builder, form: App, where: Context) -> Scaled:
    left, right = form.args
    batch = int(form.op is T.batched_dot)
    sides = []
    level = Counter[Form]()
    rows, columns = left.ndim - batch - 1, right.ndim - batch - 1
    for side, axis, order in (
        (left, left.ndim - 1, [*range(batch + rows), *(["x"] * columns)]),
        (right, right.ndim - 1 if columns == 0 else batch, [*range(batch), *(["x"] * rows), *([right.ndim - 1] * columns)]),
    ):
        expo, rest = b.split(side, where)
        moving = b._moving(expo, (axis,))
        still = Counter[Form]({m: c for m, c in expo.terms if m.constant_along((axis,))})
        if moving.terms and not where.exact and bounded(moving, b.a):
            power = b.make(at.exp, b.linear(moving))
            rest = power if rest is None else b.make(at.mul, power, rest)
        elif moving.terms:
            top = b.a.app(T.shift, moving, (axis,), (), bcast=b.a._kept(moving, (axis,)))
            still[top] += ONE  # type: ignore[assignment]
            power = b.make(at.exp, b.make(at.sub, b.linear(moving), b.atom(top)))
            rest = power if rest is None else b.make(at.mul, power, rest)
        for m, c in still.items():
            for n, d in b.a.terms_of(b.a.shuffle(m, tuple(order)) if m.bcast else m).items():
                level[n] += c * d  # type: ignore[assignment]
        sides.append(b._or_one(rest))
    op = at.dot if form.op is T.dot else at.batched_dot
    return b.a.lin(level), b.make(op, *sides)  # type: ignore[arg-type]


def _switch(b: Builder, form: App, where: Context) -> Scaled:
    cond, yes, no = form.args
    (e, r), (f, s) = b.split(yes, where), b.split(no, where)
    out = b.make(at.switch, b.raw(cond), b._or_one(r), b._or_one(s))
    if e is f:
        return e, out
    return b.a.lin({b.a.app(T.switch, cond, e, f): ONE}), out


def _join(b: Builder, form: App, where: Context) -> Scaled:
    *parts, axis = form.args
    return b.a.no_exponent, b.make(at.join, axis, *(b.value(p, where) for p in parts))


def _abs(b: Builder, form: App, where: Context) -> Scaled:
    expo, rest = b.split(form.args[0], where)
    return expo, b.make(at.abs, b._or_one(rest))


def _prod(b: Builder, form: App, where: Context) -> Scaled:
    inner, axes = form.args
    expo, rest = b.split(inner, where)
    level = b.a.add(*(b.a.mul(b.a.const(c), b.a.sum(m, axes)) for m, c in expo.terms))
    return b.a.lin(b.a.terms_of(level)), b.make(at.prod, b._or_one(rest), axis=axes, keepdims=True)


def _cumsum(b: Builder, form: App, where: Context) -> Scaled:
    inner, axis = form.args
    expo, rest = b.split(inner, where)
    if not expo.terms:
        return expo, b.make(at.cumsum, b._or_one(rest), axis=axis)
    exponent = b.linear(expo)
    weights = b.make(at.ones_like, exponent) if rest is None else rest
    level, total = b.make(ScaledCumsum(axis), exponent, weights)
    return b.a.lin({b.a.leaf(level, tuple(level.type.broadcastable)): ONE}), total


def _scatter(b: Builder, form: App) -> Variable:
    inner, _, like = form.args
    node = like.var.owner
    return b.make(node.op, node.inputs[0], b.value(inner), *node.inputs[2:])


def _max(b: Builder, form: App) -> Variable:
    return b.make(at.max, b.value(form.args[0]), axis=form.args[1], keepdims=True)


def _ones(b: Builder, form: App) -> Variable:
    return b.make(at.ones_like, b.value(form.args[0]), dtype=b.dtype)


def _softmax(b: Builder, form: App) -> Variable:
    inner, axes = form.args
    if _has_op(form):
        return b.make(Softmax(axis=axes[0] if len(axes) == 1 else None), b.value(inner))
    power, total, _ = _shifted(b, form)
    return b.make(at.true_divide, power, total)


def _log_softmax(b: Builder, form: App) -> Variable:
    inner, axes = form.args
    if _has_op(form):
        return b.make(LogSoftmax(axis=axes[0] if len(axes) == 1 else None), b.value(inner))
    _, total, gap = _shifted(b, form)
    return b.make(at.sub, gap, b.make(at.log, total))


def _has_op(form: App) -> bool:
    """Aesara's softmax is over one axis or over all."""
    return len(form.args[-1]) in (1, form.ndim)


def _shifted(b: Builder, form: App) -> tuple[Variable, Variable, Variable]:
    """The shifted exponential, its sum, and its exponent."""
    inner, axes = form.args
    lin = b.a.lin(b.a.terms_of(inner))
    top = b.a.app(T.shift, lin, axes, (), bcast=b.a._kept(lin, axes))
    gap = b.make(at.sub, b.value(inner), b.atom(top))
    power = b.make(at.exp, gap)
    return power, b.make(at.sum, power, axis=axes, keepdims=True), gap


def _softmax_grad(b: Builder, form: App) -> Variable:
    up, sm, axes = form.args
    g, p = b.value(up), b.value(sm)
    if _has_op(form):
        return b.make(SoftmaxGrad(axis=axes[0] if len(axes) == 1 else None), g, p)
    mean = b.make(at.sum, b.make(at.mul, g, p), axis=axes, keepdims=True)
    return b.make(at.mul, p, b.make(at.sub, g, mean))


def _switch_lin(b: Builder, form: App) -> Variable:
    cond, yes, no = form.args
    return b.make(at.switch, b.raw(cond), b.value(yes), b.value(no))


def _mask(b: Builder, form: App) -> Variable:
    return b.masked(form, b.constant(ONE), b.constant(ZERO))


SPLITTERS = {
    T.sum: _sum,
    T.prod: _prod,
    T.cumsum: _cumsum,
    T.dimshuffle: _moved,
    T.subtensor: _moved,
    T.log: _log,
    T.dot: _dot,
    T.batched_dot: _dot,
    T.switch: lambda b, f, w: _switch(b, f, w) if not isinstance(f.args[1], Lin) else (b.a.no_exponent, _switch_lin(b, f)),
    T.abs: _abs,
    T.join: _join,
}
PLAIN_BUILDERS: dict[Operator, Any] = {
    T.shift: _shift,
    T.maximum: _maximum,
    T.kept: lambda b, f: _kept(b, *f.args),
    T.max: _max,
    T.mask: _mask,
    T.scatter: _scatter,
    T.ones_like: _ones,
    T.softmax: _softmax,
    T.log_softmax: _log_softmax,
    T.softmax_grad: _softmax_grad,
}
