"""Recognition: parts of forms that a fused operator computes.

The rules are the library's equations from formula to operator.  They are matched against forms,
so one equation finds every spelling that reads as the same form, inside larger products and sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice
from typing import Any, TypeGuard

from kanrewrite.laws import Laws
from kanrewrite.terms import ELEMENTWISE, Operator, T
from kanrewrite.view.cofactors import groups, joined
from kanrewrite.view.events import merges
from kanrewrite.view.forms import (
    ONE,
    App,
    Form,
    Lin,
    Prod,
    Sum,
    Terms,
    is_parameter,
    within,
)
from kanrewrite.view.heat import exponents, holds_others, hot, is_others, over_softplus
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.levels import bounded
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.matching import SHARES, Bindings, FormMatcher
from kanrewrite.view.moves import Shuffle
from kanrewrite.view.patterns import PatternAlgebra, pattern_form
from kanrewrite.view.picking import spread
from kanrewrite.view.places import moved, turned
from kanrewrite.view.takes import source_of

#: Fused operators whose values, or inverses, can be as small as exponentials are.
VANISHING = {T.sigmoid, T.softmax, T.softmax_grad, T.cosh}
#: How many times one form is rewritten.
LIMIT = 32


@dataclass(frozen=True)
class Recognition:
    """A rule: a pattern as a form, what it is replaced by, the check of its guards."""

    name: str
    pattern: Form
    replacement: Any
    allowed: Callable[[Bindings], bool]
    #: Operators that the form must hold as a factor or a term.
    needed: frozenset[Any]


def compiled(
    rules: Iterable[tuple[str, Any, Any, Callable[[Bindings], bool]]],
    laws: Laws | None = None,
) -> list[Recognition]:
    """Rules (name, left side, right side, check of the guards) with their patterns as forms."""
    algebra = PatternAlgebra(laws=laws)
    out = []
    for name, left, right, allowed in rules:
        pattern = pattern_form(left, algebra)
        out.append(Recognition(name, pattern, right, allowed, heads(pattern)))
    return out


class Recogniser:
    """Rewrites forms by rules, parts first.

    Parameters
    ----------
    rules
        Tried in this order.
    """

    def __init__(self, rules: Iterable[Recognition]):
        self.rules = list(rules)
        self._known: dict[Form, Form] = {}
        #: The rules that fired, with the form they were found in.
        self.fired: list[tuple[str, Form]] = []
        #: For each rewritten form the rules that fired in it, each once, its own last.
        self.names: dict[Form, list[str]] = {}

    def rewrite(self, form: Form, a: Lifting) -> Form:
        """The form with every recognised part replaced."""
        if not isinstance(form, (Prod, Sum)) and not is_sum_over(form):
            return form
        known = self._known.get(form)
        if known is None:
            before = len(self.fired)
            known = self._known[form] = self._rewrite(form, a)
            last = dict.fromkeys(name for name, _ in reversed(self.fired[before:]))
            self.names[form] = list(last)[::-1]
        else:  # what is around was rewritten by them, too
            self.fired += [(name, form) for name in self.names[form]]
        return known

    def with_logs(self, form: Sum, a: Lifting) -> Form:
        """A sum in which logs were recognised that are multiplied with the same as what they meet.

        A log has no exponent that its surroundings could need.
        """
        for group in groups(form, a):
            inner = self.rewrite(group.inner, a)
            if not hot(inner) and inner is not group.inner:
                return joined(group, inner, a)
        return form

    def fuses(self, form: Form, a: Lifting) -> bool:
        """Tell whether a product is the gradient of a softmax, which one operator computes."""
        _, _, factors = a.parts(form)
        quotient = any(k < 0 and is_sum_over(f) for f, k in factors)
        if not quotient or not any(k == 1 and isinstance(f, Sum) for f, k in factors):
            return False
        found = a.parts(self.rewrite(form, a))[2]
        return any(isinstance(f, App) and f.op is T.softmax_grad for f, _ in found)

    def _rewrite(self, form: Form, a: Lifting) -> Form:
        together = merges(form, a)
        if together is not None:
            return self.rewrite(together, a)
        out = self._roots(form, a)
        if out is form and isinstance(form, Sum):
            out = self._undropped(form, a) or self._unpicked(form, a) or form
            out = out if out is not form else self._untransposed(form, a) or form
        if out is form:
            out = self._roots(self._parts(form, a), a)
        if over_softplus(form):  # neither may vanish without the other
            return form
        if isinstance(form, Prod) and hot(out):
            whole = self._multiplied(form, a) or self._undropped(form, a)
            return whole or (form if parts_company(out, a) else out)
        return out

    def _undropped(self, form: Prod | Sum, a: Lifting) -> Form | None:
        """What lost the same dimensions everywhere, recognised before it lost them."""
        moves = {f.args[1] for f in dropped(form)}
        if len(moves) != 1:
            return None
        (move,) = moves
        if form.ndim != len(move.order):
            return None  # a scalar that goes into something larger
        whole = raised(form, move, a)
        new = form if whole is form else self.rewrite(whole, a)
        if new in (form, whole) or (isinstance(form, Prod) and a.overflows(new)):
            return None
        return a.move(new, Shuffle(move.order, new.bcast))

    def _unpicked(self, form: Sum, a: Lifting) -> Form | None:
        """What is taken of others and of what is the same along their sum, before it was."""
        parts = within(form) if holds_others(form) else ()
        picked = [f for f in parts if _is_picked(f) and is_others(moved(f)[1])]
        inner = {f.args[0] for f in picked}  # where that has been taken again
        taken = {f.args[1]: f.args[0] for f in picked if f not in inner}
        if len(taken) != 1:
            return None
        ((move, like),) = taken.items()
        if form.bcast != move.result():
            return None  # what is taken goes into something larger
        before = [source_of(form, move, like, a)]
        before += [spread(form, move, axes, a) for axes in move.picks()]
        for whole in before:
            if whole is not None and whole.bcast == move.whole and a.move(whole, move) is form:
                new = self.rewrite(whole, a)
                if new is not whole:
                    return a.move(new, move)
        return None

    def _untransposed(self, form: Sum, a: Lifting) -> Form | None:
        """What is taken of others and transposed, before it was."""
        turn = turned(_turned_others(form))
        if turn is None or len(turn[0]) != form.ndim:
            return None
        order, back = turn
        whole = a.shuffle(form, back)
        if any(_turned_others(whole)):
            return None  # some were, and others were not
        new = self.rewrite(whole, a)
        return None if new is whole else a.shuffle(new, order)

    def _roots(self, form: Form, a: Lifting) -> Form:
        """The rules at the root, again and again; nothing where they would part what cancels."""
        out = form
        for _ in range(LIMIT):
            new = self._once(out, a)
            if new is None:
                break
            out = self._parts(new, a) if isinstance(new, (Prod, Sum)) else new
        return out if balanced(form, out, a) else form

    def _parts(self, form: Form, a: Lifting) -> Form:
        if isinstance(form, Sum):
            terms = [(self.rewrite(m, a), c) for m, c in form.terms]
            if all(m is n for (m, _), (n, _) in zip(form.terms, terms, strict=True)):
                return form
            return a.add(*(a.mul(a.const(c), m) for m, c in terms))
        if isinstance(form, App):
            inner = self.rewrite(form.args[0], a)
            if inner is form.args[0]:
                return form
            return a.app(form.op, inner, *form.args[1:], bcast=form.bcast)
        assert isinstance(form, Prod)
        shared = {m for m, _ in form.expo.terms}
        dividing = {m for f, k in form.factors if k < 0 and _sums(f) for m in exponents(f)}
        sums: dict[Form, Form] = {}
        for f, k in form.factors:
            if k > 0 and _is_any_sum(f) and not shared & exponents(f):
                new = self.rewrite(f, a)
                # What stays hot as a fused operator could no longer cancel with other factors,
                # and what vanishes as one no longer with a sum of its like.
                parted = dividing & (exponents(f) - exponents(new))
                sums[f] = f if parted or not (_is_any_sum(new) or not hot(new)) else new
        if all(f is g for f, g in sums.items()):
            return form
        rest = a.prod(form.coeff, form.expo, {f: k for f, k in form.factors if f not in sums})
        return a.mul(rest, *(a.pow(sums[f], k) for f, k in form.factors if f in sums))

    def _multiplied(self, form: Prod, a: Lifting) -> Form | None:
        """``exp(a) * (exp(-a) * f + g)`` multiplied out, if each term is then recognised."""
        sums = [f for f, k in form.factors if k == 1 and isinstance(f, Sum) and is_split(f, a)]
        if len(sums) != 1:
            return None
        by = {f: k for f, k in form.factors if hot(f) and f is not sums[0]}
        power = a.prod(ONE, form.expo, by)
        even = {m: c for m, c in sums[0].terms if not a.parts(m)[1].terms}
        groups = [a.add_terms(even)] if even else []
        groups += [a.mul(a.const(c), m) for m, c in sums[0].terms if m not in even]
        terms = [self.rewrite(a.mul(power, group), a) for group in groups]
        if any(exponents(m) for m in terms):
            return None
        cold = {f: k for f, k in form.factors if f is not sums[0] and f not in by}
        rest = a.prod(form.coeff, a.no_exponent, cold)
        return a.mul(rest, a.add(*terms))

    def _once(self, form: Form, a: Lifting) -> Form | None:
        mine = heads(form)
        matcher = FormMatcher(a)
        for rule in self.rules:
            if not rule.needed <= mine:
                continue
            for bindings, rest, join in matches(matcher, rule.pattern, form):
                if rule.allowed(bindings):
                    new: Form = join(instantiate(rule.replacement, bindings, a), rest)
                    if new is not form:
                        self.fired.append((rule.name, form))
                        return new
        return None


def dropped(form: Form) -> Iterator[App]:
    """The operands of elementwise operators that are hot and have lost dimensions."""
    if isinstance(form, Prod):
        parts = [f for f, _ in form.factors]
    elif isinstance(form, Sum):
        parts = [m for m, _ in form.terms]
    elif isinstance(form, App) and form.op in ELEMENTWISE:
        parts = list(form.forms)
    else:
        parts = []
        if isinstance(form, App) and form.op is T.dimshuffle and hot(form):
            kept = list(form.args[1].order)
            if len(kept) < form.args[0].ndim and "x" not in kept and kept == sorted(kept):
                yield form
    for part in parts:
        yield from dropped(part)


def _turned_others(form: Form) -> Iterator[Form]:
    """The others that are transposed in a form."""
    for f in within(form):
        if isinstance(f, App) and f.op is T.dimshuffle and is_others(moved(f)[1]):
            yield f


def _is_picked(form: Form) -> TypeGuard[App]:
    return isinstance(form, App) and form.op is T.subtensor


def raised(form: Form, move: Shuffle, a: Lifting) -> Form:
    """A form before it lost the dimensions that a move drops."""
    if isinstance(form, App) and form.op is T.dimshuffle and form.args[1].order == move.order:
        inner: Form = form.args[0]
        if inner.ndim == len(move.whole):
            return inner
    if isinstance(form, Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE):
        return a.map(form, lambda part: raised(part, move, a))
    return a.undrop(form, tuple(move.dropped()))


def parts_company(form: Form, a: Lifting) -> bool:
    """Tell whether an operator that vanishes has left what it would bring back into range.

    An exponential alone is no such thing: it is what was written beside the operator.
    """
    factors = [f for f, _ in a.parts(form)[2]]
    if not any(map(hot, factors)):
        return False
    vanishing = any(isinstance(f, App) and f.op in VANISHING for f in factors)
    sums = any(is_sum_over(f) and not hot(f) for f in factors)
    return (vanishing or sums) and a.overflows(form)


def is_split(form: Sum, a: Lifting) -> bool:
    """Tell whether some of the terms have an exponential of their own."""
    return any(a.parts(m)[1].terms for m, _ in form.terms)


def balanced(before: Form, after: Form, a: Lifting) -> bool:
    """Tell whether no exponential has lost the partner that it would have cancelled with.

    ``exp(x)/(1 + exp(2*x))`` stays what it is: ``exp(x) * sigmoid(-2*x)`` can be inf times 0.  And
    so can ``exp(y) * sigmoid(-x)``.
    """
    if before is after or not hot(after):
        return True
    if scaled_sum(before) is not None:
        return not hides_exponent(after, a)
    _, expo, factors = a.parts(after)
    left = exponents(expo) | {m for f, _ in factors for m in exponents(f)}
    _, _, old_factors = a.parts(before)
    kept = {f for f, _ in factors}
    gone = {m for f, _ in old_factors if f not in kept for m in exponents(f)}
    if left & gone:
        return False
    growing = [m for m, c in expo.terms if c > 0 or not m.nonneg]
    return not (growing and gone and a.overflows(after))


def hides_exponent(form: Form, a: Lifting) -> bool:
    """Tell whether an ``expm1`` out of range is added to exponentials, relative to the largest."""
    large = {m for m in a.terms_of(form) if any(_is_large(f, a) for f, _ in a.parts(m)[2])}
    return bool(large) and any(hot(m) for m in a.terms_of(form) if m not in large)


def _is_large(form: Form, a: Lifting) -> bool:
    if not (isinstance(form, App) and form.op is T.expm1):
        return False
    return not bounded(a.lin(a.terms_of(form.args[0])), a)


def is_sum_over(form: Form) -> bool:
    """Tell whether a form is a sum along axes."""
    return isinstance(form, App) and form.op is T.sum


def _sums(form: Form) -> bool:
    """Tell whether a form is a sum along axes, whatever dimensions it has lost."""
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor):
        form = form.args[0]
    return is_sum_over(form)


def _is_any_sum(form: Form) -> bool:
    return isinstance(form, Sum) or is_sum_over(form)


def matches(matcher: FormMatcher, pattern: Form, form: Form) -> Iterable[tuple[Bindings, Any, Any]]:
    """Matches at the root with extension: bindings, rest, and how to join a result with it."""
    a = matcher.a
    whole = scaled_sum(pattern)
    if whole is not None:
        target, coeff = whole
        found = matcher.sum(target, form, {})
        if not matcher.roots:  # ``a - b`` is itself before it is minus ``b - a`` or half of others
            times = ((f, f[1] * coeff) for f in islice(found, SHARES))
            ordered = sorted(times, key=lambda t: (abs(t[1]) != 1, t[1] < 0))
            found = (f for f, _ in ordered)
        for b, scale, terms in chain(found, _whole(matcher, target, form)):
            by = a.const(scale / coeff)
            yield b, a.add_terms(terms), lambda new, left, by=by: a.add(a.mul(by, new), left)
        return
    for b, rest in matcher.product(pattern, form, {}):
        yield b, rest, lambda new, left: a.mul(new, left)


def _whole(
    matcher: FormMatcher, pattern: Sum, form: Form
) -> Iterator[tuple[Bindings, Fraction, Terms]]:
    """Matches of all of a form, multiplied out."""
    for p, f in matcher.opened_out(pattern, form):
        yield from (found for found in matcher.sum(p, f, {}) if not found[2])


def scaled_sum(p: Form) -> tuple[Sum, Fraction] | None:
    """A form as a sum and a number that it is multiplied with, None where it is no such thing."""
    if isinstance(p, Sum):
        return p, ONE
    if not isinstance(p, Prod) or p.expo.terms or len(p.factors) != 1:
        return None
    ((factor, power),) = p.factors
    return (factor, p.coeff) if isinstance(factor, Sum) and power == 1 else None


def heads(form: Form) -> frozenset[Any]:
    """The operators of the factors of a product or of the terms of a sum."""
    if isinstance(form, Prod):
        whole = scaled_sum(form)
        if whole is not None:
            return heads(whole[0])
        found: set[Any] = {(_head(f), k > 0) for f, k in form.factors if not is_parameter(f)}
        return frozenset(found | ({"exp"} if form.expo.terms else set()))
    if isinstance(form, (Sum, Lin)):
        return frozenset((_head(m), "term") for m, _ in form.terms if not is_parameter(m))
    return frozenset([(_head(form), True)])


def _head(form: Form) -> Operator | str:
    return form.op if isinstance(form, App) else type(form).__name__
