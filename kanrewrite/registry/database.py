"""The database of relations in Aesara's own database of rewrites."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from copy import copy
from functools import cache, lru_cache, partial
from importlib import import_module
from time import perf_counter
from typing import Any

from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import (
    ChangeTracker,
    GraphRewriter,
    Rewriter,
    SequentialGraphRewriter,
)
from aesara.graph.rewriting.db import RewriteDatabase, RewriteDatabaseQuery

from kanrewrite.completion import derived
from kanrewrite.config import config
from kanrewrite.inner.bodies import NAME as BODIES
from kanrewrite.inner.bodies import BodiesPass
from kanrewrite.inner.carrying import LevelsPass
from kanrewrite.inner.exclusions import NAME as EXCLUSIONS
from kanrewrite.inner.exclusions import ExclusionsPass
from kanrewrite.inner.graphs import AGAIN
from kanrewrite.inner.knowing import NAME as BOUNDS
from kanrewrite.inner.knowing import BoundsPass
from kanrewrite.inner.levels import LOGS, Levels
from kanrewrite.inner.merging import NAME as MERGE
from kanrewrite.inner.merging import MergePass
from kanrewrite.inner.opening import NAME as OPENING
from kanrewrite.inner.opening import OpeningPass
from kanrewrite.inner.recording import NAME as LEVELS
from kanrewrite.inner.recounting import NAME as RECOUNTING
from kanrewrite.inner.recounting import RecountingPass
from kanrewrite.inner.waiting import heed
from kanrewrite.registry.alignment import watch
from kanrewrite.registry.companions import COMPANIONS, Companion, always
from kanrewrite.registry.jax_ops import convert
from kanrewrite.registry.powers import like_arrays
from kanrewrite.registry.settled import settle, settled
from kanrewrite.registry.sources import of_library
from kanrewrite.registry.wide import WidePass
from kanrewrite.relation import Relation
from kanrewrite.rewriter import DigitsPass, RelationPass, RelationRewriter
from kanrewrite.terms import T
from kanrewrite.trace import trace
from kanrewrite.view import View
from kanrewrite.view.carrying import carrying
from kanrewrite.view.passes import LiftingPass
from kanrewrite.view.reading import forms
from kanrewrite.view.rules import LIFTING

LOG = logging.getLogger("kanrewrite")
NAME = "kanrewrite"
#: After canonicalize and merge1.2; before stabilize, which takes logsumexp apart.
POSITION = 1.4
#: In which of Aesara's sets of rewrites the library takes part once something is enabled.
TAGS = ("fast_run", "fast_compile")


class LibraryPass(GraphRewriter):
    """Enabled relations over a graph: the rules, the lifting equations, and the rules again.

    Parameters
    ----------
    relations : tuple of Relation
        In the order in which they are tried.
    jax : bool, optional
        Whether the result is for JAX, which needs every length while it compiles: it cannot number
        the places of a scatter.

    Notes
    -----
    A user's rule must see what the user wrote, before the library has rewritten a part of it or
    lifting has rebuilt it, and it must see what lifting has brought together.  What lifting takes
    apart is matched by the rules that completion derives.  What says that it is about digits comes
    last: it is about a form, not about a value.
    """

    name = NAME

    def __init__(self, relations: tuple[Relation, ...], jax: bool = False):
        super().__init__()
        self.relations = relations
        early, last = _apart(relations)
        self.lifting, self.rules, self.own = _early_passes(
            early, tuple(r.source for r in early), jax
        )
        self.digits = digits_pass(last)

    def may_apply(self, fgraph: FunctionGraph) -> bool:
        """Whether a graph has operators at which something could be done, told by them alone."""
        tracked = self.rules.matching.tracks()
        classes = tuple(t for t in tracked if isinstance(t, type))
        ops = {t for t in tracked if not isinstance(t, type)}
        if any(isinstance(node.op, classes) or node.op in ops for node in fgraph.apply_nodes):
            return True
        return self.digits.active or self.lifting.may_apply(fgraph)

    def apply(self, fgraph: FunctionGraph) -> None:
        """Rewrite a function graph in place; not again where it is as it was left."""
        if trace.recorder is None and settled(fgraph, self):
            self.lifting.reset()
            self.rules.matching.tried = 0
            return
        start = perf_counter()
        self._apply(fgraph)
        if self._is_complete():
            settle(fgraph, self)
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug(
                "%d relations over %d nodes: "
                "%d read as %d forms, %d rebuilt, %d matches tried, %.1f ms",
                len(self.relations),
                len(fgraph.apply_nodes),
                self.lifting.read_count,
                self.lifting.form_count,
                self.lifting.built_count,
                self.rules.matching.tried,
                1e3 * (perf_counter() - start),
            )

    def _is_complete(self) -> bool:
        """Whether something was read of the last graph, and nothing left out for a failure.

        What nobody reads is as fast to go through as to be told that it is the same.
        """
        matched = [p.matching for p in (self.rules, self.digits, *self.own)]
        read = self.lifting.read_count > 0 or any(m.tried for m in matched)
        return read and self.lifting.complete and not any(m.broken for m in matched)

    def _apply(self, fgraph: FunctionGraph) -> None:
        self._shift(fgraph)
        if self.digits.active:
            self.digits.apply(fgraph)

    def _shift(self, fgraph: FunctionGraph) -> None:
        if not self.rules.relations:
            self.lifting.apply(fgraph)
            return
        left_out: set[str] = set()
        for own in self.own:
            own.apply(fgraph, left_out=left_out)
            left_out = own.matching.broken | own.finished
        self.rules.apply(fgraph, left_out=left_out)
        tracker = ChangeTracker()
        fgraph.attach_feature(tracker)
        self.lifting.apply(fgraph, self.rules.matching.broken)
        fgraph.remove_feature(tracker)
        if tracker.changed:
            self.rules.apply(fgraph, left_out=self.rules.matching.broken | self.rules.finished)


def _apart(
    relations: Iterable[Relation],
) -> tuple[tuple[Relation, ...], tuple[Relation, ...]]:
    """Relations that are followed as values meet, and those that come after, as it is written."""
    both: tuple[list[Relation], list[Relation]] = ([], [])
    for relation in relations:
        both[relation.where == "digits"].append(relation)
    return tuple(both[0]), tuple(both[1])


@lru_cache(maxsize=16)
def _early_passes(
    relations: tuple[Relation, ...],
    places: tuple[str, ...],  # noqa: ARG001  # relations that state the same are equal
    jax: bool,
) -> tuple[LiftingPass, RelationPass, tuple[RelationPass, ...]]:
    """The passes of all that is not about digits, whatever is enabled of that.

    The last are of users' relations: in what is written, then in what that means.
    """
    lifting = LiftingPass(relations, {T.scatter} if jax else ())
    others = tuple(r for r in relations if r.direction is not None and not lifting.takes(r))
    coherent = [rule for relation in others for rule in derived(relation, relations)]
    bundled = any(r.bundled for r in relations)
    make = partial(make_view if bundled else meaning_view, relations)
    rules = RelationPass(others, make, coherent)
    own = tuple(r for r in others if not r.bundled)
    if not own:
        return lifting, rules, ()
    stated = tuple(r for r in relations if not (r.bundled and "define" in r.roles))
    written = RelationPass(own, partial(make_view, stated))
    return lifting, rules, (written, RelationPass(own, make)) if own != others else (written,)


def digits_pass(relations: Iterable[Relation]) -> DigitsPass:
    """The pass of relations that are about digits."""
    chosen = tuple(relations)
    cancels = next((r.name for r in chosen if r.direction is None), "")
    rewrites = (r for r in chosen if r.direction is not None)
    return DigitsPass(rewrites, written_view, cancels)


def written_view() -> View:
    """The view through which relations about digits read a graph."""
    return View(written=True)


def make_view(relations: tuple[Relation, ...]) -> View:
    """The view through which relations read a graph: it follows their definitions and lifts.

    Where none of them is a lift they are matched modulo the lifts of the library.
    """
    lifted = any("lift" in r.roles for r in relations)
    return View(relations, () if lifted else of_library_as("lift"))


def meaning_view(relations: tuple[Relation, ...]) -> View:
    """The same of users' relations alone, which reads operators as the library explains them."""
    lifted = any("lift" in r.roles for r in relations)
    lifts = () if lifted else of_library_as("lift")
    return View(relations, (*lifts, *of_library_as("define")))


