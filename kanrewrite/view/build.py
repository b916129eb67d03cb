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
from typing import Any

import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable
from aesara.tensor.special import log_softmax, softmax

from kanrewrite.terms import ELEMENTWISE, Operator, T
from kanrewrite.view.forms import HALF, ONE, ZERO, App, Form, Leaf, Lin, Prod, Sum
from kanrewrite.view.lifting import Axes, Lifting, hot
from kanrewrite.view.read import View
from kanrewrite.view.recognise import Recogniser

#: For an exponent summed over axes: the factors that may be zero where it is largest.
Masks = dict[tuple[Lin, Axes], tuple[Form, ...]]
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

    def value(self, form: Form, masks: Masks | None = None) -> Variable:
        """The variable of a form."""
        if isinstance(form, Lin):
            return self.linear(form)
        expo, rest = self.split(form, masks or {})
        if not expo.terms:
            return self.constant(ONE) if rest is None else rest
        power = self.make(at.exp, self.linear(expo))
        return power if rest is None else self.make(at.mul, power, rest)

    def constant(self, value: Fraction) -> Variable:
        return at.constant(np.asarray(float(value), dtype=self.dtype))

    def make(self, op: Any, *inputs: Any, **parameters: Any) -> Variable:
        """Apply an op once; the same call again gives the same variable."""
        key = (op, inputs, tuple(sorted(parameters.items())))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = op(*inputs, **parameters)
        return made

    def raw(self, form: Form) -> Variable:
        """A condition as it is, without a cast."""
        if isinstance(form, Leaf):
            return form.var
        assert isinstance(form, App)
        if form.op in (T.dimshuffle, T.subtensor):
            return self.make(form.args[1].apply, self.raw(form.args[0]))
        return self.value(form)

    # -- exponent and rest ----------------------------------------------------------------

    def split(self, form: Form, masks: Masks) -> Scaled:
        key = (form, tuple(masks.items())) if masks and hot(form) else form
        if key not in self._split:
            self._split[key] = self._split_new(form, masks)
        return self._split[key]

    def _split_new(self, form: Form, masks: Masks) -> Scaled:
        none = self.a.no_exponent
        origin = self.view.origin.get(form)
        if origin is not None and not hot(form) and not self.view.gains(origin):
            return none, origin
        if self.recogniser is not None:
            form = self.recogniser.rewrite(form, self.a)
        if isinstance(form, Leaf):
            return none, self._leaf(form)
        if isinstance(form, Prod):
            return self._split_prod(form, masks)
        if isinstance(form, Sum):
            return self._split_sum(form, none, ONE, masks)
        assert isinstance(form, App)
        if form.op in SPLITTERS:
            return SPLITTERS[form.op](self, form, masks)
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
        op = form.op.op or getattr(at, form.op.name)
        return self.make(op, *(self.value(f) for f in form.forms))

    # -- products -------------------------------------------------------------------------

    def _split_prod(self, form: Prod, masks: Masks) -> Scaled:
        masks = {**masks, **self._strict_masks(form)}
        expo = Counter[Form](dict(form.expo.terms))
        rests: list[tuple[Variable, Fraction]] = []
        waiting: list[tuple[Sum, Fraction]] = []
        conditions: list[App] = []
        for f, k in form.factors:
            if isinstance(f, App) and f.op is T.mask:
                conditions.append(f)
                continue
            if isinstance(f, Sum) and self._is_uneven(f, masks):
                waiting.append((f, k))
                continue
            e, r = self.split(f, masks)
            self._gather(expo, e, k)
            if r is not None:
                rests.append((r, k))
        for f, k in sorted(waiting, key=lambda item: item[1] != 1):
            e, r = self._split_sum(f, self.a.lin(expo), k, masks)
            expo = Counter[Form](dict(e.terms))
            if r is not None:
                rests.append((r, k))
        rest = self.product(form.coeff, rests)
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
        if abs(coeff) != 1 or (coeff < 0 and not above):
            above.insert(0, self.constant(coeff))
        out = self.times(above)
        if below:
            bottom = self.times(below)
            assert bottom is not None
            out = self.make(at.reciprocal, bottom) if out is None else self.make(at.true_div, out, bottom)
        return self.make(at.neg, out) if coeff == -1 and above and out is not None and len(rests) and above[0] is not self._made.get("no") and not _is_const(above[0], coeff) else out

    def times(self, factors: list[Variable]) -> Variable | None:
        if not factors:
            return None
        return factors[0] if len(factors) == 1 else self.make(at.mul, *factors)

    def power(self, var: Variable, k: Fraction) -> Variable:
        if k == 1:
            return var
        if k == 2:
            return self.make(at.sqr, var)
        if k == HALF:
            return self.make(at.sqrt, var)
        return self.make(at.pow, var, self.constant(k))

    def _strict_masks(self, form: Prod) -> Masks:
        """Where a sum divides, its maximum is taken over what its factors keep."""
        found: Masks = {}
        for f, k in form.factors:
            if k < 0 and isinstance(f, App) and f.op is T.sum:
                found.update(self.strict(f))
        return found

    def strict(self, form: Form) -> Masks:
        if not (isinstance(form, App) and form.op is T.sum):
            return {}
        _, expo, factors = self.a.parts(form.args[0])
        moving = self._moving(expo, form.args[1])
        return {(moving, form.args[1]): tuple(f for f, k in factors if may_vanish(f))} if moving.terms else {}

    def _moving(self, expo: Lin, axes: Axes) -> Lin:
        return self.a.lin({m: c for m, c in expo.terms if not m.constant_along(axes)})

    # -- sums -----------------------------------------------------------------------------

    def _parts(self, form: Sum, masks: Masks) -> list[tuple[Fraction, Lin, Variable | None]]:
        return [(c, *self.split(m, masks)) for m, c in form.terms]

    def _is_uneven(self, form: Sum, masks: Masks) -> bool:
        return len({e for _, e, _ in self._parts(form, masks)}) > 1

    def _split_sum(self, form: Sum, outer: Lin, k: Fraction, masks: Masks) -> Scaled:
        """``exp(outer) * form**k`` as ``(e, r)`` with ``exp(e) * r**k``."""
        if not hot(form):
            return outer, self._cold_sum(form)
        parts = self._parts(form, masks)
        if len({e for _, e, _ in parts}) == 1:
            expo = Counter[Form](dict(outer.terms))
            self._gather(expo, parts[0][1], k)
            return self.a.lin(expo), self.total([(c, self._or_one(r)) for c, _, r in parts])  # type: ignore[arg-type]
        shifted = []
        for c, e, r in parts:
            whole = Counter[Form](dict(e.terms))
            self._gather(whole, outer, 1 / k)
            shifted.append((c, self.a.lin(whole), r))  # type: ignore[arg-type]
        top = self.a.app(T.maximum, *sorted({e for _, e, _ in shifted}, key=lambda e: e.uid))
        level = self.linear(self.a.lin({top: ONE}))
        pure = all(r is None for _, _, r in shifted) and sum((c for c, _, _ in shifted), ZERO) == 0
        function = at.expm1 if pure else at.exp
        terms = []
        for c, e, r in shifted:
            v = self.make(function, self.make(at.sub, self.linear(e), level))
            terms.append((c, v if r is None else self.make(at.mul, v, r)))
        return self.a.lin({top: k}), self.total(terms)

    def _or_one(self, rest: Variable | None) -> Variable:
        return self.constant(ONE) if rest is None else rest

    def _cold_sum(self, form: Sum) -> Variable:
        """A sum of values; logs give their exponents to the linear part first."""
        linear, logs = Counter[Form](), []
        for m, c in form.terms:
            if isinstance(m, App) and m.op is T.log and hot(m.args[0]):
                e, r = self.log_parts(m.args[0])
                self._gather(linear, e, c)
                if r is not None:
                    logs.append((c, r))
            else:
                linear[m] += c  # type: ignore[assignment]
        lin = self.a.lin(linear)  # type: ignore[arg-type]
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

    def log_parts(self, form: Form) -> Scaled:
        """``log(form)`` as ``(e, r)`` with ``log(form) == e + r``."""
        coeff, expo, factors = self.a.parts(form)
        if isinstance(form, Sum) and len(form.terms) == 2 and self._is_one_plus(form):
            (_, _), (m, _) = form.terms
            inner = self.a.parts(m)[1]
            if not self.a.parts(m)[2] and len(form.terms) == 2:
                return self._log_add_exp(self.a.no_exponent, inner)
        e, r = self.split(form, self.strict(form))
        return e, None if r is None else self.make(at.log, r)

    def _is_one_plus(self, form: Sum) -> bool:
        return form.terms[0][0] is self.a.one and all(c == 1 for _, c in form.terms)

    def _log_add_exp(self, a: Lin, b: Lin) -> Scaled:
        return self.a.no_exponent, self.make(at.softplus, self.linear(b))


