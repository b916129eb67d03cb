"""Every relation is what runs: false, or disabled, it gives another result."""

from __future__ import annotations

import pytest

from kanrewrite import registry
from kanrewrite.relation import Relation
from tests.view.uses import matters

LIBRARY = [r for r in registry.relations() if not r.states_derivatives]
#: Those that no graph is rewritten by: a search runs them backwards.
REWRITING = [r for r in LIBRARY if r.family != "spellings"]

#: What code still does by hand, or another relation does.
BY_HAND = {
    "logsumexp_shift", "sigmoids_multiply", "terms_cancel", "loop_levels",
}  # fmt: skip


def marked(relation: Relation) -> object:
    """A relation, expected to fail where it is not what runs."""
    by_hand = pytest.mark.xfail(strict=True, reason="nothing changes without it")
    return pytest.param(relation, id=relation.name, marks=[by_hand] * (relation.name in BY_HAND))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kanrewrite.errors.RelationWarning")
@pytest.mark.parametrize("relation", list(map(marked, REWRITING)))
def test_a_relation_is_what_runs(relation: Relation) -> None:
    digits = relation.where == "digits"  # those come last, whatever the others do
    others = [r for r in REWRITING if (r.where == "digits") == digits]
    assert matters(relation, others) == (True, True)
