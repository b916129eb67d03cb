"""Derivatives that relations state: which one holds for an expression, found by the matcher.

What is matched is the expression that is differentiated, through the same view and the same index
as in rewriting: modulo associativity, commutativity, inverses and lifting, and inside a larger
product or sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, permutations
from typing import Any

from aesara.graph.basic import ancestors
from aesara.tensor import as_tensor_variable
from aesara.tensor.type import TensorType

from kanrewrite.display import brief
from kanrewrite.errors import RelationLosesDerivative
from kanrewrite.gradient.names import Node, Var
from kanrewrite.registry import enabled
from kanrewrite.relation import Relation, Rule, substitute
from kanrewrite.relation.derivatives import is_stated_by
from kanrewrite.relation.rules import conditions_of
from kanrewrite.rewriter.matching import ANSWERS, Entry, Matching
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.replace import keeps_type, new_nodes, without_traces
from kanrewrite.terms import Param
from kanrewrite.unify import as_graph
from kanrewrite.view import View
from kanrewrite.view.forms import Form, Leaf
from kanrewrite.view.instantiate import instantiate

_UPSTREAM = Param("gradient:upstream")

_in_force: ContextVar[tuple[Relation, ...] | None] = ContextVar("relations", default=None)


@contextmanager
def in_force(relations: Iterable[Relation]) -> Iterator[None]:
    """Let these relations be asked inside a ``with`` block, instead of all that are enabled.

    Parameters
    ----------
    relations
        What the mode that is being compiled does not exclude.
    """
    token = _in_force.set(tuple(relations))
    try:
        yield
    finally:
        _in_force.reset(token)


@dataclass(frozen=True, eq=False)
class Statement:
    """What a relation states about one expression.

    Parameters
    ----------
    rule : Rule
        With the expression as its pattern.
    derivatives : mapping from Param to term
        The gradient that each parameter receives, in terms of the parameters and `_UPSTREAM`.
    """

    rule: Rule
    derivatives: Mapping[Param, Any]


def statements(relation: Relation) -> list[Statement]:
    """What a relation states, equations about one expression under one condition together."""
    found: dict[Any, dict[Param, Any]] = {}
    for equation in relation.equations:
        if is_stated_by(equation):
            expression, variable, upstream = equation.lhs[1:]
            same = {upstream: _UPSTREAM}
            conditions = tuple(c.renamed(same) for c in conditions_of(equation))
            derivatives = found.setdefault((expression, conditions, equation.theory), {})
            derivatives[variable] = substitute(equation.rhs, same)
    return [
        Statement(Rule(relation, pattern, pattern, conditions, theory), derivatives)
        for (pattern, conditions, theory), derivatives in found.items()
    ]


@dataclass(frozen=True, eq=False)
class Answer:
    """A derivative that a relation states, in a graph.

    Parameters
    ----------
    relation : Relation
        Which.
    expr, upstream : Variable
        What is differentiated, and the gradient that arrives there.
    terms : list of pairs of Variable
        For each variable with a derivative, the gradient that it receives.
    others : mapping from str to Variable
        The tensors that the expression is made of besides, by the names of their parameters.
    whole : callable
        What takes the place of the variable asked about, once `expr` is replaced.
    """

    relation: Relation
    expr: Var
    upstream: Var
    terms: list[tuple[Var, Var]]
    others: Mapping[str, Var]
    whole: Callable[[Var], Var]


class Statements(Matching):
    """The derivatives that some relations state, ready to be looked up.

    Parameters
    ----------
    stating : iterable of Relation
        Asked in this order.
    reading : tuple of Relation
        Those whose definitions are followed when graphs are read.
    """

    def __init__(self, stating: Iterable[Relation], reading: tuple[Relation, ...]):
        found = [statement for relation in stating for statement in statements(relation)]
        self._statement_of = {id(statement.rule): statement for statement in found}
        self._nodes: set[Node] = set()
        super().__init__((), lambda: View(reading), [statement.rule for statement in found])

    def begin(self, nodes: Iterable[Node], moves: Callable[[Var], bool]) -> None:
        """Forget the last graph, and get to know another one.

        Parameters
        ----------
        nodes
            In topological order.
        moves
            Whether a variable depends on what is differentiated in.
        """
        self._moves = moves
        order = {node: n for n, node in enumerate(nodes)}
        self._nodes = set(order)
        self._graph = Place(self._nodes, order)
        self.reset()

    def at(self, variable: Var) -> Answer | None:
        """The first derivative that is stated for a variable of the graph.

        Raises
        ------
        RelationLosesDerivative
            If one is stated, and all that are leave out a part.
        """
        self._losing: list[Answer] = []
        answer = self._first(variable)
        if answer is not None and self._is_above(answer, variable):
            # The view has taken something from where it read it first, and that is above. What is
            # read now is below.
            broken = self.broken
            self.reset()
            self.broken |= broken
            answer = self._first(variable)
        if answer is None and self._losing:
            lost = {name: brief(v) for name, v in self._lost(self._losing[0]).items()}
            relation = self._losing[0].relation
            raise RelationLosesDerivative(relation.name, relation.source, brief(variable), lost)
        return answer

    def _first(self, variable: Var) -> Answer | None:
        with without_traces():
            found: Any = self.replacement(variable.owner, self._graph)
        return None if found is None else found[1].get(variable)

    def _lost(self, answer: Answer) -> dict[str, Var]:
        """Through which of its parameters derivatives go on that a relation says nothing of."""
        return {name: v for name, v in answer.others.items() if self._moves(v)}

    def _is_above(self, answer: Answer, variable: Var) -> bool:
        made = [answer.expr, *(v for pair in answer.terms for v in pair), *answer.others.values()]
        made.append(answer.whole(answer.expr))
        return any(self._graph.encloses(v, variable) for v in made)

    def _answers(self, out: Var, entry: Entry) -> Iterator[Any]:
        self.tried += 1
        found = self.view.match(self._pattern(entry.rule), self.form(out))
        for bindings, rest in islice(found, ANSWERS):
            for same in islice(self._symmetric(entry.rule, bindings), ANSWERS):
                answer = self._answer(out, entry, same, rest)
                if answer is None:
                    break
                if not self._lost(answer):
                    yield answer
                    break
                self._losing.append(answer)

    def _symmetric(self, rule: Rule, bindings: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
        """Bindings, and those that differ by an exchange under which the expression is the same.

        Of ``log(exp(a) + exp(b))`` the view has one form, and the matcher finds one of the two ways
        to read it; which one leaves out no part depends on what is differentiated in.
        """
        subject = self._instantiated(rule, bindings)
        parameters = [p for p, bound in bindings.items() if isinstance(bound, Form)]
        for order in permutations(parameters):
            exchanged = {p: bindings[q] for p, q in zip(parameters, order, strict=True)}
            same = {**bindings, **exchanged}
            if self._instantiated(rule, same) is subject:
                yield same

    def _instantiated(self, rule: Rule, bindings: Mapping[Any, Any]) -> Form:
        home = next(bound.home for bound in bindings.values() if isinstance(bound, Form))
        form: Form = instantiate(rule.pattern, bindings, home, self.view.definitions)
        return form

    def _answer(
        self, out: Var, entry: Entry, bindings: Mapping[Any, Any], rest: Any
    ) -> Answer | None:
        statement = self._statement_of[id(entry.rule)]
        values = {p: self._value(bound) for p, bound in bindings.items()}
        if entry.defined and new_nodes(_tensors(values.values()), self._nodes):
            return None  # tanh can be read as a quotient, but nothing of that is in the graph
        expr, whole = self._expression(out, entry.rule, bindings, rest)
        if expr is None:
            return None
        upstream = expr.type()
        if self._refused_by_guard(entry.rule, {**bindings, _UPSTREAM: upstream}, out):
            return None
        self.matched[entry.rule.name] += 1
        values[_UPSTREAM] = upstream
        terms = [
            (values[p], _graph(substitute(term, values), values[p]))
            for p, term in statement.derivatives.items()
        ]
        others = {
            str(p): v
            for p, v in values.items()
            if p not in statement.derivatives and v is not upstream and _tensors([v])
        }
        return Answer(entry.rule.relation, expr, upstream, terms, others, whole)

    def _expression(
        self, out: Var, rule: Rule, bindings: Mapping[Any, Any], rest: Any
    ) -> tuple[Var | None, Callable[[Var], Var]]:
        """What of a variable is the expression, and what the variable is made of it.

        None for the expression where it is a variable below by itself, which is asked on its own.
        """
        view: Any = self.view
        subject = view.read(out)
        form = self._instantiated(rule, bindings)
        if form is subject:
            return out, lambda new: new
        expr = view.reader.origin.get(form)
        if expr is None:
            expr = self._value(form)
        elif expr is out or expr in set(ancestors([out])):
            return None, lambda new: new

        def whole(new: Var) -> Var:
            joined = rest.join(view.read(new), rest.left)
            built: Var = view.build(joined, out)
            return built

        if not keeps_type(out, whole(expr)):
            self._report_type(rule.relation, out, whole(expr))
            return None, whole
        return expr, whole

    def _value(self, bound: Any) -> Any:
        """What a parameter is bound to: a variable of the graph, or as it is."""
        if not isinstance(bound, Form):
            return bound
        if isinstance(bound, Leaf):
            return bound.var
        # A variable that is made by nothing has no dimensions to be fitted to.
        like = TensorType(bound.home.dtype, shape=tuple(1 if b else None for b in bound.bcast))()
        return self.view.build(bound, like)


def _tensors(values: Iterable[Any]) -> list[Var]:
    return [v for v in values if hasattr(v, "owner")]


def _graph(term: Any, like: Var) -> Var:
    """A stated derivative as a graph; a number is one for every element."""
    built = as_graph(term)
    if hasattr(built, "owner"):
        return built
    return as_tensor_variable(built, dtype=like.type.dtype) + like.zeros_like()


@lru_cache(maxsize=16)
def _of(relations: tuple[Relation, ...], places: tuple[str, ...]) -> Statements | None:  # noqa: ARG001
    # Relations that state the same are equal wherever they stand, but messages say where.
    stating = [r for r in relations if r.states_derivatives and r.direction is not None]
    return Statements(stating, relations) if stating else None


def known() -> Statements | None:
    """The derivatives that the relations in force state; None where they state none."""
    relations = _in_force.get()
    relations = enabled() if relations is None else relations
    return _of(relations, tuple(r.source for r in relations))
