"""`View`: reading, matching and building for one set of relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
from aesara.graph.basic import Variable

from kanrewrite.guards.values import Sign, broadcastable_of, constant_of, dtype_of, sign_of
from kanrewrite.laws import Laws
from kanrewrite.relation import Relation, substitute
from kanrewrite.relation.roles import operators_in
from kanrewrite.terms import T
from kanrewrite.unify import as_graph, node_term
from kanrewrite.view.build import Builder
from kanrewrite.view.closing import is_sum
from kanrewrite.view.fit import fitted
from kanrewrite.view.forms import (
    ONE,
    ZERO,
    App,
    Form,
    Leaf,
    Prod,
    Sum,
    as_number,
    is_exact,
    length,
    nearest_float,
    walked,
)
from kanrewrite.view.instantiate import as_stated, instantiate, is_form
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.matching import Bindings, FormMatcher
from kanrewrite.view.moves import Index
from kanrewrite.view.patterns import PatternAlgebra, pattern_form
from kanrewrite.view.plain import PlainBuilder
from kanrewrite.view.read import View as Reader
from kanrewrite.view.recognise import Recogniser, Recognition, compiled, matches, scaled_sum
from kanrewrite.view.rules import Definitions, recognitions
from kanrewrite.view.stating import Stating, asks_for_order, is_choice
from kanrewrite.view.written import as_known, is_known, is_written, regroups

#: Operators whose value is positive whatever their operands are.
POSITIVE = frozenset({T.sigmoid, T.softplus, T.softmax, T.cosh, T.exp})


@lru_cache(maxsize=16)
def _rules(
    relations: tuple[Relation, ...], modulo: tuple[Relation, ...]
) -> tuple[Recognition, ...]:
    return tuple(compiled(recognitions(relations), _laws_of((*relations, *modulo))))


def _laws_of(relations: tuple[Relation, ...], powers: bool = True) -> Laws:
    return _laws(relations, tuple(r.source for r in relations), powers)


@lru_cache(maxsize=16)
def _laws(
    relations: tuple[Relation, ...],
    places: tuple[str, ...],  # noqa: ARG001  # equal relations of two places are told apart
    powers: bool,
) -> Laws:
    """What relations make of operators: a view is made for each graph, and this once."""
    return Laws(relations, powers)


class Rest:
    """What a match left over, and how a result goes back into it.

    If nothing, or only a number, is left, then the whole is ``times`` the pattern.  What was found
    may be a part that the graph has by itself, too.
    """

    def __init__(self, join: Any, left: Form, times: Fraction | None = None, part: bool = False):
        self.join, self.left, self.times, self.is_part = join, left, times, part


class View:
    """How some relations read a graph.

    Parameters
    ----------
    relations
        Their definitions are followed: an operator that an equation explains is read as what the
        equation says it is; and so are their lifts.
    modulo
        Further lifts that are followed, which rewrite nothing.
    written
        Whether roots and powers are found only where they are written, not in ``x`` as its root
        squared or in an exponential.
    """

    def __init__(
        self,
        relations: Iterable[Relation] = (),
        modulo: Iterable[Relation] = (),
        written: bool = False,
    ):
        self._written = written
        self._whole = False
        self._kept: set[Variable[Any, Any]] = set()
        self._relations = tuple(relations)
        self._modulo = tuple(modulo)
        laws = _laws_of((*self._relations, *self._modulo), powers=not written)
        self._definitions = laws.definitions
        self.reader = Reader(laws)
        self._patterns = PatternAlgebra(laws=laws)
        self._builders: dict[str, PlainBuilder] = {}

    @property
    def definitions(self) -> Definitions:
        """Operators that are read as what they mean."""
        return self._definitions

    def read(self, variable: Variable[Any, Any], /) -> Form:
        """A variable as a form; a sum that is kept, as what its operator makes of its terms."""
        if variable in self._kept:
            return self.reader.read_again(variable)
        return self.reader.read(variable)

    def pattern(self, term: Any, /) -> Form:
        """A pattern in the normal form of the forms."""
        return pattern_form(term, self._patterns, self._definitions)

    def match(self, pattern: Form, form: Form, /) -> Iterator[tuple[Bindings, Rest | None]]:
        """The bindings under which a form holds the pattern, each with what is left."""
        algebra = self._home(form)
        if self._written and not (_mirrored(pattern) or is_written(form, self.reader)):
            return
        fixed = any(axis is not None for axis in pattern.home.named.values())
        matcher = FormMatcher(algebra, self.opened, not self._written, self._spelled, self._sum)
        for bindings, rest in self._matches(matcher, pattern, form):
            if not (fixed and self._turns(bindings)):
                yield bindings, rest
        if isinstance(form, Prod) and scaled_sum(pattern) is not None:
            yield from self._in_factors(matcher, pattern, form)

    def _matches(
        self, matcher: FormMatcher, pattern: Form, form: Form
    ) -> Iterator[tuple[Bindings, Rest]]:
        """The same of the whole of a form, or of what it divides by."""
        sums, found = scaled_sum(pattern) is not None, False
        for bindings, rest, join in matches(matcher, pattern, form):
            if not (sums and self._whole and matcher.a.terms_of(rest)):
                alone = not sums or not matcher.a.terms_of(rest)
                times = as_number(join(matcher.a.one, rest)) if alone else None
                if not (self._written and regroups(pattern, bindings, times, self.reader)):
                    found = True
                    yield bindings, Rest(join, rest, times)
        if not (sums or found or self._whole) and matcher.may_divide(pattern, form):
            one = matcher.a.one
            for bindings, rest, join in matches(matcher, pattern, matcher.a.div(one, form)):
                yield bindings, Rest(partial(_within, matcher.a, one, -ONE, join), rest)

    def _in_factors(
        self, matcher: FormMatcher, pattern: Form, form: Prod
    ) -> Iterator[tuple[Bindings, Rest]]:
        """The same of a pattern that is a sum, in factors that are."""
        for factor, power in form.factors:
            if not isinstance(factor, Sum):
                continue
            around = self._around(form, factor, power)
            for bindings, rest, join in matches(matcher, pattern, factor):
                if self._whole and matcher.a.terms_of(rest):
                    continue
                inside = partial(_within, matcher.a, around, power, join)
                yield bindings, Rest(inside, rest, part=is_known(factor, self.reader))

    def _turns(self, bindings: Bindings) -> bool:
        """Whether a parameter stands for something transposed that the graph has not transposed."""
        forms = (value for value in bindings.values() if isinstance(value, Form))
        return any(
            isinstance(form, App)
            and form.op is T.dimshuffle
            and form.args[1].inverse() is not None
            and not form.args[1].is_identity()
            and not is_known(form, self.reader)
            for form in walked(*forms)
        )

    def _around(self, form: Form, factor: Form, power: Fraction) -> Form:
        """What a factor is multiplied with, by what of it is in the graph."""
        algebra: Lifting = form.home
        around = algebra.div(form, algebra.pow(factor, power))
        return as_known(around, self.reader) if self._written else around

    def _spelled(self, form: Form) -> Form:
        """A sum as the multiple of it that is in the graph."""
        return form if form in self.reader.origin else self.reader.multiples.get(form, form)

    def _sum(self, form: Form) -> Form:
        """A sum that is kept, inside of something else, as what it is by itself."""
        if isinstance(form, Leaf) and form.var in self._kept:
            return self.reader.read_again(form.var)
        return form

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Match sums as a whole only, their terms grouped as written, and nothing turned over."""
        self._whole = True
        try:
            yield
        finally:
            self._whole = False

    def instantiate(self, term: Any, bindings: Mapping[Any, Any], /) -> Form:
        """A term with its parameters bound, as a form."""
        rests = [value for value in bindings.values() if isinstance(value, Rest)]
        if rests:  # the result of a match goes back into what the match left
            (result,) = (value for value in bindings.values() if not isinstance(value, Rest))
            joined: Form = rests[0].join(result, rests[0].left)
            return joined
        if not all(map(is_form, operators_in(term))):
            return self.as_written(term, bindings)  # no form is made of these operators
        made: Form = instantiate(as_stated(term), bindings, self._home_of(bindings))
        return made

    def stated(
        self,
        term: Any,
        bindings: Mapping[Any, Any],
        pattern: Any,
        rest: Rest,
        out: Variable[Any, Any],
        /,
    ) -> Form:
        """A term with its parameters bound, built as it is stated and taken as it is.

        What it shares with the pattern is taken from the graph.
        """
        algebra = self._home(next(v for v in bindings.values() if isinstance(v, Form)))
        if is_choice(term) and (rest.is_part or self._is_inside(pattern, bindings, rest, out)):
            return self.read(out)  # where it is by itself, what is chosen stays as written
        builder = self._builder(algebra.dtype)

        def value(of: Any) -> Any:
            if isinstance(of, int | float):
                return at.constant(np.asarray(of, algebra.dtype))
            return builder.value(of) if isinstance(of, Form) else of

        def product(number: Fraction, made: Any) -> Any:
            return value(algebra.mul(algebra.const(number), self.reader.leaf(made, algebra)))

        known = partial(self._known, bindings=bindings, algebra=algebra)
        stating = Stating(pattern, bindings, value, product, known, out)
        if rest.times is not None:
            return self.reader.leaf(stating.times(rest.times, term), algebra)

        def around(made: Any) -> Form:
            return rest.join(self.reader.leaf(made, algebra), rest.left)  # type: ignore[no-any-return]

        # Where the pattern is chosen, all stays as it is written.
        if is_choice(term) and not asks_for_order(pattern, term):
            made = stating.chosen(term, lambda made: value(around(made)))
            return self.reader.leaf(made, algebra)
        return around(stating.made(term))

    def _is_inside(
        self, pattern: Any, bindings: Mapping[Any, Any], rest: Rest, out: Variable[Any, Any]
    ) -> bool:
        """Whether what is found in a product is in a variable of the graph, which is not all of it.

        So it is if a root of a number, which was rounded, is left beside it.
        """
        if rest.times is not None or is_sum(out.owner):
            return False
        if not all(map(is_form, operators_in(pattern))):
            return False
        algebra = self._home_of(bindings)
        if not is_exact(algebra.parts(rest.join(algebra.one, rest.left))[0]):
            return True
        found = instantiate(pattern, bindings, algebra)
        return is_known(found, self.reader) and self.reader.origin.get(found) is not out

    def _known(
        self, term: Any, bindings: Mapping[Any, Any], algebra: Lifting
    ) -> Variable[Any, Any] | None:
        """The variable of the graph that a term stands for."""
        if not all(map(is_form, operators_in(term))):
            return None
        return self.reader.origin.get(instantiate(as_stated(term), bindings, algebra))

    def keep(self, variable: Variable[Any, Any], /) -> None:
        """Take a variable as it is from now on: it is grouped as somebody has stated."""
        self.reader.read_as_leaf(variable)
        if is_sum(variable.owner):
            self._kept.add(variable)

    def _home_of(self, bindings: Mapping[Any, Any]) -> Lifting:
        forms = [value for value in bindings.values() if isinstance(value, Form)]
        return self._home(forms[0]) if forms else self.reader.algebra(aesara.config.floatX)

    def as_written(self, term: Any, bindings: Mapping[Any, Any], /) -> Form:
        """A term with its parameters bound: what Aesara builds of it, taken as it is."""
        algebra = self._home_of(bindings)
        builder = self._builder(algebra.dtype)

        def plain(value: Any) -> Any:
            if isinstance(value, Index):
                return value.index()
            return builder.value(value) if isinstance(value, Form) else value

        built = as_graph(substitute(term, {p: plain(value) for p, value in bindings.items()}))
        if not isinstance(built, Variable):
            return algebra.const(built)
        return self.reader.leaf(built, algebra)

    def build(self, form: Form, like: Variable[Any, Any], /) -> Variable[Any, Any]:
        """A form as a graph of the type of a variable."""
        return fitted(self._builder(like.type.dtype).value(form), like)

    def reduced(self, variable: Variable[Any, Any], /) -> Variable[Any, Any] | None:
        """A sum of which terms have cancelled while it was read, None where none has."""
        form = self.read(variable)
        algebra = self._home(form)
        operands = [self.reader.operand(x, algebra) for x in variable.owner.inputs]
        if length(form) >= sum(map(length, operands)) or not _cancels(form, operands, algebra):
            return None
        known = self.reader.origin.pop(form, None)
        try:
            return self.build(form, variable)
        finally:
            if known is not None:
                self.reader.origin[form] = known

    def _builder(self, dtype: str) -> PlainBuilder:
        if dtype not in self._builders:
            self._builders[dtype] = PlainBuilder(self.reader, dtype, self._safe(dtype))
        return self._builders[dtype]

    def _safe(self, dtype: str) -> Builder | None:
        if not self._definitions:
            return None
        return Builder(self.reader, dtype, Recogniser(_rules(self._relations, self._modulo)))

    def opened(self, leaf: Leaf) -> Form | None:
        """A leaf as the operator over operands that it hides."""
        node = getattr(leaf.var, "owner", None)
        if node is None or leaf.var is not node.outputs[0]:
            return None
        algebra = self._home(leaf)

        def read(variable: Variable[Any, Any]) -> Any:
            tensor = hasattr(variable.type, "dtype")
            return self.reader.operand(variable, algebra) if tensor else variable

        return algebra.app(*node_term(node, read), bcast=leaf.bcast)

    def _home(self, form: Form) -> Lifting:
        return form.home  # type: ignore[no-any-return]


