"""Levels: how large a form can be, as a formal exponent.

The level of a form is the exponent that building it takes out.  Where it is bounded, as that of a
softmax is, ``x - max(x)``, the form cannot overflow although exponentials show in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from itertools import product
from math import exp, inf
from typing import TYPE_CHECKING, Any

from kanrewrite.guards.bounds import assumed
from kanrewrite.terms import T
from kanrewrite.view.contraction import leave, sides_of
from kanrewrite.view.elements import LARGEST, places, rows
from kanrewrite.view.examples import contradicted
from kanrewrite.view.forms import (
    ONE,
    App,
    Form,
    Leaf,
    Lin,
    Prod,
    Sum,
    Terms,
    Totals,
    nearest_float,
    pieces,
)
from kanrewrite.view.heat import hot, is_choice
from kanrewrite.view.maxima import (
    exchanged,
    is_hidden,
    is_mark,
    loosened,
    maximised,
    moved_exponent,
)
from kanrewrite.view.places import moved
from kanrewrite.view.reach import FAR, is_near
from kanrewrite.view.rests import rest
from kanrewrite.view.zeros import hiding, is_unsigned

#: How many maxima a proof looks into, one in another, and how many steps are tried for it.
DEPTH, EFFORT = 6, 1024

if TYPE_CHECKING:
    from kanrewrite.view.lifting import Lifting


class Proof(IntEnum):
    """What a proof may use that an exponent is at most 0.

    Nothing but what is subtracted of it; that nothing is added by what is subtracted and never
    negative, as a square is; and that what is a share adds so little that it may be above 0.
    """

    STRICT = 0
    SIGNED = 1
    ROUGH = 2


class _All(frozenset[Form]):
    """All forms there are, which are no other set."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def issuperset(self, _: object) -> bool:
        """Tell whether they are among all."""
        return True


_ALL = _All()


def grows(form: Form, a: Lifting) -> bool:
    """Tell whether an exponential that nothing cancels is more than 1 somewhere.

    It need not overflow: `reach` may tell that it is in range, where it is large enough for others
    to lose digits beside it.
    """
    if not hot(form):
        return False
    expo, zeros = level(form, a), frozenset(f for f, _ in a.parts(form)[2])
    return expo is None or not at_most_one(expo, a, zeros)


def overflows(form: Form, a: Lifting, where_zero: bool = True) -> bool:
    """Tell whether an exponential that nothing cancels can take the value out of range.

    It may do so only where a factor is zero that hides a maximum; that counts unless
    ``where_zero`` says that it does not.
    """
    if not hot(form):
        return False
    if not where_zero:
        expo = level(form, a)
        return expo is None or not bounded(expo, a, _ALL)
    if form not in a.overflowing:
        expo, zeros = level(form, a), frozenset(f for f, _ in a.parts(form)[2])
        a.overflowing[form] = expo is None or not bounded(expo, a, zeros)
    return a.overflowing[form]


def vanishes(form: Form, a: Lifting, where_zero: bool = True) -> bool:
    """Tell whether an exponential that nothing cancels can take the value to zero.

    It may do so only where what is added to it is zero, as with `overflows`.
    """
    if not hot(form):
        return False
    expo, zeros = level(form, a), frozenset() if where_zero else _ALL
    return expo is None or not bounded(negated(expo, a), a, zeros)


def negated(expo: Lin, a: Lifting) -> Lin:
    """The exponent of what an exponential divides."""
    return a.lin({m: -c for m, c in expo.terms})


def level(form: Form, a: Lifting) -> Lin | None:
    """The exponent of a form, None where it has none that is simple."""
    if not hot(form):
        return a.no_exponent
    if form not in a.levels:
        a.levels[form] = _level(form, a)
    return a.levels[form]


