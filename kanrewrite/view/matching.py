"""Matching of forms: products and sums modulo their axioms, with extension.

Pattern and subject are in one canonical form, so what is left to search is which factor, or
which term, plays which part.  Operands without free parameters go first, a parameter alone goes
last and takes what is left.  Once a parameter is bound, a part that holds it is *computed* and
looked up instead of searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice, permutations, product
from typing import Any

from unification import Var

from kanrewrite.relation.axes import is_axis
from kanrewrite.terms import Size, T
from kanrewrite.view.distributing import opened
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
    has_power,
    is_parameter,
    magnitude,
    power_of,
    walked,
)
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.moves import Shuffle

Bindings = dict[Any, Any]
#: A way to match: the bindings and the factor by which subject and pattern differ.
Scaled = tuple[Bindings, Fraction]

#: In how many ways two parameters alone may share what is left.
SHARES = 256
#: How many parameters of a product may each stand for several factors.
_FEW = 2
#: Up to which power a factor is there as often.
_TWICE = 3
#: The largest denominator of a number that is a fraction to those who write it.
_SIMPLE = 1 << 12
#: How many bits a number may be from 1 to have roots that are looked for.
_BITS = 256
#: Operators of two operands that may change their places.
COMMUTATIVE = frozenset({T.maximum, T.minimum, T.eq, T.neq})
#: The rounding of a few operations on numbers.
ROUNDINGS = {
    "float64": Fraction(1, 2**50), "float32": Fraction(1, 2**21), "float16": Fraction(1, 2**8)
}  # fmt: skip


class FormMatcher:
    """Matches patterns, which are forms with parameters as leaves, against forms.

    Parameters
    ----------
    algebra
        Of the subjects.
    instantiate
        Makes the form of a pattern's form under bindings.
    opened
        A leaf as the operator over operands that it hides, or None.
    roots
        Whether a root is found in what is no less than 0, also where it is not written.
    spelled
        A sum as the multiple of it that is written: ``x - 3`` is read as ``-3 * (1 - x / 3)``.
    kept
        A leaf that hides a sum as that sum.
    """

    def __init__(
        self,
        algebra: Lifting,
        opened: Callable[[Leaf], Form | None] | None = None,
        roots: bool = True,
        spelled: Callable[[Form], Form] = lambda form: form,
        kept: Callable[[Form], Form] = lambda form: form,
    ):
        self.a = algebra
        self.kept = kept
        self.spelled = spelled
        self.roots = roots
        #: Whether a parameter stands only for what is written, or also for a part of it.
        self.written = opened is not None
        self.opened = opened or (lambda leaf: None)

    # -- whole forms ----------------------------------------------------------------------

    def whole(self, p: Any, f: Any, b: Bindings) -> Iterator[Bindings]:
        """Bindings under which the pattern is the form."""
        if not isinstance(p, Form):
            yield from self._parameter(p, f, b)
        elif is_parameter(p):
            yield from self._bound(p.var, f, b)  # type: ignore[attr-defined]
        elif is_zero(p):
            if is_zero(f):
                yield b
        elif isinstance(p, (Sum, Prod, Lin)):
            for c, scale in self.scaled(p, f, b):
                taken = c if self.near(scale, ONE) else self._taking(p, scale, b, c)
                if taken is not None:
                    yield taken
        elif isinstance(p, App):
            yield from self._app(p, f, b)
        elif p is f or (isinstance(f, Leaf) and isinstance(p, Leaf) and p.var is f.var):
            yield b

    def _taking(self, p: Form, scale: Fraction, b: Bindings, c: Bindings) -> Bindings | None:
        """Bindings of a product in which a parameter takes a number besides: ``-x * y``."""
        coeff, expo, hard, easy = _dealt_out(p)
        if not isinstance(p, Prod) or coeff != 1 or not scale:
            return None
        parts = walked(expo, *(g for g, _ in hard))
        others = {x.var for x in parts if is_parameter(x)}  # type: ignore[attr-defined]
        free = (v for v, k in easy if k == 1 and v not in b and v in c and v not in others)
        parameter = next(free, None)
        if parameter is None:
            return None
        return {**c, parameter: self.a.mul(self.a.const(scale), c[parameter])}

    def _parameter(self, p: Any, f: Any, b: Bindings) -> Iterator[Bindings]:
        if isinstance(p, Var):
            if p not in b:
                yield {**b, p: f}
            elif b[p] == f:
                yield b
        elif p == f:
            yield b

    def _bound(self, param: Any, f: Form, b: Bindings) -> Iterator[Bindings]:
        f = self._settled(f)
        if param not in b:
            yield {**b, param: f}
        elif b[param] is f:
            yield b

    def _settled(self, f: Form) -> Form:
        return self.a.add_terms(dict(f.terms)) if isinstance(f, Lin) else f

    def near(self, a: Fraction, b: Fraction) -> bool:
        """Tell whether numbers are one, up to the rounding of the dtype.

        Half of the root of 2 is another float when it is written as a product.
        """
        return a == b or abs(a - b) <= abs(b) * ROUNDINGS.get(self.a.dtype, 0)

    def _app(self, p: App, f: Form, b: Bindings) -> Iterator[Bindings]:
        if isinstance(f, Leaf):
            inner = self.opened(f)
            if inner is None:
                return
            f = inner
        if p.op is T.drop:
            yield from self._dropped(p, f, b)
            return
        if not isinstance(f, App) or f.op is not p.op or len(f.args) != len(p.args):
            return
        if p.op in COMMUTATIVE and p.args[0] is not p.args[1]:
            for x, y in (f.args, f.args[::-1]):
                for c in self.whole(p.args[0], x, b):
                    yield from self.whole(p.args[1], y, c)
            return
        found = [b]
        for x, y in zip(p.args, f.args, strict=True):
            if x in p.home.named and not is_axis(p.home.named[x], y, f.forms[0].ndim):
                return
            found = [d for c in found for d in self.whole(x, y, c)]
        yield from found

    def _dropped(self, p: App, f: Form, b: Bindings) -> Iterator[Bindings]:
        """A reduction without its dimensions: a move that drops what the pattern reduces."""
        if isinstance(f, App) and isinstance(f.args[-1], Shuffle):
            inner, move = f.args
            gone = tuple(move.dropped())
            if move.order == tuple(d for d in range(inner.ndim) if d not in gone):
                for c in self._parameter(p.args[1], gone, b):
                    yield from self.whole(p.args[0], inner, c)

    def scaled(self, p: Form, f: Form, b: Bindings) -> Iterator[Scaled]:
        """Bindings and a number with ``f == number * pattern``."""
        if isinstance(p, (Sum, Lin)):
            yield from self._scaled_sum(p, f, b)
        elif isinstance(p, Prod):
            for c, rest in self.product(p, f, b):
                coeff, expo, factors = self.a.parts(rest)
                if not expo.terms and not factors:
                    yield c, coeff
        else:
            for c in self.whole(p, f, b):
                yield c, ONE

    def _scaled_sum(self, p: Sum | Lin, f: Form, b: Bindings) -> Iterator[Scaled]:
        """The same of a sum, multiplied out if it is not found as it is."""
        found = False
        for q, g in chain([(p, self.kept(f))], self.opened_out(p, f)):
            if found:
                return
            if not self._may_fill(q, g) or (self.written and not self._may_scale(q, g, b)):
                continue
            for c, scale, left in self.sum(q, g, b):
                if not left:
                    found = True
                    yield c, scale

    def opened_out(self, p: Sum | Lin, f: Form) -> Iterator[tuple[Sum | Lin, Form]]:
        """A pattern and a form multiplied out, where that is anything else."""
        if self.written and self.roots:
            q, g = opened(p), opened(f)
            if isinstance(q, Sum | Lin) and (q, g) != (p, f):
                yield q, g

    def _may_fill(self, p: Sum | Lin, f: Form) -> bool:
        """Tell whether a form has terms enough: a parameter alone takes several."""
        hard = sum(not is_parameter(m) for m, _ in p.terms)
        count = len(self.a.terms_of(f))
        return count >= hard if hard < len(p.terms) else count == hard

    def _may_scale(self, p: Sum | Lin, f: Form, b: Bindings) -> bool:
        """Tell whether the terms of a form have numbers if a pattern is the multiple of one."""
        (m, c), *others = p.terms
        if others or not is_parameter(m) or m.var in b:  # type: ignore[attr-defined]
            return True
        return all(is_multiple(d, c) for d in self.a.terms_of(f).values())

    # -- products -------------------------------------------------------------------------

    def product(self, p: Form, f: Form, b: Bindings) -> Iterator[tuple[Bindings, Form]]:
        """Bindings and the rest with ``f == rest * pattern``."""
        coeff, expo, hard, easy = _dealt_out(p)
        if not coeff:
            return  # 0 is no factor
        if self.written and is_open(p, b) and not has_number(f, coeff):
            return  # ``2*x`` is in ``4*y`` and neither in ``y`` nor in ``-y``
        if not self.roots and coeff.denominator > _SIMPLE and not self.near(parts_of(f)[0], coeff):
            return  # a multiple of pi is no multiple of every number
        mine = self.a.parts(f)[2] if hard else ()
        if not all(any(self._may_be(g, k, h, j) for h, j in mine) for g, k in hard):
            return
        for c, rest in self._factors(hard, self.a.mul(self.a.const(1 / coeff), f), b):
            for d, left in self._exponent(expo, rest, c):
                yield from self._alone(easy, left, d)

    def may_divide(self, p: Form, f: Form) -> bool:
        """Tell whether a form may be divided by a pattern that is no node of a graph then.

        As are roots, exponentials and means: of ``x**-0.5`` there is no root, of ``exp(-x)`` no
        ``exp(x)``, and ``1 / mean(x)`` is a length over a sum.  But ``exp(x**2)`` is itself, and
        not one over ``exp(-x**2)``.
        """
        coeff, expo, hard, easy = _dealt_out(p)
        rooted = all(k.denominator != 1 for _, k in hard) and all(c > 0 for _, c in expo.terms)
        mean = bool(easy) and all(type(parameter) is Size for parameter, _ in easy)
        if not coeff or not (rooted or mean) or not (expo.terms or hard):
            return False
        _, mine, factors = self.a.parts(f)
        return bool(mine.terms or not expo.terms) and all(
            any(self._may_be(g, k, h, -j) for h, j in factors) for g, k in hard
        )

    def _may_be(self, g: Form, k: Fraction, h: Form, j: Fraction) -> bool:
        """Tell whether a factor of a pattern may be one of a form, by what is told at once."""
        if isinstance(g, App) and g.op is not T.drop and isinstance(h, App) and h.op is not g.op:
            return False
        return self._holds(h, j, k)

    def _holds(self, h: Form, j: Fraction, k: Fraction) -> bool:
        """Tell whether the power ``j`` of a form may hold the power ``k`` of what it is."""
        return j * k > 0 and abs(j) >= abs(k) and (self._has_roots(h, k) or is_written(j, k))

    def _factors(
        self, hard: list[tuple[Form, Fraction]], f: Form, b: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        if not hard:
            yield b, f
            return
        (g, k), *others = hard
        for h, j in self.a.parts(f)[2]:
            if not self._holds(h, j, k):
                continue
            ways = self._ways(g, k, h, f, b) if k.denominator != 1 else self.scaled(g, h, b)
            for c, scale in ways:
                if (scale < 0 and k.denominator != 1) or not has_power(scale, k):
                    continue
                left = self.a.mul(f, self.a.pow(h, -k), self.a.const(power_of(scale, k)))
                if scale != 1 and k.denominator != 1:
                    left = self._simple(left)
                yield from self._factors(others, left, c)

    def _has_roots(self, h: Form, k: Fraction) -> bool:
        """Tell whether other powers of a form than those written hold the power ``k`` of it."""
        return self.roots and h.nonneg and (k.denominator == 1 or not self.written)

    def _ways(self, g: Form, k: Fraction, h: Form, f: Form, b: Bindings) -> Iterable[Scaled]:
        """Ways to match what is under a root; what leaves no rounded root beside it goes first."""
        number = self.a.parts(f)[0]
        inside = None if self.roots else self._inside(h, k, number)
        if inside is None:
            ways = self.scaled(g, h, b)
            return ways if self.roots else sorted(islice(ways, SHARES), key=lambda w: w[1] != 1)
        whole = self.a.mul(self.a.const(inside), h)
        found = [(c, scale / inside) for c, scale in self.scaled(g, whole, b)]
        found += self.scaled(g, h, b)
        return sorted(found, key=lambda way: not self.near(way[1] * inside, ONE))

    def _inside(self, h: Form, k: Fraction, number: Fraction) -> Fraction | None:
        """What is beside a sum under a root that is read with a number in front of it."""
        written = self.a.parts(self.spelled(h))[0]
        rooted = written > 0 and written != 1 and has_power(written, k)
        if rooted and self.near(power_of(written, k), number):
            return written
        return None if _is_simple(number) else self._whole_root(number, k)

    def _simple(self, f: Form) -> Form:
        """A product whose number was multiplied by a rounded root; that rounding is no factor."""
        number, expo, factors = self.a.parts(f)
        for most in (1, _SIMPLE):
            simple = number.limit_denominator(most)
            if simple and self.near(simple, number):
                return self.a.prod(simple, expo, dict(factors))
        return f

    def _exponent(self, expo: Lin, f: Form, b: Bindings) -> Iterator[tuple[Bindings, Form]]:
        """Match the exponential of a pattern inside the exponential of a form."""
        if not expo.terms:
            yield b, f
            return
        mine = self.a.parts(f)[1]
        free = [(m, c) for m, c in expo.terms if is_parameter(m) and m.var not in b]  # type: ignore[attr-defined]
        if len(free) == 1 and len(expo.terms) == 1:
            ((m, k),) = free
            if mine.terms and (
                _is_simple(k) or all(self._is_multiple(d, k) for _, d in mine.terms)
            ):
                value = self.a.add_terms({n: d / k for n, d in mine.terms})
                yield {**b, m.var: value}, self.a.mul(f, self.a.exp(self.a.neg(mine)))  # type: ignore[attr-defined]
            return
        for c, scale, rest in self.sum(expo, mine, b):
            if scale == 1:
                taken = dict(mine.terms)
                for m, d in rest.items():
                    taken[m] -= d
                kept = {m: d for m, d in taken.items() if d}
                yield c, self.a.mul(f, self.a.exp(self.a.lin({m: -d for m, d in kept.items()})))

    def _is_multiple(self, number: Fraction, of: Fraction) -> bool:
        """Tell whether a number is a simple multiple of another one, which is rounded."""
        ratio = number / of
        return self.near(ratio.limit_denominator(_SIMPLE), ratio)

    def _alone(
        self, easy: list[tuple[Any, Fraction]], f: Form, b: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        """Parameters that are factors: bound ones divide, free ones take what is left."""
        free = []
        for param, k in easy:
            if param not in b:
                free.append((param, k))
                continue
            quotient = self.a.mul(f, self.a.pow(b[param], -k))
            if not self._divides(self.a.pow(b[param], k), f):
                return
            f = quotient
        if not free:
            yield b, f
            return
        if len(free) == 1:
            ((param, k),) = free
            taken, left = self._taken(f, k)
            if taken is not self.a.one:
                yield {**b, param: taken}, left
            return
        yield from self._shared(free, f, b)

    def _taken(self, f: Form, k: Fraction, lone: bool = False) -> tuple[Form, Form]:
        """What a parameter to the power ``k`` stands for in a product, and what it leaves.

        It stands for what is written to that power and never for a root: ``x**2`` is in ``y**4``,
        with ``y**2`` for x, and not in y; ``sqrt(x)`` is not in y, which may be negative.
        A lone divisor is all that is divided by.
        """
        if k == 1:
            return f, self.a.one
        key = f, k.numerator, k.denominator, lone, self.roots, self.written
        found = self.a.given_parameters.get(key)
        if found is None:
            found = self.a.given_parameters[key] = self._taken_once(f, k, lone)
        return found

    def _taken_once(self, f: Form, k: Fraction, lone: bool) -> tuple[Form, Form]:
        coeff, expo, factors = self.a.parts(f)
        even = not self.roots and k > 0 and k.denominator == 1 and k % 2 == 0
        under = lone and not self.roots and k == -1  # whatever is divided by, a root too
        raised = {
            g: j for g, j in factors if (under and j < 0) or is_written(abs(j) if even else j, k)
        }
        number = self._root(coeff, k)
        inner = expo if k == 1 or (self.roots and k.denominator == 1) else self.a.no_exponent
        taken = self.a.mul(
            self.a.const(ONE if number is None else number),
            self.a.exp(self.a.lin({m: c / k for m, c in inner.terms})),
            *(self.a.pow(g, j / k) for g, j in raised.items()),
        )
        if taken is self.a.one:
            return taken, f
        left = self.a.mul(f, self.a.pow(taken, -k))
        rounded, expo, factors = self.a.parts(left)
        if number is not None and rounded != 1 and self.near(rounded, ONE):
            left = self.a.prod(ONE, expo, dict(factors))  # a root's rounding is no factor
        return taken, left

    def _root(self, number: Fraction, k: Fraction) -> Fraction | None:
        """What a number is the power ``k`` of, also where that power was rounded."""
        exact = exact_root(number, k)
        return self._whole_root(number, k) if exact is None and self.written else exact

    def _whole_root(self, number: Fraction, k: Fraction) -> Fraction | None:
        """What a rounded root is the root of, None where that is not simple: 2, for 1.41421..."""
        rounded = k.denominator != 1 or (self.written and not _is_simple(number))
        if number <= 0 or not rounded or not _is_moderate(number):
            return None
        root = Fraction(float(number) ** float(1 / k)).limit_denominator(_SIMPLE)
        return root if root and self.near(power_of(root, k), number) else None

    def _pieces(self, f: Form) -> tuple[Fraction, Lin, list[tuple[Form, Fraction]]]:
        """A product as what parameters may share: where that is written, numbers stay in sums."""
        coeff, expo, factors = self.a.parts(f)
        if self.roots:
            return coeff, expo, list(factors)
        pieces = [(g, k) for g, j in factors for k in units(j)]
        pieces = [(self.spelled(g) if k in (1, -1) else g, k) for g, k in pieces]
        for g, k in pieces:
            coeff /= self.a.parts(g)[0] ** int(k)
        return coeff, expo, pieces

    def _shared(
        self, free: list[tuple[Any, Fraction]], f: Form, b: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        coeff, expo, pieces = self._pieces(f)
        powers = [k for _, k in pieces]
        values = [self.a.pow(g, k) for g, k in pieces]
        if expo.terms:
            powers.append(ONE)
            values.append(self.a.exp(expo))
        found = False
        for c, rest in self._given(free, coeff, powers, values, b):
            found = True
            yield c, rest
        if found or not self.written or coeff in (1, -1, 0):
            return
        sign, number = (ONE, coeff) if coeff > 0 else (-ONE, -coeff)
        for k in (ONE, -ONE):  # a number alone is a factor, or a divisor
            yield from self._given(free, sign, [*powers, k], [*values, self.a.const(number)], b)

    def _given(
        self,
        free: list[tuple[Any, Fraction]],
        coeff: Fraction,
        powers: list[Fraction],
        values: list[Form],
        b: Bindings,
    ) -> Iterator[tuple[Bindings, Form]]:
        """Ways to give each of some factors to one of the parameters; a number may be left."""
        if len(values) < len(free):
            return
        lone = sum(k < 0 for _, k in free) == 1
        dealings: Iterator[tuple[int, ...]]
        if self.roots:
            dealings = product(range(len(free)), repeat=len(values))
        else:  # what divides is written as a divisor
            dealings = dealt([k for _, k in free], powers)
        for owners in islice(dealings, SHARES):
            if len(set(owners)) < len(free):
                continue
            c, rest = dict(b), [self.a.const(coeff)]
            for place, (param, k) in enumerate(free):
                mine = [p for p, owner in zip(values, owners, strict=True) if owner == place]
                c[param], left = self._taken(self.a.mul(*mine), k, lone)
                rest.append(left)
            if any(c[param] is self.a.one for param, _ in free):
                continue
            yield c, self.a.mul(*rest)
            above = next((param for param, k in free if k == 1), None)
            if not self.roots and coeff != 1 and above is not None:  # a number is a factor too
                value = self.a.mul(self.a.const(coeff), c[above])
                yield {**c, above: value}, self.a.mul(*rest[1:])

    def _divides(self, d: Form, f: Form) -> bool:
        _, expo, factors = self.a.parts(d)
        mine_expo, mine = dict(self.a.parts(f)[1].terms), dict(self.a.parts(f)[2])
        return all(within(c, mine_expo.get(m)) for m, c in expo.terms) and all(
            within(k, mine.get(g)) for g, k in factors
        )

    # -- sums -----------------------------------------------------------------------------

    def sum(self, p: Sum | Lin, f: Form, b: Bindings) -> Iterator[tuple[Bindings, Fraction, Terms]]:
        """Bindings, a number and the rest with ``f == number * pattern + rest``."""
        terms = self.a.terms_of(f)
        hard = [(m, c) for m, c in p.terms if not is_parameter(m)]
        if self.written:  # what binds one parameter, before a product of them
            hard.sort(key=lambda term: is_open(term[0], b) * len(parts_of(term[0])[2]))
        easy = [(m.var, c) for m, c in p.terms if is_parameter(m)]  # type: ignore[attr-defined]
        bound = [(x, c) for x, c in easy if x in b]
        if not hard and bound:
            yield from self._scale_from_bound(bound, easy, terms, b)
            return
        for c, scale, rest in self._terms(hard, terms, b, None):
            yield from self._leftover(easy, rest, c, ONE if scale is None else scale)

    def _scale_from_bound(
        self,
        bound: list[tuple[Any, Fraction]],
        easy: list[tuple[Any, Fraction]],
        terms: Terms,
        b: Bindings,
    ) -> Iterator[tuple[Bindings, Fraction, Terms]]:
        """A sum of parameters of which one is known says how often the sum is there."""
        value = self.a.terms_of(b[bound[0][0]])
        ratios = {terms[m] / (d * bound[0][1]) for m, d in value.items() if m in terms}
        if any(m not in terms for m in value) or not ratios:
            return
        scale = ONE if all(abs(r) >= 1 and r > 0 for r in ratios) else min(ratios, key=abs)
        yield from self._leftover(easy, terms, b, scale)

    def _terms(
        self, hard: list[tuple[Form, Fraction]], terms: Terms, b: Bindings, scale: Fraction | None
    ) -> Iterator[tuple[Bindings, Fraction | None, Terms]]:
        if not hard:
            yield b, scale, terms
            return
        (m, c), *others = hard
        for n, value, d in self._valued(terms, m):
            for found, r in self.scaled(m, value, b):
                ratio = d * r / c
                if scale is None or self.near(ratio, scale):
                    left = {t: e for t, e in terms.items() if t is not n}
                    yield from self._terms(others, left, found, ratio)

    def _valued(self, terms: Terms, like: Form) -> Iterator[tuple[Form, Form, Fraction]]:
        """Each term, what of it is matched, and how often: a number may be that of a power."""
        for n, d in () if self.roots else terms.items():
            if d not in (1, -1) and self._is_under_root(n, abs(d)):
                yield n, self.a.mul(self.a.const(abs(d)), n), ONE if d > 0 else -ONE
        for n, d in terms.items():
            yield n, n, d
        for n, d in terms.items():
            # ``4 * y**2`` is a square, too.
            if d not in (1, -1) and self._is_power_of(abs(d), like):
                yield n, self.a.mul(self.a.const(abs(d)), n), ONE if d > 0 else -ONE
        for n, d in () if self.roots else terms.items():
            if d.denominator > _SIMPLE:
                yield n, self.a.mul(self.a.const(abs(d)), n), ONE if d > 0 else -ONE

        for n, d in () if self.roots else terms.items():
            if d != 1 and is_parameters(like):
                yield n, self.a.mul(self.a.const(d), n), ONE  # ``3 * x`` is a product, too

    def _is_power_of(self, number: Fraction, like: Form) -> bool:
        """Tell whether a number is such a power as one in a pattern that is of parameters."""
        coeff, expo, factors = parts_of(like)
        if coeff != 1 or expo.terms or not all(is_parameter(g) for g, _ in factors):
            return False
        return any(k != 1 and self._root(number, k) is not None for _, k in factors)

    def _is_under_root(self, n: Form, number: Fraction) -> bool:
        """Tell whether a number that a root is read with is written under that root."""
        factors = [(h, k) for h, k in self.a.parts(n)[2] if k.denominator != 1]
        return len(factors) == 1 and self._inside(*factors[0], number) is not None

    def _leftover(
        self, easy: list[tuple[Any, Fraction]], terms: Terms, b: Bindings, scale: Fraction
    ) -> Iterator[tuple[Bindings, Fraction, Terms]]:
        left = Totals(terms)
        free = []
        for param, c in easy:
            if param not in b:
                free.append((param, c))
                continue
            for m, d in self.a.terms_of(b[param]).items():
                if not within(d * c * scale, left.get(m)):
                    return
                left[m] -= d * c * scale
        rest: Terms = {m: d for m, d in left.items() if d}
        if not free:
            yield b, scale, rest
        elif len(free) == 1 and rest:
            ((param, c),) = free
            yield (
                {**b, param: self.a.add_terms({m: d / (c * scale) for m, d in rest.items()})},
                scale,
                {},
            )
        elif rest:
            yield from self._dealt(free, rest, b, scale)

    def _dealt(
        self, free: list[tuple[Any, Fraction]], rest: Terms, b: Bindings, scale: Fraction
    ) -> Iterator[tuple[Bindings, Fraction, Terms]]:
        for owners in islice(product(range(len(free)), repeat=len(rest)), SHARES):
            if len(set(owners)) < len(free):
                continue
            c = dict(b)
            for place, (param, k) in enumerate(free):
                mine = {
                    m: d / (k * scale)
                    for (m, d), owner in zip(rest.items(), owners, strict=True)
                    if owner == place
                }
                c[param] = self.a.add_terms(mine)
            yield c, scale, {}


def has_number(form: Form, like: Fraction) -> bool:
    """Tell whether a product has a number among its factors, if only a sign where that is like."""
    return is_multiple(form.coeff if isinstance(form, Prod) else ONE, like)


def is_multiple(number: Fraction, like: Fraction) -> bool:
    """Tell whether a number stands where another one is stated: ``y`` is not ``2 * x``."""
    return like == 1 or (number != 1 if like == -1 else abs(number) != 1)


def is_open(p: Form, b: Bindings) -> bool:
    """Tell whether a product consists of parameters that may be anything, and a number."""
    _, expo, hard, easy = _dealt_out(p)
    return not expo.terms and not hard and all(parameter not in b for parameter, _ in easy)


def is_parameters(p: Form) -> bool:
    """Tell whether a pattern is a product of two parameters."""
    coeff, expo, hard, easy = _dealt_out(p)
    alone = coeff == 1 and not expo.terms and not hard and len(easy) == 2
    return alone and all(k == 1 for _, k in easy)


def is_zero(form: Any) -> bool:
    """Tell whether a form is the number 0, in whichever algebra."""
    return isinstance(form, Prod) and not form.coeff


def parts_of(p: Form) -> tuple[Fraction, Lin, tuple[tuple[Form, Fraction], ...]]:
    """A pattern as coefficient, exponent and factors (a pattern that is no product is a factor)."""
    if isinstance(p, Prod):
        return p.coeff, p.expo, p.factors
    return ONE, _NOTHING, ((p, ONE),)


@lru_cache(maxsize=1 << 13)
def _dealt_out(p: Form) -> tuple[Fraction, Lin, list[Any], list[Any]]:
    """A pattern as coefficient, exponent, factors, and those factors that are parameters."""
    coeff, expo, factors = parts_of(p)
    hard = [(g, k) for g, k in factors if not is_parameter(g)]
    easy = [(g.var, k) for g, k in factors if is_parameter(g)]  # type: ignore[attr-defined]
    return coeff, expo, hard, easy


def within(part: Fraction, whole: Fraction | None) -> bool:
    """Tell whether a coefficient is contained in another one."""
    return whole is not None and part * whole > 0 and abs(part) <= abs(whole)


def is_written(j: Fraction, k: Fraction) -> bool:
    """Tell whether a power ``j`` is one of what is written to the power ``k``."""
    return (j / k).denominator == 1 and j / k > 0 and j.denominator == k.denominator


def dealt(owners: list[Fraction], pieces: list[Fraction]) -> Iterator[tuple[int, ...]]:
    """The owner of each piece, of those that have its sign; each has one where that is enough."""
    order: list[int] = []
    choices: list[Iterator[tuple[int, ...]]] = []
    for sign in (1, -1):
        mine = [n for n, k in enumerate(owners) if k * sign > 0]
        places = [n for n, k in enumerate(pieces) if k * sign > 0]
        order += places
        same = len(mine) == len(places)
        if not same and len(owners) > _FEW:
            return  # many factors are regrouped one by one or not at all
        choices.append(permutations(mine) if same else product(mine, repeat=len(places)))
    for above, below in product(*choices):
        owner = dict(zip(order, (*above, *below), strict=True))
        yield tuple(owner[n] for n in range(len(pieces)))


def units(j: Fraction) -> list[Fraction]:
    """A small whole power as that many single ones: a square is a factor twice."""
    if j.denominator != 1 or abs(j) > _TWICE:
        return [j]
    return [ONE if j > 0 else -ONE] * abs(int(j))


def exact_root(number: Fraction, k: Fraction) -> Fraction | None:
    """What is the number to the power ``k``, None where it is not rational or has a sign."""
    if number and k in (1, -1):
        return number ** int(k)
    if number <= 0 or k.denominator != 1 or not _is_moderate(number):
        return None
    root = Fraction(float(number) ** float(1 / k)).limit_denominator(1 << 20)
    return root if root and root ** int(k) == number else None


def _is_simple(number: Fraction) -> bool:
    """Tell whether a number is a fraction to those who write it."""
    return number.denominator <= _SIMPLE


def _is_moderate(number: Fraction) -> bool:
    """Tell whether powers of a number are in the range of floats."""
    return magnitude(number) <= _BITS


_NOTHING = Lin()
_NOTHING.terms = ()
_NOTHING.bcast = ()

__all__ = ["Bindings", "FormMatcher", "Mapping", "is_parameter"]
