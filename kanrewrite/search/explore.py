"""`explore`: search the graphs that relations lead to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from kanrewrite import registry
from kanrewrite.border import Amount, Count, checked
from kanrewrite.config import config
from kanrewrite.cost import Cost, node_count
from kanrewrite.errors import UnknownSearchDirection
from kanrewrite.relation import REAL, Relation
from kanrewrite.rewriter.terms import Terms, numbers_in
from kanrewrite.search.frontier import Exploration
from kanrewrite.search.moves import RelationMoves
from kanrewrite.search.report import Report
from kanrewrite.terms import T
from kanrewrite.theory import Theory

#: Sums and products in any order are one spelling.
ORDER = Theory("order").ac(T.add).ac(T.mul).c(T.maximum).c(T.minimum)
Direction = Literal["simplify", "expand", "both"]


def known_relations() -> list[Relation]:
    """Every relation of the library that is used for rewriting, unless it must be named."""
    return list(registry.usual())


@checked
def explore(
    out: Any,
    relations: Relation | str | Iterable[Relation | str] | None = None,
    depth: Count | None = None,
    limit: Count | None = None,
    seconds: Amount | None = None,
    direction: Direction = "simplify",
    cost: Cost = node_count,
    theory: Theory | None = None,
    progress: bool | None = None,
) -> Exploration:
    """Search the graphs that relations lead to, cheapest first.

    Parameters
    ----------
    out : Variable, Apply, FunctionGraph, compiled function or a sequence of them
        The graph to begin with; it is not changed.
    relations : iterable of Relation or str, optional
        What may be used, relations or names of relations and families; by default every relation
        of the library.
    depth : int, optional
        How many rewrites a graph may be away from the start; by default
        ``kanrewrite.config.explore_depth``, and the same holds for the other two budgets.
    limit : int, optional
        How many graphs are found at most.
    seconds : float, optional
        How long is searched at most.  It is looked at between matches; a match is not interrupted.
    direction : {"simplify", "expand", "both"}
        Use each relation in its own direction, against it (which gives the graphs that what it
        recognises can hide in), or both.
    cost : callable
        What "cheapest" means: a function from a graph to a number.
    theory : Theory, optional
        Graphs that are equal modulo it are found once.  By default that of real numbers; when
        expanding, where spellings are looked for, the order of operands alone.
    progress : bool, optional
        Whether long searches show a progress bar; None shows it in terminals.

    Returns
    -------
    Exploration
        It searches when its results are asked for: iterating searches as far as is read,
        ``best()``, ``graphs``, ``steps`` and ``report`` search to the end, which is one of the
        budgets or that there is nothing more; ``stopped`` says which.

    Raises
    ------
    UnknownSearchDirection
        For another direction.
    UnknownRelation, NotAGraph, UnusableArgument
        For a name that is none, for what is no graph, and for a budget that is none.

    Notes
    -----
    Best-first search made fair: every fourth graph to be expanded is the one that has waited
    longest.  Subgraphs are shared between all graphs of a search, so that a subgraph is matched
    once however many graphs hold it.
    """
    if direction not in get_args(Direction):
        raise UnknownSearchDirection(direction, get_args(Direction))
    report = Report()
    chosen = known_relations() if relations is None else registry.some(relations)
    if theory is None:
        theory = ORDER if direction == "expand" else REAL
    stated = [rule.pattern for r in chosen if not r.is_goal for rule in r.rules()]
    terms = Terms(theory, numbers_in(stated))
    moves = RelationMoves(chosen, direction, terms, report)
    budgets = (
        config.explore_depth if depth is None else depth,
        config.explore_limit if limit is None else limit,
        config.explore_seconds if seconds is None else seconds,
    )
    return Exploration(out, moves, terms, cost, report, budgets, progress)
