"""Relations about digits: after all others, from outputs to inputs, never in what they built.

A form that keeps more digits may hold the form that it replaces, in a choice between the two, and
a larger pattern must be seen before what it consists of is replaced.  What a right side subtracts
is subtracted as symbols where both sides have a term: ``(x + 1) - x`` is 1 however large x is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from typing import Any, cast

import aesara.tensor as at
import numpy as np
from aesara import scalar
from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.fg import FunctionGraph
from aesara.tensor.elemwise import Elemwise

from kanrewrite.relation import Relation
from kanrewrite.rewriter.place import Place
from kanrewrite.rewriter.protocol import StatingView
from kanrewrite.rewriter.replace import keeps_type, new_nodes
from kanrewrite.rewriter.sweep import RelationPass
from kanrewrite.rewriter.terms import Terms
from kanrewrite.theory import Theory
from kanrewrite.view.nodes import FLOATS

Graph = Variable[Any, Any]
#: A term of a sum: the variable that stands for it (None for a number) and how often it is there.
Part = tuple[Graph | None, Fraction]
#: What a right side groups on purpose.
_ARITHMETIC = frozenset({"mul", "true_div", "add", "sub", "neg", "square", "reciprocal"})


#: Sums over more operators than this are not read term by term.
LARGE = 200


class DigitsPass(RelationPass):
    """Apply relations that are about digits, each at most once where its own result stands.

    Parameters
    ----------
    relations, view
        As for any pass.
    cancels : str
        The name of the relation by which sums cancel as symbols, empty for none.
    """

    def __init__(
        self, relations: Iterable[Relation], view: Callable[[], StatingView], cancels: str = ""
    ):
        super().__init__(relations, view)
        self.cancels = cancels

    #: By which relations a node was built, one from what another one had built.
    _makers: dict[Apply[Any], frozenset[str]]

    @property
    def active(self) -> bool:
        """Whether there is something to apply."""
        return bool(self.relations or self.cancels)

    def _sweep(self, fgraph: FunctionGraph, queue: deque[Apply[Any]]) -> None:
        self._makers = {}
        view = cast(StatingView, self.matching.view)
        with view.whole():
            super()._sweep(fgraph, deque(reversed(queue)))
        # A sum of which no part was replaced may hold a pattern among other terms.
        super()._sweep(fgraph, deque(filter(self._is_sum, reversed(self._unchanged(fgraph)))))

    def _unchanged(self, fgraph: FunctionGraph) -> list[Apply[Any]]:
        """The nodes with nothing new below them, inputs first."""
        known: dict[Apply[Any] | None, None] = {None: None}
        for node in fgraph.toposort():
            if node not in self._makers and all(x.owner in known for x in node.inputs):
                known[node] = None
        return [node for node in known if node is not None]

    @staticmethod
    def _is_sum(node: Apply[Any]) -> bool:
        return _head(node.outputs[0]) in ("add", "sub")

    def _found(self, node: Apply[Any], place: Place) -> tuple[str, dict[Graph, Graph]] | None:
        out = node.outputs[0]
        cancels = self.cancels and self.cancels not in self.matching.broken
        new = self._cancelled(node) if cancels and node not in self._makers else None
        if new is not None and new is not out and keeps_type(out, new):
            return self.cancels, {out: new}
        return super()._found(node, place)

    def _cancelled(self, node: Apply[Any]) -> Graph | None:
        out = node.outputs[0]
        if _head(out) not in ("add", "sub") or out.type.dtype not in FLOATS or _is_large(node):
            return None
        self.matching.form(out)  # reads a deep graph from below
        return cast(StatingView, self.matching.view).reduced(out)

    def _left_out(self, node: Apply[Any]) -> Collection[str]:
        return self._makers.get(node, frozenset())

    def _replace(
        self, fgraph: FunctionGraph, node: Apply[Any], name: str, pairs: dict[Graph, Graph]
    ) -> list[Apply[Any]]:
        fresh = super()._replace(fgraph, node, name, pairs)
        if name == self.cancels:
            return fresh[::-1]
        makers = self._makers.get(node, frozenset()) | {name}
        terms = Terms(Theory("none"))
        for built in list(fresh):
            out = built.outputs[0]
            difference = from_zero(out) if _head(out) == "neg" else subtracted(out, terms)
            if difference is None or built not in fgraph.apply_nodes:
                continue
            made = new_nodes([difference], fgraph.apply_nodes)
            fgraph.replace(built.outputs[0], difference, reason=name, import_missing=False)
            self._order.update(dict.fromkeys(made, self._order[node]))
            fresh += made
        self._makers.update(dict.fromkeys(fresh, makers))
        for built in fresh:
            # A square alone groups nothing, and what is under a root is asked for its squares.
            square = _head(built.outputs[0]) == "square" and built.inputs[0].owner not in fresh
            if _head(built.outputs[0]) in _ARITHMETIC and not square:
                cast(StatingView, self.matching.view).keep(built.outputs[0])
        return [n for n in reversed(fresh) if n in fgraph.apply_nodes]


def from_zero(variable: Graph) -> Graph | None:
    """A choice that is negated subtracted from 0: no sum that cancels is a zero with a sign.

    None for what negates something else.
    """
    (choice,) = variable.owner.inputs
    chosen = getattr(getattr(choice.owner, "op", None), "scalar_op", None)
    if not isinstance(chosen, scalar.Switch):
        return None
    built = at.constant(np.zeros((1,) * choice.type.ndim, choice.type.dtype)) - choice
    return built if keeps_type(variable, built) else None


def _is_large(node: Apply[Any]) -> bool:
    """Whether more than `LARGE` operators are below a sum: what cancels in it was seen below."""
    found = {node: None}
    waiting = deque([node])
    while waiting and len(found) <= LARGE:
        for x in waiting.popleft().inputs:
            if x.owner is not None and x.owner not in found:
                found[x.owner] = None
                waiting.append(x.owner)
    return len(found) > LARGE


def subtracted(variable: Graph, terms: Terms) -> Graph | None:
    """A sum or difference without the terms that cancel in it, None where none does.

    Parameters
    ----------
    variable : Variable
        A tensor.
    terms : Terms
        Tell which variables are one term.
    """
    if _elementwise(variable) not in ("sub", "add"):
        return None
    parts = [part for part in _parts(variable, Fraction(1)) if part[1]]
    totals: dict[Any, Fraction] = {}
    stands: dict[Any, Graph | None] = {}
    for part, often in parts:
        key = None if part is None else terms.read(part)
        totals[key] = totals.get(key, Fraction(0)) + often
        stands.setdefault(key, part)
    left = {key: often for key, often in totals.items() if often}
    if len(left) == len(parts):
        return None
    built = _sum([(stands[key], often) for key, often in left.items()], variable)
    if not keeps_type(variable, built):
        wide = (p for p, _ in parts if p is not None and keeps_type(variable, p))
        built = at.second(next(wide, variable), built)
    return built if keeps_type(variable, built) else None


def _head(variable: Graph) -> str:
    scalar = getattr(getattr(variable.owner, "op", None), "scalar_op", None)
    return str(getattr(scalar, "name", "") or "")


def _elementwise(variable: Graph) -> str:
    """The head of what is done with each element: a reduction by addition is no sum of two."""
    return _head(variable) if isinstance(getattr(variable.owner, "op", None), Elemwise) else ""


def _number(variable: Graph) -> Fraction | None:
    if isinstance(variable, Constant) and np.size(variable.data) == 1:
        value = float(np.ravel(variable.data)[0])
        return Fraction(value) if np.isfinite(value) else None
    if variable.owner is not None and type(variable.owner.op).__name__ == "DimShuffle":
        return _number(variable.owner.inputs[0])
    return None


def _parts(variable: Graph, often: Fraction) -> Iterator[Part]:
    """The terms of a sum, sums in it opened."""
    head = _elementwise(variable)
    number = _number(variable)
    if number is not None:
        yield None, often * number
    elif head in ("add", "sub"):
        first, *others = variable.owner.inputs
        yield from _parts(first, often)
        for other in others:
            yield from _parts(other, often if head == "add" else -often)
    elif head == "neg":
        yield from _parts(variable.owner.inputs[0], -often)
    elif head == "mul" and len(variable.owner.inputs) == 2:
        yield from _multiple(variable, often)
    else:
        yield variable, often


def _multiple(variable: Graph, often: Fraction) -> Iterator[Part]:
    for one, other in (variable.owner.inputs, variable.owner.inputs[::-1]):
        number = _number(one)
        if number is not None:
            yield other, often * number
            return
    yield variable, often


def _sum(parts: list[Part], like: Graph) -> Any:
    """Terms added up, a positive one first."""
    dtype = like.type.dtype
    total: Any = None
    for part, often in sorted(parts, key=lambda p: p[1] < 0):
        size: Any = abs(often)
        term: Any = at.constant(np.asarray(float(size), dtype)) if part is None else part
        if part is not None and size != 1:
            term = at.constant(np.asarray(float(size), dtype)) * part
        if total is None:
            total = term if often > 0 else -term
        else:
            total = total + term if often > 0 else total - term
    return at.constant(np.asarray(0.0, dtype)) if total is None else total
