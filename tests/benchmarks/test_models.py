"""Of models as people write them, what stock Aesara has right the library has right."""

from __future__ import annotations

import pytest

from tests.benchmarks.models.__main__ import judged, loaded
from tests.benchmarks.models.common import KINDS, Model


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("m", loaded()[::18], ids=lambda m: m.name)
def test_nothing_is_lost(m: Model, kind: str) -> None:
    lost = [(f.regime, f.draw) for f in judged(m, kind) if f.right == (False, True)]
    assert not lost
