"""The models of the tables of costs: both ways of compiling them give the same results."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks import compile_cost, gradient_cost
from tests.sparing import sparing


@pytest.mark.parametrize("name", sparing(compile_cost.MODELS))
def test_results_are_the_same(name: str) -> None:
    model = compile_cost.MODELS[name]()
    functions = {kind: compile_cost.compiled(model, kind)[0] for kind in compile_cost.KINDS}
    expected = functions["stock"](*model.values)
    nodes = len(functions["stock"].maker.fgraph.apply_nodes)
    for function in functions.values():
        assert len(function.maker.fgraph.apply_nodes) <= nodes
        for a, b in zip(function(*model.values), expected, strict=True):
            np.testing.assert_allclose(a, b, 1e-9, 1e-12)


@pytest.mark.slow
def test_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_cost, "ROWS", gradient_cost.ROWS[:1])
    assert len(compile_cost.table(1)) == 2 + len(compile_cost.MODELS)
    assert len(gradient_cost.table(1)) == 2 + 1
