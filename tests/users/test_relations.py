"""Users' relations: each fires in every spelling, keeps the value, and leaves others alone."""

from __future__ import annotations

from typing import Any

import pytest

from kanrewrite import registry, trace
from kanrewrite.registry.database import LibraryPass
from kanrewrite.relation import Relation
from kanrewrite.why import why_not
from tests.sparing import sparing
from tests.users.common import fires_and_keeps_the_value, passed, rewritten, same
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
    library, fired = registry.relations(), list[bool]()
    for case in CASES:
        everything = LibraryPass((*library, case.relation))
        for graph in case.spellings:
            with trace() as steps:
                passed(graph, everything)
            fired.append(case.relation.name in str(steps))
    assert sum(fired) >= 0.95 * len(fired)
