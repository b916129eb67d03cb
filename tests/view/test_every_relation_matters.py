"""Every relation is what runs: false, or disabled, it gives another result."""

from __future__ import annotations

import pytest

from kanrewrite import registry
from kanrewrite.relation import Relation
from tests.view.uses import matters

LIBRARY = [r for r in registry.relations() if not r.states_derivatives]
#: Those that no graph is rewritten by: a search runs them backwards, and those that say what loops
#: carry, which `tests/loops` switches off.
REWRITING = [r for r in LIBRARY if r.family not in ("spellings", "loops")]

#: What says what an algorithm does, the canonical form of sums: it can be switched off only.
CODE = {"terms_cancel"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kanrewrite.errors.RelationWarning")
@pytest.mark.parametrize("relation", REWRITING, ids=lambda r: r.name)
def test_a_relation_is_what_runs(relation: Relation) -> None:
    digits = relation.where == "digits"  # those come last, whatever the others do
    others = [r for r in REWRITING if (r.where == "digits") == digits]
    assert matters(relation, others) == (True, relation.name not in CODE)