@cache
def of_library_as(role: str) -> tuple[Relation, ...]:
    """What comes with the package and is followed so, enabled or not."""
    return tuple(r for r in of_library() if role in r.roles)


def pass_of(relations: tuple[Relation, ...], jax: bool = False) -> LibraryPass:
    """The pass of some relations, made once: to compile them takes longer than most graphs do."""
    return _pass_of(relations, tuple(r.source for r in relations), jax)


@lru_cache(maxsize=16)
def _pass_of(
    relations: tuple[Relation, ...],
    places: tuple[str, ...],  # noqa: ARG001
    jax: bool,
) -> LibraryPass:
    # Relations that state the same are equal wherever they stand, but the pass asks where.
    return LibraryPass(relations, jax)


#: What a mode that compiles with JAX includes.
JAX = "jax"


class RelationDatabase(RewriteDatabase):
    """The relations that are registered; a query gives one pass over those that are enabled.

    Notes
    -----
    Aesara's databases cannot forget an entry.  This one keeps what is enabled itself, and decides
    at each query, by which a mode's ``excluding(name)`` is honoured too.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.relations: dict[str, Relation] = {}
        self.enabled: dict[str, None] = {}

    def add(self, relation: Relation) -> None:
        """Register a relation under its name, in place of one of the same name."""
        self.relations[relation.name] = relation

    def remove(self, relation: Relation) -> None:
        """Forget a relation."""
        del self.relations[relation.name]

    def chosen(self, query: RewriteDatabaseQuery | None = None) -> tuple[Relation, ...]:
        """The enabled relations, without those that a query excludes by name or family."""
        excluded = set() if query is None else set(query.exclude)
        return tuple(
            relation
            for name, relation in self.relations.items()
            if name in self.enabled and not excluded & {name, relation.family}
        )

    def query(self, *tags: Any, **kwtags: Any) -> Rewriter:
        """The pass over the enabled relations that the query does not exclude."""
        query = tags[0] if tags and isinstance(tags[0], RewriteDatabaseQuery) else None
        if query is not None and AGAIN in query.exclude:
            return SequentialGraphRewriter()
        jax = query is not None and JAX in query.include
        if jax:
            convert()
        # What states derivatives is asked when they are expanded, not while a graph is rewritten.
        relations = tuple(r for r in self.chosen(query) if not r.states_derivatives)
        return pass_of(relations, jax) if relations else SequentialGraphRewriter()

    def __getitem__(self, name: str) -> RelationRewriter:
        relation = self.relations[name]
        return RelationRewriter(relation, partial(make_view, (relation,)))

    def __contains__(self, name: object) -> bool:
        return name in self.relations


DATABASE = RelationDatabase()


def _lifts(query: RewriteDatabaseQuery) -> bool:
    """Whether lifting equations take part in a compilation."""
    return NAME not in query.exclude and any(r.family == LIFTING for r in DATABASE.chosen(query))


def _takes_part(query: RewriteDatabaseQuery) -> bool:
    """Whether any relation takes part in a compilation."""
    return NAME not in query.exclude and bool(DATABASE.chosen(query))


def _carries(query: RewriteDatabaseQuery) -> bool:
    """Whether loops are to carry logs in a compilation."""
    return _lifts(query) and any(r.name == LOGS for r in DATABASE.chosen(query))


def levels(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass by which loops carry logs, read by what the library knows of exponentials."""
    library = DATABASE.query(query)
    if not isinstance(library, LibraryPass):
        return SequentialGraphRewriter()
    stated = Levels(DATABASE.chosen(query))
    return LevelsPass(lambda: carrying(library.lifting.laws), stated)


