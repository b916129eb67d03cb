"""What a search finds: graphs, and the rewrites between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from aesara.graph.basic import Variable

from kanrewrite.display import Pictured, brief, cut, in_line
from kanrewrite.spelled import spelled
from kanrewrite.structure import downwards

Graph = Variable[Any, Any]

#: Characters of a side of a rewrite in a line, and how deep it is written.
_SIDE = 36
_DEPTHS = (4, 3, 2)


@dataclass(frozen=True, slots=True)
class Move:
    """One use of a relation at one variable."""

    relation: str
    after: Graph
    bindings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Found(Pictured):
    """A graph that was found.

    Attributes
    ----------
    number : int
        In the order of finding; 0 is the graph that the search began with.
    outputs : tuple of Variable
        The graph.
    cost : float
        By the cost of the search.
    depth : int
        How many rewrites led to it.
    by : Step or None
        The rewrite that found it first.
    """

    number: int
    outputs: tuple[Graph, ...]
    cost: float
    depth: int = 0
    by: Step | None = None

    @property
    def graph(self) -> Any:
        """The output, or the list of outputs where there are several."""
        return self.outputs[0] if len(self.outputs) == 1 else list(self.outputs)

    @property
    def python(self) -> str:
        """What one types to make the graph, with ``at`` for ``aesara.tensor``."""
        return spelled(self.outputs)

    @property
    def derivation(self) -> list[Step]:
        """The rewrites from the start to here."""
        steps: list[Step] = []
        here: Found | None = self
        while here is not None and here.by is not None:
            steps.append(here.by)
            here = here.by.source
        return steps[::-1]

    @property
    def told(self) -> str:
        """The graph in a line, or how it came about where the line does not hold all of it."""
        return self._texts[1]

    @property
    def _texts(self) -> tuple[str, str]:
        """From where it came about, and `told`."""
        text = ", ".join(in_line(output) for output in self.outputs)
        if self.by is None or "…" not in text:
            return "", text
        return f", #{self.by.source.number} by {self.by.relation}", self.by.told

    def __str__(self) -> str:
        return f"#{self.number} cost {self.cost:g}{': '.join(self._texts)}"

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step(Pictured):
    """One rewrite between two graphs of a search.

    Attributes
    ----------
    relation : str
        By its name.
    source, target : Found
        The whole graphs.
    before, after : Variable
        The subgraph that was replaced, and by what.
    bindings : Mapping
        The relation's parameters and what they stood for.
    """

    relation: str
    source: Found
    target: Found
    before: Graph
    after: Graph
    bindings: Mapping[str, Any]

    @property
    def told(self) -> str:
        """Both sides in few characters: of what differs, as far down as it takes to see it."""
        texts: list[str] = []
        for graphs, depth in product(downwards(self.before, self.after), _DEPTHS):
            texts = [cut(brief(graph, depth), _SIDE) for graph in graphs]
            if texts[0] != texts[1]:
                break
        return " -> ".join(texts)

    def __str__(self) -> str:
        ends = f"#{self.source.number} -> #{self.target.number}"
        return f"{ends} {self.relation}: {brief(self.before)} -> {brief(self.after)}"

    __repr__ = __str__
