"""The search itself: lazy, fair, cheapest first, each graph once.

A graph is expanded a few rewrites at a time.  Which one is next is decided by cost, except that
every fourth time it is the one that has waited longest: no graph within reach is put off forever,
as with the interleaving streams of miniKanren (Friedman, Byrd, Kiselyov, *The Reasoned Schemer*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from heapq import heappop, heappush
from itertools import chain, islice
from typing import Any, Protocol

from aesara.graph.basic import Variable

from kanrewrite.ac import Interned
from kanrewrite.clock import now
from kanrewrite.cost import Cost
from kanrewrite.display import Pictured
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.rewriter.terms import Terms
from kanrewrite.search.found import Found, Move, Step
from kanrewrite.search.progress import Bar
from kanrewrite.search.report import Report
from kanrewrite.structure import Structure, outputs_of

Graph = Variable[Any, Any]

_BURST = 8
_OLDEST_EVERY = 4
#: So many times as long may last what is under way, and so many seconds at least.
_ENDING, _LEAST = 1.2, 0.5


class Moves(Protocol):
    """What a search may do."""

    def __call__(self, variable: Graph, /) -> Iterable[Move | None]:
        """The rewrites at one variable, as they are found; None where one was tried in vain."""

    def passed(self, outputs: Sequence[Graph], /) -> Iterable[tuple[str, Sequence[Graph]]]:
        """The graph as the engine leaves it, with the name of what did that."""

    def within(self, outputs: Sequence[Graph], /) -> Iterable[tuple[str, Sequence[Graph]]]:
        """The rewrites within operators of a graph, each with its name and the new outputs."""


class _Over(Exception):
    """A budget is used up."""


class Exploration(Pictured):
    """A search; made by `explore`, it advances as its results are asked for.

    Attributes
    ----------
    depth, limit, seconds
        The budgets.
    """

    def __init__(
        self,
        out: Any,
        moves: Moves,
        terms: Terms,
        cost: Cost,
        report: Report,
        budgets: tuple[int, int, float],
        progress: bool | None = None,
    ):
        self.depth, self.limit, self.seconds = budgets
        self._moves, self._cost, self._terms = moves, cost, terms
        self._report = report
        self._structure = Structure()
        self._known_moves: dict[int, list[Move]] = {}
        #: Graphs as the engine leaves them, which has nothing more to do there.
        self._settled: set[tuple[int, ...]] = set()
        self._graphs: list[Found] = []
        self._steps: list[Step] = []
        self._edges: set[tuple[int, int, str]] = set()
        self._by_structure: dict[tuple[int, ...], Found] = {}
        self._by_theory: dict[tuple[Interned, ...], Found] = {}
        self._cut = 0
        self._bar = Bar(self.limit, progress)
        self._began = 0.0
        self._started = outputs_of(out)
        self._stream = self._search()

    # -- results ----------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Found]:
        """The graphs in the order of finding; searching goes on only as far as is asked."""
        count = 0
        while count < len(self._graphs) or self._advance():
            yield self._graphs[count]
            count += 1

    def run(self) -> Exploration:
        """Search until a budget is used up or everything was found."""
        with self._bar:
            while self._advance():
                self._bar.show(len(self._graphs))
        return self

    @property
    def graphs(self) -> list[Found]:
        """Every graph found, cheapest first."""
        return sorted(self.run()._graphs, key=lambda found: (found.cost, found.number))

    @property
    def steps(self) -> list[Step]:
        """Every rewrite between the graphs, also those that led to a graph found before."""
        return list(self.run()._steps)

    @property
    def report(self) -> Report:
        """What each relation did, and why the search ended."""
        return self.run()._report

    @property
    def stopped(self) -> str:
        """Why the search ended."""
        return self.report.stopped

    def best(self, cost: Cost | None = None) -> Found:
        """The cheapest graph found.

        Parameters
        ----------
        cost : callable, optional
            Another cost than the search's own, such as
            ``partial(numerical_error, inputs={x: ...})``.

        Returns
        -------
        Found
            The first found among equally cheap ones.
        """
        if cost is None:
            return self.graphs[0]
        return min(self.run()._graphs, key=lambda found: (cost(found.outputs), found.number))

    def __str__(self) -> str:
        lines = [str(self.report.summary), *(str(found) for found in self.graphs[:10])]
        more = len(self._graphs) - 10
        return "\n".join(lines + ([f"... and {more} more"] if more > 0 else []))

    __repr__ = __str__

    # -- the search -------------------------------------------------------------------------

    def _advance(self) -> bool:
        """Find one more graph; False when the search is over."""
        if self._report.stopped:
            return False
        self._began = now()
        left = max(_ENDING * self.seconds - self._report.seconds, _LEAST)
        try:
            # A pass over a large graph may take longer than all of the time that there is.
            with limited(left) if self._graphs else nullcontext():
                next(self._stream)
        except StopIteration:
            self._report.stopped = self._why_finished()
        except _Over as over:
            self._report.stopped = str(over)
        except OutOfTime:
            self._report.stopped = self._used_up
        finally:
            self._report.seconds += now() - self._began
            self._report.graphs = len(self._graphs)
        return not self._report.stopped

    def _why_finished(self) -> str:
        if self._cut:
            return (
                f"depth: {self._cut} graphs are {self.depth} rewrites away from the start and were "
                "not expanded; every graph within that depth was found"
            )
        return "complete: every graph within reach was found"

    def _check_time(self) -> None:
        if self._report.seconds + now() - self._began > self.seconds:
            raise _Over(self._used_up)

    @property
    def _used_up(self) -> str:
        return f"seconds: the {self.seconds:g} s were used up"

    def _search(self) -> Iterator[Found]:
        roots = self._structure.add(self._started)
        start = self._new(roots, self._keys(roots), 0, None)
        yield start
        waiting = [(start.cost, 0)]
        open_graphs = {0: self._successors(start, roots)}
        turn = 0
        while open_graphs:
            turn += 1
            number = self._next(waiting, open_graphs, oldest=turn % _OLDEST_EVERY == 0)
            burst = 0
            for found, its_roots in islice(open_graphs[number], _BURST):
                burst += 1
                heappush(waiting, (found.cost, found.number))
                open_graphs[found.number] = self._successors(found, its_roots)
                yield found
            if burst < _BURST:
                del open_graphs[number]
            else:
                heappush(waiting, (self._graphs[number].cost, number))

    @staticmethod
    def _next(
        waiting: list[tuple[float, int]], open_graphs: dict[int, Iterator[Any]], oldest: bool
    ) -> int:
        if oldest:
            return min(open_graphs)
        while waiting:
            _, number = heappop(waiting)
            if number in open_graphs:
                return number
        return min(open_graphs)

    def _successors(self, found: Found, roots: list[int]) -> Iterator[tuple[Found, list[int]]]:
        """The graphs that one rewrite leads to and that were not found before."""
        if found.depth >= self.depth:
            self._cut += 1
            return
        for number, move, target in chain(self._rewrites(roots), self._whole(roots)):
            self._check_time()
            reached = self._reach(found, number, move, target)
            if reached is not None:
                yield reached, target

    def _rewrites(self, roots: list[int]) -> Iterator[tuple[int, Move, list[int]]]:
        for number in self._structure.below(roots):
            for move in self._moves_at(number):
                (new,) = self._structure.add([move.after])
                yield number, move, self._structure.replaced(roots, number, new)

    def _whole(self, roots: list[int]) -> Iterator[tuple[int, Move, list[int]]]:
        graph = [self._structure.variables[number] for number in roots]
        if tuple(roots) not in self._settled:
            for name, outputs in self._moves.passed(graph):
                target = self._structure.add(outputs)
                self._settled.add(tuple(target))
                yield from self._change(name, roots, target)
        for name, outputs in self._moves.within(graph):
            yield from self._change(name, roots, self._structure.add(outputs))

    def _change(
        self, name: str, roots: list[int], target: list[int]
    ) -> Iterator[tuple[int, Move, list[int]]]:
        """The rewrite of a whole graph as one of the smallest part that holds what it changed."""
        pairs = zip(roots, target, strict=True)
        first = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if first is not None:
            old, new = self._structure.narrowed(*first)
            yield old, Move(name, self._structure.variables[new]), target

    def _moves_at(self, number: int) -> list[Move]:
        """The rewrites at a subgraph, found once however many graphs share it."""
        if number not in self._known_moves:
            moves = []
            for move in self._moves(self._structure.variables[number]):
                self._check_time()
                if move is not None:
                    moves.append(move)
            self._known_moves[number] = moves
        return self._known_moves[number]

    def _keys(self, roots: Sequence[int]) -> tuple[Interned, ...]:
        return tuple(self._terms.read(self._structure.variables[root]) for root in roots)

    def _reach(self, source: Found, number: int, move: Move, roots: list[int]) -> Found | None:
        """Note a rewrite; the graph it leads to, where that is new."""
        known = self._by_structure.get(tuple(roots))
        if known is None:
            keys = self._keys(roots)
            known = self._by_theory.get(keys)
        if known is not None:
            self._note(source, known, number, move)
            return None
        if len(self._graphs) >= self.limit:
            raise _Over(f"limit: the limit of {self.limit} graphs was reached")
        found = self._new(roots, keys, source.depth + 1, (source, number, move))
        self._report.rows[move.relation].new += 1
        return found

    def _new(
        self,
        roots: list[int],
        keys: tuple[Interned, ...],
        depth: int,
        by: tuple[Found, int, Move] | None,
    ) -> Found:
        outputs = tuple(self._structure.variables[root] for root in roots)
        found = Found(len(self._graphs), outputs, float(self._cost(outputs)), depth)
        if by is not None:
            found.by = self._note(by[0], found, *by[1:])
        self._graphs.append(found)
        self._by_structure[tuple(roots)] = found
        self._by_theory[keys] = found
        return found

    def _note(self, source: Found, target: Found, number: int, move: Move) -> Step | None:
        edge = (source.number, target.number, move.relation)
        if edge in self._edges or source is target:
            return None
        self._edges.add(edge)
        before = self._structure.variables[number]
        step = Step(move.relation, source, target, before, move.after, move.bindings)
        self._steps.append(step)
        return step
