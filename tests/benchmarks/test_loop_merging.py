"""Loops are compared by looking at each once."""

import pytest

from tests.benchmarks.loop_merging import SIZE, by_numbers, by_pairs, loops


@pytest.mark.spared(2)
@pytest.mark.parametrize("count", [5, 10, 20])
def test_nodes_grow_with_loops(count: int) -> None:
    ops = loops(count)
    assert by_numbers(ops) == (count, count * (SIZE + 1))
    assert by_pairs(ops) == (count, count * (count - 1) // 2 * (SIZE + 1))
