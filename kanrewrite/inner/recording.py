"""What carries logs takes its place in a graph, where the trace allows it."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from aesara.graph.basic import Variable
from aesara.graph.fg import FunctionGraph
from aesara.graph.rewriting.basic import copy_stack_trace

from kanrewrite.display import brief
from kanrewrite.inner.levels import LOGS, Level
from kanrewrite.trace import trace

Graph = Variable[Any, Any]

NAME = "kanrewrite_levels"


def replaced(
    fgraph: FunctionGraph,
    pairs: list[tuple[Graph, Graph]],
    carried: dict[Graph, Level],
    start: float,
    followed: tuple[str, ...] = (),
) -> bool:
    """Replace variables, of which some are carried as logs now; tell whether that was allowed.

    Parameters
    ----------
    fgraph
        The graph.
    pairs
        Old and new ones.
    carried
        The new ones that are carried.
    start
        When the work began, by `perf_counter`.
    followed
        The relations by which they are carried, beside `LOGS`.
    """
    if trace.recorder is not None:
        if not trace.recorder.allow():
            return False
        old, value = next(p for p in pairs if p[1] in carried) if carried else pairs[0]
        seconds = perf_counter() - start
        trace.recorder.fired(LOGS, brief(old), old, value, {}, seconds, followed)
    copy_stack_trace([old for old, _ in pairs], [value for _, value in pairs])
    fgraph.replace_all(pairs, reason=NAME, import_missing=True)
    return True
