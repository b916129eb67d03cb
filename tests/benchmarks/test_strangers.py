"""The strangers' relations: nearly all spellings fire, none is wrong, and silence has a reason."""

from __future__ import annotations

from collections import Counter
from importlib import import_module

import pytest

from tests.benchmarks.strangers.__main__ import FIRED, MODULES, SILENT, file_of, judged, verdicts
from tests.benchmarks.strangers.common import STRANGERS, Stranger
from tests.sparing import sparing

for module in MODULES:
    import_module(f"tests.benchmarks.strangers.{module}")


@pytest.mark.spared
@pytest.mark.parametrize("stranger", sparing(STRANGERS[::6]), ids=lambda s: s.relation.name)
def test_a_strangers_relation_fires_where_it_is_meant_and_nowhere_else(stranger: Stranger) -> None:
    spelled, other = stranger.spellings[0], stranger.others[-1]
    assert judged(stranger, spelled, expected=True, beside=False)[0] == FIRED
    assert judged(stranger, other, expected=False, beside=False)[0] == SILENT


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_nearly_all_spellings_fire(name: str) -> None:
    """One alone, the next beside the library: ``__main__`` tries each of them in both ways."""
    counts: Counter[str] = Counter()
    for n, stranger in enumerate(s for s in STRANGERS if file_of(s) == name):
        counts.update(verdict for verdict, *_ in verdicts(stranger, beside=n % 2 == 1))
    assert counts[FIRED] >= 0.95 * (counts[FIRED] + counts[SILENT])
    assert counts.keys() <= {FIRED, SILENT, "left alone"}
