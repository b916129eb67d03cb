"""Exponents that were taken out of sums, put back into all where none is left outside.

``exp(-a) * (1 + exp(b-a)) / (exp(x) + exp(b-a))**2`` is that of ``exp(a) + exp(b)`` and
``exp(x+a) + exp(b)``: where a is far below, or -inf, ``b - a`` loses the digits of b.  What is
left outside may be in a choice: of ``max(exp(a), exp(b))`` over a sum of both.

What terms have gained since one of the sums was written leaves all of them where no exponent is a
sum then: ``exp(a) + 1 + exp(a+b)`` over ``exp(a) + 1 - exp(a+b)``, as slopes of
``log(1 + exp(-a) + exp(b))`` are read, is that of ``1 + exp(-a) + exp(b)``, in which b keeps its
digits if a is large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from typing import TypeGuard

from kanrewrite.terms import T
from kanrewrite.view.algebra import Algebra
from kanrewrite.view.forms import ONE, ZERO, App, Form, Lin, Sum, Terms, Totals

Power = tuple[Form, Fraction]


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
    if not any(back.values()) and choice is None and not sum(sums.values()):
        gained = _gained([e for es in shown.values() for e in es], sums, a)
        back = dict.fromkeys(sums, gained)
    by = {f: a.exp(a.lin(expo)) for f, expo in back.items() if expo}
    whole = {f: a.sum_of({a.mul(m, by[f]): c for m, c in f.terms}) for f in sums if f in by}
    return a.lin(left), [(whole.get(f, f) if isinstance(f, Sum) else f, k) for f, k in factors]


def _gained(exponents: list[Terms], sums: Iterable[Form], a: Algebra) -> Terms:
    """What is to be added to the exponents of sums so that none of them is a sum, if anything."""
    written: dict[Form, set[Fraction]] = {}
    for m, c in chain.from_iterable(a.written[f].terms for f in sums if f in a.written):
        written.setdefault(m, set()).add(c)
    found: Terms = {}
    for m, numbers in written.items():
        often = Counter(-e.get(m, ZERO) for e in exponents)
        most = max(numbers, key=lambda c: often[c])
        if often[most] > often[ZERO]:
            found[m] = most
    short = (sum(e.get(m, ZERO) != -found.get(m, ZERO) for m in {**e, **found}) for e in exponents)
    return found if max(short, default=0) < 2 else {}


def _is_choice(form: Form) -> TypeGuard[App]:
    """Tell whether a form chooses between exponents."""
    chooses = isinstance(form, App) and form.op is T.switch
    return chooses and all(isinstance(e, Lin) for e in form.args[1:])  # type: ignore[attr-defined]
