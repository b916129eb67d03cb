"""The pass: a function graph rewritten where exponentials meet."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from aesara.graph.basic import Variable, ancestors
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter, copy_stack_trace

from kanrewrite import errors, steps
from kanrewrite.clock import now
from kanrewrite.config import config
from kanrewrite.display import brief
from kanrewrite.errors import RelationWarning
from kanrewrite.laws import Laws
from kanrewrite.limits import OutOfTime, limited, within_outer_limits
from kanrewrite.relation import Relation
from kanrewrite.terms import Operator, operator_of
from kanrewrite.trace import trace
from kanrewrite.unify import is_term
from kanrewrite.view.build import Builder
from kanrewrite.view.candidates import sources, to_read, warm
from kanrewrite.view.demand import Demand
from kanrewrite.view.fit import as_general, fitted
from kanrewrite.view.forms import App, Form, Leaf, within
from kanrewrite.view.fused import Fused
from kanrewrite.view.lost import Lost
from kanrewrite.view.moves import Move
from kanrewrite.view.nodes import FLOATS
from kanrewrite.view.read import View
from kanrewrite.view.recognise import Recogniser, Recognition, compiled
from kanrewrite.view.reuse import Reuse
from kanrewrite.view.rules import LIFTING, recognitions
from kanrewrite.view.visible import with_nan

#: Nested forms are built by recursion, some frames a level.
DEPTH = 20_000


class LiftingPass(GraphRewriter):
    """Reads a graph as forms and rebuilds each variable at which exponentials meet.

    Parameters
    ----------
    relations : iterable of Relation
        Those of the family ``lifting`` are the equations that reading and building follow: without
        any of them the pass does nothing.  The others say what operators mean, and what formulas
        are recognised in what is built.
    avoided : collection of Operator, optional
        Those that the backend could not compute if their exponentials were split off.

    Attributes
    ----------
    read_count, form_count, built_count : int
        How many nodes of the last graph were read, as how many forms, and how many variables were
        rebuilt.
    complete : bool
        Whether nothing of it was left out for a failure, or for want of time.
    """

    name = "kanrewrite_lifting"

    def __init__(self, relations: Iterable[Relation], avoided: Collection[Operator] = ()):
        super().__init__()
        relations = tuple(r for r in relations if r.where != "digits")  # they come later
        self.avoided = avoided
        self.stated = {r.name: r.text for r in relations}
        self.places = {r.name: r.source for r in relations}
        self.active = any(r.family == LIFTING for r in relations)
        followed = relations if self.active else ()
        self.laws = Laws(followed)
        self.definitions = self.laws.definitions
        named = list(recognitions(followed))
        #: By which relation an operator that has a meaning is what is built for a formula.
        self.makers = {
            made[0]: name
            for name, _, made, _ in reversed(named)
            if is_term(made) and made[0] in self.definitions
        }
        self.rules = compiled(named, self.laws)
        self.reset()

    def reset(self) -> None:
        """Forget what the last graph has cost."""
        self.read_count = self.form_count = self.built_count = 0
        self.complete = True

    def takes(self, relation: Relation) -> bool:
        """Whether a relation rewrites in this pass only, so that no other tries it."""
        return self.active and relation.where == "exponents"

    def may_apply(self, fgraph: FunctionGraph) -> bool:
        """Whether exponentials could meet in a graph."""
        if not self.active:
            return False
        shown, fused = self._shown(fgraph)
        return bool(to_read(shown, fused.apart))

    def known(self, fgraph: FunctionGraph) -> set[Any]:
        """The operators of a graph that stand for exponentials, or are made of them."""
        return sources(fgraph, self.definitions)

    def apply(self, fgraph: FunctionGraph, left_out: Collection[str] = ()) -> None:
        """Rewrite a function graph in place.

        Parameters
        ----------
        fgraph : FunctionGraph
            The graph.
        left_out : collection of str
            Relations that have failed in this graph before.
        """
        self.reset()
        if not self.active:
            return
        with _deep():
            shown, fused = self._shown(fgraph)
            read = to_read(shown, fused.apart)
            if read:
                rules = [r for r in self.rules if r.name not in left_out]
                self._rewrite(fgraph, read, rules, fused, Demand(shown, fused.apart))

    def _shown(self, fgraph: FunctionGraph) -> tuple[list[Variable[Any, Any]], Fused]:
        """The variables in which an exponential can show, and what fused operators compute."""
        shown = warm(fgraph, self.definitions, self.laws.own)
        return shown, Fused(self.laws, shown, fgraph.clients)

    def _rewrite(
        self,
        fgraph: FunctionGraph,
        variables: list[Variable[Any, Any]],
        rules: list[Recognition],
        fused: Fused,
        demand: Demand,
    ) -> None:
        recogniser = Recogniser(rules)
        apart = fused.apart
        view = View(self.laws, fgraph.clients, recogniser.fuses, self.avoided, demand, apart)
        for var in fused.leaves(demand):
            if var.type.dtype in FLOATS:
                view.read_as_leaf(var)
        end = now() + config.pass_seconds
        try:
            self._read_all(variables, view, end)
        except OutOfTime:
            within_outer_limits()
            self._stopped()
            return
        self.read_count, self.form_count = view.read_count, view.form_count
        places = {var: place for place, var in enumerate(variables)}
        lost = Lost(view, fgraph.clients)
        rebuilt, kept = needed(fgraph, view, lost)
        reuse = Reuse({var: place for var, place in places.items() if var in kept})
        builders: dict[str, Builder] = {}
        # From the outputs on: what is built for a variable refers to variables before it, which
        # are replaced after it, in what was built too.
        for var in sorted(rebuilt, key=lambda v: -places[v]):
            start = now()
            reuse.begin(var)
            view.algebra(_dtype_of(var, view)).ran = {}
            try:
                with limited(end - start):
                    new = self._built(var, view, builders, recogniser, reuse, lost)
            except OutOfTime:  # what was replaced stays: a graph is whole after each replacement
                within_outer_limits()
                self._stopped()
                return
            if new is not None and new is not var:
                self._replace(fgraph, var, new, view, recogniser, now() - start)

    def _replace(
        self,
        fgraph: FunctionGraph,
        var: Variable[Any, Any],
        new: Variable[Any, Any],
        view: View,
        recogniser: Recogniser,
        seconds: float,
    ) -> None:
        """Put what was built in the place of a variable, and tell who watches."""
        if trace.recorder is not None:
            if not trace.recorder.allow():
                return
            names = recogniser.names.get(view.read(var)) if view.compared(var) is None else None
            ran = _followed(var, new, view)
            name = names[-1] if names else ran[-1].name if ran else self._maker(var, new)
            by = tuple(f"{r.name} [{r.source}]" for r in ran)
            trace.recorder.fired(name, brief(var), var, new, {}, seconds, by)
        if config.check_steps:
            self._check(recogniser, view, var, new)
        copy_stack_trace(var, new)
        fgraph.replace(var, new, reason=LIFTING, import_missing=False)
        self.built_count += 1

    def _maker(self, old: Variable[Any, Any], new: Variable[Any, Any]) -> str:
        """The relation that makes the first operator with a meaning that was not there before."""
        there = set(ancestors([old]))
        made = (x.owner.op for x in ancestors([new], blockers=there) if x.owner and x not in there)
        names = (self.makers.get(operator_of(op)) for op in made)
        return next((name for name in names if name is not None), LIFTING)

    def _read_all(self, variables: list[Variable[Any, Any]], view: View, end: float) -> None:
        with limited(end - now()):
            for var in variables:
                if var.type.dtype in FLOATS:
                    self._read(var, view)

    def _stopped(self) -> None:
        self.complete = False
        text = errors.pass_out_of_time(config.pass_seconds, self.built_count)
        warnings.warn(text, RelationWarning, stacklevel=3)

    def _check(
        self,
        recogniser: Recogniser,
        view: View,
        var: Variable[Any, Any],
        new: Variable[Any, Any],
    ) -> None:
        """Evaluate a replacement; what is read and built by itself is named with it."""
        fired = [] if view.compared(var) is not None else recogniser.names.get(view.read(var), [])
        names = [*dict.fromkeys(fired), LIFTING]
        steps.check(names, (self.stated.get(n, "") for n in names), var, new)

    def _read(self, var: Variable[Any, Any], view: View) -> None:
        """Read a variable; what cannot be read stays as it is, and so does what is made of it."""
        try:
            view.read(var)
        except Exception as error:  # noqa: BLE001  # the user's function compiles without it
            self._report(var, error)
            view.read_as_leaf(var)

    def _report(self, var: Variable[Any, Any], error: Exception) -> None:
        self.complete = False
        reason = f"it raised {type(error).__name__}: {error}"
        text = errors.left_out(LIFTING, self.places.get("sum_shifts", ""), brief(var), reason)
        warnings.warn(text, RelationWarning, stacklevel=3)

    def _built(
        self,
        var: Variable[Any, Any],
        view: View,
        builders: dict[str, Builder],
        recogniser: Recogniser,
        reuse: Reuse,
        lost: Lost,
    ) -> Variable[Any, Any] | None:
        """What a variable is replaced by, None where it cannot be."""
        compared, dtype = view.compared(var), _dtype_of(var, view)
        if dtype not in builders:
            builders[dtype] = Builder(view, dtype, recogniser, reuse)
        try:
            if compared is not None:
                new = builders[dtype].comparison(compared, var)
            else:
                form = view.read(var)
                new = fitted(builders[dtype].whole(form), var)
                own = var.type.dtype
                inputs = [i for i in var.owner.inputs if getattr(i.type, "dtype", "") == own]
                operands = map(view.read, inputs)
                new = with_nan(new, var, operands, form, view.computed)
                new = lost.shown(new, var)
        except Exception as error:  # noqa: BLE001  # the user's function compiles without it
            self._report(var, error)
            return None
        if new.type.dtype != var.type.dtype or new.type.broadcastable != var.type.broadcastable:
            if trace.recorder is not None:
                trace.recorder.refused(LIFTING, var, errors.changes_type(var.type, new.type))
            return None
        return as_general(new, var)


def _followed(var: Variable[Any, Any], new: Variable[Any, Any], view: View) -> list[Relation]:
    """The relations by which a variable was read, and what replaces it was built."""
    algebra = view.algebra(_dtype_of(var, view))
    ends = leaves(view.compared(var) or view.read(var))
    found = dict.fromkeys([*view.followed(var, ends), *algebra.ran])
    stack, seen = [new], set(ends)
    while stack:
        top = stack.pop()
        if top not in seen:
            seen.add(top)
            if top in algebra.built_by:
                found[algebra.built_by[top]] = None
            stack.extend(top.owner.inputs if top.owner is not None else ())
    return list(found)


def _dtype_of(var: Variable[Any, Any], view: View) -> str:
    """The dtype of the forms that a variable is built of."""
    compared: str = var.owner.inputs[0].type.dtype if view.compared(var) is not None else ""
    return compared or str(var.type.dtype)


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def needed(
    fgraph: FunctionGraph, view: View, lost: Lost
) -> tuple[list[Variable[Any, Any]], set[Variable[Any, Any]]]:
    """The variables to rebuild, and all that something outside the forms needs.

    The former are the events among the latter.
    """
    found: dict[Variable[Any, Any], None] = {}
    seen: set[Variable[Any, Any]] = set()
    walked: set[Form] = set()  # forms share their parts
    stack = list(fgraph.outputs)
    while stack:
        var = stack.pop()
        if var in seen:
            continue
        seen.add(var)
        compared = view.compared(var)
        if compared is not None:
            found[var] = None
            stack.extend((*_made_of(compared, walked), *var.owner.inputs))
        elif view.is_event(var) or view.is_shiftable(var):
            found[var] = None
            form = view.read(var)
            stack.extend((*_made_of(form, walked), *(seen for seen, _ in lost.of(var))))
        elif var.owner is not None:
            stack.extend(var.owner.inputs)
    return list(found), seen


def leaves(form: Form) -> list[Variable[Any, Any]]:
    """The variables that a form is built from."""
    return [part.var for part in within(form) if isinstance(part, Leaf)]


def _made_of(form: Form, walked: set[Form]) -> Iterator[Variable[Any, Any]]:
    """The variables that a form is built from, and those that tell where elements are taken from.

    Of what has not been walked through before.
    """
    for part in within(form, opens=lambda part: part not in walked):
        if part in walked:
            continue
        if isinstance(part, Leaf):
            yield part.var
        for move in part.args if isinstance(part, App) else ():
            if isinstance(move, Move):
                yield from move.uses()
        walked.add(part)
