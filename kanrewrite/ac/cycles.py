"""Variables that would hold themselves, and the products of a group they may vanish from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from unification import var

from kanrewrite.ac.interned import VARIABLE, Interned
from kanrewrite.ac.replacing import rebuilt
from kanrewrite.ac.terms import Store

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


class Abstraction:
    """Terms in which some subterms are replaced by names for them.

    Parameters
    ----------
    terms
        Where the terms are interned.
    hides
        Which subterms are replaced, the outermost ones.

    Attributes
    ----------
    names
        The variable that stands for each replaced subterm.
    """

    def __init__(self, terms: Store, hides: Callable[[Interned], bool]):
        self._terms = terms
        self._hides = hides
        self.names: dict[Interned, Interned] = {}

    def __call__(self, term: Interned) -> Interned:
        """A term with the names in the place of what they stand for.

        Parameters
        ----------
        term
            A canonical term.
        """
        done: dict[Interned, Interned] = {}
        stack = [term]
        while stack:
            one = stack[-1]
            if one in done or not one.variables or one.symbol is VARIABLE:
                done.setdefault(stack.pop(), one)
            elif self._hides(one):
                if one not in self.names:
                    self.names[one] = self._terms.leaf(var(prefix="u"))
                done[stack.pop()] = self.names[one]
            else:
                waiting = [arg for arg in one.args if arg not in done]
                if waiting:
                    stack.extend(waiting)
                else:
                    done[stack.pop()] = rebuilt(self._terms, one, [done[arg] for arg in one.args])
        return done[term]


def unwound(terms: Store, variable: Interned, term: Interned) -> list[tuple[Interned, Interned]]:
    """What equates a variable with a term that holds it within products of groups only.

    Parameters
    ----------
    terms
        Where the two are interned.
    variable, term
        The sides of the equation.

    Returns
    -------
    list of equations
        With names for these products; empty if the variable stands elsewhere too.
    """
    abstraction = Abstraction(
        terms,
        lambda one: (
            (one.symbol.inverse or one.symbol.group) is not None and variable in one.variables
        ),
    )
    bare = abstraction(term)
    if variable in bare.variables:
        return []
    return [(variable, bare), *((name, inner) for inner, name in abstraction.names.items())]


def acyclic(bindings: Iterable[tuple[Interned, Interned]]) -> bool:
    """Whether no variable reaches itself through bindings.

    Parameters
    ----------
    bindings
        Variables with their values.
    """
    edges = {v: [(None, inner) for inner in value.variables] for v, value in bindings}
    return not cycle(edges)


def cycle(edges: Mapping[Node, Sequence[tuple[Label, Node]]]) -> list[Label]:
    """The labels along one cycle of a graph, none if it has no cycle.

    Parameters
    ----------
    edges
        The labels and ends of the edges from each node.
    """
    seen: set[Node] = set()
    for start in edges:
        if start in seen:
            continue
        seen.add(start)
        path: list[Node] = [start]
        labels: list[Label] = []
        streams = [iter(edges[start])]
        while streams:
            step = next(streams[-1], None)
            if step is None:
                streams.pop()
                path.pop()
                if labels:
                    labels.pop()
                continue
            label, end = step
            if end in path:
                return [*labels[path.index(end) :], label]
            if end not in seen:
                seen.add(end)
                path.append(end)
                labels.append(label)
                streams.append(iter(edges.get(end, ())))
    return []
