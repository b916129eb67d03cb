"""A trace names the relations that were followed, each with its place; each can be disabled."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from aesara.graph.basic import graph_inputs
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry, trace
from kanrewrite.registry.database import LibraryPass
from tests.view.common import at, enabled, grad

LIBRARY = [r for r in registry.usual() if not r.states_derivatives]
X = at.matrix("x")
E = at.exp(X)
Y = at.matrix("y")
#: What adds up exponentials where numbers put them.
PUT = at.inc_subtensor(at.zeros(3, dtype=X.dtype)[at.as_tensor([0, 2, 0])], E[0, :3])


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
    ("sum_shifts", at.log(at.dot(E, at.exp(Y)))),
    ("sum_shifts", at.dot(E, Y) / at.dot(E, at.exp(Y))),
    ("sum_shifts", at.log(at.cumsum(E, axis=1))),
    ("sum_shifts", at.log(PUT)),
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


MEAN = (Y * E).sum(axis=1) / E.sum(axis=1)
W = at.matrix("w")
SOFT = (at.log(1 + at.exp(at.dot(X + at.exp(Y) * at.matrix("n"), W))) ** 2).sum()


@pytest.mark.parametrize(
    ("graphs", "told"),
    [
        ([at.log(at.dot(E, at.exp(Y)))], {"sum_shifts"}),
        ([at.log(PUT)], {"sum_shifts"}),
        ([MEAN, grad((MEAN * at.vector("g")).sum(), X)], {"softmax_quotient", "softmax_gradient"}),
        ([SOFT, *grad(SOFT, [X, Y, W])], {"sum_shifts", "add_shifts", "softplus_log"}),
    ],
)
def test_each_rewrite_has_the_name_of_a_relation(graphs: list[Any], told: set[str]) -> None:
    with enabled(), trace() as steps:
        registry.stabilize(graphs)
    assert {event.name for event in steps.fired_events} == told
