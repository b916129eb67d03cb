from functools import partial
from typing import Any

import aesara
import aesara.tensor as at
import numpy as np
import pytest
from aesara.tensor.special import log_softmax, softmax
from hypothesis import given
from hypothesis import strategies as st

from kanrewrite.cost import WEIGHTS, flops, node_count, numerical_error
from kanrewrite.errors import UnknownShape

x: Any = at.dmatrix("x")
w: Any = at.dmatrix("w")
EXP, DIVIDE = WEIGHTS["exp"], WEIGHTS["true_div"]


def test_equal_subgraphs_count_once_whoever_built_them() -> None:
    shared = at.exp(x)
    assert node_count(at.exp(x) + at.exp(x)) == node_count(shared + shared) == 2
    assert node_count([at.exp(x), at.exp(x)]) == 1


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (at.exp(x), 6 * EXP),
        (x + x, 6),
        (x / w.T, 6 * DIVIDE),
        (x.sum(axis=0), 6),
        (x.T, 0),
        (x[:1, 1:] * 2, 2),
        (at.exp(x) + at.exp(x), 6 * EXP + 6),
        (at.dot(x, w), 2 * 2 * 3 * 2),
        (at.exp(at.dot(x, w)), 24 + 4 * EXP),
        (softmax(x, axis=-1), 6 * (EXP + 3 + DIVIDE)),
        (log_softmax(x, axis=-1), 6 * (EXP + 4)),
        (x.reshape((-1,)) + 1, 6),
        (at.concatenate([x, x], axis=0) + 1, 24),
    ],
)
def test_flops(graph: Any, expected: int) -> None:
    assert flops(graph, {x: (2, 3), w: (3, 2)}) == expected


@given(st.integers(1, 50), st.integers(1, 50))
def test_flops_of_elementwise_operations_grow_with_the_size(rows: int, columns: int) -> None:
    graph = at.exp(x) / at.exp(x).sum(-1, keepdims=True)
    one = flops(graph, {x: (1, 1)})
    assert flops(graph, {x: (rows, columns)}) == rows * columns * one


def test_a_shape_that_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownShape, match=r"the shape of w is not known"):
        flops(at.dot(x, w), {x: (2, 3)})
    n: Any = at.lscalar("n")
    with pytest.raises(UnknownShape, match="the shape of n"):
        flops(at.exp(at.alloc(1.0, n)), {n: ()})


def test_fused_operations_count_as_their_parts() -> None:
    composite = aesara.function([x], at.exp(x) + x * 2, mode=aesara.compile.mode.Mode("py"))
    assert flops(composite, dict.fromkeys(composite.maker.fgraph.inputs, (2, 3))) == 6 * (EXP + 2)


def test_error_of_a_stable_and_of_an_unstable_spelling() -> None:
    unsafe = at.log(at.exp(x) / at.exp(x).sum(-1, keepdims=True))
    error = partial(numerical_error, inputs={x: [[0.0, -750.0, 3.0]]})
    assert error(unsafe) == np.inf
    assert error(log_softmax(x, axis=-1)) < 20


@given(st.floats(-30, 30))
def test_one_correctly_rounded_operation_is_within_half_a_unit(value: float) -> None:
    assert numerical_error(x + 0.1, {x: [[value]]}) <= 0.5


def test_cancellation_is_measured_not_only_overflow() -> None:
    scalar: Any = at.dscalar("s")
    assert numerical_error(1 - at.cos(scalar), {scalar: 1e-6}) > 1e3
    assert numerical_error(2 * at.sin(scalar / 2) ** 2, {scalar: 1e-6}) < 4


def test_whole_numbers_have_no_error() -> None:
    n: Any = at.lscalar("n")
    assert numerical_error(n + 1, {n: 3}) == 0
