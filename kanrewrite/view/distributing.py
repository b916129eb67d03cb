"""Distributing: ``e - e*sum(e*(b + c))/(1 + sum(e))``, where the inner sum meets the divisor.

What stands in a sum along axes is multiplied out, each part summed by itself, and all put over the
sum that divides, which is multiplied out too: the slope of ``log(h[0]) - log(1 - sum(h))`` for
``h == e/(1 + sum(e))`` is 1 at an index and 0 elsewhere, as symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from kanrewrite.terms import T
from kanrewrite.view.algebra import HIGHEST, LONGEST, is_ones
from kanrewrite.view.forms import ONE, App, Form, Sum, Terms, Totals, added_up, remembered
from kanrewrite.view.heat import exponents, hot
from kanrewrite.view.moves import Move
from kanrewrite.view.places import moved

#: A sum of more terms is not searched.
MANY = 12
Pieces = list[tuple[Form, Fraction]]
#: What is left of terms that have met, None where none have.
Meeting = Callable[[Terms], Terms | None]


def distributed(terms: Terms, a: Any) -> Terms | None:
    """A sum multiplied out, in its sums along axes too, where that makes terms cancel.

    None where they do not, or where nothing divides that holds such a sum.
    """
    fractions, lowest = a.laws.fractions, _divisors(terms, a)
    if fractions is None or not lowest or not any(_holds_sums(m, a) for m in terms):
        return None
    ones = dict[Form, None]()
    products = ((n, c * d) for m, c in terms.items() for n, d in expanded(m, a))
    # No more is multiplied out than tells that there are too many: there can be thousands.
    pieces = [(bare(n, ones, a), c) for n, c in islice(products, LONGEST + 1)]
    if len(pieces) > LONGEST or _are_shifted([n for n, _ in pieces], a):
        return None
    for f, k in lowest.items():
        over = _over(f, k, pieces, a)
        left = None if over is None else _gathered(over, f, a)
        if left is not None and len(left) <= len(terms):
            a.ran[fractions] = None
            return dict(a.terms_of(a.mul(a.pow(f, k), a.add_terms(left), *ones)))
    return None


def over_divisor(terms: Terms, a: Any, meet: Meeting) -> Terms | None:
    """``1 - e[i]/(1 + sum(e))`` as ``(1 + sum(e) - e[i])/(1 + sum(e))``, in which e[i] is left out.

    None where nothing is left out of a sum then, or where something is subtracted still.
    """
    fractions = a.laws.fractions
    if fractions is None or all(c > 0 for c in terms.values()):
        return None
    for by, is_all in _multipliers(terms, a):
        products = ((a.expand(a.mul(m, by)), c) for m, c in terms.items())
        found = added_up((n, c * d) for parts, c in products for n, d in parts)
        left = meet({m: c for m, c in found.items() if c})
        if left is not None and all(c > 0 for c in left.values()):
            a.ran[fractions] = None
            whole = a.div(a.add_terms(left), by)
            if is_all:
                taken = {m: -c for m, c in terms.items() if m is not a.one}
                a.taken.setdefault(whole, taken)
            return dict(a.terms_of(whole))
    return None


def _multipliers(terms: Terms, a: Any) -> Iterator[tuple[Form, bool]]:
    """What terms are multiplied by so that they meet: a sum that divides, or all that do.

    That is tried of ``1 - p*q``, of a share and what is none.
    """
    yield from ((a.pow(f, -k), False) for f, k in _divisors(terms, a).items())
    if len(terms) == 2 and terms.get(a.one) == 1:
        lowest = a.denominators(terms)
        whole = a.prod(ONE, a.no_exponent, {f: -k for f, k in lowest.items()})
        whole_powers = all(k.denominator == 1 for k in lowest.values())
        if lowest and whole_powers and all(a.expands(a.mul(m, whole)) for m in terms):
            yield whole, True


def _over(divisor: Sum, k: Fraction, pieces: Pieces, a: Any) -> Terms | None:
    """Products over a sum multiplied out and added up, None where none cancel."""
    by = a.pow(divisor, -k)
    found, cancels = Totals(), False
    for n, c in pieces:
        for m, d in a.expand(a.mul(n, by)):
            cancels = cancels or found[m] * c * d < 0
            found[m] += c * d
            if len(found) > LONGEST:
                return None
    return {m: c for m, c in found.items() if c} if cancels else None


def _gathered(terms: Terms, divisor: Sum, a: Any) -> Terms:
    """``m + m*sum(e)`` as ``m*(1 + sum(e))``, for what divides: terms of one sign are added up."""
    lead = next(t for t, _ in divisor.terms if _is_total(t, a))
    found, waiting = Totals(terms.items()), list(terms)
    while waiting:
        around = a.div(waiting.pop(), lead)
        if any(k < 0 and _is_total(f, a) for f, k in a.parts(around)[2]):
            continue  # it has no such sum
        shares = [found[a.mul(around, t)] / c for t, c in divisor.terms]
        if min(shares) <= 0 <= max(shares):
            continue
        share = min(shares, key=abs)
        for t, c in divisor.terms:
            found[a.mul(around, t)] -= share * c
        found[a.mul(around, divisor)] += share
        waiting = list(found)
    return {m: c for m, c in found.items() if c}


def _are_shifted(products: list[Form], a: Any) -> bool:
    """Tell whether exponents, or logs of what is out of range, are factors beside exponentials.

    Sums of those are small where their terms are large.
    """
    shown = frozenset().union(*map(exponents, products))
    factors = (f for n in products for f, _ in a.parts(n)[2])
    return any(f in shown or (isinstance(f, App) and f.op is T.log and hot(f)) for f in factors)


def _holds_sums(form: Form, a: Any) -> bool:
    """Tell whether a factor of a product adds up, along axes, what is itself a sum."""
    factors = (f for f, k in a.parts(form)[2] if k == 1 and isinstance(f, App) and hot(f))
    return any(_summed(f, a) for f in factors)


def _divisors(terms: Terms, a: Any) -> dict[Sum, Fraction]:
    """The sums of sums along axes and more that terms divide by, with their lowest powers."""
    found = a.denominators(terms) if 1 < len(terms) <= MANY else {}
    return {f: k for f, k in found.items() if any(_is_total(m, a) for m, _ in f.terms)}


def _is_total(form: Form, a: Any) -> bool:
    """Tell whether a sum along axes is a factor of a form."""
    inner = (moved(f)[1] for f, k in a.parts(form)[2] if k == 1)
    return any(isinstance(f, App) and f.op is T.sum for f in inner)


@remembered
def opened(form: Form) -> Form:
    """A form as a sum without sums in its terms, ``x + y*(1 - z)`` as ``x + y - y*z``.

    Powers stay.  Only what is matched is read like this: what is built keeps its factors, between
    which no digits cancel.  The form itself where there is nothing to open, or too much.
    """
    a = form.home
    terms = a.terms_of(form)
    products = ((n, c * d) for m, c in terms.items() for n, d in expanded(m, a, 1))
    found = list(islice(products, LONGEST + 1))
    if len(found) > LONGEST or len(found) == len(terms):
        return form
    left: Form = a.add_terms({n: d for n, d in added_up(found).items() if d})
    return left


def expanded(
    form: Form, a: Any, highest: int = HIGHEST, cold: bool = True
) -> Iterator[tuple[Form, Fraction]]:
    """A product multiplied out, with the sums in its sums, along axes too.

    Those along axes in which no exponential shows stay as they are unless ``cold`` asks for them.
    """
    for n, c in a.expand(form, highest):
        factors = a.parts(n)[2]
        sums = (f for f, k in factors if k == 1 and isinstance(f, App) and (cold or hot(f)))
        summed = ((f, _summed(f, a, highest)) for f in sums)
        f, terms = next(((f, terms) for f, terms in summed if terms), (n, []))
        if terms:
            rest = a.div(n, f)
            products = ((a.mul(rest, t), d) for t, d in terms)
            yield from (
                (m, c * d * e) for t, d in products for m, e in expanded(t, a, highest, cold)
            )
        elif any(isinstance(f, Sum) and k in range(1, highest + 1) for f, k in factors):
            yield from ((m, c * d) for m, d in expanded(n, a, highest, cold))
        else:
            yield n, c


def _summed(form: App, a: Any, highest: int = HIGHEST) -> list[tuple[Form, Fraction]]:
    """The terms of a sum along axes of a product with sums, each summed and moved as it was."""
    if form.op is T.drop and isinstance(form.args[0], App):
        return [(a.drop(t, form.args[1]), c) for t, c in _summed(form.args[0], a, highest)]
    moves, inner = moved(form)
    if not (
        isinstance(inner, App) and inner.op is T.sum and all(isinstance(m, Move) for m in moves)
    ):
        return []  # a pattern has moves that are parameters
    body, axes = inner.args
    if not any(isinstance(f, Sum) and k == 1 for f, k in a.parts(body)[2]) or not a.expands(body):
        return []
    terms = [(a.sum(a.spread(m, body), axes), c) for m, c in a.expand(body, highest)]
    for move in moves:
        terms = [(a.move(t, move), c) for t, c in terms]
    return terms


def bare(form: Form, ones: dict[Form, None], a: Any) -> Form:
    """A product without what is there for its lengths only, which is put aside."""
    coeff, expo, factors = a.parts(form)
    found = {f for f, _ in factors if is_ones(f)}
    ones.update(dict.fromkeys(found))
    return a.prod(coeff, expo, {f: k for f, k in factors if f not in found}) if found else form
