"""Variables that would hold themselves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from kanrewrite.ac.interned import Interned

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


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
