"""Centring: what does not change when its exponents are shifted is computed from shifted ones.

Derivatives of a softmax hold the exponents themselves, as ``p * (x - sum(p * x))`` does or
``sum(x * p * (g - sum(p * g)))``.  With ``x + c`` for x they are the same, but large common parts
of x are subtracted only after they have been multiplied; ``x - max(x)`` has none.  Whether a form
is the same is proved: its derivative in the direction of such a shift is zero, term by term.

References
----------
P. J. Olver, "Applications of Lie Groups to Differential Equations", 2nd edition, 1993, theorem 2.8:
a function is invariant if the generator of the group takes it to zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from kanrewrite.terms import T
from kanrewrite.view.algebra import MOVES, is_ones
from kanrewrite.view.dividing import NotProved, divided
from kanrewrite.view.forms import (
    ONE,
    App,
    Axes,
    Form,
    Lin,
    Prod,
    Sum,
    Terms,
    Totals,
    pieces,
    remembered,
)
from kanrewrite.view.heat import hot
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.towers import unmoved

#: A derivative of more terms is given up.
MOST = 400

DOTS = {T.dot, T.batched_dot}
#: What is linear in what it rearranges or adds up.
MOVING = {T.sum, *MOVES, *DOTS}


class Shift(NamedTuple):
    """What is shifted, the axes along which the shift is constant, and its factor in exponents.

    Several are shifted together: those that are written out instead of summed along axes.
    """

    atoms: tuple[Form, ...]
    axes: Axes
    by: Form


#: What a form is made of, outside its exponents and inside, and whether it holds a log.
Atoms = tuple[frozenset[Form], frozenset[Form], bool]


def candidates(form: Form, a: Lifting, logs: bool = False) -> list[Shift]:
    """The shifts that a form may not change with, of what is outside its exponents too.

    They are of what a sum of nothing but exponentials divides for: where that is largest, those
    exponentials are, and so differences to its maximum are small where it matters.  A log subtracts
    a maximum of its own, and is asked only where nothing else has replaced it.
    """
    if not hot(form):
        return []
    outside, inside, of_logs = atoms(form, a)
    outside &= inside
    if not outside or of_logs != logs:
        return []
    found: dict[Shift, None] = {}
    for total in _divisors(form):
        body, axes = total.args
        _, expo, factors = a.parts(body)
        summed = [(m, c) for m, c in expo.terms if not m.constant_along(axes)]
        if factors or len(summed) != 1:
            continue
        ((m, c),) = summed
        for atom in outside & _atoms(m):
            by = a.mul(a.const(c), a.div(m, atom))
            if by.constant_along(axes) and atom.bcast and not any(atom.bcast[d] for d in axes):
                found[Shift((atom,), axes, by)] = None
    found.update(dict.fromkeys(_together(form, outside, a)))
    return list(found)


def _together(form: Form, outside: frozenset[Form], a: Lifting) -> Iterator[Shift]:
    """Those that exponents hold with the same factor, as x and y in ``exp(x/t) + exp(y/t)``.

    And all of them, as in nests of different temperatures.  What is divided out of a sum, the x of
    ``1 + exp(y - x) + exp(z - x)``, has another sign than most: these tell which is the largest.
    """
    signs: dict[tuple[Form, Form], set[bool]] = {}
    for m, c in _exponents(form):
        for atom in outside & _atoms(m):
            signs.setdefault((a.div(m, atom), atom), set()).add(c > 0)
    groups: dict[Any, dict[Form, Form]] = {}
    for by, atom in signs:
        groups.setdefault((by, atom.bcast), {})[atom] = by
    factors = {f for by, _ in groups for f, _ in a.parts(by)[2]}
    for (_, bcast), group in list(groups.items()):
        groups.setdefault(bcast, {}).update({f: a.one for f in group if f not in factors})
    tried: set[frozenset[Form]] = set()  # all may be no others than those of one factor
    for group in groups.values():
        if len(group) > 1 and frozenset(group) not in tried:
            tried.add(frozenset(group))
            told = [sign for f, by in group.items() for sign in signs.get((by, f), ())]
            sign = a.const(ONE if 2 * sum(told) >= len(told) else -ONE)
            by = a.mul(sign, next(iter(group.values())))
            yield Shift(tuple(sorted(group, key=lambda f: f.uid)), (), by)


def atoms(form: Form, a: Lifting) -> Atoms:
    """What a form is made of, outside its exponents and inside, and whether it holds a log."""
    found = a.atoms.get(form)
    if found is None:
        found = a.atoms[form] = _atoms_of(form, a)
    return found


def _atoms_of(form: Form, a: Lifting) -> Atoms:
    inside = frozenset[Form]()
    if isinstance(form, Prod):
        inner = [f for f, _ in form.factors]
        inside = frozenset[Form]().union(*(_atoms(m) for m, _ in form.expo.terms))
    elif isinstance(form, Sum) or (isinstance(form, App) and hot(form)):
        inner = pieces(form)
    else:
        return frozenset([form]), inside, _is_of_logs(form, a)
    parts = [atoms(f, a) for f in inner]
    outside = frozenset[Form]().union(*(p[0] for p in parts))
    return outside, inside.union(*(p[1] for p in parts)), any(p[2] for p in parts)


def has_log(form: Form, a: Lifting) -> bool:
    """Tell whether a log of exponentials is left in a form."""
    return atoms(form, a)[2]


def _is_of_logs(form: Form, a: Lifting) -> bool:
    """Tell whether what holds no exponential out of logs is made of logs."""
    if isinstance(form, App) and form.op is T.log:
        return hot(form.args[0])
    passed = isinstance(form, Sum | Prod) or (isinstance(form, App) and form.op in MOVING)
    return passed and any(has_log(f, a) for f in pieces(form))


def _atoms(exponent: Form) -> frozenset[Form]:
    """What an exponent is proportional to."""
    if not isinstance(exponent, Prod):
        return frozenset([exponent])
    return frozenset(f for f, k in exponent.factors if k == 1 and not exponent.expo.terms)


@remembered
def _divisors(form: Form) -> tuple[App, ...]:
    """The sums along axes that divide something in a form with exponentials, each once."""
    factors = form.factors if isinstance(form, Prod) else ()
    found = (unmoved(f) for f, k in factors if k < 0)
    own = (f for f in found if isinstance(f, App) and f.op is T.sum)
    return tuple(dict.fromkeys((*own, *chain.from_iterable(map(_divisors, _shown(form))))))


@remembered
def _exponents(form: Form) -> tuple[tuple[Form, Fraction], ...]:
    """The terms of the exponents in a form, each once."""
    own = form.expo.terms if isinstance(form, Prod) else ()
    return tuple(dict.fromkeys((*own, *chain.from_iterable(map(_exponents, _shown(form))))))


def _shown(form: Form) -> Iterator[Form]:
    """The pieces of a form that hold exponentials, the last one first."""
    return (f for f in reversed(pieces(form)) if hot(f))


class Generator:
    """The derivative of forms in the direction of a shift.

    Parameters
    ----------
    shift
        Its direction.
    a
        Where the forms are made.
    """

    def __init__(self, shift: Shift, a: Lifting):
        self.a, self.shift = a, shift
        one = (d in shift.axes or b for d, b in enumerate(shift.atoms[0].bcast))
        self.step: Form = a.leaf(("step", shift), tuple(one))
        self._known: dict[Form, Terms] = {}
        self._flat: dict[Form, Terms] = {}
        self._moved: dict[Form, Form] = {}
        self._holds: dict[Form, bool] = {}

    def kills(self, form: Form) -> bool:
        """Tell whether the derivative of a form is known to be zero."""
        out = Totals()
        try:
            with self.a.aside():
                for m, c in self.flat(form).items():
                    self._add(out, self.terms(m), c)
                return not divided(out, self.a, MOST)
        except NotProved:
            return False

    def flat(self, form: Form) -> Terms:
        """A form multiplied out, within sums along axes too."""
        if not isinstance(form, Sum | Prod | App) or not hot(form):
            return dict(self.a.expand(form))
        if form not in self._flat:
            self._flat[form] = self._flattened(form)
        return self._flat[form]

    def _flattened(self, form: Form) -> Terms:
        out = Totals()
        if isinstance(form, Sum):
            for m, c in form.terms:
                self._add(out, self.flat(m), c)
        elif isinstance(form, Prod):
            return self._multiplied(form)
        elif isinstance(form, App) and form.op in {T.sum, *MOVES}:
            self._through(out, form, self.flat(form.args[0]))
        else:
            out[form] = ONE
        return out

    def _multiplied(self, form: Prod) -> Terms:
        out = Totals({self.a.prod(ONE, form.expo, {}): form.coeff})
        for f, k in form.factors:
            inner = self.flat(f)
            whole = k > 0 and k.denominator == 1
            for terms in [inner] * int(k) if whole else [self._power(f, inner, k)]:
                before, out = out, Totals()
                for m, c in before.items():
                    self._times(out, m, terms, c)
        return out

    def _power(self, form: Form, terms: Terms, k: Fraction) -> Terms:
        """A power that is not multiplied out, of what is one term if it can be."""
        ((only, c), *more) = terms.items()
        base = form if more else self.a.mul(self.a.const(c), only)
        return {self.a.pow(base, k): ONE}

    def holds(self, form: Form) -> bool:
        """Tell whether what is shifted is in a form."""
        if form in self.shift.atoms:
            return True
        if form not in self._holds:
            inner = form.forms if isinstance(form, App) else pieces(form)
            self._holds[form] = not is_ones(form) and any(map(self.holds, inner))
        return self._holds[form]

    def terms(self, form: Form) -> Terms:
        """The derivative of a form, multiplied out."""
        if form in self.shift.atoms:
            return {self.step: ONE}
        if not self.holds(form):
            return {}
        if form not in self._known:
            self._known[form] = {m: c for m, c in self._terms(form).items() if c}
        return self._known[form]

    def _terms(self, form: Form) -> Terms:
        out = Totals()
        if isinstance(form, Sum | Lin):
            for m, c in form.terms:
                self._add(out, self.terms(m), c)
        elif isinstance(form, Prod):
            for m, c in form.expo.terms:
                self._times(out, form, self.terms(m), c)
            for f, k in form.factors:
                if self.holds(f):
                    self._times(out, self.a.div(form, f), self.terms(f), k)
        elif isinstance(form, App) and form.op is T.log:
            inner = form.args[0]
            self._times(out, self.a.pow(inner, -ONE), self.terms(inner), ONE)
        elif isinstance(form, App) and form.op in DOTS:
            self._dot(out, form)
        elif isinstance(form, App) and form.op in {T.sum, *MOVES}:
            self._through(out, form, self.terms(form.args[0]))
        else:
            raise NotProved
        return out

    def _through(self, out: Totals, form: App, terms: Terms) -> None:
        """Terms that are summed, or moved, as a form is."""
        for m, c in divided(terms, self.a, MOST).items():
            whole = self._summed(m, form) if form.op is T.sum else self.a.move(m, form.args[1])
            self._times(out, whole, {self.a.one: ONE}, c)

    def _dot(self, out: Totals, form: App) -> None:
        left, right = form.args
        batch = int(form.op is T.batched_dot)
        for m, c in self.terms(left).items():
            if m.bcast != left.bcast:
                raise NotProved
            self._times(out, self.a.dot(form.op, m, right, batch), {self.a.one: ONE}, c)
        for m, c in self.terms(right).items():
            if m.bcast != right.bcast:
                raise NotProved
            self._times(out, self.a.dot(form.op, left, m, batch), {self.a.one: ONE}, c)

    def _summed(self, term: Form, total: App) -> Form:
        """A term summed along one axis after the other: what is constant along one leaves it."""
        body, axes = total.args
        if term.bcast != body.bcast:
            raise NotProved
        for d in reversed(axes):
            term = self.a.sum(term, (d,))
        return term

    def _times(self, out: Totals, by: Form, terms: Terms, c: Fraction) -> None:
        for m, d in terms.items():
            for n, e in self.a.expand(self.a.mul(by, m)):
                out[n] += c * d * e
        if len(out) > MOST:
            raise NotProved

    def _add(self, out: Totals, terms: Terms, c: Fraction) -> None:
        for m, d in terms.items():
            out[m] += c * d

    # -- the shift itself ---------------------------------------------------------------------

    def centred(self, form: Form, gaps: Mapping[Form, Form], top: Form) -> Form:
        """A form with gaps for what is shifted, and ``atom - top`` in exponents."""
        if form in gaps:
            return gaps[form]
        if not self.holds(form):
            return form
        if form not in self._moved:
            self._moved[form] = self._centred(form, gaps, top)
        return self._moved[form]

    def _centred(self, form: Form, gaps: Mapping[Form, Form], top: Form) -> Form:
        a = self.a
        if isinstance(form, Prod):
            out = [a.const(form.coeff)]
            out.append(a.exp(form.expo))
            for m, c in form.expo.terms:
                for n, d in self.terms(m).items():
                    out.append(a.exp(a.mul(a.const(-c * d), a.div(n, self.step), top)))
            return a.mul(*out, *(a.pow(self.centred(f, gaps, top), k) for f, k in form.factors))
        if isinstance(form, Sum):
            return a.add(*(a.mul(a.const(c), self.centred(m, gaps, top)) for m, c in form.terms))
        assert isinstance(form, App)
        inner = [self.centred(f, gaps, top) for f in form.forms]
        if form.op is T.sum:
            return a.sum(inner[0], form.args[1])
        if form.op is T.log:
            return a.log(inner[0])
        if form.op in MOVES:
            return a.move(inner[0], form.args[1])
        return a.dot(form.op, inner[0], inner[1], int(form.op is T.batched_dot))
