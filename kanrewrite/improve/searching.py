"""`improve`: search the forms that relations give a formula, by measured error and cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from heapq import heappop, heappush
from time import perf_counter
from typing import Any

from kanrewrite import registry
from kanrewrite.border import Amount, Count, checked
from kanrewrite.clock import now
from kanrewrite.cost import flops
from kanrewrite.errors import UnusableArgument
from kanrewrite.improve.measuring import Measured, compiled, kept, measured
from kanrewrite.improve.points import Graph, Points, inputs_of, sampled
from kanrewrite.improve.regimes import choice, choices, refined
from kanrewrite.improve.result import Form, Improvement, front_of
from kanrewrite.improve.scaled import scaled
from kanrewrite.improve.space import Names, Space, Start
from kanrewrite.limits import OutOfTime, limited
from kanrewrite.ranges import ByInput, between, by_variable, shapes_for
from kanrewrite.relation import Relation
from kanrewrite.search.progress import Bar
from kanrewrite.structure import Structure, computable

#: A graph, and what it was made by.
Found = tuple[Names, Sequence[Graph]]
#: How many sets of relations are tried before choices are made.
BATCH = 6
#: How often choices are made of what there is, choices among them.
ROUNDS = 3
#: The part of the time in which points are looked for, and up to which forms are; and up to which
#: what is under way may still come to an end.
SAMPLING, SEARCHING, ENDING = 0.25, 0.7, 1.2
#: Seconds that there are for the first form, however short the time is.
LEAST = 1.0
#: What is said of a form whose numbers carry exponents of their own.
SCALED = "in wide range"


@checked
def improve(
    outputs: Any,
    inputs: ByInput | None = None,
    relations: Relation | str | Iterable[Relation | str] | None = None,
    seconds: Amount = 10.0,
    limit: Count = 160,
    points: Count = 128,
    seed: Count = 0,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Improvement:
    """Search for forms of a formula that lose fewer digits, and what each costs.

    Parameters
    ----------
    outputs : Variable or sequence of Variable
        Of float dtypes; it is not changed.
    inputs : mapping of Variable or str to (low, high), optional
        Where inputs, or those of that name, are; those that it lacks may be any finite number.
    relations : iterable of Relation or str, optional
        What may be used, relations or names of relations and families; all by default, the family
        ``accuracy`` included.
    seconds : float
        How long is searched; what is under way by then is given up soon, and it is told.
    limit : int
        How many forms are measured at most.
    points : int
        At how many inputs; fewer where the time is short or the formula has few finite values.
    seed : int
        Of the points.
    executor : concurrent.futures.Executor, optional
        Measures forms; the result is the same with any.
    progress : bool, optional
        Whether a long search shows a progress bar; None shows it in terminals.

    Returns
    -------
    Improvement
        ``best().graph`` is the most accurate form, ``graphs`` are all, ``front`` are those that no
        other one beats in accuracy and cost.

    Raises
    ------
    NotAGraph, UnknownRelation, NoSuchInput, UnusableRange, UnusableArgument
        For what is no graph, no name, no input, no range, and for what is not of a float dtype.

    Notes
    -----
    Forms are those that sets of relations make of the formula: all that apply, then without one of
    them, best first; and each with numbers that carry exponents of their own, so that nothing
    leaves the range on the way.  Where forms are better each on its part of an input, the choice
    between them is a form too.  Those on the front are measured as Aesara compiles them; one that
    its rewrites would spoil is kept from them.

    Examples
    --------
    >>> import aesara.tensor as at
    >>> import kanrewrite
    >>> x = at.dscalar("x")
    >>> y = at.sqrt(x + 1) - at.sqrt(x)
    >>> found = kanrewrite.improve(y, inputs={x: (1, 1e15)}, points=16, limit=12)
    >>> found.forms[0].error > 10, found.best().error < 1
    (True, True)
    """
    graph = computable(outputs)
    for out in graph:
        if getattr(out.type, "dtype", "") not in ("float64", "float32"):
            raise UnusableArgument("improve", "tensors of float64 and float32", out.type)
    given = by_variable(inputs or {}, inputs_of(graph))
    ranges = {variable: between(variable, pair) for variable, pair in given.items()}
    return _Search(graph, ranges, seconds, limit, executor).run(
        _chosen(relations), points, seed, Bar(limit, progress)
    )


def _chosen(relations: Relation | str | Iterable[Relation | str] | None) -> list[Relation]:
    found = registry.relations() if relations is None else registry.some(relations)
    return [r for r in found if not r.states_derivatives]


class _Over(Exception):
    """A budget is used up."""


class _Search:
    """One search."""

    def __init__(
        self,
        outputs: Sequence[Graph],
        ranges: Mapping[Graph, tuple[float, float]],
        seconds: float,
        limit: int,
        executor: Executor | None,
    ):
        self.outputs, self.ranges = tuple(outputs), ranges
        self.limit, self.seconds = limit, seconds
        self.map: Any = map if executor is None else executor.map
        self.began = now()
        self.forms: list[Form] = []
        self._structure = Structure()
        self._known: dict[tuple[int, ...], float] = {}
        self._shapes = shapes_for(self.outputs, inputs_of(self.outputs))

    def run(self, chosen: Sequence[Relation], count: int, seed: int, bar: Bar) -> Improvement:
        """Search until a budget is used up or there is nothing more."""
        allowed, most = self.seconds * SAMPLING, max(self.seconds * SEARCHING, LEAST)
        points = sampled(self.outputs, self.ranges, count, seed, allowed, self._shapes, most)
        if not points.values:
            form = Form(0, self.outputs, 0.0, 0.0, self._cost(self.outputs))
            why = "no input was found at which the formula has a finite value"
            if now() - self.began > most:
                why += f": the {self.seconds:g} s were used up"
            return Improvement([form], 0, now() - self.began, why)
        stopped = "complete: every form within reach was measured"
        with bar:
            try:
                self._add([((), self.outputs)], points)
                with limited(max(self._left(), LEAST)):
                    for _ in self._search(chosen, points):
                        bar.show(len(self.forms))
            except _Over as over:
                stopped = str(over)
            except OutOfTime:
                stopped = self._used_up
            self._compile(points)
        return Improvement(self.forms, len(points.values), now() - self.began, stopped)

    @property
    def _used_up(self) -> str:
        return f"seconds: the {self.seconds:g} s were used up"

    def _left(self) -> float:
        return self.seconds - (now() - self.began)

    def _search(self, chosen: Sequence[Relation], points: Points) -> Iterator[None]:
        space = Space(self.outputs, chosen)
        made: list[tuple[Start, Names]] = []
        waiting: list[tuple[float, int, Start, Names, Names]] = []
        tried: set[tuple[Start, Names]] = set()
        order = 0
        starts: list[Start] = []
        # Relations about digits take seconds to prepare: what is known without them comes first.
        for start in space.starts(self._check):
            known = self._key(start.outputs) in self._known
            self._add(_both([(start.names, start.outputs)]), points)
            yield
            if not (known and start.number):  # no more is found from what was begun with before
                starts.append(start)
        for start in starts:
            self._check()
            fired, graph = space.rewritten(start, ())
            self._add(_both([((*start.names, *fired), graph)]), points)
            yield
            heappush(waiting, (self._error_of(graph), start.number, start, (), fired))
            order = start.number
        while made or waiting:
            while len(made) < BATCH and waiting:
                _, _, start, left_out, fired = heappop(waiting)
                made += [(start, (*left_out, name)) for name in fired]
            batch = [(start, tuple(sorted(out))) for start, out in made[:BATCH]]
            made = made[BATCH:]
            for start, left_out in dict.fromkeys(batch):
                if (start, left_out) in tried:
                    continue
                tried.add((start, left_out))
                self._check()
                fired, graph = space.rewritten(start, left_out)
                self._add(_both([((*start.names, *fired), graph)]), points)
                yield
                order += 1
                heappush(waiting, (self._error_of(graph), order, start, left_out, fired))
            self._choose(points)
            yield
        for _ in range(ROUNDS):
            self._choose(points)
            yield

    def _add(self, found: Iterable[Found], points: Points) -> None:
        """Measure forms that are new."""
        fresh: dict[tuple[int, ...], tuple[Names, Sequence[Graph]]] = {}
        for names, graph in found:
            key = self._key(graph)
            if key not in self._known:
                fresh.setdefault(key, (names, graph))
        self._check()
        results = self.map(measured, [(graph, points) for _, graph in fresh.values()])
        for (key, (names, graph)), result in zip(fresh.items(), results, strict=True):
            self._known[key] = self._keep(graph, result, names).error

    def _key(self, graph: Sequence[Graph]) -> tuple[int, ...]:
        return tuple(self._structure.add(list(graph)))

    def _keep(
        self, graph: Sequence[Graph], result: Measured, names: Names, choice_text: str = ""
    ) -> Form:
        form = Form(
            len(self.forms),
            tuple(graph),
            relations=tuple(dict.fromkeys(names)),
            choice=choice_text,
        )
        self._set(form, result)
        self.forms.append(form)
        return form

    def _set(self, form: Form, result: Measured) -> None:
        form.outputs = kept(form.outputs) if result.is_kept else form.outputs
        form.lost = result.errors
        form.error, form.worst = float(result.errors.mean()), float(result.errors.max())
        form.cost = self._cost(form.outputs)

    def _choose(self, points: Points) -> None:
        """Choices between the forms that there are, where they are better."""
        for pieces in choices(self.forms, points):
            self._check()
            exact = refined(pieces, self.outputs, points)
            graph = choice(exact, points)
            key = self._key(graph)
            if key in self._known:
                continue
            names = [name for form in exact.forms for name in form.relations]
            text = exact.described(points.inputs[exact.place].name or "an input")
            result = measured((graph, points))
            self._known[key] = self._keep(graph, result, tuple(names), text).error

    def _compile(self, points: Points) -> None:
        """Measure what is on the front as it is run, until that is what the front is."""
        done: set[int] = set()
        try:
            with limited(self.seconds * ENDING - (now() - self.began)):
                self._compile_front(points, done)
        except OutOfTime:  # what compiling would make of the others is not known
            for form in front_of(self.forms):
                if form.number not in done:
                    form.outputs = kept(form.outputs)

    def _compile_front(self, points: Points, done: set[int]) -> None:
        # Others may measure, on clocks of their own: they go by that on the wall.
        until = perf_counter() + self._left()
        run = partial(compiled, until=until)
        while True:
            front = [form for form in front_of(self.forms) if form.number not in done]
            if not front:
                return
            results = self.map(run, [(form.outputs, points) for form in front])
            for form, result in zip(front, results, strict=True):
                self._set(form, result)
                done.add(form.number)

    def _error_of(self, graph: Sequence[Graph]) -> float:
        return self._known[self._key(graph)]

    def _cost(self, outputs: Sequence[Graph]) -> float:
        return float(flops(list(outputs), self._shapes))

    def _check(self) -> None:
        if self.forms and now() - self.began > self.seconds * SEARCHING:
            raise _Over(self._used_up)
        if len(self.forms) >= self.limit:
            raise _Over(f"limit: {self.limit} forms were measured")


def _both(
    found: Iterable[Found],
) -> Iterator[tuple[Names, Sequence[Graph]]]:
    """Forms, and each with what leaves the range on the way kept in it."""
    for names, graph in found:
        yield names, graph
        wide = scaled(graph)
        if wide is not None:
            yield (*names, SCALED), wide
