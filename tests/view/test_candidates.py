"""Candidates: what is read is what can be worth rewriting, and little else."""

from __future__ import annotations

from typing import Any

import pytest
from aesara.graph.fg import FunctionGraph

from kanrewrite import registry
from kanrewrite.view.candidates import to_read, warm
from kanrewrite.view.passes import LiftingPass
from kanrewrite.view.read import View
from kanrewrite.view.recognise import Recogniser
from tests.stability.cases import CASES
from tests.stability.test_cases import variables
from tests.view.common import at, function, grad, ops

LIFTING = LiftingPass(registry.relations())


def read_count(outputs: list[Any]) -> int:
    """How many nodes the pass reads of a graph."""
    LIFTING.apply(FunctionGraph(outputs=outputs, clone=True))
    return LIFTING.read_count


def softmax(x: Any) -> Any:
    return at.exp(x) / at.exp(x).sum(axis=1, keepdims=True)


@pytest.mark.spared
@pytest.mark.parametrize("name", CASES)
def test_every_event_is_read(name: str) -> None:
    kinds, build = CASES[name]
    inputs = variables(kinds)
    y = build(*inputs)
    wrt = [x for x, kind in zip(inputs, kinds, strict=True) if kind in "mvn"]
    fgraph = FunctionGraph(outputs=[y, *grad(y.sum(), wrt)], clone=True)
    found = warm(fgraph, LIFTING.definitions)
    view = View(LIFTING.laws, fgraph.clients, Recogniser(LIFTING.rules).fuses)
    everything = [v for node in fgraph.toposort() for v in node.outputs]
    for var in everything:
        if getattr(var.type, "dtype", None) == "float64":
            view.read(var)
    worth = {v for v in everything if view.is_event(v) or view.compared(v) is not None}
    assert worth <= set(to_read(found))


def test_what_no_other_exponential_meets_is_not_read() -> None:
    x, a, b = at.dmatrices("x", "a", "b")
    y = softmax(x)
    above = read_count([y])
    assert read_count([at.dot(at.dot(y, a), b).T.sum(axis=0)]) == above
    assert read_count([at.sin(y) * b - a]) == above
    assert read_count([at.dot(y, a) - b]) > above


def test_a_comparison_is_read_through() -> None:
    x, a = at.dmatrices("x", "a")
    assert read_count([at.exp(x) * a]) == 0
    assert read_count([at.gt(at.exp(x) * a, 0)]) > 0


def test_an_operator_without_a_reader_is_not_warm() -> None:
    x = at.dmatrix("x")
    e = at.exp(x)
    fgraph = FunctionGraph(outputs=[at.sin(e) + 1, at.ceil(e) * 2], clone=False)
    assert warm(fgraph, ()) == [e]
    assert warm(FunctionGraph(outputs=[at.sin(x) + 1], clone=False), ()) == []


def test_a_quotient_by_what_comes_back_into_range_is_read() -> None:
    """Canonicalization makes of ``r / r.sum()`` the reciprocal of one product."""
    x = at.dmatrix("x")
    r = 1 / at.exp(x)
    compiled = function([x], r / r.sum(axis=1, keepdims=True))
    assert ops(compiled)["Softmax"] == 1
    assert sum(ops(compiled).values()) <= 2
