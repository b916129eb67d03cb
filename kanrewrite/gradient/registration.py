"""Where in Aesara's order of passes derivatives are opened and expanded.

======  ======================================================================================
-0.011  derivatives are opened (`kanrewrite.gradient.opening`); those inside loops are expanded,
        before Aesara moves computations out of loops
-0.009  once more, for what inlining an ``OpFromGraph`` (-0.01) brought into sight
1       Aesara canonicalizes the forward graph
1.39    what it is now is remembered (`kanrewrite.gradient.memory`)
1.4     the library rewrites it, where it is enabled
1.41    derivatives are expanded; what came out is canonicalized and given to the library, once
        for every order of derivatives
======  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aesara.compile.mode import optdb
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import GraphRewriter
from aesara.graph.rewriting.db import RewriteDatabase, RewriteDatabaseQuery
from aesara.ifelse import IfElse

from kanrewrite.gradient.expansion import Passes, expand, expand_in_loops, has_derivatives
from kanrewrite.gradient.jax_native import NATIVE
from kanrewrite.gradient.memory import remember
from kanrewrite.gradient.opening import open_derivatives
from kanrewrite.gradient.stated import in_force
from kanrewrite.inner.bodies import NAME as BODIES
from kanrewrite.inner.graphs import has_inner_graph
from kanrewrite.inner.merging import NAME as MERGE
from kanrewrite.inner.opening import NAME as OPENING
from kanrewrite.inner.recording import NAME as LEVELS
from kanrewrite.registry.database import DATABASE
from kanrewrite.registry.database import NAME as LIBRARY

#: The tag of all three stages: ``mode.excluding(TAG)`` leaves derivatives unexpanded.
TAG = "kanrewrite_gradient"

#: Databases of Aesara's that are run on a graph after its derivatives were expanded.
INNER = (OPENING, LEVELS, BODIES, MERGE, "scan_eqopt1")
AGAIN = ("inline_ofg_expansion", *INNER, "canonicalize", LIBRARY)


#: What a stage does: to a graph, with the rewrites of a mode, with or without native gradients.
Work = Callable[[FunctionGraph, Passes, bool], None]


class _Stage(GraphRewriter):
    """One of the stages, for one mode."""

    def __init__(self, work: Work, query: RewriteDatabaseQuery):
        self.work = work
        self.query = query

    def apply(self, fgraph: FunctionGraph) -> None:
        """Do the work of this stage; nothing where no derivative waits."""
        enabled = DATABASE.chosen(self.query) if selects(self.query, LIBRARY) else ()
        with in_force(enabled):
            self.work(fgraph, self.passes, NATIVE in self.query.include)

    def passes(self, fgraph: FunctionGraph) -> None:
        """Run again what this mode has of Aesara's and of the library's rewrites."""
        ops = [node.op for node in fgraph.apply_nodes]
        inside = any(has_inner_graph(op) or isinstance(op, IfElse) for op in ops)
        for name in AGAIN:
            if (inside or name not in INNER) and selects(self.query, name):
                entry = optdb[name]
                entry = entry.query(self.query) if isinstance(entry, RewriteDatabase) else entry
                if name == LIBRARY:
                    _remember(fgraph)
                entry.rewrite(fgraph)


def selects(query: RewriteDatabaseQuery, name: str) -> bool:
    """Whether a mode's query runs the entry of Aesara's optdb that has this name.

    Parameters
    ----------
    query
        The query of a mode.
    name
        A name in optdb; it may be missing there.
    """
    if not optdb.__db__.get(name):  # a name that was only looked up has an empty entry
        return False
    entry = optdb[name]

    def tagged(tag: str) -> bool:
        return entry in optdb.__db__[tag]

    return (
        any(map(tagged, query.include))
        and all(map(tagged, query.require))
        and not any(map(tagged, query.exclude))
    )


class _StageDB(RewriteDatabase):
    """What optdb holds for a stage: a rewriter is made for every mode that asks."""

    def __init__(self, work: Work):
        super().__init__()  # type: ignore[no-untyped-call]
        self.work = work

    def query(self, *tags: Any, **_: Any) -> GraphRewriter:
        """The rewriter for a mode's query."""
        return _Stage(self.work, tags[0])


def _open(fgraph: FunctionGraph, passes: Passes, _native: bool) -> None:
    expand_in_loops(fgraph, passes)
    open_derivatives(fgraph)


def _remember(fgraph: FunctionGraph, *_: object) -> None:
    """Keep what the library is about to rewrite, where a derivative waits for it."""
    if has_derivatives(fgraph.apply_nodes):
        remember(fgraph)


_registered = False


def register_expansion() -> None:
    """Tell Aesara's optdb about derivatives; once, with the first derivative that is made."""
    global _registered
    if _registered:
        return
    _registered = True
    stages: list[tuple[str, Work, float]] = [
        ("kanrewrite_open_derivatives", _open, -0.011),
        ("kanrewrite_open_inlined_derivatives", _open, -0.009),
        ("kanrewrite_remember_before_library", _remember, 1.39),
        ("kanrewrite_expand_derivatives", expand, 1.41),
    ]
    for name, work, position in stages:
        optdb.register(name, _StageDB(work), "fast_run", "fast_compile", TAG, position=position)
