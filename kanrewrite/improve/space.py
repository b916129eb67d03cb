"""The forms that relations give a formula: some beginnings, and relations about digits on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import registry
from kanrewrite.improve.points import Graph, inputs_of
from kanrewrite.registry.database import POSITION, digits_pass
from kanrewrite.relation import Relation
from kanrewrite.trace import trace

Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Start:
    """A graph that relations about digits begin with.

    Attributes
    ----------
    number : int
        Beginnings are in order.
    outputs : tuple of Variable
        The graph.
    names : tuple of str
        The relations that have made it.
    """

    number: int
    outputs: tuple[Graph, ...]
    names: Names


class Space:
    """What can be made of a formula.

    Parameters
    ----------
    outputs : sequence of Variable
        The formula.
    relations : iterable of Relation
        What may be used.
    """

    def __init__(self, outputs: Sequence[Graph], relations: Sequence[Relation]):
        self.outputs = tuple(outputs)
        digits = [r for r in relations if r.where == "digits"]
        self._early = [r.name for r in relations if r.where != "digits"]
        self._names = {r.name for r in digits}
        self._pass = digits_pass(digits)

    def starts(self, check: Callable[[], None]) -> Iterator[Start]:
        """The formula as the library leaves it, as Aesara does, and as it is written."""
        check()
        with registry.disabled(), trace(refusals=False) as steps:
            if self._early:
                registry.enable(*self._early)
                graph = tuple(registry.stabilize(list(self.outputs)))
                yield Start(0, graph, tuple(dict.fromkeys(e.name for e in steps.fired_events)))
        check()
        with registry.disabled():
            yield Start(1, self._canonical(), ())
        yield Start(2, self.outputs, ())

    def _canonical(self) -> tuple[Graph, ...]:
        fgraph = self._fgraph(self.outputs)
        query = RewriteDatabaseQuery(include=["fast_run"], position_cutoff=POSITION)
        optdb.query(query).rewrite(fgraph)
        return tuple(fgraph.outputs)

    def _fgraph(self, outputs: Sequence[Graph]) -> FunctionGraph:
        inputs = inputs_of(outputs)
        return FunctionGraph(list(inputs), list(outputs), clone=True, copy_inputs=False)

    def rewritten(self, start: Start, left_out: Collection[str]) -> tuple[Names, tuple[Graph, ...]]:
        """What relations about digits make of a beginning, some left out; which did something."""
        fgraph = self._fgraph(start.outputs)
        with trace(refusals=False) as steps:
            self._pass.apply(fgraph, left_out)
        fired = (e.name for e in steps.fired_events if e.name in self._names)
        return tuple(dict.fromkeys(fired)), tuple(fgraph.outputs)
