"""Real numbers kept on several scales, so that nothing is absorbed.

A binary floating number of any length loses ``exp(-1e18)`` in ``1 + exp(-1e18)``; doubling the
precision does not help, and two precisions then agree on a wrong answer. Here a number is a sum of
parts far apart in magnitude, each with the working precision: ``1 + e`` keeps both parts, and
``log(1 - 1 / (1 + exp(1e18)))`` comes out as ``-1e18``.

A difference of which less than a quarter of the digits is left is taken for zero, and so is what
lies below the scales that were kept (a number knows its floor). If it is not zero, doubling the
digits and the scales shows it, because then the two answers differ.

References
----------
The parts are a truncated asymptotic expansion; the idea of an unevaluated sum of floating numbers
is D. M. Priest, "Algorithms for arbitrary precision floating point arithmetic", ARITH-10, 1991.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache, reduce
from typing import Any

import mpmath
from mpmath import libmp

from kanrewrite.reference.alike import counted

Raw = tuple[int, Any, int, int]  # mpmath's (sign, mantissa, exponent, bits of the mantissa)

_ROUND = "n"
SCALES = 10  # kept at most, if nothing asks for more
_LOWEST = -(2**80)  # below everything that inputs and a few functions of them reach


class Real:
    """An extended real: a sum of parts of falling magnitude, no parts for zero.

    Parameters
    ----------
    parts : tuple of raw mpmath numbers
        Non-zero, each far smaller than the one before it; or a single infinity or nan.
    floor : int, optional
        Below ``2**floor`` nothing is known: smaller parts were dropped. None if nothing was.
    """

    __slots__ = ("floor", "parts")

    def __init__(self, parts: tuple[Raw, ...], floor: int | None = None) -> None:
        self.parts = parts
        self.floor = floor

    def __repr__(self) -> str:
        return f"Real({' + '.join(libmp.to_str(part, 15) for part in self.parts) or '0'})"


ZERO = Real(())
ONE = Real((libmp.fone,))
INF = Real((libmp.finf,))
MINUS_INF = Real((libmp.fninf,))
NAN = Real((libmp.fnan,))


def magnitude(part: Raw) -> int:
    """The exponent `m` with ``2**(m - 1) <= abs(part) < 2**m``."""
    return part[2] + part[3]


def is_special(x: Real) -> bool:
    """Whether `x` is infinite or nan."""
    return len(x.parts) == 1 and not x.parts[0][1]


def is_nan(x: Real) -> bool:
    """Whether `x` is nan."""
    return x.parts == NAN.parts


def is_inf(x: Real) -> bool:
    """Whether `x` is an infinity."""
    return x.parts in (INF.parts, MINUS_INF.parts)


def lead(x: Real) -> Raw:
    """The largest part of `x`."""
    return x.parts[0] if x.parts else libmp.fzero


def sign(x: Real) -> int:
    """-1, 0 or 1; of nan 0."""
    return int(libmp.mpf_sign(lead(x)))


def real(value: Any) -> Real:
    """The exact value of a Python number, or of mpmath's."""
    if isinstance(value, int):
        raw = libmp.from_int(value)
    else:
        raw = getattr(value, "_mpf_", None) or libmp.from_float(value)
    return Real((raw,)) if raw != libmp.fzero else ZERO


def top(*floors: int | None) -> int | None:
    """The highest of the floors, None being the lowest."""
    return max((floor for floor in floors if floor is not None), default=None)


def raised(floor: int | None, by: int) -> int | None:
    """`floor` shifted by a factor ``2**by``."""
    return None if floor is None else floor + by


@lru_cache(maxsize=32)
def _context(bits: int) -> mpmath.MPContext:
    """A context of its own for each precision: to make one takes milliseconds."""
    context = mpmath.MPContext()
    context.prec = bits
    return context