def _level(form: Form, a: Lifting) -> Lin | None:
    if isinstance(form, Prod):
        return _of_product(form, a)
    if isinstance(form, Sum):
        return _of_sum(form, a)
    assert isinstance(form, App)
    if form.op is T.sum:
        inner = level(form.args[0], a)
        return None if inner is None else _summed(inner, form.args[1], a, hiding(form.args[0], a))
    if form.op is T.abs:
        return level(form.args[0], a)
    if form.op is T.others:  # its maximum is hidden by itself
        inner = level(form.args[0], a)
        own = a.leaf(("hidden", form), ())
        return None if inner is None else _summed(inner, form.args[1], a, (own,))
    if form.op is T.scatter:
        return None if overflows(form.args[0], a) else a.no_exponent
    if form.op is T.pow:
        inner = level(form.args[0], a)
        return None if inner is None else a.lin(a.terms_of(a.mul(inner, form.args[1])))
    if is_choice(form):
        return _marked(_largest(form.args[1:], a), ("chosen", form), a)
    if form.op in (T.dimshuffle, T.subtensor):
        inner = level(form.args[0], a)
        return None if inner is None else moved_exponent(inner, form.args[1], a)
    return _of_dot(form, a) if form.op in (T.dot, T.batched_dot) else None


def _of_dot(form: App, a: Lifting) -> Lin | None:
    """The level of each side along the contracted axis, where the result has it."""
    out = Totals()
    left, right = form.args
    for (side, axis, order), other in zip(sides_of(form), (right, left), strict=True):
        # The zeros of the other side, and where its largest is, lie in other dimensions: only that
        # the two largest may not meet counts.
        zeros = (a.leaf(("zeros", other), ()),) if hot(other) or hiding(other, a) else ()
        hidden = (*hiding(side, a), *zeros)
        inner = level(side, a)
        if inner is None:
            return None
        leave(dict(_summed(inner, (axis,), a, hidden).terms), order, out, a)
    return a.lin(out)


def _of_product(form: Prod, a: Lifting) -> Lin | None:
    total = Totals(form.expo.terms)
    for f, k in form.factors:
        inner = None if k < 0 and is_vanishing(f) else level(f, a)
        if inner is None:
            return None
        for m, c in inner.terms:
            total[m] += c * k
    return a.lin(total)


def is_vanishing(form: Form) -> bool:
    """Tell whether a form is ``1 - exp(-u)`` of a u that is as small as an exponential is."""
    if not isinstance(form, Sum) or len(form.terms) != 2:
        return False
    (one, c), (power, d) = form.terms
    if isinstance(one, Prod) and one.expo.terms:
        one, power = power, one
    alone = isinstance(power, Prod) and not power.factors
    return c + d == 0 and alone and one is form.home.one and any(hot(m) for m in pieces(power))


def _of_sum(form: Sum, a: Lifting) -> Lin | None:
    """The largest level of the terms."""
    terms = [m for m, _ in form.terms]
    largest, hidden = _largest(terms, a), [m for m in terms if hiding(m, a)]
    if not hidden or len({level(m, a) for m in terms}) == 1:
        return largest
    shown = any(level(m, a) is largest for m in terms if m not in hidden)
    if shown and all(c > 0 and is_unsigned(m, a) for m, c in form.terms):
        return largest
    # Where the largest is hidden, another one is the largest.
    return _marked(largest, ("hidden", *terms), a)


def _marked(largest: Lin | None, mark: tuple[Any, ...], a: Lifting) -> Lin | None:
    """A maximum of which some operands may be hidden."""
    return None if largest is None else a.lin({a.app(T.maximum, largest, a.leaf(mark, ())): ONE})


def _largest(forms: Iterable[Form], a: Lifting) -> Lin | None:
    """The largest level of some forms."""
    levels = {level(m, a) for m in forms}
    known = {e for e in levels if e is not None}
    if len(known) < len(levels):
        return None
    return _largest_of(known, a)


def _largest_of(exponents: Collection[Lin], a: Lifting) -> Lin:
    """The largest of some exponents."""
    largest = dominant(exponents, a)
    return largest[0] if len(largest) == 1 else a.lin({a.app(T.maximum, *largest): ONE})


def dominant(exponents: Collection[Lin], a: Lifting) -> list[Lin]:
    """The exponents that no other one is known to be at least as large as."""
    left = sorted(exponents, key=lambda e: e.uid)
    for e in left[:]:
        below = (a.plus(e, f, -ONE) for f in left if f is not e)
        if len(left) > 1 and any(at_most_one(gap, a, proof=Proof.STRICT) for gap in below):
            left.remove(e)
    return left


