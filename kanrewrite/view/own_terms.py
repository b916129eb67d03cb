"""Own terms: ``sum(b) == b + others(b)``, beside what is divided by the others.

Beside ``1/others(e)``, which is large where e is nearly all of the sum, a value less its mean,
``v - sum(e*v)/sum(e)``, is as small as the others are.  Taken out of the sums, v cancels: what is
left, ``(v*others(e) - others(e*v))/sum(e)``, has all digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.algebra import HIGHEST
from kanrewrite.view.distributing import bare, expanded
from kanrewrite.view.forms import ONE, ZERO, App, Axes, Form, Sum, Terms, Totals, added_up, length
from kanrewrite.view.heat import is_others
from kanrewrite.view.moves import Move
from kanrewrite.view.picking import unpicked
from kanrewrite.view.places import (
    Beside,
    Parting,
    Place,
    Squares,
    beside,
    divisions,
    is_left,
    moved,
    squared,
)
from kanrewrite.view.takes import added

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

Told = Place | Squares | Beside

#: A sum of more terms is not searched.
MANY = 12
#: Sums of more products are not multiplied out.
LONGEST = 40
#: So many products are collected, of which most cancel.
MOST = 160


def without_own(terms: Terms, a: Lifting) -> Terms | None:
    """A sum in which own terms have cancelled, None where they do not."""
    items = frozenset(terms.items())
    if not 1 < len(terms) <= MANY or items in a.taken_apart:
        return None  # put together again they are what they were
    a.taken_apart.add(items)
    try:
        left = _without_own(terms, a)
    finally:
        a.taken_apart.remove(items)
    return None if left == terms else left


def _without_own(terms: Terms, a: Lifting) -> Terms | None:
    for place in dict.fromkeys(places(terms, a)):
        if isinstance(place, Beside):
            continue  # where an index points to, and elsewhere, it is something else
        there = {m: c for m, c in terms.items() if _is_only(m, place, a)}
        here = {m: c for m, c in terms.items() if m not in there}
        groups = [(here, place), (there, place.unmoved())]
        found = [(group, cancelled(group, where, a)) for group, where in groups]
        if any(left is not None for _, left in found):
            out = Totals()
            for group, left in found:
                for m, c in (group if left is None else left).items():
                    out[m] += c
            return {m: c for m, c in out.items() if c}
    return None


def within_sums(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(e*v) - q*sum(e)`` as one sum, in which own terms cancel; None where they do not.

    Of what is divided by the others, for a q that is the same along the axes, as a mean is.
    """
    groups: dict[tuple[Form, Axes], dict[Form, tuple[Form, Form]]] = {}
    for n in terms:
        for f, k in a.parts(n)[2]:
            if k == 1 and isinstance(f, App) and f.op is T.sum and _divides_by_others(f, a):
                body, axes = f.args
                alike, rest = _constant_along(axes, a.div(n, f), a)
                groups.setdefault((rest, axes), {})[n] = alike, body
                break
    for (rest, axes), group in groups.items():
        like = next(iter(group.values()))[1]
        if len(group) < 2 or not all(a.same_lengths.same(b, like) for _, b in group.values()):
            continue
        inside = Totals()
        for n, (alike, body) in group.items():
            for m, c in expanded(a.mul(alike, body), a):
                inside[m] += c * terms[n]
        for place in dict.fromkeys(places(inside, a)):
            left = None if isinstance(place, Beside) else cancelled(inside, place, a)
            if left is not None:
                out = {n: c for n, c in terms.items() if n not in group}
                return added(out, a.mul(rest, a.sum(a.spread(a.add_terms(left), like), axes)), a)
    return None


def _divides_by_others(form: App, a: Lifting) -> bool:
    """Tell whether a sum along axes is of what is divided by the others along them."""
    body, axes = form.args
    inner = (moved(f)[1] for f, k in a.parts(body)[2] if k < 0)
    return any(is_others(f) and f.args[1] == axes for f in inner)


def _constant_along(axes: Axes, form: Form, a: Lifting) -> tuple[Form, Form]:
    """The factors of a product that are the same along axes, and the others."""
    coeff, expo, factors = a.parts(form)
    alike = {f: k for f, k in factors if f.constant_along(axes)}
    rest = {f: k for f, k in factors if f not in alike}
    return a.prod(coeff, a.lin({}), alike), a.prod(ONE, expo, rest)


def places(terms: Terms, a: Lifting) -> Iterator[Told]:
    """The sums that leave one term out, of those that terms divide by."""
    for m in terms:
        for f, number in divisions(m, a):
            if number > 0:
                yield from _place(f, a)
        for f, k in a.parts(m)[2]:
            if isinstance(f, Sum):  # in a divisor, they are next to what may be negligible
                for n, _ in f.terms:
                    for g, j in a.parts(n)[2]:
                        if (j < 0) == (k > 0):
                            yield from _place(g, a)


