"""What a function excludes, excluded inside its loops too.

Aesara compiles a step, and an Op made from a graph, in a mode of its own, which knows nothing of
the mode of the function around.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter

from kanrewrite.inner.graphs import copied, mode_of, rebuilt, replace_bodies

NAME = "kanrewrite_exclusions"


class ExclusionsPass(GraphRewriter):
    """Has the inner graphs of a function compiled without what the function excludes.

    Parameters
    ----------
    excluded
        Relations, families, or the whole library, by name.
    """

    name = NAME

    def __init__(self, excluded: Collection[str]):
        super().__init__()
        self.excluded = excluded

    def apply(self, fgraph: FunctionGraph) -> None:
        """Give loops, and Ops made from graphs, another mode."""
        replace_bodies(fgraph, self._excluding, NAME)

    def _excluding(self, op: Any) -> Any:
        body = copied(op)
        mode = mode_of(op).excluding(*self.excluded)
        return rebuilt(op, body.inputs, body.outputs, mode)
