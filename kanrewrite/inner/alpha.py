r"""Inner graphs as terms, and their equality up to the names of inputs as a miniKanren goal.

The inner inputs of an Op have no names outside: here each is a `Slot`, numbered by its place, so
that graphs that differ in names only are the same term (de Bruijn 1972), and a pattern with logic
variables unifies with a step like with any other term, modulo a theory where one is given.

References
----------
N. G. de Bruijn, "Lambda calculus notation with nameless dummies", Indagationes Mathematicae 34
(1972), 381-392.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import aesara.tensor as at
from aesara.graph.basic import Apply, Variable, io_toposort
from aesara.tensor.elemwise import Elemwise
from unification import isvar, reify

from kanrewrite.ac import eq
from kanrewrite.inner.canonical import settings
from kanrewrite.inner.graphs import has_inner_graph, rebuilt
from kanrewrite.terms import Operator, operator_of
from kanrewrite.theory import Theory

Goal = Callable[[Any], Iterator[Any]]
Graph = Variable[Any, Any]

BODY = "body"


@dataclass(frozen=True)
class Slot:
    """The input of an inner graph at a place, whatever its name."""

    place: int
    type: Any


@dataclass(frozen=True)
class Around:
    """What an Op is besides its inner graph; two are equal when they do the same with one."""

    how: Hashable
    op: Any = field(compare=False, repr=False)


@dataclass(frozen=True)
class Output:
    """An Op of several outputs, of which one is meant."""

    op: Any
    place: int


def body_of(op: Any) -> tuple[Any, ...]:
    """An Op with an inner graph as a term.

    Parameters
    ----------
    op : Scan or OpFromGraph
        The Op.

    Returns
    -------
    tuple
        ``("body", Around, output, ...)``, the outputs as terms over `Slot` and constants, their
        heads the operators of ``T`` where they are elementwise, and Ops elsewhere.
    """
    terms: dict[Graph, Any] = {v: Slot(n, v.type) for n, v in enumerate(op.inner_inputs)}
    for node in io_toposort(list(op.inner_inputs), list(op.inner_outputs)):
        operands = [terms.get(v, v) for v in node.inputs]
        for n, out in enumerate(node.outputs):
            terms[out] = (_head(node, n), *operands)
    return (BODY, Around(settings(op), op), *(terms.get(v, v) for v in op.inner_outputs))


def _head(node: Apply[Any], place: int) -> Any:
    if len(node.outputs) > 1:
        return Output(node.op, place)
    named = isinstance(node.op, Elemwise) and operator_of(node.op).op is None
    return operator_of(node.op) if named else node.op


def op_of(body: tuple[Any, ...]) -> Any:
    """The Op that a term describes, the inverse of `body_of`.

    Parameters
    ----------
    body : tuple
        Without logic variables.
    """
    around = body[1]
    inputs = [v.type() for v in around.op.inner_inputs]
    made: dict[int, Graph] = {}

    def build(term: Any) -> Any:
        if isinstance(term, Slot):
            return inputs[term.place]
        if not isinstance(term, tuple):
            return term
        if id(term) not in made:
            made[id(term)] = _applied(term[0], [build(operand) for operand in term[1:]])
        return made[id(term)]

    return rebuilt(around.op, inputs, [build(output) for output in body[2:]])


def _applied(head: Any, operands: list[Any]) -> Graph:
    if isinstance(head, Output):
        outputs: list[Graph] = head.op.make_node(*operands).outputs
        return outputs[head.place]
    result: Graph = (getattr(at, head.name) if isinstance(head, Operator) else head)(*operands)
    return result


def bodyo(op: Any, body: Any) -> Goal:
    """A goal: an Op has this body.  With either of them unknown it finds the other one.

    Parameters
    ----------
    op
        An Op with an inner graph, or a logic variable.
    body
        A term as `body_of` gives it, in which logic variables may stand, or one.
    """

    def goal(state: Any) -> Iterator[Any]:
        known, term = reify((op, body), state)
        if has_inner_graph(known):
            yield from eq(body_of(known), term)(state)
        elif isvar(known) and isinstance(term, tuple) and is_ground(term):
            yield {**state, known: op_of(term)}

    return goal


def alphao(a: Any, b: Any, theory: Theory | None = None) -> Goal:
    """A goal: two Ops have inner graphs that are equal up to the names of their inputs.

    Parameters
    ----------
    a, b
        Ops with inner graphs, or bodies of such, in which logic variables may stand; one of them
        may be a logic variable, which becomes an Op whose body is the other's.
    theory : Theory, optional
        Modulo which they are equal.

    Examples
    --------
    >>> import aesara, aesara.tensor as at
    >>> from kanren import run
    >>> from kanrewrite import T, Theory
    >>> x = at.vector()
    >>> steps = (lambda u: u * at.exp(u), lambda v: at.exp(v) * v)
    >>> a, b = (aesara.scan(step, sequences=[x])[0].owner.op for step in steps)
    >>> run(0, True, alphao(a, b))
    ()
    >>> run(0, True, alphao(a, b, Theory("products").ac(T.mul)))
    (True,)
    """

    def goal(state: Any) -> Iterator[Any]:
        one, other = reify((a, b), state)
        if isvar(one) and isvar(other):
            yield from eq(one, other)(state)
        elif isvar(one):
            yield from bodyo(one, _term(other))(state)
        elif isvar(other):
            yield from bodyo(other, _term(one))(state)
        else:
            yield from eq(_term(one), _term(other), theory)(state)

    return goal


def _term(value: Any) -> Any:
    return body_of(value) if has_inner_graph(value) else value


def is_ground(term: Any) -> bool:
    """Tell whether no logic variable stands in a term."""
    if isinstance(term, tuple):
        return all(map(is_ground, term))
    return not isvar(term)