def opening(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass that opens Ops made from graphs, where the library has something to do in them."""
    library = DATABASE.query(query)
    if not isinstance(library, LibraryPass):
        return SequentialGraphRewriter()
    return OpeningPass(library.may_apply)


def bodies(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass over the steps of loops, for a query: in them it applies what the query selects."""
    library = DATABASE.query(query)
    if not isinstance(library, LibraryPass):
        return SequentialGraphRewriter()
    before = copy(query)
    before.position_cutoff = min(query.position_cutoff, POSITION)
    # Asked for when the first step is prepared: among these passes is this one again.
    passes = cache(lambda: optdb.query(before))
    return BodiesPass(
        library.may_apply,
        library.lifting.known,
        lambda body: passes().rewrite(body),
        library.rewrite,
    )


def merging(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass that merges loops, equal by the way in which the library reads their steps."""
    library = DATABASE.query(query)
    if not isinstance(library, LibraryPass) or MERGE in query.exclude:
        return SequentialGraphRewriter()
    return MergePass(lambda: forms(library.lifting.laws))


def _excluded(query: RewriteDatabaseQuery) -> set[str]:
    """What a compilation excludes of the library: all of it, families, and single relations."""
    known = {NAME, *(n for r in DATABASE.chosen() for n in (r.name, r.family))}
    return known & set(query.exclude)


def exclusions(query: RewriteDatabaseQuery) -> Rewriter:
    """The pass by which loops know what the function around them excludes."""
    return ExclusionsPass(sorted(_excluded(query)))


def _auditing() -> Rewriter:
    """The pass that warns of what is unsafe; most programs never ask for it."""
    found: Rewriter = import_module("kanrewrite.audit.warning").WarningPass()
    return found


#: What is put into Aesara's database: name, position, entry.
_ENTRIES: tuple[tuple[str, float, RewriteDatabase], ...] = (
    (NAME, POSITION, DATABASE),
    # What aesara.grad has written, as it has written it.
    (RECOUNTING, -0.005, Companion(_takes_part, always(RecountingPass()))),
    (EXCLUSIONS, 0.03, Companion(lambda query: bool(_excluded(query)), exclusions)),
    (OPENING, 0.033, Companion(_lifts, opening)),
    (LEVELS, 0.035, Companion(_carries, levels)),
    (BODIES, 0.04, Companion(_takes_part, bodies)),
    (MERGE, 0.045, Companion(_lifts, merging)),
    # What has left a loop by then is around it.
    (BOUNDS, POSITION - 0.01, Companion(_lifts, always(BoundsPass()))),
    *((name, position, Companion(_lifts, make)) for name, position, make in COMPANIONS),
    # Last of all, whoever has made them: what is fused of too many operands would not run.
    ("kanrewrite_wide", 101, Companion(_takes_part, always(WidePass()))),
    # Before fusion, which says less of what is computed.
    ("kanrewrite_audit", 48.5, Companion(lambda _: config.warn_unsafe, lambda _: _auditing())),
)


def take_part(enabled: bool) -> None:
    """Make the library a part of Aesara's sets of rewrites, or take it out of them again."""
    watch(enabled)
    like_arrays(enabled)
    heed(enabled)
    for name, position, entry in _ENTRIES:
        # Not `name in optdb`: looking a name up, as `excluding` does, leaves an empty entry there.
        if entry not in optdb.__db__.get(name, ()):
            if not enabled:
                continue
            optdb.__db__.pop(name, None)
            optdb.register(name, entry, position=position)
        present = entry in optdb.__db__.get(TAGS[0], ())
        if enabled and not present:
            optdb.add_tags(name, *TAGS)
        elif present and not enabled:
            optdb.remove_tags(name, *TAGS)


def matching(names: Iterable[str], near: Callable[[str], Exception]) -> list[str]:
    """The names of the relations that some names mean, families among them.

    Raises
    ------
    Exception
        What ``near`` makes of a name that means none.
    """
    found: dict[str, None] = {}
    for name in names:
        meant = [n for n, r in DATABASE.relations.items() if name in (n, r.family)]
        if not meant:
            raise near(name)
        found.update(dict.fromkeys(meant))
    return list(found)
