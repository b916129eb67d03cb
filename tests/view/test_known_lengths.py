"""What a result knows of its lengths is no more than what it replaces was known to have."""

from __future__ import annotations

import aesara.tensor as at
import numpy as np
import pytest

from kanrewrite.view.fit import as_general
from tests.view.common import assert_right, grad

VALUES = np.cos(np.arange(12.0)).reshape(3, 4)


@pytest.mark.parametrize("power", [2, 3])
def test_powers_of_what_is_read_as_of_known_lengths(power: int) -> None:
    x = at.TensorType("float64", shape=(3, 4))("x")
    p = at.exp(x) * at.exp(x).sum(axis=1, keepdims=True) ** -1
    loss = ((p[:, 1:] - p[:, :-1]) ** power).sum()
    assert_right([x], [loss, grad(loss, x)], [VALUES], 1e-13)


def test_a_result_forgets_what_was_not_known() -> None:
    x, y = at.TensorType("float64", shape=(3, 4))("x"), at.dmatrix("y")
    known, either = at.sinh(x), at.sinh(y)
    found = as_general(known, either)
    assert found.type == either.type
    assert found.owner.inputs == [x]
    assert as_general(known, known) is known
    assert as_general(either, known) is either
    assert as_general(x, y) is x
    row = at.sinh(at.drow("z"))
    assert as_general(row, either) is row
