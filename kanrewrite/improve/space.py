"""The forms that relations give a formula: some beginnings, and relations about digits on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.db import RewriteDatabaseQuery

from kanrewrite import registry
from kanrewrite.improve.points import Graph, inputs_of
from kanrewrite.registry.database import POSITION, digits_pass
from kanrewrite.relation import Relation
from kanrewrite.rewriter import DigitsPass
from kanrewrite.structure import copied
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


@lru_cache(maxsize=4)
def _pass_of(
    digits: tuple[Relation, ...],
    places: tuple[str, ...],  # noqa: ARG001  # relations that state the same are equal
) -> DigitsPass:
    return digits_pass(digits)


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
        self._digits = tuple(digits)
        self._names = {r.name for r in digits}

    def starts(self, check: Callable[[], None]) -> Iterator[Start]:
        """The formula as it is written, as Aesara leaves it, and as the library does."""
        yield Start(0, self.outputs, ())
        check()
        with registry.disabled():
            canonical = self._canonical()
        yield Start(1, canonical, ())
        check()
        if not self._early:
            return
        with registry.disabled(), trace(refusals=False) as steps:
            registry.enable(*self._early)
            graph = tuple(registry.stabilize(list(self.outputs)))
        yield Start(2, graph, tuple(dict.fromkeys(e.name for e in steps.fired_events)))

    def _canonical(self) -> tuple[Graph, ...]:
        fgraph = self._fgraph(self.outputs)
        query = RewriteDatabaseQuery(include=["fast_run"], position_cutoff=POSITION)
        optdb.query(query).rewrite(fgraph)
        return tuple(fgraph.outputs)

    def _fgraph(self, outputs: Sequence[Graph]) -> FunctionGraph:
        return copied(inputs_of(outputs), outputs)

    def rewritten(self, start: Start, left_out: Collection[str]) -> tuple[Names, tuple[Graph, ...]]:
        """What relations about digits make of a beginning, some left out; which did something."""
        fgraph = self._fgraph(start.outputs)
        with trace(refusals=False) as steps:
            digits = _pass_of(self._digits, tuple(r.source for r in self._digits))
            digits.apply(fgraph, left_out)
        fired = (e.name for e in steps.fired_events if e.name in self._names)
        return tuple(dict.fromkeys(fired)), tuple(fgraph.outputs)