def may_vanish(form: Form) -> bool:
    """May a factor be zero somewhere, so that it hides the largest exponential?"""
    if isinstance(form, Leaf):
        data = getattr(form.var, "data", None)
        return data is None or not bool(np.all(np.asarray(data)))
    if isinstance(form, App):
        return form.op not in (T.softmax, T.sigmoid, T.exp, T.ones_like, T.softplus)
    return not form.nonneg


def _is_const(var: Variable, coeff: Fraction) -> bool:
    data = getattr(var, "data", None)
    return data is not None and np.ndim(data) == 0 and float(data) == float(coeff)


# -- how each operator splits ---------------------------------------------------------------


def _sum(b: Builder, form: App, masks: Masks) -> Scaled:
    inner, axes = form.args
    expo, rest = b.split(inner, masks)
    moving = b._moving(expo, axes)
    still = b.a.lin({m: c for m, c in expo.terms if m.constant_along(axes)})
    if not moving.terms:
        return still, b.make(at.sum, b._or_one(rest), axis=axes, keepdims=True)
    factors = {f for f, _ in b.a.parts(inner)[2]}
    hidden = tuple(f for f in masks.get((moving, axes), ()) if f in factors)
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
            out = b.make(at.switch, b.make(at.neq, b.value(f), b.constant(ZERO)), out, low)
    return out


