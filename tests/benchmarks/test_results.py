"""The time a recognised form takes, beside Aesara's own operators and the graph as written."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.results import COMPILER, FORMS, KINDS, compiled, value

#: Each of them is compiled.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMS)
def test_time(benchmark: BenchmarkFixture, name: str, kind: str) -> None:
    function = compiled(name, kind)
    x = value()
    benchmark.group = name
    benchmark.extra_info.update(compiler=bool(COMPILER), kind=kind)
    np.testing.assert_allclose(benchmark(function, x), compiled(name, "own")(x), 1e-6, 1e-9)