def _summed(inner: Lin, axes: tuple[int, ...], a: Lifting, hidden: tuple[Form, ...] = ()) -> Lin:
    """The level of a sum; where factors may hide its maximum, it is not that of another sum."""
    still = {m for m, _ in inner.terms if a.constant(m, axes)}
    moving = a.lin({m: c for m, c in inner.terms if m not in still})
    out = Totals((m, c) for m, c in inner.terms if m in still)
    if moving.terms and hidden:
        out[a.shift(moving, axes, hidden)] += ONE
    elif moving.terms:
        for m, c in a.terms_of(a.max(moving, axes)).items():
            out[m] += c
    return a.lin(out)


def bounded(expo: Lin, a: Lifting, zeros: frozenset[Form] = frozenset()) -> bool:
    """Tell whether an exponent is at most 0, or little above it for sure, as a tanh is.

    Where one of the factors ``zeros`` is 0, it does not matter.
    """
    return at_most_one(_far(expo, a), a, zeros, proof=Proof.ROUGH)


def at_most_one(
    expo: Lin,
    a: Lifting,
    zeros: frozenset[Form] = frozenset(),
    depth: int = DEPTH,
    proof: Proof = Proof.SIGNED,
) -> bool:
    """Tell whether an exponent is at most 0: maxima are subtracted of what it adds.

    Where one of the factors ``zeros`` is 0, it does not matter.
    """
    key = expo, zeros, proof
    if depth == DEPTH:
        a.effort = EFFORT
    # What is proved looking into a few maxima is so looking into more, and the other way round.
    proved, refuted = a.bounds.get(key, (DEPTH + 1, -1))
    if depth >= proved or depth <= refuted or (depth == DEPTH and key in a.given_up):
        return depth >= proved
    a.effort -= 1
    found = a.effort >= 0 and not contradicted(expo)
    found = found and _bounded(loosened(expo, a), a, zeros, depth, proof)
    if proof is Proof.ROUGH and not found and a.effort >= 0:
        beyond = _beyond_shares(expo, a)
        found = beyond is not expo and at_most_one(beyond, a, zeros, depth)
    proved, refuted = a.bounds.get(key, (DEPTH + 1, -1))
    if found:
        a.bounds[key] = min(proved, depth), refuted
    elif a.effort >= 0:
        a.bounds[key] = proved, max(refuted, depth)
    elif depth == DEPTH:  # given up, which says nothing of its parts
        a.given_up.add(key)
    return found


@contextmanager
def _another_proof(a: Lifting) -> Iterator[None]:
    """A proof within one, which leaves it the steps that it has."""
    effort = a.effort
    yield
    a.effort = effort


def _far(expo: Lin, a: Lifting) -> Lin:
    """An exponent without the parts that add little to it, if all of them do together."""
    near = [e for e in independent(expo, a) if is_near(e)]
    little = a.lin(Totals(term for e in near for term in e.terms))
    if not little.terms or not is_near(little):
        return expo
    return a.plus(expo, little, -ONE)


def _beyond_shares(expo: Lin, a: Lifting) -> Lin:
    """An exponent without the shares in it, and their like, if all together are little."""
    beyond, little = _parted(expo, a)
    return beyond if little <= FAR else expo


def _parted(expo: Lin, a: Lifting) -> tuple[Lin, float]:
    """An exponent without shares, also in its maxima, and how much these change at most."""
    left, little = Totals(), 0.0
    for m, c in expo.terms:
        terms, change = _without_shares(m, a)
        for n, d in terms.items():
            left[n] += c * d
        little += nearest_float(abs(c)) * change
    return a.lin(left), little


def _without_shares(form: Form, a: Lifting) -> tuple[Terms, float]:
    """The same of a form that is added: nothing is left of a share."""
    if form not in a.beyond:
        a.beyond[form] = {form: ONE}, 0.0  # should it be made of itself
        with _another_proof(a):
            a.beyond[form] = _found_without_shares(form, a)
    return a.beyond[form]


def _found_without_shares(form: Form, a: Lifting) -> tuple[Terms, float]:
    if isinstance(form, App) and form.op in LARGEST:
        return _largest_parted(form, a)
    if isinstance(form, App) and form.op in (T.dimshuffle, T.subtensor) and not hot(form):
        terms, little = _without_shares(form.args[0], a)
        if little:
            terms = a.terms_of(moved_exponent(a.lin(terms), form.args[1], a))
        return (terms if little else {form: ONE}), little
    return _share_parted(form, a)


