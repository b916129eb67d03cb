"""Branches hand on logs where they are asked for, and only there."""

from __future__ import annotations

from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.ifelse import IfElse, ifelse
from aesara.tensor.special import LogSoftmax, Softmax

from tests.loops.borders import rows
from tests.loops.checking import PYTHON, switched


def chosen_of(outputs: Any, x: Any) -> list[Any]:
    """What the branches of a compiled function choose between."""
    with switched(True):
        f = aesara.function([x], outputs, mode=PYTHON)
    (choice,) = (n for n in f.maker.fgraph.toposort() if isinstance(n.op, IfElse))
    return [v.owner.op for v in choice.inputs[1:]]


def test_a_log_around_branches_is_taken_in_them() -> None:
    x = at.matrix("x")
    p = ifelse(at.gt(x[0, 0], 0), rows(x), rows(2 * x))
    assert all(isinstance(op, LogSoftmax) for op in chosen_of(at.log(p), x))


def test_branches_whose_size_nobody_asks_for_stay() -> None:
    x = at.matrix("x")
    p = ifelse(at.gt(x[0, 0], 0), rows(x), rows(2 * x))
    assert all(isinstance(op, Softmax) for op in chosen_of(at.tanh(p), x))


@pytest.mark.parametrize("first", [-1.0, 1.0])
def test_branches_of_several_signs_and_results(first: float) -> None:
    x = at.vector("x")
    yes, no = [at.exp(x), x + 1], [-at.exp(2 * x), x]
    choice: Any = ifelse(at.gt(x[0], 0), yes, no)
    e, other = choice
    with switched(True):
        f = aesara.function([x], [e / abs(e).sum(), other], mode=PYTHON)
    v = np.array([first, 750.0, 749.0])
    shares = np.exp(v - 750) if first > 0 else -np.exp(2 * (v - 750))
    found = f(v)
    np.testing.assert_allclose(found[0], shares / abs(shares).sum())
    np.testing.assert_array_equal(found[1], v + (first > 0))


def test_branches_of_zeros() -> None:
    x = at.vector("x")
    e: Any = ifelse(at.gt(x[0], 0), at.exp(x), at.zeros_like(x))
    with switched(True):
        f = aesara.function([x], at.log(e + at.exp(x - 1)), mode=PYTHON)
    np.testing.assert_allclose(f([750.0]), [750 + np.log1p(np.exp(-1))])
    np.testing.assert_allclose(f([-750.0]), [-751.0])
