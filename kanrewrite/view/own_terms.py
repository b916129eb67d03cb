"""Own terms: ``sum(b) == b + others(b)``, beside what is divided by the others.

Beside ``1/others(e)``, which is large where e is nearly all of the sum, a value less its mean,
``v - sum(e*v)/sum(e)``, is as small as the others are.  Taken out of the sums, v cancels: what is
left, ``(v*others(e) - others(e*v))/sum(e)``, has all digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from kanrewrite.terms import Operator, T
from kanrewrite.view.distributing import bare, expanded
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Axes,
    Form,
    Leaf,
    Sum,
    Terms,
    Totals,
    length,
    within,
)
from kanrewrite.view.heat import holds_others, is_choice, is_others
from kanrewrite.view.left_out import by_choice
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
from kanrewrite.view.rational import quotient
from kanrewrite.view.takes import added

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting

Told = Place | Squares | Beside

SUMS = (T.sum, T.others)
#: A sum of more terms is not searched.
MANY = 24
#: Sums of more products are not multiplied out.
LONGEST = 80
#: What terms divide by is not of more different powers.
SPAN = 6
#: Own terms of own terms are taken out of sums so often.
DEEPER = 2
#: So many products are collected, of which most cancel.
MOST = 320


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
        found = [(group, cancelled(group, at, a)) for group, at in _groups(terms, place, a)]
        if any(left is not None for _, left in found):
            out = Totals()
            for group, left in found:
                for m, c in (group if left is None else left).items():
                    out[m] += c
            return {m: c for m, c in out.items() if c}
    return None


def _groups(terms: Terms, place: Told, a: Lifting) -> list[tuple[Terms, Parting]]:
    """Terms where a place is moved to, and those of which nothing else is left there."""
    if isinstance(place, Beside):
        apart = _is_everywhere(place) and not _is_mixed(place)
        return [(terms, place)] if apart else []
    there = {m: c for m, c in terms.items() if _is_only(m, place, a)}
    here = {m: c for m, c in terms.items() if m not in there}
    return [(here, place), (there, place.unmoved())]


def _is_everywhere(place: Beside) -> bool:
    """Tell whether each place has others of its own; where an index points to, others have not."""
    return is_others(place.place.others) and not place.place.moves


def _is_mixed(place: Beside) -> bool:
    """Tell whether others are beside more of what they are made of."""
    left = place.place.others
    own = {f for f in within(left) if isinstance(f, Leaf)}
    more = (f for m, _ in place.divisor.terms if m is not left for f in within(m))
    return not own.isdisjoint(more)


def within_sums(terms: Terms, a: Lifting) -> Terms | None:
    """``sum(e*v) - q*sum(e)`` as one sum, in which own terms cancel; None where they do not.

    Of what is divided by the others, for a q that is the same along the axes, as a mean is.  So of
    sums that leave one term out.
    """
    groups: dict[tuple[Form, Operator, Axes], dict[Form, tuple[Form, Form]]] = {}
    for n in terms:
        for f, k in a.parts(n)[2]:
            if k == 1 and isinstance(f, App) and f.op in SUMS and _divides_by_others(f, a):
                body, axes = f.args
                alike, rest = _constant_along(axes, a.div(n, f), a)
                groups.setdefault((rest, f.op, axes), {})[n] = alike, body
                break
    for (rest, op, axes), group in groups.items():
        like = next(iter(group.values()))[1]
        if len(group) < 2 or not all(a.same_lengths.same(b, like) for _, b in group.values()):
            continue
        inside = Totals()
        for n, (alike, body) in group.items():
            for m, c in expanded(a.mul(alike, body), a):
                inside[m] += c * terms[n]
        for place in dict.fromkeys(places(inside, a)):
            told = not isinstance(place, Beside) or _is_everywhere(place)
            left = cancelled(inside, place, a) if told else None
            if left is not None:
                out = {n: c for n, c in terms.items() if n not in group}
                body = a.spread(a.add_terms(left), like)
                return added(out, a.mul(rest, _summed(op, body, axes, a)), a)
    return None


def _summed(op: Operator, body: Form, axes: Axes, a: Lifting) -> Form:
    if body is a.zero:
        return a.zero  # which has no lengths
    return a.sum(body, axes) if op is T.sum else a.app(op, body, axes, bcast=body.bcast)


def _divides_by_others(form: App, a: Lifting) -> bool:
    """Tell whether a sum along axes is of what is divided by the others along some of them."""
    body, axes = form.args
    divisors = [f for f, k in a.parts(body)[2] if k < 0]
    more = (found.place.others for found in map(beside, divisors) if found is not None)
    inner = (*(moved(f)[1] for f in divisors), *more)
    return any(is_others(f) and set(f.args[1]) <= set(axes) for f in inner)


def _constant_along(axes: Axes, form: Form, a: Lifting) -> tuple[Form, Form]:
    """The factors of a product that are the same along axes, and the others."""
    coeff, expo, factors = a.parts(form)
    alike = {f: k for f, k in factors if f.constant_along(axes)}
    rest = {f: k for f, k in factors if f not in alike}
    return a.prod(coeff, a.lin({}), alike), a.prod(ONE, expo, rest)


def places(terms: Terms, a: Lifting) -> Iterator[Told]:
    """The sums that leave one term out, of those that terms divide by."""
    for m in terms:
        yield from _divided_by(m, a)
        for f, k in a.parts(m)[2]:
            if isinstance(f, Sum):  # in a divisor, they are next to what may be negligible
                for n, _ in f.terms:
                    for g, j in a.parts(n)[2]:
                        if (j < 0) == (k > 0):
                            yield from _place(g, a)


def _divided_by(form: Form, a: Lifting, deeper: int = DEEPER) -> Iterator[Told]:
    """The places by which a product is divided, or what it chooses from or adds up along axes."""
    for f, number in divisions(form, a):
        if number > 0:
            yield from _place(f, a)
        elif deeper and isinstance(f, App) and holds_others(f):
            inner = f.args[1:] if is_choice(f) else f.args[:1] if f.op is T.sum else ()
            for m in (m for g in inner for m in a.terms_of(g)):
                found = _divided_by(m, a, deeper - 1)
                yield from (place for place in found if _is_as_long(place, form, a))


def _is_as_long(place: Told, form: Form, a: Lifting) -> bool:
    """Tell whether each element of a form has a place; what it adds up has others."""
    inner = place.place if isinstance(place, Beside) else place
    here = inner.at(inner.others, a) if isinstance(inner, Place) else None
    return here is not None and a.same_lengths.same(here, form)


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
    products = ((n, c * d) for m, c in terms.items() for n, d in _chosen(m, place, a))
    pieces = [(bare(n, ones, a), c) for n, c in products]
    divisors = (f for n, _ in pieces for f, k in a.parts(n)[2] if k < 0 and place.is_whole(f, a))
    total = next(divisors, a.one)
    opened = _opened(pieces, total, place, a)
    if opened is None:
        return None
    met, left = opened, _left(opened)
    largest = _largest(opened, place, a)
    if not _is_less(left, met, largest, place, a):
        # What meets no other is as large as it was, and the largest of the rest may cancel.
        met = [p for p in opened if any((p.power, m) not in left for m, c in p.parts.items() if c)]
        left = _left(met)
        if not (met and _is_less(left, met, largest, place, a)):
            return None
    left = _divided(left, total, place, a)
    if len(left) > LONGEST:
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
    parts = [_parted(n, place, a) for n, _ in pieces]
    powers = {m: dict(a.parts(m)[2]).get(total, ZERO) for found in parts for m, _ in found}
    lowest = {k % 1: k for k in sorted(powers.values(), reverse=True)}
    if len(powers) > MOST or any(k - lowest[k % 1] > SPAN for k in powers.values()):
        return None
    opened: list[Opened] = []
    seen = set[tuple[Fraction, Form]]()
    for (n, c), found in zip(pieces, parts, strict=True):
        over: dict[Fraction, Terms] = {}
        for m, d in found:
            low = lowest[powers[m] % 1]
            above = over.setdefault(low, Totals())
            for t, e in _parted(a.mul(m, a.pow(total, -low)), place, a):
                above[t] += c * d * e
            seen.update((low, t) for t in above)
        for low, above in over.items():
            if len(over) == 1:
                opened.append(Opened(n, c, low, above))
            else:
                whole = a.mul(a.add_terms(above), a.pow(total, low))
                opened.append(Opened(whole, ONE, low, above))
        if len(seen) > MOST:
            return None
    return opened


def _divided(
    left: dict[tuple[Fraction, Form], Fraction], total: Form, place: Parting, a: Lifting
) -> dict[tuple[Fraction, Form], Fraction]:
    """Terms over powers of a sum, ``m*e**2 + 2*m*e*o + m*o**2`` over its square as m.

    Of terms that are alike but for their powers of e and what it leaves, the sum is divided out
    as a linear factor is of a polynomial.
    """
    is_moved = isinstance(place, Place | Squares) and place.moves
    parts = [] if is_moved else place.parted(total, a) or []
    if len(parts) != 2 or any(c != 1 for _, c in parts):
        return left
    e, o = sorted((f for f, _ in parts), key=lambda f: isinstance(f, App | Sum))
    alike: dict[tuple[Fraction, Form], dict[int, Fraction]] = {}
    for (k, m), c in left.items():
        power = dict(a.parts(m)[2]).get(o, ZERO)
        j = power.numerator // power.denominator
        alike.setdefault((k, a.mul(m, a.pow(a.div(e, o), Fraction(j)))), {})[j] = c
    out: dict[tuple[Fraction, Form], Fraction] = {}
    for (k, m), found in alike.items():
        coefficients = found
        while k < 0 and (shorter := _over_sum(coefficients)) is not None:
            coefficients, k, m = shorter, k + 1, a.div(m, e)
        for j, c in coefficients.items():
            part = k, a.mul(m, a.pow(a.div(o, e), Fraction(j)))
            out[part] = out.get(part, ZERO) + c
    return {part: c for part, c in out.items() if c}


def _over_sum(coefficients: dict[int, Fraction]) -> dict[int, Fraction] | None:
    """A polynomial over x + 1, None where it is no multiple of that, or gets no shorter."""
    lowest, highest = min(coefficients), max(coefficients)
    above = [coefficients.get(j, ZERO) for j in range(lowest, highest + 1)]
    found = {lowest + j: c for j, c in enumerate(quotient(above, [ONE, ONE]) or ()) if c}
    return found if 0 < len(found) < len(coefficients) else None


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
    return max(place.size(m, a) for _, m in left) < _largest(opened, place, a) == largest


def _largest(opened: list[Opened], place: Parting, a: Lifting) -> Fraction:
    """How often terms are divided by the others at most, those too that are in a sum."""
    return max(place.size(m, a) for piece in opened for m in (piece.form, *piece.parts))


def _chosen(form: Form, place: Parting, a: Lifting) -> Iterator[tuple[Form, Fraction]]:
    """A product multiplied out, and what is chosen in it where others divide that, by masks.

    What others and more beside them are stays one.
    """
    if isinstance(place, Beside):
        kept = a.pow(place.divisor, dict(a.parts(form)[2]).get(place.divisor, ZERO))
        yield from ((a.mul(n, kept), c) for n, c in _multiplied_out(a.div(form, kept), a))
    else:
        yield from _multiplied_out(form, a)


def _multiplied_out(form: Form, a: Lifting) -> Iterator[tuple[Form, Fraction]]:
    for n, c in expanded(form, a, cold=False):
        parts = by_choice(n, a, holds_others)
        if parts is None:
            yield n, c
        else:
            yield from ((m, c * d) for part in parts for m, d in _multiplied_out(part, a))


def _within_others(form: Form, place: Parting, a: Lifting) -> Form:
    """What is a sum that leaves one term out, of a body in which own terms have cancelled."""
    if not is_others(form):
        return form
    body, axes = form.args
    left = cancelled({body: ONE}, place, a) if holds_others(body) else None
    return form if left is None else _summed(T.others, a.spread(a.add_terms(left), body), axes, a)


def _parted(
    form: Form, place: Parting, a: Lifting, deeper: int = DEEPER
) -> list[tuple[Form, Fraction]]:
    """A product with each sum in it as its own term and the others, multiplied out.

    Own terms may have sums in them, too.
    """
    out = [(form, ONE)]
    for f, k in a.parts(form)[2]:
        found = place.parted(f, a) if k in range(1, SPAN + 1) else None
        if found is not None:
            parts = [(_within_others(p, place, a), d) for p, d in found]
            for _ in range(int(k)):
                out = [(a.mul(a.div(n, f), p), c * d) for n, c in out for p, d in parts]
    if len(out) == 1:
        return out
    left = [(m, c * d) for n, c in out for m, d in _chosen(n, place, a)]
    if not deeper:
        return left
    return [(t, c * d) for m, c in left for t, d in _parted(m, place, a, deeper - 1)]