def _share_parted(form: Form, a: Lifting) -> tuple[Terms, float]:
    size = _size(form, a) if hot(form) and rest(form).high <= FAR else inf
    return ({}, size) if size <= FAR else ({form: ONE}, 0.0)


def _size(form: Form, a: Lifting) -> float:
    """A number that the magnitude of a form is at most, infinity where that is not little."""
    expo = level(form, a)
    if expo is None:
        return inf
    beyond, little = _parted(expo, a)
    if at_most_one(expo, a, proof=Proof.STRICT):
        little = 0.0
    elif little > FAR or not at_most_one(beyond, a, proof=Proof.STRICT):
        return inf
    return rest(form).high * exp(little)


def is_share(form: Form, a: Lifting) -> bool:
    """Tell whether the magnitude of a form is at most 1."""
    expo = level(form, a) if rest(form).high <= 1 else None
    return expo is not None and at_most_one(expo, a, proof=Proof.STRICT)


def _largest_parted(form: App, a: Lifting) -> tuple[Terms, float]:
    sources = form.args if form.op is T.maximum else form.args[:1]
    lins = [f for f in sources if isinstance(f, Lin)]
    parted = [_parted(f, a) for f in lins]
    if len(lins) < len(sources) or not any(little for _, little in parted):
        return {form: ONE}, 0.0
    left = [f for f, _ in parted]
    if form.op is T.maximum:
        whole: Form = _largest_of(set(left), a)
    else:
        remade = a.shift if form.op is T.shift else a.max
        whole = remade(left[0], *form.args[1:])
    return a.terms_of(whole), max(little for _, little in parted)


def _bounded(expo: Lin, a: Lifting, zeros: frozenset[Form], depth: int, proof: Proof) -> bool:
    exact = min(proof, Proof.SIGNED)  # little is added once
    left = a.lin({m: c for m, c in expo.terms if c < 0 or not _is_never_above(m, a, exact)})
    if not left.terms or (left is not expo and at_most_one(left, a, zeros, depth, proof)):
        return True
    if depth == 0:
        return False
    if any(at_most_one(e, a, zeros, depth - 1, proof) for e in _outweighed(expo, a)):
        return True
    parts = independent(expo, a)
    if len(parts) > 1:
        return all(at_most_one(e, a, zeros, depth, exact) for e in parts)
    for m, c in expo.terms:
        if c > 0 and isinstance(m, App) and m.op is T.maximum:  # each of them must be
            cases = [exchanged(expo, m, f, c, a) for f in m.forms if isinstance(f, Lin)]
            return all(at_most_one(e, a, zeros, depth - 1, proof) for e in cases)
    if any(at_most_one(e, a, zeros, depth - 1, proof) for e in _exchanges(expo, a, zeros)):
        return True
    small = {m for m, c in expo.terms if c > 0 and _is_small(m, a, zeros, depth - 1, exact)}
    above = {m for m, c in expo.terms if proof and c < 0 and _is_above(m, a)}
    lefts = (a.lin({m: c for m, c in expo.terms if m not in known}) for known in (small, above))
    return any(e is not expo and at_most_one(e, a, zeros, depth - 1, proof) for e in lefts)


def _exchanges(expo: Lin, a: Lifting, zeros: frozenset[Form]) -> Iterator[Lin]:
    """An exponent in which a maximum is replaced by one of what it is the largest of.

    Each is at least as large.  Of several times a maximum one is enough: in ``x - 2*max(x, 0)``.
    """
    for top, c in expo.terms:
        if c < 0 and isinstance(top, App):
            for source in _under(top, expo, a, zeros):
                for share in (c, -ONE) if c < -1 else (c,):
                    yield exchanged(expo, top, source, share, a)


def _outweighed(expo: Lin, a: Lifting) -> Iterator[Lin]:
    """An exponent without what one of its terms adds, where another one takes away more.

    As ``exp(x)/n - exp(max(x))/n`` is never above 0, for the quotient of both is a share.
    """
    hots = [(m, c) for m, c in expo.terms if hot(m) and is_unsigned(m, a)]
    for (m, c), (n, d) in product(hots, hots):
        with _another_proof(a):
            less = c > 0 > d and is_share(a.div(m, n), a)
        if less:
            k = min(c, -d)
            yield a.plus(expo, a.lin({m: k, n: -k}), -ONE)


