"""Users' relations: each fires in every spelling, keeps the value, and leaves others alone."""

from __future__ import annotations

from typing import Any

import pytest

from kanrewrite import registry, trace
from kanrewrite.relation import Relation
from kanrewrite.why import why_not
from tests.sparing import sparing
from tests.users.common import fires_and_keeps_the_value, rewritten, same
from tests.users.relations import CASES, Case

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
    fires_and_keeps_the_value(relation, graph)


@pytest.mark.parametrize(("relation", "graph"), OTHERS)
def test_a_relation_leaves_others_alone(relation: Relation, graph: Any) -> None:
    assert same(rewritten(graph, relation), graph)


@pytest.mark.parametrize("case", sparing(CASES), ids=lambda c: c.relation.name)
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