def _place(form: Form, a: Lifting) -> Iterator[Told]:
    """The place of a sum that leaves one term out, where sums take back what was put there.

    What they do not is read in another way, and differs by rounding.
    """
    moves, inner = moved(form)
    if (found := beside(form)) is not None:
        yield found
    elif isinstance(inner, App) and squared(inner, a) is not None:
        yield Squares(inner, moves)
    elif is_left(inner, a) and not is_others(inner):
        yield Place(inner, moves)
    elif is_others(inner):
        total = a.sum(*inner.args)
        if all(_is_told(total, m, a) for m in moves):
            yield Place(inner, moves)


def _is_told(total: Form, move: Move, a: Lifting) -> bool:
    """Tell whether it is known what a move gives a sum."""
    if not move.takes_several() or move.restricted(total.bcast) is not None:
        return True
    return a.all_picked(total, move) is not None


def _is_only(form: Form, place: Place | Squares, a: Lifting) -> bool:
    """Tell whether nothing of a form is left but where it was picked."""
    return any(f.args[1] in place.moves and not hidden for f, hidden in unpicked(form, a))


class Opened(NamedTuple):
    """A term over a power of what it divides by, and its parts above that."""

    form: Form
    times: Fraction
    power: Fraction
    parts: Terms


def cancelled(terms: Terms, place: Parting, a: Lifting) -> Terms | None:
    """Terms over what they divide by, with own terms taken out of sums, where the largest cancel.

    Those are the ones that are divided by the others most often.
    """
    if not terms or sum(map(length, terms)) > LONGEST:
        return None
    ones = dict[Form, None]()
    products = ((n, c * d) for m, c in terms.items() for n, d in expanded(m, a, cold=False))
    pieces = [(bare(n, ones, a), c) for n, c in products]
    divisors = (f for n, _ in pieces for f, k in a.parts(n)[2] if k < 0 and place.is_whole(f, a))
    total = next(divisors, a.one)
    opened = _opened(pieces, total, place, a)
    if opened is None:
        return None
    met, left = opened, _left(opened)
    largest = max(place.size(n, a) for n, _ in pieces)
    if len(left) > LONGEST:
        return None
    if not _is_less(left, met, largest, place, a):
        # What meets no other is as large as it was, and the largest of the rest may cancel.
        met = [p for p in opened if any((p.power, m) not in left for m, c in p.parts.items() if c)]
        left = _left(met)
        if not (met and _is_less(left, met, largest, place, a)):
            return None
    whole = [a.mul(a.const(c), m, a.pow(total, k)) for (k, m), c in left.items()]
    apart = [a.mul(a.const(p.times), p.form) for p in opened if p not in met]
    return a.terms_of(a.mul(a.add(*whole, *apart), *ones))


def _opened(
    pieces: list[tuple[Form, Fraction]], total: Form, place: Parting, a: Lifting
) -> list[Opened] | None:
    """Terms over the lowest power of what they divide by; None where they have too many parts.

    Those with half powers of it meet each other, and none of the others.
    """
    powers = [dict(a.parts(n)[2]).get(total, ZERO) for n, _ in pieces]
    lowest = {k % 1: k for k in sorted(powers, reverse=True)}
    if any(k - lowest[k % 1] > HIGHEST for k in powers):
        return None
    opened: list[Opened] = []
    seen = set[tuple[Fraction, Form]]()
    for (n, c), low in zip(pieces, (lowest[k % 1] for k in powers), strict=True):
        parted = _parted(a.mul(n, a.pow(total, -low)), place, a)
        opened.append(Opened(n, c, low, added_up((m, c * d) for m, d in parted)))
        seen.update((low, m) for m, _ in parted)
        if len(seen) > MOST:
            return None
    return opened


def _left(opened: list[Opened]) -> dict[tuple[Fraction, Form], Fraction]:
    """What is left of opened terms, for each power of what they divide by."""
    found: dict[tuple[Fraction, Form], Fraction] = {}
    for piece in opened:
        for m, c in piece.parts.items():
            found[piece.power, m] = found.get((piece.power, m), ZERO) + c
    return {part: c for part, c in found.items() if c}


def _is_less(
    left: dict[tuple[Fraction, Form], Fraction],
    opened: list[Opened],
    largest: Fraction,
    place: Parting,
    a: Lifting,
) -> bool:
    """Tell whether the largest of all terms are among some, and have cancelled."""
    if not left:
        return True
    among = max(place.size(piece.form, a) for piece in opened)
    return max(place.size(m, a) for _, m in left) < among == largest


def _parted(form: Form, place: Parting, a: Lifting) -> list[tuple[Form, Fraction]]:
    """A product with each sum in it as its own term and the others, multiplied out."""
    out = [(form, ONE)]
    for f, k in a.parts(form)[2]:
        parts = place.parted(f, a) if k in range(1, HIGHEST + 1) else None
        for _ in range(int(k)) if parts is not None else ():
            out = [(a.mul(a.div(n, f), p), c * d) for n, c in out for p, d in parts or ()]
    return out
