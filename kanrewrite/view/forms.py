"""Forms: tensors read as formal products and sums, interned.

A `Prod` is ``coefficient * exp(exponent) * f1**k1 * f2**k2 ...``, a `Sum` is a primitive linear
combination of products (content taken out), an `App` is any other operator over forms, a `Leaf`
is a variable.  Equal modulo associativity, commutativity, units, inverses and
``exp(a + b) == exp(a) * exp(b)`` is *the same object*.  Nothing here builds a graph.

Coefficients and exponents are exact fractions, so what cancels does so exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import wraps
from math import gcd, inf, lcm, prod
from typing import Any, TypeVar, cast

from aesara.graph.basic import Variable
from unification import Var

from kanrewrite.display import brief
from kanrewrite.terms import ELEMENTWISE, Operator

#: How many bits a power of a number may have; there is no end to those of `x**1e9`.
_LONGEST = 1 << 17
#: Roots are computed of numbers up to this power of 2, and come out as such.
_MAGNITUDE = 1000

Bcast = tuple[bool, ...]
Axes = tuple[int, ...]
Value = TypeVar("Value")
Constructor = TypeVar("Constructor", bound=Callable[..., Any])


class Form:
    """A tensor, read.  Compared by identity: an `Algebra` interns what it makes."""

    __slots__ = ("bcast", "home", "nonneg", "uid")
    uid: int
    #: The algebra that made it, which knows its dtype.
    home: Any
    #: Which dimensions have length 1 for sure; constants have none and fit everywhere.
    bcast: Bcast
    #: Is the value at least 0 wherever it is defined?
    nonneg: bool

    @property
    def ndim(self) -> int:
        """How many dimensions it has, 0 for a constant."""
        return len(self.bcast)

    def __repr__(self) -> str:
        return _text(self, _SHOWN)

    def constant_along(self, axes: tuple[int, ...]) -> bool:
        """Tell whether the value is the same everywhere along these axes."""
        return not self.bcast or all(self.bcast[a] for a in axes)


class Leaf(Form):
    """A variable of the graph, or a parameter of a pattern."""

    __slots__ = ("var",)
    var: Any


def is_parameter(form: Any) -> bool:
    """Tell whether a form is a parameter of a pattern."""
    return isinstance(form, Leaf) and isinstance(form.var, Var)


class App(Form):
    """An operator that is neither a product nor a sum, over forms and parameters."""

    __slots__ = ("args", "op")
    op: Operator
    args: tuple[Any, ...]

    @property
    def forms(self) -> tuple[Form, ...]:
        """The operands, without the parameters."""
        return tuple(a for a in self.args if isinstance(a, Form))


class Lin(Form):
    """An expanded linear combination ``c1*m1 + c2*m2 + ...``: what exponents are."""

    __slots__ = ("terms",)
    terms: tuple[tuple[Form, Fraction], ...]


class Prod(Form):
    """``coeff * exp(expo) * f1**k1 * ...``; the factors are in canonical order."""

    __slots__ = ("coeff", "expo", "factors")
    coeff: Fraction
    expo: Lin
    factors: tuple[tuple[Form, Fraction], ...]


class Sum(Form):
    """A primitive sum: two or more terms without common content."""

    __slots__ = ("terms",)
    terms: tuple[tuple[Form, Fraction], ...]


#: How many operators of a form are written inside each other.
_SHOWN = 5


def _text(form: Any, depth: int) -> str:
    """A form in the notation of patterns, for messages."""
    if isinstance(form, Leaf):
        return brief(form.var, depth) if isinstance(form.var, Variable) else str(form.var)
    if not isinstance(form, Form):
        return str(form)
    if not depth:
        return "…"
    if isinstance(form, App):
        return f"{form.op.name}({', '.join(_text(a, depth - 1) for a in form.args)})"
    if isinstance(form, Prod):
        powers = [(_text(f, depth - 1), k) for f, k in form.factors]
        parts = [text if k == 1 else f"{text}**{_number(k)}" for text, k in powers]
        if form.expo.terms:
            parts.insert(0, f"exp({_text(form.expo, depth - 1)})")
        number = [] if form.coeff == 1 and parts else [_number(form.coeff)]
        return " * ".join([*number, *parts])
    terms: Any = getattr(form, "terms", ())
    texts = [(_text(m, depth - 1), c) for m, c in terms]
    total = " + ".join(text if c == 1 else f"{_number(c)} * {text}" for text, c in texts)
    return f"({total})" if isinstance(form, Sum) else total or "0"


def _number(value: Fraction) -> str:
    """A number as it is written in a pattern."""
    return f"{nearest_float(value):.6g}" if value >= 0 else f"({nearest_float(value):.6g})"


def nearest_float(number: Fraction) -> float:
    """What a float holds of a number: an infinity of one that is out of range."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def has_power(number: Fraction, k: Fraction) -> bool:
    """Whether a number to a power is one that can be written down: a root is made of floats."""
    if not number or abs(number) == 1:
        return bool(number) or k >= 0
    if k.denominator > 1:
        return magnitude(number) * max(abs(k), ONE) <= _MAGNITUDE
    size = number.numerator.bit_length() + number.denominator.bit_length()
    return size * abs(k) <= _LONGEST


def magnitude(number: Fraction) -> int:
    """How many times a number can be halved, or doubled, until it is about 1."""
    return abs(number.numerator.bit_length() - number.denominator.bit_length())