class Arithmetic:
    """Arithmetic on :class:`Real` at one working precision.

    Every meaning receives one, and it is all the state there is.

    Parameters
    ----------
    digits : int
        Decimal digits of each part; a tenth as many scales are kept, and five at least.
    saturate : bool
        Whether ``exp(x)`` of ``abs(x) > 2**16384`` is an infinity or zero, and not an error.
    scales : int
        How many scales are kept at most.
    """

    def __init__(self, digits: int, saturate: bool = True, scales: int = SCALES) -> None:
        self.digits = digits
        self.saturate = saturate
        self.scales = min(max(5, digits // 10), scales)
        self.bits: int = libmp.dps_to_prec(digits)
        self.separate = self.bits // 2  # parts nearer than this are added up
        self.noise = 3 * self.bits // 4  # what cancels by more than this is nothing but rounding
        self.context = _context(self.bits)

    # --- sums -------------------------------------------------------------------------------
    def add(self, x: Real, y: Real) -> Real:
        """``x + y``."""
        if len(x.parts) == len(y.parts) == 1 and x.floor is y.floor is None:
            a, b = x.parts[0], y.parts[0]
            gap = a[2] + a[3] - b[2] - b[3]
            if a[1] and b[1] and not -self.separate <= gap <= self.separate:
                return Real((a, b) if gap > 0 else (b, a))
            total = self._join(a, b)
            return Real((total,)) if total != libmp.fzero else ZERO
        return self.total([x, y])

    def total(self, terms: Iterable[Real]) -> Real:
        """The sum of `terms`."""
        terms = [
            term if count == 1 else self.mul(real(count), term)
            for term, count in counted(list(terms))
        ]
        floor = top(*[term.floor for term in terms])
        return self._merge([part for term in terms for part in term.parts], floor)

    def neg(self, x: Real) -> Real:
        """``-x``."""
        return Real(tuple([libmp.mpf_neg(part) for part in x.parts]), x.floor)

    def sub(self, x: Real, y: Real) -> Real:
        """``x - y``."""
        return self.add(x, self.neg(y))

    def _join(self, a: Raw, b: Raw) -> Raw:
        total: Raw = libmp.mpf_add(a, b, self.bits, _ROUND)
        if a[0] == b[0] or not total[1]:
            return total
        lost = max(magnitude(a), magnitude(b)) - magnitude(total)
        return libmp.fzero if lost > self.noise else total

    def _merge(self, parts: list[Raw], floor: int | None) -> Real:
        special = [part for part in parts if not part[1]]
        if special:
            return Real((reduce(self._join, special),))
        parts.sort(key=magnitude)
        kept: list[Raw] = []
        while parts and len(kept) < self.scales:
            first = parts.pop()
            if parts and magnitude(first) - magnitude(parts[-1]) <= self.separate:
                total = self._join(first, parts.pop())
                if total[1]:
                    insort(parts, total, key=magnitude)
            elif floor is None or magnitude(first) > floor:
                kept.append(first)
        if parts:
            floor = top(floor, magnitude(parts[-1]) + 1)
        return Real(tuple(kept), floor)

    # --- products ---------------------------------------------------------------------------
    def mul(self, x: Real, y: Real) -> Real:
        """``x * y``; ``0 * inf`` is nan."""
        if len(x.parts) == len(y.parts) == 1 and x.floor is y.floor is None:
            return Real((libmp.mpf_mul(x.parts[0], y.parts[0], self.bits, _ROUND),))
        if is_special(x) or is_special(y):
            return Real((libmp.mpf_mul(lead(x), lead(y), self.bits, _ROUND),))
        floor = top(raised(x.floor, size(y)), raised(y.floor, size(x)))
        if len(y.parts) == 1:
            x, y = y, x
        if len(x.parts) == 1:  # the others stay as far from each other as they are
            parts = [libmp.mpf_mul(x.parts[0], b, self.bits, _ROUND) for b in y.parts]
            return Real(tuple([p for p in parts if floor is None or magnitude(p) > floor]), floor)
        products = []
        for i, a in enumerate(x.parts):
            # the product of the i-th and the j-th part lies below (i + 1) * (j + 1) - 1 others
            count = self.scales // (i + 1)
            products += [libmp.mpf_mul(a, b, self.bits, _ROUND) for b in y.parts[:count]]
            if count < len(y.parts):
                floor = top(floor, magnitude(a) + magnitude(y.parts[count]) + 1)
        return self._merge(products, floor)

    def inv(self, x: Real) -> Real:
        """``1 / x``; ``1 / 0`` is inf, zero having no sign."""
        return self.div(ONE, x)

    def div(self, x: Real, y: Real) -> Real:
        """``x / y``; ``x / 0`` is an infinity with the sign of `x`, and ``0 / 0`` nan."""
        if not y.parts:
            return self.mul(x, INF)
        if is_special(x) or is_special(y):
            q = libmp.mpf_div(lead(x), lead(y), self.bits, _ROUND)
            return Real((q,)) if q != libmp.fzero else ZERO
        first, t = self.relative(y)
        if t is not ZERO:
            x = self.mul(x, self.series(self.neg(t), [ONE] * self.scales))
        quotients = [libmp.mpf_div(part, first.parts[0], self.bits, _ROUND) for part in x.parts]
        return Real(tuple(quotients), raised(x.floor, 1 - size(first)))

    def series(self, t: Real, coefficients: Sequence[Real]) -> Real:
        """``c[0] + c[1] * t + ...``, for a small `t` and coefficients of at most one."""
        if len(t.parts) == 1 and t.floor is None:
            value = self._powers(t.parts[0], coefficients)
        else:
            value = coefficients[-1]
            for coefficient in reversed(coefficients[:-1]):
                value = self.add(coefficient, self.mul(value, t))
        return Real(value.parts, top(value.floor, len(coefficients) * size(t) + 1))

    def _powers(self, t: Raw, coefficients: Sequence[Real]) -> Real:
        """The terms of a series in a number of one part, each a part of its own."""
        terms, power = [], libmp.fone
        for coefficient in coefficients:
            terms += [libmp.mpf_mul(c, power, self.bits, _ROUND) for c in coefficient.parts]
            power = libmp.mpf_mul(power, t, self.bits, _ROUND)
        return self._merge(terms, None)

    @cached_property
    def inverse_factorials(self) -> list[Real]:
        """``1 / k!`` for as many k as scales are kept."""
        return [self.of(1 / self.context.factorial(k)) for k in range(self.scales)]

    @cached_property
    def harmonics(self) -> list[Real]:
        """0, 1, ``-1/2``, ``1/3`` and so on, up to as many as scales are kept."""
        signs = [real((-1) ** (k + 1)) for k in range(self.scales + 1)]
        return [ZERO] + [self.div(signs[k], real(k)) for k in range(1, self.scales + 1)]

    def relative(self, x: Real) -> tuple[Real, Real]:
        """`x` as ``first * (1 + t)``: its largest part and the small `t`."""
        first = Real(x.parts[:1])
        if len(x.parts) == 1 and x.floor is None:
            return first, ZERO
        return first, self.div(Real(x.parts[1:], x.floor), first)

    # --- order ------------------------------------------------------------------------------
    def compare(self, x: Real, y: Real) -> int | None:
        """-1, 0 or 1 as `x` is below, equal to or above `y`; None where one is nan.

        What agrees to three quarters of the working digits is equal.
        """
        if is_nan(x) or is_nan(y):
            return None
        if is_inf(x) and x.parts == y.parts:
            return 0
        return sign(self.sub(x, y))

    # --- mpmath -----------------------------------------------------------------------------
    def collapse(self, x: Real) -> Raw:
        """One mpmath number for `x`: its parts added up as far as the precision reaches."""
        value = lead(x)
        for part in x.parts[1:]:
            if magnitude(value) - magnitude(part) > self.bits:
                break
            value = libmp.mpf_add(value, part, self.bits, _ROUND)
        return value

    def number(self, x: Real) -> Any:
        """`x` as an ``mpf`` of :attr:`context`."""
        return self.context.make_mpf(self.collapse(x))

    def of(self, value: Any) -> Real:
        """An ``mpf`` (or a Python number) as a :class:`Real`."""
        raw = self.context.convert(value)._mpf_
        return Real((raw,)) if raw != libmp.fzero else ZERO

    def smooth(self, x: Real, f: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Real:
        """``f(x)`` for an mpmath function: its value at the largest part, its slope for the rest.

        Parameters
        ----------
        x : Real
            A finite number.
        f, slope : callable
            The function and its derivative, from ``mpf`` to ``mpf``.

        Returns
        -------
        Real
        """
        first = self.context.make_mpf(lead(x))
        value = self.of(f(first))
        if len(x.parts) <= 1 and x.floor is None:
            return value
        rest = Real(x.parts[1:], x.floor)
        change = self.mul(self.of(slope(first)), rest)
        # the next term is smaller by a factor of `rest`, give or take a few bits
        next_term = size(change) + size(rest) + 8
        return self.add(value, Real(change.parts, top(change.floor, next_term)))


def size(x: Real) -> int:
    """The magnitude of `x`, of zero its floor (very low for an exact zero)."""
    if x.parts:
        return magnitude(x.parts[0])
    return _LOWEST if x.floor is None else x.floor
