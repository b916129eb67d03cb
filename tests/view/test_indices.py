"""What tells where elements are taken from is rewritten too, where they are."""

from collections.abc import Iterator
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.compile.mode import Mode

import kanrewrite

PYTHON = Mode(linker="py", optimizer="fast_run")


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    with kanrewrite.disabled():
        kanrewrite.enable()
        yield


def test_an_index_that_logs_decide_is_right() -> None:
    x, y = at.dmatrices("x", "y")
    joint = at.exp(x) * at.exp(y)
    best: Any = at.argmax(at.log(joint), axis=0)
    picked = joint[best, at.arange(3)]
    f = aesara.function([x, y], at.log(picked), mode=PYTHON)
    assert not any("log" in str(node.op).lower() for node in f.maker.fgraph.apply_nodes)
    values = np.random.default_rng(0).normal(size=(2, 4, 3)) * 1e4
    np.testing.assert_allclose(f(*values), values.sum(0).max(0), rtol=1e-15)
