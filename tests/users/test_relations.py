"""Users' relations: each fires in every spelling, keeps the value, and leaves others alone."""

from __future__ import annotations

from typing import Any

import aesara
import numpy as np
import pytest
from aesara.compile.mode import Mode
from aesara.graph.basic import Constant, graph_inputs

from kanrewrite import registry, trace
from kanrewrite.relation import Relation
from kanrewrite.why import why_not
from tests.users.common import rewritten, same
from tests.users.relations import CASES, Case

MODE = Mode(linker="py", optimizer="None")
SPELLED = [
    pytest.param(c.relation, graph, id=f"{c.relation.name}-{n}")
    for c in CASES
    for n, graph in enumerate(c.spellings)
]
OTHERS = [
    pytest.param(c.relation, graph, id=f"{c.relation.name}-{n}")
    for c in CASES
    for n, graph in enumerate(c.others)
]


def test_there_are_forty_of_them() -> None:
    assert len({c.relation.name for c in CASES}) >= 40


@pytest.mark.parametrize(("relation", "graph"), SPELLED)
def test_a_relation_fires_and_keeps_the_value(relation: Relation, graph: Any) -> None:
    new = rewritten(graph, relation)
    assert not same(new, graph)
    assert new.type == graph.type
    inputs = [i for i in dict.fromkeys(graph_inputs([graph])) if not isinstance(i, Constant)]
    rng = np.random.default_rng(0)
    values = [drawn(i.type, rng) for i in inputs]
    f = aesara.function(inputs, [graph, new], mode=MODE)
    before, after = f(*values)
    tolerance = 1e-5 if graph.type.dtype == "float32" else 1e-9
    np.testing.assert_allclose(after, before, rtol=tolerance, atol=tolerance)


def drawn(kind: Any, rng: np.random.Generator) -> Any:
    """Values of a type, small, and no integer zero."""
    shape = (3,) * kind.ndim
    if kind.dtype.startswith("int"):
        return rng.integers(1, 9, shape).astype(kind.dtype)
    return rng.normal(size=shape).astype(kind.dtype)


@pytest.mark.parametrize(("relation", "graph"), OTHERS)
def test_a_relation_leaves_others_alone(relation: Relation, graph: Any) -> None:
    assert same(rewritten(graph, relation), graph)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.relation.name)
def test_a_relation_that_is_silent_has_a_reason(case: Case) -> None:
    for graph in case.others:
        assert why_not(case.relation, graph).reason


@pytest.mark.slow
def test_relations_fire_beside_the_whole_library() -> None:
    library = registry.relations()
    spelled = [(c.relation, graph) for c in CASES for graph in c.spellings]
    fired = 0
    for relation, graph in spelled:
        with trace() as steps:
            rewritten(graph, *library, relation)
        fired += relation.name in str(steps)
    assert fired >= 0.95 * len(spelled)