def _shift(b: Builder, form: App) -> Variable:
    """The maximum over axes, 0 where it is infinite."""
    lin, axes, hidden = form.args
    top = b.make(at.max, _kept(b, lin, hidden), axis=axes, keepdims=True)
    return b.make(at.switch, b.make(at.isinf, top), b.constant(ZERO), top)


def _maximum(b: Builder, form: App) -> Variable:
    parts = [b.linear(e) for e in form.forms if isinstance(e, Lin)]
    out = parts[0]
    for other in parts[1:]:
        out = b.make(at.maximum, out, other)
    return b.make(at.switch, b.make(at.isinf, out), b.constant(ZERO), out)


def _moved(b: Builder, form: App, masks: Masks) -> Scaled:
    inner, move = form.args
    expo, rest = b.split(inner, masks)
    moved = Counter[Form]()
    for m, c in expo.terms:
        for n, d in b.a.terms_of(b.a.move(m, move)).items():
            moved[n] += c * d  # type: ignore[assignment]
    return b.a.lin(moved), None if rest is None else b.make(move.apply, rest)  # type: ignore[arg-type]


def _log(b: Builder, form: App, masks: Masks) -> Scaled:
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


def _dot(b: Builder, form: App, masks: Masks) -> Scaled:
    left, right = form.args
    batch = int(form.op is T.batched_dot)
    sides = []
    level = Counter[Form]()
    rows, columns = left.ndim - batch - 1, right.ndim - batch - 1
    for side, axis, order in (
        (left, left.ndim - 1, [*range(batch + rows), *(["x"] * columns)]),
        (right, right.ndim - 1 if columns == 0 else batch, [*range(batch), *(["x"] * rows), *([right.ndim - 1] * columns)]),
    ):
        expo, rest = b.split(side, masks)
        if expo.terms:
            top = b.a.app(T.shift, expo, (axis,), (), bcast=b.a._kept(expo, (axis,)))
            power = b.make(at.exp, b.make(at.sub, b.linear(expo), b.atom(top)))
            rest = power if rest is None else b.make(at.mul, power, rest)
            for m, c in b.a.terms_of(b.a.shuffle(top, tuple(order))).items():
                level[m] += c  # type: ignore[assignment]
        sides.append(b._or_one(rest))
    op = at.dot if form.op is T.dot else at.batched_dot
    return b.a.lin(level), b.make(op, *sides)  # type: ignore[arg-type]


