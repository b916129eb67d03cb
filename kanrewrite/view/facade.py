"""`View`: reading, matching and building for one set of relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import aesara
from aesara.graph.basic import Variable

from kanrewrite.guards.values import Sign, broadcastable_of, constant_of, dtype_of, sign_of
from kanrewrite.laws import Laws
from kanrewrite.relation import Relation
from kanrewrite.unify import node_term
from kanrewrite.view.build import Builder
from kanrewrite.view.fit import fitted
from kanrewrite.view.forms import Form, Leaf, Prod
from kanrewrite.view.instantiate import instantiate
from kanrewrite.view.lifting import Lifting
from kanrewrite.view.matching import Bindings, FormMatcher
from kanrewrite.view.patterns import PatternAlgebra, pattern_form
from kanrewrite.view.plain import PlainBuilder
from kanrewrite.view.read import View as Reader
from kanrewrite.view.recognise import Recogniser, Recognition, compiled, matches
from kanrewrite.view.rules import Definitions, recognitions


@lru_cache(maxsize=16)
def _rules(
    relations: tuple[Relation, ...], modulo: tuple[Relation, ...]
) -> tuple[Recognition, ...]:
    return tuple(compiled(recognitions(relations), Laws((*relations, *modulo))))


class Rest:
    """What a match left over, and how a result goes back into it."""

    def __init__(self, join: Any, left: Form):
        self.join, self.left = join, left


class View:
    """How some relations read a graph.

    Parameters
    ----------
    relations
        Their definitions are followed: an operator that an equation explains is read as what the
        equation says it is; and so are their lifts.
    modulo
        Further lifts that are followed, which rewrite nothing.
    """

    def __init__(self, relations: Iterable[Relation] = (), modulo: Iterable[Relation] = ()):
        self._relations = tuple(relations)
        self._modulo = tuple(modulo)
        laws = Laws((*self._relations, *self._modulo))
        self._definitions = laws.definitions
        self.reader = Reader(laws)
        self._patterns = PatternAlgebra(laws=laws)
        self._builders: dict[str, PlainBuilder] = {}

    @property
    def definitions(self) -> Definitions:
        """Operators that are read as what they mean."""
        return self._definitions

    def read(self, variable: Variable[Any, Any], /) -> Form:
        """A variable as a form."""
        return self.reader.read(variable)

    def pattern(self, term: Any, /) -> Form:
        """A pattern in the normal form of the forms."""
        return pattern_form(term, self._patterns, self._definitions)

    def match(self, pattern: Form, form: Form, /) -> Iterator[tuple[Bindings, Rest | None]]:
        """The bindings under which a form holds the pattern, each with what is left."""
        algebra = self._home(form)
        matcher = FormMatcher(algebra, self.opened)
        for bindings, rest, join in matches(matcher, pattern, form):
            yield bindings, Rest(join, rest)

    def instantiate(self, term: Any, bindings: Mapping[Any, Any], /) -> Form:
        """A term with its parameters bound, as a form."""
        rests = [value for value in bindings.values() if isinstance(value, Rest)]
        if rests:  # the result of a match goes back into what the match left
            (result,) = (value for value in bindings.values() if not isinstance(value, Rest))
            joined: Form = rests[0].join(result, rests[0].left)
            return joined
        forms = [value for value in bindings.values() if isinstance(value, Form)]
        algebra = self._home(forms[0]) if forms else self.reader.algebra(aesara.config.floatX)
        made: Form = instantiate(term, bindings, algebra)
        return made

    def build(self, form: Form, like: Variable[Any, Any], /) -> Variable[Any, Any]:
        """A form as a graph of the type of a variable."""
        dtype = like.type.dtype
        if dtype not in self._builders:
            self._builders[dtype] = PlainBuilder(self.reader, dtype, self._safe(dtype))
        return fitted(self._builders[dtype].value(form), like)

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
    if isinstance(form, Prod) and not form.expo.terms and not form.factors:
        return float(form.coeff)
    return getattr(form.var, "data", None) if isinstance(form, Leaf) else None


@sign_of.register(Form)
def _(form: Form) -> Sign:
    if isinstance(form, Prod) and form.coeff > 0 and all(f.nonneg for f, _ in form.factors):
        return "nonnegative" if form.factors else "positive"
    return "nonnegative" if form.nonneg else "unknown"
