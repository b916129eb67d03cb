"""A trace names the relations that were followed, each with its place; each can be disabled."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from aesara.graph.basic import graph_inputs
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry, trace
from kanrewrite.registry.database import LibraryPass
from tests.view.common import at

LIBRARY = [r for r in registry.usual() if not r.states_derivatives]
X = at.matrix("x")
E = at.exp(X)


@cache
def whole() -> LibraryPass:
    """The library; to compile it takes longer than to apply it."""
    return LibraryPass(tuple(LIBRARY))


def traced(graph: Any, *left_out: str) -> str:
    """The trace of what the library does to a graph."""
    fgraph = FunctionGraph(list(graph_inputs([graph])), [graph], clone=True)
    others = tuple(r for r in LIBRARY if r.name not in left_out)
    with trace() as steps:
        (LibraryPass(others) if left_out else whole()).apply(fgraph)
    return str(steps)


FOLLOWED: list[tuple[str, Any]] = [
    ("sum_shifts", at.log(E.sum(axis=1))),
    ("sum_lifts", at.log((E * at.col("c")).sum(axis=1))),
    ("log_lifts", at.log(E / E.sum(axis=1, keepdims=True))),
    ("max_lifts", at.log((2 * E).max(axis=1))),
    ("max_of_logs", at.log((E + 1 / E).max(axis=1))),
    ("prod_lifts", at.log(E.prod(axis=1))),
    ("sigmoid_reciprocal", at.log(at.sigmoid(X))),
]


@pytest.mark.parametrize(("name", "graph"), FOLLOWED)
def test_a_trace_names_what_was_followed(name: str, graph: Any) -> None:
    (stated,) = (r for r in LIBRARY if r.name == name)
    assert f"{name} [{stated.source}]" in traced(graph)


@pytest.mark.parametrize(("name", "graph"), FOLLOWED)
def test_a_trace_names_nothing_that_is_left_out(name: str, graph: Any) -> None:
    assert f"{name} [" not in traced(graph, name)


def test_an_event_lists_what_was_followed() -> None:
    graph = at.log(E.sum(axis=1))
    fgraph = FunctionGraph([X], [graph], clone=True, copy_inputs=False)
    with trace() as steps:
        whole().apply(fgraph)
    (stated,) = (r for r in LIBRARY if r.name == "sum_shifts")
    assert f"sum_shifts [{stated.source}]" in steps.fired_events[0].followed


@pytest.mark.parametrize(
    ("name", "graph"), [("log1mexp_log", at.log(1 - E)), ("softplus_log", at.log(E + 1))]
)
def test_what_is_made_into_an_operator_is_told_by_its_relation(name: str, graph: Any) -> None:
    assert f"1. {name}: log(" in traced(graph)