def independent(expo: Lin, a: Lifting) -> list[Lin]:
    """An exponent in parts that no variable is common to, of which each is bounded by itself."""
    parts: list[tuple[set[Any], Totals]] = []
    for (m, c), of in zip(expo.terms, rows(places(m) for m, _ in expo.terms), strict=True):
        mine, whole = set(of), Totals({m: c})
        for part in [p for p in parts if not mine.isdisjoint(p[0])]:
            parts.remove(part)
            mine |= part[0]
            whole.update(part[1])
        parts.append((mine, whole))
    return [expo] if len(parts) == 1 else [a.lin(terms) for _, terms in parts]


def _is_small(form: Form, a: Lifting, zeros: frozenset[Form], depth: int, proof: Proof) -> bool:
    """Tell whether a form is known to be at most 0, or is a maximum of what is.

    The factors ``zeros`` are taken to hide from the maximum what they hide around it.
    """
    if isinstance(form, Leaf):
        return assumed(form.var).high <= 0
    source = maximised(form)
    return source is not None and at_most_one(source, a, zeros, depth, proof)


def _is_never_above(form: Form, a: Lifting, exact: Proof) -> bool:
    """Tell whether a maximum is that of what is at most 0 by itself.

    It is proved once, however deep it lies in what is made of it.
    """
    form = moved(form)[1]
    if not isinstance(form, App) or form.op not in LARGEST:
        return False
    if (form, exact) not in a.lemmas:
        sources = form.args[:1] if form.op is not T.maximum else form.args
        with _another_proof(a):
            a.lemmas[form, exact] = all(
                isinstance(f, Lin) and at_most_one(f, a, proof=exact) for f in sources
            )
    return a.lemmas[form, exact]


def _is_above(form: Form, a: Lifting) -> bool:
    """Tell whether a form is at least 0, as a square is, and in range itself.

    Without an exponential that is not, nothing of ``exp(-exp(x))`` would tell that it vanishes.
    """
    if not form.nonneg:
        return False
    with _another_proof(a):
        return not overflows(form, a)


def _under(top: App, expo: Lin, a: Lifting, zeros: frozenset[Form]) -> Iterator[Lin]:
    """What a maximum, which may have been moved, is the largest of."""
    shown = top.op is T.shift and zeros.issuperset(top.args[2])
    if top.op in LARGEST and (shown or not is_hidden(top)):
        yield from (f for f in top.forms if isinstance(f, Lin))
    elif top.op is T.maximum:
        yield from _shown(top, a, zeros)
    elif top.op in (T.dimshuffle, T.subtensor):
        inner = top.args[0]
        if not (isinstance(inner, App) and inner.op in LARGEST) or is_hidden(inner):
            return
        # An element that a move takes is not larger than the maximum that the same move takes.
        moves = {m.args[1] for m, _ in expo.terms if isinstance(m, App) and m.op is T.subtensor}
        for source in inner.forms:
            for move in moves:
                if isinstance(source, Lin) and source.bcast == move.whole:
                    fits = move.restricted(inner.bcast) is not None
                    if fits and a.move(inner, move) is top:
                        yield a.lin(a.terms_of(a.move(source, move)))


def _shown(top: App, a: Lifting, zeros: frozenset[Form]) -> Iterator[Lin]:
    """The operands of a maximum that nothing hides where none of the factors ``zeros`` is 0."""
    largest, mark = top.args[0], top.args[-1]
    if not is_mark(mark):
        for form in top.forms:
            if isinstance(form, Lin):
                yield form
            elif isinstance(form, App) and form.op is T.kept and zeros.issuperset(form.args[1]):
                yield form.args[0]
        return
    kind, *terms = mark.var
    if kind != "hidden":
        return
    (only,) = dict(largest.terms) if len(largest.terms) == 1 else (None,)
    several = isinstance(only, App) and only.op is T.maximum and not is_hidden(only)
    sources = only.forms if several and isinstance(only, App) else (largest,)
    for source in (f for f in sources if isinstance(f, Lin)):
        if any(level(m, a) is source and zeros.issuperset(hiding(m, a)) for m in terms):
            yield source
