"""Settled graphs: those that are as a pass has left them, which has nothing to do there again.

Each node is marked with what it is made of.  Marks are copied with the node, so that a clone of a
graph, or the same graph put elsewhere, is known as well, by a look-up a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple
from uuid import uuid4

from aesara.graph.basic import Apply, Constant, Variable
from aesara.graph.fg import FunctionGraph

#: So many graphs are remembered.
MANY = 256
#: Under this name marks are in the tags of nodes, and of the variables that nothing computes.
NAME = "kanrewrite_mark"

#: A variable: the number of its node, and which of its outputs it is; or what it is by itself.
Key = tuple[Any, int]
Leaves = dict[Variable[Any, Any], Key]
KeyOf = Callable[[Variable[Any, Any]], Key]


class Mark(NamedTuple):
    """What a node was when a pass had ended; a tuple to who loads it without the library."""

    graph: str
    number: int
    op: Any
    inputs: tuple[Key, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


class Known(NamedTuple):
    """A graph that a pass has left."""

    key: Hashable
    size: int
    outputs: tuple[Key, ...]


_KNOWN: dict[str, Known] = {}


def settle(fgraph: FunctionGraph, key: Hashable) -> None:
    """Remember how a pass has left a graph.

    Parameters
    ----------
    fgraph : FunctionGraph
        The graph.
    key
        The pass, and all that its result depends on.
    """
    name = uuid4().hex
    numbers = {node: n for n, node in enumerate(fgraph.apply_nodes)}
    of = _keys(numbers.__getitem__, {}, marking=True)
    for node, n in numbers.items():
        vars(node.tag)[NAME] = Mark(name, n, node.op, tuple(map(of, node.inputs)))
    while len(_KNOWN) >= MANY:
        del _KNOWN[next(iter(_KNOWN))]
    _KNOWN[name] = Known(key, len(numbers), tuple(map(of, fgraph.outputs)))


def settled(fgraph: FunctionGraph, key: Hashable) -> bool:
    """Tell whether a graph is as a pass has left it, or a clone of one that is.

    Parameters
    ----------
    fgraph : FunctionGraph
        The graph.
    key
        The pass, and all that its result depends on.
    """
    nodes = fgraph.apply_nodes
    mark = next((_mark(node) for node in nodes), None)
    known = None if mark is None else _KNOWN.get(mark.graph)
    if mark is None or known is None or known.key is not key or known.size != len(nodes):
        return False
    name, numbers = mark.graph, set[int]()
    leaves: Leaves = {}

    of = _keys(_number, leaves)
    for node in nodes:
        found = _mark(node)
        if found is None or found.graph != name or found.op is not node.op:
            return False
        if found.inputs != tuple(map(of, node.inputs)):
            return False
        numbers.add(found.number)
    same = len(numbers) == len(nodes) and known.outputs == tuple(map(of, fgraph.outputs))
    inputs = [key for var, key in leaves.items() if not isinstance(var, Constant)]
    return same and len(set(inputs)) == len(inputs)  # no two are clones of one


def _mark(node: Apply[Any]) -> Mark | None:
    found = vars(node.tag).get(NAME)
    return found if isinstance(found, Mark) else None


def _number(node: Apply[Any]) -> int | None:
    found = _mark(node)
    return None if found is None else found.number


def _keys(number: Callable[[Apply[Any]], Any], leaves: Leaves, marking: bool = False) -> KeyOf:
    """What tells variables apart: the numbers of their nodes, and leaves, which are noted."""

    def of(var: Variable[Any, Any]) -> Key:
        if var.owner is not None:
            return number(var.owner), var.index or 0
        if var not in leaves:
            leaves[var] = _leaf(var, marking)
        return leaves[var]

    return of


def _leaf(var: Variable[Any, Any], marking: bool = False) -> Key:
    """What tells a variable that nothing computes, and its clones, from all others."""
    if isinstance(var, Constant):
        return var, -1  # which is equal to others of its value
    number = vars(var.tag).get(NAME)
    if number is None and marking:
        number = vars(var.tag)[NAME] = uuid4().hex
    return number, -2