def _switch(b: Builder, form: App, masks: Masks) -> Scaled:
    cond, yes, no = form.args
    (e, r), (f, s) = b.split(yes, masks), b.split(no, masks)
    out = b.make(at.switch, b.raw(cond), b._or_one(r), b._or_one(s))
    if e is f:
        return e, out
    return b.a.lin({b.a.app(T.switch, cond, e, f): ONE}), out


def _abs(b: Builder, form: App, masks: Masks) -> Scaled:
    expo, rest = b.split(form.args[0], masks)
    return expo, b.make(at.abs, b._or_one(rest))


def _prod(b: Builder, form: App, masks: Masks) -> Scaled:
    inner, axes = form.args
    expo, rest = b.split(inner, masks)
    level = b.a.add(*(b.a.mul(b.a.const(c), b.a.sum(m, axes)) for m, c in expo.terms))
    return b.a.lin(b.a.terms_of(level)), b.make(at.prod, b._or_one(rest), axis=axes, keepdims=True)


def _scatter(b: Builder, form: App) -> Variable:
    inner, _, like = form.args
    node = like.var.owner
    return b.make(node.op, node.inputs[0], b.value(inner), *node.inputs[2:])


def _max(b: Builder, form: App) -> Variable:
    return b.make(at.max, b.value(form.args[0]), axis=form.args[1], keepdims=True)


def _ones(b: Builder, form: App) -> Variable:
    return b.make(at.ones_like, b.value(form.args[0]), dtype=b.dtype)


def _softmax(op: Any) -> Any:
    def build(b: Builder, form: App) -> Variable:
        inner, axes = form.args
        axis = axes[0] if len(axes) == 1 else None
        return b.make(op, b.value(inner), axis=axis)

    return build


def _softmax_grad(b: Builder, form: App) -> Variable:
    from aesara.tensor.special import SoftmaxGrad

    up, sm, axes = form.args
    return b.make(SoftmaxGrad(axis=axes[0] if len(axes) == 1 else None), b.value(up), b.value(sm))


def _switch_lin(b: Builder, form: App) -> Variable:
    cond, yes, no = form.args
    return b.make(at.switch, b.raw(cond), b.value(yes), b.value(no))


def _mask(b: Builder, form: App) -> Variable:
    return b.masked(form, b.constant(ONE), b.constant(ZERO))


SPLITTERS = {
    T.sum: _sum,
    T.prod: _prod,
    T.dimshuffle: _moved,
    T.subtensor: _moved,
    T.log: _log,
    T.dot: _dot,
    T.batched_dot: _dot,
    T.switch: lambda b, f, m: _switch(b, f, m) if not isinstance(f.args[1], Lin) else (b.a.no_exponent, _switch_lin(b, f)),
    T.abs: _abs,
}
PLAIN_BUILDERS: dict[Operator, Any] = {
    T.shift: _shift,
    T.maximum: lambda b, f: _maximum(b, f) if isinstance(f.args[0], Lin) else b.make(at.maximum, *(b.value(x) for x in f.args)),
    T.max: _max,
    T.mask: _mask,
    T.scatter: _scatter,
    T.ones_like: _ones,
    T.softmax: _softmax(softmax),
    T.log_softmax: _softmax(log_softmax),
    T.softmax_grad: _softmax_grad,
}