def power_of(number: Fraction, k: Fraction) -> Fraction:
    """``number**k``, rounded where it is not rational."""
    return number ** int(k) if k.denominator == 1 else Fraction(float(number) ** float(k))


def is_exact(number: Fraction) -> bool:
    """Whether a product with a number rounds nothing."""
    n, d = abs(number.numerator), number.denominator
    return n == power_of_two(n) and d == power_of_two(d)


def power_of_two(n: int) -> int:
    """The largest power of two that divides a number."""
    return n & -n


Terms = dict[Form, Fraction]
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


class Totals(Terms):
    """Coefficients being added up: what is not there counts as zero."""

    __slots__ = ()

    def __missing__(self, form: Form) -> Fraction:
        return ZERO


def as_number(form: Form) -> Fraction | None:
    """The number that a form is, None where it is none."""
    if not isinstance(form, Prod) or form.expo.terms or form.factors:
        return None
    return form.coeff


def added_up(items: Iterable[tuple[Form, Fraction]]) -> Totals:
    """Terms that may have become alike, as with ones beside what is as long."""
    found = Totals()
    for form, coefficient in items:
        found[form] += coefficient
    return found


def content(*exponents: Lin) -> Fraction:
    """The largest number of which all coefficients are whole multiples; 1 where there are none."""
    coeffs = [c for e in exponents for _, c in e.terms]
    return Fraction(gcd(*(c.numerator for c in coeffs)) or 1, lcm(*(c.denominator for c in coeffs)))


def join_bcast(parts: list[Bcast]) -> Bcast:
    """The broadcast pattern of an elementwise operator's result."""
    full = {p for p in parts if p}
    if len(full) > 1:
        return tuple(map(all, zip(*full, strict=False)))
    return full.pop() if full else ()


def pieces(form: Form) -> list[Form]:
    """What a form is made of: factors, terms or operands."""
    if isinstance(form, Prod):
        return [*(m for m, _ in form.expo.terms), *(f for f, _ in form.factors)]
    if isinstance(form, Sum | Lin):
        return [m for m, _ in form.terms]
    return list(form.forms) if isinstance(form, App) else []


def is_elementwise(form: Form) -> bool:
    """Tell whether a form is made of its pieces one element at a time."""
    return isinstance(form, Lin | Prod | Sum) or (isinstance(form, App) and form.op in ELEMENTWISE)


def within(*forms: Form, opens: Callable[[Form], bool] = lambda form: True) -> dict[Form, None]:
    """Forms and all forms in those of them that are opened, each once."""
    return dict.fromkeys(walked(*forms, opens=opens))


def walked(*forms: Form, opens: Callable[[Form], bool] = lambda form: True) -> Iterator[Form]:
    """The same one after the other, for whoever need not see all."""
    seen: set[Form] = set()
    stack = [*forms]
    while stack:
        part = stack.pop()
        if part not in seen:
            seen.add(part)
            yield part
            stack.extend(pieces(part) if opens(part) else ())


def remembered(f: Callable[[Form], Value]) -> Callable[[Form], Value]:
    """Work a property of a form out once: forms never change, and share their parts."""

    @wraps(f)
    def property_of(form: Form) -> Value:
        known = form.home.known
        key = f, form
        if key not in known:
            known[key] = f(form)
        value: Value = known[key]
        return value

    return property_of


@remembered
def operators_within(form: Form) -> frozenset[Operator]:
    """The operators in a form."""
    own = frozenset((form.op,)) if isinstance(form, App) else frozenset()
    return own.union(*map(operators_within, pieces(form)))


#: Powers of a sum above this count as this one.
_HIGHEST = 8


@remembered
def length(form: Form) -> int:
    """How many terms a form has once it is multiplied out, what it is divided by left as it is."""
    if isinstance(form, Sum):
        return sum(length(m) for m, _ in form.terms)
    if not isinstance(form, Prod):
        return 1
    sums = [(f, k) for f, k in form.factors if isinstance(f, Sum) and k.denominator == 1 and k > 0]
    return prod(length(f) ** min(int(k), _HIGHEST) for f, k in sums) if form.coeff else 0


def made_once(constructor: Constructor) -> Constructor:
    """Let a constructor of an `Interner` make the form of the same operands once."""
    name = constructor.__name__

    @wraps(constructor)
    def again(a: Interner, *operands: Hashable) -> Form:
        key = (name, *operands)
        form = a.results.get(key)
        if form is None:
            form = a.results[key] = constructor(a, *operands)
        return form

    return cast(Constructor, again)


class Interner:
    """Makes each form once; two forms of one key are one object."""

    def __init__(self) -> None:
        self._table: dict[Hashable, Form] = {}
        #: Own operators that an exponential passes, so that it still shows.
        self.passed: frozenset[Operator] = frozenset()
        #: What `remembered` functions have found out.
        self.known: dict[tuple[Callable[[Form], Any], Form], Any] = {}
        #: What constructors have `made_once`.
        self.results: dict[Hashable, Form] = {}

    def intern(self, key: Hashable, make: Callable[[], Form]) -> Any:
        """The form of a key, made if there is none yet."""
        form = self._table.get(key)
        if form is None:
            form = make()
            form.home = self
            form.uid = len(self._table)
            self._table[key] = form
        return form

    def __len__(self) -> int:
        return len(self._table)
