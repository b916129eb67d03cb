"""Putting the derivatives that users gave in the place of those that Aesara would write out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aesara.graph.basic import Constant, ancestors, io_toposort

from kanrewrite.display import brief
from kanrewrite.errors import RuleLosesDerivative, RuleTermMismatch
from kanrewrite.gradient.marks import Identity, Override
from kanrewrite.gradient.names import Node, Var
from kanrewrite.gradient.path import (
    closed_path,
    connected_inputs,
    continuous,
    dependence,
    path_nodes,
    substituted,
    substitution,
)
from kanrewrite.gradient.rules import Rule, registered
from kanrewrite.gradient.stated import Answer, Statements, known
from kanrewrite.trace import trace

Ends = tuple[list[Var], list[Var], list[Var]]


def override(outputs: Sequence[Var], wrt: Sequence[Var], stops: Sequence[Var]) -> Ends:
    """The same graph with every expression that a rule recognises put under an `Override`.

    Parameters
    ----------
    outputs, wrt, stops
        What is differentiated with respect to what, and not through what.

    Returns
    -------
    outputs, wrt, stops : list of Variable
        The very same ones where no rule answers.
    """
    ends = (list(outputs), list(wrt), list(stops))
    stated = known()
    if registered():
        ends = overridden(ends, _by_rules(ends))
    if stated is not None:
        ends = _by_relations(ends, stated)
    return ends


# -- rules of users


def _by_rules(ends: Ends) -> Callable[[Var], Var | None]:
    """What puts an expression under the first rule that answers."""
    wrt = ends[1]

    def ask(expr: Var) -> Var | None:
        upstream = expr.type()
        for rule in registered():
            terms = rule(expr, wrt, upstream)
            if terms is not None:
                return _checked(rule, expr, wrt, upstream, terms)
        return None

    return ask


def _checked(
    rule: Rule, expr: Var, wrt: Sequence[Var], upstream: Var, terms: Mapping[Var, Var]
) -> Var:
    name = getattr(rule, "__name__", repr(rule))
    below = set(ancestors([expr]))
    if not below.issuperset(terms) or path_nodes([expr], set(wrt) - set(terms), terms):
        raise RuleLosesDerivative(name, expr, list(terms))
    return _node(rule, name, expr, upstream, list(terms.items()))


def _node(rule: Any, name: str, expr: Var, upstream: Var, terms: Sequence[tuple[Var, Var]]) -> Var:
    """An expression under an `Override` that sends a term to each variable."""
    for v, term in terms:
        if term.type.ndim != v.type.ndim:
            raise RuleTermMismatch(name, v, term)
    cast = [t.astype(v.type.dtype) if continuous(v) else t for v, t in terms]
    path, outside, _ = closed_path(cast, [upstream], pattern_of=dependence)
    extras = [v for v in outside if v is not upstream]
    variables = [v for v, _ in terms]
    result: Var = Override(rule, path).make_node(expr, *variables, *extras).outputs[0]
    return result


# -- relations


def _by_relations(ends: Ends, stated: Statements) -> Ends:
    """Ask relations about a copy in which what is differentiated in is made of nothing.

    The matcher knows values only. Where two variables are equal and one is differentiated in, or
    not differentiated through, it must not take one for the other.
    """
    outputs, wrt, stops = ends
    apart = [v for v in (*wrt, *stops) if _has_value(v) and not isinstance(_op(v), Identity)]
    copies = substitution(outputs + wrt + stops, {v: v.type() for v in apart})
    back = {copy: v for v, copy in copies.items()}
    inner: Ends = tuple([copies.get(v, v) for v in vs] for vs in ends)  # type: ignore[assignment]

    def moves(v: Var) -> bool:
        _, roots, leaves = inner
        return v in roots or (v not in leaves and bool(path_nodes([v], roots, leaves)))

    def ask(expr: Var) -> Var | None:
        answer = stated.at(expr)
        return None if answer is None else _stated(answer, expr, moves)

    stated.begin(io_toposort([], inner[0]), moves)
    found = overridden(inner, ask)
    return tuple(substituted(vs, back) for vs in found)  # type: ignore[return-value]


def _op(v: Var) -> Any:
    return v.owner and v.owner.op


def _has_value(v: Var) -> bool:
    return v.owner is not None or isinstance(v, Constant)


def _stated(answer: Answer, old: Var, moves: Callable[[Var], bool]) -> Var | None:
    """What a variable becomes by a stated derivative; None if nothing is differentiated there."""
    relation = answer.relation
    terms = [(v, _summed(t, v)) for v, t in answer.terms if moves(v)]
    if not terms:
        return None
    new = answer.whole(_node(relation, relation.name, answer.expr, answer.upstream, terms))
    if trace.recorder is not None:
        if not trace.recorder.allow():
            return None
        bindings = {str(v): v for v, _ in terms}
        trace.recorder.fired(relation.name, brief(old), old, new, bindings, 0.0)
    return new


def _summed(term: Any, v: Any) -> Any:
    """A gradient for a variable that was repeated along axes of the expression."""
    if term.type.ndim != v.type.ndim:
        return term
    pairs = zip(term.type.broadcastable, v.type.broadcastable, strict=True)
    axes = [d for d, (of_term, of_v) in enumerate(pairs) if of_v and not of_term]
    return term.sum(axis=axes, keepdims=True) if axes else term


# -- the graph


def overridden(ends: Ends, ask: Callable[[Var], Var | None]) -> Ends:
    """The same graph with something in the place of each expression that is answered for.

    Parameters
    ----------
    ends
        Outputs, variables and stops.
    ask
        What takes the place of an expression on the way between them, if anything does.
    """
    nodes = path_nodes(*ends)
    found = _found(nodes, ends, ask)
    env = _rebuilt(nodes, found) if found else {}
    return tuple([env.get(v, v) for v in vs] for vs in ends)  # type: ignore[return-value]


def _found(nodes: Sequence[Node], ends: Ends, ask: Callable[[Var], Var | None]) -> dict[Var, Var]:
    """What takes the place of which expression, the largest ones first.

    What derivatives pass only inside an expression with a derivative of its own is not asked about.
    """
    live = set(ends[0])
    made = {v for node in nodes for v in node.outputs}
    found: dict[Var, Var] = {}
    for node in reversed(nodes):
        for expr in filter(live.__contains__, node.outputs):
            answers = continuous(expr) and not isinstance(node.op, Override)
            new = ask(expr) if answers else None
            if new is not None:
                found[expr] = new
            live.update(_next(expr if new is None else new, made))
    return found


def _next(v: Var, made: set[Var]) -> set[Var]:
    """The variables of a graph to which the derivative of one goes on."""
    stack, seen = connected_inputs(v), set[Var]()
    while stack:
        v = stack.pop()
        if v not in seen:
            seen.add(v)
            stack.extend([] if v in made else connected_inputs(v))
    return seen


def _rebuilt(nodes: Sequence[Node], found: Mapping[Var, Var]) -> dict[Var, Var]:
    """What the results of `nodes` are when some of them are replaced."""
    env: dict[Var, Var] = {}
    for node in nodes:
        inputs = [env.get(v, v) for v in node.inputs]
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            env.update(zip(node.outputs, node.clone_with_new_inputs(inputs).outputs, strict=True))
        for out in node.outputs:
            if out in found:
                env[out] = substituted([found[out]], env)[0]
    return env