def _mirrored(pattern: Form) -> bool:
    """Whether a pattern is itself a sum that is read without one of its exponentials."""
    return isinstance(pattern, Prod) and bool(pattern.expo.terms) and scaled_sum(pattern) is None


def _cancels(form: Form, operands: list[Form], algebra: Lifting) -> bool:
    """Whether at most half of some term is left: of what is only added up, nothing is lost."""
    left = algebra.terms_of(form)
    terms = (pair for x in operands for pair in algebra.terms_of(x).items())
    return any(2 * abs(left.get(m, ZERO)) <= abs(c) for m, c in terms)


def _within(
    algebra: Lifting, around: Form, power: Fraction, join: Any, new: Form, left: Form
) -> Form:
    """A product in which one factor, a sum, has been rewritten."""
    return algebra.mul(around, algebra.pow(join(new, left), power))


@dtype_of.register(Form)
def _(form: Form) -> str:
    if isinstance(form, Leaf) and isinstance(form.var, Variable):
        return str(form.var.type.dtype)
    return str(form.home.dtype)


@broadcastable_of.register(Form)
def _(form: Form) -> tuple[bool, ...]:
    return form.bcast


@constant_of.register(Form)
def _(form: Form) -> Any:
    number = as_number(form)
    if number is not None:
        return nearest_float(number)
    return getattr(form.var, "data", None) if isinstance(form, Leaf) else None


@sign_of.register(Form)
def _(form: Form) -> Sign:
    """What is known of factors, terms and operators; an exponential is positive."""
    if isinstance(form, Prod):
        if form.coeff <= 0:
            return "negative" if form.coeff and not form.factors else "unknown"
        signs = [_sign_of_power(f, k) for f, k in form.factors]
        return next((s for s in ("unknown", "nonnegative") if s in signs), "positive")
    if isinstance(form, Sum) and all(c > 0 for _, c in form.terms):
        terms = [sign_of(m) for m, _ in form.terms]
        if all(s in ("positive", "nonnegative") for s in terms):
            return "positive" if "positive" in terms else "nonnegative"
    if isinstance(form, App) and form.op in POSITIVE:
        return "positive"
    if isinstance(form, Leaf) and isinstance(form.var, Variable):
        known = sign_of(form.var)
        return known if known != "unknown" or not form.nonneg else "nonnegative"
    return "nonnegative" if form.nonneg else "unknown"


def _sign_of_power(form: Form, k: Fraction) -> Sign:
    sign = sign_of(form)
    even = k.denominator == 1 and k.numerator % 2 == 0
    if sign == "negative":
        return "unknown"
    return "nonnegative" if even and sign == "unknown" else sign
