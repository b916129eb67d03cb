"""Exponents that were taken out of sums, put back into all where none is left outside.

``exp(-a) * (1 + exp(b-a)) / (exp(x) + exp(b-a))**2`` is that of ``exp(a) + exp(b)`` and
``exp(x+a) + exp(b)``: where a is far below, or -inf, ``b - a`` loses the digits of b.  What is
left outside may be in a choice: of ``max(exp(a), exp(b))`` over a sum of both.

What is divided by is as it was written where something was subtracted in its exponents and they are
shorter so: ``exp(a) + 1 + exp(a+b)``, as the divisor of slopes of ``log(1 + exp(-a) + exp(b))`` is
read, is ``1 + exp(-a) + exp(b)``, in which b keeps its digits if a is large.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from typing import TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ONE, ZERO, App, Form, Lin, Sum, Terms, Totals, added_up

Power = tuple[Form, Fraction]
#: Of more sums with a 1 it is not searched which are to be turned.
MANY = 6


def cleared(outer: Lin, factors: list[Power], a: Algebra) -> tuple[Lin, list[Power]]:
    """``exp(outer)`` times powers of sums, and of others, with less outside of the sums.

    Parameters
    ----------
    outer
        The exponent outside.
    factors
        What it stands beside, with exponents.
    a
        The algebra.
    """
    outer, factors = _turned(outer, factors, a)
    sums = {f: k for f, k in factors if isinstance(f, Sum)}
    shown = {f: [dict(a.parts(m)[1].terms) for m, _ in f.terms] for f in sums}
    back: dict[Form, Terms] = {f: {} for f in sums}
    left, chosen = dict(outer.terms), Totals()
    choice = next((m for m, c in outer.terms if c == 1 and _is_choice(m)), None)
    branches = [{}] if choice is None else [dict(e.terms) for e in choice.args[1:]]
    for m in dict.fromkeys(chain(left, *branches)):
        if not any(m in e for e in branches) and len(sums) < 2:
            continue
        lacks = {f: -min(e.get(m, ZERO) for e in shown[f]) for f in sums}
        if min(lacks.values(), default=ZERO) <= 0:
            continue
        apart = left.get(m, ZERO) - sum(sums[f] * lack for f, lack in lacks.items())
        # What one of them has of its own may be far above the others instead.
        if min(apart + e.get(m, ZERO) for e in branches) == 0:
            left.pop(m, None)
            chosen[m] = apart
            for f, lack in lacks.items():
                back[f][m] = lack
    if choice is not None and any(chosen.values()):
        given, *ends = choice.args
        ends = [a.plus(e, a.lin(chosen), ONE) for e in ends]
        del left[choice]
        left[a.app(T.switch, given, *ends)] = ONE
    if not any(back.values()) and choice is None:
        divisors = {f: _as_written(shown[f], f, a) for f, k in sums.items() if k < 0}
        outside = Totals(left)
        for f in sums:
            # What is divided shares what came back into the divisors, where it is shorter so, too.
            found = (terms for terms in divisors.values() if _is_shorter(shown[f], terms))
            back[f] = divisors[f] if f in divisors else next(found, {})
            for m, c in back[f].items():
                outside[m] -= sums[f] * c
        left = {m: c for m, c in outside.items() if c}
    whole = {f: _times(f, a.lin(expo), a) for f, expo in back.items() if expo}
    return a.lin(left), [(whole.get(f, f), k) for f, k in factors]


def _turned(outer: Lin, factors: list[Power], a: Algebra) -> tuple[Lin, list[Power]]:
    """``exp(x)/(1 + exp(x))`` as ``1/(1 + exp(-x))``, of those that leave nothing of it outside.

    Which they are is told by all together: ``exp(2*x - y)`` is what both ``1 + exp(x)`` and
    ``1 + exp(x - y)`` lack.
    """
    gaps = {f: gap for f, _ in factors if (gap := _gap_to_one(f, a)) is not None}
    shown = {m for gap in gaps.values() for m, _ in gap.terms}
    if not 1 < len(gaps) <= MANY or shown.isdisjoint(m for m, _ in outer.terms):
        return outer, factors
    for number in range(1, len(gaps) + 1):
        for chosen in combinations([(f, k) for f, k in factors if f in gaps], number):
            left = outer
            for f, k in chosen:
                left = a.plus(left, gaps[f], k)
            if shown.isdisjoint(m for m, _ in left.terms):
                turned = {f: _times(f, a.plus(a.no_exponent, gaps[f], -ONE), a) for f, _ in chosen}
                return left, [(turned.get(f, f), k) for f, k in factors]
    return outer, factors


def _gap_to_one(form: Form, a: Algebra) -> Lin | None:
    """The exponent of what is added to 1, None where a form is no such sum."""
    if not isinstance(form, Sum) or len(form.terms) != 2:
        return None
    expo = [a.parts(m)[1] for m, _ in form.terms if m is not a.one]
    return expo[0] if len(expo) == 1 and expo[0].terms else None


def _times(form: Form, expo: Lin, a: Algebra) -> Form:
    """A sum with an exponent put into each of its terms."""
    by = a.exp(expo)
    return a.sum_of(added_up((a.mul(m, by), c) for m, c in a.terms_of(form).items()))


def _as_written(exponents: list[Terms], form: Form, a: Algebra) -> Terms:
    """What goes back into a sum in which something was subtracted, if its terms are shorter so."""
    written = dict(a.written.get(form, a.no_exponent).terms)
    subtracted = any(e.get(m, ZERO) + c < 0 for e in exponents for m, c in written.items())
    return written if subtracted and _is_shorter(exponents, written) else {}


def _is_shorter(exponents: list[Terms], added: Terms) -> bool:
    """Whether exponents are sums of fewer terms in all when something is added to each."""
    own = (e.get(m, ZERO) + added.get(m, ZERO) for e in exponents for m in {**e, **added})
    return sum(map(bool, own)) < sum(map(len, exponents))


def _is_choice(form: Form) -> TypeGuard[App]:
    """Tell whether a form chooses between exponents."""
    chooses = isinstance(form, App) and form.op is T.switch
    return chooses and all(isinstance(e, Lin) for e in form.args[1:])  # type: ignore[attr-defined]
